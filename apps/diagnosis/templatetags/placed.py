"""Findings by their places in the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import template

register = template.Library()


@register.filter
def placed(findings: Sequence[Any], places: Iterable[int]) -> list[Any]:
    """Those at these places, in the order of the places."""
    return [findings[place] for place in places if place < len(findings)]


@register.filter
def at_place(findings: Sequence[Any], place: int) -> Any:
    """The one at this place."""
    return findings[place]
