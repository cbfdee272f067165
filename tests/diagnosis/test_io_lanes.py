"""Lanes of disks: peaks kept, means weighed by requests, counts since the start left out, and the line behind
a point.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from apps.diagnosis.engine.storage.io_view import io_view
from apps.diagnosis.pages.timeline.io_lanes import io_lanes, io_words
from parsers.records import DiskIo, Record
from tests.diagnosis.host_tools_cases import case_of

DAY = 86_400_000_000
START = 20_000 * DAY


def request(at: int | None, ms: float, size: float | None, **more: object) -> Record:
    given = {"node": "n1", "source": "iohist", "device": "dm-1", "op": "read", "count": 1, "bytes": size, "mean_ms": ms}
    return DiskIo(**(given | {"at": None if at is None else START + at} | more))  # type: ignore[arg-type]


@pytest.fixture
def view(tmp_path: Path) -> pl.DataFrame:
    rows = [
        request(0, 2.0, 4096.0, line=1),
        request(10_000, 900.0, 1_048_576.0, line=2),
        request(60_000_000, 3.0, None, line=3),
        request(
            60_000_000,
            50.0,
            8192.0 * 20,
            count=20,
            per_s=True,
            interval_s=5.0,
            source="iostat -x",
            node="n2",
            op="",
            line=4,
        ),
        request(61_000_000, 70_000.0, 512.0, count=900, source="iostat since boot", line=5),
        request(None, 5.0, 512.0, line=6),
    ]
    return io_view(case_of(tmp_path, {}, {"disks.txt": rows}))


def test_a_moment_keeps_its_slowest_with_the_line(view: pl.DataFrame) -> None:
    assert view.select("node", "worst_ms", "line", "requests").rows() == [
        ("n1", 900.0, 2, 2.0),
        ("n1", 3.0, 3, 1.0),
        ("n2", 50.0, 4, 100.0),
    ]


def test_lanes_keep_peaks_and_weigh_means(view: pl.DataFrame) -> None:
    times, sizes = io_lanes(view, START, 1_000_000)
    assert [one["values"] for one in times["series"]] == [[0.9, 0.05], [0.451, round((3 + 50 * 100) / 101 / 1000, 6)]]
    assert [one["values"] for one in sizes["series"]] == [[1024.0, 8.0], [(4096 + 1_048_576) / 2 / 1024, 8.0]]
    assert times["buckets"] == sizes["buckets"]
    assert times["scale"] == "log"


def test_sizes_that_no_file_says_have_no_lane(view: pl.DataFrame) -> None:
    assert [lane["id"] for lane in io_lanes(view.filter(pl.col("line") == 3), START, 1_000_000)] == ["io-times"]
    assert io_lanes(view.head(0), START, 1_000_000) == []
    assert io_lanes(None, START, 1_000_000) == []


def test_the_line_behind_says_what_it_was(view: pl.DataFrame) -> None:
    assert io_words(view.row(0, named=True)) == "n1 read dm-1: 900.0 ms by iohist, up to 1024 KiB"
    assert io_words(view.row(1, named=True)) == "n1 read dm-1: 3.0 ms by iohist"
