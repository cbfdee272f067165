"""Rules on GAB and the engine above it: flow control (R13), jeopardy and missing ports (R17), a late engine (R18), fencing (R29)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Ref
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import count, listed, node_words, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts, Row, ref_of, steps
from parsers.records import Membership

_BEFORE_US: Final = 60_000_000

SIDES: Final = {"xm": "send", "rv": "receive"}
PORTS: Final = {
    "a": "GAB itself", "b": "I/O fencing", "d": "ODM", "f": "the cluster file system", "h": "the VCS engine", "m": "GLM for SmartIO",
    "o": "VCSMM", "u": "CVM command shipping", "v": "CVM", "w": "vxconfigd between nodes", "y": "CVM I/O shipping",
}  # fmt: skip


@rule("R13")
def gab_flow(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: lock traffic stops for moments although the links are up.

    Reasoning: flow control of the port was set, grows between readings, or is set and not cleared.
    Source: Veritas InfoScale article 100031805.
    """
    for (node, scope), captures in facts.get(ClusterFacts).captures("gabshow.pl flowcontrol").items():
        for side in SIDES:
            known = [capture for capture in captures if capture.get(f"gp_{side}_flwsetcnt") is not None]
            if known and (known[-1].get(f"gp_{side}_flwsetcnt") or _is_set(known[-1], side)):
                yield _flow(node, scope, side, known, limits)


def _is_set(capture: Capture, side: str) -> bool:
    """Set and not cleared; what a reading does not show says nothing."""
    done, cleared = capture.get(f"gp_{side}_flwsetcnt"), capture.get(f"gp_{side}_flwclrcnt")
    return bool(capture.get(f"gp_{side}_flwctl")) or (done is not None and cleared is not None and done != cleared)


def _flow(node: str | None, scope: str | None, side: str, captures: Sequence[Capture], limits: Limits) -> Draft:
    last, names = captures[-1], [f"gp_{side}_flwctl", f"gp_{side}_flwsetcnt", f"gp_{side}_flwclrcnt"]
    grown = max(((later.since(earlier, names[1]) or 0) for earlier, later in steps(captures)), default=0)
    blocked = _is_set(last, side)
    held = [capture.at for capture in captures if _is_set(capture, side) and capture.at is not None]
    length = (max(held) - min(held)) / 1e6 if blocked and len(held) == len(captures) > 1 else 0.0
    severity = "critical" if length > limits.persists_s else "high" if blocked or grown else "low"
    return draft(
        severity,  # type: ignore[arg-type]
        [ref for capture in captures[-2:] for ref in capture.refs(*names)],
        {
            "node": node or "a node",
            "port": scope.removeprefix("GAB ") if scope else "port",
            "side": SIDES[side],
            "times": count(last.get(names[1]) or 0),
            "grown": f", {count(grown)} of them between two readings" if grown else "",
            "now": f" It was so for {seconds(length)} at least." if length else "",
        },
        variant="blocked" if blocked else "",
        nodes=[node],
        times=[capture.at for capture in captures],
        zone_min=last.zone_min,
        figures=[Figure("Set", last.get(names[1]) or 0), Figure("Cleared", last.get(names[2]) or 0)],
        lacks="" if len(captures) > 1 else "one reading: whether it goes on is not shown",
    )


