"""Rules on a cluster that stands still: recovery (RC-01), fencing and quorum (RC-02), a file system that withdrew
(RC-03).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes, nodes_in
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.cluster import Cluster, short_fs
from apps.diagnosis.engine.gfs2.entries import Lock
from apps.diagnosis.engine.gfs2.fencing import Fencing, Victims, is_good
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.members import MEMBERSHIP, is_later, members_left
from apps.diagnosis.engine.gfs2.presence import has_lock_manager
from parsers.dataclass import dataclass
from parsers.records.states import Quorum

SHOWN: Final = 3
REFS_MOST: Final = 6
LINE_MOST: Final = 120
LOCK_FINDINGS: Final = ("GL-01", "GL-02", "GL-03", "GL-06", "GL-07", "GL-08", "GL-11", "RC-01", "RC-04")
BEFORE_US: Final = 600_000_000
LINES_BEFORE: Final = 100
BEFORE_WITHDRAW: Final = ("io-error", "buffer-error", "scsi-error")
_VOTES: Final = re.compile(r"\d{1,6} of \d{1,6} votes?")
BEGINS: Final = {"gfs2-journal-recovery": "gfs2-journal-replayed", "dlm-recovery": "dlm-recovery-done"}
TAKEN: Final = "gfs2-journal-taken"
# Another node has that journal: what this one began ends there, and is no recovery of its own.


@dataclass(frozen=True, slots=True)
class RecoveryWords:
    """what is recovered, age_s: from its first line, which was logged ``at``, to its last one."""

    what: str | None
    node: str | None
    ended: bool
    age_s: float
    line: str
    at: int | None


@dataclass(frozen=True, slots=True)
class FrozenWords:
    """frozen: glocks with flag F over all captures of a node and file system; span_s: from the first to the last of
    these captures.
    """

    fs: str
    node: str | None
    frozen: int
    captures: int
    span_s: float


@rule("RC-01", needs=(Events, GlockFacts), words=(RecoveryWords, FrozenWords))
def recovery_running(events: Events, glocks: GlockFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: all locks of a file system wait after a node has gone.

    Reasoning: the kernel log shows recovery begin and not end, or most glocks of a dump are frozen (flag F).
    Source: kernel log of GFS2 and DLM.
    """
    for one in _recoveries(events.lines(*BEGINS, *BEGINS.values(), TAKEN)):
        if not one.ended or one.lasted_s > limits.medium_s:
            yield _recovery(one, limits)
    yield from _frozen(glocks.locks, limits)


@dataclass(frozen=True, slots=True)
class _Recovery:
    """A recovery from its first line to its end, or to the last line of it."""

    first: LogLine
    last: LogLine
    ended: bool

    @property
    def lasted_s(self) -> float:
        return (self.last.at - self.first.at) / 1e6 if self.first.at is not None and self.last.at is not None else 0.0


def _recoveries(lines: Sequence[LogLine]) -> Iterator[_Recovery]:
    """Recoveries by node and what they are about."""
    begun: dict[tuple[str | None, str | None, str], list[LogLine]] = {}
    for line in lines:
        if line.kind in BEGINS:
            begun.setdefault((line.node, line.about, line.kind), []).append(line)
            continue
        if line.kind == TAKEN:
            begun.pop((line.node, line.about, "gfs2-journal-recovery"), None)
            continue
        for kind, end in BEGINS.items():
            if line.kind == end and (own := begun.pop((line.node, line.about, kind), None)):
                yield _Recovery(own[0], line, ended=True)
    for own in begun.values():
        yield _Recovery(own[0], own[-1], ended=False)


def _level(age_s: float, limits: Limits) -> str:
    return "high" if age_s > limits.high_s else "medium" if age_s > limits.medium_s else "info"


