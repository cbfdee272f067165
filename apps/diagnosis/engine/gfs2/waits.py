"""GFS2 waits as kinds, edges, roots and cycles of a diagnosis, and what to ask for next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from apps.diagnosis.engine.core.model import Edge, Finding, Kind, Missing, NextStep, Ref, Root
from apps.diagnosis.engine.gfs2.cluster import kernels, values
from apps.diagnosis.engine.gfs2.graph import End, Vertex
from apps.diagnosis.engine.gfs2.plocks import PosixLocks, posix_edges
from apps.diagnosis.engine.gfs2.rows import dump_rows, lock_rows, span_rows, spans_frame, waiter_rows

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.gfs2.entries import Entry, Lock, Span
    from apps.diagnosis.engine.gfs2.glocks import GlockFacts

__all__ = [
    "cycles", "dump_rows", "edges", "kinds", "lock_rows", "missing", "next_steps", "roots", "span_rows", "spans_frame", "waiter_rows",
]  # fmt: skip

STEPS_MOST = 3
Pending = Literal["write-back", "unprocessed", "manager", "unknown"]
PENDING: Final[dict[Pending, str]] = {
    "write-back": "dirty data or the log has to be written first",
    "unprocessed": "the answer has come and is not processed",
    "manager": "a change of state is in progress at the lock manager",
    "unknown": "nothing in the dump says why",
}


def kinds(case: CaseFacts) -> tuple[Kind, ...]:
    """Waiters grouped by kind, command, function and glock type."""
    groups: dict[tuple[Any, ...], list[Span]] = defaultdict(list)
    meanings: dict[tuple[Any, ...], str] = {}
    for span in case.glocks.spans:
        found = case.glocks.kinds.of(span)
        wait_on = f"glock type {span.last.glock.split('/', 1)[0]}"
        key = (found.kind_id, found.category, span.last.command, span.last.place, wait_on)
        meanings[key] = found.meaning
        groups[key].append(span)
    return tuple(_kind(key, spans, meanings[key]) for key, spans in groups.items())


def _kind(key: tuple[Any, ...], spans: list[Span], meaning: str) -> Kind:
    longest = max(spans, key=lambda span: span.seconds or 0.0)
    return Kind(
        kind_id=key[0],
        category=key[1],
        thread=key[2] or None,
        reason=key[3] or None,
        wait_on=key[4],
        count=sum(len(span.entries) for span in spans),
        longest_s=longest.seconds,
        nodes=tuple(sorted({span.last.node for span in spans if span.last.node})),
        meaning=meaning,
        ref=Ref(longest.last.artifact, longest.last.line),
    )


class _Edges:
    """Pairs of names with the waits behind them, the longest of these, and words."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._longest: dict[tuple[str, str], float] = defaultdict(float)
        self._via: dict[tuple[str, str], str] = {}
        self._resolved: dict[tuple[str, str], bool] = defaultdict(bool)

    def add(self, frm: str, to: str, via: str, waits: set[str], seconds: float, *, resolved: bool) -> None:
        """Waits that go this way."""
        pair = (frm, to)
        self._waits[pair] |= waits
        self._longest[pair] = max(self._longest[pair], seconds)
        self._via.setdefault(pair, via)
        self._resolved[pair] |= resolved

    def rows(self) -> tuple[Edge, ...]:
        """Most waits first."""
        order = sorted(self._waits, key=lambda pair: (-len(self._waits[pair]), pair))
        return tuple(
            Edge(frm=p[0], to=p[1], via=self._via[p], count=len(self._waits[p]), longest_s=self._longest[p], resolved=self._resolved[p])
            for p in order
        )


def edges(case: CaseFacts) -> tuple[Edge, ...]:
    """Node (or process that others wait for) waits for glock; glock is held by process or node. Counts are processes."""
    facts = case.glocks
    found = _Edges()
    queues = [(waits, facts.queues.holders(waits[0])) for _, waits in facts.queues.waited()]
    blocking = {holder.name for _, have in queues for holder in have.entries}
    for waits, have in queues:
        glock = facts.label(waits[0].fs, waits[0].glock)
        names = {wait.name for wait in waits}
        seconds = max(facts.span_at[wait.nth].seconds or 0.0 for wait in waits)
        for wait in waits:
            if wait.name in blocking or not wait.node:
                found.add(wait.name, glock, f"wants {wait.state}", {wait.name}, facts.span_at[wait.nth].seconds or 0.0, resolved=have.known)
        if waits[0].node and (others := names - blocking):
            found.add(waits[0].node, glock, f"wants {waits[0].state}", others, seconds, resolved=have.known)
        for holder in have.entries:
            found.add(glock, holder.name, f"held {holder.state} by {holder.command or 'a process'}", names, seconds, resolved=True)
        for lock in have.nodes:
            found.add(glock, lock.node or "a node", f"kept {lock.state} without a process", names, seconds, resolved=True)
    return (*found.rows(), *posix_edges(case.get(PosixLocks)))


def roots(case: CaseFacts) -> tuple[Root, ...]:
    """Where the chains of waits end, short waits of every day left aside: processes, nodes, and glocks nobody is seen to hold."""
    facts = case.glocks
    counted = [facts.kinds.of(span).category != 1 for span in facts.span_at]
    return tuple(_root(facts, end) for end in facts.ends(counted))


