"""Copies of stored files on this machine's disk, for what has to be a path: facts and views, which are mapped and
scanned.

Stored files never change, so a copy is good for as long as it is there. What is used least goes when there are too many
bytes, and what nobody used for a day goes in any case: a case may have been removed by another machine.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from django.conf import settings

COPY_BYTES = 1 << 20
UNUSED_S = 24 * 3600
IN_USE_S = 600
"""A path that was handed out may be opened a moment later."""
LOOKED_AT_EVERY_S = 60


def folder() -> Path:
    return Path(settings.VAR_DIR) / "cache"


def path_of(name: str) -> Path:
    return folder() / name


def is_kept(path: Path) -> bool:
    """Notes that it is used."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def keep(path: Path, source: IO[bytes]) -> None:
    """All of it or nothing: it gets its name when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        with part.open("wb") as target:
            shutil.copyfileobj(source, target, COPY_BYTES)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    clean_seldom()


def forget(name: str) -> None:
    """A file, or with a slash at its end everything below."""
    if name.endswith("/"):
        shutil.rmtree(path_of(name), ignore_errors=True)
    else:
        path_of(name).unlink(missing_ok=True)


def clean_seldom() -> None:
    """At most once in a minute on a machine, whichever process comes first."""
    mark = folder() / ".cleaned"
    with suppress(FileNotFoundError):
        if time.time() - mark.stat().st_mtime < LOOKED_AT_EVERY_S:
            return
    mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    mark.touch()
    clean()


def clean() -> None:
    now = time.time()
    left = settings.CACHE_BYTES
    for path, used_at, size in sorted(_copies(), key=lambda copy: -copy[1]):
        left -= size
        age_s = now - used_at
        if age_s > UNUSED_S or (left < 0 and age_s > IN_USE_S):
            path.unlink(missing_ok=True)
    _remove_empty_folders()


def _copies() -> Iterator[tuple[Path, float, int]]:
    for path in folder().glob("cases/**/*"):
        with suppress(FileNotFoundError):
            found = path.stat()
            if path.is_file():
                yield path, found.st_mtime, found.st_size


def _remove_empty_folders() -> None:
    for path in sorted(folder().glob("cases/**/"), reverse=True):
        with suppress(OSError):  # not empty
            path.rmdir()
