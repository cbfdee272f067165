"""Rules on the interconnect: latency (R9), round trips (R10), retransmits (R11), flow control (R12), links (R15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.drafts import draft, share_words
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, LockRole, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import count, listed, node_words, percent
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.cluster import SLACK_US, Capture, ClusterFacts, Row, ref_of
from apps.diagnosis.engine.veritas.llt_facts import FLOWS, Resent, Tail, flows, resent, speed_mbit, tails
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.records import ClusterMember

DEFAULT_WINDOW: Final = 50
BETWEEN: Final = "between two readings"
SINCE_START: Final = "since LLT started"


@rule("R9")
def llt_latency(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: every access to an inode of another node takes long.

    Reasoning: the share of packets that took 1 ms or longer, and 16 ms or longer, in the histograms of lltshow.
    Source: proposed limits; Veritas InfoScale article 100031805 for the histograms.
    """
    for tail in tails(facts.get(ClusterFacts)):
        if tail.total < limits.packets or (severity := _late(tail, limits)) is None:
            continue
        other = tail.other_share16
        lopsided = tail.way == "rx" and other is not None and tail.share16 >= limits.asymmetry * max(other, 1 / tail.total)
        yield draft(
            severity,
            tail.refs,
            {
                "node": tail.node or "a node",
                "way": "receive latency" if tail.way == "rx" else "send latency",
                "port": tail.port or "a port",
                "tail": percent(tail.share1),
                "tail16": percent(tail.share16),
                "counted": f"{count(tail.total)} packets were counted {BETWEEN if tail.is_difference else SINCE_START}.",
                "side": " Only the receiving side is late: look at the host (processors, interrupts) before the wire." if lopsided else "",
            },
            nodes=[tail.node],
            times=[tail.at],
            figures=[
                Figure("Packets of 1 ms or longer", round(100 * tail.share1, 4), "%", share_words(limits, "tail_low")),
                Figure("Packets of 16 ms or longer", round(100 * tail.share16, 5), "%", share_words(limits, "tail16_high")),
            ],
            lacks="" if tail.is_difference else "the histogram counts since LLT started; two readings would show the slow time",
        )


def _late(tail: Tail, limits: Limits) -> Severity | None:
    """A histogram since the start may tell of another day: one step less than the difference of two."""
    if tail.is_difference and tail.share16 > limits.tail16_high:
        return "high"
    if tail.share1 > limits.tail_medium or tail.share16 > (limits.tail16_medium if tail.is_difference else limits.tail16_high):
        return "medium"
    return "low" if tail.share1 > limits.tail_low else None


