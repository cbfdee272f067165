"""The receiver's view beside the original: the same rows twice, with the stand-ins marked."""

from __future__ import annotations

import re
from typing import Any, Final

import polars as pl

from apps.cases.models import Case
from apps.diagnosis.models import Diagnosis as DiagnosisRow
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.values import AnyDiagnosis, findings_of
from apps.sharing.levels import Level
from apps.sharing.masked import masked_row
from apps.sharing.masking import Shown, at_level
from apps.sharing.textmask import KINDS
from parsers.dataclass import dataclass

ROWS: Final = 5
LINES: Final = 2
EXAMPLES: Final = 3
STANDIN: Final = re.compile(rf"\b(?:case|{'|'.join(KINDS)})-\d+\b")
GROUPS: Final = (
    ("Host names", ("node",), "all spellings of one node get one stand-in"),
    ("Addresses, MACs, <c0n4>", ("addr", "mac"), "order of names and addresses is not kept"),
    ("Disks, file systems, paths", ("disk", "fs", "path"), "depth of a path is kept"),
    ("Users", ("user",), "root stays: every system has it"),
    ("Serial numbers and ids", ("id",), "long numbers too: they could be looked up"),
    ("Other words", ("word",), "a word that the program does not know is taken for a name"),
)
"""What is replaced, the kinds of stand-ins, and a remark."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a text; marked where it is a stand-in."""

    text: str
    is_standin: bool = False


def pieces(text: str, *, is_masked: bool) -> list[Piece]:
    """The text cut at its stand-ins."""
    found, at = [], 0
    for match in STANDIN.finditer(text) if is_masked else ():
        found += [Piece(text[at : match.start()]), Piece(match[0], is_standin=True)]
        at = match.end()
    return [piece for piece in (*found, Piece(text[at:])) if piece.text]


def preview(case: Case, level: Level) -> dict[str, Any]:
    """Both sides, and the table of what was replaced."""
    if case.current_diagnosis is None:
        return {"is_empty": True}
    other = at_level(case, level)
    replaced = _replaced(case.current_diagnosis) if level.is_masked else []
    return {
        "yours": _side(Shown(case, level, case.current_diagnosis), is_masked=False),
        "theirs": _side(other, is_masked=level.is_masked),
        "replaced": replaced,
        "level": level,
        "yours_foot": (
            f"{_counted(case.artifacts.originals().count(), 'file')} · {_counted(case.notes.count(), 'note')} · history"
        ),
        "theirs_hint": _hint(level, sum(group["found"] for group in replaced)),
        "theirs_foot": "Bundles and history: not on this page"
        if level.shows_raw
        else "Raw files, notes, history: not on this page",
    }


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _hint(level: Level, replaced: int) -> str:
    if level.is_masked:
        return f"{_counted(replaced, 'name')} replaced"
    return "signed in, anybody" if level.needs_account else "no sign-in"


def _side(view: Shown, *, is_masked: bool) -> dict[str, Any]:
    diagnosis = view.diagnosis
    if diagnosis is None:
        return {}
    findings = findings_of(diagnosis)
    lines = [line for finding in findings for line in finding.evidence][:LINES]
    return {
        "title": pieces(view.case.title, is_masked=is_masked),
        "customer": "" if is_masked else view.case.customer,
        "severity": diagnosis.verdict_severity,
        "verdict": pieces(diagnosis.verdict_title, is_masked=is_masked),
        "waits": [_wait(row, is_masked=is_masked) for row in _longest(diagnosis)],
        "lines": [pieces(line["text"].strip(), is_masked=is_masked) for line in lines],
    }


def _longest(diagnosis: AnyDiagnosis) -> list[dict[str, Any]]:
    """The longest waits, one for each node and thread, that are not idle."""
    spans = PageTableFiles(diagnosis).spans()
    if spans is None:
        return []
    rows = spans.filter(pl.col("category").fill_null(0) != 1).sort(
        "seconds", "artifact", "line", descending=[True, False, False], nulls_last=True
    )
    return rows.unique(["node", "thread"], keep="first", maintain_order=True).head(ROWS).collect().to_dicts()


def _wait(row: dict[str, Any], *, is_masked: bool) -> dict[str, Any]:
    return {
        "category": row["category"],
        "node": pieces(row["node"] or "node unknown", is_masked=is_masked),
        "thread": pieces(row["thread"] or "", is_masked=is_masked),
        "waits_on": pieces(row["waits_on"] or row["reason"] or "", is_masked=is_masked),
        "seconds": row["seconds"],
    }


def _replaced(diagnosis: DiagnosisRow) -> list[dict[str, Any]]:
    """How many names of each sort, what they become, and the whole map for those who may share."""
    names: dict[str, dict[str, str]] = masked_row(diagnosis).names
    rows = []
    for label, kinds, why in GROUPS:
        found = [(name, standin) for kind in kinds for name, standin in names.get(kind, {}).items()]
        if found:
            becomes = sorted({standin for _, standin in found}, key=_by_number)
            rows.append(
                {
                    "label": label,
                    "found": len(found),
                    "becomes": _shortened(becomes),
                    "why": why,
                    "map": sorted(found)[:500],
                }
            )
    return rows


def _by_number(standin: str) -> tuple[str, int]:
    kind, _, number = standin.rpartition("-")
    return kind, int(number)


def _shortened(standins: list[str]) -> str:
    return " … ".join(dict.fromkeys((standins[0], standins[-1]))) if len(standins) != EXAMPLES else ", ".join(standins)
