"""Harm that a case shows: who waited, and what took long. What rests on proposed limits or recalled facts is only a
hint without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.runs import TimedRuns, slowed
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import SEVERITIES, Basis, Finding, Shown
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.records import Event, Record
from parsers.records.waits import Stack

UNSURE: Final[frozenset[Basis]] = frozenset(("proposed", "recalled"))


class BlockedTasks:
    """Tasks that the kernel reports as blocked, by node."""

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes

    @cached_property
    def all(self) -> tuple[Shown, ...]:
        """One row a node, with the first and the last report."""
        return tuple(self._tasks())

    def _tasks(self) -> Iterator[Shown]:
        found = defaultdict[str | None, list[int | None]](list)
        reported: dict[tuple[int, int], tuple[str | None, int | None]] = {}  # a line may give an event and a stack
        for kind, wanted in ((Event, pl.col("kind") == "hung-task"), (Stack, pl.col("seconds").is_not_null())):
            if _may_be_blocked(self._store, kind):
                rows = self._nodes.named(
                    self._store.scan(kind).filter(wanted).select("artifact", "line", "node", "at").collect()
                )
                for artifact, line, node, at in rows.iter_rows():
                    reported.setdefault((artifact, line), (node, at))
        for node, at in reported.values():
            found[node].append(at)
        for node, times in found.items():
            known = [at for at in times if at is not None]
            whole = len(known) == len(times)
            what = phrase("harm.blocked", tasks=len(times), node=node)
            yield Shown(what, node, min(known) if whole else None, max(known) if whole else None)


def _may_be_blocked(store: Facts, kind: type[Record]) -> bool:
    """Whether some record of a kind may tell of a task that the kernel reports: most tell of none."""
    if not store.has(kind):
        return False
    if kind is Event:
        present = store.values_present(Event, "kind")
        return present is None or ("hung-task",) in present
    few = store.few(kind)
    return few is None or few["seconds"].null_count() < few.height


class Harm:
    """Harm of one case, worked out only where a finding needs it."""

    def __init__(self, case: Case, runs: TimedRuns, blocked: BlockedTasks) -> None:
        self._case = case
        self._runs = runs
        self.blocked_tasks = blocked.all

    @cached_property
    def all(self) -> tuple[Shown, ...]:
        """All that is shown: commands of users first, then blocked tasks, then what each product sees."""
        by_product = (shown for product in self._case.products for shown in product.harm(self._case))
        return (*self._commands(), *self.blocked_tasks, *by_product)

    def _commands(self) -> Iterator[Shown]:
        for run in slowed(self._runs.all):
            stop = run.at + round(run.seconds * 1e6) if run.at is not None else None
            yield Shown(phrase("harm.command", took_s=run.seconds), None, run.at, stop)

    def near(self, nodes: Sequence[str], start: int | None, end: int | None) -> Shown | None:
        """The first harm that fits."""
        return next((one for one in self.all if one.is_near(nodes, start, end)), None)

    def weighed(self, finding: Finding, own: str) -> Finding:
        """What rests on a proposal or on memory alone: with its harm where there is some, else as a hint that is low at
        most.

        own: what the rule itself shows, in words.
        """
        if finding.basis not in UNSURE or finding.severity == "info":
            return finding
        if own:
            return _with(finding, "own", own)
        if shown := self.near(finding.nodes, finding.start, finding.end):
            return _with(finding, "near", shown.what)
        severity = SEVERITIES[max(SEVERITIES.index(finding.severity), SEVERITIES.index("low"))]
        return replace(finding, severity=severity, explanation=finding.explanation + phrase(f"harm.{finding.basis}"))


def _with(finding: Finding, key: str, harm: str) -> Finding:
    return replace(finding, harm=harm, explanation=finding.explanation + phrase(f"harm.{key}", what=harm))
