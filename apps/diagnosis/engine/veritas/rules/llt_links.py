"""Rules on the interconnect: latency (R9), round trips (R10), retransmits (R11), flow control (R12), links (R15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, LockRole, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.wording import node_words
from apps.diagnosis.engine.veritas.cluster import SLACK_US, Capture, ClusterFacts
from apps.diagnosis.engine.veritas.llt_facts import (
    FLOW_CONTROL,
    FLOWS,
    LINK_COUNTERS,
    LINK_NUMBERS,
    NO_LINK,
    PEERS,
    Tail,
    flows,
    loses,
    resent,
    resent_of,
    speed_mbit,
    tails,
    tails_of,
)
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.dataclass import dataclass
from parsers.records import Counter, Setting
from parsers.records.states import ClusterMember, HeartbeatLink


@dataclass(frozen=True, slots=True)
class LateWords:
    """tail, tail16: shares of packets of 1 ms and of 16 ms or longer; is_difference: of two readings; one_side: only
    receiving is late.
    """

    node: str | None
    way: str
    port: str | None
    tail: float
    tail16: float
    total: float
    is_difference: bool
    one_side: bool


@rule("R9", needs=(ClusterFacts,), words=LateWords)
def llt_latency(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: every access to an inode of another node takes long.

    Reasoning: the share of packets that took 1 ms or longer, and 16 ms or longer, in the histograms of lltshow.
    Source: proposed limits; Veritas InfoScale article 100031805 for the histograms.
    """
    for tail in tails(cluster):
        if tail.total < limits.packets or (level := _late(tail, limits)) is None:
            continue
        other = tail.other_share16
        one_side = (
            tail.way == "rx" and other is not None and tail.share16 >= limits.asymmetry * max(other, 1 / tail.total)
        )
        yield Seen(
            level=level,
            words=LateWords(
                tail.node, tail.way, tail.port, tail.share1, tail.share16, tail.total, tail.is_difference, one_side
            ),
            lines=tail.refs,
            nodes=(tail.node,),
            times=(tail.at,),
            parts=() if tail.is_difference else ("since_start",),
        )


def _late(tail: Tail, limits: Limits) -> str | None:
    """A histogram since the start may tell of another day: one step less than the difference of two."""
    if tail.is_difference and tail.share16 > limits.tail16_high:
        return "high"
    if tail.share1 > limits.tail_medium or tail.share16 > (
        limits.tail16_medium if tail.is_difference else limits.tail16_high
    ):
        return "medium"
    return "low" if tail.share1 > limits.tail_low else None


@dataclass(frozen=True, slots=True)
class TripWords:
    """packets per second over 1, 10 and 30 s, their size in bytes, the share of the link; known: its speed (Mb/s) is
    shown.

    full_ms: after how long without an answer the default window is used up. window: the one in force, in_flight:
    packets on their way.
    """

    node: str | None
    packets: float
    over_10: float
    over_30: float
    size: float
    share: float
    speed: float
    known: bool
    per_inode: float | None
    full_ms: float
    limits: Literal["unknown", "window", "not_window"]
    window: float | None
    in_flight: float | None


@rule("R10", needs=(ClusterFacts, LockRoles), words=TripWords)
def llt_slow_link(cluster: ClusterFacts, roles: LockRoles, limits: Limits) -> Iterator[Seen]:
    """Symptom: inodes change their owner at a rate that no setting raises, and the private link is nearly idle.

    Reasoning: thousands of small packets a second, a flat rate, a small part of the link's speed: round trips limit,
    not bandwidth. Source: Veritas InfoScale article 100031805; arithmetic.
    """
    if not cluster.storms:
        return
    for (node, _), captures in cluster.captures(PEERS).items():
        busy = [
            capture
            for capture in captures
            if (capture.get("txrate pkts 1s") or 0) >= limits.packets_per_s and _flat(capture, limits)
        ]
        busy = [capture for capture in busy if _in_storm(capture, cluster.storms, limits)]
        if busy:
            peak = max(busy, key=lambda capture: capture.get("txrate pkts 1s") or 0)
            yield from _round_trips(cluster, roles, node, peak, limits)


def _flat(capture: Capture, limits: Limits) -> bool:
    rates = [rate for span in (1, 10, 30) if (rate := capture.get(f"txrate pkts {span}s")) is not None]
    return len(rates) == 3 and max(rates) - min(rates) <= limits.flat * max(rates)


