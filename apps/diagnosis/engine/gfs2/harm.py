"""Who waited for a glock, and for how long."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.demotes import demotes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts


def harm(case: Case) -> Iterator[Shown]:
    """Processes that wait for a glock; whoever keeps them waiting may be on another node."""
    glocks = case.get(GlockFacts)
    if not glocks.any:
        return
    least = limits("shown-harm").lock_wait_s
    waits = [span.seconds or 0.0 for span in glocks.spans if (span.seconds or 0.0) >= least]
    if waits:
        yield Shown(phrase("gfs2-harm.waits", waiting=len(waits), longest=max(waits)))
        return
    late = next((one for one in demotes(glocks) if one.asking), None)
    if late is not None and late.lock.age_s >= least:
        yield Shown(phrase("gfs2-harm.late", waiting=len(late.asking), node=late.lock.node, age_s=late.lock.age_s))
