"""The year of a log without years: from the case, from a member written when the log ended, and never from a bundle
packed again.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.times.open_years import lined_up, moved_by, years_to_add
from parsers.output import Output
from parsers.records import DAY_US, Event
from parsers.sections.reader import Hints, read
from parsers.text import blocks
from parsers.times.clock import format_instant, wall
from parsers.times.years import Years

LOG = """\
Mar  7 10:14:02 beta kernel: sd 2:0:0:4: [sdq] Unhandled error code
Mar  7 10:14:03 beta multipathd: sdq: mark as failed
Mar  7 10:14:03 beta kernel: device-mapper: multipath: Failing path 65:0.
"""
DATED = """\
Fri Mar  7 10:15:00 CET 2025

=== mmdiag: waiters ===
Waiting 12.5000 sec since 10:14:47, monitored, thread 4711 NSDThread: for I/O completion on disk sdq
"""


def at(year: int, month: int, day: int) -> int:
    us = wall(year, month, day, 36_000_000_000)
    assert us is not None
    return us


def yearless(month: int, day: int) -> int:
    us = Years(None).wall(month, day, 36_000_000_000)
    assert us is not None
    return us


def facts(folder: Path, texts: dict[str, str], modified_us: int | None) -> Facts:
    sources = []
    for number, (path, text) in enumerate(texts.items()):
        directory = folder / str(number)
        out = Output(FactsWriter(directory))
        read(blocks(io.BytesIO(text.encode())), out, Hints(path))
        out.close()
        sources.append(Source(number, path, directory, modified_us))
    return Facts(sources)


def moments(found: Facts) -> list[str | None]:
    return [format_instant(us) for us in found.scan(Event).select(pl.col("at")).collect()["at"].to_list()]


def test_other_files_of_the_case_tell_the_year_whatever_the_day_of_packing(tmp_path: Path) -> None:
    found = facts(tmp_path, {"alpha/waiters": DATED, "beta/messages": LOG}, at(2026, 11, 21))
    assert moments(found)
    assert {(text or "")[:10] for text in moments(found)} == {"2025-03-07"}


def test_a_member_written_when_the_log_ended_tells_the_year(tmp_path: Path) -> None:
    assert {(text or "")[:10] for text in moments(facts(tmp_path, {"beta/messages": LOG}, at(2025, 3, 8)))} == {
        "2025-03-07"
    }


def test_the_time_of_one_file_tells_the_year_of_the_others(tmp_path: Path) -> None:
    texts = {"beta/messages": LOG, "gamma/messages": LOG.replace("Mar  7", "Feb 20").replace("beta", "gamma")}
    found = facts(tmp_path, texts, at(2025, 3, 8))
    assert found.years_added == {0: 2025 - 1976, 1: 2025 - 1976}
    alone = facts(tmp_path / "alone", texts, at(2025, 2, 21))
    assert alone.years_added == {0: 2025 - 1976, 1: 2025 - 1976}


def test_a_bundle_packed_anew_tells_no_year(tmp_path: Path) -> None:
    found = facts(tmp_path, {"beta/messages": LOG}, at(2026, 11, 21))
    assert {(text or "")[:5] for text in moments(found)} == {"10:14"}
    assert found.years_added == {0: None}


def test_the_nearest_year_counts() -> None:
    incident = [(at(2025, 1, 2), at(2025, 1, 2))]
    assert years_to_add(yearless(12, 30), incident, None) == 2024 - 1975
    assert years_to_add(yearless(1, 20), incident, None) == 2025 - 1976
    assert years_to_add(yearless(7, 1), incident, None) is None
    assert years_to_add(yearless(7, 1), incident, at(2024, 7, 3)) == 2024 - 1975
    assert years_to_add(yearless(7, 4), [], at(2024, 7, 3)) == 2024 - 1975
    assert years_to_add(yearless(7, 9), [], at(2024, 7, 3)) is None
    assert years_to_add(yearless(2, 29), [(at(2025, 3, 1), at(2025, 3, 1))], None) is None


def stretch(*days: tuple[int, int]) -> tuple[int, int]:
    years = Years(None)
    moments = [us for month, day in days if (us := years.wall(month, day, 36_000_000_000)) is not None]
    return min(moments), max(moments)


def in_line(*spans: tuple[int, int]) -> list[str]:
    """Logs in the order of their first moments, with how many days each begins behind the first."""
    moves = lined_up(dict(enumerate(spans)))
    firsts = {one: moved_by(spans[one][0], by) for one, by in moves.items() if by is not None}
    start = min(us or 0 for us in firsts.values())
    return [
        f"{one} +{((us or 0) - start) // DAY_US}" for one, us in sorted(firsts.items(), key=lambda row: row[1] or 0)
    ]


def test_logs_without_a_year_stand_in_the_shortest_stretch() -> None:
    assert in_line(stretch((3, 5)), stretch((3, 1), (3, 4))) == ["1 +0", "0 +4"]
    assert in_line(stretch((1, 1)), stretch((12, 31))) == ["1 +0", "0 +1"]
    assert in_line(stretch((1, 2)), stretch((12, 30), (1, 3)), stretch((12, 29))) == ["2 +0", "1 +1", "0 +4"]
    assert in_line(stretch((6, 30)), stretch((7, 1))) == ["0 +0", "1 +1"]
    assert in_line(stretch((7, 2)), stretch((6, 20), (7, 5))) == ["1 +0", "0 +12"]
    assert in_line(stretch((9, 3)), stretch((5, 3)), stretch((2, 29))) == ["2 +0", "1 +64", "0 +187"]


def test_a_log_that_turns_into_a_leap_year_has_its_29th_of_february() -> None:
    first, last = stretch((12, 20), (1, 3), (2, 28), (2, 29))
    assert (last - first) // DAY_US == 71
    assert in_line((first, last), stretch((2, 29))) == ["0 +0", "1 +71"]


def test_logs_of_one_day_keep_the_time_of_day() -> None:
    assert lined_up({4: stretch((11, 29)), 7: stretch((11, 29))}) == {4: None, 7: None}


def test_no_day_is_made_up() -> None:
    assert moved_by(yearless(2, 29), 1) is None
    assert moved_by(yearless(2, 29), 200) is None
