"""Printed times: read as they stand, never converted."""

from __future__ import annotations

import time

import pytest

from parsers.headings.transcript import match_mark
from parsers.records import DAY_US
from parsers.times.clock import (
    Instant,
    find_instant,
    format_instant,
    parse_instant,
    ticking,
    time_of_day,
    wall,
    zone_offset,
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Tue Mar  5 10:00:00 CET 2024", "2024-03-05T10:00:00+01:00"),
        ("Tue Mar  5 10:00:00 EST 2024", "2024-03-05T10:00:00"),
        ("Thu 21 Jan 2016 01:14:45 PM AEDT", "2016-01-21T13:14:45+11:00"),
        ("Thu 21 Jan 2016 12:14:45 AM AEDT", "2016-01-21T00:14:45+11:00"),
        ("Thu 21 Jan 2016 12:14:45 PM", "2016-01-21T12:14:45"),
        ("2024-03-05 10:00:00.250", "2024-03-05T10:00:00.250"),
        ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00+00:00"),
        ("2024-03-05T10:00:00.123456-0530", "2024-03-05T10:00:00.123456-05:30"),
        ("2024/03/05_10:00:00", "2024-03-05T10:00:00"),
        ("[2024-03-05 10:00:00]", "2024-03-05T10:00:00"),
        ("Thu Feb 29 23:59:60 UTC 2024", "2024-02-29T23:59:59+00:00"),
    ],
)
def test_a_time_is_printed_as_it_was_read(text: str, printed: str) -> None:
    instant = parse_instant(text)
    assert instant is not None
    assert format_instant(instant.us, instant.zone_min) == printed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tue Mar  5 10:00:00",
        "2024-13-05 10:00:00",
        "2024-02-30 10:00:00",
        "2024-03-05 25:00:00",
        "Tue Foo  5 10:00:00 2024",
        "at 2024-03-05 10:00:00 it hung",
    ],
)
def test_what_is_no_whole_time(text: str) -> None:
    assert parse_instant(text) is None


def test_a_time_inside_a_line_is_found_with_its_place() -> None:
    text = "dump of Tue Mar  5 10:00:00 CET 2024 follows"
    found = find_instant(text)
    assert found is not None
    instant, start, end = found
    assert text[start:end].strip() == "Tue Mar  5 10:00:00 CET 2024"
    assert (instant.zone_min, instant.zone_name) == (60, "CET")


def test_a_date_without_a_year_is_no_instant() -> None:
    assert find_instant("Mar  5 10:00:00 gannet1 kernel: hello") is None


@pytest.mark.parametrize(
    ("name", "minutes"),
    [
        ("+0100", 60),
        ("-05:30", -330),
        ("CEST", 120),
        ("AEDT", 660),
        ("EST", None),
        ("IST", None),
        ("", None),
        (None, None),
    ],
)
def test_only_clear_zones_have_an_offset(name: str | None, minutes: int | None) -> None:
    assert zone_offset(name) == minutes


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("00:00:00", 0),
        ("1:02:03.5", 3_723_500_000),
        ("23:59:59,123", 86_399_123_000),
        ("24:00:00", None),
        ("10:60:00", None),
        ("10:00", None),
    ],
)
def test_the_time_of_day(text: str, us: int | None) -> None:
    assert time_of_day(text) == us


@pytest.mark.parametrize(
    "stamp",
    [
        "2031-06-03_22:48:15.207+0200",
        "2031-06-03T00:00:00.000-05:30",
        "2032-02-29_23:59:59.999+0000",
        "2031-02-29_23:59:59.999+0000",
        "2031-06-03_24:48:15.207+0200",
        "2031-13-03_22:48:15.207+0200",
    ],
)
def test_a_stamp_of_a_log_is_the_moment_that_is_found_in_it(stamp: str) -> None:
    found = find_instant(stamp.replace("_", " "))
    for _ in range(2):
        assert ticking(f"{stamp}:  ".encode()) == ((found[0].us, found[0].zone_min) if found else None)


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "2031-06-03_22:48:60.207+0200: ",
        "2031-06-03_22:60:15.207+0200: ",
        "2031-06-03_22:48:15.2071+0200: ",
        "lund02: 2031-06-03_22:48:15.207+0200: ",
        "2031-06-03_22:48:15+0200: ",
        "2031-06-03_22:48:15.207+0200 ",
    ],
)
def test_other_stamps_are_left_to_those_who_read_them_all(stamp: str) -> None:
    assert ticking(stamp.encode()) is None


