"""Dates without a year: from when the text was taken, over the turn of a year, and unknown where nothing tells."""

from __future__ import annotations

import pytest

from parsers.headings.paths import day_from_path
from parsers.times.clock import format_instant, wall
from parsers.times.years import Years, is_open

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


def test_t22_the_year_changes_between_december_and_january() -> None:
    assert dates(at(2024, 7, 1), (11, 3), (12, 31), (1, 1), (6, 30)) == [
        "2023-11-03",
        "2023-12-31",
        "2024-01-01",
        "2024-06-30",
    ]


def test_an_older_log_behind_a_younger_one_goes_back() -> None:
    assert dates(at(2024, 1, 9), (1, 1), (12, 30), (1, 2)) == ["2024-01-01", "2023-12-30", "2024-01-02"]


def test_t22_the_29th_of_february_has_a_leap_year() -> None:
    assert dates(at(2023, 5, 1), (2, 29)) == ["2020-02-29"]
    assert dates(at(2023, 5, 1), (2, 30)) == ["?"]


@pytest.mark.parametrize("taken", [None, 36_000_000_000])
def test_t22_without_a_date_the_year_is_left_open_and_order_holds(taken: int | None) -> None:
    years = Years(taken)
    moments = [years.wall(month, day, 0) for month, day in ((12, 30), (12, 31), (1, 1))]
    assert [us is not None and is_open(us) for us in moments] == [True] * 3
    assert moments == sorted(moments, key=lambda us: us or 0)


def test_a_log_that_goes_over_more_years_than_there_are_open_ones_keeps_the_time_of_day() -> None:
    years = Years(None)
    moments = [years.stamp(month, "5", "10:00:00") for _ in range(6) for month in ("Mar", "Aug", "Dec")]
    assert is_open(moments[0] or 0)
    assert moments[-1] == 10 * HOUR_US


def test_a_stamp_that_no_calendar_has_keeps_its_time_of_day() -> None:
    assert Years(at(2023, 5, 1)).stamp("Feb", "30", "10:00:00") == 10 * HOUR_US
    assert Years(None).stamp("Feb", "30", "25:00:00") is None


def test_t22_a_repeated_hour_is_reported() -> None:
    years = Years(at(2024, 11, 30))
    repeated = []
    for hours in (1.5, 2.5, 2.0, 2.9, 3.5):
        years.wall(10, 27, round(hours * HOUR_US))
        repeated.append(years.repeated_us / HOUR_US)
    assert repeated == [0, 0, 0.5, 0, 0]


@pytest.mark.parametrize(("path", "taken"), [("messages-20240305", "2024-03-05T23:59:59"), ("messages", None)])
def test_a_text_was_taken_when_its_name_says(path: str, taken: str | None) -> None:
    assert format_instant(day_from_path(path)) == taken
