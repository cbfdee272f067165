"""The places that a page keeps for its drawings."""

from __future__ import annotations

from typing import Any

import pytest

from apps.diagnosis.pages.graph.size import GraphRoom, graph_room
from apps.diagnosis.pages.timeline.lane_heights import packed, rooms

WINDOW = {"start": 0, "end": 1_000_000, "zone": "CET", "dated": True, "offset_min": 60}


def flags(*moments: int) -> dict[str, Any]:
    items = [{"start": at, "end": at, "title": "a title of some length that is cut"} for at in moments]
    return {"id": "findings", "kind": "flags", "label": "Findings", "sub": "", "items": items}


def mirror(name: str, *classes: str) -> dict[str, Any]:
    bars = [{"up": [{"class": one, "value": 1.0}], "down": []} for one in classes]
    return {"id": name, "kind": "mirror", "label": name, "sub": "x", "quiet": False, "bars": bars}


def test_boxes_that_overlap_stand_in_rows() -> None:
    assert packed([]) == 1
    assert packed([(0, 10), (20, 30)]) == 1
    assert packed([(0, 10), (13, 30)]) == 2, "closer than the gap"
    assert packed([(0, 100)] * 9) == 4, "never more than four"


@pytest.mark.parametrize(
    ("moments", "wide", "narrow"),
    [((0,), 1, 1), ((0, 500_000), 1, 1), ((0, 1000), 2, 2), ((500_000, 600_000), 2, 1), ((999_000, 1_000_000), 2, 2)],
)
def test_rows_of_flags(moments: tuple[int, ...], wide: int, narrow: int) -> None:
    found = rooms({"lanes": [flags(*moments)], "window": WINDOW, "folds": []}).lanes[0]
    assert found.size == f"is-flags is-rows-{wide} is-narrow-rows-{narrow}"


def test_the_head_keeps_room_for_what_it_will_hold() -> None:
    one = rooms({"lanes": [mirror("a", "h")], "window": WINDOW | {"offset_min": None}, "folds": []})
    assert (one.has_node_menu, one.classes, one.has_zone_switch) == (False, "", False)
    two = rooms({"lanes": [mirror("a", "rw", "h"), mirror("b", "g")], "window": WINDOW, "folds": []})
    assert (two.has_node_menu, two.classes, two.has_zone_switch, two.zone) == (True, "h g rw", True, "CET")


def drawing(*links: tuple[str, str], root: str = "") -> dict[str, Any]:
    names = sorted({name for link in links for name in link})
    return {
        "boxes": [{"id": name, "root": name == root} for name in names],
        "arrows": [{"from": frm, "to": to, "label": "log write"} for frm, to in links],
        "groups": [],
        "opened": [],
    }


def test_more_in_a_column_needs_more_height() -> None:
    few, many = graph_room(drawing(("a", "z"))), graph_room(drawing(*((name, "z") for name in "abcdefgh")))
    assert many.steps > few.steps


def test_a_circle_has_a_place_too() -> None:
    assert isinstance(graph_room(drawing(("a", "b"), ("b", "a"), ("c", "a"))), GraphRoom)


def test_a_closed_group_is_one_box() -> None:
    links = [(name, "z") for name in "abcdefgh"]
    closed = drawing(*links) | {"groups": [{"id": "g1", "members": list("abcdefgh")}]}
    assert graph_room(closed).steps < graph_room(closed | {"opened": ["g1"]}).steps
