"""Pieces of an upload in the object store, so that any web machine goes on with it: parts of the object that it will
be, and what does not fill a part yet as a small object of its own.

Offset and parts stand in the row and move together, when their bytes are in the store. A request holds the row by a
lease; what one that lost it still sends is a part whose mark no row names, and such a part cannot be joined.
"""

from __future__ import annotations

import io
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.db import models, transaction
from django.http import Http404
from django.utils import timezone

from apps.cases import storage
from apps.cases.storage.s3_parts import Parts
from apps.ingest import leases
from apps.ingest.models import PartialUpload, UploadedPart
from apps.ingest.uploads.pieces import BLOCK, ELSEWHERE, HELD, Piece, next_block, not_stored, refuse_changed, sha256_of
from apps.web.errors import DomainError

logger = logging.getLogger(__name__)

PART_BYTES = 8 << 20
PARTS_MOST = 9_000  # stores take ten thousand
LEASE_S = 15  # whose process is gone, is free again after so long
TAILS = "uploads/"
SETTLED = timedelta(hours=1)
SWEPT_EVERY_S = 3600
AWAY = "This upload lies in a store of files that is not in use any more. Start it again."

Rows = models.QuerySet[PartialUpload]


def part_bytes(size: int) -> int:
    """So that the file has no more parts than a store takes."""
    return max(PART_BYTES, -(-size // PARTS_MOST))


@contextmanager
def held(upload: PartialUpload) -> Iterator[KeptInStore]:
    """By a lease in the row, renewed meanwhile; the row as it is under the lease."""
    parts = storage.parts()
    if parts is None:
        raise DomainError(AWAY, status=410)
    rows = PartialUpload.objects.filter(pk=upload.pk)
    seconds = min(LEASE_S, settings.LIMITS.lease_s)
    holder = leases.hold(rows.filter(leases.is_free()), seconds)
    if holder is None:
        if not rows.exists():
            raise Http404
        raise DomainError(HELD, status=423)
    ours = rows.filter(lease_by=holder)
    upload.refresh_from_db()
    try:
        with leases.renewed(rows, holder, seconds=seconds) as check:
            yield KeptInStore(upload, ours, parts, check)
    except leases.LeaseLostError:
        raise DomainError(HELD, status=423) from None
    finally:
        ours.update(lease_by="", lease_until=None)


class KeptInStore:
    """``pieces.Kept``"""

    def __init__(self, upload: PartialUpload, ours: Rows, parts: Parts, check: leases.Check) -> None:
        self._upload = upload
        self._ours = ours
        self._parts = parts
        self._check_lease = check
        self._fresh: list[UploadedPart] = []
        self._begun = (upload.stored, upload.multipart)
        self._is_joined = self._is_taken = False

    def take(self, piece: Piece) -> int:
        if self._upload.received == self._upload.size:
            return self._again(piece)
        with self._storing(), TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as spool:
            return self._taken(piece, spool)

    def _again(self, piece: Piece) -> int:
        """The last byte is there; it was asked for only so that the taking over is tried once more."""
        check = piece.check()
        came = next_block(piece.stream, piece.length) if piece.length else b""
        if check is not None:
            check.digest.update(came)
        return 0 if refuse_changed(check, piece, len(came)) else len(came)

    def _taken(self, piece: Piece, spool: IO[bytes]) -> int:
        check, at = piece.check(), piece.at
        end, room = piece.at + piece.length, self._upload.part_bytes - self._fetch_tail(spool)
        while at < end and (block := next_block(piece.stream, min(BLOCK, end - at, room))):
            spool.write(block)
            if check is not None:
                check.digest.update(block)
            at, room = at + len(block), room - len(block)
            if not room:
                self._put(spool, at)
                room = self._upload.part_bytes
                if check is None:
                    self._note(at)
        if refuse_changed(check, piece, at - piece.at):
            return 0
        if at > self._upload.received:
            self._end(spool, at)
        return at - piece.at

    def _fetch_tail(self, spool: IO[bytes]) -> int:
        """How many bytes wait for their part to be full."""
        if self._upload.tail:
            with storage.open_file(self._upload.tail) as tail:
                shutil.copyfileobj(tail, spool, BLOCK)
        return spool.tell()

    def _put(self, spool: IO[bytes], at: int) -> None:
        """The part that ends there. Its number follows from its place, so the same bytes come under the same number."""
        self._check_lease()
        name, multipart = self._begun if self._begun[1] else self._begin()
        number = -(-at // self._upload.part_bytes)
        spool.seek(0)
        mark = self._parts.put(name, multipart, number, spool)
        self._fresh.append(UploadedPart(upload=self._upload, number=number, mark=mark))
        spool.seek(0)
        spool.truncate()

    def _begin(self) -> tuple[str, str]:
        """Noted at once: what no row names is swept."""
        name = f"{storage.case_prefix(self._upload.case_id)}bundles/{uuid4().hex}"
        self._begun = (name, self._parts.begin(name))
        self._write(stored=name, multipart=self._begun[1])
        return self._begun

    def _end(self, spool: IO[bytes], at: int) -> None:
        """What does not fill a part is a part only at the end of the file."""
        tail = ""
        if spool.tell() and at == self._upload.size:
            self._put(spool, at)
        elif spool.tell():
            spool.seek(0)
            tail = storage.save(self._tails, spool)
        self._note(at, tail)

    def _note(self, at: int, tail: str = "") -> None:
        before = self._upload.tail
        with transaction.atomic():
            self._write(received=at, tail=tail)
            UploadedPart.objects.bulk_create(self._fresh)
        self._fresh.clear()
        storage.delete(before)

    def _write(self, **values: int | str) -> None:
        if not self._ours.update(**values):
            raise leases.LeaseLostError
        for name, value in values.items():
            setattr(self._upload, name, value)

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            logger.exception("the store lost pieces of an upload")
            self._begin_anew()
            raise DomainError(ELSEWHERE, status=409) from None
        except OSError as error:
            logger.exception("a piece of an upload could not be stored")
            raise not_stored(error) from error

    def _begin_anew(self) -> None:
        """The sender learns that the upload is at its first byte."""
        with transaction.atomic():
            self._write(received=0, tail="", stored="", multipart="")
            self._upload.parts.all().delete()
        self.forget()

    def sha256(self) -> str:
        """Parts can be read once they are joined."""
        if self._upload.size == 0:
            return sha256_of(io.BytesIO())
        with self._storing(), storage.open_file(self._joined()) as file:
            return sha256_of(file, self._check_lease)

    def store(self, prefix: str) -> str:
        """It stays where it was joined."""
        if self._upload.size == 0:
            return storage.save(prefix, io.BytesIO())
        with self._storing():
            name = self._joined()
        self._is_taken = True
        return name

    def _joined(self) -> str:
        """Joined where it lies. A process may have ended after it had done so."""
        name, multipart = self._begun
        if not self._is_joined:
            with suppress(FileNotFoundError):
                self._parts.join(
                    name, multipart, list(self._upload.parts.order_by("number").values_list("mark", flat=True))
                )
            if storage.size(name) != self._upload.size:
                raise FileNotFoundError(name)
        self._is_joined = True
        return name

    def take_back(self, name: str) -> None:
        """Its parts are gone, so it stays for another try."""
        if self._upload.size == 0:
            storage.delete(name)

    def forget(self) -> None:
        """What cannot be removed now is swept. A whole that nobody took is one that the case had already."""
        name, multipart = self._begun
        with _left_to_sweep():
            if self._is_joined and not self._is_taken:
                storage.delete(name)
            elif multipart:
                self._parts.abandon(name, multipart)
            storage.delete_prefix(self._tails)

    def drop(self) -> None:
        self.forget()
        if self._upload.finished_at is None:
            with _left_to_sweep():
                storage.delete(self._begun[0])

    @property
    def _tails(self) -> str:
        return f"{TAILS}{self._upload.name}/"


@contextmanager
def _left_to_sweep() -> Iterator[None]:
    try:
        yield
    except OSError:
        logger.exception("pieces of an upload could not be removed")


def sweep() -> None:
    """What belongs to no upload, once in an hour: listing a store costs."""
    parts = storage.parts()
    if parts is None or not cache.add("swept:pieces", 1, timeout=SWEPT_EVERY_S):
        return
    with _left_to_sweep():
        _sweep_tails()
        _sweep_begun(parts)


def _sweep_tails() -> None:
    for folder in storage.folders(TAILS):
        kept = PartialUpload.objects.filter(name=folder.split("/")[1]).values_list("tail", flat=True).first()
        for name in storage.listing(folder):
            if name != kept and storage.is_older(name, SETTLED):
                storage.delete(name)


def _sweep_begun(parts: Parts) -> None:
    before = timezone.now() - SETTLED
    for begun in parts.unfinished("cases/"):
        if begun.at < before and not PartialUpload.objects.filter(multipart=begun.number).exists():
            with suppress(FileNotFoundError):
                parts.abandon(begun.name, begun.number)
