"""GFS2 waits as kinds, edges, roots, cycles, and as rows of the JSON output and of the pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.gfs2_facts import Entry, GlockFacts, Lock
from apps.diagnosis.engine.graph import strongly_connected
from apps.diagnosis.engine.model import Edge, Finding, Kind, NextStep, Ref, Root
from apps.diagnosis.engine.taxonomy import Classification, Taxonomy
from apps.diagnosis.engine.taxonomy_patterns import GlockView

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.report import Report

DUMPS: Final = {"node": pl.String, "at": pl.Int64, "category": pl.Int64, "waiters": pl.Int64, "longest_s": pl.Float64}


def classified(facts: GlockFacts, entry: Entry, captures: int) -> Classification:
    """Kind of a waiting process; ``captures`` it has been seen in."""
    lock = facts.lock_of.get((entry.node, entry.fs, entry.glock, entry.capture))
    number = int(entry.glock.split("/", 1)[1], 16) if "/" in entry.glock else 0
    view = GlockView(
        role="waiter",
        type=lock.type if lock else int(entry.glock.split("/", 1)[0] or 0),
        number=number,
        state=entry.state,
        flags=entry.flags,
        function=entry.function.split("+", 1)[0] or None,
        command=entry.command or None,
        glock_flags=lock.flags if lock else "",
        min_hold=lock.min_hold if lock else None,
        captures=captures,
    )
    return Taxonomy.load().classified_gfs2(view)


def kinds(case: CaseFacts) -> tuple[Kind, ...]:
    """Waiters grouped by kind, command, function and glock type."""
    groups: dict[tuple[Any, ...], list[tuple[Entry, float | None]]] = defaultdict(list)
    meanings: dict[tuple[Any, ...], str] = {}
    for span in case.glocks.spans:
        found = classified(case.glocks, span.last, span.dumps)
        key = (
            found.kind_id,
            found.category,
            span.last.command,
            span.last.function.split("+", 1)[0],
            f"glock type {span.last.glock.split('/', 1)[0]}",
        )
        meanings[key] = found.meaning
        groups[key].append((span.last, span.seconds))
    lines = {entry.thread: 0 for entry in case.glocks.waits}
    for entry in case.glocks.waits:
        lines[entry.thread] += 1
    return tuple(_kind(key, rows, meanings[key], lines) for key, rows in groups.items())


def _kind(key: tuple[Any, ...], rows: list[tuple[Entry, float | None]], meaning: str, lines: dict[Any, int]) -> Kind:
    longest, seconds = max(rows, key=lambda row: row[1] or 0.0)
    threads = {entry.thread for entry, _ in rows}
    return Kind(
        kind_id=key[0],
        category=key[1],
        thread=key[2],
        reason=key[3],
        wait_on=key[4],
        count=sum(lines[t] for t in threads),
        longest_s=seconds,
        nodes=tuple(sorted({entry.node for entry, _ in rows})),
        meaning=meaning,
        ref=Ref(longest.artifact, longest.line),
    )


def edges(case: CaseFacts) -> tuple[Edge, ...]:
    """Node waits for glock, glock is held by process; counts are processes, not lines."""
    facts = case.glocks
    waiting: dict[tuple[str, str], set[str]] = defaultdict(set)
    holding: dict[tuple[str, str], set[str]] = defaultdict(set)
    how: dict[tuple[str, str], str] = {}
    longest: dict[tuple[str, str], float] = defaultdict(float)
    for span in facts.spans:
        pair = (span.last.node, span.last.glock)
        waiting[pair].add(span.last.name)
        longest[pair] = max(longest[pair], span.seconds or 0.0)
        how.setdefault(pair, f"wants {span.last.state}")
    for wait in facts.waits:
        for holder in facts.holders(wait):
            pair = (wait.glock, holder.name)
            holding[pair].add(wait.name)
            how.setdefault(pair, f"held {holder.state} by {holder.command or 'a process'}")
            longest[pair] = max(longest[pair], longest[wait.node, wait.glock])
    rows = [*waiting.items(), *holding.items()]
    return tuple(
        Edge(frm=pair[0], to=pair[1], via=how[pair], count=len(names), longest_s=longest[pair], resolved=True)
        for pair, names in sorted(rows, key=lambda row: (-len(row[1]), row[0]))
    )


def roots(case: CaseFacts) -> tuple[Root, ...]:
    """Processes that hold what others wait for and wait for nothing themselves; glocks whose holder is not seen."""
    facts = case.glocks
    behind: dict[str, set[str]] = defaultdict(set)
    ends: dict[str, set[str]] = defaultdict(set)
    words: dict[str, tuple[str, str | None, str]] = {}
    waiting = {(entry.name, entry.capture) for entry in facts.waits}
    held = {wait.key for wait in facts.waits if facts.holders(wait)}
    for wait in facts.waits:
        found = [h for h in facts.holders(wait) if (h.name, h.capture) not in waiting]
        for holder in found:
            behind[holder.name].add(wait.name)
            ends[wait.name].add(holder.name)
            words.setdefault(holder.name, ("thread", holder.node, _holds(holder)))
        if not found and wait.key not in held:
            behind[wait.glock].add(wait.name)
            ends[wait.name].add(wait.glock)
            words.setdefault(wait.glock, ("lock", None, "who holds it is not seen in these dumps"))
    return tuple(_root(name, behind[name], ends, *words[name]) for name in sorted(behind))


def _holds(holder: Entry) -> str:
    function = holder.function.split("+", 1)[0] or "an unknown function"
    return f"holds glock {holder.glock} {holder.state} as {holder.command or 'a process'} in {function}"


def _root(name: str, waiters: set[str], ends: dict[str, set[str]], kind: Any, node: str | None, why: str) -> Root:
    return Root(
        kind=kind,
        what=name,
        node=node,
        why=why,
        waiters=len(waiters),
        relieves=sum(ends[w] == {name} for w in waiters),
        leaves_data=kind == "lock",
    )


def cycles(case: CaseFacts) -> tuple[tuple[str, ...], ...]:
    """Deadlocks: circles of ``process waits for glock held by process`` with all edges in one round of captures."""
    return tuple(cycle for cycle, _ in cycles_with_rounds(case.glocks))


def cycles_with_rounds(facts: GlockFacts) -> list[tuple[tuple[str, ...], list[Entry]]]:
    """Each cycle once, with the waits that make it, in the order of the first round that shows it."""
    found: dict[tuple[str, ...], list[Entry]] = {}
    rounds: dict[int, list[Entry]] = defaultdict(list)
    for wait in facts.waits:
        rounds[wait.capture].append(wait)
    for number in sorted(rounds):
        for cycle, waits in _cycles_of(facts, rounds[number]):
            found.setdefault(cycle, []).extend(waits)
    return list(found.items())


def _cycles_of(facts: GlockFacts, waits: Sequence[Entry]) -> Iterator[tuple[tuple[str, ...], list[Entry]]]:
    names: dict[str, int] = {}
    links: list[list[int]] = []
    via: dict[tuple[int, int], Entry] = {}

    def number(name: str) -> int:
        if name not in names:
            names[name] = len(names)
            links.append([])
        return names[name]

    for wait in waits:
        for holder in facts.holders(wait):
            frm, to = number(wait.name), number(holder.name)
            if frm != to or not {"t", "T"} & set(wait.flags):
                links[frm].append(to)
                via[frm, to] = wait
    label = list(names)
    for group in strongly_connected(links):
        if len(group) > 1 or group[0] in links[group[0]]:
            yield _in_order(group, links, via, label)


def _in_order(
    group: list[int], links: list[list[int]], via: dict[tuple[int, int], Entry], label: list[str]
) -> tuple[tuple[str, ...], list[Entry]]:
    """Members of a circle in the order of waiting, each process before the glock it waits for."""
    inside = set(group)
    order, seen = [min(group, key=lambda v: label[v])], set()
    while order[-1] not in seen:
        seen.add(order[-1])
        inner = [v for v in links[order[-1]] if v in inside]
        order.append(next((v for v in inner if v not in seen), inner[0]))
    walked = list(pairwise(order))
    rest = [v for v in group if v not in seen]
    names = [part for frm, to in walked for part in (label[frm], via[frm, to].glock)]
    extra = [label[v] for v in sorted(rest, key=lambda v: label[v])]
    return tuple(names + extra), [via[pair] for pair in walked]


def next_steps(case: CaseFacts, findings: Sequence[Finding], roots: Sequence[Root]) -> tuple[NextStep, ...]:
    """What to look at on the node that holds."""
    steps: list[NextStep] = []
    for root in roots:
        if root.kind == "thread" and ":" in root.what and root.node and case.glocks.any and len(steps) < 3:
            pid = root.what.rsplit(":", 1)[1]
            steps.append(
                NextStep(
                    f"See what process {pid} on {root.node} does while it {root.why.split(' as ')[0]}",
                    (f"cat /proc/{pid}/stack", f"ps -o pid,stat,wchan:32,etime,args -p {pid}"),
                )
            )
    return tuple(steps)


def waiter_rows(case: CaseFacts, report: Report) -> Iterator[dict[str, Any]]:
    """Waiting H lines as ``waiters`` of the JSON."""
    first = {}
    for span in case.glocks.spans:
        for capture in range(span.first.capture, span.last.capture + 1):
            first[(*span.first.thread, capture)] = span.first.at
    for wait in case.glocks.waits:
        since = first.get((*wait.thread, wait.capture))
        seconds = (wait.at - since) / 1e6 if wait.at is not None and since is not None and wait.at > since else None
        found = classified(case.glocks, wait, 1 if seconds is None else 2)
        holders = case.glocks.holders(wait)
        yield {
            "node": wait.node or None,
            "captured_at": report.clock.text(wait.at, wait.zone_min),
            "thread": wait.command or None,
            "thread_id": wait.pid,
            "address": None,
            "seconds": seconds,
            "since": None,
            "wait_on": {"kind": "gfs2_glock", "address": None, "name": wait.glock},
            "reason": wait.function or None,
            "rpc": None,
            "target": None,
            "object": wait.glock,
            "holder": holders[0].name if holders else None,
            "monitored": None,
            "category": found.category,
            "category_name": found.category_name,
            "kind_id": found.kind_id,
            "meaning": found.meaning,
            "path": report.path(wait.artifact),
            "line": wait.line,
        }


def span_rows(case: CaseFacts, report: Report) -> Iterator[dict[str, Any]]:
    """Waiting processes over captures as ``spans`` of the JSON."""
    for span in case.glocks.spans:
        found = classified(case.glocks, span.last, span.dumps)
        last, zone = span.last, span.last.zone_min
        yield {
            "node": last.node or None,
            "thread": last.command or None,
            "thread_id": last.pid,
            "kind_id": found.kind_id,
            "category": found.category,
            "start": report.clock.text(span.first.at, zone),
            "end": report.clock.text(last.at, zone),
            "seconds": span.seconds,
            "dumps": span.dumps,
            "state": span.state,
        }


def spans_frame(case: CaseFacts) -> pl.DataFrame:
    """Spans for the pages; columns as far as GFS2 has them."""
    rows = []
    for span in case.glocks.spans:
        found = classified(case.glocks, span.last, span.dumps)
        last = span.last
        rows.append(
            {
                "node": last.node or None,
                "thread": f"{last.command} [{last.pid}]",
                "thread_id": last.pid,
                "kind_id": found.kind_id,
                "category": found.category,
                "waits_on": f"glock {last.glock} {last.state}",
                "reason": last.function or None,
                "state": span.state,
                "start": span.first.at,
                "end": last.at,
                "seconds": span.seconds,
                "dumps": span.dumps,
                "artifact": last.artifact,
                "line": last.line,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame()


def dump_rows(case: CaseFacts) -> pl.DataFrame:
    """Waiters per node, capture and category, for the rollups."""
    counts: dict[tuple[str, int, int], list[float]] = {}
    for span in case.glocks.spans:
        category = classified(case.glocks, span.last, span.dumps).category or 0
        own = case.glocks.captures.get((span.first.node, span.first.fs), [])
        for capture in range(span.first.capture, span.last.capture + 1):
            at = own[capture].at if capture < len(own) else None
            if at is not None:
                row = counts.setdefault((span.first.node, at, category), [0, 0.0])
                row[0] += 1
                row[1] = max(row[1], (at - (span.first.at or at)) / 1e6)
    rows = [(node, at, category, int(n), longest) for (node, at, category), (n, longest) in counts.items()]
    return pl.DataFrame(rows, schema=DUMPS, orient="row")


def lock_rows(case: CaseFacts, report: Report) -> Iterator[dict[str, Any]]:
    """Glocks held or waited for as ``locks`` of the JSON."""
    queues: dict[tuple[str, str | None, str, int], list[Entry]] = defaultdict(list)
    for entry in (*case.glocks.holds, *case.glocks.waits):
        queues[entry.node, entry.fs, entry.glock, entry.capture].append(entry)
    seen: dict[tuple[str, str | None, str], int] = defaultdict(int)
    for lock in case.glocks.locks:
        seen[lock.node, lock.fs, lock.object] += 1
    for lock in case.glocks.locks:
        yield _lock_row(lock, queues[lock.node, lock.fs, lock.object, lock.capture], seen[lock.node, lock.fs, lock.object], report)


def _lock_row(lock: Lock, queue: list[Entry], dumps: int, report: Report) -> dict[str, Any]:
    held = [entry for entry in queue if entry.granted]
    return {
        "node": lock.node or None,
        "at": report.clock.text(lock.at, lock.zone_min),
        "kind": "gfs2_glock",
        "object": lock.object,
        "state": lock.state,
        "target": lock.target,
        "demote": lock.demote,
        "age_s": lock.demote_us / 1e6 if lock.demote_us is not None else None,
        "flags": lock.flags,
        "holders": [
            {"node": h.node or None, "pid": h.pid, "command": h.command or None, "mode": h.state, "function": h.function or None}
            for h in held
        ],
        "waiters": sum(entry.waiting for entry in queue),
        "dumps": dumps,
        "path": report.path(lock.artifact),
        "line": lock.line,
    }
