"""Commands that were timed: how long they took, and which took far longer than their fastest run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import in_order
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.wording import names_path
from parsers.dataclass import dataclass
from parsers.records import Measurement

ROWS: Final = 3
"""Rows of one command: its time on the clock, that of its own work and that of the kernel for it."""

_REMOTE: Final = re.compile(r"^(?:ssh|rsh) (?:-\S+ ){0,8}[A-Za-z0-9]\S{0,200} (?=(?:\S*/)?timex? )")
"""In front of what ran on another node, so that it is one command whoever ran it."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """A command that was timed. busy_s: processor time of it, None where only the time on the clock was printed."""

    command: str
    seconds: float
    node: str | None
    at: int | None
    ref: Ref
    busy_s: float | None = None


class TimedRuns:
    """Wall-clock times of commands."""

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes

    @cached_property
    def all(self) -> tuple[TimedRun, ...]:
        """In artifact and line order."""
        return tuple(self._timed())

    def _timed(self) -> Iterator[TimedRun]:
        timed = (pl.col("tool") == "time") & pl.col("value").is_not_null()
        run: TimedRun | None = None
        for row in self._nodes.named(in_order(self._store.frame(Measurement), timed)).iter_rows(named=True):
            ref = Ref(row["artifact"], row["line"])
            if row["what"] != "real":
                is_of_run = run is not None and run.ref.artifact == ref.artifact and ref.line - run.ref.line < ROWS
                run = replace(run, busy_s=(run.busy_s or 0.0) + row["value"]) if run is not None and is_of_run else run
                continue
            if run is not None:
                yield run
            command = _REMOTE.sub("", " ".join((row["command"] or "").split()))
            run = TimedRun(command, row["value"], row["node"], row["at"], ref)
        if run is not None:
            yield run

    def on(self, mount: str | None) -> list[TimedRun]:
        """Timed commands that name the mount; all of them where no mount is known."""
        return [run for run in self.all if mount is None or names_path(run.command, mount)]


def slowed(runs: Iterable[TimedRun]) -> list[TimedRun]:
    """Runs that took a multiple of the fastest run of the same command."""
    factor = limits("ladder").slowed_factor
    fastest: dict[str, float] = {}
    for run in (known := list(runs)):
        fastest[run.command] = min(run.seconds, fastest.get(run.command, run.seconds))
    return [run for run in known if run.seconds >= factor * fastest[run.command] and run.seconds > 1]
