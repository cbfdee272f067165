"""How much room the drawings of a page will take, so that nothing below them jumps when they are drawn.

The module in the browser lays them out for the real width; here the usual width of a desk and of a phone are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.diagnosis.pages.timeline.silences import FoldedAxis
from parsers.dataclass import dataclass

WIDE_PX: Final = 1220
NARROW_PX: Final = 300
ROWS: Final = 4
GAP_PX: Final = 4
LETTER_PX: Final = 6
FLAG_SIDES_PX: Final = 12
PIN_SIDES_PX: Final = 30
FLAG_NARROW_PX: Final = 20
RUN_PX: Final = 40
BAND_WORDS_PX: Final = 305
BAND_TIME_LETTERS: Final = 6
FLAGS_OF_MANY: Final = 5
FLAGS_OF_FEW: Final = 3
HEAT_ROWS: Final = 16
HEAT_STEP: Final = 4
HEAT_KEYS: Final = ["under 10 s", "1 m", "30 m and more"]
"""As in static/js/lib/heat.js, like the two above."""
CLASS_ORDER: Final = ("h", "g", "rw")
Spans = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LaneRoom:
    """The place of a lane: what stands at its left and how high it is, as names of classes."""

    id: str
    kind: str
    label: str
    sub: str
    keys: list[str]
    is_quiet: bool
    size: str


@dataclass(frozen=True, slots=True)
class Rooms:
    """Places of all lanes, and of what the head of their card will hold."""

    lanes: list[LaneRoom]
    has_node_menu: bool
    classes: str
    zone: str
    has_zone_switch: bool
    nodes: str = "all nodes"


def rooms(first: Mapping[str, Any]) -> Rooms:
    """Of the first answer of a timeline."""
    lanes, window = first["lanes"], first["window"]
    axis = FoldedAxis(window, first["folds"])
    mirrors = [lane for lane in lanes if lane["kind"] == "mirror"]
    seen = {part["class"] for lane in mirrors for bar in lane["bars"] for part in (*bar["up"], *bar["down"])}
    classes = [name for name in CLASS_ORDER if name in seen]
    return Rooms(
        [_room(lane, axis) for lane in lanes],
        len(mirrors) > 1,
        " ".join(classes) if len(classes) > 1 else "",
        window["zone"] or "as printed",
        window["offset_min"] is not None and window["dated"],
        _nodes(len(mirrors), first.get("lock_nodes", 0)),
    )


def _nodes(shown: int, known: int) -> str:
    return f"busiest {shown} of {known} nodes" if known > shown else "all nodes"


def _room(lane: Mapping[str, Any], axis: FoldedAxis) -> LaneRoom:
    series = lane.get("series", ())
    keys = [one["name"] for one in series] if lane["kind"] == "stack" or len(series) > 1 else []
    size = f"is-{lane['kind']}"
    if lane["kind"] == "heat":
        keys = HEAT_KEYS if lane["unit"] == "s" else []
        size += f" is-rows-{min(HEAT_ROWS, -(-len(lane['rows']) // HEAT_STEP) * HEAT_STEP)}"
    if "items" in lane:
        size += f" is-rows-{_rows(lane, axis, WIDE_PX)} is-narrow-rows-{_rows(lane, axis, NARROW_PX)}"
    return LaneRoom(lane["id"], lane["kind"], lane["label"], lane["sub"], keys, bool(lane.get("quiet")), size)


def _rows(lane: Mapping[str, Any], axis: FoldedAxis, width: int) -> int:
    """In how many rows boxes stand that may not overlap."""
    return packed(_spans(lane, axis, width))


def packed(spans: Sequence[tuple[float, float]]) -> int:
    """As packRows of static/js/lib/rows.js: each box goes into the first row where it fits."""
    ends: list[float] = []
    for left, right in spans:
        free = next((row for row, end in enumerate(ends) if left >= end + GAP_PX), None)
        if free is None and len(ends) < ROWS:
            ends.append(right)
        else:
            row = ends.index(min(ends)) if free is None else free
            ends[row] = max(ends[row], right)
    return max(1, len(ends))


def _spans(lane: Mapping[str, Any], axis: FoldedAxis, width: int) -> Spans:
    spans: Spans = []
    for item in lane["items"]:
        start, end = item.get("start", item.get("at")), item.get("end", item.get("at"))
        start, end = (end if start is None else start), (start if end is None else end)
        if start is None or end is None:
            continue
        left, right = (max(0.0, min(1.0, axis.place(at))) * width for at in (start, end))
        needs = _box_px(lane, item, width, right - left)
        spans.append((max(0.0, left - needs), left) if left + needs > width else (left, left + needs))
    return spans


def _box_px(lane: Mapping[str, Any], item: Mapping[str, Any], width: int, length: float) -> float:
    """Width of the box of an item."""
    if lane["kind"] == "runs":
        return max(RUN_PX, length)
    if lane["kind"] == "bands":
        if width == NARROW_PX:
            return length
        return length + min(BAND_WORDS_PX, LETTER_PX * (len(item["title"]) + BAND_TIME_LETTERS))
    words = LETTER_PX * (len(item["title"]) + (3 if item.get("more") else 0))
    if lane["kind"] == "notes":
        return min(width, words + PIN_SIDES_PX)
    if width == NARROW_PX:
        return FLAG_NARROW_PX
    flags = len(lane["items"])
    most = 170 if flags >= FLAGS_OF_MANY else 420 if flags <= FLAGS_OF_FEW else 260
    return min(most, words + FLAG_SIDES_PX)
