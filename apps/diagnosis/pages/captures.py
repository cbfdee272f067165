"""Captures of locks as pages draw them: the waiters of each as a bar, and who holds a lock as a strip of squares."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from apps.cases.page.wallclock import moment_text

CHART: Final = (600, 150)
BARS_MOST: Final = 60
STRIP_MOST: Final = 40
STATES: Final = ("stuck", "moving", "first seen")


def chart(captures: pl.DataFrame | None, zone: str) -> dict[str, Any] | None:
    """Stacked bars, one for each capture, as shapes of an SVG of a fixed size."""
    if captures is None or captures.is_empty():
        return None
    tally: dict[tuple[str, int], dict[str, Any]] = {}
    for row in captures.sort("at", "round", nulls_last=True).iter_rows(named=True):
        one = tally.setdefault(
            (row["scope"] or "", row["round"]), {"at": row["at"], "scope": row["scope"], **dict.fromkeys(STATES, 0)}
        )
        one[row["state"]] += row["waiters"]
    bars = list(tally.values())[-BARS_MOST:]
    most = max(sum(bar[state] for state in STATES) for bar in bars) or 1
    width, height = CHART
    step = width / len(bars)
    for number, bar in enumerate(bars):
        bar["time"] = moment_text(bar["at"], zone)
        bar["total"] = sum(bar[state] for state in STATES)
        bar["counts"] = [(state, bar[state]) for state in STATES]
        bar["shapes"] = _stack(bar, number * step + step * 0.1, step * 0.8, height / most)
    return {"bars": bars, "most": most, "width": width, "height": height}


def _stack(bar: dict[str, Any], x: float, width: float, scale: float) -> list[dict[str, Any]]:
    shapes, top = [], float(CHART[1])
    for state in STATES:
        size = bar[state] * scale
        top -= size
        if size:
            shapes.append(
                {
                    "state": state.replace(" ", "-"),
                    "x": round(x, 1),
                    "y": round(top, 1),
                    "width": round(width, 1),
                    "height": round(size, 1),
                }
            )
    return shapes


def strip(captures: list[dict[str, Any]], hues: dict[str, int], zone: str) -> list[dict[str, Any]]:
    """Squares of the last captures: joined to the one before while the same process holds."""
    squares = []
    before = None
    for number, capture in enumerate(captures, start=1):
        joined = capture["who"] is not None and capture["who"] == before
        before = capture["who"]
        shown = {"time": moment_text(capture.get("at"), zone), "hue": hues.get(capture["node"] or "")}
        squares.append({"number": number, "is_joined": joined, **shown, **capture})
    return squares[-STRIP_MOST:]
