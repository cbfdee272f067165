from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from apps.web.templatetags import lockscope as filters

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "unknown"),
        (0, "0.0 s"),
        (0.35, "350 ms"),
        (0.9999, "1.0 s"),
        (28, "28.0 s"),
        (59.96, "60.0 s"),
        (107.34, "107.3 s"),
        (119.99, "119.9 s"),
        (163, "2 m 43 s"),
        (3600, "60 m 00 s"),
        (7200, "2 h 00 m"),
        (86_399.7, "23 h 59 m"),
        (822.87, "13 m 42 s"),
        (187_200, "2 d 04 h"),
        (-5, "−5.0 s"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert filters.duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unknown"),
        (0, "0"),
        (999, "999"),
        (1_234_567, "1\u2009234\u2009567"),
        (-4200, "\u22124\u2009200"),
        (1234.5, "1\u2009234.5"),
    ],
)
def test_thousands_stand_apart_by_thin_spaces(value: float | None, text: str) -> None:
    assert filters.thousands(value) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "unknown"),
        (0, "0 B"),
        (1023, "1\u2009023 B"),
        (1536, "1.5 KiB"),
        (1_048_575, "1 MiB"),
        (20 << 30, "20 GiB"),
        (3 << 50, "3\u2009072 TiB"),
    ],
)
def test_sizes(size: int | None, text: str) -> None:
    assert filters.size_text(size) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "unknown"), (0, "0 %"), (0.0001, "< 0.1 %"), (0.5, "50 %"), (0.934, "93.4 %"), (1, "100 %")],
)
def test_shares(share: float | None, text: str) -> None:
    assert filters.percent(share) == text


@pytest.mark.parametrize(
    ("past", "text"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=5), "5 m ago"),
        (timedelta(hours=30), "1 d ago"),
        (timedelta(days=-2), "in 2 d"),
    ],
)
def test_relative_times(past: timedelta, text: str) -> None:
    assert filters.ago(NOW - past, NOW) == text


def test_a_time_that_is_not_known_is_not_now() -> None:
    assert filters.ago(None) == "unknown"


def test_a_path_stands_without_the_archive_it_lies_in() -> None:
    assert filters.inside("snap.tar.gz!snap/n1/waiters.txt") == "snap/n1/waiters.txt"
    assert filters.inside("outer.tgz!sos/inner.tar!n1/messages") == "sos/inner.tar › n1/messages"
    assert filters.inside("waiters.txt") == "waiters.txt"
    assert filters.inside("odd!") == "odd › "


def test_wide_columns_of_a_dump_are_moved_together() -> None:
    assert (
        filters.narrow("  vxi_hlockgrant      61305    vxi_hlockrevoke\t 3 ")
        == "vxi_hlockgrant   61305   vxi_hlockrevoke   3"
    )
    assert filters.narrow("one two  three") == "one two  three"
