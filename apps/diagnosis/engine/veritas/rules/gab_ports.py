"""Rules on GAB and the engine above it: flow control (R13), jeopardy and missing ports (R17), a late engine (R18),
fencing (R29).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.records import grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.times.moments import at_all
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.core.words.phrases import phrase, phrases
from apps.diagnosis.engine.veritas.cluster import GAB_FLOW, LOAD, STARVED_KINDS, Capture, ClusterFacts, Logged, steps
from parsers.dataclass import dataclass
from parsers.records.states import HeartbeatLink, Membership

QUEUES: Final = metric("gab-port-queues")
PAGING: Final = metric("paging")
IMPORT_US: Final = 120_000_000  # a disk group is imported within so long
Side = Literal["send", "receive"]
SIDES: Final[dict[str, Side]] = {"xm": "send", "rv": "receive"}
Names = tuple[str | None, ...]
Ports = dict[str, list[Membership]]


@dataclass(frozen=True, slots=True)
class FlowWords:
    """How often flow control was set and cleared; grown: between two readings; held_s: how long it has been set at
    least.
    """

    node: str | None
    port: str
    side: Side
    times: float
    cleared: float
    grown: float
    held_s: float


@rule("R13", needs=(ClusterFacts,), words=FlowWords)
def gab_flow(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: lock traffic stops for moments although the links are up.

    Reasoning: flow control of the port was set, grows between readings, or is set and not cleared.
    Source: Veritas InfoScale article 100031805.
    """
    for (node, scope), captures in cluster.captures(GAB_FLOW).items():
        for side in SIDES:
            known = [capture for capture in captures if capture.get(f"gp_{side}_flwsetcnt") is not None]
            if known and (known[-1].get(f"gp_{side}_flwsetcnt") or _is_set(known[-1], side)):
                yield _flow(node, scope, side, known, limits)


def _is_set(capture: Capture, side: str) -> bool:
    """Set and not cleared; what a reading does not show says nothing."""
    done, cleared = capture.get(f"gp_{side}_flwsetcnt"), capture.get(f"gp_{side}_flwclrcnt")
    return bool(capture.get(f"gp_{side}_flwctl")) or (done is not None and cleared is not None and done != cleared)


def _flow(node: str | None, scope: str | None, side: str, captures: Sequence[Capture], limits: Limits) -> Seen:
    last, names = captures[-1], [f"gp_{side}_flwctl", f"gp_{side}_flwsetcnt", f"gp_{side}_flwclrcnt"]
    grown = max(((later.since(earlier, names[1]) or 0) for earlier, later in steps(captures)), default=0)
    blocked = _is_set(last, side)
    held = [capture.at for capture in captures if _is_set(capture, side) and capture.at is not None]
    length = (max(held) - min(held)) / 1e6 if blocked and len(held) == len(captures) > 1 else 0.0
    level = "blocked_long" if length > limits.persists_s else "blocked" if blocked else "grown" if grown else "once"
    port = scope.removeprefix("GAB ") if scope else "port"
    return Seen(
        level=level,
        words=FlowWords(node, port, SIDES[side], last.get(names[1]) or 0, last.get(names[2]) or 0, grown, length),
        lines=[ref for capture in captures[-2:] for ref in capture.refs(*names)],
        nodes=(node,),
        times=[capture.at for capture in captures],
        zone_min=last.zone_min,
        parts=() if len(captures) > 1 else ("one_reading",),
    )


@dataclass(frozen=True, slots=True)
class StateWords:
    """state: of the members of some ports; by: nodes that report it; down: links to the members that are down, with
    their nodes.
    """

    state: Literal["jeopardy", "visible", "both"]
    ports: tuple[str, ...]
    one_port: bool
    members: tuple[str, ...]
    by: Names
    down: tuple[str, ...]
    one_down: bool
    rows: int


