"""When the two ends of an arrow began to wait, with the error of their clocks: which of them was first, if that is
certain.

n14 ├──●──┤ n13              ├──●──┤        the bars do not touch: the order is certain
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.cases.page.wallclock import moment_text
from apps.web.templatetags.lockscope import duration
from parsers.dataclass import dataclass

WIDTH: Final = 600
LEFT: Final = 20
RIGHT: Final = 580
PRINTED_S: Final = 1.0
"""Dumps are timed to the second: the start of a wait is no finer than that."""
SECOND_US: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Bar:
    """One end: node, start on the common clock, and by how much that may be wrong; None is unknown."""

    node: str
    start: int
    error_s: float | None
    offset_s: float | None

    @property
    def ahead_words(self) -> str:
        """1.0 s behind."""
        offset = self.offset_s or 0.0
        return f"{duration(abs(offset))} {'ahead' if offset > 0 else 'behind'}"

    @property
    def reach_us(self) -> int:
        return round((self.error_s or 0.0) * SECOND_US)


def clock_bars(
    nodes: Sequence[Mapping[str, Any]], waiter: Mapping[str, Any] | None, beyond: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """For the template; None where one of the two starts is not known."""
    if waiter is None or beyond is None or waiter["start"] is None or beyond["start"] is None:
        return None
    is_one_clock = waiter["node"] == beyond["node"]
    bars = [_bar(nodes, row, is_one_clock=is_one_clock) for row in (waiter, beyond)]
    low = min(bar.start - bar.reach_us for bar in bars)
    high = max(bar.start + bar.reach_us for bar in bars)
    pad = max(SECOND_US, (high - low) // 8)
    low, high = low - pad, high + pad
    apart_s = abs(bars[1].start - bars[0].start) / SECOND_US
    errors = [bar.error_s for bar in bars]
    known = [error for error in errors if error is not None]
    return {
        "rows": [_drawn(bar, low, high, 22 + 30 * number) for number, bar in enumerate(bars)],
        "ticks": [{"x": _x(at, low, high), "text": moment_text(at).rsplit(" ", 1)[-1]} for at in _ticks(low, high)],
        "apart_s": apart_s,
        "error_s": sum(known) if len(known) == len(errors) else None,
        "is_certain": len(known) == len(errors) and apart_s > sum(known),
        "first": min(bars, key=lambda bar: bar.start).node,
        "corrected": [bar for bar in bars if bar.offset_s],
    }


def _bar(nodes: Sequence[Mapping[str, Any]], row: Mapping[str, Any], *, is_one_clock: bool) -> Bar:
    node = next((one for one in nodes if one["name"] == row["node"]), {})
    offset, error = node.get("clock_offset_s"), node.get("clock_error_s")
    if is_one_clock:
        return Bar(row["node"] or "node unknown", row["start"], PRINTED_S, None)
    corrected = row["start"] - round((offset or 0.0) * SECOND_US)
    return Bar(row["node"] or "node unknown", corrected, None if error is None else error + PRINTED_S, offset)


def _drawn(bar: Bar, low: int, high: int, y: int) -> dict[str, Any]:
    first, x, last = (_x(at, low, high) for at in (bar.start - bar.reach_us, bar.start, bar.start + bar.reach_us))
    is_right = x > WIDTH // 2
    return {
        "bar": bar,
        "x": x,
        "y": y,
        "first": first,
        "width": max(1, last - first),
        "last": last,
        "text_x": first - 8 if is_right else last + 8,
        "anchor": "is-end" if is_right else "is-start",
    }


def _x(at: int, low: int, high: int) -> int:
    return LEFT + round((at - low) / max(1, high - low) * (RIGHT - LEFT))


def _ticks(low: int, high: int) -> list[int]:
    return [low + (high - low) * part // 4 for part in range(5)]
