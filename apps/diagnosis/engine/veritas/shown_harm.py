"""Storms of locks that lasted, and locks of the Group Lock Manager that did not move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.wording import plural

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


def harm(case: CaseFacts) -> Iterator[Shown]:
    """What the lock samples and ``glmdump`` show."""
    if case.veritas_cluster.harm_by_storms.measured:
        yield Shown("a storm of locks lasted for several samples")
    if locks := case.glm_waits.locks:
        yield Shown(f"{plural(len(locks), 'lock')} of the Group Lock Manager did not move")
