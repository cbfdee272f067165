"""Storms of locks that lasted, and locks of the Group Lock Manager that did not move."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits


def harm(case: Case) -> Iterator[Shown]:
    """What the lock samples and ``glmdump`` show."""
    if case.get(ClusterFacts).harm_by_storms.measured:
        yield Shown(phrase("veritas-harm.storm"))
    if locks := case.get(GlmWaits).locks:
        yield Shown(phrase("veritas-harm.locks", locks=len(locks)))
