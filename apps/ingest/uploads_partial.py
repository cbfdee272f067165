"""Uploads that come in pieces: begun, added to, taken over when whole, dropped when nobody goes on with them.

The file of an upload is locked while bytes are added to it, so two tabs or two web processes can't both write. The lock goes with the
process that holds it, however that ends.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.cases.access import case_for
from apps.cases.keeping import refuse_archived
from apps.cases.models import Bundle, Case
from apps.cases.services import create_case
from apps.ingest import receive, running_hash
from apps.ingest.forms import NewCaseForm
from apps.ingest.models import PartialUpload
from apps.web.errors import DomainError
from parsers.archives.names import shown_name

if TYPE_CHECKING:
    from hashlib import _Hash

logger = logging.getLogger(__name__)

BLOCK = 256 << 10
ROOM_KEPT = 256 << 20  # for the pages and the database on the same disk
UNFINISHED_MOST = 100
FINISHED_KEPT = timedelta(days=1)  # the second of two tabs still asks what became of it
ORPHAN_S = 3600
SWEPT_AT_ONCE = 200
TAKEN_OVER = ".whole"

HELD = "Another window is sending this file at the moment."
ELSEWHERE = "The upload stands at another byte than this one."
TOO_MANY = "Too many unfinished uploads. Finish or discard some of them on the upload page first."
LONGER = "More bytes than this upload was announced with."
WRONG_CHECKSUM = "These bytes changed on the way: their checksum differs. They were dropped."
DAMAGED = "The file changed on the way: its hash is not the announced one. Nothing of it was kept."
ENDED = "This upload was left for too long and has ended. Begin it anew."


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that follow at an offset. ``length`` is announced; fewer may come."""

    stream: Readable
    at: int
    length: int
    checksum: tuple[str, bytes] | None = None
    """Algorithm and value."""


class WholeFile(UploadedFile[bytes]):
    """Lets the storage move the file instead of copying it."""

    def __init__(self, path: Path, size: int) -> None:
        super().__init__(path.open("rb"), path.name, size=size)
        self.path = path

    def temporary_file_path(self) -> str:
        return str(self.path)


def begin(user: User, fields: Mapping[str, str], *, size: int, metadata: str) -> PartialUpload:
    """For a case that is named, or for a new one that is made at once, so that files sent side by side meet in it."""
    receive.refuse_size(size)
    _refuse_many(user)
    _refuse_without_room(size)
    filename = shown_name(fields.get("filename", ""), settings.LIMITS.name_chars).shown
    with transaction.atomic():
        case = writable_case(user, fields["case"]) if fields.get("case") else _new_case(user, fields, filename)
        upload = PartialUpload.objects.create(
            user=user,
            case=case,
            opened_case=not fields.get("case"),
            filename=filename,
            size=size,
            sha256=fields.get("sha256", ""),
            metadata=metadata,
            ends_at=_end(),
        )
    if size == 0:
        _take_over_empty(upload)
    return upload


def _take_over_empty(upload: PartialUpload) -> None:
    """No piece follows with which it could be tried again."""
    with _held(upload):
        try:
            _take_over(upload, hashlib.sha256())
        except DomainError:
            if upload.pk is not None:
                _drop(upload)
            raise


def writable_case(user: User, key: str) -> Case:
    case = receive.live(case_for(user, key, Role.EDITOR))
    refuse_archived(case)
    return case


def _new_case(user: User, fields: Mapping[str, str], filename: str) -> Case:
    form = NewCaseForm(dict(fields), user=user)
    if not form.is_valid():
        raise DomainError(form.refusal(), status=422)
    values: dict[str, Any] = {name: form.cleaned_data[name] for name in ("team", "customer", "ticket")}
    return create_case(title=form.cleaned_data["title"] or filename.split("/")[0][:200], created_by=user, **values)


def _refuse_many(user: User) -> None:
    if unfinished(user).count() >= UNFINISHED_MOST:
        raise DomainError(TOO_MANY, status=429)


