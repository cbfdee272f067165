"""Numbers and names as they stand in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from apps.diagnosis.engine.core.model import LockRole
from parsers.clock import format_instant

THIN_SPACE = "\u2009"


def count(value: float) -> str:
    """A whole number in groups of three."""
    return f"{round(value):,}".replace(",", THIN_SPACE)


def per_s(value: float) -> str:
    """A rate without its unit: whole from ten on, one decimal below."""
    return count(value) if value >= 10 else f"{value:.1f}"


def seconds(value: float) -> str:
    """A duration: ``0.0073 s``, ``28.0 s``, ``2 m 43 s``, ``3 h 05 m``."""
    if value < 1:
        return f"{value:.4f} s"
    if value < 120:
        return f"{value:.1f} s"
    if value < 7200:
        return f"{int(value // 60)} m {int(value % 60):02d} s"
    return f"{int(value // 3600)} h {int(value % 3600 // 60):02d} m"


def moment(us: int) -> str:
    """``2024-11-06 09:15:11``, or ``09:15:11`` where the date is not known; the clock as printed."""
    return (format_instant(us // 1_000_000 * 1_000_000) or "").replace("T", " ")


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 waiter``, ``2 waiters``."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str], most: int = 4) -> str:
    """``a, b and c``; a long list is cut and says by how much."""
    items = list(words)
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def names(roles: Iterable[LockRole]) -> tuple[str, ...]:
    """Known node names of samples, each once, sorted."""
    return tuple(sorted({role.node for role in roles if role.node}))
