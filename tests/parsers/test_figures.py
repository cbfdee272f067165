"""Figures in sentences: the number, the range, the unit; and what looks like one and is none."""

from __future__ import annotations

import time

import pytest

from parsers.prose.figures import figures, number


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("it manages about 5000 locks/second", [(5000, None, "locks/s")]),
        ("it dropped by 28 percent", [(28, None, "%")]),
        ("a backup runs 20-28 hours", [(20, 28, "h")]),
        ("it takes 3 hours", [(3, None, "h")]),
        ("that is 2.7 times faster", [(2.7, None, "times")]),
        ("nearly two and a half times faster", [(2.5, None, "times")]),
        ("three times as slow", [(3, None, "times")]),
        ("slower by a factor of 4", [(4, None, "times")]),
        ("2Mio files with a sum of 2GB", [(2e6, None, "files"), (2, None, "GB")]),
        ("1.8-2.5 million locks/second", [(1.8e6, 2.5e6, "locks/s")]),
        ("a 2.1million file system", [(2.1e6, None, "files")]),
        ("~90 1Tb filesystems", [(90, None, "filesystems"), (1, None, "Tb")]),
        ("10,000 files and 130 000 directories", [(10_000, None, "files"), (130_000, None, "directories")]),
        ("2,5 million inodes", [(2.5e6, None, "inodes")]),
        ("5 Minuten, 30 Sekunden", [(5, None, "min"), (30, None, "s")]),
        ("120kb/s and 4000pps", [(120, None, "kb/s"), (4000, None, "packets/s")]),
        ("about 140 megabytes per second", [(140, None, "MB/s")]),
        ("between 95.4 to 101 MB/s", [(95.4, 101, "MB/s")]),
        ("more than 50 % of it", [(50, None, "%")]),
        ("a latency of 16.2 ms", [(16.2, None, "ms")]),
        ("4000 locks per second, falling to single digits", [(4000, None, "locks/s"), (1, 9, "locks/s")]),
        ("it does 300 iops", [(300, None, "operations/s")]),
        ("in 65k chunks", [(65, None, "k")]),
        ("two percent of 12 nodes", [(2, None, "%"), (12, None, "nodes")]),
    ],
)
def test_a_figure_has_its_unit(sentence: str, expected: list[tuple[float, float | None, str]]) -> None:
    assert [(figure.value, figure.high, figure.unit) for figure in figures(sentence)] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Tue Feb 15 20:07:31 UTC 2011",
        "Tel: +49 89 1234567-14",
        "with release 5.0.4.2 of it",
        "one of the nodes, two of them",
        "On Tue, 2011-02-15 at 17:59 somebody wrote",
        "dual 5560CPUs",
        "the address 0x16 s",
        "falling to single digits",
        "see page 12",
    ],
)
def test_a_number_without_a_unit_is_no_figure(sentence: str) -> None:
    assert figures(sentence) == []


def test_a_figure_knows_its_place() -> None:
    [figure] = figures("it takes about 12 hours")
    assert "it takes about 12 hours"[figure.start : figure.end] == "12 hours"


@pytest.mark.parametrize(
    ("text", "value"), [("10,000", 10_000), ("1,234,567", 1_234_567), ("2,5", 2.5), ("1 500", 1500), ("3.5", 3.5)]
)
def test_commas_part_thousands_or_decimals(text: str, value: float) -> None:
    assert number(text) == value


def test_hostile_text_takes_linear_time() -> None:
    began = time.process_time()
    for part in (
        "1",
        "1 ",
        "1,",
        "1,000",
        "one ",
        "1 a a ",
        "9-",
        "1 million ",
        "two and a half ",
        "factor ",
        "1 x x ",
    ):
        figures(part * (60_000 // len(part)))
    assert time.process_time() - began < 15.0