def _in_storm(capture: Capture, storms: Sequence[LockRole], limits: Limits) -> bool:
    """By its time; without one by standing in the text of such a storm."""
    if capture.at is None:
        return any(role.ref.artifact == capture.artifact for role in storms)
    reach = round(limits.near_s * 1e6) + SLACK_US
    return any(role.at is not None and abs(role.at - capture.at) <= reach for role in storms)


def _in_flight(cluster: ClusterFacts, node: str | None, packets: float) -> tuple[float | None, float | None]:
    """The window in force, and how many packets are on the way at a time; None where one of them is not shown."""
    in_force = [float(row.value) for row in flows(cluster, node) if row.name == "window"]
    late = [tail for tail in tails_of(cluster, node) if tail.is_difference and tail.way == "tx"]
    return (in_force[-1], packets * late[-1].mean_ms / 1000) if in_force and late else (None, None)


def _round_trips(
    cluster: ClusterFacts, roles: LockRoles, node: str | None, peak: Capture, limits: Limits
) -> Iterator[Seen]:
    packets, kib = peak.get("txrate pkts 1s") or 0.0, peak.get("txrate KB 1s")
    if kib is None:
        return
    speed, known = speed_mbit(cluster, node)
    share = kib * 1024 * 8 / (speed * 1e6)
    if share > limits.share:
        return
    window, in_flight = _in_flight(cluster, node, packets)
    full = window is not None and in_flight is not None and in_flight >= limits.window_used * window
    helps = full and not any(loses(found) for found in resent_of(cluster, node))
    words = TripWords(
        node=node,
        packets=packets,
        over_10=peak.get("txrate pkts 10s") or 0,
        over_30=peak.get("txrate pkts 30s") or 0,
        size=kib * 1024 / packets,
        share=share,
        speed=speed,
        known=known,
        per_inode=_per_inode(roles, peak, packets),
        full_ms=1000 * limits_of("llt").default_window / packets,
        limits="unknown" if window is None else "window" if full else "not_window",
        window=window,
        in_flight=in_flight,
    )
    yield Seen(
        level="window" if helps else "round_trips",
        words=words,
        lines=peak.refs("txrate pkts 1s", "rxrate pkts 1s"),
        nodes=(node,),
        times=(peak.at,),
        zone_min=peak.zone_min,
        parts=() if in_flight is not None else ("not_shown",),
    )


def _per_inode(roles: LockRoles, peak: Capture, packets: float) -> float | None:
    """Packets for each inode pulled, with the pull that stands nearest."""
    pulls = [role for role in roles.all if role.role == "puller" and role.per_s.get("pull")]
    if peak.at is not None:
        near = [role for role in pulls if role.at is not None]
        best = min(near, key=lambda role: abs((role.at or 0) - (peak.at or 0)), default=None)
    else:
        near = [role for role in pulls if role.ref.artifact == peak.artifact]
        best = min(near, key=lambda role: abs(role.ref.line - peak.sample), default=None)
    return packets / best.per_s["pull"] if best is not None else None


@dataclass(frozen=True, slots=True)
class AgainWords:
    """Data packets sent, and sent again; value: the window in force."""

    node: str | None
    share: float
    again: float
    sent: float
    is_difference: bool
    window: Literal["unknown", "default", "raised"]
    value: int


