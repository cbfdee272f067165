"""What the lock manager's tables show of the glocks: who was granted them, who waits, and where they contradict the
glock dumps.

A lock of the manager belongs to a node: its pid is the process that asked for it first, and GFS2 keeps it when that
process goes on. So the tables name a holder only where no glock dump does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.times.moments import Moments
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import dlm_lock
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.cluster import Cluster
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of, glock_resource
from parsers.records.locks import DlmLock

STATES: Final = {"EX": "EX", "PW": "EX", "PR": "SH", "CR": "SH", "CW": "DF"}
AWAITING_REPLY: Final = dlm_lock("awaiting-reply")
WITH_GLOCKS: Final = dlm_lock("listed-with-glocks")
NOT_HELD: Final = frozenset(("UN", "IV"))
_COLUMNS: Final = (
    "artifact", "line", "node", "at", "lockspace", "resource", "master", "owner_node", "pid", "granted", "requested",
    "queue", "age_s",
    "awaits_reply", "with_glocks",
)  # fmt: skip


class ManagerLock(NamedTuple):
    """A lock of the manager on a glock. ``state`` is the glock state of its mode; ``node`` printed it, ``owner`` has
    it.

    awaits_reply: it was sent to another node, which has not replied. with_glocks: it stands below the glock of the same
    moment.
    """

    artifact: int
    line: int
    node: str
    at: int | None
    lockspace: str | None
    glock: str
    owner: str
    pid: int | None
    state: str
    requested: str
    queue: str | None
    age_s: float | None
    master: str | None
    awaits_reply: bool
    with_glocks: bool


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A glock that a node's dump shows in one state, and the lock manager in another."""

    lock: Lock
    manager: ManagerLock
    words: str


@lru_cache(maxsize=4_096)
def lockspace_fits(space: str | None, fs: str | None) -> bool:
    """Whether a lock space may be that of a file system; what is not named fits all."""
    if space is None or fs is None:
        return True
    return space == fs or fs.rsplit(":", 1)[-1] == space or fs.endswith(f"_{space}")


class Granted:
    """Locks that are granted on one glock, in the order of the tables."""

    def __init__(self, locks: Sequence[tuple[int, ManagerLock]]) -> None:
        self._all = tuple(lock for _, lock in locks)
        self._undated = tuple(one for one in locks if one[1].at is None)
        self._dated = Moments((one[1].at, one) for one in locks if one[1].at is not None)

    def near(self, at: int | None, span_us: float) -> Sequence[ManagerLock]:
        """Those that a table shows near a moment, or of which it is not known when."""
        if at is None:
            return self._all
        found = [*self._undated, *self._dated.within(at - span_us, at + span_us)]
        return [lock for _, lock in sorted(found, key=lambda one: one[0])]


