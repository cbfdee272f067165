"""Files of cases in Django's storage: bundles, texts, facts. Names are made here; nothing of a customer's path is in
them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast
from uuid import uuid4

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from apps.cases.storage import local_copies

if TYPE_CHECKING:
    from apps.cases.storage.s3_parts import Parts

COPY_BYTES = 1 << 20


def case_prefix(case_id: int) -> str:
    """Everything stored for a case lies below this, with a slash at its end."""
    return f"cases/{case_id}/"


def windows_prefix(case_id: int, artifact_id: int) -> str:
    """What was read of a huge file in windows lies below this, until they are joined."""
    return f"{case_prefix(case_id)}windows/{artifact_id}/"


def save(prefix: str, content: IO[bytes], *, suffix: str = "") -> str:
    """Store the rest of the stream under a fresh name below the prefix; the name comes back."""
    return _storage().save(f"{prefix}{uuid4().hex}{suffix}", File(content))


def save_upload(prefix: str, upload: UploadedFile[bytes]) -> str:
    """Like ``save``; an upload that lies in a temporary file on the same disk is moved, not copied."""
    storage = _storage()
    name = storage.save(f"{prefix}{uuid4().hex}", upload)
    if isinstance(storage, FileSystemStorage):
        os.utime(storage.path(name))  # a file that was moved may look old, and its row is still to be written
    return name


def save_as(name: str, content: IO[bytes]) -> None:
    """Store under a name that is ours and not taken: parts of one set of facts keep their names."""
    taken = _storage().save(name, File(content))
    if taken != name:
        _storage().delete(taken)
        raise FileExistsError(name)


def open_file(name: str) -> IO[bytes]:
    return cast("IO[bytes]", _storage().open(name, "rb"))


def size(name: str) -> int:
    return _storage().size(name)


def is_older(name: str, age: timedelta) -> bool:
    """Whether a file was written longer ago than that; one that is gone by now is not."""
    try:
        return _storage().get_modified_time(name) < timezone.now() - age
    except FileNotFoundError:
        return False


def exists(name: str) -> bool:
    return _storage().exists(name)


def holds(name: str, size: int) -> bool:
    """Whether a stored file is there with all its bytes; what a storage that is away has can't be counted on."""
    try:
        return bool(name) and _storage().size(name) == size
    except OSError:
        return False


def is_intact(name: str, size: int, sha256: str) -> bool:
    """Whether a stored file is there with just these bytes. All of it is read."""
    if not holds(name, size):
        return False
    digest = hashlib.sha256()
    try:
        with open_file(name) as file:
            while block := file.read(COPY_BYTES):
                digest.update(block)
    except OSError:
        return False
    return digest.hexdigest() == sha256


def delete(name: str) -> None:
    """No error where it is gone already: a removal that was interrupted is simply done again."""
    if name:
        _storage().delete(name)
        local_copies.forget(name)


def listing(prefix: str) -> list[str]:
    """Names of the files directly below a prefix, sorted; empty where there is no such prefix."""
    try:
        _, files = _storage().listdir(prefix.rstrip("/"))
    except FileNotFoundError:
        return []
    return sorted(f"{prefix.rstrip('/')}/{name}" for name in files)


def folders(prefix: str) -> list[str]:
    """Prefixes directly below a prefix, each with its slash, sorted."""
    try:
        found, _ = _storage().listdir(prefix.rstrip("/"))
    except FileNotFoundError:
        return []
    return sorted(f"{prefix.rstrip('/')}/{name}/" for name in found)


def delete_prefix(prefix: str) -> None:
    """Remove every file below a prefix, and on a file system the empty folders too."""
    if not prefix.strip("/"):
        raise ValueError("a prefix is needed")
    storage = _storage()
    local_copies.forget(f"{prefix.rstrip('/')}/")  # also where files lie on a disk now: they may have lain elsewhere
    if isinstance(storage, FileSystemStorage):
        shutil.rmtree(storage.path(prefix), ignore_errors=True)
        return
    if (at_once := getattr(storage, "delete_prefix", None)) is not None:
        at_once(prefix)
    else:
        _delete_listed(storage, prefix.rstrip("/"))


def _delete_listed(storage: Storage, folder: str) -> None:
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        storage.delete(f"{folder}/{name}")
    for name in folders:
        _delete_listed(storage, f"{folder}/{name}")


def folder() -> Path | None:
    """The folder of all stored files; None where they are in an object store."""
    storage = _storage()
    return Path(storage.location) if isinstance(storage, FileSystemStorage) else None


def parts() -> Parts | None:
    """Where files can be put together in the storage itself, piece by piece; None where they are on a disk."""
    found: Parts | None = getattr(_storage(), "parts", None)
    return found


def local_path(name: str) -> Path:
    """A path that can be opened or mapped: the stored file itself, or a copy in the local cache (stored files never
    change).

    A prefix, with its slash, gives a folder with the files directly below it.
    """
    storage = _storage()
    if isinstance(storage, FileSystemStorage):
        return Path(storage.path(name))
    cached = local_copies.path_of(name)
    if name.endswith("/"):
        for part in listing(name):
            local_path(part)
    elif not local_copies.is_kept(cached):
        with storage.open(name, "rb") as source:
            local_copies.keep(cached, cast("IO[bytes]", source))
    return cached


def _storage() -> Storage:
    """Asked for each time: tests put another one in its place."""
    return storages["default"]
