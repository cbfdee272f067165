"""Outputs that were recognised by name and not read, and rows that no reader took: by file, with their command and
lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice, zip_longest
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, cells
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.headings.context import RESUME_LINES
from parsers.records import Section, Skipped

SECTIONS_KEPT: Final = 20_000
COMMAND_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Unread:
    """A run of lines of one output. ``command`` is None where nothing names it."""

    artifact: int
    command: str | None
    node: str | None
    first_line: int
    last_line: int
    lines: int
    why: str

    @property
    def is_output(self) -> bool:
        """Whether it is a whole output without a reader, rather than rows of one that is read."""
        return self.why == phrase("input.no-reader")


class UnreadOutputs:
    """What was not read of a case, in the order of the files."""

    def __init__(self, store: Facts, records: Records) -> None:
        self._store = store
        self._records = records

    @cached_property
    def all(self) -> tuple[Unread, ...]:
        """At most ``SECTIONS_KEPT`` outputs."""
        if not self._records.has(Section):
            return ()
        if not any(one.unread for one in self._store.formats):
            return ()
        rows = self._records.frame(Section, pl.col("not_understood") > 0).head(SECTIONS_KEPT)
        reasons = self._reasons(rows)
        return tuple(one for row in rows.iter_rows(named=True) for one in _of_section(row, reasons))

    def of(self, artifact: int) -> list[Unread]:
        """Those of one file."""
        return self._by_artifact.get(artifact, [])

    @cached_property
    def _by_artifact(self) -> dict[int, list[Unread]]:
        found: dict[int, list[Unread]] = {}
        for one in self.all:
            found.setdefault(one.artifact, []).append(one)
        return found

    @property
    def outputs(self) -> tuple[str, ...]:
        """Commands without a reader, each once, those with most lines first."""
        lines: dict[str, int] = {}
        for one in self.all:
            if one.is_output and one.command:
                lines[one.command] = lines.get(one.command, 0) + one.lines
        return tuple(sorted(lines, key=lambda command: -lines[command]))

    @cached_property
    def heard(self) -> tuple[str, ...]:
        """Lines without a reader whose words sound like trouble, in the order of the files."""
        if not self._records.has(Skipped):
            return ()
        return tuple(islice(filter(None, self._records.frame(Skipped)["text"]), SECTIONS_KEPT))

    def _reasons(self, sections: pl.DataFrame) -> dict[tuple[int, int], list[tuple[int, str]]]:
        """By artifact and first line of a section: its skipped lines with the reason, and those of nobody close below
        it.
        """
        found: dict[tuple[int, int], list[tuple[int, str]]] = {}
        if sections.is_empty() or not self._records.has(Skipped):
            return found
        skipped = list(cells(self._records.frame(Skipped), "artifact", "line", "reason"))
        at = 0
        for artifact, first, last in _spans(sections):
            while at < len(skipped) and skipped[at][:2] < (artifact, first):
                at += 1
            while at < len(skipped) and skipped[at][0] == artifact and skipped[at][1] <= last:
                found.setdefault((artifact, first), []).append((skipped[at][1], skipped[at][2]))
                at += 1
        return found


def _spans(sections: pl.DataFrame) -> Iterator[tuple[int, int, int]]:
    """Of sections with a reader: artifact, first line, and up to where lines of nobody are taken for theirs."""
    rows = list(cells(sections, "artifact", "line", "last_line", "format"))
    for (artifact, first, last, name), after in zip_longest(rows, rows[1:]):
        if name != "unknown":
            end = last + RESUME_LINES
            yield artifact, first, min(end, after[1] - 1) if after and after[0] == artifact else end


def _of_section(row: dict[str, Any], reasons: dict[tuple[int, int], list[tuple[int, str]]]) -> Iterator[Unread]:
    command = (row["command"] or "")[:COMMAND_SHOWN] or None
    if row["format"] in ("unknown", ""):
        yield Unread(
            row["artifact"],
            command,
            row["node"],
            row["line"],
            row["last_line"],
            row["not_understood"],
            phrase("input.no-reader"),
        )
        return
    named = command or row["format"].replace("_", " ")
    runs: list[tuple[int, int, int, str]] = []
    for line, why in reasons.get((row["artifact"], row["line"]), ()):
        if runs and runs[-1][3] == why and line - runs[-1][1] <= 1:
            runs[-1] = (runs[-1][0], line, runs[-1][2] + 1, why)
        else:
            runs.append((line, line, 1, why))
    if not runs:
        yield Unread(
            row["artifact"],
            named,
            row["node"],
            row["line"],
            row["last_line"],
            row["not_understood"],
            phrase("input.unread-rows"),
        )
    for first, last, lines, why in runs:
        yield Unread(row["artifact"], named, row["node"], first, last, lines, why)
