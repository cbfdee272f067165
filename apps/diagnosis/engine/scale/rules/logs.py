"""Rules on the log of mmfsd: long waiters (SC-15), membership (SC-22), name service (SC-35)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import itemgetter
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import Nodes, nodes_in
from apps.diagnosis.engine.core.facts.sessions import Sessions
from apps.diagnosis.engine.core.facts.setting_history import plain
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.times.moments import at_all
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase, phrases
from apps.diagnosis.engine.scale.evidence import counted
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import ScaleSettings
from apps.diagnosis.engine.scale.symptoms import (
    BREAKS,
    CLOSED,
    EXPEL_REQUESTS,
    EXPELS,
    LINKS,
    LONG,
    LOOKUPS,
    LOSSES,
    RDMA,
    READY,
    RECOVERIES,
    STARTS,
    STARVED,
    STOPS,
    TAKEOVERS,
    UNMOUNTS,
    Symptom,
    Symptoms,
    is_later,
    refs_of,
    when,
)
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass
from parsers.records.states import NOT_ANSWERED, ClusterMember

BREAKS_TUNING: Final = "minmissedpingtimeout"
DETECTION_TIME: Final = "failureDetectionTime"
RECOVERY_WAIT: Final = "leaseRecoveryWait"
START_US: Final = 120_000_000  # a node that starts elects and is appointed within moments
BEFORE_US: Final = 600_000_000  # a node without its network, or one that starves, is expelled within minutes
STOP_US: Final = 300_000_000  # within so long of an orderly stop a node is counted out for it
RECOVERY_US: Final = 60_000_000  # recovery of a node begins so soon after its connection broke
SWITCHES: Final = ("mmshutdown", "mmstartup")
_BROKEN: Final = (*CLOSED, "lease-overdue", "node-failed")


@dataclass(frozen=True, slots=True)
class LongWords:
    """still: how many have no end in the log."""

    count: int
    still: int
    longest: float
    nodes: tuple[str, ...]


@rule("SC-15", needs=(Symptoms,), words=LongWords)
def long_waiter_logged(symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: the log of mmfsd tells of unexpected long waiters.

    Reasoning: the detector itself saw them; a later line tells which of them went away and after how long.
    Source: IBM Storage Scale documentation, automated deadlock detection.
    """
    waiters = _long_waiters(symptoms)
    if not waiters:
        return
    still = [symptom for symptom, end in waiters if end is None]
    gone = [end for _, end in waiters if end is not None]
    begun = [symptom for symptom, _ in waiters]
    longest = max(symptom.value or 0.0 for symptom in (*begun, *gone))
    nodes = nodes_in(begun)
    yield Seen(
        level="still" if still else "ended_long" if longest >= limits.severe_s else "ended",
        words=LongWords(len(waiters), len(still), longest, nodes),
        lines=(*refs_of(still or begun, 5), *refs_of(gone, 2)),
        nodes=nodes,
        times=when([*begun, *gone]),
        borne_by=(len(waiters), len(nodes)),
        parts=("log_may_end",),
        weight=longest if still else 0.0,
    )


def _long_waiters(symptoms: Symptoms) -> list[tuple[Symptom, Symptom | None]]:
    """The last line about each long waiter with the line about its end, in the order of their first lines."""
    seen: dict[tuple[int, str | None], list[Symptom]] = defaultdict(list)
    ended: dict[tuple[int, str | None], list[Symptom]] = defaultdict(list)
    for symptom in symptoms.events(LONG):
        (seen if symptom.kind == "long-waiter" else ended)[symptom.ref.artifact, symptom.about].append(symptom)
    in_order = sorted(seen.items(), key=lambda item: item[1][0].ref.line)
    last = [(key, reduce(_later, rows)) for key, rows in in_order]
    return [(one, next((end for end in ended[key] if is_later(end, one)), None)) for key, one in last]


