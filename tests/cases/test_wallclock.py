from __future__ import annotations

import pytest

from apps.cases.overview.sparkline import spark_of
from apps.cases.page.wallclock import moment_text, window_text, zone_text
from tests.builders import T0_US

HOUR_US = 3_600_000_000


@pytest.mark.parametrize(
    ("us", "zone", "text"),
    [
        (T0_US, "CET", "15 Mar 2027 10:40:00 CET"),
        (T0_US + 999_999, "", "15 Mar 2027 10:40:00"),
        (10 * HOUR_US, "CET", "10:00:00 CET"),
        (-1, "", "31 Dec 1969 23:59:59"),
        (None, "CET", ""),
        (10**30, "", ""),
    ],
)
def test_a_moment_is_shown_as_printed(us: int | None, zone: str, text: str) -> None:
    assert moment_text(us, zone) == text


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        (T0_US, T0_US + HOUR_US, ("15 Mar 2027", "10:40 – 11:40 CET")),
        (T0_US, T0_US + 1, ("15 Mar 2027", "10:40 CET")),
        (T0_US, T0_US + 20 * HOUR_US, ("15 Mar 2027 10:40 –", "16 Mar 2027 06:40 CET")),
        (HOUR_US, 2 * HOUR_US, ("", "01:00 – 02:00 CET")),
        (None, T0_US, ("", "")),
    ],
)
def test_a_window_has_a_date_and_times(start: int | None, end: int | None, lines: tuple[str, str]) -> None:
    assert window_text(start, end, "CET") == lines


def test_a_zone_is_its_name_or_its_offset_or_unknown() -> None:
    assert [zone_text("AEDT", 660), zone_text("", 330), zone_text("", -210), zone_text("", 0), zone_text("", None)] == [
        "AEDT",
        "UTC+05:30",
        "UTC−03:30",
        "UTC+00:00",
        "",
    ]


def test_a_curve_breaks_where_samples_stay_away_and_marks_its_peak() -> None:
    spark = spark_of([0, 10, None, None, None, None, 5, 20, 10])
    assert spark is not None
    assert spark.lines == ["3.0,23.0 14.8,13.0", "73.5,18.0 85.2,3.0 97.0,13.0"]
    assert spark.areas[0] == "3.0,23.0 3.0,23.0 14.8,13.0 14.8,23.0"
    assert (spark.peak, spark.peak_value) == (("85.2", "3.0"), 20.0)
    few = spark_of([0, None, None, None, 20])
    assert few is not None
    assert few.lines == ["3.0,23.0 97.0,3.0"]
    assert spark_of([]) is None
    assert spark_of([None, 3]) is None
    assert spark_of(["x", -1, None]) is None
    flat = spark_of([0, 0])
    assert flat is not None
    assert flat.lines == ["3.0,23.0 97.0,23.0"]
