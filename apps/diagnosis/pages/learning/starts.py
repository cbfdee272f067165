"""What the form of an entry is filled with: a line of a log, a line that nobody reads, a row of a listing, a kind of
waits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

import polars as pl

from apps.cases.files.facts_place import rows_of
from apps.cases.files.sections import not_understood_between, sections_of
from apps.cases.models import Artifact, Case
from apps.diagnosis.engine.core.facts.store import file_stem
from apps.diagnosis.engine.core.facts.taught import tool_of
from apps.diagnosis.pages.learning.words import Word, name_for, title_for, words_in
from parsers.dataclass import dataclass
from parsers.log_lines import message_in
from parsers.messages.site_entries import EntryOf, columns_of, is_figure, tables
from parsers.records.kinds import RECORD_TYPES

LABELS: Final[Mapping[str, str]] = {"log": "the message", "output": "the line", "table": "the row", "waits": "the wait"}
TELLING: Final = ("state", "standing", "status")
"""Columns that most likely say how a thing stands."""
NAMING: Final = ("name", "device", "disk", "object", "map", "member", "resource", "peer")


@dataclass(frozen=True, slots=True)
class Start:
    """One way to begin an entry. ``values``: of a row, its columns."""

    of: EntryOf
    words: list[Word] = field(default_factory=list)
    told_by: str = ""
    values: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Its name in an address."""
        return f"{self.of}-{self.told_by}" if self.of == "table" else self.of

    @property
    def label(self) -> str:
        """What it speaks of."""
        return f"{LABELS[self.of]} of {self.told_by}" if self.of == "table" else LABELS[self.of]

    def initial(self) -> dict[str, Any]:
        """Fields of the form."""
        if self.of == "table":
            return self._of_row()
        return {
            "program": self.told_by,
            "output": self.told_by,
            "title": title_for(self.words),
            "name": name_for(self.words),
        }

    def _of_row(self) -> dict[str, Any]:
        known = dict(self.values)
        column = next((name for name in TELLING if name in known), next(iter(known), ""))
        about = next((name for name in NAMING if name in known), "")
        value = known.get(column, "")
        words = [Word(part, "kept") for part in (self.told_by, *value.split())]
        title = " ".join([*(("{about}",) if about else ()), column.replace("_", " "), value]).strip()
        return {
            "table": self.told_by,
            "column": column,
            "operator": "above" if is_figure(self.told_by, column) else "is",
            "value": value,
            "object": about,
            "title": title[:90],
            "name": name_for(words),
        }


def starts_of_line(artifact: Artifact, number: int, line: str, nodes: frozenset[str]) -> list[Start]:
    """What a line of a file may be taken for, the likeliest first."""
    logged = message_in(line)
    found = list(_rows(artifact, number))
    if logged is not None:
        found.insert(0, Start("log", words_in(logged.message, nodes), logged.program))
    if logged is None and number in not_understood_between(artifact, number, number):
        words = [_without_digits(word) for word in words_in(line, nodes)]
        found.insert(0, Start("output", words, _tool(artifact, number)))
    return found or [Start("log", words_in(line, nodes))]


def _without_digits(word: Word) -> Word:
    """Digits of lines that nobody reads are not kept."""
    return Word(word.text, "any") if word.kind == "kept" and any(sign.isdigit() for sign in word.text) else word


def _tool(artifact: Artifact, number: int) -> str:
    sections = (one for one in sections_of(artifact) if one.first_line <= number <= one.last_line)
    return tool_of(next((one.command for one in sections), None))


def _rows(artifact: Artifact, number: int) -> Iterator[Start]:
    """Rows of listings that were read from the line."""
    kinds = {kind.__name__: kind for kind in RECORD_TYPES}
    for table in tables():
        found = rows_of(artifact, file_stem(kinds[table]))
        if found is None:
            continue
        for row in found.filter(pl.col("line") == number).head(1).collect().iter_rows(named=True):
            values = ((name, row[name]) for name in columns_of(table) if name not in ("node", "source") and name in row)
            yield Start("table", [], table, tuple((name, str(value)) for name, value in values if value is not None))


def wait_token(words: str) -> str:
    """What an address calls a kind of waits that the program does not know."""
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:24]


def words_of(kind: Mapping[str, Any]) -> str:
    """Thread and reason of a kind of waits, as entries are compared with them."""
    return " ".join(str(part) for part in (kind["thread"], kind["reason"] or kind["wait_on"]) if part)


def start_of_wait(kind: Mapping[str, Any], nodes: frozenset[str]) -> Start:
    """A kind of waits that the program does not know."""
    return Start("waits", words_in(words_of(kind), nodes))


def nodes_of(case: Case) -> frozenset[str]:
    """Names of the nodes of a case in small letters."""
    diagnosis = case.current_diagnosis
    rows = diagnosis.summary.get("nodes", ()) if diagnosis is not None else ()
    names = (name for row in rows for name in (row["name"], *row.get("aliases", ())) if isinstance(name, str))
    return frozenset(name.lower() for name in names)