def _recovery(one: _Recovery, limits: Limits) -> Seen:
    first, age = one.first, one.lasted_s
    lines = tuple(dict.fromkeys((first.ref, one.last.ref)))
    return Seen(
        level=_level(age, limits),
        words=RecoveryWords(first.about, first.node, one.ended, age, first.text[:LINE_MOST], first.at),
        lines=lines,
        nodes=(first.node,),
        times=(first.at, one.last.at),
        goes_on=not one.ended,
        zone_min=first.zone_min,
        borne_by=(len(lines), 1),
        parts=("ended" if one.ended else "open",),
        causes=LOCK_FINDINGS[:7] if not one.ended else (),
        weight=age,
    )


def _frozen(locks: Sequence[Lock], limits: Limits) -> Iterator[Seen]:
    """Most glocks of a capture frozen: replies are held back until recovery ends."""
    tally: dict[tuple[str, str | None, int], list[int]] = defaultdict(lambda: [0, 0])
    for lock in locks:
        own = tally[lock.node, lock.fs, lock.capture]
        own[0] += "F" in lock.flags
        own[1] += 1
    hits = [key for key, (frozen, total) in tally.items() if frozen > 1 and frozen >= limits.frozen_share * total]
    if not hits:
        return
    node, fs, _ = hits[0]
    places = {capture for n, f, capture in hits if (n, f) == (node, fs)}
    held = [
        lock for lock in locks if (lock.node, lock.fs) == (node, fs) and lock.capture in places and "F" in lock.flags
    ]
    times = [lock.at for lock in held if lock.at is not None]
    age = (max(times) - min(times)) / 1e6 if times else 0.0
    yield Seen(
        level=_level(age, limits),
        variant="frozen",
        words=FrozenWords(short_fs(fs), node or None, len(held), len(places), age),
        lines=[Ref(lock.artifact, lock.line) for lock in held[:4]],
        nodes=(node,),
        times=times,
        borne_by=(len(held), 1),
        parts=("flags",),
        causes=LOCK_FINDINGS[:7],
        weight=age,
    )


Awaited = Literal["fencing", "quorum", "messages"]


@dataclass(frozen=True, slots=True)
class SpaceWords:
    """Lock spaces that wait, ``count`` of them; victims: nodes to be fenced; lines: how many show it, on
    which nodes.
    """

    spaces: tuple[str, ...]
    count: int
    several: bool
    awaited: Awaited
    victims: tuple[str, ...]
    failed: bool
    since: int | None
    lines: int
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuorumWords:
    """Nodes that see no quorum; votes: how many there are of how many, as a table shows it; logged: it is a log that
    says it; left: members that went, as logged.
    """

    nodes: tuple[str, ...]
    votes: str | None
    logged: bool
    at: int | None
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnfencedWords:
    """at: the last attempt where one failed, else the first. attempts: None for none. agents: programs that tried;
    result: what the last one gave back. stopped: fence devices that do not run. reasons: why it failed, as logged.
    open_s: for how long the first request is open. locks: the cluster has a lock manager. devices: with which it was
    tried.
    """

    victims: tuple[str, ...]
    outcome: Literal["failed", "open"]
    attempts: int | None
    at: int | None
    has_no_actor: bool
    agents: tuple[str, ...]
    result: int | None
    stopped: tuple[str, ...]
    several_stopped: bool
    reasons: tuple[str, ...]
    open_s: float | None
    locks: bool
    devices: tuple[str, ...]


@rule("RC-02", needs=(Cluster, Events, Records, Fencing, Nodes), words=(SpaceWords, QuorumWords, UnfencedWords))
def fencing_or_quorum(
    cluster: Cluster, events: Events, records: Records, fencing: Fencing, names: Nodes, limits: Limits
) -> Iterator[Seen]:
    """Symptom: everything on the cluster file systems hangs on all nodes.

    Reasoning: a lock space waits for fencing, for quorum or for messages of its other members (its recovery stands
    still), a node is unclean, or a fence request has not ended well.
    Source: dlm_tool, dlm_controld, Pacemaker.
    """
    victims = fencing.victims
    for awaited, wait in _waits(cluster, events).items():
        yield _waiting(awaited, wait, victims if awaited == "fencing" else None)
    yield from _no_quorum(records, events, names)
    if victims is not None:
        yield _unfenced(victims, locks=has_lock_manager(records))


