"""Commands that were timed and slow: measured harm of whatever went on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.model import comparable
from apps.diagnosis.engine.core.words.knowledge import limits
from parsers.dataclass import dataclass

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


class SlowRuns:
    """Runs of a command that took several times as long as its fastest run."""

    def __init__(self, runs: TimedRuns) -> None:
        self._runs = runs

    @cached_property
    def all(self) -> tuple[SlowRun, ...]:
        """In artifact and line order."""
        return tuple(self._slow())

    def _slow(self) -> Iterator[SlowRun]:
        factor = limits("ladder").slowed_factor
        fastest: dict[str, TimedRun] = {}
        for run in self._runs.all:
            if (
                run.command
                and run.seconds > 0
                and (run.command not in fastest or run.seconds < fastest[run.command].seconds)
            ):
                fastest[run.command] = run
        for run in self._runs.all:
            if run.command in fastest and run.seconds >= factor * fastest[run.command].seconds:
                yield SlowRun(run, fastest[run.command])