@rule("R10")
def llt_slow_link(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: inodes change their owner at a rate that no setting raises, and the private link is nearly idle.

    Reasoning: thousands of small packets a second, a flat rate, a small part of the link's speed: round trips limit, not bandwidth.
    Source: Veritas InfoScale article 100031805; arithmetic.
    """
    cluster = facts.get(ClusterFacts)
    if not cluster.storms:
        return
    for (node, _), captures in cluster.captures("lltshow -p").items():
        busy = [capture for capture in captures if (capture.get("txrate pkts 1s") or 0) >= limits.packets_per_s and _flat(capture, limits)]
        busy = [capture for capture in busy if _in_storm(capture, cluster.storms, limits)]
        if busy:
            peak = max(busy, key=lambda capture: capture.get("txrate pkts 1s") or 0)
            yield from _round_trips(facts, node, peak, limits)


def _flat(capture: Capture, limits: Limits) -> bool:
    rates = [rate for span in (1, 10, 30) if (rate := capture.get(f"txrate pkts {span}s")) is not None]
    return len(rates) == 3 and max(rates) - min(rates) <= limits.flat * max(rates)


def _in_storm(capture: Capture, storms: Sequence[LockRole], limits: Limits) -> bool:
    """By its time; without one by standing in the text of such a storm."""
    if capture.at is None:
        return any(role.ref.artifact == capture.artifact for role in storms)
    reach = round(limits.near_s * 1e6) + SLACK_US
    return any(role.at is not None and abs(role.at - capture.at) <= reach for role in storms)


def _round_trips(facts: CaseFacts, node: str | None, peak: Capture, limits: Limits) -> Iterator[Draft]:
    packets, kib = peak.get("txrate pkts 1s") or 0.0, peak.get("txrate KB 1s")
    if kib is None:
        return
    speed, known = speed_mbit(facts.get(ClusterFacts), node)
    share = kib * 1024 * 8 / (speed * 1e6)
    if share > limits.share:
        return
    window = _window(facts, node, packets, limits)
    per_inode = _per_inode(facts, peak, packets)
    yield draft(
        "medium",
        peak.refs("txrate pkts 1s", "rxrate pkts 1s"),
        {
            "node": node or "a node",
            "packets": count(packets),
            "size": count(kib * 1024 / packets),
            "share": percent(share),
            "speed": f"{speed / 1000:g} Gb/s" if speed >= 1000 else f"{speed:g} Mb/s",
            "bound": "round trips limit it, not bandwidth",
            "flat": "1, 10 and 30 s: " + ", ".join(count(peak.get(f"txrate pkts {span}s") or 0) for span in (1, 10, 30)) + " packets/s",
            "guess": "" if known else " (the speed of the link is not shown; 1 Gb/s is taken)",
            "inodes": f"{per_inode:.1f} packets each way for each inode pulled. " if per_inode else "",
            "window": window.words,
        },
        nodes=[node],
        times=[peak.at],
        zone_min=peak.zone_min,
        figures=[
            Figure("LLT packets", packets, "/s", limits.words("packets_per_s")),
            Figure("Share of the link", round(100 * share, 2), "%", share_words(limits, "share")),
            Figure("Bytes a packet", round(kib * 1024 / packets), "B"),
            Figure("Packets for each inode", round(per_inode, 1)) if per_inode else None,
            Figure("Packets in flight", round(window.in_flight, 1)) if window.in_flight is not None else None,
        ],
        lacks="" if window.in_flight is not None else "latency during the storm, or the window in force, is not shown",
        tunings=("window",) if window.helps else (),
    )


class _Window:
    """Whether a larger window could help: packets in flight against the window in force."""

    def __init__(self, words: str, in_flight: float | None = None, *, helps: bool = False) -> None:
        self.words = words
        self.in_flight = in_flight
        self.helps = helps


def _window(facts: CaseFacts, node: str | None, packets: float, limits: Limits) -> _Window:
    cluster = facts.get(ClusterFacts)
    full = f"a window of {DEFAULT_WINDOW} is used up once a packet stays unanswered for {1000 * DEFAULT_WINDOW / packets:.1f} ms"
    in_force = [float(row["value"]) for row in flows(cluster, node) if row["name"] == "window"]
    late = [tail for tail in tails(cluster) if tail.is_difference and tail.node == node and tail.way == "tx"]
    if not in_force or not late:
        return _Window(f"Possibly the window limits it: {full}; which one was in force, and the latency during the storm, are not shown.")
    in_flight = packets * late[-1].mean_ms / 1000
    window = in_force[-1]
    if in_flight >= limits.window_used * window:
        clean = not any(found.share >= 0.001 for found in resent(cluster) if found.node == node)
        words = f"{in_flight:.0f} packets are in flight against a window of {window:g}: a larger window may help."
        return _Window(words, in_flight, helps=clean)
    return _Window(f"{in_flight:.1f} packets are in flight against a window of {window:g}: a larger window brings nothing.", in_flight)


def _per_inode(facts: CaseFacts, peak: Capture, packets: float) -> float | None:
    """Packets for each inode pulled, with the pull that stands nearest."""
    pulls = [role for role in facts.get(LockRoles).all if role.role == "puller" and role.per_s.get("pull")]
    if peak.at is not None:
        near = [role for role in pulls if role.at is not None]
        best = min(near, key=lambda role: abs((role.at or 0) - (peak.at or 0)), default=None)
    else:
        near = [role for role in pulls if role.ref.artifact == peak.artifact]
        best = min(near, key=lambda role: abs(role.ref.line - peak.sample), default=None)
    return packets / best.per_s["pull"] if best is not None else None


@rule("R11")
def llt_retransmit(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: lock traffic stalls again and again for a moment.

    Reasoning: the share of LLT data packets that were sent again, of the difference of two readings where there are two.
    Source: Veritas InfoScale article 100031805 (0.1 %).
    """
    for found in resent(facts.get(ClusterFacts)):
        if found.sent < limits.packets or found.share < limits.medium:
            continue
        window, tunings, advice = _lower(facts, found)
        yield draft(
            "high" if found.share >= limits.high else "medium",
            found.refs,
            {
                "node": found.node or "a node",
                "share": percent(found.share),
                "again": count(found.again),
                "sent": count(found.sent),
                "since": " between two readings" if found.is_difference else " since LLT started",
                "window": window,
            },
            nodes=[found.node],
            times=[found.at],
            figures=[Figure("Sent again", round(100 * found.share, 5), "%", share_words(limits, "medium"))],
            lacks="" if found.is_difference else "the counters are since LLT started; two readings would show whether it goes on",
            tunings=tunings,
            advice=advice,
            weight=found.share,
        )


def _lower(facts: CaseFacts, found: Resent) -> tuple[str, tuple[str, ...], tuple[Advice, ...]]:
    """Halve a window that was raised; otherwise only the network is left to look at."""
    values = [
        int(row["value"]) for row in flows(facts.get(ClusterFacts), found.node) if row["name"] == "window" and row["value"].isdecimal()
    ]
    if not values:
        return " Whether the window was raised is not shown (lltconfig -F query).", (), ()
    if values[-1] <= DEFAULT_WINDOW:
        return " The window stands at its default: look at adapters, cables, and speed and duplex of the switch ports.", (), ()
    lower = max(DEFAULT_WINDOW, values[-1] // 2)
    words = f" The window stands at {values[-1]}: after adapters, cables and switch ports were checked, lower it step by step."
    return words, ("window-lower",), (Advice("window-lower", words=(("value", str(lower)),)),)


@rule("R12")
def llt_flow_defaults(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: lock storms on a fast private network.

    Reasoning: flow control in force below the values advised for links of 1 Gb/s, while inodes change their owners.
    Source: Veritas InfoScale article 100031805; VCS 7.0 administration guide.
    """
    cluster = facts.get(ClusterFacts)
    if not cluster.storms:
        return
    by_node: dict[str | None, dict[str, Row]] = defaultdict(dict)
    for row in cluster.set_by("lltconfig -F"):
        if row["name"] in FLOWS and row["value"].isdecimal():
            by_node[row["node"]][row["name"]] = row
    for node, rows in by_node.items():
        low = {name: row for name, row in rows.items() if int(row["value"]) < getattr(limits, name)}
        speed, known = speed_mbit(cluster, node)
        lossy = any(found.share >= 0.001 for found in resent(cluster) if found.node == node)
        if lossy:
            low.pop("window", None)  # more packets on their way are no remedy for lost ones
        if not low or speed < limits.speed_mbit:
            continue
        yield draft(
            "medium" if known and cluster.harm.measured else "low",
            [ref_of(row) for row in low.values()],
            {
                "node": node or "a node",
                "values": ", ".join(f"{name} {row['value']}" for name, row in low.items()),
                "speed": f"The link runs at {speed / 1000:g} Gb/s."
                if known
                else "The speed of the links is not shown: check it first (ethtool).",
            },
            nodes=[node],
            times=[row["at"] for row in low.values()],
            figures=[Figure(f"LLT {name}", int(row["value"]), "packets", limits.words(name)) for name, row in low.items()],
            lacks="" if known else "the speed of the private links is not shown",
            tunings=tuple(name for name in FLOWS if name in low),
        )


@rule("R15")
def llt_link(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one link more lost, and a node is put out of the cluster.

    Reasoning: a link that is down under a node that is open; a node of the host table without a connection; unequal numbers of links.
    Source: VCS administration guide on lltstat.
    """
    yield from _down(facts)
    yield from _not_connected(facts)
    yield from _unequal(facts)


def _last_views(rows: Iterable[Row]) -> dict[tuple[str | None, str], list[Row]]:
    """The last print of each node about each peer: rows of one table stand within a few lines."""
    found: dict[tuple[str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        view = found[row["node"], row["peer"]]
        if view and (row["artifact"] != view[0]["artifact"] or any(row["link"] == old["link"] for old in view)):
            view.clear()
        view.append(row)
    return dict(found)


def _states(facts: CaseFacts) -> dict[tuple[str | None, str], ClusterMember]:
    """The last state of each peer as each node sees it."""
    return {(one.node, one.member): one for one in facts.records.of(ClusterMember) if one.layer == "heartbeat" and one.member}


def _down(facts: CaseFacts) -> Iterator[Draft]:
    states = _states(facts)
    for (node, peer), rows in _last_views(facts.get(ClusterFacts).links).items():
        down = [row for row in rows if row["state"] == "DOWN"]
        left = len(rows) - len(down)
        state = states.get((node, peer))
        if not down or peer == node or (state is not None and state.standing != "up"):
            continue
        yield draft(
            "high" if left <= 1 else "medium",
            [*([state.ref] if state else []), *(ref_of(row) for row in rows)],
            {
                "node": node or "a node",
                "peer": peer,
                "down": f"{len(down)} of {len(rows)}",
                "left": f"{left} still",
                "links": listed(f"{row['link']} {row['state']}" for row in rows),
                "which": listed(row["link"] for row in down),
                "danger": " One link is left: the loss of it can't be told from the loss of the node (jeopardy)." if left == 1 else "",
            },
            nodes=[node, peer],
            times=[row["at"] for row in rows],
            figures=[Figure("Links down", len(down)), Figure("Links left", left)],
        )


def _not_connected(facts: CaseFacts) -> Iterator[Draft]:
    for (node, peer), row in _states(facts).items():
        if row.standing == "joining" and not peer.isdecimal():
            words = {"node": node or "a node", "peer": peer, "down": "all", "left": "", "links": "", "danger": ""}
            yield draft("high", [row.ref], words, variant="connwait", nodes=[node, peer], times=[row.at])


def _unequal(facts: CaseFacts) -> Iterator[Draft]:
    """Links of each node to the others, where nodes differ."""
    views: dict[str | None, int] = {}
    refs: dict[str | None, Ref] = {}
    for (node, peer), rows in _last_views(facts.get(ClusterFacts).links).items():
        if peer != node and not any(row["state"] == "DOWN" for row in rows):
            views[node] = max(views.get(node, 0), len(rows))
            refs.setdefault(node, ref_of(rows[0]))
    if len(set(views.values())) > 1:
        shown = ", ".join(f"{node or 'a node'} {links}" for node, links in sorted(views.items(), key=str))
        words = {"node": node_words(views), "peer": "", "down": "", "left": "", "danger": "", "links": shown}
        yield draft("low", refs.values(), words, variant="counts", nodes=views)