@dataclass(slots=True)
class _Wait:
    """What waits for one thing, and which lines show it."""

    refs: list[Ref] = field(default_factory=list)
    spaces: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    since: list[int] = field(default_factory=list)

    def add(self, ref: Ref, space: str, node: str | None) -> None:
        """One line."""
        self.refs.append(ref)
        self.spaces.add(space)
        self.nodes |= {node} if node else set()


def _waits(cluster: Cluster, events: Events) -> dict[Awaited, _Wait]:
    """Lock spaces whose last table, or whose log, shows that they wait, by what for."""
    found: dict[Awaited, _Wait] = {}
    last = {(space.node, space.name): space for space in cluster.lock_spaces()}
    for space in (*last.values(), *cluster.failed_groups()):
        for awaited in _AWAITED:
            if space.waits_for == awaited:
                found.setdefault(awaited, _Wait()).add(space.ref, space.name, space.node)
    for awaited in _AWAITED:
        ended = _last_end(events, awaited)
        for line in events.lines(f"lockspace-wait-{awaited}"):
            if line.at is None or ended is None or ended < line.at:
                wait = found.setdefault(awaited, _Wait())
                wait.add(line.ref, line.about or phrase("unnamed.lock-space"), line.node)
                wait.since += [line.at] if line.at is not None else []
    return found


_AWAITED: Final[tuple[Awaited, ...]] = ("fencing", "quorum", "messages")


def _last_end(events: Events, awaited: Awaited) -> int | None:
    """When a fence last succeeded, or quorum last came back: lines before it that a lock space waits are history."""
    ends = events.lines("quorum-regained" if awaited == "quorum" else "fence-result")
    good = (end.at for end in ends if end.kind == "quorum-regained" or is_good(end))
    return max((at for at in good if at is not None), default=None)


def _waiting(awaited: Awaited, wait: _Wait, victims: Victims | None) -> Seen:
    names = tuple(sorted(wait.spaces))
    to_fence = victims.names[:SHOWN] if victims else ()
    failed = bool(victims and to_fence and victims.failed)
    since, nodes = min(wait.since, default=None), tuple(sorted(wait.nodes))
    return Seen(
        level="recovery" if awaited == "messages" else "space",
        words=SpaceWords(names, len(names), len(names) > 1, awaited, to_fence, failed, since, len(wait.refs), nodes),
        lines=wait.refs,
        most_lines=REFS_MOST,
        nodes=nodes,
        times=(since,),
        goes_on=True,
        borne_by=(len(wait.refs), max(1, len(nodes))),
        parts=("tools",),
        causes=LOCK_FINDINGS,
        weight=1e9,
    )


def _first_of(lines: Iterable[LogLine]) -> int | None:
    return min((line.at for line in lines if line.at is not None), default=None)


def _no_quorum(records: Records, events: Events, names: Nodes) -> Iterator[Seen]:
    """Nodes whose last table, or whose log, says that the cluster has no quorum."""
    last = {one.node: one for one in records.of(Quorum) if one.quorate is not None and one.layer != "daemon"}
    tables = [one for one in last.values() if not one.quorate]
    logged = _not_regained(events, {node: one.at for node, one in last.items() if one.quorate})
    if not tables and not logged:
        return
    nodes = nodes_in(tables, logged)
    shown = next((match for one in tables if (match := _VOTES.search(one.state or ""))), None)
    lines = (*(one.ref for one in tables), *(line.ref for line in logged))
    yield Seen(
        level="quorum",
        words=QuorumWords(
            nodes,
            shown[0] if shown else None,
            bool(logged) and not tables,
            _first_of(logged),
            members_left(events, names),
        ),
        lines=lines,
        most_lines=REFS_MOST,
        nodes=nodes,
        times=[line.at for line in logged],
        goes_on=True,
        zone_min=logged[0].zone_min if logged else None,
        borne_by=(len(lines), max(1, len(nodes))),
        parts=("tools",),
        causes=LOCK_FINDINGS,
        weight=1e9,
    )


