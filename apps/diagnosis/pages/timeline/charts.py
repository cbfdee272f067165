"""The lanes of a case as still pictures: shapes of an SVG, for paper and for readers without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import log10
from typing import Any, Final

from django.http import QueryDict

from apps.cases.models import Case, Note
from apps.cases.page.wallclock import moment_text
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import case_zone
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from apps.diagnosis.pages.timeline.silences import FoldedAxis
from apps.web.templatetags.lockscope import amount, duration
from parsers.dataclass import dataclass

WIDTH: Final = 900
HEIGHT: Final = 64
LOCK_CLASSES: Final = {"h": 1.0, "g": 0.62, "rw": 0.36}
LEAST_LOG: Final = 0.1
BREAK_STEPS: Final = 3
Shape = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chart:
    """One lane: its shapes, what its highest point means, and the same in words."""

    label: str
    sub: str
    most: str
    shapes: list[Shape]
    start: str
    end: str
    words: str
    width: int = WIDTH
    height: int = HEIGHT


HUES: Final = {"stuck": "3", "moving": "2", "first seen": "1", "critical": "3", "high": "4", "low": "1"}
"""Series that are no category are drawn in the colour of one."""


def charts(case: Case, diagnosis: Diagnosis) -> list[Chart]:
    """Lanes over the whole case that have an amount: waiters, longest wait, lock traffic."""
    window = window_from(QueryDict(f"width={WIDTH}"), diagnosis)
    data = timeline(case, diagnosis, window, line_url=lambda artifact, line: None, notes=Note.objects.none())
    zone = case_zone(case)
    ends = moment_text(window.start, zone), moment_text(window.end, zone)
    axis = FoldedAxis(data["window"], data["folds"])
    bucket_us = data["bucket_us"]
    drawn = []
    for lane in data["lanes"]:
        make = DRAWERS.get(lane["kind"])
        if make is None or lane.get("quiet"):
            continue
        most, shapes = make(lane, axis, bucket_us)
        if shapes:
            shown = duration(most) if lane["unit"] == "s" else f"{amount(round(most, 2))} {lane['unit']}".strip()
            drawn.append(Chart(lane["label"], lane["sub"], shown, shapes, *ends, f"{lane['label']}: at most {shown}"))
    return drawn


def _stack(lane: dict[str, Any], axis: FoldedAxis, bucket_us: int) -> tuple[float, list[Shape]]:
    """Waiters by category, one column for each bucket."""
    buckets = lane["buckets"]
    sums = [sum(series["values"][i] or 0 for series in lane["series"]) for i in range(len(buckets))]
    most = max(sums, default=0)
    until = lane.get("ends") or [at + bucket_us for at in buckets]
    places = [(axis.place(at) * WIDTH, axis.place(end) * WIDTH) for at, end in zip(buckets, until, strict=True)]
    shapes = []
    tops = [float(HEIGHT)] * len(buckets)
    for series in lane["series"]:
        hue = f"is-category-{HUES.get(series['key'], series['key'])}"
        for i, value in enumerate(series["values"]):
            if value and most:
                size = HEIGHT * value / most
                tops[i] -= size
                left, right = places[i]
                shapes.append(_rect(hue, left, tops[i], max(0.6, right - left), size))
    return float(most), shapes


def _line(lane: dict[str, Any], axis: FoldedAxis, bucket_us: int) -> tuple[float, list[Shape]]:
    """Each series as a line; it breaks where there is no sample. A log scale starts at a tenth."""
    values = [value for series in lane["series"] for value in series["values"] if value is not None]
    most = max(values, default=0.0)
    if not most:
        return 0.0, []
    is_log = lane.get("scale") == "log" and most > 10 * LEAST_LOG
    shapes: list[Shape] = []
    for series in lane["series"]:
        hue = f" is-node-{series['node'] % 8}" if series.get("node") is not None else ""
        for points in _stretches(lane["buckets"], series["values"]):
            path = " ".join(
                f"{axis.place(at) * WIDTH:.1f},{HEIGHT - _height(value, most, is_log=is_log):.1f}"
                for at, value in points
            )
            shapes.append({"tag": "polyline", "name": f"line{hue}", "points": path})
    return most, shapes


def _height(value: float, most: float, *, is_log: bool) -> float:
    if is_log:
        return HEIGHT * max(0.0, log10(max(value, LEAST_LOG) / LEAST_LOG) / log10(most / LEAST_LOG))
    return HEIGHT * value / most


def _stretches(buckets: list[int], values: list[float | None]) -> Iterator[list[tuple[int, float]]]:
    """Samples of one series; the line breaks where they stay away for more than three of their usual steps."""
    known = [(at, value) for at, value in zip(buckets, values, strict=True) if value is not None]
    steps = sorted(after[0] - before[0] for before, after in pairwise(known))
    longest = BREAK_STEPS * steps[len(steps) // 2] if steps else 0
    run: list[tuple[int, float]] = []
    for point in known:
        if run and point[0] - run[-1][0] > longest:
            yield run
            run = []
        run.append(point)
    if run:
        yield run


def _mirror(lane: dict[str, Any], axis: FoldedAxis, bucket_us: int) -> tuple[float, list[Shape]]:
    """Grants above the middle, revokes below it."""
    most = max(
        (sum(part["value"] for part in bar[side]) for bar in lane["bars"] for side in ("up", "down")), default=0.0
    )
    shapes: list[Shape] = []
    for bar in lane["bars"] if most else ():
        x, to = axis.place(bar["start"]) * WIDTH, axis.place(bar["end"]) * WIDTH
        width = max(0.6, to - x)
        for side in ("up", "down"):
            reach = 0.0
            for part in bar[side]:
                size = HEIGHT / 2 * part["value"] / most
                y = HEIGHT / 2 - reach - size if side == "up" else HEIGHT / 2 + reach
                reach += size
                shapes.append(
                    _rect(f"is-node-{lane['node'] % 8}", x, y, width, size) | {"opacity": LOCK_CLASSES[part["class"]]}
                )
    return most, shapes


def _rect(name: str, x: float, y: float, width: float, height: float) -> Shape:
    return {
        "tag": "rect",
        "name": name,
        "x": f"{x:.1f}",
        "y": f"{y:.1f}",
        "width": f"{width:.1f}",
        "height": f"{height:.1f}",
        "opacity": 1,
    }


DRAWERS: Final = {"stack": _stack, "line": _line, "mirror": _mirror}
