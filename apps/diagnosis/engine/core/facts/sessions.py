"""What somebody typed between two looks at the same thing, where the text has no times: in a session the order of lines
is that of time once something was done in between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from operator import attrgetter
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from parsers.messages.safe_commands import changing_word
from parsers.records import CommandRun, Section

ANSWER_LINES: Final = 12
"""Of what a command that was refused says of it; below that may stand a log."""


class Sessions:
    """Commands of a case as they were typed, text by text."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def _runs(self) -> dict[int, list[CommandRun]]:
        found: dict[int, list[CommandRun]] = defaultdict(list)
        for run in self._records.of(CommandRun):
            found[run.artifact].append(run)
        for runs in found.values():
            runs.sort(key=attrgetter("line"))
        return found

    def before(self, artifact: int, line: int) -> list[CommandRun]:
        """What was typed in one text down to a line, its own command last."""
        runs = self._runs.get(artifact, [])
        return runs[: bisect_right(runs, line, key=attrgetter("line"))]

    def acted_between(self, artifact: int, first: int, last: int) -> bool:
        """Whether two lines are answers to one command that was typed twice, and to change something was between."""
        earlier, later = self.before(artifact, first), self.before(artifact, last)
        between = later[len(earlier) : -1]
        is_same = bool(earlier) and bool(between) and _tool(earlier[-1]) == _tool(later[-1])
        return is_same and any(changing_word(run.command) is not None for run in between)

    def went_through_later(self, artifact: int, line: int, refused: Collection[int]) -> bool:
        """Whether a line is the answer to a command that changes something, and the same command was typed again below
        it and answered nothing bad. refused: lines of the text that are alarms.
        """
        runs = self.before(artifact, line)
        if not runs or line - runs[-1].line > ANSWER_LINES or changing_word(runs[-1].command) is None:
            return False
        own, all_runs = runs[-1], self._runs[artifact]
        last = next((one for one in reversed(all_runs) if one.line > line and _is_again(one, own)), None)
        below = next((one.line for one in all_runs if last is not None and one.line > last.line), None)
        if last is None or below is None:  # what the last one answered may be left out
            return False
        return not any(last.line <= one < below for one in refused) and self._is_read(artifact, last.line, below)

    def _is_read(self, artifact: int, first: int, end: int) -> bool:
        """Whether all that stands between two lines was understood."""
        if not self._records.has(Section):
            return True
        own = pl.col("artifact").eq(artifact) & pl.col("last_line").ge(first) & pl.col("line").lt(end)
        return self._records.scan(Section).filter(own & pl.col("not_understood").gt(0)).collect().is_empty()


def _is_again(run: CommandRun, own: CommandRun) -> bool:
    """Whether a command is another one once more, with other options or without."""
    return _tool(run) == _tool(own) and _words(own) <= _words(run)


def _words(run: CommandRun) -> set[str]:
    return {word for word in run.command.split()[1:] if not word.startswith("-")}


def _tool(run: CommandRun) -> str:
    return run.command.split(" ", 1)[0].rsplit("/", 1)[-1]
