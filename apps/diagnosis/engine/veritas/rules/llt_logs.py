"""Rules on logs of the cluster: heartbeats (R16), a change of the CVM master (R30), starved hosts (R35), links that share a path (R36)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.drafts import draft, in_words
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Severity
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import listed, plural
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts, Row, most_within, ref_of, unwrapped
from apps.diagnosis.engine.veritas.llt_facts import link_names, resent

_ABOUT: Final = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
PEERINACT_S: Final = 16.0  # how long a link is silent before it expires, unless changed
PULSE: Final = ("link-trouble", "heartbeat-delayed", "heartbeat-lost")
LOAD: Final = ("si", "so", "st", "%steal", "%soft")


@rule("R16")
def llt_messages(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: heartbeats between nodes are late or missing.

    Reasoning: how often links are called in trouble; silence on all links of a peer; last requests before a peer is given up.
    Source: VCS 6.0 administration guide; V-14-1-10205.
    """
    events = [row for row in facts.get(ClusterFacts).events if row["source"] in ("llt", "gab")]
    by_node: dict[str | None, list[Row]] = defaultdict(list)
    for row in events:
        by_node[row["node"]].append(row)
    for node, rows in by_node.items():
        yield from _silent(facts, node, rows, limits)
        yield from _requested(facts, node, rows)
        yield from _pulse(facts, node, rows, limits)
        if corrupt := [row for row in rows if row["kind"] == "corrupt-packet"]:
            words = _words(node, len(corrupt), "")
            yield draft("medium", map(ref_of, corrupt[:6]), words, variant="corrupt", nodes=[node], times=_times(corrupt),
                        figures=[Figure("Corrupt packets", len(corrupt))], tunings=("checksum-level",))  # fmt: skip


def _times(rows: Iterable[Row]) -> list[int | None]:
    return [row["at"] for row in rows]


def _words(node: str | None, times: int, rate: str, links: str = "", peer: str = "", silent: str = "", left: str = "") -> dict[str, str]:
    words = {
        "times": str(times),
        "losses": plural(times, "short loss", "short losses"),
        "rate": rate,
        "links": links,
        "peer": peer,
        "silent": silent,
        "left": left,
    }
    return {"node": node or "a node", **words}


def _peer_name(facts: CaseFacts, number: str) -> str:
    return facts.get(ClusterFacts).host_ids.get(number, number)


def _is_silence(row: Row, limits: Limits) -> bool:
    return row["kind"] == "link-expired" or (row["kind"] == "link-inactive" and (row["value"] or 0) >= limits.silent_s)


def _silences(rows: Sequence[Row], limits: Limits) -> dict[str, list[tuple[float, str, Row]]]:
    """By peer the moments at which a link had been silent for long: second, link, message."""
    found: dict[str, list[tuple[float, str, Row]]] = defaultdict(list)
    for second, row in zip(unwrapped(rows), rows, strict=True):
        about = _ABOUT.search(row["about"] or "")
        if about and _is_silence(row, limits):
            found[about[3]].append((second, about[2] or about[1], row))
    return found


def _silent(facts: CaseFacts, node: str | None, rows: Sequence[Row], limits: Limits) -> Iterator[Draft]:
    """All links of a peer silent at one time. How many it has comes from the tables, else from the whole log."""
    for peer, found in _silences(rows, limits).items():
        known = _links_to(facts, node, peer, rows)
        together = [one for one in found if len(_links_near(found, one[0], limits)) >= max(2, len(known))]
        if not together:
            continue
        shown = [row for _, _, row in together]
        gone = {link for _, link, row in together if row["kind"] == "link-expired"}
        is_lost = len(gone) >= max(2, len(known))
        longest = max((row["value"] or 0 for row in shown), default=0) or PEERINACT_S
        links = f"Links {listed(sorted({link for _, link, _ in together}))} were silent at the same time."
        fate = f" LLT gave {listed(sorted(gone))} up then (expired): the node was lost." if is_lost else ""
        words = _words(node, len(shown), "", links, in_words(_peer_name(facts, peer)), f"{longest:g}")
        words |= {"fate": fate, "lost": "lost" if is_lost else "was about to lose"}
        figure = Figure("Longest silence on all links", longest, "s", limits.words("silent_s"))
        nodes = [node, facts.get(ClusterFacts).host_ids.get(peer)]
        yield draft("critical", map(ref_of, shown[:8]), words, variant="silent", nodes=nodes, times=_times(shown), figures=[figure],
                    weight=longest)  # fmt: skip


