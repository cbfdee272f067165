"""Stretches of a window in which no lane shows anything. The page folds them, and buckets are as wide as the time that
stays asks for.

The same is computed by static/js/lib/fold.js while a reader moves the window; tests/js/silences.json holds both to one
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from django.http import QueryDict

from parsers.dataclass import dataclass

SHARE: Final = 0.12
"""Of the time shown: what is quiet for less stays."""
EDGE: Final = 0.7
"""The same before the first and after the last data of a window that somebody chose: it ends there on purpose."""
RARE: Final = 6
"""Times the usual pause between two data: else captures taken every ten minutes would be folds and nothing else."""
LEAST_US: Final = 60_000_000
MARGIN: Final = 0.01
LEAST_MARGIN_US: Final = 15_000_000
FOLD_SHARE: Final = 0.028
ALL_FOLDS_SHARE: Final = 0.4
OPENED_MOST: Final = 40
SECOND_US: Final = 1_000_000
DIGITS: Final = 12
Fold = dict[str, int]
"""{start, end} in microseconds."""
Opened = tuple[tuple[int, int], ...]
"""Stretches that the reader has unfolded."""


@dataclass(frozen=True, slots=True)
class _Gap:
    start: int
    end: int
    at_start: bool = False
    at_end: bool = False

    @property
    def length(self) -> int:
        return self.end - self.start


def opened_from(query: QueryDict) -> Opened:
    """``open=1739198000-1739283000,...`` in seconds; one number is a moment in the stretch. What is malformed is left
    out.
    """
    found = []
    for part in query.get("open", "").split(",")[:OPENED_MOST]:
        first, _, last = part.partition("-")
        if all(one.isascii() and one.isdigit() and len(one) <= DIGITS for one in (first, last or first)):
            found.append((int(first) * SECOND_US, int(last or first) * SECOND_US))
    return tuple(found)


def silences(moments: pl.DataFrame, start: int, end: int, opened: Opened = (), *, is_chosen: bool = True) -> list[Fold]:
    """Of a window with data in these stretches (columns start and end). The window of a whole case is not chosen by
    anybody.
    """
    gaps = [gap for gap in _gaps(moments, start, end) if not _is_opened(gap, opened)]
    usual = _usual(moments, start, end)
    length = shown = end - start
    folded: list[_Gap] = []
    while True:
        more = [gap for gap in gaps if _is_long(gap, length, shown, usual, is_chosen=is_chosen)]
        if len(more) == len(folded):
            break
        folded = more
        shown = max(LEAST_US, length - sum(gap.length for gap in folded))
    pad = max(LEAST_MARGIN_US, round(shown * MARGIN))
    return [
        {"start": gap.start + (0 if gap.at_start else pad), "end": gap.end - (0 if gap.at_end else pad)}
        for gap in folded
        if gap.length > 2 * pad
    ]


def _spans(moments: pl.DataFrame, start: int, end: int) -> tuple[Any, Any]:
    """Beginnings in order, and up to which moment there was data at each."""
    seen = moments.filter((pl.col("end") >= start) & (pl.col("start") <= end)).sort("start", "end")
    return seen["start"].to_numpy(), np.maximum.accumulate(seen["end"].to_numpy()) if seen.height else seen[
        "end"
    ].to_numpy()


def _gaps(moments: pl.DataFrame, start: int, end: int) -> list[_Gap]:
    begins, until = _spans(moments, start, end)
    if not len(begins):
        return []
    inner = np.flatnonzero(begins[1:] - until[:-1] >= LEAST_US)
    return [
        _Gap(start, int(begins[0]), at_start=True),
        *(_Gap(int(until[i]), int(begins[i + 1])) for i in inner),
        _Gap(int(until[-1]), end, at_end=True),
    ]


def _usual(moments: pl.DataFrame, start: int, end: int) -> int:
    """Median pause between two data."""
    begins, until = _spans(moments, start, end)
    pauses = np.sort(np.maximum(begins[1:] - until[:-1], 0))
    return int(pauses[(len(pauses) - 1) // 2]) if len(pauses) else 0


def _is_long(gap: _Gap, length: int, shown: int, usual: int, *, is_chosen: bool) -> bool:
    if is_chosen and (gap.at_start or gap.at_end):
        return gap.length >= LEAST_US and gap.length > EDGE * shown
    return gap.length >= max(LEAST_US, SHARE * length) or gap.length >= max(LEAST_US, SHARE * shown, RARE * usual)


def _is_opened(gap: _Gap, opened: Opened) -> bool:
    return any(first <= gap.end + SECOND_US and last >= gap.start - SECOND_US for first, last in opened)


def shown_us(start: int, end: int, folds: Iterable[Fold]) -> int:
    """How much of a window is to scale."""
    return max(1, end - start - sum(fold["end"] - fold["start"] for fold in folds))


class FoldedAxis:
    """Moments as shares of the width, as static/js/lib/axis.js places them: a fold has a small share whatever its
    length.
    """

    def __init__(self, window: Mapping[str, Any], folds: Sequence[Fold]) -> None:
        self._pieces: list[tuple[int, int, float, float]] = []
        at, place = window["start"], 0.0
        share = min(FOLD_SHARE, ALL_FOLDS_SHARE / len(folds)) if folds else 0.0
        scale = (1 - share * len(folds)) / shown_us(window["start"], window["end"], folds)
        for fold in (*folds, {"start": window["end"], "end": window["end"]}):
            for to, width in ((fold["start"], (fold["start"] - at) * scale), (fold["end"], share)):
                if to > at:
                    self._pieces.append((at, to, place, place + width))
                    at, place = to, place + width

    def place(self, at: int) -> float:
        """From 0 to 1 inside the window, beyond it to the scale of its ends."""
        if not self._pieces:
            return 0.0
        begins, ends, low, high = next((piece for piece in reversed(self._pieces) if at >= piece[0]), self._pieces[0])
        return low + (at - begins) / (ends - begins) * (high - low)
