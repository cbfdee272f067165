"""What somebody typed between two looks at the same thing, where the text has no times: in a session the order of lines
is that of time once something was done in between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from operator import attrgetter

from apps.diagnosis.engine.core.records import Records
from parsers.records import CommandRun
from parsers.safe_commands import changing_word


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


def _tool(run: CommandRun) -> str:
    return run.command.split(" ", 1)[0].rsplit("/", 1)[-1]
