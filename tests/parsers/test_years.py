"""Dates without a year: from when the text was taken, over the turn of a year, and unknown where nothing tells."""

from __future__ import annotations

import io

import pytest

from parsers.clock import format_instant, wall
from parsers.output import MemorySink, Output
from parsers.sections import Hints, Reader
from parsers.text import blocks
from parsers.years import Years

HOUR_US = 3_600_000_000


def at(year: int, month: int, day: int, hours: float = 0) -> int:
    us = wall(year, month, day, round(hours * HOUR_US))
    assert us is not None
    return us


def dates(taken_us: int | None, *stamps: tuple[int, int]) -> list[str | None]:
    years = Years(taken_us)
    return [(format_instant(years.wall(month, day, 0)) or "?")[:10] for month, day in stamps]


def test_the_year_is_the_last_in_which_the_line_is_not_younger_than_the_text() -> None:
    assert dates(at(2024, 3, 5, 10), (3, 5)) == ["2024-03-05"]
    assert dates(at(2024, 3, 5, 10), (3, 6)) == ["2024-03-06"]  # a clock that runs ahead
    assert dates(at(2024, 3, 5, 10), (3, 8)) == ["2023-03-08"]
    assert dates(at(2024, 1, 2), (12, 30), (12, 31), (1, 1)) == ["2023-12-30", "2023-12-31", "2024-01-01"]


def test_the_year_changes_between_december_and_january() -> None:
    assert dates(at(2024, 7, 1), (11, 3), (12, 31), (1, 1), (6, 30)) == ["2023-11-03", "2023-12-31", "2024-01-01", "2024-06-30"]


def test_an_older_log_behind_a_younger_one_goes_back() -> None:
    assert dates(at(2024, 1, 9), (1, 1), (12, 30), (1, 2)) == ["2024-01-01", "2023-12-30", "2024-01-02"]


def test_the_29th_of_february_has_a_leap_year() -> None:
    assert dates(at(2023, 5, 1), (2, 29)) == ["2020-02-29"]
    assert dates(at(2023, 5, 1), (2, 30)) == ["?"]


@pytest.mark.parametrize("taken", [None, 36_000_000_000])
def test_without_a_date_there_is_no_year(taken: int | None) -> None:
    assert dates(taken, (3, 5)) == ["?"]


def test_a_repeated_hour_is_told() -> None:
    years = Years(at(2024, 11, 30))
    told = []
    for hours in (1.5, 2.5, 2.0, 2.9, 3.5):
        years.wall(10, 27, round(hours * HOUR_US))
        told.append(years.repeated_us / HOUR_US)
    assert told == [0, 0, 0.5, 0, 0]


@pytest.mark.parametrize(
    ("text", "path", "modified", "taken"),
    [
        ("x", "messages-20240305", None, "2024-03-05T23:59:59"),
        ("x", "messages", 1_709_632_800_000_000, "2024-03-05T10:00:00"),
        ("x", "messages-20230101", 1_709_632_800_000_000, "2023-01-01T23:59:59"),
        ("x", "messages", None, None),
    ],
)
def test_a_text_was_taken_when_its_name_or_its_member_says(text: str, path: str, modified: int | None, taken: str | None) -> None:
    reader = Reader(blocks(io.BytesIO(text.encode())), Output(MemorySink()), Hints(path=path, modified_us=modified))
    assert format_instant(reader.taken_us) == taken
