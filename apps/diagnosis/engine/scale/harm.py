"""Who waited under Spectrum Scale, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.waits import ScaleWaits


def harm(case: Case) -> Iterator[Shown]:
    """Long waits, for the nodes that wait and for those that are waited for."""
    found: dict[str | None, Shown] = {}
    longest: dict[str | None, float] = {}
    for group in sorted(
        case.get(ScaleWaits).groups, key=lambda group: (-group.longest_s, group.ref.artifact, group.ref.line)
    ):
        for node in {group.node, group.to.node}:
            longest.setdefault(node, group.longest_s)
            what = phrase("scale-harm.waits", longest=longest[node])
            found[node] = _wider(found.get(node, Shown(what, node, group.start, group.end)), group.start, group.end)
    yield from found.values()


def _wider(one: Shown, start: int | None, end: int | None) -> Shown:
    """The same harm over a longer time; unknown times make it unknown."""
    if one.start is None or one.end is None or start is None or end is None:
        return replace(one, start=None, end=None)
    return replace(one, start=min(one.start, start), end=max(one.end, end))
