"""Headings of a moment and a node above each output, as loops of people print them."""

from __future__ import annotations

import pytest

from parsers.headings.dated_headings import plain_moment, ruled_moment
from parsers.output import Output
from parsers.records import Section
from parsers.sections.reader import read
from parsers.text import Block

OUTPUT = """
=== mmdiag: waiters ===
Waiting 63.9775 sec since 08:58:58, monitored, thread 4101 NSDThread: for I/O completion on disk dm-17
"""
NINE = 9 * 3600 + 2
NODES = (("io00", "io01"), ("larch", "maple"), ("ess3-io2.lab.example", "ess3-io1.lab.example"))


class Sections:
    """Keeps node and second of the day of each section."""

    def __init__(self) -> None:
        self.found: list[tuple[str | None, int]] = []

    def write(self, kind: type, columns: object) -> None:
        if kind is Section:
            rows = columns if isinstance(columns, dict) else {}
            self.found += [
                (node, (at or 0) // 1_000_000 % 86400) for node, at in zip(rows["node"], rows["at"], strict=True)
            ]

    def close(self) -> None:
        """Nothing to write."""


def sections_of(text: str) -> tuple[list[tuple[str | None, int]], int]:
    sink = Sections()
    out = Output(sink)
    result = read([Block(text.encode(), 1)], out)
    out.close()
    return sink.found, result.not_understood


@pytest.mark.parametrize(
    "heading",
    [
        "--- Wed Nov 18 09:0M:02 UTC 2026 on NODE ---",
        "##### NODE Wed Nov 18 09:0M:02 CET 2026 #####",
        "=== NODE @ 2026-11-18T09:0M:02Z ===",
        "==== NODE ==== 09:0M:02 ====",
        "+++ NODE 2026-11-18_09:0M:02 +++",
        "*** NODE, 18.11.2026 09:0M:02 ***",
        "=== waiters NODE 2026-11-18 09:0M:02 ===",
        "~~~ taken at 2026/11/18 09:0M:02 from NODE ~~~",
        "[NODE] 2026-11-18 09:0M:02",
        "# date: Wed Nov 18 09:0M:02 CET 2026 host: NODE",
        "NODE: Wed 18 Nov 2026 09:0M:02 AM UTC",
        "NODE Wed Nov 18 09:0M:02 CET 2026",
        "Wed Nov 18 09:0M:02 CET 2026 NODE",
        "Mi 18. Nov 09:0M:02 CET 2026 NODE",
        "2026-11-18 09:0M:02 - NODE",
        "2026/11/18 09:0M:02 [NODE]",
        "Time: 2026-11-18 09:0M:02  Node: NODE",
        "waiters on NODE at 2026-11-18 09:0M:02",
    ],
)
@pytest.mark.parametrize(
    "nodes", [("io00", "io01"), ("larch", "maple"), ("ess3-io2.lab.example", "ess3-io1.lab.example")]
)
def test_each_output_has_the_node_and_the_moment_of_its_heading(heading: str, nodes: tuple[str, str]) -> None:
    rounds = [(node, minute) for minute in (0, 1) for node in nodes]
    text = "\n".join(heading.replace("NODE", node).replace("0M", f"0{minute}") + OUTPUT for node, minute in rounds)
    found, unread = sections_of(text)
    assert found == [(node, NINE + 60 * minute) for node, minute in rounds]
    assert unread == 0


def test_seconds_since_1970_are_a_moment_between_marks() -> None:
    found = ruled_moment("=== cn04 1794992402 ===")
    assert found is not None
    assert (found.node, found.instant.us, found.instant.zone_min) == ("cn04", 1_794_992_402_000_000, 0)


@pytest.mark.parametrize(
    "heading",
    [
        "=== waiters 2026-11-18 09:00:02 ===",
        "=== sample3 2026-11-18 09:00:02 ===",
        "--- before the change, 2026-11-18 09:00:02 ---",
        "--- mmfs.conf 2026-11-18 09:00:02",
        "### run 4 at 2026-11-18 09:00:02 ###",
    ],
)
def test_other_words_between_marks_are_no_node(heading: str) -> None:
    found = ruled_moment(heading)
    assert found is not None
    assert found.node is None


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-18 09:00:02 restarted",
        "2026-11-18 09:00:02 on call since noon",
        "snap12 Wed Nov 18 09:00:02 2026",
        "disk04: 2026-11-18 09:00:02",
        "2026-11-18 09:00:02 cn04 kernel: link down",
        "Last updated: Wed Nov 18 09:00:02 2026",
        "cn04 is back",
    ],
)
def test_other_lines_with_a_date_are_no_heading(line: str) -> None:
    assert plain_moment(line) is None


def test_rows_of_a_listing_are_no_headings() -> None:
    """A name and a date with no output below is data."""
    rows = "".join(f"cn{n:02} Wed Nov 18 09:00:{n:02} 2026\n" for n in range(10, 20))
    _, unread = sections_of(f"uptimes of the cluster\n{rows}end of list\n")
    assert unread >= 10