@dataclass(frozen=True, slots=True)
class MissingWords:
    """Ports that some nodes lack and others (by) show; meanings: what runs on them."""

    ports: tuple[str, ...]
    one_port: bool
    nodes: Names
    by: Names
    meanings: tuple[str, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class ApartWords:
    """Ports whose generations differ between nodes; split: their members differ too."""

    ports: tuple[str, ...]
    one_port: bool
    nodes: Names
    split: bool


@rule("R17", needs=(ClusterFacts,), words=(StateWords, MissingWords, ApartWords))
def gab_jeopardy(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: one more lost link, and the cluster can't tell a dead link from a dead node.

    Reasoning: jeopardy or visible rows; ports on some nodes and not on others; other generations of one port.
    Source: gabconfig(1M); KB 100031240, 100034056.
    """
    yield from _jeopardy(cluster)
    shown = tuple(_prints(cluster))
    last = _last_captures(shown)
    yield from _missing_ports(last)
    prints = _unnamed_capture(shown)
    prints.update(last)
    yield from _absent_members(cluster, prints)
    yield from _generations(last)


def _ports_of(rows: Iterable[Membership], logged: Iterable[Logged]) -> set[str]:
    printed = {row.group for row in rows if row.group}
    return printed | {row.about.removeprefix("port ") for row in logged if row.about}


def _jeopardy(cluster: ClusterFacts) -> Iterator[Seen]:
    rows = [row for row in cluster.ports if row.standing in ("jeopardy", "visible")]
    logged = cluster.logged("port-jeopardy", "port-visible")
    shown: list[Membership | Logged] = [*rows, *logged]
    if not shown:
        return
    states = {*(row.standing for row in rows), *(row.kind.removeprefix("port-") for row in logged)}
    ports = _ports_of(rows, logged)
    ids = {number for row in rows for number in row.members.split()}
    by = tuple({one.node for one in shown})
    down = _links_down(cluster, ids)
    words = StateWords(
        state="both" if len(states) > 1 else "jeopardy" if "jeopardy" in states else "visible",
        ports=tuple(sorted(ports)),
        one_port=len(ports) == 1,
        members=_named(cluster, ids),
        by=by,
        down=tuple(map(_link_down, down)),
        one_down=len(down) == 1,
        rows=len(shown),
    )
    yield Seen(
        level="state",
        words=words,
        lines=[*(one.ref for one in shown), *(link.ref for link in down[:2])],
        nodes=[*by, *(cluster.name(number) for number in ids if number in cluster.host_ids)],
        times=[one.at for one in shown],
    )


def _link_down(row: HeartbeatLink) -> str:
    return phrase("llt-links.seen-from", link=row.link, node=row.node or phrase("unnamed.node"))


def _links_down(cluster: ClusterFacts, ids: Iterable[str]) -> list[HeartbeatLink]:
    """Links to these nodes that the last table of a node shows as down."""
    names = {cluster.name(cluster.host_ids.get(number, number)) for number in ids}
    last = {(row.node, row.peer, row.link): row for row in cluster.links}
    return [row for row in last.values() if row.state == "DOWN" and row.peer in names and row.peer != row.node]


def _named(cluster: ClusterFacts, ids: Iterable[str]) -> tuple[str, ...]:
    """Nodes by id, with their names where a table gives them."""
    return tuple(cluster.host_ids.get(number, f"node {number}") for number in sorted(ids, key=lambda n: (len(n), n)))


def _prints(cluster: ClusterFacts) -> Iterator[tuple[str | None, Ports]]:
    """Whole prints in the order of the text, with their nodes: one that a filter or a cut touched does not tell what is
    missing. A row that is there already begins another print, also where neither a prompt nor a line parts the two.
    """
    place, ports, seen = (-1, -1), Ports(), set[tuple[object, ...]]()
    node: str | None = None
    for row in cluster.ports:
        at = (row.artifact, cluster.section_of(row.artifact, row.line) or 0)
        if at not in cluster.whole_sections:
            continue
        key = (row.group, row.state)
        if at != place or row.node != node or key in seen:
            if ports:
                yield node, ports
            place, node, ports = at, row.node, defaultdict(list)
            seen.clear()
        seen.add(key)
        ports[row.group or ""].append(row)
    if ports:
        yield node, ports


def _last_captures(prints: Iterable[tuple[str | None, Ports]]) -> dict[str, Ports]:
    """The last print of each named node."""
    return {node: ports for node, ports in prints if node is not None}


def _unnamed_capture(prints: Iterable[tuple[str | None, Ports]]) -> dict[str | None, Ports]:
    """The last print of which nobody says where it was taken."""
    return {node: ports for node, ports in prints if node is None}


def _missing_ports(last: dict[str, Ports]) -> Iterator[Seen]:
    known = phrases("gab-ports")
    all_ports = sorted({port for ports in last.values() for port in ports if port})
    lacking = grouped(all_ports, lambda port: tuple(sorted(node for node, own in last.items() if port not in own)))
    lacking.pop((), None)
    for nodes, ports in lacking.items():
        shown = [(node, last[node][port][0]) for port in ports for node in last if port in last[node]]
        meanings = tuple(phrase("gab-port.is", port=port, meaning=known[port]) for port in ports if port in known)
        yield Seen(
            level="missing",
            words=MissingWords(
                tuple(ports), len(ports) == 1, nodes, tuple(node for node, _ in shown), meanings, len(ports)
            ),
            lines=[
                *(row.ref for _, row in shown[:4]),
                *(rows[0].ref for node in nodes for rows in list(last[node].values())[:1]),
            ],
            nodes=nodes,
            times=[row.at for _, row in shown],
        )


def _absent_members(cluster: ClusterFacts, last: Mapping[str | None, Ports]) -> Iterator[Seen]:
    """Ports of one print that lack a member which another port of the same print has."""
    lacking: dict[tuple[str, ...], dict[str, tuple[str | None, Membership]]] = defaultdict(dict)
    for by, ports in last.items():
        normal = {port: _members(rows) for port, rows in ports.items() if port}
        everybody = frozenset[str]().union(*normal.values())
        for port, members in sorted(normal.items()):
            absent = [number for number in everybody - members if _is_open(cluster, last, port, number)]
            if members and absent:
                lacking[_named(cluster, absent)].setdefault(port, (by, ports[port][0]))
    for names, found in lacking.items():
        yield _absent(tuple(found), names, list(found.values()), phrases("gab-ports"))


def _members(rows: Iterable[Membership]) -> frozenset[str]:
    return frozenset(number for row in rows if row.standing == "normal" for number in row.members.split())


def _is_open(cluster: ClusterFacts, last: Mapping[str | None, Ports], port: str, number: str) -> bool:
    """Whether the node's own print does not already show the port missing."""
    name = cluster.host_ids.get(number)
    return name is None or name not in last or port in last[name]


def _absent(
    ports: tuple[str, ...],
    names: tuple[str, ...],
    found: Sequence[tuple[str | None, Membership]],
    known: Mapping[str, str],
) -> Seen:
    meanings = tuple(phrase("gab-port.is", port=port, meaning=known[port]) for port in ports if port in known)
    by = tuple(dict.fromkeys(by for by, _ in found))
    return Seen(
        level="absent",
        words=MissingWords(ports, len(ports) == 1, names, by, meanings, len(ports)),
        lines=[row.ref for _, row in found],
        nodes=(*by, *(name for name in names if " " not in name)),
        times=[row.at for _, row in found],
    )


def _generations(last: dict[str, Ports]) -> Iterator[Seen]:
    """One port with other generations: captures of different times, unless the members contradict each other too; a
    cluster for each of the nodes where they have none in common.
    """
    shown = {port: _normal(last, port) for port in sorted({port for ports in last.values() for port in ports if port})}
    apart = {port: rows for port, rows in shown.items() if len({row.generation for row in rows}) > 1}
    if apart:
        level = _apart(list(apart.values()))
        words = ApartWords(tuple(apart), len(apart) == 1, tuple(last), level != "generations")
        yield Seen(level=level, words=words, lines=[row.ref for rows in apart.values() for row in rows[:3]], nodes=last)


def _normal(last: dict[str, Ports], port: str) -> list[Membership]:
    return [row for ports in last.values() for row in ports.get(port, ()) if row.standing == "normal"]


def _apart(ports: Sequence[Sequence[Membership]]) -> str:
    if any(not frozenset.intersection(*(_members([row]) for row in rows)) for rows in ports):
        return "alone"
    return "split" if any(len({row.members for row in rows}) > 1 for rows in ports) else "generations"


@dataclass(frozen=True, slots=True)
class LateWords:
    """times: late heartbeats; longest: seconds of the longest one, 0 where no line says it; latest: the last bucket
    with one.
    """

    node: str | None
    times: int
    once: bool
    longest: float
    latest: str


@rule("R18", needs=(ClusterFacts,), words=LateWords)
def had_starved(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: the engine is killed and started again, service groups move.

    Reasoning: messages that its heartbeat to GAB is late, or heartbeats of gabport beyond the first bucket.
    Source: V-16-1-51100, V-16-1-40184; gabport(1M).
    """
    late = _by_node(cluster.logged("had-late"))
    slow = dict(_slow_heartbeats(cluster))
    for node in dict.fromkeys([*late, *slow]):
        rows, (beyond, latest, refs) = late.get(node, []), slow.get(node, (0.0, "", ()))
        times = len(rows) + round(beyond)
        longest = max((row.value or 0.0 for row in rows), default=0.0)
        timeout = _timeout(cluster, node, times, longest, limits)
        yield Seen(
            level="repeated" if times >= limits.repeated else "once",
            words=LateWords(node, times, times == 1, longest, latest),
            lines=[*(row.ref for row in rows[:4]), *refs[:4]],
            nodes=(node,),
            times=[row.at for row in rows],
            parts=() if _load_is_shown(cluster) else ("no_load",),
            tunings=("vcs-gab-timeout",) if timeout else (),
            advice=(Advice("vcs-gab-timeout", words=(("value", str(timeout)),)),) if timeout else (),
            weight=longest,
        )


def _slow_heartbeats(cluster: ClusterFacts) -> Iterator[tuple[str | None, tuple[float, str, tuple[Ref, ...]]]]:
    """Heartbeats beyond the first bucket, of the last reading of each node."""
    for (node, scope), captures in cluster.captures(QUEUES).items():
        if scope not in (None, "GAB port h"):
            continue
        buckets: dict[str, tuple[float, Ref]] = {}
        for capture in captures:
            buckets |= {name: (value, Ref(capture.artifact, line)) for name, (value, line) in capture.values.items()}
        beyond = {
            name: found for name, found in buckets.items() if not name.startswith("heartbeat 0 ~") and found[0] > 0
        }
        if beyond:
            worst = max(beyond, key=lambda name: int(name.split()[1])).removeprefix("heartbeat ")
            yield node, (sum(value for value, _ in beyond.values()), worst, tuple(ref for _, ref in beyond.values()))


def _timeout(cluster: ClusterFacts, node: str | None, times: int, longest: float, limits: Limits) -> int | None:
    """A longer timeout (ms): only for delays that come near it, again and again, on a node whose load is shown and
    shows no shortage.
    """
    near = times >= limits.repeated and longest >= limits.near_timeout_s
    if not near or cluster.once(_is_short) or not _load_is_shown(cluster):
        return None
    return max(60_000, round(2000 * longest))


def _is_short(cluster: ClusterFacts) -> bool:
    """Whether a node lacks processors or memory."""
    starved = cluster.logged(*STARVED_KINDS)
    samples = cluster.captures(PAGING, names=("si", "so"), per_scope=False).values()
    swaps = any((capture.get("si") or 0) + (capture.get("so") or 0) > 0 for captures in samples for capture in captures)
    return bool(starved) or swaps


def _load_is_shown(cluster: ClusterFacts) -> bool:
    return bool(cluster.captures(LOAD))


Fenced = Literal["itself", "preexisting", "split", "ejected", "conflicts"]
PUT_OUT: Final = ("fencing-split-brain", "fencing-preexisting-split-brain", "fencing-eject", "fencing-ejected")


@dataclass(frozen=True, slots=True)
class FencedWords:
    """what: the gravest message; from, to: nodes that lost links shortly before, and to whom; errors: I/O errors beside
    conflicts.
    """

    node: str | None
    what: Fenced
    rows: int
    lost_on: tuple[str, ...] = ()
    lost_to: tuple[str, ...] = ()
    errors: bool = False


@rule("R29", needs=(ClusterFacts,), words=FencedWords)
def fencing_keys(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node is put out, or its I/O to shared disks fails.

    Reasoning: messages of I/O fencing on split brain and ejected nodes; reservation conflicts beside I/O errors or a
    missing port b, not those of an import that puts the node's keys on the disks.
    Source: messages as printed; their weight is recalled.
    """
    if not cluster.applies:
        return
    for node, rows in _by_node(cluster.logged(*PUT_OUT)).items():
        yield _put_out(cluster, node, rows, limits)
    errors = {row.node for row in cluster.logged("io-error", "buffer-error")}
    last = _last_captures(_prints(cluster))
    unfenced = (
        {node for node, ports in last.items() if "b" not in ports}
        if any("b" in ports for ports in last.values())
        else set()
    )
    imports = _by_node(cluster.logged("disk-group-import-fenced"))
    for node, rows in _by_node(cluster.logged("reservation-conflict")).items():
        level = "known" if node in errors or node in unfenced else "conflicts"
        if level == "conflicts" and _is_of_an_import(rows, imports.get(node, ())):
            continue
        yield _fencing(level, FencedWords(node, "conflicts", len(rows), errors=node in errors), rows)


def _is_of_an_import(rows: Sequence[Logged], imports: Sequence[Logged]) -> bool:
    """Whether disks refused a node only while it put its keys on those of a disk group."""
    times = [row.at for row in imports if row.at is not None]
    return all(row.at is not None and any(abs(row.at - at) <= IMPORT_US for at in times) for row in rows)


def _put_out(cluster: ClusterFacts, node: str | None, rows: Sequence[Logged], limits: Limits) -> Seen:
    own = [row for row in rows if row.kind == "fencing-ejected"]
    old = [row for row in rows if row.kind == "fencing-preexisting-split-brain"]
    brain = old or [row for row in rows if row.kind == "fencing-split-brain"]
    what: Fenced = "itself" if own else "preexisting" if old else "split" if brain else "ejected"
    first = own or brain
    words = FencedWords(node, what, len(rows), *_heard_nothing(cluster, rows, limits))
    return _fencing("put_out", words, [*first, *(row for row in rows if row not in first)], weight=float(bool(own)))


def _fencing(level: str, words: FencedWords, rows: Sequence[Logged], weight: float = 0.0) -> Seen:
    times = [row.at for row in rows]
    return Seen(
        level=level,
        words=words,
        lines=[row.ref for row in rows[:6]],
        nodes=(words.node,),
        times=times,
        weight=weight,
    )


def _heard_nothing(
    cluster: ClusterFacts, rows: Sequence[Logged], limits: Limits
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The loss of heartbeats shortly before: fencing follows it. Nodes that lost links, and nodes to which."""
    moments = at_all(row.at for row in rows if row.at is not None)
    expired = ((row.at, row) for row in cluster.logged("link-expired") if row.at is not None)
    lost = [row for at, row in expired if moments.has(at, at + limits.before_s * 1e6)]
    peers = {row.about.rpartition(" ")[2] for row in lost if row.about}
    names = tuple(sorted(cluster.host_ids.get(peer, f"node {peer}") for peer in peers))
    return tuple(sorted({row.node for row in lost if row.node})), names


def _by_node(rows: Iterable[Logged]) -> dict[str | None, list[Logged]]:
    found: dict[str | None, list[Logged]] = defaultdict(list)
    for row in rows:
        found[row.node].append(row)
    return found