def _not_regained(events: Events, quorate: Mapping[str | None, int | None]) -> list[LogLine]:
    """Losses behind which neither the log of the node nor a look at it shows the quorum again. quorate: when the last
    look showed it, by node.
    """
    ends = {end.node: end for end in events.lines("quorum-regained", of=MEMBERSHIP)}
    return [
        line
        for line in events.lines("quorum-lost", of=MEMBERSHIP)
        if not (line.node in ends and is_later(ends[line.node], line))
        and not (line.node in quorate and _is_before(line.at, quorate[line.node]))
    ]


def _is_before(at: int | None, look: int | None) -> bool:
    """Whether a line is not younger than a look; one of the two without a time cannot contradict."""
    return at is None or look is None or at <= look


def _unfenced(victims: Victims, *, locks: bool) -> Seen:
    lines, stopped = victims.lines, victims.stopped[:SHOWN]
    times = [one.at for one in lines if one.at is not None]
    return Seen(
        level="unfenced",
        words=UnfencedWords(
            victims.names[:SHOWN],
            "failed" if victims.failed else "open",
            victims.attempts or None,
            (max(times) if victims.failed else min(times)) if times else None,
            victims.has_no_actor,
            victims.agents[:SHOWN],
            victims.result,
            tuple(one.resource or phrase("unnamed.resource") for one in stopped),
            len(stopped) > 1,
            victims.reasons[:SHOWN],
            None if victims.failed else victims.open_s,
            locks,
            victims.devices[:SHOWN],
        ),
        lines=victims.refs,
        most_lines=REFS_MOST,
        nodes=victims.shown_by,
        times=times,
        goes_on=True,
        zone_min=lines[0].zone_min if lines else None,
        borne_by=(len(victims.refs), 1),
        parts=("later",),
        causes=LOCK_FINDINGS,
        weight=1e9,
    )


Reason = Literal["consistency", "metadata", "assertion", "io", "storage"]
_REASONS: Final[tuple[tuple[re.Pattern[str], Reason], ...]] = (
    (re.compile(r"consistency error|inconsisten"), "consistency"),
    (re.compile(r"invalid metadata block|bad metadata|magic number"), "metadata"),
    (re.compile(r"assertion \""), "assertion"),
    (re.compile(r"fatal: I/O error"), "io"),
)
_INODE: Final = re.compile(r"\binode = (?:\d{1,20} )?(\d{1,20})")
_BLOCK: Final = re.compile(r"\b(?:bh|block|rgrp|RG) = (\d{1,20})")


@dataclass(frozen=True, slots=True)
class WithdrawWords:
    """before: what the same node lost in the minutes before: the last path to a disk, or requests to some. reason: what
    the kernel gives itself, with the number of the inode or block; storage where ``before`` says the same with
    its disk. shown_by: a log with its time, a log without one, or the file of the mount that holds 1. first: of the
    first generation of GFS, which has a check of its own.
    """

    fs: str
    node: str | None
    reason: Reason | None
    inode: str | None
    block: str | None
    at: int | None
    before: Literal["paths", "reserved", "errors"] | None
    path: str | None
    disks: tuple[str, ...]
    shown_by: Literal["log", "undated", "file"]
    first: bool


@dataclass(slots=True)
class _Withdraw:
    refs: list[Ref] = field(default_factory=list)
    at: int | None = None
    texts: list[str] = field(default_factory=list)

    @property
    def reason(self) -> Reason | None:
        """What the kernel calls the cause."""
        return next((reason for pattern, reason in _REASONS if any(map(pattern.search, self.texts))), None)

    def number(self, pattern: re.Pattern[str]) -> str | None:
        """The first number that a pattern finds."""
        return next((match[1] for text in self.texts if (match := pattern.search(text))), None)


_FIRST: Final = re.compile(r"\bGFS: fsid=")
RESERVED: Final = "reservation-conflict"
# A disk by its address: the kernel names it in the next line.
_ADDRESS: Final = re.compile(r"\d+:\d+:\d+:\d+")


