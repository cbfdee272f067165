"""Dumps of two nodes that cannot both be true: one glock held on both, one lock of the lock manager or one POSIX lock
shown differently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, islice
from typing import Final, NamedTuple

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.dlm import ManagerLock
from apps.diagnosis.engine.gfs2.entries import Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.plocks import Plock, PosixLocks, disputed
from apps.diagnosis.engine.gfs2.queues import excludes

MOST_PAIRS: Final = 200


class Apart(NamedTuple):
    """Two sights of one thing. ``timed``: that they are of nearly the same moment is known."""

    what: str
    words: str
    nodes: tuple[str, ...]
    refs: tuple[Ref, Ref]
    timed: bool


class Disputes:
    """All of them, glocks first."""

    def __init__(self, glocks: GlockFacts, posix: PosixLocks) -> None:
        self._glocks = glocks
        self._posix = posix

    @cached_property
    def all(self) -> list[Apart]:
        """In the order of the dumps."""
        apart = list(_posix(self._posix))
        return [*_glocks(self._glocks), *_tables(self._glocks), *apart] if self._glocks.any else apart


def _near(one: int | None, other: int | None) -> bool:
    """Whether two dumps may be of one moment; those without a time may."""
    return one is None or other is None or abs(one - other) <= limits("dlm-view").skew_s * 1e6


def _glocks(facts: GlockFacts) -> Iterator[Apart]:
    """A process on each of two nodes holds one glock in modes that exclude each other. Those that are fought over
    have a finding of their own.
    """
    contended = {(one.fs, one.glock) for one in facts.contentions}
    seen: dict[tuple[str | None, str, int], list[Lock]] = defaultdict(list)
    for lock in facts.locks:
        if (
            lock.state in ("SH", "DF", "EX")
            and "l" not in lock.flags
            and lock.key not in contended
            and facts.queues.granted(lock.queue)
        ):
            seen[lock.fs, lock.object, lock.round].append(lock)
    for (fs, name, _), own in seen.items():
        for one, other in islice(combinations(own, 2), MOST_PAIRS):
            if one.node != other.node and excludes(one.state, other.state) and _near(one.at, other.at):
                words = phrase(
                    "views.holders", first=_one(one), here=one.state, second=_other(other), there=other.state
                )
                yield _apart(f"glock {facts.label(fs, name)}", words, one, other)
                break


def _tables(facts: GlockFacts) -> Iterator[Apart]:
    """One lock of a node, in its own table and in that of the master: granted in one, not in the other."""
    seen: dict[tuple[str, str | None, str], list[ManagerLock]] = defaultdict(list)
    for lock in facts.manager.locks:
        if lock.owner and lock.queue in ("granted", "waiting"):
            seen[lock.glock, lock.lockspace, lock.owner].append(lock)
    for (glock, _, owner), own in seen.items():
        for one, other in islice(combinations(own, 2), MOST_PAIRS):
            if one.node != other.node and one.pid == other.pid and _differ(one, other) and _near(one.at, other.at):
                words = phrase(
                    "views.tables",
                    owner=owner,
                    first=_one(one),
                    here=_state(one),
                    second=_other(other),
                    there=_state(other),
                )
                yield _apart(phrase("views.in-manager", glock=glock), words, one, other)
                break


def _differ(one: ManagerLock, other: ManagerLock) -> bool:
    return one.queue != other.queue or (one.queue == "granted" and one.state != other.state)


def _state(lock: ManagerLock) -> str:
    if lock.queue == "granted":
        return phrase("views.granted", mode=lock.state)
    return phrase("views.waiting", mode=lock.requested) if lock.requested else phrase("views.waiting-for-some-mode")


def _one(view: Lock | ManagerLock | Plock) -> str:
    return view.node or phrase("views.one-node")


def _other(view: Lock | ManagerLock | Plock) -> str:
    return view.node or phrase("views.another-node")


def _posix(posix: PosixLocks) -> Iterator[Apart]:
    """One POSIX lock that the daemon of one node has as held, and that of another as waiting."""
    for one, other in disputed(posix.of_cluster):
        words = phrase("views.posix", first=_one(one), second=_other(other), owner=one.owner)
        yield _apart(one.label, words, one, other)


def _apart(what: str, words: str, one: Lock | ManagerLock | Plock, other: Lock | ManagerLock | Plock) -> Apart:
    nodes = tuple(sorted({one.node, other.node} - {""}))
    refs = (Ref(one.artifact, one.line), Ref(other.artifact, other.line))
    return Apart(what, words, nodes, refs, one.at is not None and other.at is not None)