@rule("R11", needs=(ClusterFacts,), words=AgainWords)
def llt_retransmit(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: lock traffic stalls again and again for a moment.

    Reasoning: the share of LLT data packets that were sent again, of the difference of two readings where there are
    two. Source: Veritas InfoScale article 100031805 (0.1 %).
    """
    usual = int(limits_of("llt").default_window)
    for found in resent(cluster):
        if found.sent < limits.packets or found.share < limits.medium:
            continue
        sizes = [int(row.value) for row in flows(cluster, found.node) if row.name == "window"]
        value = sizes[-1] if sizes else 0
        raised = value > usual
        window: Literal["unknown", "default", "raised"] = "raised" if raised else "default" if sizes else "unknown"
        lower = (("value", str(max(usual, value // 2))),)
        yield Seen(
            level="high" if found.share >= limits.high else "medium",
            words=AgainWords(found.node, found.share, found.again, found.sent, found.is_difference, window, value),
            lines=found.refs,
            nodes=(found.node,),
            times=(found.at,),
            parts=() if found.is_difference else ("since_start",),
            tunings=("window-lower",) if raised else (),
            advice=(Advice("window-lower", words=lower),) if raised else (),
            weight=found.share,
        )


@dataclass(frozen=True, slots=True)
class FlowWords:
    """Values of flow control that are too low, in packets; speed of the slowest link in Mb/s, and whether it
    is shown.
    """

    node: str | None
    values: tuple[str, ...]
    speed: float
    known: bool
    highwater: int | None
    lowwater: int | None
    rporthighwater: int | None
    rportlowwater: int | None
    window: int | None


@rule("R12", needs=(ClusterFacts,), words=FlowWords)
def llt_flow_defaults(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: lock storms on a fast private network.

    Reasoning: flow control in force below the values advised for links of 1 Gb/s, while inodes change their owners.
    Source: Veritas InfoScale article 100031805; VCS 7.0 administration guide.
    """
    by_node: dict[str | None, dict[str, Setting]] = defaultdict(dict)
    for row in cluster.set_as(FLOW_CONTROL):
        if row.name in FLOWS and row.value.isdecimal():
            by_node[row.node][row.name] = row
    for node, rows in by_node.items():
        yield from _too_low(
            cluster,
            node,
            {name: row for name, row in rows.items() if int(row.value) < getattr(limits, name)},
            limits,
        )


def _too_low(cluster: ClusterFacts, node: str | None, low: dict[str, Setting], limits: Limits) -> Iterator[Seen]:
    speed, known = speed_mbit(cluster, node)
    if any(loses(found) for found in resent_of(cluster, node)):
        low.pop("window", None)  # more packets on their way are no remedy for lost ones
    if not low or speed < limits.speed_mbit:
        return
    shown = (int(low[name].value) if name in low else None for name in FLOWS)
    yield Seen(
        level="shown" if not cluster.storms else "slowed" if known and cluster.harm.measured else "low",
        words=FlowWords(node, tuple(f"{name} {row.value}" for name, row in low.items()), speed, known, *shown),
        shown=low.values(),
        parts=() if known else ("no_speed",),
        tunings=tuple(name for name in FLOWS if name in low) if cluster.storms else (),
    )


@dataclass(frozen=True, slots=True)
class LinkWords:
    """links: with their states; which: those that are down; counts: links of each node, where they differ."""

    node: str | None = None
    peer: str = ""
    down: int | None = None
    total: int = 0
    left: int | None = None
    last: bool = False
    links: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    link: str | None = None
    checksums: float = 0.0
    late: float = 0.0
    errors: float = 0.0
    unsent: float = 0.0


@rule("R15", needs=(ClusterFacts, Records), words=LinkWords)
def llt_link(cluster: ClusterFacts, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: one link more lost, and a node is put out of the cluster.

    Reasoning: a link that is down under a node that is open; a node of the host table without a connection; unequal
    numbers of links; packets that found no link up. Source: VCS administration guide on lltstat.
    """
    heartbeats = (one for one in records.of(ClusterMember) if one.layer == "heartbeat")
    states = {(one.node, one.member): one for one in heartbeats if one.member}
    last_states = _last_states(cluster.links)
    yield from _down(last_states, states)
    for (node, peer), state in states.items():
        if state.standing == "joining" and not peer.isdecimal():
            yield Seen(
                level="connwait", words=LinkWords(node, peer), lines=(state.ref,), nodes=(node, peer), times=(state.at,)
            )
    yield from _unequal(last_states)
    yield from _fewer(cluster, records, states, set(last_states))
    yield from _harmed(records, limits)
    yield from _unsent(records, limits)


LastStates = dict[tuple[str | None, str], list[HeartbeatLink]]


def _last_states(rows: Iterable[HeartbeatLink]) -> LastStates:
    """The last print of each node about each peer: rows of one table stand within a few lines."""
    found: LastStates = defaultdict(list)
    for row in rows:
        view = found[row.node, row.peer or ""]
        if view and (row.artifact != view[0].artifact or any(row.link == old.link for old in view)):
            view.clear()
        view.append(row)
    return dict(found)


def _down(last_states: LastStates, states: dict[tuple[str | None, str], ClusterMember]) -> Iterator[Seen]:
    for (node, peer), rows in last_states.items():
        down = [row for row in rows if row.state == "DOWN"]
        left = len(rows) - len(down)
        state = states.get((node, peer))
        if not down or peer == node or (state is not None and state.standing != "up"):
            continue
        words = LinkWords(
            node=node,
            peer=peer,
            down=len(down),
            total=len(rows),
            left=left,
            last=left == 1,
            links=tuple(f"{row.link} {row.state}" for row in rows),
            which=tuple(str(row.link) for row in down),
        )
        yield Seen(
            level="last" if left <= 1 else "down",
            words=words,
            lines=[
                *([state.ref] if state else []),
                *(row.ref for row in (*rows, *_own(last_states, node, peer, words))),
            ],
            nodes=(node, peer),
            times=[row.at for row in rows],
        )


def _own(last_states: LastStates, node: str | None, peer: str, words: LinkWords) -> Iterator[HeartbeatLink]:
    """What either node prints of the same links in its row about itself."""
    for one in (node, peer):
        own = last_states.get((one, one or ""), ())
        yield from (row for row in own if row.state == "DOWN" and row.link in words.which)


def _unequal(last_states: LastStates) -> Iterator[Seen]:
    """Links of each node to the others, where nodes differ."""
    most: dict[str | None, int] = {}
    refs: dict[str | None, Ref] = {}
    for (node, peer), rows in last_states.items():
        if peer != node and not any(row.state == "DOWN" for row in rows):
            most[node] = max(most.get(node, 0), len(rows))
            refs.setdefault(node, rows[0].ref)
    if len(set(most.values())) > 1:
        counts = tuple(f"{node_words([node])} {links}" for node, links in sorted(most.items(), key=str))
        yield Seen(level="counts", words=LinkWords(counts=counts), lines=refs.values(), nodes=most)


def _fewer(
    cluster: ClusterFacts, records: Records, states: dict[tuple[str | None, str], ClusterMember], shown: set[Any]
) -> Iterator[Seen]:
    """Open nodes to which fewer links are up than the node has, where the table gives their number alone."""
    tables: dict[tuple[str | None, int], dict[str, tuple[float, Counter]]] = defaultdict(dict)
    for row, value in records.counted(LINK_NUMBERS):
        tables[row.node, row.artifact][cluster.name(row.scope or "")] = value, row
    for (node, _), rows in tables.items():
        most = int(max(value for value, _ in rows.values()))
        for peer, (value, row) in rows.items():
            state, left = states.get((node, peer)), int(value)
            if peer == node or left >= most or (node, peer) in shown or state is None or state.standing != "up":
                continue
            yield Seen(
                level="last" if left <= 1 else "down",
                words=LinkWords(node, peer, most - left, most, left, last=left == 1),
                lines=(row.ref, state.ref),
                nodes=(node, peer),
                times=(row.at,),
            )


def _harmed(records: Records, limits: Limits) -> Iterator[Seen]:
    """Links that got damaged packets, a share of all that is above the limit."""
    links: dict[tuple[str | None, str | None], dict[str, tuple[float, Counter]]] = defaultdict(dict)
    for row, value in records.counted(LINK_COUNTERS):
        links[row.node, row.scope][row.name] = value, row
    for (node, link), rows in links.items():
        checksums, late, errors, packets = (
            rows[name][0] if name in rows else 0.0 for name in ("badcksum", "latehb", "errors", "rxpkts")
        )
        bad = [rows[name][1] for name in ("badcksum", "latehb", "errors") if name in rows and rows[name][0]]
        if not bad or max(checksums, late, errors) < limits.harmed:
            continue
        if packets and checksums + late + errors <= limits.harmed_share * packets:
            continue
        yield Seen(
            level="harmed",
            words=LinkWords(node, link=link, checksums=checksums, late=late, errors=errors),
            shown=bad,
        )


def _unsent(records: Records, limits: Limits) -> Iterator[Seen]:
    """Nodes that had packets to send while none of their links was up; the last reading of each."""
    for row, value in {row.node: (row, value) for row, value in records.counted(NO_LINK)}.values():
        if value >= limits.unsent:
            yield Seen(
                level="unsent",
                words=LinkWords(row.node, unsent=value),
                shown=(row,),
            )