@rule("RC-03", needs=(Events, Cluster), words=WithdrawWords)
def withdraw(events: Events, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node answers every access with an error.

    Reasoning: the kernel log says that the file system withdrew, or its withdraw file holds 1.
    Source: kernel log, sysfs.
    """
    found: dict[tuple[str | None, str], _Withdraw] = defaultdict(_Withdraw)
    for line in events.lines("gfs2-withdraw"):
        one = found[line.node, _fs_of(line.about)]
        one.refs.append(line.ref)
        one.texts.append(line.text)
        one.at = one.at if one.at is not None else line.at
    for line in events.lines("gfs2-inconsistent", "gfs2-assertion", "gfs2-io-error"):
        if (line.node, _fs_of(line.about)) in found:
            one = found[line.node, _fs_of(line.about)]
            one.refs.append(line.ref)
            one.texts.append(line.text)
    for value in cluster.values(("withdraw", "Withdrawn")):
        if value.value.strip() == "1":
            found[value.node, short_fs(value.scope)].refs.append(value.ref)
    for (node, fs), one in list(found.items())[:SHOWN]:
        yield _withdrew(node, fs, one, _before(events, node, one))


def _cause_of(before: Sequence[LogLine]) -> Literal["paths", "reserved", "errors"] | None:
    """The gravest of what came before: a refused reservation is why requests failed, and so are lost paths."""
    kinds = {line.kind for line in before}
    return "paths" if "paths-remaining" in kinds else "reserved" if RESERVED in kinds else "errors" if kinds else None


def _withdrew(node: str | None, fs: str, one: _Withdraw, before: Sequence[LogLine]) -> Seen:
    lost_path = before[0].about if before and before[0].kind == "paths-remaining" else None
    cause = _cause_of(before)
    of_cause = (RESERVED,) if cause == "reserved" else BEFORE_WITHDRAW
    named = {line.about for line in before if line.kind in of_cause and line.about}
    disks = sorted({name for name in named if _ADDRESS.fullmatch(name) is None} or named)
    return Seen(
        level="withdrew",
        words=WithdrawWords(
            fs,
            node,
            "storage" if cause is not None and one.reason in (None, "io") else one.reason,
            one.number(_INODE),
            one.number(_BLOCK),
            one.at,
            cause,
            lost_path,
            tuple(disks[:SHOWN]),
            "file" if not one.texts else "undated" if one.at is None else "log",
            any(_FIRST.search(text) for text in one.texts),
        ),
        lines=(*one.refs[:4], *(line.ref for line in _of_each_kind(before))),
        nodes=(node,),
        times=(one.at,),
        goes_on=True,
        borne_by=(len(one.refs), 1),
        causes=LOCK_FINDINGS[:7],
        parts=("kernel",),
        weight=1e9,
    )


def _of_each_kind(lines: Sequence[LogLine]) -> list[LogLine]:
    """The first two, and the first of each other kind: one cited line speaks for its kind."""
    kinds = {line.kind for line in lines[:2]}
    others = {line.kind: line for line in reversed(lines[2:]) if line.kind not in kinds}
    return [*lines[:2], *others.values()]


def _before(events: Events, node: str | None, withdrawn: _Withdraw) -> list[LogLine]:
    """What the same node logged in the minutes before, in a log without times a few lines above: the end of all paths
    before an I/O error, which is their consequence.
    """
    kinds = ("paths-remaining", RESERVED, *BEFORE_WITHDRAW, "gfs2-io-error")
    lines = [line for line in events.lines(*kinds) if line.node == node and _leads_to(line, withdrawn)]
    none = [line for line in lines if line.kind == "paths-remaining" and line.value == 0]
    return none[-1:] or [line for line in lines if line.kind != "paths-remaining"]


def _leads_to(line: LogLine, withdrawn: _Withdraw) -> bool:
    if withdrawn.at is not None:
        return line.at is not None and 0 <= withdrawn.at - line.at <= BEFORE_US
    first = withdrawn.refs[0]
    return line.at is None and line.ref.artifact == first.artifact and 0 < first.line - line.ref.line <= LINES_BEFORE


def _fs_of(about: str | None) -> str:
    """``pond:projects.1`` of a log line is projects."""
    return short_fs(re.sub(r"\.(?:\d{1,4}|[a-z])$", "", about or ""))