class DlmView:
    """Locks of the manager on the glocks that the dumps show."""

    def __init__(self, facts: GlockDumps, store: Facts, nodes: Nodes, cluster: Cluster) -> None:
        self._facts = facts
        self._store = store
        self._nodes = nodes
        self._cluster = cluster

    @cached_property
    def locks(self) -> list[ManagerLock]:
        """Granted, converting and waiting locks on glocks of the dumps, and requests without reply; not those that hold
        nothing.
        """
        if not self._store.has(DlmLock) or not self._facts.any:
            return []
        wanted = {glock_resource(lock.object) for lock in self._facts.locks}
        rows = (
            self._store.scan(DlmLock)
            .with_columns(awaits_reply=AWAITING_REPLY.rows, with_glocks=WITH_GLOCKS.rows)
            .filter(pl.col("resource").is_in(list(wanted)) & (pl.col("queue").is_not_null() | pl.col("awaits_reply")))
            .select(_COLUMNS)
            .collect()
        )
        rows = self._cluster.timed(self._nodes.named(rows))
        found = [self._lock(*row) for row in rows.sort("artifact", "line").rows()]
        return [lock for lock in found if lock.state or lock.requested or lock.awaits_reply]

    def _lock(
        self,
        artifact: int,
        line: int,
        node: str | None,
        at: int | None,
        space: str | None,
        resource: str,
        master: int | None,
        owner: int | None,
        pid: int | None,
        granted: str | None,
        requested: str | None,
        queue: str | None,
        age_s: float | None,
        awaits_reply: bool,
        with_glocks: bool,
    ) -> ManagerLock:
        return ManagerLock(
            artifact,
            line,
            node or "",
            at,
            space,
            glock_of(resource) or resource,
            self._name(node, owner),
            pid,
            STATES.get(granted or "", ""),
            STATES.get(requested or "", ""),
            queue,
            age_s,
            None if master is None else self._name(node, master),
            awaits_reply,
            with_glocks,
        )

    def _name(self, node: str | None, number: int | None) -> str:
        """A node by its id; 0 is the one that printed it."""
        if number is None or number == 0:
            return node or ""
        known = self._nodes.name(str(number))
        return known if known != str(number) else f"node {number}"

    @cached_property
    def _granted(self) -> dict[str, Granted]:
        found: dict[str, list[tuple[int, ManagerLock]]] = defaultdict(list)
        for number, lock in enumerate(self.locks):
            if lock.state and lock.queue in ("granted", "converting"):
                found[lock.glock].append((number, lock))
        return {glock: Granted(locks) for glock, locks in found.items()}

    @cached_property
    def waiting(self) -> list[ManagerLock]:
        """Requests that the manager has not granted, the oldest first."""
        waits = [lock for lock in self.locks if lock.queue in ("waiting", "converting")]
        return sorted(waits, key=lambda lock: (-(lock.age_s or 0.0), lock.artifact, lock.line))

    @cached_property
    def waiting_on(self) -> dict[str, list[ManagerLock]]:
        """Those requests by glock."""
        found: dict[str, list[ManagerLock]] = defaultdict(list)
        for lock in self.waiting:
            found[lock.glock].append(lock)
        return dict(found)

    def wanted_elsewhere(self, fs: str | None, glock: str, node: str) -> list[ManagerLock]:
        """Requests of other nodes for a glock that the manager has not granted."""
        own = self.waiting_on.get(glock, ())
        return [lock for lock in own if lock.owner not in ("", node) and lockspace_fits(lock.lockspace, fs)]

    def granted(self, fs: str | None, glock: str, at: int | None) -> Iterator[ManagerLock]:
        """Locks granted on a glock, as tables of about that moment show them."""
        own = self._granted.get(glock)
        near = own.near(at, limits("glock-rounds").near_s * 1e6) if own is not None else ()
        return (lock for lock in near if lockspace_fits(lock.lockspace, fs))

    def holders(self, wait: Entry, excludes: Callable[[str], bool]) -> Sequence[Entry]:
        """Who has a glock by the manager's tables in a mode that keeps others out, each node once, as entries of a
        queue. The own node is for its own dump to tell.
        """
        if not self._granted:
            return ()
        seen: dict[str, ManagerLock] = {}
        for lock in self.granted(wait.fs, wait.glock, wait.at):
            if lock.owner and lock.owner != wait.node:
                seen.setdefault(lock.owner, lock)
        return [_entry(wait, lock) for lock in seen.values() if excludes(lock.state)]

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Glocks whose state in a dump cannot be what the manager granted that node at nearly the same moment."""
        return list(self._disagreements()) if self._granted else []

    def _disagreements(self) -> Iterator[Disagreement]:
        near_us = limits("dlm-view").skew_s * 1e6
        for lock in self._facts.locks:
            if "l" in lock.flags or lock.state not in ("UN", "SH", "DF", "EX"):
                continue  # a change is on its way: the two views differ for that moment
            for granted in self.granted(lock.fs, lock.object, lock.at):
                if granted.with_glocks or (
                    lock.at is not None and granted.at is not None and abs(lock.at - granted.at) > near_us
                ):
                    continue
                if words := _contradiction(lock, granted):
                    yield Disagreement(lock, granted, words)
                    break


def _contradiction(lock: Lock, granted: ManagerLock) -> str:
    """In words, or empty where both can be true."""
    if granted.queue == "converting":
        return ""
    if granted.owner == lock.node:
        if lock.state == granted.state:
            return ""
        return phrase("views.own-lock", node=lock.node, dump=lock.state, manager=granted.state)
    exclusive = (lock.state == "EX" and granted.state != "") or (granted.state == "EX" and lock.state not in NOT_HELD)
    if not exclusive or not granted.owner:
        return ""
    return phrase("views.lock-of-another", node=lock.node, dump=lock.state, manager=granted.state, owner=granted.owner)


def _entry(wait: Entry, lock: ManagerLock) -> Entry:
    pid = lock.pid if lock.pid is not None and lock.pid > 0 else 0
    return wait._replace(
        artifact=lock.artifact,
        line=lock.line,
        node=lock.owner,
        at=lock.at,
        position=0,
        state=lock.state,
        flags="H",
        pid=pid,
        command="",
        function="",
        waiting=False,
        granted=True,
        name=f"{lock.owner}:{pid}" if pid else lock.owner,
        nth=-1,
        by_manager=True,
    )
