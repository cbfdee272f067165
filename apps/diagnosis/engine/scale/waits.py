"""Waits of Spectrum Scale: kinds, spans, who waits for whom, ends of the chains, what to do next; and the rows of the JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import Edge, Finding, Kind, Missing, NextStep, Ref, Root
from apps.diagnosis.engine.core.taxonomy import CATEGORY_NAMES
from apps.diagnosis.engine.scale.chains import Chains, Vertex
from apps.diagnosis.engine.scale.shapes import Text
from apps.diagnosis.engine.scale.signs import Signs
from apps.diagnosis.engine.scale.spans import SpanTable, Tally
from apps.diagnosis.engine.scale.steps import steps
from parsers.records import DeadlockFact, Waiter

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.report import Report

NAMED_OBJECTS: Final = 12
NO_NAME: Final = "node not named"
KindKey = tuple[str | None, int | None, str | None, str | None, str | None]  # kind_id, category, thread, reason, waited for
_RESOURCES: Final = ("disk", "lock", "write", "thread")


class ScaleWaits:
    """All that is known of the Scale waiters of a case, worked out once."""

    def __init__(self, case: CaseFacts) -> None:
        self._case = case
        self._known: dict[str, bool] = {}
        self.any = case.facts.has(Waiter)

    @cached_property
    def spans(self) -> SpanTable:
        """Waiters followed over dumps."""
        return SpanTable(self._case)

    @cached_property
    def chains(self) -> Chains:
        """Who waits for whom."""
        return Chains(self._case, self.spans)

    @cached_property
    def signs(self) -> Signs:
        """What logs, connections and counters tell beside the waiters."""
        return Signs(self._case)

    @cached_property
    def deadlock_facts(self) -> pl.DataFrame:
        """Thresholds and verdicts that ``mmdiag --deadlock`` printed."""
        return self._case.named(self._case.facts.frame(DeadlockFact))

    def short_threshold(self, node: str | None) -> tuple[float, bool]:
        """The detector's threshold for waits of category 3 on a node: the last one printed, else a fallback and False."""
        rows = self.deadlock_facts.filter((pl.col("what") == "threshold_short") & pl.col("value").is_not_null())
        own = rows.filter(pl.col("node") == node) if node is not None else rows
        printed = own if own.height else rows
        if printed.is_empty():
            return limits("scale-bands").short_s, False
        return float(printed.sort("at", "artifact", "line", nulls_last=False)["value"][-1]), True

    def category_of(self, text: Text, seconds: float | None) -> int | None:
        """Category; a wait that inherits has the one of what is waited for, where that is seen."""
        found = text.at(seconds)
        if found.kind is None or not found.kind.inherits or found.by_flag:
            return found.category
        return self._inherited.get(int(self.spans.texts.wording[text.number]), found.category)

    @cached_property
    def _inherited(self) -> dict[int, int | None]:
        """By text: the category of the wait at the node asked, of the longest such wait."""
        chains = self.chains
        found: dict[int, int | None] = {}
        for group in sorted(chains.groups, key=lambda group: group.longest_s):
            kind = group.text.at(group.longest_s).kind
            if kind is None or not kind.inherits:
                continue
            answers = [answer for answer in chains.answers(group.to) if answer.category is not None]
            if answers:
                found[group.text.number] = answers[0].category
        return found

    def span_frames(self) -> Iterator[pl.DataFrame]:
        """All spans in parts that fit into memory."""
        ages = (None, float("inf"))
        return self.spans.frames([self.category_of(text, age) for text in self.spans.texts.texts for age in ages])

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Waiter lines by kind, thread, reason and what is waited for."""
        return tuple(self._kinds())

    def _kinds(self) -> Iterator[Kind]:
        merged: dict[KindKey, list[Tally]] = defaultdict(list)
        for tally in self.spans.tallies:
            text, age = self._text_and_age(tally)
            key = (text.at(age).kind_id, self.category_of(text, age), text.shape.thread, text.shape.reason, waits_on(text))
            merged[key].append(tally)
        crowded = _crowded(merged)
        gathered: dict[KindKey, list[Tally]] = defaultdict(list)
        for key, rows in merged.items():
            gathered[(*key[:4], crowded.get(key[:4], key[4]))].extend(rows)
        for key, rows in gathered.items():
            yield self._kind(key, rows)

    def _text_and_age(self, tally: Tally) -> tuple[Text, float | None]:
        return self.spans.texts.texts[tally.text], float("inf") if tally.aged else None

    def _kind(self, key: KindKey, rows: Sequence[Tally]) -> Kind:
        longest = min(rows, key=lambda t: (-(-1.0 if t.longest_s is None else t.longest_s), t.artifact, t.line))
        text, age = self._text_and_age(rows[0])
        codes = {code for tally in rows for code in tally.nodes}
        kind_id, category, thread, reason, wait_on = key
        return Kind(
            kind_id=kind_id,
            category=category,
            thread=thread,
            reason=reason,
            wait_on=wait_on,
            count=sum(tally.lines for tally in rows),
            longest_s=longest.longest_s,
            nodes=tuple(sorted(name for code in codes if (name := self.spans.nodes.name(code)))),
            meaning=text.at(age).meaning,
            ref=Ref(longest.artifact, longest.line),
        )

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Long waits from node to node or resource, most first."""
        found: dict[tuple[str, str, str, bool], list[tuple[int, float]]] = defaultdict(list)
        for group in self.chains.groups:
            for vertex in self.chains.graph[group.to] if group.to.place == "message" else (group.to,):
                to, resolved = self._target(vertex)
                found[group.node or NO_NAME, to, group.want.via, resolved].append((group.waits, group.longest_s))
        for log, after in self._log_writes():
            found[self._target(log)[0], self._target(after)[0], "log write", self._target(after)[1]].append(self._oldest_write(log))
        rows = [
            Edge(frm=frm, to=to, via=via, count=sum(n for n, _ in seen), longest_s=max(s for _, s in seen), resolved=resolved)
            for (frm, to, via, resolved), seen in found.items()
        ]
        return tuple(sorted(rows, key=lambda e: (-e.count, -e.longest_s, e.frm, e.to, e.via)))

    def _log_writes(self) -> list[tuple[Vertex, Vertex]]:
        """From a recovery log to the I/O that its write waits for."""
        return [(log, after) for log in self.chains.log_writes() for after in self.chains.graph[log]]

    def _oldest_write(self, log: Vertex) -> tuple[int, float]:
        writes = [group for group in self.chains.groups if group.to == log]
        return sum(group.waits for group in writes), max(group.longest_s for group in writes)

    def _target(self, vertex: Vertex) -> tuple[str, bool]:
        """How a thing waited for is called in an edge, and whether it is one of the nodes and resources known by name."""
        if vertex.place not in _RESOURCES:
            return vertex.node, self._is_known(vertex.node)
        if len(self._owners.get((vertex.place, vertex.name), ())) > 1:
            return f"{vertex.name} of {NO_NAME if vertex.node.startswith('#') else vertex.node}", True
        return vertex.name, True

    def _is_known(self, node: str) -> bool:
        if node not in self._known:
            self._known[node] = self._case.nodes.known(node)
        return self._known[node]

    @cached_property
    def _owners(self) -> dict[tuple[str, str], set[str]]:
        """Nodes by resource: devices of two nodes may bear one name."""
        owners: dict[tuple[str, str], set[str]] = defaultdict(set)
        for vertex in self.chains.graph:
            if vertex.place in _RESOURCES:
                owners[vertex.place, vertex.name].add(vertex.node)
        return owners

    @cached_property
    def roots(self) -> tuple[Root, ...]:
        """Ends of the chains, most waiters first."""
        return tuple(
            Root(
                kind=b.end.kind,
                what=b.end.what,
                node=b.end.node,
                why=b.end.why,
                waiters=b.waiters,
                relieves=b.relieves,
                leaves_data=b.end.leaves_data,
            )
            for b in self.chains.behind
        )