def test_t22_a_time_of_day_without_a_date_stays_below_a_day() -> None:
    assert not Instant(DAY_US - 1).dated
    assert Instant(wall(2024, 3, 5, 0) or 0).dated
    assert format_instant(36_000_250_000) == "10:00:00.250"
    assert format_instant(None) is None


def test_the_resolution_is_that_of_the_fraction() -> None:
    whole, millis = parse_instant("2024-03-05 10:00:00"), parse_instant("2024-03-05 10:00:00.250")
    assert whole is not None
    assert millis is not None
    assert (whole.resolution_us, millis.resolution_us) == (1_000_000, 1_000)


def test_t13_hostile_text_takes_linear_time() -> None:
    began = time.process_time()
    for part in ("1", "Mon ", "2024-", "12:00:00 ", "Mon 1 Jan ", " "):
        find_instant(part * 50_000)
    assert time.process_time() - began < 15.0


@pytest.mark.parametrize(
    ("text", "zone_min"),
    [
        ("Di 9. Mär 14:20:03 CET 2027", 60),
        ("Di 9. Mär 2027, 14:20:03 CET", 60),
        ("mar. 09 mars 2027 14:20:03 CET", 60),
        ("mar mar  9 14:20:03 CET 2027", 60),
        ("martes,  9 de marzo de 2027, 14:20:03 CET", 60),
        ("di  9 mrt 2027 14:20:03 CET", 60),
        ("Tuesday, March 9, 2027 02:20:03 PM CET", 60),
        ("2027年 03月 09日 火曜日 14:20:03 JST", 540),
        ("2027年  3月  9日 火曜日 14:20:03 JST", 540),
        ("2027年3月9日 火曜日 14:20:03 JST", 540),
        ("2027. 03. 09. (화) 14:20:03 KST", 540),
        ("mardi 9 mars 2027, 14:20:03 (UTC+0100)", 60),
        ("martedì 9 marzo 2027, 14:20:03 (UTC+0100)", 60),
        ("ter 09 mar 2027 14:20:03 -03", -180),
        ("09.03.2027 14:20:03", None),
        ("ti 9.3.2027 14.20.03 EET", 120),
        ("9. maaliskuuta 2027 klo 14.20.03 +0200", 120),
        ("2027年3月9日 14時20分03秒", None),
        ("2027年  3月  9日 火曜日 14時20分03秒 JST", 540),
        ("2027. márc.  9., kedd, 14:20:03 CET", 60),
        ("20270309-142003", None),
        ("==== 20270309T142003Z ====", 0),
    ],
)
def test_dates_of_other_languages_and_layouts_are_moments(text: str, zone_min: int | None) -> None:
    mark = match_mark(text)
    assert mark is not None
    assert mark.instant is not None
    assert (mark.instant.us, mark.instant.zone_min) == (1_804_602_003_000_000, zone_min)


@pytest.mark.parametrize(
    "text",
    [
        "Rebooted 12 times 14:20:03 ago 2027",
        "31.02.2027 14:20:03",
        "31.02.2027 14.20.03",
        "version 9.3.2027 10.31.44.7",
        "10.31.44",
        "9 mars 14:20:03",
        "trcrpt.20270309-142003",
        "20271309-142003",
        "2027-142003",
    ],
)
def test_what_only_looks_like_such_a_date_is_none(text: str) -> None:
    assert find_instant(text) is None


def test_texts_full_of_parts_of_dates_take_linear_time() -> None:
    began = time.process_time()
    for part in ("9 mars ", "mar mar ", "09.03.", "20270309", "2027年 03月 "):
        assert find_instant(f"{part * 5_000}14:20:03") is None
    assert time.process_time() - began < 15
