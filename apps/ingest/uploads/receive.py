"""Taking an upload in: to the storage, hashed, as a row. What it holds is read by tasks."""

from __future__ import annotations

import hashlib
import io
import logging
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import models, transaction

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.models import Bundle, Case
from apps.cases.services import lock_case
from apps.cases.storage.store_then_row import Stored, remove_stored
from apps.ingest.uploads.handler import TOO_LARGE, HashedUpload
from apps.ingest.uploads.pieces import Kept
from apps.ingest.uploads.quota import refuse_over_quota
from apps.web.away import is_full
from apps.web.errors import DomainError
from parsers.archives.names import shown_name
from parsers.archives.wording import size as size_words

logger = logging.getLogger(__name__)

PASTED_NAME = "pasted-transcript.txt"
ALREADY_HERE = "Already in this case: the same bytes as {name}. It is not read again."
NO_ROOM = (
    "The upload could not be stored: the disk is full. Nothing of it was kept. The administrator has to free room: "
    "empty the trash, set retention, or enlarge the disk."
)
NOT_THERE = (
    "The upload could not be stored: the storage of files cannot be reached. Nothing of it was kept. "
    "Try again in a minute."
)
ROOM_KEPT: Final = 256 << 20
"""For the pages and the database on the same disk."""
IN_TRASH = "This case is in the trash. Restore it before adding files."
HASH_BYTES = 1 << 20

Noting = Callable[[Bundle], object]


def refuse_large(upload: UploadedFile[bytes]) -> None:
    """The limit of one upload, in words."""
    refuse_size(upload.size or 0)


def refuse_size(size: int) -> None:
    limit = settings.LIMITS.upload_bytes
    if size > limit:
        raise DomainError(TOO_LARGE.format(limit=size_words(limit)), status=413)


def refuse_without_room(folder: Path | None, size: int) -> None:
    """Where so many more bytes would leave less than is kept on the disk of that folder; None: there is no disk."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise _not_stored(error) from error
    if free < size + ROOM_KEPT:
        raise DomainError(NO_ROOM, status=507)


def _not_stored(error: OSError) -> DomainError:
    return DomainError(NO_ROOM if is_full(error) else NOT_THERE, status=507)


def live(case: Case) -> Case:
    """The case, unless it is in the trash."""
    if case.is_trashed:
        raise DomainError(IN_TRASH, status=409)
    return case


def store_upload(case: Case, upload: UploadedFile[bytes], *, filename: str, user: User | None) -> Bundle:
    """Keep an uploaded file under its hash; one that the case holds already is reported and not kept twice."""
    refuse_large(upload)
    is_on_disk = hasattr(upload, "temporary_file_path")
    refuse_over_quota(case, upload.size or 0)
    refuse_without_room(storage.folder(), 0 if is_on_disk else upload.size or 0)
    sha256 = upload.sha256 if isinstance(upload, HashedUpload) and upload.sha256 else _hash_of(upload)
    prefix = f"{storage.case_prefix(case.pk)}bundles/"
    return _keep(case, partial(storage.save_upload, prefix, upload), filename, (upload.size or 0, sha256), user)


def store_file(
    case: Case, kept: Kept, *, filename: str, found: tuple[int, str], user: User | None, note: Noting
) -> Bundle:
    """Keep a file that came in pieces; ``note`` writes down, with the bundle or not at all, that it was taken."""
    save = partial(kept.store, f"{storage.case_prefix(case.pk)}bundles/")
    return _keep(case, save, filename, found, user, note, take_back=kept.take_back)


def store_known(case: Case, sha256: str, *, size: int, filename: str, user: User | None) -> Bundle | None:
    """A file that the case has already is noted without being sent; None where it must be sent."""
    known = _same(case, sha256)
    if known is None or known.size != size:
        return None
    values = {"case": case, "filename": _shown(filename), "size": size, "sha256": sha256, "uploaded_by": user}
    return _duplicate(values, known)


def _hash_of(upload: UploadedFile[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in upload.chunks(HASH_BYTES):
        digest.update(chunk)
    upload.seek(0)
    return digest.hexdigest()


def store_text(case: Case, text: str, *, user: User | None) -> Bundle:
    """Keep a pasted console transcript as a file."""
    if not text.strip():
        raise DomainError(
            "The transcript is empty. Paste the output of commands, with their prompts if possible.", status=422
        )
    return store_bytes(case, text.encode("utf-8", "replace"), filename=PASTED_NAME, user=user)


def store_bytes(case: Case, content: bytes, *, filename: str, user: User | None) -> Bundle:
    """Keep bytes that are in memory already."""
    refuse_over_quota(case, len(content))
    refuse_without_room(storage.folder(), len(content))
    prefix = f"{storage.case_prefix(case.pk)}bundles/"
    save = partial(storage.save, prefix, io.BytesIO(content))
    return _keep(case, save, filename, (len(content), hashlib.sha256(content).hexdigest()), user)


def _keep(
    case: Case,
    save: Callable[[], str],
    filename: str,
    found: tuple[int, str],
    user: User | None,
    note: Noting = lambda bundle: None,
    take_back: Callable[[str], object] = remove_stored,
) -> Bundle:
    """The name in the storage is ours, the customer's name is only shown."""
    size, sha256 = found
    values: dict[str, Any] = {
        "case": case,
        "filename": _shown(filename),
        "size": size,
        "sha256": sha256,
        "uploaded_by": user,
    }
    lost = set(_alike(case, sha256).values_list("pk", flat=True))
    if (known := _same(case, sha256)) is not None:
        with transaction.atomic():
            lock_case(case.pk)
            bundle = _duplicate(values, known)
            note(bundle)
        return bundle
    try:
        stored = save()
    except OSError as error:
        logger.exception("an upload could not be stored")
        raise _not_stored(error) from error
    with Stored(stored, Bundle.objects.filter(stored=stored), remove=take_back) as kept, kept.row():
        lock_case(case.pk)
        known = _alike(case, sha256).exclude(pk__in=lost).first()  # it may have been sent twice at the same time
        bundle = Bundle.objects.create(**values, stored=stored) if known is None else _duplicate(values, known)
        record("bundle.uploaded", case=case, user=user, filename=bundle.filename, size=size, sha256=sha256)
        note(bundle)
    if known is not None:
        storage.delete(stored)
    return bundle


def _shown(filename: str) -> str:
    """A folder's path stays; steps upwards, control and direction marks go."""
    return shown_name(filename, settings.LIMITS.name_chars).shown


def _same(case: Case, sha256: str) -> Bundle | None:
    """The upload that brought these bytes, if the storage still has them: they are read for that."""
    return next((one for one in _alike(case, sha256) if storage.is_intact(one.stored, one.size, sha256)), None)


def _alike(case: Case, sha256: str) -> models.QuerySet[Bundle]:
    same = case.bundles.filter(sha256=sha256, duplicate_of__isnull=True).exclude(state=Bundle.State.FAILED)
    return same.order_by("pk")


def _duplicate(values: dict[str, Any], known: Bundle) -> Bundle:
    message = ALREADY_HERE.format(name=known.filename)[:500]
    return Bundle.objects.create(**values, duplicate_of=known, state=Bundle.State.SKIPPED, message=message)
