"""Pieces of an upload in a folder: a file, whose length is the offset.

The file is locked while bytes are added to it, so two tabs or two web processes can't both write. The lock goes with
the process that holds it, however that ends.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404

from apps.cases import storage
from apps.ingest.models import PartialUpload
from apps.ingest.uploads.pieces import BLOCK, HELD, Piece, next_block, not_stored, refuse_changed, sha256_of
from apps.web.errors import DomainError

logger = logging.getLogger(__name__)

ORPHAN_S = 3600
TAKEN_OVER = ".whole"


class WholeFile(UploadedFile[bytes]):
    """Lets the storage move the file instead of copying it."""

    def __init__(self, path: Path, size: int) -> None:
        super().__init__(path.open("rb"), path.name, size=size)
        self.path = path

    def temporary_file_path(self) -> str:
        return str(self.path)


@contextmanager
def held(upload: PartialUpload) -> Iterator[KeptInFolder]:
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
        yield KeptInFolder(upload, file)


class KeptInFolder:
    """``pieces.Kept``"""

    def __init__(self, upload: PartialUpload, file: Any) -> None:
        self._upload = upload
        self._path = upload.path
        self._file = file

    def take(self, piece: Piece) -> int:
        self._file.truncate(piece.at)
        check, taken = piece.check(), 0
        while taken < piece.length and (block := next_block(piece.stream, min(BLOCK, piece.length - taken))):
            self._write(block)
            if check is not None:
                check.digest.update(block)
            taken += len(block)
        if check is not None and not check.holds():
            self._file.truncate(piece.at)
        return 0 if refuse_changed(check, piece, taken) else taken

    def _write(self, block: bytes) -> None:
        try:
            written = self._file.write(block)
            if written != len(block):
                raise OSError(errno.ENOSPC, "the disk is full")
        except OSError as error:
            logger.exception("a piece of an upload could not be written")
            raise not_stored(error) from error

    def sha256(self) -> str:
        with self._path.open("rb") as file:
            return sha256_of(file)

    def store(self, prefix: str) -> str:
        """A second name of the file goes to the storage, the first stays until the rows are written: nothing is lost in
        between.
        """
        whole = self._path.with_suffix(TAKEN_OVER)
        whole.unlink(missing_ok=True)
        whole.hardlink_to(self._path)
        try:
            with WholeFile(whole, self._upload.size) as file:
                return storage.save_upload(prefix, file)
        finally:
            whole.unlink(missing_ok=True)

    def take_back(self, name: str) -> None:
        storage.delete(name)

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)


def sweep() -> None:
    """Files that belong to no upload."""
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
