"""Places that a page keeps for what is drawn in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from apps.diagnosis.pages.graph.size import GraphRoom
from apps.diagnosis.pages.graph.size import graph_room as room_of_graph
from apps.diagnosis.pages.timeline.lane_heights import Rooms, rooms

register = template.Library()


@register.filter
def lane_rooms(first: Mapping[str, Any]) -> Rooms:
    """Of the lanes of a timeline."""
    return rooms(first)


@register.filter
def graph_room(drawing: Mapping[str, Any] | None, frame: int | None = None) -> GraphRoom | None:
    """Of a wait graph, in a frame so many pixels wide."""
    return None if drawing is None else room_of_graph(drawing, frame)
