"""Uploads that come in pieces: begun, added to, taken over when whole, dropped when nobody goes on with them.

Where the pieces lie meanwhile, and how no two requests add to one upload, is the business of ``pieces_in_folder`` and
``pieces_in_store``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.cases import storage
from apps.cases.access import case_for
from apps.cases.lifetime.keeping import refuse_archived
from apps.cases.models import Bundle, Case
from apps.cases.services import create_case
from apps.ingest.leases import LeaseLostError
from apps.ingest.live import case_locked_first
from apps.ingest.models import PartialUpload
from apps.ingest.uploads import pieces_in_folder, pieces_in_store, receive
from apps.ingest.uploads.forms import NewCaseForm
from apps.ingest.uploads.pieces import ELSEWHERE, Kept, Piece
from apps.ingest.uploads.quota import refuse_over_quota
from apps.web.errors import DomainError
from parsers.archives.names import shown_name

UNFINISHED_MOST = 100
FINISHED_KEPT = timedelta(days=1)  # the second of two tabs still asks what became of it
SWEPT_AT_ONCE = 200

TOO_MANY = "Too many unfinished uploads. Finish or discard some of them on the upload page first."
LONGER = "More bytes than this upload was announced with."
DAMAGED = "The file changed on the way: its hash is not the announced one. Nothing of it was kept."
ENDED = "This upload was left for too long and has ended. Start it again."


def begin(user: User, fields: Mapping[str, str], *, size: int, metadata: str) -> PartialUpload:
    """For a case that is named, or for a new one that is made at once, so that files sent side by side meet in it."""
    receive.refuse_size(size)
    _refuse_many(user)
    in_store = storage.parts() is not None
    if not in_store:
        receive.refuse_without_room(Path(settings.UPLOADS_DIR), size)
    filename = shown_name(fields.get("filename", ""), settings.LIMITS.name_chars).shown
    with transaction.atomic():
        case = writable_case(user, fields["case"]) if fields.get("case") else _new_case(user, fields, filename)
        refuse_over_quota(case, size)
        upload = PartialUpload.objects.create(
            user=user,
            case=case,
            opened_case=not fields.get("case"),
            filename=filename,
            size=size,
            sha256=fields.get("sha256", ""),
            metadata=metadata,
            ends_at=_end(),
            part_bytes=pieces_in_store.part_bytes(size) if in_store else 0,
        )
    if size == 0:
        _take_over_empty(upload)
    return upload


def _take_over_empty(upload: PartialUpload) -> None:
    """No piece follows with which it could be tried again."""
    with _held(upload) as kept:
        try:
            _take_over(upload, kept)
        except DomainError:
            if upload.pk is not None:
                _drop(upload, kept)
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
def _held(upload: PartialUpload) -> Iterator[Kept]:
    """By one request at a time, or 423."""
    with pieces_in_store.held(upload) if upload.is_in_store else pieces_in_folder.held(upload) as kept:
        yield kept


def add(upload: PartialUpload, piece: Piece) -> tuple[int, Bundle | None]:
    """The offset behind the piece, and the bundle if it was the last one. Fewer bytes than announced mean a lost
    connection.
    """
    with _held(upload) as kept:
        if piece.at != upload.offset:
            raise DomainError(ELSEWHERE, status=409)
        if piece.length > upload.size - piece.at:
            raise DomainError(LONGER, status=413)
        if upload.finished_at is not None:
            return upload.size, None
        at = piece.at + kept.take(piece)
        PartialUpload.objects.filter(pk=upload.pk).update(ends_at=_end())
        if at < upload.size:
            return at, None
        return upload.size, _take_over(upload, kept)


def _take_over(upload: PartialUpload, kept: Kept) -> Bundle:
    """The pieces stay until the rows are written: nothing is lost in between."""
    sha256 = kept.sha256()
    if upload.sha256 and upload.sha256 != sha256:
        _drop(upload, kept)
        raise DomainError(DAMAGED, status=460)
    bundle = receive.store_file(
        upload.case,
        kept,
        filename=upload.filename,
        found=(upload.size, sha256),
        user=upload.user,
        note=partial(_note_finished, upload),
    )
    kept.forget()
    return bundle


def _note_finished(upload: PartialUpload, bundle: Bundle) -> None:
    now = timezone.now()
    upload.bundle, upload.finished_at, upload.ends_at = bundle, now, now + FINISHED_KEPT
    upload.stored = upload.multipart = upload.tail = ""
    upload.save(update_fields=["bundle", "finished_at", "ends_at", "stored", "multipart", "tail"])
    upload.parts.all().delete()


def discard(upload: PartialUpload) -> None:
    """What came of it goes, and the case that was made for it if nothing else is in that. A finished upload is only
    forgotten.
    """
    with _held(upload) as kept:
        _drop(upload, kept)


def _drop(upload: PartialUpload, kept: Kept) -> None:
    with suppress(LeaseLostError), case_locked_first(upload.case_id):
        case, opened = upload.case, upload.opened_case and upload.finished_at is None
        upload.delete()
        if opened:
            _drop_empty(case)
    kept.drop()


def _drop_empty(case: Case) -> None:
    """The last of several files that were to be the first of a new case takes it along."""
    case.partial_uploads.filter(finished_at__isnull=True).update(opened_case=True)
    if not (case.partial_uploads.exists() or case.bundles.exists() or case.notes.exists()):
        case.delete()


def sweep() -> None:
    """Uploads whose end has come, and what belongs to none."""
    for upload in (
        PartialUpload.objects.filter(ends_at__lt=timezone.now()).select_related("case").order_by("pk")[:SWEPT_AT_ONCE]
    ):
        with suppress(DomainError, Http404):  # somebody sends just now, or it is gone by itself
            discard(upload)
    pieces_in_folder.sweep()
    pieces_in_store.sweep()