def _links_near(found: Sequence[tuple[float, str, Row]], second: float, limits: Limits) -> set[str]:
    return {link for at, link, _ in found if abs(at - second) <= limits.together_s}


def _links_to(facts: CaseFacts, node: str | None, peer: str, rows: Sequence[Row]) -> set[str]:
    name = _peer_name(facts, peer)
    named = {row["link"] for row in facts.get(ClusterFacts).links if row["node"] == node and row["peer"] == name}
    logged = {about[2] for row in rows if (about := _ABOUT.search(row["about"] or "")) and about[3] == peer}
    return named or logged


def _requested(facts: CaseFacts, node: str | None, rows: Sequence[Row]) -> Iterator[Draft]:
    by_peer: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "heartbeat-requested" and (about := _ABOUT.search(row["about"] or "")):
            by_peer[about[3]].append(row)
    for peer, found in by_peer.items():
        left = min((row["value"] for row in found if row["value"] is not None), default=0)
        words = _words(node, len(found), "", "", in_words(_peer_name(facts, peer)), "", f"{left:g}")
        yield draft("critical", map(ref_of, found[:6]), words, variant="requests", times=_times(found),
                    nodes=[node, facts.get(ClusterFacts).host_ids.get(peer)], figures=[Figure("Requests left", left)])  # fmt: skip


def _pulse(facts: CaseFacts, node: str | None, rows: Sequence[Row], limits: Limits) -> Iterator[Draft]:
    """How often heartbeats were late for a moment."""
    found = _passing(rows, limits)
    if not found:
        return
    moments = unwrapped(found)
    hour, minute = most_within(moments, 3600), most_within(moments, 60)
    flood = hour > limits.flood_per_h or minute > limits.flood_per_min
    severity: Severity = "medium" if flood else "info" if hour < limits.low_per_h else "low"
    lost = any((row["value"] or 0) >= limits.silent_s for row in rows if row["kind"] == "link-inactive")
    chatter = flood and not lost and _may_wait(facts, node)
    yield draft(
        severity,
        map(ref_of, found[:4]),
        _words(node, len(found), f"{hour} within an hour, {minute} within a minute", _which(found)),
        variant="flood" if flood else "",
        nodes=[node],
        times=_times(found),
        figures=[
            Figure("Most within an hour", hour, "/h", limits.words("flood_per_h")),
            Figure("Most within a minute", minute, "/min", limits.words("flood_per_min")),
        ],
        tunings=("peertrouble",) if chatter else (),
    )


def _passing(rows: Sequence[Row], limits: Limits) -> list[Row]:
    """Late heartbeats that no longer silence of the same peer followed: that is told by itself."""
    moments = list(zip(unwrapped(rows), rows, strict=True))
    silences = [(second, about[3]) for second, row in moments if _is_silence(row, limits) and (about := _ABOUT.search(row["about"] or ""))]

    def led(second: float, row: Row) -> bool:
        about = _ABOUT.search(row["about"] or "")
        return about is not None and any(peer == about[3] and 0 <= at - second <= limits.together_s for at, peer in silences)

    return [row for second, row in moments if row["kind"] in PULSE and not led(second, row)]


def _may_wait(facts: CaseFacts, node: str | None) -> bool:
    """Whether peertrouble may be raised to 4 s: not where peerinact was lowered towards it."""
    values = [int(row["value"]) for row in facts.get(ClusterFacts).set_by("lltconfig -T") if row["name"] == "peerinact"
              and row["node"] in (node, None) and row["value"].isdecimal()]  # fmt: skip
    return not values or values[-1] >= 1600


