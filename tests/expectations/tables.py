"""What must be said of known material, as tables: one TOML file for each text or sample case, compared with the JSON
report.

[material]            one of: article = "name.txt", sample = "SAMPLE-CFS" [[<collection>]]      a row that the
collection of the report (findings, lock_roles, waiters, ...) must hold, as far as it is written down:
                      figures within 0.1 % or one in the last digit, ``_has`` behind a name looks for parts of a text,
                      ``times`` counts
[exactly]             collections of which each row must be named by a row of the table: nothing else may be there
[silent]              refs, tunings and words that must not appear anywhere among findings and tunings
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.reports import report_on_article, report_on_sample

HERE: Final = Path(__file__).resolve().parent
OWN: Final = frozenset(("material", "exactly", "silent"))
NEAR: Final = 0.001
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """One file of expectations."""

    name: str
    content: dict[str, Any]

    @property
    def article(self) -> str:
        """The text that is read, where the table speaks of one."""
        return str(self.content["material"].get("article", ""))

    @property
    def collections(self) -> dict[str, Any]:
        """Expected rows by collection of the report; what is there once may be written as one row."""
        return {name: rows for name, rows in self.content.items() if name not in OWN}


def tables() -> list[Table]:
    """All tables, by name."""
    return [Table(path.stem, tomllib.loads(path.read_text(encoding="utf-8"))) for path in sorted(HERE.glob("*.toml"))]


def report_of(table: Table) -> dict[str, Any]:
    """The report on its material; a test is skipped where an article is not there."""
    return report_on_article(table.article) if table.article else report_on_sample(table.content["material"]["sample"])


def fits(row: Any, wanted: Any) -> bool:
    """Whether a value of the report is what the table says of it."""
    if isinstance(wanted, dict):
        return isinstance(row, dict) and all(
            _part_fits(row, name, value) for name, value in wanted.items() if name != "times"
        )
    if isinstance(wanted, float) and isinstance(row, int | float) and not isinstance(row, bool):
        return abs(row - wanted) <= NEAR * abs(wanted)
    return bool(row == ([] if wanted == "none" and isinstance(row, list) else None if wanted == "none" else wanted))


def _part_fits(row: Row, name: str, wanted: Any) -> bool:
    if name.endswith("_has"):
        words = [wanted] if isinstance(wanted, str) else wanted
        text = _plain(row.get(name.removesuffix("_has")))
        return all(_plain(word) in text for word in words)
    return name in row and fits(row[name], wanted)


def _plain(value: Any) -> str:
    """Text with every kind of blank as a blank; what is no text as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\u2009", " ").replace("\u00a0", " ")


def differences(table: Table, report: dict[str, Any]) -> list[str]:
    """Everything in which a report departs from its table, in words."""
    return [*_lacking(table, report), *_extra(table, report), *_forbidden(table, report)]


def _lacking(table: Table, report: dict[str, Any]) -> list[str]:
    found = []
    for name, rows in table.collections.items():
        for wanted in rows if isinstance(rows, list) else [rows]:
            times, seen = wanted.get("times"), sum(fits(row, wanted) for row in _rows(report, name))
            if seen != times if times is not None else not seen:
                found.append(f"{name}: {seen} rows instead of {times or 'one or more'} are {wanted}")
    return found


def _extra(table: Table, report: dict[str, Any]) -> list[str]:
    found = []
    for name in table.content.get("exactly", {}).get("collections", ()):
        wanted = table.collections.get(name, [])
        found += [
            f"{name}: nothing in the table says {_short(row)}"
            for row in _rows(report, name)
            if not any(fits(row, w) for w in wanted)
        ]
    return found


def _forbidden(table: Table, report: dict[str, Any]) -> list[str]:
    silent = table.content.get("silent", {})
    severe = [row for row in report["findings"] if row["severity"] != "info"]
    found = [
        f"{row['ref']} must not be said: {row['title']}"
        for row in report["findings"]
        if row["ref"] in silent.get("refs", ())
    ]
    found += [
        f"{row['ref']} must stay info: {row['title']}" for row in severe if row["ref"] in silent.get("above_info", ())
    ]
    found += [f"{row['id']} must not be offered" for row in report["tunings"] if row["id"] in silent.get("tunings", ())]
    shown = _plain([[row["title"], row["explanation"], row["figures"]] for row in report["findings"]])
    shown += _plain([[row["parameter"], row["recommended"], row["commands"]] for row in report["tunings"]])
    return found + [f"{word!r} must not be said" for word in silent.get("words", ()) if _plain(word) in shown]


def _rows(report: dict[str, Any], name: str) -> list[Any]:
    """A collection; one that is a single thing (the verdict) counts as one row, a list of members as a row of
    members.
    """
    found = report[name]
    rows = found if isinstance(found, list) else [found]
    return [{"members": sorted(row)} if isinstance(row, list) else row for row in rows]


def _short(row: Any) -> str:
    return _plain(row)[:200]
