"""Tables by their headings, lists of names and values, and rows that are defined once."""

from __future__ import annotations

import re

import pytest

from parsers.records import Counter
from parsers.tables.headed import Column, Table
from parsers.tables.key_values import KeyValues
from tests.parsers.golden import Reading

DISKS = Table(
    Column("Disk", "Device", "Disk name", needed=True),
    Column("State", cell=r"[a-z]{2,12}$", needed=True),
    Column("Queue", cell=r"\d{1,9}$"),
    Column("Group"),
    row=r"\S{1,80}\s{1,40}[a-z]",
)


@pytest.mark.parametrize(
    ("heading", "row", "expected"),
    [
        ("Disk      State   Queue", "d01       up          7", {"Disk": "d01", "State": "up", "Queue": "7"}),
        ("Queue  State  Device", "    7  up     d01", {"Disk": "d01", "State": "up", "Queue": "7"}),
        ("Disk name  State", "d01        up", {"Disk": "d01", "State": "up"}),
        (
            "Disk      State   Queue  Group",
            "d01       up             blue",
            {"Disk": "d01", "State": "up", "Group": "blue"},
        ),
        (
            "Disk      State   Mood of it",
            "d01       up      quite good",
            {"Disk": "d01", "State": "up", "Mood of it": "quite good"},
        ),
        (
            "Disk      State   Queue",
            "a_name_that_is_long up 7",
            {"Disk": "a_name_that_is_long", "State": "up", "Queue": "7"},
        ),
        ("Disk State Queue", "d01 up 7", {"Disk": "d01", "State": "up", "Queue": "7"}),
    ],
    ids=["plain", "other order", "alias", "blank cell", "unknown column", "shifted", "collapsed"],
)
def test_cells_are_found_by_their_headings(heading: str, row: str, expected: dict[str, str]) -> None:
    spans = DISKS.heading(heading)
    assert spans is not None
    assert DISKS.cells(row, spans) == expected


@pytest.mark.parametrize("row", ["d01       UP          7", "d01", "7"])
def test_a_row_whose_cells_look_otherwise_is_not_read(row: str) -> None:
    spans = DISKS.heading("Disk      State   Queue")
    assert spans is not None
    assert DISKS.cells(row, spans) is None


def test_a_line_without_the_needed_headings_is_none() -> None:
    assert DISKS.heading("Disk      Queue") is None


TASKS = "TASKID  PTID TYPE/STATE    PCT   PROGRESS\n"


def test_a_wrapped_row_is_joined() -> None:
    found = Reading(f"{TASKS}   163     162   PLXATT/P\n 44.10% 0/8388608/3699376 PLXATT spare spare-02\n")
    assert [(row.line, row.scope, row.value) for row in found.of(Counter)] == [(2, "spare", 44.1)]
    assert found.result.not_understood == 0


def test_a_claimed_row_without_a_record_is_unread() -> None:
    volumes = "v  rolls - ENABLED ACTIVE 2097152 SELECT - fsgen\nv  spare - ENABLED ACTIVE 2097152 SELECT - fsgen\n"
    found = Reading(f"{volumes}dm rolls01      sdc          auto     65536    4194304  QUITENEW\n")
    assert found.result.understood == 2
    assert found.result.not_understood == 1


def test_a_list_claims_its_names_and_owns_them_without_a_value() -> None:
    listed = KeyValues("State", r"Open (?:count|files)", claimed_by=("Open count",))
    assert re.match(listed.claims, "Open count: 7")
    assert re.match(listed.claims, "State: up") is None
    assert re.match(listed.owns, "State:")
