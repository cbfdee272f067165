"""The year of a log without years: from the case, from a member written when the log ended, and never from a bundle
packed anew.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from apps.diagnosis.engine.core.open_years import moved_by, years_to_add
from apps.diagnosis.engine.core.store import Facts, FactsWriter, Source
from parsers.clock import format_instant, wall
from parsers.output import Output
from parsers.records import Event
from parsers.sections import Hints, read
from parsers.text import blocks
from parsers.years import Years

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


def test_a_bundle_packed_anew_tells_no_year(tmp_path: Path) -> None:
    found = facts(tmp_path, {"beta/messages": LOG}, at(2026, 11, 21))
    assert {(text or "")[:5] for text in moments(found)} == {"10:14"}
    assert found.years_added == {0: None}


def test_the_nearest_year_counts() -> None:
    incident = [(at(2025, 1, 2), at(2025, 1, 2))]
    assert years_to_add(yearless(12, 30), incident, None) == 2024 - 1976
    assert years_to_add(yearless(1, 20), incident, None) == 2025 - 1976
    assert years_to_add(yearless(7, 1), incident, None) is None
    assert years_to_add(yearless(7, 1), incident, at(2024, 7, 3)) == 2024 - 1976
    assert years_to_add(yearless(7, 4), [], at(2024, 7, 3)) == 2024 - 1976
    assert years_to_add(yearless(7, 9), [], at(2024, 7, 3)) is None
    assert years_to_add(yearless(2, 29), [(at(2025, 3, 1), at(2025, 3, 1))], None) is None


def test_no_day_is_made_up() -> None:
    assert moved_by(yearless(2, 29), 1) is None
    assert moved_by(yearless(2, 29), 200) is None
