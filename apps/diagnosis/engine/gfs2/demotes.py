"""Requests to release a glock that its node has not followed: how old, why, and whether another node is seen to ask."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from apps.diagnosis.engine.core.model import Severity
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.gfs2.dlm import ManagerLock
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass

Reason = Literal["holder", "ended", "write-back", "unprocessed", "manager", "unknown"]
BANDS: tuple[tuple[str, Severity], ...] = (
    ("critical_s", "critical"),
    ("high_s", "high"),
    ("medium_s", "medium"),
    ("low_s", "low"),
)


@dataclass(frozen=True, slots=True)
class Demote:
    """The oldest sight of one request beyond the minimum hold time.

    asking: waiters on other nodes in that round, else requests in the lock manager's tables. rounds: all in which it is
    pending. remote: a trace says that another node asked.
    """

    lock: Lock
    holders: Sequence[Entry]
    asking: Sequence[Entry | ManagerLock]
    severity: Severity
    rounds: Collection[int]
    remote: bool = False

    @property
    def reason(self) -> Reason:
        """What keeps the node, by what its dump shows."""
        flags = set(self.lock.flags)
        if self.holders:
            return "holder" if any(one.is_process for one in self.holders) else "ended"
        if {"y", "f"} & flags:
            return "write-back"
        if "l" in flags:
            return "unprocessed" if "r" in flags else "manager"
        return "unknown"


def demotes(facts: GlockFacts) -> list[Demote]:
    """One per glock, the oldest first."""
    bands = limits("GL-02")
    worst: dict[tuple[str | None, str], Lock] = {}
    for lock in facts.locks:
        if lock.age_s >= _hold_s(lock) and (lock.key not in worst or lock.age_s > worst[lock.key].age_s):
            worst[lock.key] = lock
    late = [_demote(facts, lock) for lock in worst.values() if lock.age_s >= bands.info_s]
    return sorted(late, key=lambda one: -one.lock.age_s)


def _hold_s(lock: Lock) -> float:
    """The minimum hold time, within which nobody needs to let go."""
    return lock.min_hold / limits("GL-01").hz_if_unknown if lock.min_hold is not None else 0.0


def _demote(facts: GlockFacts, lock: Lock) -> Demote:
    bands = limits("GL-02")
    waits = [w for w in facts.contended.get(lock.key, ()) if w.node != lock.node and w.round == lock.round]
    asking: Sequence[Entry | ManagerLock] = waits or facts.manager.wanted_elsewhere(lock.fs, lock.object, lock.node)
    remote = lock.object in facts.wanted_by_others
    severity: Severity = next((name for band, name in BANDS if lock.age_s >= getattr(bands, band)), "info")
    late = {one.round for one in facts.locks_of[lock.key] if one.node == lock.node and one.age_s >= bands.low_s}
    return Demote(lock, facts.queues.granted(lock.queue), asking, severity, late or {lock.round}, remote)