@rule("R17")
def gab_jeopardy(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one more lost link, and the cluster can't tell a dead link from a dead node.

    Reasoning: jeopardy or visible rows; ports on some nodes and not on others; other generations of one port.
    Source: gabconfig(1M); KB 100031240, 100034056.
    """
    cluster = facts.get(ClusterFacts)
    yield from _jeopardy(facts, cluster.ports)
    last = _last_captures(cluster.ports, facts)
    yield from _missing_ports(facts, last)
    yield from _generations(facts, last)


def _jeopardy(facts: CaseFacts, rows: Sequence[Membership]) -> Iterator[Draft]:
    seen = [row for row in rows if row.standing in ("jeopardy", "visible")]
    logged = facts.get(ClusterFacts).logged("port-jeopardy", "port-visible")
    if not seen and not logged:
        return
    states: set[str] = {row.standing for row in seen} | {row["kind"].removeprefix("port-") for row in logged}
    ports = {row.group for row in seen if row.group} | {(row["about"] or "").removeprefix("port ") for row in logged if row["about"]}
    ids = {number for row in seen for number in row.members.split()}
    by = {*(row.node for row in seen), *(row["node"] for row in logged)}
    members = _named(facts, ids) or "nodes named in the log"
    down = _links_down(facts, ids)
    yield draft(
        "high",
        [*(row.ref for row in seen), *(ref_of(row) for row in (*logged, *down[:2]))],
        {
            "state": " and ".join(sorted(states)),
            "ports": f"port{'s' if len(ports) != 1 else ''} {listed(sorted(ports), 8)}",
            "members": members,
            "where": f"Reported by {node_words(by)}.",
            "meaning": " ".join(_MEANINGS[state] for state in sorted(states)),
            "short": _first_up(", and ".join(_SHORT[state].format(members=members) for state in sorted(states))),
            "down": f" ({_down_words(down)})" if down else "",
            "links": f" The table of links says: {_down_words(down)}." if down else "",
        },
        nodes=[*by, *(facts.nodes.name(number) for number in ids if number in facts.get(ClusterFacts).host_ids)],
        times=[*(row.at for row in seen), *(row["at"] for row in logged)],
        figures=[Figure("Rows and messages of it", len(seen) + len(logged))],
    )


def _links_down(facts: CaseFacts, ids: Iterable[str]) -> list[Row]:
    """Links to these nodes that the last table of a node shows as down."""
    names = {facts.nodes.name(facts.get(ClusterFacts).host_ids.get(number, number)) for number in ids}
    last = {(row["node"], row["peer"], row["link"]): row for row in facts.get(ClusterFacts).links}
    return [row for row in last.values() if row["state"] == "DOWN" and row["peer"] in names and row["peer"] != row["node"]]


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _down_words(rows: Sequence[Row]) -> str:
    return listed([f"{row['link']} from {row['node'] or 'a node'}" for row in rows], 3) + (" is down" if len(rows) == 1 else " are down")


def _named(facts: CaseFacts, ids: Iterable[str]) -> str:
    """Nodes by id, with their names where a table gives them."""
    known = facts.get(ClusterFacts).host_ids
    return listed([known.get(number, f"node {number}") for number in sorted(ids, key=lambda n: (len(n), n))], 8)


_MEANINGS: Final = {
    "jeopardy": "Jeopardy: one link is left to these nodes, so the loss of it can't be told from the loss of the node.",
    "visible": "Visible: GAB runs there and its client is gone.",
}
_SHORT: Final = {"jeopardy": "One link is left to {members}", "visible": "a client of GAB on {members} is gone"}
Ports = dict[str, list[Membership]]


def _last_captures(rows: Sequence[Membership], facts: CaseFacts) -> dict[str, Ports]:
    """The last whole print of each named node: one that a filter or a cut touched does not tell what is missing."""
    cluster = facts.get(ClusterFacts)
    found: dict[str, tuple[tuple[int, int], Ports]] = {}
    for row in rows:
        place = (row.artifact, cluster.section_of(row.artifact, row.line) or 0)
        if row.node is None or place not in cluster.whole_sections:
            continue
        if row.node not in found or found[row.node][0] != place:
            found[row.node] = (place, defaultdict(list))
        found[row.node][1][row.group or ""].append(row)
    return {node: ports for node, (_, ports) in found.items()}


def _missing_ports(facts: CaseFacts, last: dict[str, Ports]) -> Iterator[Draft]:
    all_ports = {port for ports in last.values() for port in ports if port}
    lacking: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for port in sorted(all_ports):
        without = tuple(sorted(node for node, ports in last.items() if port not in ports))
        if without:
            lacking[without].append(port)
    for nodes, ports in lacking.items():
        shown = [(node, last[node][port][0]) for port in ports for node in last if port in last[node]]
        meaning = ", ".join(f"{port} is {PORTS[port]}" for port in ports if port in PORTS)
        yield draft(
            "high",
            [*(row.ref for _, row in shown[:4]), *(rows[0].ref for node in nodes for rows in list(last[node].values())[:1])],
            {
                "state": "",
                "ports": f"port{'s' if len(ports) > 1 else ''} {listed(ports, 12)}",
                "members": node_words(nodes),
                "where": f"{node_words(node for node, _ in shown)}",
                "meaning": f"{meaning}." if meaning else "",
            },
            variant="missing",
            nodes=nodes,
            times=[row.at for _, row in shown],
            figures=[Figure("Ports missing", len(ports))],
        )


def _generations(facts: CaseFacts, last: dict[str, Ports]) -> Iterator[Draft]:
    """One port with other generations: captures of different times, unless the members contradict each other too."""
    apart: list[str] = []
    refs: list[Ref] = []
    split = False
    for port in sorted({port for ports in last.values() for port in ports if port}):
        rows = [row for ports in last.values() for row in ports.get(port, ()) if row.standing == "normal"]
        if len({row.generation for row in rows}) > 1:
            apart.append(port)
            refs += [row.ref for row in rows[:3]]
            split = split or len({row.members for row in rows}) > 1
    if apart:
        words = {
            "state": "",
            "ports": f"port{'s' if len(apart) > 1 else ''} {listed(apart, 12)}",
            "members": node_words(last),
            "meaning": "",
        }
        words["where"] = "their members differ too, which speaks for a split" if split else "their members are the same"
        yield draft("high" if split else "info", refs, words, variant="generation", nodes=last, basis=None if split else "inferred")


@rule("R18")
def had_starved(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the engine is killed and started again, service groups move.

    Reasoning: messages that its heartbeat to GAB is late, or heartbeats of gabport beyond the first bucket.
    Source: V-16-1-51100, V-16-1-40184; gabport(1M).
    """
    late: dict[str | None, list[Row]] = defaultdict(list)
    for row in facts.get(ClusterFacts).logged("had-late"):
        late[row["node"]].append(row)
    slow = dict(_slow_heartbeats(facts))
    for node in dict.fromkeys([*late, *slow]):
        rows, (beyond, worst, refs) = late.get(node, []), slow.get(node, (0.0, "", ()))
        times = len(rows) + round(beyond)
        longest = max((row["value"] or 0.0 for row in rows), default=0.0)
        yield draft(
            "high" if times >= limits.repeated else "medium",
            [*(ref_of(row) for row in rows[:4]), *refs[:4]],
            {
                "node": node or "a node",
                "times": "once" if times == 1 else f"{times} times",
                "worst": f" The longest was {longest:g} s." if longest else f" The latest took {worst}." if worst else "",
            },
            nodes=[node],
            times=[row["at"] for row in rows],
            figures=[Figure("Late heartbeats", times, "", limits.words("repeated"))],
            lacks="" if _load_is_shown(facts) else "processor and memory load of that time is not shown",
            **_more_time(facts, node, times, longest, limits),
            weight=longest,
        )


def _slow_heartbeats(facts: CaseFacts) -> Iterator[tuple[str | None, tuple[float, str, tuple[Ref, ...]]]]:
    """Heartbeats beyond the first bucket, of the last reading of each node."""
    for (node, scope), captures in facts.get(ClusterFacts).captures("gabport -p").items():
        if scope not in (None, "GAB port h"):
            continue
        buckets: dict[str, tuple[float, Ref]] = {}
        for capture in captures:
            buckets |= {name: (value, Ref(capture.artifact, line)) for name, (value, line) in capture.values.items()}
        beyond = {name: found for name, found in buckets.items() if not name.startswith("heartbeat 0 ~") and found[0] > 0}
        if beyond:
            worst = max(beyond, key=lambda name: int(name.split()[1]))
            yield (
                node,
                (sum(value for value, _ in beyond.values()), worst.removeprefix("heartbeat "), tuple(ref for _, ref in beyond.values())),
            )


def _more_time(facts: CaseFacts, node: str | None, times: int, longest: float, limits: Limits) -> dict[str, Any]:
    """A longer timeout: only for delays that come near it, again and again, on a node whose load is shown and shows no shortage."""
    starved = {row["node"] for row in facts.get(ClusterFacts).logged("out-of-memory", "soft-lockup", "page-allocation-failure")}
    swaps = any((capture.get("si") or 0) + (capture.get("so") or 0) > 0 for captures in _load(facts, "si", "so") for capture in captures)
    near = times >= limits.repeated and longest >= limits.near_timeout_s
    if not near or starved or swaps or not _load_is_shown(facts):
        return {"tunings": ()}
    value = str(max(60_000, round(2000 * longest)))
    return {"tunings": ("vcs-gab-timeout",), "advice": (Advice("vcs-gab-timeout", words=(("value", value),)),)}


def _load(facts: CaseFacts, *names: str) -> Iterable[list[Capture]]:
    return facts.get(ClusterFacts).captures("vmstat", names=names, per_scope=False).values()


def _load_is_shown(facts: CaseFacts) -> bool:
    return bool(facts.get(ClusterFacts).captures("vmstat", "sar", "mpstat", "top"))


@rule("R29")
def fencing_keys(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a node is put out, or its I/O to shared disks fails.

    Reasoning: messages of I/O fencing on split brain and ejected nodes; reservation conflicts beside I/O errors or a missing port b.
    Source: messages as printed; their weight is recalled.
    """
    cluster = facts.get(ClusterFacts)
    if not cluster.applies:
        return
    for node, rows in _by_node(cluster.logged("fencing-split-brain", "fencing-eject", "fencing-ejected")).items():
        yield _put_out(node, rows, _heard_nothing(facts, rows))
    conflicts = _by_node(cluster.logged("reservation-conflict"))
    errors = {row["node"] for row in cluster.logged("io-error")}
    no_port_b = _lacks_fencing_port(facts)
    for node, rows in conflicts.items():
        known = node in errors or node in no_port_b
        what = f"{len(rows)} reservation conflict{'s' if len(rows) > 1 else ''}" + (" with I/O errors" if node in errors else "")
        meaning = "A disk refuses this node: its key was removed, or another host holds the disk."
        yield _fencing("high" if known else "medium", node, rows, what, meaning)


def _put_out(node: str | None, rows: Sequence[Row], before: str) -> Draft:
    brain = [row for row in rows if row["kind"] == "fencing-split-brain"]
    own = [row for row in rows if row["kind"] == "fencing-ejected"]
    what = "the node itself was put out" if own else "a split brain is reported" if brain else "a node was ejected, or was to be"
    meaning = "Keys of a node that is gone may still stand on the disks, or two halves of the cluster ran apart."
    first = own or brain
    return _fencing("critical", node, [*first, *(row for row in rows if row not in first)], what + before, meaning, weight=bool(own))


def _heard_nothing(facts: CaseFacts, rows: Sequence[Row]) -> str:
    """The loss of heartbeats in the minute before: fencing follows it."""
    moments = [row["at"] for row in rows if row["at"] is not None]
    lost = [
        row for row in facts.get(ClusterFacts).logged("link-expired")
        if row["at"] is not None and any(0 <= at - row["at"] <= _BEFORE_US for at in moments)
    ]  # fmt: skip
    peers = {row["about"].rpartition(" ")[2] for row in lost if row["about"]}
    names = sorted(facts.get(ClusterFacts).host_ids.get(peer, f"node {peer}") for peer in peers)
    return f", after {listed(sorted({row['node'] for row in lost if row['node']}))} lost the links to {listed(names)}" if names else ""


def _by_node(rows: Iterable[Row]) -> dict[str | None, list[Row]]:
    found: dict[str | None, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["node"]].append(row)
    return found


def _lacks_fencing_port(facts: CaseFacts) -> set[str]:
    last = _last_captures(facts.get(ClusterFacts).ports, facts)
    return {node for node, ports in last.items() if "b" not in ports} if any("b" in ports for ports in last.values()) else set()


def _fencing(severity: str, node: str | None, rows: Sequence[Row], what: str, meaning: str, *, weight: float = 0.0) -> Draft:
    return draft(
        severity,  # type: ignore[arg-type]
        [ref_of(row) for row in rows[:6]],
        {"node": node or "a node", "what": what, "meaning": meaning},
        nodes=[node],
        times=[row["at"] for row in rows],
        figures=[Figure("Messages", len(rows))],
        basis="stated",
        weight=weight,
    )
