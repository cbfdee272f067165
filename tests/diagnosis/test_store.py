"""Facts in Parquet: every record type keeps its values, parts and artifacts stay in order, repeated lines are
left out.
"""

from __future__ import annotations

from dataclasses import fields, replace
from io import BytesIO
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl
import pytest

from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.facts import small_files, store
from apps.diagnosis.engine.core.facts.small_files import SmallFiles
from apps.diagnosis.engine.core.facts.store import SCHEMAS, Facts, FactsWriter, Source, file_stem
from parsers.output import Output
from parsers.reading import Hints
from parsers.records import DAY_US, OPEN_YEARS_US, Counter, Event, Record, Repeat, Section, Setting
from parsers.records.kinds import RECORD_TYPES
from parsers.records.waits import Waiter
from parsers.text import blocks

WAITING = "Waiting 312.5000 sec since 14:15:54, monitored, thread 4711 NSDThread: for I/O completion on disk dm-7"
OPEN = OPEN_YEARS_US[0] + DAY_US
SAMPLES: dict[object, Any] = {int: 7, float: 2.5, str: "x\u2009'\"\x00\U0001f41f", bool: True}


def filled(kind: type[Record]) -> Record:
    """A record with a value in every column."""
    hints = get_type_hints(kind)
    values = {}
    for column in fields(kind):
        allowed = getattr(hints[column.name], "__args__", (hints[column.name],))
        values[column.name] = next((value for plain, value in SAMPLES.items() if plain in allowed), allowed[-1])
    return kind(**values)


def written(folder: Path, *records: Record) -> Source:
    out = Output(FactsWriter(folder))
    for record in records:
        out.structure(record)
    out.close()
    return Source(0, "a.txt", folder)


@pytest.mark.parametrize("kind", RECORD_TYPES, ids=lambda kind: kind.__name__)
def test_every_column_comes_back_as_it_was_put_in(kind: type[Record], tmp_path: Path) -> None:
    full, empty = filled(kind), kind(line=8)
    facts = Facts([written(tmp_path, full, empty)])
    if kind is Repeat:
        assert facts.has(Repeat)
        return
    back = facts.frame(kind).drop("artifact").rows(named=True)
    assert back == [{name: getattr(record, name) for name in kind.columns()} for record in (full, empty)]


def test_addresses_use_all_64_bits(tmp_path: Path) -> None:
    facts = Facts([written(tmp_path, Waiter(line=1, address=0xFFFF_8800_1234_5678, wait_address=(1 << 64) - 1))])
    assert facts.frame(Waiter).select("address", "wait_address").row(0) == (0xFFFF_8800_1234_5678, (1 << 64) - 1)


def test_records_of_several_files_carry_their_artifact_and_keep_its_order(tmp_path: Path) -> None:
    for number in (0, 1):
        written(tmp_path / str(number), Setting(line=3 - number, name=f"n{number}"))
    facts = Facts([Source(5, "b.txt", tmp_path / "1"), Source(2, "a.txt", tmp_path / "0")])
    assert facts.frame(Setting).select("artifact", "name").rows() == [(5, "n1"), (2, "n0")]
    assert facts.paths == {5: "b.txt", 2: "a.txt"}


def test_many_rows_become_parts_that_are_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PART_ROWS", 1)
    writer = FactsWriter(tmp_path)
    for part in range(12):
        writer.write(Setting, {**{name: [None] for name in Setting.columns()}, "line": [part], "set_here": [False]})
    monkeypatch.setattr(store, "HELD_BYTES", 0)
    facts = Facts([Source(0, "a.txt", tmp_path)])
    assert [path.name for _, path in facts.files(Setting)][::11] == ["setting-0000.parquet", "setting-0011.parquet"]
    assert facts.frame(Setting)["line"].to_list() == list(range(12))
    assert len(facts.parts(Setting)) == 12


def test_lines_that_repeat_earlier_ones_of_the_same_file_are_left_out(tmp_path: Path) -> None:
    first = written(tmp_path / "a", *(Setting(line=n) for n in (1, 5, 6, 9)), Repeat(line=5, last_line=8, of=1))
    second = Source(1, "b.txt", written(tmp_path / "b", Setting(line=6)).directory)
    facts = Facts([first, second])
    assert facts.frame(Setting).select("artifact", "line").rows() == [(0, 1), (0, 9), (1, 6)]