def _later(one: Symptom, other: Symptom) -> Symptom:
    """The later of two lines: a log may stand with its newest line first."""
    return other if is_later(other, one) else one


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberWords:
    """events: what happened, with how often; about: nodes; breaks: lines about broken connections, broken: to
    whom; tcp: lines about TCP before it.

    states, inactive: of nodes that mmgetstate shows; no_quorum: one of them waits for quorum. recovery:
    leaseRecoveryWait as set. answered, silent: expelled nodes that answered pings, or none of them. unmounted: file
    systems that a node lost with its membership. askers: who asked for an expel; spared: against whom, where the one
    that asked went in its place. links, starved: links that went down, and hosts that starved, shortly before their
    node left.
    """

    events: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    expels: int | None = None
    losses: int | None = None
    takeovers: int | None = None
    breaks: int | None = None
    broken: tuple[str, ...] = ()
    tcp: int = 0
    tcp_peers: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    inactive: int | None = None
    no_quorum: bool = False
    recovery: str = ""
    answered: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    unmounted: tuple[str, ...] = ()
    askers: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    starved: tuple[str, ...] = ()


@rule("SC-22", needs=(Symptoms, ScaleNsds, ScaleSettings, Nodes, Sessions), words=MemberWords)
def membership(
    symptoms: Symptoms, nsds: ScaleNsds, settings: ScaleSettings, nodes: Nodes, sessions: Sessions, limits: Limits
) -> Iterator[Seen]:
    """Symptom: everything stops for seconds to minutes, and mounts go away on some nodes.

    Reasoning: the log tells of expels, lost leases or quorum, takeovers of managers, or connections that break again
    and again. Source: IBM Storage Scale documentation, failures due to a network failure; the wording of some lines is
    recalled.
    """
    yield from _not_active(nsds, sessions)
    story = _story(symptoms, limits)
    if not story.some:
        return
    if story.level == "left" and nsds.returned([(_of_node(one), one.at, one.ref) for one in story.decisive]):
        story = replace(story, level="returned")
    elif story.level == "left" and _was_meant(story.decisive, symptoms.events(STOPS)):
        story = replace(story, level="meant")
    advice = _limits_of_life(symptoms, settings, story.expels, story.broken, limits)
    spared = _spared(story.expels, symptoms)
    named = {name for s in story.some for name in (s.node, s.about) if name and nodes.known(name)} | set(spared)
    low = next((one.value for one in settings.held(RECOVERY_WAIT) if _is_low(one.value, limits)), "")
    yield Seen(
        level=story.level,
        words=replace(_words_of(story, nodes), askers=_askers(story.expels, symptoms), spared=spared, recovery=low),
        lines=_lines_of(story),
        nodes=named,
        times=when([*story.downs, *story.decisive, *story.takeovers, *story.broken]),
        borne_by=(len(story.some), len(named)),
        parts=("logs_sent",),
        tunings=tuple(one.tuning for one in advice),
        advice=advice,
        weight=float(10 * len(story.decisive) + len(story.takeovers)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """How a membership was lost. some: what decides the level, empty where nothing is worth a word; broken: breaks
    that by themselves say so; tcp, downs, starved: what went before; unmounts: what followed.
    """

    level: str
    some: Sequence[Symptom]
    expels: Sequence[Symptom]
    losses: Sequence[Symptom]
    takeovers: Sequence[Symptom]
    broken: Sequence[Symptom]
    tcp: Sequence[Symptom]
    downs: Sequence[Symptom]
    starved: Sequence[Symptom]
    unmounts: Sequence[Symptom]

    @property
    def decisive(self) -> list[Symptom]:
        """A node is out, or there is no quorum."""
        return [*self.expels, *self.losses]


def _story(symptoms: Symptoms, limits: Limits) -> _Story:
    expels, losses, takeovers, breaks = (symptoms.events(kinds) for kinds in (EXPELS, LOSSES, TAKEOVERS, BREAKS))
    decisive, broken = expels + losses, [s for s in breaks if s.kind in _BROKEN]
    takeovers = takeovers if decisive else _not_of_a_start(takeovers, symptoms)
    recovered = _recovered(broken, symptoms.events(RECOVERIES))
    levels = (
        ("left", decisive),
        ("takeover", takeovers),
        ("recovered", recovered),
        ("breaks", broken if len(broken) >= limits.breaks else []),
    )
    level, some = next(((level, rows) for level, rows in levels if rows), ("", []))
    downs, starved = (_before(symptoms.events(kinds), decisive) for kinds in (("link-down",), STARVED))
    return _Story(
        level=level,
        some=some,
        expels=expels,
        losses=losses,
        takeovers=takeovers,
        broken=broken,
        tcp=[s for s in breaks if s.kind == "tcp-trouble" and s.about in {one.about for one in some}],
        downs=downs,
        starved=starved,
        unmounts=_unmounts(symptoms, decisive),
    )


def _words_of(story: _Story, nodes: Nodes) -> MemberWords:
    has_cause = bool(story.downs or story.starved)
    return MemberWords(
        events=counted(phrases("scale-membership")[s.kind] for s in story.some),
        about=tuple(sorted({_who(s, nodes) for s in story.some} - {""})),
        expels=len(story.expels),
        losses=len(story.losses),
        takeovers=len(story.takeovers),
        breaks=len(story.broken),
        broken=tuple(sorted({s.about for s in story.broken if s.about})),
        tcp=len(story.tcp),
        answered=_pinged(story.expels, answered=True),
        silent=_pinged(story.expels, answered=False),
        unmounted=tuple(sorted({one.about for one in story.unmounts if one.about})),
        tcp_peers=() if has_cause else tuple(sorted({s.about or "" for s in story.tcp})),
        links=tuple(
            dict.fromkeys(phrase("scale-members.link", link=s.about or "", node=s.node or "") for s in story.downs)
        ),
        starved=tuple(sorted({s.node or "" for s in story.starved})),
    )


def _lines_of(story: _Story) -> tuple[Ref, ...]:
    shown = {s.ref for s in story.some}
    return (
        *refs_of(story.downs, 3),
        *refs_of(story.starved, 2),
        *refs_of(story.some, 5),
        *refs_of(story.tcp, 1),
        *refs_of((s for s in story.broken if s.ref not in shown), 2),
        *refs_of(story.unmounts, 6),
    )


def _was_meant(decisive: Sequence[Symptom], stops: Sequence[Symptom]) -> bool:
    """Whether the log of each node that left says of that time that somebody stopped its daemon."""
    return all(
        any(stop.node == _of_node(one) and stop.is_near(one.at, one.at, STOP_US) for stop in stops) for one in decisive
    )


def _recovered(broken: Sequence[Symptom], recoveries: Sequence[Symptom]) -> list[Symptom]:
    """Breaks of connections with the recovery of a node that began right after them: in one log, at known times."""
    by_log: dict[int, list[tuple[int, Symptom]]] = defaultdict(list)
    for one in broken:
        if one.at is not None:
            by_log[one.ref.artifact].append((one.at, one))
    for rows in by_log.values():
        rows.sort(key=itemgetter(0))
    found: dict[Ref, Symptom] = {}
    covered: dict[int, int] = defaultdict(int)  # breaks of a log that an earlier recovery had before it
    for at, one in sorted(((one.at, one) for one in recoveries if one.at is not None), key=itemgetter(0)):
        rows = by_log[one.ref.artifact]
        first, end = bisect_left(rows, at - RECOVERY_US, key=itemgetter(0)), bisect_right(rows, at, key=itemgetter(0))
        if first < end:
            found |= {each.ref: each for _, each in rows[max(first, covered[one.ref.artifact]) : end]} | {one.ref: one}
            covered[one.ref.artifact] = end
    return list(found.values())


def _pinged(expels: Sequence[Symptom], *, answered: bool) -> tuple[str, ...]:
    """Expelled nodes that answered pings, or none of those sent."""
    return tuple(sorted({s.about for s in expels if s.about and s.value is not None and (s.value > 0) == answered}))


def _askers(expels: Sequence[Symptom], symptoms: Symptoms) -> tuple[str, ...]:
    """Nodes for whose request another one was expelled, as the very line of the expel says."""
    lines = {s.ref for s in expels}
    return tuple(sorted({s.node for s in symptoms.events(EXPEL_REQUESTS) if s.node and s.ref in lines}))


def _spared(expels: Sequence[Symptom], symptoms: Symptoms) -> tuple[str, ...]:
    """Nodes that stayed, while those went who asked to have them expelled."""
    gone = {s.about for s in expels}
    lines = {s.ref for s in expels}
    return tuple(
        sorted({s.about for s in symptoms.events(EXPEL_REQUESTS) if s.about and s.ref in lines and s.about not in gone})
    )


def _before(causes: Sequence[Symptom], decisive: Sequence[Symptom]) -> list[Symptom]:
    """What the kernel of a node told shortly before that node left."""
    left: dict[str | None, list[int]] = defaultdict(list)
    for one in decisive:
        if one.at is not None:
            left[_of_node(one)].append(one.at)
    moments = {node: at_all(times) for node, times in left.items() if node}
    return [
        one
        for one in causes
        if one.at is not None and one.node in moments and moments[one.node].has(one.at, one.at + BEFORE_US)
    ]


def _who(symptom: Symptom, nodes: Nodes) -> str:
    """The node that a line is about; what loses its membership names its cluster instead, which is no node."""
    if symptom.kind in LOSSES and not (symptom.about and nodes.known(symptom.about)):
        return symptom.node or (phrase("scale-members.of-cluster", name=symptom.about) if symptom.about else "")
    return symptom.about or symptom.node or ""


def _not_of_a_start(takeovers: list[Symptom], symptoms: Symptoms) -> list[Symptom]:
    """Roles that a node took without having just started, and of file systems that nobody mounted right after or gave
    up at the same time: at a start an election is ordinary and the daemon is ready only after it, the first mount
    appoints a manager, and one that is moved resigns.
    """
    starts, mounts, resigned = (
        at_all(one.at for one in symptoms.events((kind,)) if one.at is not None) for kind in STARTS
    )
    ready = defaultdict[tuple[int, str | None], list[int]](list)
    for one in symptoms.events(READY):
        if one.at is not None:
            ready[one.ref.artifact, one.node].append(one.at)
    after = {key: at_all(times) for key, times in ready.items()}
    none = at_all(())
    return [
        one
        for one in _not_handed_over(takeovers, symptoms)
        if one.at is None
        or not (
            starts.has(one.at - START_US, one.at)
            or after.get((one.ref.artifact, one.node), none).has(one.at, one.at + START_US)
            or (one.kind == "manager-takeover" and mounts.has(one.at, one.at + START_US))
            or (one.kind == "manager-takeover" and resigned.has(one.at - START_US, one.at + START_US))
        )
    ]


def _not_handed_over(takeovers: list[Symptom], symptoms: Symptoms) -> list[Symptom]:
    """Without those that have no time and stand right below the line by which the one before gave the role up."""
    given_up = {(one.ref.artifact, one.ref.line + 1) for one in symptoms.events(STARTS[2:]) if one.at is None}
    return [one for one in takeovers if one.at is not None or (one.ref.artifact, one.ref.line) not in given_up]


def _unmounts(symptoms: Symptoms, decisive: Sequence[Symptom]) -> list[Symptom]:
    """File systems that a node lost as it lost its membership: at that time, or soon after it."""
    left: dict[str | None, list[int]] = defaultdict(list)
    for one in decisive:
        if one.at is not None:
            left[_of_node(one)].append(one.at)
    moments = {node: at_all(times) for node, times in left.items()}
    return [
        one
        for one in symptoms.events(UNMOUNTS)
        if one.at is not None and one.node in moments and moments[one.node].has(one.at - START_US, one.at)
    ]


def _of_node(symptom: Symptom) -> str | None:
    """The node that leaves: what loses its membership says it of itself, unless it is of another's lease."""
    return symptom.node if symptom.kind in LOSSES and symptom.kind != "lease-expired" else symptom.about


def _not_active(nsds: ScaleNsds, sessions: Sessions) -> Iterator[Seen]:
    """Nodes that mmgetstate shows last in another state than active. Down may be on purpose; one that arbitrates waits
    for quorum.
    """
    found = {node: one for node, one in nsds.node_states.items() if one.standing != "up"}
    stopped = {node: one for node, one in found.items() if one.standing == "down" and _was_stopped(node, one, sessions)}
    if stopped:
        yield Seen(
            level="stopped",
            words=MemberWords(states=_states(stopped)),
            lines=[one.ref for one in stopped.values()][:6],
            nodes=stopped,
            borne_by=(len(stopped), 1),
        )
    found = {node: one for node, one in found.items() if node not in stopped}
    if not found:
        return
    no_quorum = any(one.standing == "joining" for one in found.values())
    is_listed = any(one.state not in NOT_ANSWERED for one in found.values())
    is_none_active = is_listed and len(found) == len(nsds.node_states) > 1
    yield Seen(
        level=_state_level(no_quorum=no_quorum, is_none_active=is_none_active),
        words=MemberWords(states=_states(found), inactive=len(found), no_quorum=no_quorum),
        lines=[one.ref for one in found.values()][:6],
        nodes=found,
        borne_by=(len(found), 1),
        parts=("purpose_unknown",),
    )


def _states(found: dict[str, ClusterMember]) -> tuple[str, ...]:
    by_state = defaultdict[str, list[str]](list)
    for node, one in sorted(found.items()):
        by_state[one.state or phrase("scale-states.unknown")].append(node)
    return tuple(
        phrase("scale-states.is", name=nodes[0], state=state)
        if len(nodes) == 1
        else phrase("scale-states.are", names=nodes, state=state)
        for state, nodes in by_state.items()
    )


def _was_stopped(node: str, one: ClusterMember, sessions: Sessions) -> bool:
    """Whether somebody shut the daemon of a node down in the session that shows it down, and did not start it again."""
    for run in reversed(sessions.before(one.artifact, one.line)):
        tool, *given = run.command.split()
        if tool.rsplit("/", 1)[-1] in SWITCHES and _is_for(node, given, run.node):
            return tool.endswith("shutdown")
    return False


def _is_for(node: str, given: Sequence[str], typed_on: str | None) -> bool:
    """Whether the words of a command mean a node: all of them, those behind -N, else the one where it was typed."""
    if "-a" in given or "all" in given:
        return True
    named = [name.split(".", 1)[0] for word in given if not word.startswith("-") for name in word.split(",")]
    return node.split(".", 1)[0] in named if named else node == typed_on


def _state_level(*, no_quorum: bool, is_none_active: bool) -> str:
    if is_none_active:
        return "lost_quorum" if no_quorum else "none_active"
    return "no_quorum" if no_quorum else "inactive"


def _is_low(value: str, limits: Limits) -> bool:
    return plain(value).isdigit() and int(plain(value)) < limits.recovery_wait_s


def _limits_of_life(
    symptoms: Symptoms, settings: ScaleSettings, expels: Sequence[Symptom], broken: Sequence[Symptom], limits: Limits
) -> tuple[Advice, ...]:
    """What decides when a node is taken for dead: offered behind its gate; else why not, where somebody could think of
    it.
    """
    found: list[Advice] = []
    if len(expels) >= limits.repeats and len(broken) >= limits.breaks:
        found.append(Advice(BREAKS_TUNING, unfit=_why_not_wait_longer(symptoms)))
    if settings.held(DETECTION_TIME):
        found.append(Advice("failuredetectiontime", unfit="detection_set"))
    if held := settings.held(RECOVERY_WAIT):
        is_low = any(_is_low(one.value, limits) for one in held)
        found.append(Advice("leaserecoverywait", unfit="recovery_low" if is_low else "recovery_set"))
    return tuple(found)


def _why_not_wait_longer(symptoms: Symptoms) -> str:
    """A longer limit of missed pings is for short glitches only: the kernel's log must be here and show no other cause.
    Empty: it may.
    """
    if not symptoms.has_kernel_log:
        return "no_kernel_log"
    if symptoms.events(STARVED) or symptoms.strained:
        return "starved"
    return "link_errors" if symptoms.events((*LINKS, *RDMA)) or symptoms.flow_control else ""


@dataclass(frozen=True, slots=True)
class LookupWords:
    """count: lookups that failed or timed out."""

    count: int
    nodes: tuple[str, ...]


@rule("SC-35", needs=(Symptoms, ScaleWaits), words=LookupWords)
def name_service_slow(symptoms: Symptoms, waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: NFS or SMB clients find the file system slow while mmfsd has hardly anything to wait for.

    Reasoning: log lines tell of lookups of names, users or groups that fail or time out, and no wait of mmfsd is long.
    Source: recalled; the lines themselves say what fails.
    """
    lookups = symptoms.events(LOOKUPS)
    if not lookups or waits.groups:
        return
    nodes = nodes_in(lookups)
    yield Seen(
        level="shown" if len(lookups) >= limits.lookups and waits.any else "hint",
        words=LookupWords(len(lookups), nodes),
        lines=refs_of(lookups, 6),
        nodes=nodes,
        times=when(lookups),
        borne_by=(len(lookups), len(nodes)),
        parts=("short_waiters" if waits.any else "no_waiters",),
        weight=float(len(lookups)),
    )