def waits_on(text: Text) -> str | None:
    """What a kind's row shows as waited for."""
    shape = text.shape
    if shape.wait_name:
        return f"{shape.wait_kind} {shape.wait_name}" if shape.wait_kind else shape.wait_name
    return f"disk {shape.object}" if shape.object else None


def _crowded(merged: Iterable[KindKey]) -> dict[tuple[Any, ...], str]:
    """Kinds that wait for very many disks are one row each: their common part and how many."""
    counts: dict[tuple[Any, ...], int] = defaultdict(int)
    for key in merged:
        counts[key[:4]] += key[4] is not None and key[4].startswith("disk ")
    return {key: f"{number} disks" for key, number in counts.items() if number > NAMED_OBJECTS}


# what diagnose and report call


def kinds(case: CaseFacts) -> tuple[Kind, ...]:
    """Waiters by kind."""
    return case.scale.kinds if case.scale.any else ()


def edges(case: CaseFacts) -> tuple[Edge, ...]:
    """Who waits for whom."""
    return case.scale.edges if case.scale.any else ()


def roots(case: CaseFacts) -> tuple[Root, ...]:
    """Ends of the chains."""
    return case.scale.roots if case.scale.any else ()


def cycles(case: CaseFacts) -> tuple[tuple[str, ...], ...]:
    """Deadlocks: exactly the nodes of each circle."""
    return tuple(deadlock.members for deadlock in case.scale.chains.deadlocks) if case.scale.any else ()


