"""What the program says of the articles and of the sample cases, held against its tables row by row."""

from __future__ import annotations

import copy
import re

import pytest

from apps.diagnosis.engine.core.words.wording import MOST_WORDS, words
from tests.expectations.tables import Table, differences, fits, report_of, tables

TABLES = tables()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_everything_is_stated_as_expected(table: Table) -> None:
    assert differences(table, report_of(table)) == []
    assert words(report_of(table)["verdict"]["title"]) <= MOST_WORDS


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_what_rests_on_proposals_or_memory_is_a_hint_unless_harm_is_shown(table: Table) -> None:
    unsure = [
        row
        for row in report_of(table)["findings"]
        if row["basis"] in ("proposed", "recalled") and row["severity"] != "info"
    ]
    harmful = [row for row in unsure if re.search("What it (did|may have done): ", row["explanation"])]
    assert all(
        (row["severity"], "This is a hint" in row["explanation"]) == ("low", True)
        for row in unsure
        if row not in harmful
    )


def test_each_article_and_each_sample_has_a_table() -> None:
    named = [next(iter(table.content["material"].values())) for table in TABLES]
    assert len(named) == len(set(named)) == 8
    assert sum(bool(table.article) for table in TABLES) == 5


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_says_what_must_not_be_there_and_all_roots_and_circles(table: Table) -> None:
    assert {"roots", "cycles", "tunings"} <= set(table.content["exactly"]["collections"])
    assert table.content["silent"]


def sample_table() -> Table:
    return next(table for table in TABLES if table.content["material"].get("sample") == "SAMPLE-SCALE")


def test_a_report_that_says_something_else_differs() -> None:
    table, report = sample_table(), copy.deepcopy(report_of(sample_table()))
    finding = report["findings"][0]
    finding["figures"] = dict.fromkeys(finding["figures"], 1)
    report["roots"].append({**report["roots"][0], "what": "dm-99"})
    report["cycles"].append(["a", "b"])
    report["findings"].append({**finding, "ref": table.content["silent"]["refs"][0]})
    shown = "\n".join(differences(table, report))
    assert "findings: 0 rows" in shown
    assert "dm-99" in shown
    assert "members" in shown
    assert "must not be said" in shown


@pytest.mark.parametrize(
    ("row", "wanted", "is_right"),
    [
        (163.47, 163.5, True),
        (163.47, 164.5, False),
        (None, "none", True),
        (0, "none", False),
        ("2\u2009304 locks", "2 304", False),
        ({"title": "2\u2009304 locks/s"}, {"title_has": ["2 304", "locks"]}, True),
        ({"title": "x"}, {"title_has": "y"}, False),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_how_values_are_compared(row: object, wanted: object, is_right: bool) -> None:
    assert fits(row, wanted) is is_right
