"""Harm that a case shows: who waited, and what took long. What rests on proposed limits or recalled facts is only a hint without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import SEVERITIES, Basis, Finding
from apps.diagnosis.engine.core.wording import plural, seconds
from apps.diagnosis.engine.gfs2.demotes import demotes
from apps.diagnosis.engine.veritas.cluster import slowed
from apps.diagnosis.engine.veritas.lock_roles import comparable
from parsers.records import Counter, Event, Stack

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

UNSURE: Final[frozenset[Basis]] = frozenset(("proposed", "recalled"))
NEAR_US: Final = 600_000_000
HINT: Final = {
    "proposed": " This is a hint: its limit is a proposal, and nothing in these files shows that anybody waited for it.",
    "recalled": " This is a hint: it rests on what is recalled, and nothing in these files shows that anybody waited for it.",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """Harm on a node (None: it may have its cause on any node), from and to when it is seen."""

    what: str
    node: str | None = None
    start: int | None = None
    end: int | None = None

    def is_near(self, nodes: Sequence[str], start: int | None, end: int | None) -> bool:
        """Whether something on these nodes at that time may have caused it; what is not known is taken as near."""
        if self.node is not None and nodes and self.node not in nodes:
            return False
        first, last = start if start is not None else end, end if end is not None else start
        if first is None or last is None or self.start is None or self.end is None or not comparable(first, self.start):
            return True
        return first <= self.end + NEAR_US and last >= self.start - NEAR_US


class ShownHarm:
    """Harm of one case, worked out only where a finding needs it."""

    def __init__(self, case: CaseFacts) -> None:
        self._case = case

    @cached_property
    def all(self) -> tuple[Shown, ...]:
        """All that is shown, commands of users first."""
        return (*self._commands(), *self.blocked_tasks, *self._blocked(), *self._scale(), *self._glocks(), *self._glm())

    def near(self, nodes: Sequence[str], start: int | None, end: int | None) -> Shown | None:
        """The first harm that fits."""
        return next((one for one in self.all if one.is_near(nodes, start, end)), None)

    def _commands(self) -> Iterator[Shown]:
        for run in slowed(self._case.timed_runs):
            stop = run.at + round(run.seconds * 1e6) if run.at is not None else None
            yield Shown(f"a command took {seconds(run.seconds)}, far longer than its fastest run", None, run.at, stop)
        if self._case.veritas_cluster.harm_by_storms.measured:
            yield Shown("a storm of locks lasted for several samples")

    @cached_property
    def blocked_tasks(self) -> tuple[Shown, ...]:
        """Tasks that the kernel calls blocked."""
        return tuple(self._tasks())

    def _tasks(self) -> Iterator[Shown]:
        facts, found = self._case.facts, defaultdict[str | None, list[int | None]](list)
        told: dict[tuple[int, int], tuple[str | None, int | None]] = {}  # a line may give an event and a stack
        for kind, wanted in ((Event, pl.col("kind") == "hung-task"), (Stack, pl.col("seconds").is_not_null())):
            if facts.has(kind):
                rows = self._case.named(facts.scan(kind).filter(wanted).select("artifact", "line", "node", "at").collect())
                for artifact, line, node, at in rows.iter_rows():
                    told.setdefault((artifact, line), (node, at))
        for node, at in told.values():
            found[node].append(at)
        for node, times in found.items():
            known = [at for at in times if at is not None]
            whole = len(known) == len(times)
            what = f"the kernel reports {plural(len(times), 'blocked task')} on {node or 'a node that is not named'}"
            yield Shown(what, node, min(known) if whole else None, max(known) if whole else None)

    def _blocked(self) -> Iterator[Shown]:
        """Processes that wait for I/O by vmstat."""
        if not self._case.facts.has(Counter):
            return
        least = limits("shown-harm")
        over = ((pl.col("name") == "b") & (pl.col("value") >= least.blocked)) | (
            (pl.col("name") == "wa") & (pl.col("value") >= least.wait_pct)
        )
        rows = self._case.facts.scan(Counter).filter((pl.col("source") == "vmstat") & over).select("node", "name", "value").collect()
        by_node: dict[str | None, dict[str, float]] = defaultdict(dict)
        for node, name, value in self._case.named(rows).iter_rows():
            by_node[node][name] = max(value, by_node[node].get(name, 0.0))
        for node, worst in by_node.items():
            if len(worst) > 1:
                yield Shown(f"up to {worst['b']:g} processes of {node or 'a node that is not named'} wait for I/O", node)

    def _scale(self) -> Iterator[Shown]:
        """Long waits of Scale, told for the nodes that wait and for those that are waited for."""
        if not self._case.scale.any:
            return
        found: dict[str | None, Shown] = {}
        longest: dict[str | None, float] = {}
        for group in sorted(self._case.scale.chains.groups, key=lambda group: (-group.longest_s, group.ref.artifact, group.ref.line)):
            for node in {group.node, group.to.node}:
                longest.setdefault(node, group.longest_s)
                what = f"threads wait for up to {seconds(longest[node])}"
                found[node] = _wider(found.get(node, Shown(what, node, group.start, group.end)), group.start, group.end)
        yield from found.values()

    def _glocks(self) -> Iterator[Shown]:
        """Processes that wait for a glock; whoever keeps them waiting may be on another node."""
        least = limits("shown-harm").lock_wait_s
        spans = [span for span in self._case.glocks.spans if (span.seconds or 0.0) >= least] if self._case.glocks.any else []
        if spans:
            longest = max(span.seconds or 0.0 for span in spans)
            yield Shown(f"{plural(len(spans), 'process', 'processes')} wait for a glock, the longest for {seconds(longest)}")
            return
        late = next((one for one in demotes(self._case.glocks) if one.asking), None) if self._case.glocks.any else None
        if late is not None and late.lock.age_s >= least:
            waits = plural(len(late.asking), "request waits", "requests wait")
            yield Shown(f"{waits} for a glock that {late.lock.node or 'a node'} was asked to give up {seconds(late.lock.age_s)} before")

    def _glm(self) -> Iterator[Shown]:
        locks = self._case.glm_waits.locks
        if locks:
            yield Shown(f"{plural(len(locks), 'lock')} of the Group Lock Manager did not move")


def _wider(one: Shown, start: int | None, end: int | None) -> Shown:
    """The same harm over a longer time; unknown times make it unknown."""
    if one.start is None or one.end is None or start is None or end is None:
        return replace(one, start=None, end=None)
    return replace(one, start=min(one.start, start), end=max(one.end, end))


def weighed(finding: Finding, harm: str, case: CaseFacts) -> Finding:
    """What rests on a proposal or on memory alone: with its harm where there is some, else as a hint that is low at most.

    harm: what the rule itself shows, in words.
    """
    if finding.basis not in UNSURE or finding.severity == "info":
        return finding
    if harm:
        return replace(finding, harm=harm, explanation=f"{finding.explanation} What it did: {harm}.")
    if shown := case.shown_harm.near(finding.nodes, finding.start, finding.end):
        return replace(finding, harm=shown.what, explanation=f"{finding.explanation} What it may have done: {shown.what}.")
    severity = SEVERITIES[max(SEVERITIES.index(finding.severity), SEVERITIES.index("low"))]
    return replace(finding, severity=severity, explanation=finding.explanation + HINT[finding.basis])
