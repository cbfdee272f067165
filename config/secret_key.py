"""The signing key of the embedded shape: made once, kept beside the database, readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def own_secret_key(path: Path) -> str:
    """Read the key, or make it; two processes that start together end up with the same one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path.read_text(encoding="ascii").strip() if path.exists() else _make(path)
    except OSError:
        # A read-only checkout can still run `manage.py analyze`; nothing that outlives the process is signed then,
        # because the database lives in the same directory.
        return secrets.token_urlsafe(48)


def _make(path: Path) -> str:
    """The file appears whole: it is written under another name and linked, and whoever links first has made the key."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(48))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii").strip()
