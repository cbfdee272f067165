"""Who waited for a glock, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.wording import plural, seconds
from apps.diagnosis.engine.gfs2.demotes import demotes

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


def harm(case: CaseFacts) -> Iterator[Shown]:
    """Processes that wait for a glock; whoever keeps them waiting may be on another node."""
    if not case.glocks.any:
        return
    least = limits("shown-harm").lock_wait_s
    spans = [span for span in case.glocks.spans if (span.seconds or 0.0) >= least]
    if spans:
        longest = max(span.seconds or 0.0 for span in spans)
        yield Shown(f"{plural(len(spans), 'process', 'processes')} wait for a glock, the longest for {seconds(longest)}")
        return
    late = next((one for one in demotes(case.glocks) if one.asking), None)
    if late is not None and late.lock.age_s >= least:
        waits = plural(len(late.asking), "request waits", "requests wait")
        yield Shown(f"{waits} for a glock that {late.lock.node or 'a node'} was asked to give up {seconds(late.lock.age_s)} before")
