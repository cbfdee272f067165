"""The small files that pages read: rollups that keep peaks at every zoom, lock samples, timed commands, the spark of
the list.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from apps.diagnosis.engine import page_tables, rollups
from apps.diagnosis.engine.core.arrays.dumps import DUMP_SCHEMA
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.page_tables import (
    SPAN_COLUMNS,
    PageTables,
    write_page_tables,
)
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.rollups import SPARK_POINTS, Dumps, spark_of, write_rollups
from apps.diagnosis.engine.scale import samples
from apps.diagnosis.engine.veritas.page_locks import LOCK_KEYS
from parsers.records import Counter, Section
from tests.diagnosis.pictures import end_of, lock_picture, timed
from tests.diagnosis.scale_pictures import NOON_US, write_case

LOCKS = """
node0  h_grant   0 0 9
node0  h_revoke  7 5 0
node1  h_grant   7 5 0
node1  pull      7 5 0
"""
STUCK = """
nsd2 | NSDThread 11           | disk dm-7    | .  2  12  22
cn1  | PrefetchWorkerThread 5 | nsd 10.0.0.2 | .  3  13  23
"""


def written(case: Case, folder: Path) -> PageTables:
    folder.mkdir()
    return write_page_tables(case, diagnose(case.store, case), folder)


def test_lock_samples_are_written_with_all_columns_and_null_where_not_shown(tmp_path: Path) -> None:
    tables = written(lock_picture(tmp_path, LOCKS, unit=1000), tmp_path / "views")
    rows = pl.read_parquet(tmp_path / "views" / "locks.parquet")
    assert set(LOCK_KEYS) <= set(rows.columns)
    assert rows.height == tables.counts["lock_samples"] == 6
    first = rows.row(0, named=True)
    assert (first["node"], first["role"], first["h_revoke"], first["pull"]) == ("node0", "victim", 7000.0, None)
    assert rows["at"].is_sorted()
    assert sorted(path.name for path in (tmp_path / "views").iterdir()) == ["flows.parquet", "locks.parquet"]


def test_timed_commands_are_marked_when_they_took_three_times_their_fastest_run(tmp_path: Path) -> None:
    runs = [timed(6.0, at=end_of(0)), timed(2.0, at=end_of(1)), timed(5.9), timed(100.0, command="ls /else")]
    written(lock_picture(tmp_path, LOCKS, more=runs), tmp_path / "views")
    rows = pl.read_parquet(tmp_path / "views" / "runs.parquet")
    assert sorted(rows.select("seconds", "slowed").rows()) == [(2.0, False), (5.9, False), (6.0, True), (100.0, False)]


def test_link_rates_without_a_time_are_left_out(tmp_path: Path) -> None:
    rates = [
        Counter(line=n, node=node, source="lltshow -p", name="txrate KB 10s", value=float(n), at=at)
        for n, node, at in ((1, "node0", end_of(0)), (2, None, end_of(1)), (3, "node0", None))
    ]
    written(lock_picture(tmp_path, LOCKS, more=rates), tmp_path / "views")
    assert pl.read_parquet(tmp_path / "views" / "links.parquet").select("name", "value").rows() == [
        ("node unknown tx", 2.0),
        ("node0 tx", 1.0),
    ]


def test_a_case_with_nothing_writes_nothing(tmp_path: Path) -> None:
    tables = written(Case(Facts([]), PRODUCTS), tmp_path / "views")
    assert tables == PageTables("", None, [], {"spans": 0, "lock_samples": 0})
    assert list((tmp_path / "views").iterdir()) == []


def test_spans_have_the_layout_of_the_pages(tmp_path: Path) -> None:
    tables = written(write_case(tmp_path, STUCK, aliases={"10.0.0.2": "nsd2"}), tmp_path / "views")
    rows = pl.read_parquet(tmp_path / "views" / "spans-*.parquet")
    assert dict(rows.schema) == SPAN_COLUMNS
    assert rows.height == tables.counts["spans"] == 2
    assert rows.sort("node").select("node", "thread_id", "seconds", "dumps").rows() == [
        ("cn1", 5, 23.0, 3),
        ("nsd2", 11, 22.0, 3),
    ]
    assert tables.longest_s == 23.0


def test_a_dump_that_lies_in_two_files_counts_once(tmp_path: Path) -> None:
    once, twice = (
        pl.concat(Dumps.of(write_case(tmp_path / str(len(files)), *files)).groups())
        for files in ([STUCK], [STUCK, STUCK])
    )
    assert sorted(once.rows()) == sorted(twice.rows())
    assert once.schema == DUMP_SCHEMA


def dumps(*rows: tuple[str, float, int, int, float]) -> pl.DataFrame:
    return pl.DataFrame(
        [(n, NOON_US + round(at * 1e6), c, w, s) for n, at, c, w, s in rows], schema=DUMP_SCHEMA, orient="row"
    )


def rolled_up(folder: Path, *frames: pl.DataFrame) -> Dumps:
    found = Dumps(frames, Nodes([]))
    write_rollups(found, folder)
    return found


def test_a_peak_of_one_dump_survives_in_every_width(tmp_path: Path) -> None:
    rows = [("cn1", 10.0 * n, 3, 900 if n == 500 else 1, 77.0 if n == 500 else 0.1) for n in range(1000)]
    rolled_up(tmp_path, dumps(*rows))
    rollup = pl.read_parquet(tmp_path / "rollup.parquet")
    widths = rollup["width_us"].unique().sort().to_list()
    assert widths == pl.read_parquet(tmp_path / "rollup-widths.parquet").to_series().to_list()
    assert len(widths) > 3
    for width in widths:
        part = rollup.filter(pl.col("width_us") == width)
        assert (part["waiters"].max(), part["longest_s"].max()) == (900, 77.0)
        peak = part.filter(pl.col("waiters") == 900)["bucket_us"].item()
        assert peak <= NOON_US + 5_000_000_000 < peak + width


def test_nodes_add_up_and_dumps_of_one_node_do_not(tmp_path: Path) -> None:
    rolled_up(tmp_path, dumps(("a", 0, 3, 5, 1.0), ("a", 1, 3, 4, 9.0), ("b", 0.5, 3, 10, 2.0), ("a", 1, 1, 50, 99.0)))
    widest = pl.read_parquet(tmp_path / "rollup.parquet").filter(pl.col("category") == 3).tail(1)
    assert widest.select("waiters", "longest_s").row(0) == (15, 9.0)
    by_node = pl.read_parquet(min(tmp_path.glob("rollup-nodes-*.parquet")))
    assert set(by_node["node"].to_list()) == {"a", "b"}


def test_rollups_by_parts_of_the_nodes_are_those_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = dumps(*((f"n{n % 7}", 3.0 * n, n % 4, n % 11, n * 0.5) for n in range(900)))
    for folder in ("whole", "parts", "scattered"):
        (tmp_path / folder).mkdir()
    all_at_once = rolled_up(tmp_path / "whole", rows)
    monkeypatch.setattr(rollups, "ROWS_AT_ONCE", 200)
    in_parts = rolled_up(tmp_path / "parts", rows)
    scattered = rolled_up(tmp_path / "scattered", rows[:333], rows[300:700], rows[700:])  # a node in three of them
    whole, *others = (tables(tmp_path / folder) for folder in ("whole", "parts", "scattered"))
    assert len(whole) > 5
    for parts in others:
        assert whole.keys() == parts.keys()
        assert max(map(len, parts.values())) > 1
        for name, some in parts.items():
            assert pl.concat(some).equals(pl.concat(whole[name])), name
    curves = [spark_of(one, ()) for one in (all_at_once, in_parts, scattered)]
    assert curves[0] == curves[1] == curves[2]
    assert all_at_once.window == in_parts.window == scattered.window


def tables(folder: Path) -> dict[str, list[pl.DataFrame]]:
    """Those in several files under one name, in their order."""
    found: dict[str, list[pl.DataFrame]] = {}
    for path in sorted(folder.iterdir()):
        name, _, number = path.stem.rpartition("-")
        is_part = len(number) == 4 and number.isdigit()
        found.setdefault(name if is_part else path.stem, []).append(pl.read_parquet(path))
    return found


def test_waits_that_were_laid_aside_give_the_tables_of_those_that_were_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "ROWS_AT_ONCE", 4)
    monkeypatch.setattr(page_tables, "STEPS_HELD", 2)
    picture = [f"n{k} | A {k} | disk d{k % 2} | 4 14 {24 if k % 3 else 1}" for k in range(6)]
    twice = "\n".join([*picture, "n1.lab | A 9 | disk d1 | . 3 13", "? | B 1 | disk e | 2 . 7"])
    case = write_case(tmp_path, "\n".join(picture), twice)
    written(case, tmp_path / "again")
    kept = Facts(case.store.sources, for_tables=True)
    written(Case(kept, PRODUCTS), tmp_path / "aside")
    again, aside = tables(tmp_path / "again"), tables(tmp_path / "aside")
    assert again.keys() == aside.keys()
    assert len(again["spans-by-age"]) > 3
    for name, some in aside.items():
        assert [one.rows() for one in some] == [one.rows() for one in again[name]], name


@pytest.mark.parametrize("most", [page_tables.MOST_SECONDS, 0])
def test_waits_that_begin_and_end_are_counted_by_second(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(page_tables, "MOST_SECONDS", most)
    waits = [
        (3, "stuck", NOON_US + 500_000, NOON_US + 9_000_000, 8.5),
        (3, "finished", NOON_US + 900_000, NOON_US + 70_000_000, 69.1),
        (None, None, NOON_US - 1, NOON_US, 0.1),
        (1, "stuck", NOON_US, NOON_US + 5, 900.0),
        (2, "stuck", None, NOON_US, 5.0),
    ]
    schema = {"category": pl.Int64, "state": pl.String, "start": pl.Int64, "end": pl.Int64, "seconds": pl.Float64}
    found = page_tables._steps_of(pl.DataFrame(waits, schema=schema, orient="row"))
    assert [(stuck, (at - NOON_US) // 1_000_000, *counts) for stuck, at, *counts in found.rows()] == [
        (False, -1, 1, 0),
        (False, 0, 0, 1),
        (True, 0, 2, 0),
        (True, 9, 0, 1),
        (True, 70, 0, 1),
    ]


def test_the_spark_shows_the_harm_over_the_window_and_gaps_as_none(tmp_path: Path) -> None:
    waits = written(write_case(tmp_path / "w", STUCK), tmp_path / "views").spark
    assert len(waits) == SPARK_POINTS
    assert (waits[-1], max(value for value in waits if value is not None)) == (23.0, 23.0)
    assert None in waits
    locks = written(lock_picture(tmp_path / "l", LOCKS, unit=1000), tmp_path / "views2").spark
    assert (locks[0], locks[-1]) == (7000.0, 9000.0)


def test_the_zone_is_named_where_all_sections_agree(tmp_path: Path) -> None:
    def zone(folder: str, *names: str | None) -> str:
        more = [
            Section(line=900 + n, last_line=900 + n, format="vxfsstat", zone_name=name) for n, name in enumerate(names)
        ]
        return written(lock_picture(tmp_path / folder, LOCKS, more=more), tmp_path / folder / "views").zone_name

    assert zone("one", "CET", None) == "CET"
    assert zone("two", "CET", "CEST") == ""
    assert zone("none") == ""