def test_stretches_that_repeat_others_may_overlap_and_be_very_many(tmp_path: Path) -> None:
    rows = [Setting(line=n) for n in range(1, 400)]
    stretches = [Repeat(line=n, last_line=n + 40 * (n % 20 == 0), of=1) for n in range(10, 400, 5)]
    other = written(tmp_path / "b", *rows)
    facts = Facts([written(tmp_path / "a", *rows, *stretches), Source(1, "b.txt", other.directory)])
    left = [n for n in range(1, 400) if not any(one.line <= n <= one.last_line for one in stretches)]
    assert facts.frame(Setting).select("artifact", "line").rows() == [(0, n) for n in left] + [
        (1, n) for n in range(1, 400)
    ]
    few = Facts([written(tmp_path / "c", *rows, *stretches[:2])])
    assert facts.parts(Setting)[0].rows.explain().count("FILTER") == few.parts(Setting)[0].rows.explain().count(
        "FILTER"
    )


def test_a_type_that_no_file_holds_is_an_empty_frame_with_its_columns() -> None:
    facts = Facts([])
    assert not facts.has(Counter)
    frame = facts.frame(Counter)
    assert frame.is_empty()
    assert frame.columns == [*Counter.columns(), "artifact"]
    assert dict(frame.schema) == {**SCHEMAS[Counter], "artifact": pl.Int64()}


def test_file_names_tell_the_record_types_apart() -> None:
    stems = [file_stem(kind) for kind in RECORD_TYPES]
    assert len(set(stems)) == len(stems)


@pytest.mark.parametrize("kind", [kind for kind in RECORD_TYPES if store.ADDED[kind]], ids=lambda kind: kind.__name__)
def test_facts_of_an_older_release_are_read_beside_new_ones(kind: type[Record], tmp_path: Path) -> None:
    old, new = (
        written(tmp_path / "old", kind(line=1)),
        Source(1, "b.txt", written(tmp_path / "new", filled(kind)).directory),
    )
    for part in (tmp_path / "old").glob(f"{file_stem(kind)}*.parquet"):
        pl.read_parquet(part).drop(list(store.ADDED[kind])).write_parquet(part)
    rows = Facts([old, new]).frame(kind)
    assert rows.height == 2
    assert rows.select(list(store.ADDED[kind])).row(0) == tuple(store.ADDED[kind].values())


def test_many_small_files_are_read_as_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [
        replace(
            written(
                tmp_path / str(number),
                *(Setting(line=line, name=f"n{number}", at=OPEN) for line in (1, 5, 6)),
                *((Repeat(line=5, last_line=5, of=1),) if number % 3 == 0 else ()),
                Section(line=1, format="x", node=None, at=OPEN, last_at=OPEN),
            ),
            artifact=number,
            path=f"bundle/n{number}/settings.txt",
            modified_us=1_900_000_000_000_000,
        )
        for number in range(9)
    ]
    held = Facts(sources)
    assert [sorted(part.artifacts) for part in held.parts(Setting)] == [[*range(9)]]
    monkeypatch.setattr(store, "HELD_BYTES", 0)
    apart = Facts(sources)
    expected = apart.frame(Setting)
    assert len(apart.parts(Setting)) == 9
    assert held.frame(Setting).equals(expected)
    for name, value in (("SCAN_FILES", 2), ("PACK_FILES", 4), ("ROWS_IN_MEMORY", 3)):
        monkeypatch.setattr(store, name, value)
    together = Facts(sources)
    assert [sorted(part.artifacts) for part in together.parts(Setting)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8]]
    assert together.frame(Setting).equals(expected)
    sizes = [path.stat().st_size for _, path in apart.files(Setting)]
    monkeypatch.setattr(store, "PACK_BYTES", sizes[0] + sizes[1])  # files of many rows are no crowd
    by_size = Facts(sources)
    assert max(len(part.artifacts) for part in by_size.parts(Setting)) == 2
    assert by_size.frame(Setting).equals(expected)
    assert expected.filter(pl.col("artifact") == 3)["line"].to_list() == [1, 6]


def test_a_column_that_came_later_has_its_default_in_old_files(tmp_path: Path) -> None:
    source = written(tmp_path, Event(line=1, weight="trouble"))
    [(_, path)] = Facts([source]).files(Event)
    pl.read_parquet(path).drop("weight").write_parquet(path)
    assert Facts([source]).frame(Event)["weight"].to_list() == [
        next(f.default for f in fields(Event) if f.name == "weight")
    ]


def gathered(small: SmallFiles, folder: Path, number: int, *records: Record) -> Source:
    out = Output(small.writer(number, folder / str(number)))
    for record in records:
        out.structure(record)
    out.close()
    return Source(number, f"{number}.txt", folder / str(number))


