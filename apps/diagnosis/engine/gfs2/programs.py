"""What programs do, by their names: ``knowledge/gfs2/programs.toml``."""

from __future__ import annotations

from typing import Final

from apps.diagnosis.engine.core.words.knowledge import rows_of

_ROWS: Final = rows_of("programs")
WALKS: Final[tuple[str, ...]] = tuple(_ROWS["walks"]["names"])
COPIES: Final[tuple[str, ...]] = tuple(_ROWS["copies"]["names"])
LOCK_THREADS: Final[tuple[str, ...]] = tuple(_ROWS["lock-threads"]["names"])
_MAIL: Final[tuple[str, ...]] = tuple(_ROWS["mail"]["names"])
MAIL: Final[tuple[str, ...]] = (*_MAIL, *_ROWS["mail"]["whole_names"])


def handles_mail(command: str) -> bool:
    """Whether a program is one of mail, or has the name of one within its own."""
    return command in MAIL or any(name in command for name in _MAIL)


def walks_or_copies(command: str) -> bool:
    """Whether a program goes through a tree, as backups do."""
    return command in WALKS or command in COPIES or command.startswith("backup")