def _root(facts: GlockFacts, end: End) -> Root:
    kind: Literal["thread", "node", "lock"] = "lock" if end.vertex.kind == "glock" else "node" if end.vertex.kind == "node" else "thread"
    return Root(
        kind=kind,
        what=end.vertex.name,
        node=_node(end.vertex) if kind != "lock" else None,
        why=_why(facts, end.vertex),
        waiters=len(end.behind),
        relieves=len(end.relieved),
        leaves_data=kind == "lock",
    )


def _node(vertex: Vertex) -> str | None:
    one = vertex.entry or vertex.lock
    return (one.node or None) if one else None


def _why(facts: GlockFacts, vertex: Vertex) -> str:
    if vertex.lock is not None:
        return f"keeps glock {vertex.lock.object} {vertex.lock.state} without a process: {PENDING[pending(vertex.lock)]}"
    entry = vertex.entry
    if entry is None:
        return ""
    if entry.by_manager:
        return f"holds glock {entry.glock} {entry.state} by the lock manager's tables; no dump of its own glocks shows it"
    if vertex.kind == "process":
        how = "holds" if entry.granted else "stands first in the queue for"
        return f"{how} glock {entry.glock} {entry.state} as {entry.command or 'a process'} in {entry.place or 'an unknown function'}"
    return _unseen(facts.lock_of.get(entry.queue), entry)


def pending(lock: Lock) -> Pending:
    """What a node that keeps a lock without a process still has to do, by the flags."""
    flags = set(lock.flags)
    if {"y", "f"} & flags:
        return "write-back"
    if "l" in flags:
        return "unprocessed" if "r" in flags else "manager"
    return "unknown"


def _unseen(lock: Lock | None, wait: Entry) -> str:
    flags = set(lock.flags) if lock else set()
    if "r" in flags:
        return f"the lock manager's answer has reached {wait.node} and is not processed there"
    if "R" in flags:
        return "the lock manager has not answered; who holds it is not seen in these dumps"
    return "who holds it is not seen in these dumps"


def cycles(case: CaseFacts) -> tuple[tuple[str, ...], ...]:
    """Deadlocks: circles of ``process waits for glock held by process`` with all edges in one round of captures."""
    return tuple(circle.names for circle in case.glocks.circles)


def missing(case: CaseFacts, roots: Sequence[Root], findings: Sequence[Finding] = ()) -> tuple[Missing, ...]:
    """Dumps that would show who holds a glock, and what would decide on the lock manager's tables."""
    return (*_holders_missing(case, roots), *_tables_missing(case, findings))


def _tables_missing(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[Missing]:
    """A profile alone does not tell how long the chains are, nor whether this kernel has them."""
    if not any(finding.ref == "DH-01" for finding in findings):
        return
    if not values(case, ("rsbtbl_size",)) or not kernels(case):
        yield Missing(
            what="sizes of the lock manager's tables, number of locks, kernel release",
            why="hash walks are seen; how long the chains are and whether this kernel can be told other sizes is not",
            node=None,
            commands=("grep . /sys/kernel/config/dlm/cluster/*_size", "grep -E 'dlm|gfs2' /proc/slabinfo", "uname -r"),
        )


def _holders_missing(case: CaseFacts, roots: Sequence[Root]) -> tuple[Missing, ...]:
    unseen = [root for root in roots if root.kind == "lock" and root.leaves_data] if case.glocks.any else []
    spaces = sorted({(fs or "").rsplit(":", 1)[-1] for _, fs in case.glocks.captures if fs})
    return tuple(
        Missing(
            what=f"holder of glock {root.what}",
            why=f"{root.waiters} waits end there and no dump in these files shows who holds it; take them on all nodes at the same time",
            node=None,
            commands=("cat /sys/kernel/debug/gfs2/*/glocks", *(f"dlm_tool lockdebug {space}" for space in spaces[:STEPS_MOST])),
        )
        for root in unseen[:STEPS_MOST]
    )


def next_steps(case: CaseFacts, findings: Sequence[Finding], roots: Sequence[Root]) -> tuple[NextStep, ...]:
    """What to look at on the node that holds, and how to find the inode of the worst glock by name."""
    if not case.glocks.any:
        return ()
    threads = [root for root in roots if root.kind == "thread" and root.node and _pid(root) is not None]
    steps = [
        NextStep(
            f"See what process {_pid(root)} on {root.node} does while it {root.why.split(' as ')[0]}",
            (f"cat /proc/{_pid(root)}/stack", f"ps -o pid,stat,wchan:32,etime,args -p {_pid(root)}"),
        )
        for root in threads[:STEPS_MOST]
    ]
    if any(finding.ref in ("GL-01", "GL-11") for finding in findings) and case.glocks.contentions:
        worst = case.glocks.contentions[0]
        steps.append(NextStep(f"Find the name of the inode behind glock {worst.glock}", (f"find MOUNTPOINT -xdev -inum {worst.inode}",)))
    return tuple(steps)


def _pid(root: Root) -> int | None:
    pid = root.what.rsplit(":", 1)[-1]
    return int(pid) if pid.isdigit() and int(pid) > 0 else None