def _which(rows: Sequence[Row]) -> str:
    links = sorted({row["about"] for row in rows if row["about"]})
    return f"It is about {listed(links)}." if links else ""


@rule("R30")
def cvm_master_change(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: all I/O to shared volumes stops for a while; volume manager commands hang.

    Reasoning: two captures name other masters, the sequence number rises, nodes join or leave, messages of a take-over.
    Source: recalled; vxdctl(1M), vxclustadm(1M).
    """
    cluster = facts.get(ClusterFacts)
    logged = cluster.logged("cvm-reconfiguration")
    moved = list(_masters(facts))
    numbered = list(_sequence(facts))
    busy = [row for row in cluster.set_by("vxclustadm nodestate") if row["name"] in ("joiners", "leavers") and _mask(row["value"])]
    rows = [*logged, *(row for pair in moved for row in pair), *(row for pair in numbered for row in pair), *busy]
    if rows:
        yield _reconfigured(facts, rows, moved, logged, bool(numbered or busy))
    for row in cluster.set_by("vxdctl -c mode"):
        if row["name"] == "mode" and not row["value"].startswith("enabled"):
            what = f"vxconfigd on {row['node'] or 'a node'} is not enabled ({row['value']})"
            how = "Commands of the volume manager fail or hang until it is."
            yield draft("medium", [ref_of(row)], {"what": what, "how": how}, nodes=[row["node"]], times=[row["at"]], basis="stated")


def _masters(facts: CaseFacts) -> Iterator[tuple[Row, Row]]:
    """Captures of one node, or in one text, that name different masters one after the other."""
    last: dict[str | None, Row] = {}
    for row in facts.get(ClusterFacts).masters:
        before = last.get(row["node"])
        if before is not None and before["manager"] != row["manager"]:
            yield before, row
        last[row["node"]] = row
    masters = {row["manager"]: row for row in last.values()}
    if len(masters) > 1 and len(last) > 1:
        one, other = list(masters.values())[:2]
        yield one, other


def _sequence(facts: CaseFacts) -> Iterator[tuple[Row, Row]]:
    last: dict[str | None, Row] = {}
    for row in facts.get(ClusterFacts).set_by("vxclustadm nodestate"):
        if row["name"] == "reconfig_seqnum":
            before = last.get(row["node"])
            if before is not None and before["value"] != row["value"]:
                yield before, row
            last[row["node"]] = row


def _mask(value: str) -> bool:
    return value.lower() not in ("0", "0x0", "0x00")


def _reconfigured(facts: CaseFacts, rows: Sequence[Row], moved: Sequence[tuple[Row, Row]], logged: Sequence[Row], counted: bool) -> Draft:
    harm = facts.get(ClusterFacts).harm
    during = [row for row in rows if harm.overlaps(row["at"])]
    slowed = any(run.at is not None and row["at"] is not None and run.at <= row["at"] <= run.at + run.seconds * 1e6 for run in harm.runs
                 for row in during)  # fmt: skip
    certain = bool(logged) or counted or any(one["node"] == other["node"] for one, other in moved)
    severity: Severity = "high" if slowed else "medium" if during else "low" if certain and logged else "info"
    what = "The CVM master changed" if moved and certain else "The cluster of the volume manager reconfigured" if certain else \
        "Captures name different CVM masters"  # fmt: skip
    if moved:
        one, other = moved[0]
        how = f"{one['manager']} is named first, {other['manager']} later."
    else:
        how = f"{len(logged)} messages of a reconfiguration." if logged else "The sequence number rose, or nodes join or leave."
    if not during:
        how += " Whether it lies in the slow time is not shown." + ("" if certain else " It may be captures of different times only.")
    return draft(
        severity,
        [ref_of(row) for row in (*during[:4], *rows[:4])],
        {"what": what, "how": how},
        nodes=[row["node"] for row in rows],
        times=_times(rows),
        figures=[Figure("Signs of a change", len(rows))],
        basis="stated" if during and certain else "inferred" if certain else "recalled",
    )


@rule("R35")
def host_starved(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the locks of healthy nodes are slow because one node does not get to answer.

    Reasoning: messages on memory or stuck processors; swapping, stolen time or one processor busy with interrupts over several samples.
    Source: messages as printed; proposed limits.
    """
    if not facts.get(ClusterFacts).applies:
        return
    yield from _messages(facts, limits)
    yield from _samples(facts, limits)


def _messages(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    by_node: dict[str | None, list[Row]] = defaultdict(list)
    for row in facts.get(ClusterFacts).logged("out-of-memory", "soft-lockup", "page-allocation-failure"):
        by_node[row["node"]].append(row)
    for node, rows in by_node.items():
        hard = [row for row in rows if row["kind"] != "page-allocation-failure"]
        change = _change_after(facts, hard, limits)
        severity: Severity = "critical" if change else "high" if hard else "medium" if facts.get(ClusterFacts).harm.measured else "low"
        memory = any(row["kind"] != "soft-lockup" for row in rows)
        lockup = any(row["kind"] == "soft-lockup" for row in rows)
        what = "memory and processor time" if memory and lockup else "memory" if memory else "processor time"
        how = f"The kernel says so {len(rows)} times." if len(rows) > 1 else "The kernel says so."
        how += " The membership of the cluster changed soon after." if change else ""
        refs = [*(ref_of(row) for row in rows[:5]), *([ref_of(change)] if change else [])]
        yield draft(severity, refs, {"node": node or "a node", "what": what, "how": how}, nodes=[node], times=_times(rows),
                    figures=[Figure("Messages of the kernel", len(rows))], basis="stated")  # fmt: skip


def _change_after(facts: CaseFacts, rows: Sequence[Row], limits: Limits) -> Row | None:
    """A change of the membership within minutes after one of the messages."""
    for change in facts.get(ClusterFacts).logged("port-membership", "port-jeopardy", "vcs-membership"):
        for row in rows:
            if row["at"] is not None and change["at"] is not None and 0 <= change["at"] - row["at"] <= limits.before_s * 1e6:
                return change
    return None


def _samples(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """vmstat and mpstat over several samples."""
    cluster = facts.get(ClusterFacts)
    for (node, _), captures in cluster.captures("vmstat", "mpstat", "sar", names=LOAD, per_scope=False).items():
        for what, found in _short(captures, limits):
            severity: Severity = "medium" if cluster.harm.measured else "low"
            how = f"{len(found)} samples show it ({what[1]})."
            words = {"node": node or "a node", "what": what[0], "how": how}
            refs = [ref for capture, names in found[:4] for ref in capture.refs(*names)]
            yield draft(severity, refs, words, nodes=[node], times=[capture.at for capture, _ in found],
                        figures=[Figure("Samples", len(found), "", limits.words("samples"))])  # fmt: skip


Short = tuple[tuple[str, str], list[tuple[Capture, tuple[str, ...]]]]


def _short(captures: Sequence[Capture], limits: Limits) -> Iterator[Short]:
    """What is short, with the samples that show it: several processors of one sample count once."""
    kinds = (
        (("memory", "it swaps"), ("si", "so"), 0.0),
        (("processor time", "stolen by the hypervisor"), ("st", "%steal"), limits.steal_percent),
        (("processor time", "one processor serves interrupts alone"), ("%soft",), limits.soft_percent),
    )
    for words, names, least in kinds:
        found: dict[tuple[int, int, int | None], tuple[Capture, tuple[str, ...]]] = {}
        for capture in captures:
            if max((capture.get(name) or 0.0) for name in names) > least:
                found.setdefault((capture.artifact, capture.sample, capture.at), (capture, names))
        if len(found) >= limits.samples:
            yield words, list(found.values())


@rule("R36")
def llt_udp_mtu(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: both private links fail together, or large messages are lost.

    Reasoning: LLT over UDP, other MTU on one link, two links on one device, silence on both links in the same second.
    Source: llttab(4), messages of LLT; proposed limits.
    """
    yield from _lost_together(facts, limits)
    yield from _mtu_apart(facts)
    yield from _one_device(facts)
    yield from _over_udp(facts)


def _lost_together(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Two links of one peer with the same figure at the same moment."""
    by_moment: dict[tuple[str | None, str, int | None, float | None], dict[str, Row]] = defaultdict(dict)
    for row in facts.get(ClusterFacts).logged("link-inactive", "heartbeat-delayed"):
        about = _ABOUT.search(row["about"] or "")
        if about and row["at"] is not None:
            by_moment[row["node"], about[3], row["at"] // 1_000_000, row["value"]].setdefault(about[2] or about[1], row)
    found: dict[tuple[str | None, str], list[Row]] = defaultdict(list)
    times: dict[tuple[str | None, str], int] = defaultdict(int)
    for (node, peer, _, _), links in by_moment.items():
        if len(links) > 1:
            found[node, peer] += links.values()
            times[node, peer] += 1
    for (node, peer), rows in found.items():
        if times[node, peer] >= limits.together:
            name = _peer_name(facts, peer)
            what = f"Links of {node or 'a node'} to node {name} lose heartbeats in the same second, {times[node, peer]} times"
            how = "Equal figures on both links mean that they share a switch, a network or a SAP."
            yield draft("high", map(ref_of, rows[:8]), {"what": what, "how": how}, nodes=[node], times=_times(rows),
                        figures=[Figure("Times together", times[node, peer], "", limits.words("together"))])  # fmt: skip


def _mtu_apart(facts: CaseFacts) -> Iterator[Draft]:
    """The MTU of one private link differs between nodes."""
    cluster = facts.get(ClusterFacts)
    private = link_names(cluster)
    by_link: dict[str, dict[str | None, Row]] = defaultdict(dict)
    for row in cluster.settings:
        if row["name"].lower() in ("mtu", "link mtu") and row["scope"] in private and row["value"].isdecimal():
            by_link[row["scope"]][row["node"]] = row
    growing = any(found.is_difference and found.share >= 0.001 for found in resent(cluster))
    for link, rows in by_link.items():
        if len({row["value"] for row in rows.values()}) > 1:
            what = f"The MTU of {link} differs: " + ", ".join(
                f"{row['value']} on {node or 'a node'}" for node, row in sorted(rows.items(), key=str)
            )
            how = "A packet as large as the larger one is lost on its way" + (", and packets are sent again." if growing else ".")
            yield draft("medium" if growing else "low", map(ref_of, rows.values()), {"what": what, "how": how}, nodes=rows)


def _one_device(facts: CaseFacts) -> Iterator[Draft]:
    """Two links of one node on one device."""
    by_device: dict[tuple[str | None, str], dict[str, Row]] = defaultdict(dict)
    for row in facts.get(ClusterFacts).set_by("llttab"):
        if row["name"] == "link device" and row["value"] not in ("/dev/udp", "/dev/udp6", "udp", "udp6"):
            by_device[row["node"], row["value"]][row["scope"]] = row
    for (node, device), rows in by_device.items():
        if len(rows) > 1:
            what = f"Links {listed(sorted(rows))} of {node or 'a node'} run over one device, {device}"
            how = "The loss of that device is the loss of all of them."
            yield draft("low", map(ref_of, rows.values()), {"what": what, "how": how}, nodes=[node])


def _over_udp(facts: CaseFacts) -> Iterator[Draft]:
    rows = [row for row in facts.get(ClusterFacts).set_by("llttab") if row["name"] == "link type" and row["value"].startswith("udp")]
    if rows:
        what = "LLT runs over UDP"
        links = {(row["node"], row["scope"]) for row in rows}
        how = f"{len(links)} links of these files are of that type; the path may be shared with other traffic."
        yield draft("info", map(ref_of, rows[:4]), {"what": what, "how": how}, nodes=[row["node"] for row in rows], basis="stated")
