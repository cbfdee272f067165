"""The reference texts that stand beside the repository; no test names their place in another way."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]


def repository() -> Path:
    """The folder of the clone; a further work tree of it names that in a file ``.git``: ``gitdir:
    CLONE/.git/worktrees/NAME``.
    """
    link = ROOT / ".git"
    return Path(link.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).parents[2] if link.is_file() else ROOT


REFERENCES: Final = repository().parent / "shared"


def reference(*parts: str) -> Path:
    """A file or folder of the references. Skips the test that needs it, or the whole module, where it is not there."""
    path = REFERENCES.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(('../shared', *parts))} is not beside the repository", allow_module_level=True)
    return path


def article(name: str) -> Path:
    """A published text, or a skipped test."""
    return reference("articles", name)