@pytest.mark.parametrize("rows", [1, 2, 5, 1000])
@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_small_and_large_files_stand_in_the_order_of_the_sources(
    rows: int, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_files, "SMALL_ROWS", 3)
    monkeypatch.setattr(small_files, "BATCH_ROWS", rows)
    monkeypatch.setattr(store, "GATHERED_ROWS", at_once)
    monkeypatch.setattr(store, "ROWS_IN_MEMORY", at_once)
    small = SmallFiles(tmp_path)
    sizes = (1, 2, 5, 0, 3, 9, 4, 1)
    sources = [
        gathered(small, tmp_path, number, *(Setting(line=line, name=f"{number}") for line in range(size)))
        for number, size in enumerate(sizes)
    ]
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    numbers = {old: new for new, old in enumerate(order)}
    facts = Facts([replace(sources[old], artifact=new) for new, old in enumerate(order)], small.batches(numbers))
    expected = [(new, line, f"{old}") for new, old in enumerate(order) for line in range(sizes[old])]
    assert facts.frame(Setting).select("artifact", "line", "name").rows() == expected
    held = [sorted(part.rows.collect()["artifact"].unique()) for part in facts.parts(Setting)]
    assert held == [sorted(part.artifacts) for part in facts.parts(Setting)]
    assert not facts.has(Counter)


def test_more_large_files_than_one_scan_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_files, "SMALL_ROWS", 1)
    monkeypatch.setattr(store, "SCAN_FILES", 2)
    small = SmallFiles(tmp_path)
    sources = [
        gathered(small, tmp_path, number, *(Setting(line=line) for line in range(1 + number % 2)))
        for number in range(9)
    ]
    facts = Facts(sources, small.batches({number: number for number in range(9)}))
    assert facts.frame(Setting)["artifact"].to_list() == [0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8]
    assert len(facts.parts(Setting)) == 1


def test_a_small_file_that_is_given_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_files, "SMALL_ROWS", 1)
    small = SmallFiles(tmp_path)
    for number, lines in enumerate(([1], [1, 2])):
        writer = small.writer(number, tmp_path / str(number))
        columns = {name: [None] * len(lines) for name in Setting.columns()}
        writer.write(Setting, {**columns, "line": lines, "set_here": [False] * len(lines)})
        writer.discard()
    sources = [Source(number, f"{number}.txt", tmp_path / str(number)) for number in range(2)]
    assert not Facts(sources, small.batches({0: 0, 1: 1})).has(Setting)


def test_years_repeats_and_nodes_of_small_files_are_settled(tmp_path: Path) -> None:
    small = SmallFiles(tmp_path)
    source = gathered(small, tmp_path, 0, *(Setting(line=n) for n in (1, 5, 9)), Repeat(line=5, last_line=8, of=1))
    below = replace(source, path="collected/carp1/mmlsconfig.txt")
    other = gathered(small, tmp_path, 1, Section(line=1, node="carp1"))
    facts = Facts([below, other], small.batches({0: 0, 1: 1}))
    assert facts.frame(Setting).select("line", "node").rows() == [(1, "carp1"), (9, "carp1")]


@pytest.mark.parametrize("half", ["\ud800", "\udfff\ud83d", "a\udc80b"])
def test_half_a_pair_of_surrogates_costs_its_place_only(tmp_path: Path, half: str) -> None:
    source = written(
        tmp_path,
        Setting(line=1, source="a", name=f"x{half}", value="1"),
        Setting(line=2, source="a", name="whole \U0001f41f", value=half),
        Section(line=3, last_line=4, command=half),
    )
    names = Facts([source]).frame(Setting)["name"].to_list()
    assert names == [f"x{half}".encode("utf-8", "replace").decode(), "whole \U0001f41f"]


@pytest.mark.parametrize(
    "line",
    [
        '{"nodes": [{"name": "alpha", "state": "FAILED", "detail": "\\ud800 disk"}]}',
        '{"node": "n\\udfff1", "component": "GPFS", "status": "DEGRADED"}',
        '{"__REALTIME_TIMESTAMP": "1700000000000001", "_HOSTNAME": "n\\ud83d", "MESSAGE": "\\udc00 Buffer I/O error"}',
    ],
)
def test_a_file_with_such_an_escape_is_read_to_its_end(tmp_path: Path, line: str) -> None:
    text = f"{line}\n\n[root@lund-n3 ~]# mmdiag --waiters\n=== mmdiag: waiters ===\n{WAITING}\n"
    result, failure = read_blocks(blocks(BytesIO(text.encode())), FactsWriter(tmp_path), Hints(path="x.txt"))
    assert (failure, "scale_waiters_new" in result.formats) == ("", True)
