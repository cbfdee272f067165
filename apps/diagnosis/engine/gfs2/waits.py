"""GFS2 waits as kinds, edges, roots and cycles of a diagnosis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Literal

from apps.diagnosis.engine.core.model import Edge, Kind, Ref, Root
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.entries import Entry, Lock, Span
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.graph import End, Vertex
from apps.diagnosis.engine.gfs2.plocks import PosixLocks, posix_edges
from apps.diagnosis.engine.gfs2.queues import Blockers

Pending = Literal["write-back", "unprocessed", "manager", "unknown"]


def kinds(glocks: GlockFacts) -> tuple[Kind, ...]:
    """Waiters grouped by kind, command, function and glock type."""
    groups: dict[tuple[Any, ...], list[Span]] = defaultdict(list)
    meanings: dict[tuple[Any, ...], str] = {}
    for span in glocks.spans:
        found = glocks.kinds.of(span)
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
    """Pairs of names with the waits behind them, the longest of these, and words: those of most waits first."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._longest: dict[tuple[str, str], float] = defaultdict(float)
        self._vias: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._resolved: dict[tuple[str, str], bool] = defaultdict(bool)

    def add(self, frm: str, to: str, via: str, waits: set[str], seconds: float, *, resolved: bool) -> None:
        """Waits that go this way."""
        pair = (frm, to)
        self._waits[pair] |= waits
        self._longest[pair] = max(self._longest[pair], seconds)
        self._vias[pair][via] |= waits
        self._resolved[pair] |= resolved

    def _words(self, pair: tuple[str, str]) -> str:
        vias = self._vias[pair]
        return ", ".join(sorted(vias, key=lambda via: (-len(vias[via]), via)))

    def rows(self) -> tuple[Edge, ...]:
        """Most waits first."""
        order = sorted(self._waits, key=lambda pair: (-len(self._waits[pair]), pair))
        return tuple(
            Edge(
                frm=p[0],
                to=p[1],
                via=self._words(p),
                count=len(self._waits[p]),
                longest_s=self._longest[p],
                resolved=self._resolved[p],
            )
            for p in order
        )


def edges(facts: GlockFacts, posix: PosixLocks) -> tuple[Edge, ...]:
    """Node (or process that others wait for) waits for glock; glock is held by process or node. Counts are
    processes.
    """
    found = _Edges()
    queues = [(waits, facts.queues.holders(waits[0])) for _, waits in facts.queues.waited()]
    blocking = {holder.name for _, have in queues for holder in have.entries}
    for waits, have in queues:
        _add_waits(found, facts, waits, have, blocking)
        _add_holders(found, facts, waits, have)
    return (*found.rows(), *posix_edges(posix))


def _seconds(facts: GlockFacts, wait: Entry) -> float:
    return facts.span_at[wait.nth].seconds or 0.0


def _add_waits(found: _Edges, facts: GlockFacts, waits: Sequence[Entry], have: Blockers, blocking: set[str]) -> None:
    """Edges to the glock of a queue: one from the node, and one from each process that others wait for or that has no
    node.
    """
    glock = facts.label(*waits[0].key)
    phrases = {state: phrase("gfs2-edges.wants", state=state) for state in {wait.state for wait in waits}}
    for wait in waits:
        if wait.name in blocking or not wait.node:
            found.add(wait.name, glock, phrases[wait.state], {wait.name}, _seconds(facts, wait), resolved=have.known)
    if not waits[0].node:
        return
    longest = max(_seconds(facts, wait) for wait in waits)
    for state, words in phrases.items():
        if others := {wait.name for wait in waits if wait.state == state} - blocking:
            found.add(waits[0].node, glock, words, others, longest, resolved=have.known)


@lru_cache(maxsize=1_024)
def _held_words(state: str, command: str) -> str:
    return phrase("gfs2-edges.held", state=state, command=command)


def _add_holders(found: _Edges, facts: GlockFacts, waits: Sequence[Entry], have: Blockers) -> None:
    """Edges from the glock of a queue to those that have it."""
    glock, names = facts.label(*waits[0].key), {wait.name for wait in waits}
    longest = max(_seconds(facts, wait) for wait in waits)
    for holder in have.entries:
        found.add(
            glock,
            holder.name,
            _held_words(holder.state, holder.command),
            names,
            longest,
            resolved=True,
        )
    for lock in have.nodes:
        found.add(
            glock, lock.node or "a node", phrase("gfs2-edges.kept", state=lock.state), names, longest, resolved=True
        )


class WaitEnds:
    """Where the chains of waits end, short waits of every day left aside: processes, nodes, and glocks nobody is seen
    to hold.
    """

    def __init__(self, glocks: GlockFacts) -> None:
        self._glocks = glocks

    @cached_property
    def all(self) -> list[End]:
        """The ends in the order of the rounds."""
        return self._glocks.ends([self._glocks.kinds.of(span).category != 1 for span in self._glocks.span_at])

    @cached_property
    def roots(self) -> tuple[Root, ...]:
        """The same as roots of a diagnosis."""
        return tuple(_root(self._glocks, end) for end in self.all)

    def process(self, root: Root) -> Entry | None:
        """The line of the process at which a root stands."""
        return next(
            (end.vertex.entry for end in self.all if end.vertex.kind == "process" and end.vertex.name == root.what),
            None,
        )


def _root(facts: GlockFacts, end: End) -> Root:
    kind: Literal["thread", "node", "lock"] = (
        "lock" if end.vertex.kind == "glock" else "node" if end.vertex.kind == "node" else "thread"
    )
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
    lock, entry = vertex.lock, vertex.entry
    if lock is not None:
        why = phrase(f"gfs2-pending.{pending(lock)}")
        return phrase("gfs2-ends.keeps", glock=lock.object, state=lock.state, why=why)
    if entry is None:
        return ""
    if vertex.kind == "process" and not entry.by_manager:
        return phrase("gfs2-ends.process", doing=doing(entry), command=entry.command, place=entry.place)
    return doing(entry) if entry.by_manager else _unseen(facts.lock_of.get(entry.queue), entry)


def doing(entry: Entry) -> str:
    """What a process has to do with a glock, in words."""
    if entry.by_manager:
        return phrase("gfs2-ends.by-manager", glock=entry.glock, state=entry.state)
    return phrase("gfs2-ends.holds" if entry.granted else "gfs2-ends.first", glock=entry.glock, state=entry.state)


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
        return phrase("gfs2-ends.unprocessed", node=wait.node)
    return phrase("gfs2-ends.unanswered" if "R" in flags else "gfs2-ends.unseen")


def cycles(glocks: GlockFacts) -> tuple[tuple[str, ...], ...]:
    """Deadlocks: circles of ``process waits for glock held by process`` with all edges in one round of captures."""
    return tuple(circle.names for circle in glocks.circles)
