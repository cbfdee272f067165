"""How large the drawing of a wait graph will be, before the browser has laid it out: its boxes in columns, with room
for the arrows.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any, Final

from parsers.dataclass import dataclass

BOX: Final = (132, 54)
GROUP: Final = (208, 66)
PAD_PX: Final = 2 * 24
SIDES_PX: Final = 2 * 17
GAP_PX: Final = 26
BADGE_PX: Final = 30
LABEL_PX: Final = 34
CROSSING_PX: Final = 28
BENDS: Final = 1.25
"""Arrows over several columns keep boxes from standing close together."""
COLUMN_GAP_PX: Final = 28
LETTER_PX: Final = 6.2
LABEL_LETTERS: Final = 24
FRAME_PX: Final = 956
NARROW_FRAME_PX: Final = 356
LEAST_SCALE: Final = 0.8
STEP_PX: Final = 40
LEAST_STEPS: Final = 3
STEPS: Final = 18
Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GraphRoom:
    """The steps of 40 pixels that the drawing is high: on a desk and on a phone."""

    steps: int
    narrow_steps: int


def graph_room(drawing: Mapping[str, Any], frame: int | None = None) -> GraphRoom:
    """Of what static/js/modules/wait-graph.js is given; in a frame of a width, or in the one of its own page."""
    boxes, links = _shown(drawing)
    columns = _columns(set(boxes), set(links))
    width, height = (
        _width(boxes, links, columns),
        _height(boxes, links, columns, has_root=any(box.get("root") for box in drawing["boxes"])),
    )
    place = frame or FRAME_PX
    return GraphRoom(_steps(width, height, place), _steps(width, height, NARROW_FRAME_PX))


def _steps(width: float, height: float, frame: int) -> int:
    scale = max(LEAST_SCALE, min(1.0, (frame - SIDES_PX) / width))
    return max(LEAST_STEPS, min(STEPS, -(-round(height * scale + SIDES_PX) // STEP_PX)))


def _shown(drawing: Mapping[str, Any]) -> tuple[dict[str, tuple[int, int]], dict[Link, int]]:
    """Sizes of the boxes, closed groups as one, and letters of the words at each arrow."""
    group_of = {
        name: group["id"]
        for group in drawing["groups"]
        if group["id"] not in drawing["opened"]
        for name in group["members"]
    }
    boxes = {group_of.get(box["id"], box["id"]): GROUP if box["id"] in group_of else BOX for box in drawing["boxes"]}
    links: dict[Link, int] = {}
    for arrow in drawing["arrows"]:
        link = group_of.get(arrow["from"], arrow["from"]), group_of.get(arrow["to"], arrow["to"])
        if link[0] != link[1]:
            links[link] = max(links.get(link, 0), min(LABEL_LETTERS, len(arrow["label"] or "") + 3))
    return boxes, links


def _columns(names: set[str], links: set[Link]) -> dict[str, int]:
    """Column of each box counted from the ends of the chains; what is left of a circle stands before the rest."""
    waiting: dict[str, int] = dict.fromkeys(names, 0)
    into: dict[str, list[str]] = defaultdict(list)
    for frm, to in links:
        waiting[frm] += 1
        into[to].append(frm)
    column = dict.fromkeys(names, 0)
    queue = deque(name for name in names if not waiting[name])
    while queue:
        name = queue.popleft()
        for frm in into[name]:
            column[frm] = max(column[frm], column[name] + 1)
            waiting[frm] -= 1
            if not waiting[frm]:
                queue.append(frm)
    left = sorted(name for name in names if waiting[name])
    return column | {name: column[name] + number for number, name in enumerate(left)}


def _width(boxes: Mapping[str, tuple[int, int]], links: Mapping[Link, int], columns: Mapping[str, int]) -> float:
    widest: dict[int, float] = defaultdict(float)
    labels: dict[int, float] = defaultdict(float)
    for name, (width, _) in boxes.items():
        widest[columns[name]] = max(widest[columns[name]], width)
    for (frm, to), letters in links.items():
        gap = min(columns[frm], columns[to])
        labels[gap] = max(labels[gap], letters * LETTER_PX + 16)
    gaps = max(widest, default=0)
    return max(1.0, PAD_PX + sum(widest.values()) + sum(labels.values()) + gaps * COLUMN_GAP_PX)


def _height(
    boxes: Mapping[str, tuple[int, int]], links: Mapping[Link, int], columns: Mapping[str, int], *, has_root: bool
) -> float:
    gap = GAP_PX + BADGE_PX if has_root else GAP_PX
    filled: dict[int, float] = defaultdict(float)
    for name, (_, tall) in boxes.items():
        filled[2 * columns[name]] += tall + gap
    longest = 1
    for frm, to in links:
        low, high = sorted((2 * columns[frm], 2 * columns[to]))
        longest = max(longest, (high - low) // 2)
        for place in range(low + 1, high):
            filled[place] += LABEL_PX if place == (low + high) // 2 else CROSSING_PX
    height = PAD_PX + (2 * BADGE_PX if has_root else 0) + max(filled.values(), default=gap) - gap
    return height * BENDS if longest > 1 else height
