"""Commands that were timed and slow: measured harm of whatever went on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import comparable
from apps.diagnosis.engine.core.runs import TimedRun
from apps.diagnosis.engine.facts import CaseFacts
from parsers.records import Section
from parsers.registry import parsers

SLACK_US = 15_000_000


@dataclass(frozen=True, slots=True)
class SlowRun:
    """A run of a command, and the fastest run of the same one."""

    run: TimedRun
    fastest: TimedRun

    @property
    def factor(self) -> float:
        """How many times as long as the fastest run."""
        return self.run.seconds / self.fastest.seconds

    def overlaps(self, at: int | None) -> bool | None:
        """Whether it ran at that moment; None where one of the times is not known."""
        if at is None or self.run.at is None or not comparable(at, self.run.at):
            return None
        return self.run.at - SLACK_US <= at <= self.run.at + round(self.run.seconds * 1e6) + SLACK_US


def slow_runs(case: CaseFacts) -> tuple[SlowRun, ...]:
    """Runs of a command that took several times as long as its fastest run."""
    return tuple(_slow_runs(case))


def _slow_runs(case: CaseFacts) -> Iterator[SlowRun]:
    factor = limits("ladder").slowed_factor
    fastest: dict[str, TimedRun] = {}
    for run in case.timed_runs:
        if run.command and run.seconds > 0 and (run.command not in fastest or run.seconds < fastest[run.command].seconds):
            fastest[run.command] = run
    for run in case.timed_runs:
        if run.command in fastest and run.seconds >= factor * fastest[run.command].seconds:
            yield SlowRun(run, fastest[run.command])


def speaks_of_veritas(case: CaseFacts) -> bool:
    """Whether the case holds a format of Veritas: disk figures alone are none."""
    if not case.facts.has(Section):
        return False
    formats = case.facts.scan(Section).select(pl.col("format").unique()).collect()["format"].to_list()
    known = parsers()
    return any(name in known and known[name].product == "veritas" for name in formats)