def missing(case: CaseFacts) -> tuple[Missing, ...]:
    """What the next bundle must hold beside the dumps of nodes where chains leave these files."""
    if not case.scale.any:
        return ()
    open_ends = [b for b in case.scale.chains.behind if b.end.what == "token" and b.end.kind == "lock" and b.end.node is not None]
    return tuple(
        Missing(
            what=f"the next waiters of {behind.end.node}",
            why=f"{behind.waiters} waits for a token end there; the next dump shows which holder it asks to give the token up",
            node=behind.end.node,
            commands=("mmdiag --waiters", "mmdiag --network"),
        )
        for behind in open_ends
    )


def next_steps(case: CaseFacts, findings: Sequence[Finding], roots: Sequence[Root]) -> tuple[NextStep, ...]:
    """What to do now about the waits of Scale."""
    return steps(case.scale.chains, case.scale.spans, findings) if case.scale.any else ()


def span_frames(case: CaseFacts) -> Iterator[pl.DataFrame]:
    """All spans in parts that fit into memory; columns as ``SpanTable`` gives them."""
    return case.scale.span_frames() if case.scale.any else iter(())


def spans_frame(case: CaseFacts) -> pl.DataFrame:
    """All spans at once: for cases of some millions of waiters at most."""
    frames = list(span_frames(case))
    return pl.concat(frames) if frames else pl.DataFrame()


def waiter_rows(case: CaseFacts, report: Report) -> Iterator[dict[str, Any]]:
    """Every waiter line as in ``waiters`` of the JSON, in input order."""
    if not case.scale.any:
        return
    table = case.scale.spans.texts
    for part in case.facts.parts(Waiter):
        frame = part.collect()
        named = case.named(frame)
        numbers = table.numbers(table.places(frame["artifact"].to_numpy(), frame["shape"].to_numpy()))
        for number, row in zip(numbers.tolist(), named.iter_rows(named=True), strict=True):
            yield _waiter(case.scale, table.texts[number], row, report)


def _waiter(scale: ScaleWaits, text: Text, row: dict[str, Any], report: Report) -> dict[str, Any]:
    shape, found = text.shape, text.at(row["seconds"])
    category = scale.category_of(text, row["seconds"])
    return {
        "node": row["node"],
        "captured_at": report.clock.text(row["at"], row["zone_min"]),
        "thread": shape.thread,
        "thread_id": row["thread_id"],
        "address": hexadecimal(row["address"]),
        "seconds": row["seconds"],
        "since": report.clock.text(row["since"], row["zone_min"]),
        "wait_on": {"kind": shape.wait_kind, "address": hexadecimal(row["wait_address"]), "name": shape.wait_name},
        "reason": shape.reason if shape.reason is not None else shape.aux,
        "rpc": shape.rpc,
        "target": shape.target,
        "object": shape.object,
        "holder": None,
        "monitored": shape.monitored,
        "category": category,
        "category_name": CATEGORY_NAMES[category],
        "kind_id": found.kind_id,
        "meaning": found.meaning,
        "path": report.path(row["artifact"]),
        "line": row["line"],
    }


def hexadecimal(address: int | None) -> str | None:
    """An address as the tools print it."""
    return None if address is None else f"0x{address:X}"


def span_rows(case: CaseFacts, report: Report) -> Iterator[dict[str, Any]]:
    """Every span as in ``spans`` of the JSON."""
    for frame in span_frames(case):
        for row in frame.iter_rows(named=True):
            yield {
                "node": row["node"],
                "thread": row["thread"],
                "thread_id": row["thread_id"],
                "kind_id": row["kind_id"],
                "category": row["category"],
                "start": report.clock.text(row["start"], row["zone_min"]),
                "end": report.clock.text(row["end"], row["zone_min"]),
                "seconds": row["seconds"],
                "dumps": row["dumps"],
                "state": row["state"],
            }


__all__ = [
    "ScaleWaits",
    "cycles",
    "edges",
    "kinds",
    "missing",
    "next_steps",
    "roots",
    "span_frames",
    "span_rows",
    "spans_frame",
    "waiter_rows",
]