def _refuse_without_room(size: int) -> None:
    folder = Path(settings.UPLOADS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if shutil.disk_usage(folder).free < size + ROOM_KEPT:
        raise DomainError(receive.NO_ROOM, status=507)


def unfinished(user: User) -> Any:
    return PartialUpload.objects.filter(user=user, finished_at__isnull=True, ends_at__gt=timezone.now())


def of_user(user: User, name: str) -> PartialUpload:
    """Only the account that began it; 410 where it has ended and is not swept yet."""
    upload = PartialUpload.objects.select_related("case", "bundle").filter(user=user, name=name).first()
    if upload is None:
        raise Http404
    if upload.ends_at < timezone.now():
        raise DomainError(ENDED, status=410)
    return upload


def _end() -> Any:
    return timezone.now() + timedelta(days=settings.LIMITS.upload_days)


@contextmanager
def _held(upload: PartialUpload) -> Iterator[Any]:
    """The open file, locked; the row as it is under the lock."""
    path = upload.path
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("ab", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DomainError(HELD, status=423) from None
        try:
            upload.refresh_from_db()
        except PartialUpload.DoesNotExist:
            path.unlink(missing_ok=True)
            raise Http404 from None
        if upload.finished_at is not None:  # its bytes are in the storage; this is a new, empty file
            path.unlink(missing_ok=True)
        yield file


def add(upload: PartialUpload, piece: Piece) -> tuple[int, Bundle | None]:
    """The offset behind the piece, and the bundle if it was the last one. Fewer bytes than announced mean a lost connection."""
    with _held(upload) as file:
        if piece.at != upload.offset:
            raise DomainError(ELSEWHERE, status=409)
        if piece.length > upload.size - piece.at:
            raise DomainError(LONGER, status=413)
        if upload.finished_at is not None:
            return upload.size, None
        file.truncate(piece.at)
        digest = running_hash.resumed(upload.path, piece.at)
        taken = _taken(file, piece, digest)
        if taken:
            running_hash.remember(upload.path, piece.at + taken, digest)
        PartialUpload.objects.filter(pk=upload.pk).update(ends_at=_end())
        if piece.at + taken < upload.size:
            return piece.at + taken, None
        return upload.size, _take_over(upload, digest)


def _taken(file: Any, piece: Piece, digest: _Hash) -> int:
    """How many bytes were added. A piece with a checksum is added whole or not at all."""
    check = hashlib.new(piece.checksum[0], usedforsecurity=False) if piece.checksum else None
    before = digest.copy()
    taken = 0
    while taken < piece.length and (block := _next(piece.stream, min(BLOCK, piece.length - taken))):
        _write(file, block)
        digest.update(block)
        if check is not None:
            check.update(block)
        taken += len(block)
    if piece.checksum is None or (check is not None and check.digest() == piece.checksum[1]):
        return taken
    file.truncate(piece.at)
    running_hash.remember(Path(file.name), piece.at, before)
    if taken < piece.length:
        return 0
    raise DomainError(WRONG_CHECKSUM, status=460)


def _next(stream: Readable, size: int) -> bytes:
    """Nothing where the connection broke or stays silent: what came before that counts."""
    try:
        return stream.read(size)
    except OSError:
        return b""


def _write(file: Any, block: bytes) -> None:
    try:
        written = file.write(block)
        if written != len(block):
            raise OSError(errno.ENOSPC, "the disk is full")
    except OSError as error:
        logger.exception("a piece of an upload could not be written")
        raise DomainError(receive.NO_ROOM, status=507) from error


def _take_over(upload: PartialUpload, digest: _Hash) -> Bundle:
    """A second name of the file goes to the storage, the first stays until the rows are written: nothing is lost in between."""
    sha256 = digest.hexdigest()
    if upload.sha256 and upload.sha256 != sha256:
        _drop(upload)
        raise DomainError(DAMAGED, status=460)
    whole = upload.path.with_suffix(TAKEN_OVER)
    whole.unlink(missing_ok=True)
    whole.hardlink_to(upload.path)
    try:
        with WholeFile(whole, upload.size) as file:
            bundle = receive.store_file(
                upload.case,
                file,
                filename=upload.filename,
                found=(upload.size, sha256),
                user=upload.user,
                note=lambda made: _note_finished(upload, made),
            )
    finally:
        whole.unlink(missing_ok=True)
    upload.path.unlink(missing_ok=True)
    return bundle


def _note_finished(upload: PartialUpload, bundle: Bundle) -> None:
    now = timezone.now()
    upload.bundle, upload.finished_at, upload.ends_at = bundle, now, now + FINISHED_KEPT
    upload.save(update_fields=["bundle", "finished_at", "ends_at"])


def discard(upload: PartialUpload) -> None:
    """What came of it goes, and the case that was made for it if nothing else is in that. A finished upload is only forgotten."""
    with _held(upload):
        _drop(upload)


def _drop(upload: PartialUpload) -> None:
    with transaction.atomic():
        case, opened = upload.case, upload.opened_case and upload.finished_at is None
        upload.delete()
        if opened:
            _drop_empty(case)
    upload.path.unlink(missing_ok=True)


def _drop_empty(case: Case) -> None:
    """The last of several files that were to be the first of a new case takes it along."""
    case.partial_uploads.filter(finished_at__isnull=True).update(opened_case=True)
    if not (case.partial_uploads.exists() or case.bundles.exists() or case.notes.exists()):
        case.delete()


def sweep() -> None:
    """Uploads whose end has come, and files that belong to none."""
    for upload in PartialUpload.objects.filter(ends_at__lt=timezone.now()).select_related("case").order_by("pk")[:SWEPT_AT_ONCE]:
        with suppress(DomainError, Http404):  # somebody sends just now, or it is gone by itself
            discard(upload)
    _remove_orphans()


def _remove_orphans() -> None:
    now = time.time()
    old = []
    for path in Path(settings.UPLOADS_DIR).glob("*"):
        with suppress(OSError):
            if now - path.stat().st_mtime > ORPHAN_S:
                old.append(path)
    kept = set(PartialUpload.objects.filter(name__in={path.stem for path in old}).values_list("name", flat=True))
    for path in old:
        if path.name not in kept:
            path.unlink(missing_ok=True)
