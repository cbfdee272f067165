"""One waiter followed over dumps."""

from __future__ import annotations

import time
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.engine.core.arrays.ahead import made_ahead
from apps.diagnosis.engine.core.arrays.spans import NO_DUMP, NO_TIME, STATES, Samples, merge
from apps.diagnosis.engine.core.words.knowledge import Limit, Limits, limits
from apps.diagnosis.engine.scale import samples as scale_samples
from apps.diagnosis.engine.scale import spans as scale_spans
from apps.diagnosis.engine.scale.samples import Part, Slice, WaiterSource, times
from apps.diagnosis.engine.scale.waits import ScaleWaits
from tests.diagnosis.scale_pictures import NOON_US, spans_frame, write_case

STEP_US = 10_000_000


def rows(case: pl.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return case.sort("thread_id", "start").select(columns).rows()


def test_t23_the_states_of_the_picture(tmp_path: Path) -> None:
    picture = """
        n1 | NSDThread 7 | disk a | 4  14  24  .
        n1 | NSDThread 8 | disk a | 2   3   1  2
        n1 | NSDThread 9 | disk a | .   5  15  25
    """
    found = spans_frame(write_case(tmp_path, picture))
    assert rows(found, "thread_id", "seconds", "dumps", "state") == [
        (7, 24.0, 3, "finished"),
        (8, 2.0, 1, "moving"),
        (8, 3.0, 1, "moving"),
        (8, 1.0, 1, "moving"),
        (8, 2.0, 1, "moving"),
        (9, 25.0, 3, "stuck"),
    ]
    assert found.filter(pl.col("thread_id") == 9)["start"].item() == NOON_US + 5_000_000
    assert found.filter(pl.col("thread_id") == 9)["end"].item() == NOON_US + 3 * STEP_US


def test_one_dump_tells_nothing_of_what_became_of_a_wait(tmp_path: Path) -> None:
    assert spans_frame(write_case(tmp_path, "n1 | NSDThread 7 | disk a | 4"))["state"].to_list() == ["unknown"]


def test_a_wait_seen_first_in_the_last_dump_is_unknown(tmp_path: Path) -> None:
    found = spans_frame(write_case(tmp_path, "n1 | A 1 | disk a | 4 14\nn1 | B 2 | disk a | . 3"))
    assert dict(found.select("thread", "state").iter_rows()) == {"A": "stuck", "B": "unknown"}


def test_another_text_is_another_wait_of_the_thread(tmp_path: Path) -> None:
    found = spans_frame(write_case(tmp_path, "n1 | A 1 | disk a | 4 .\nn1 | A 1 | disk b | . 14"))
    assert found.height == 2


def test_two_files_of_one_moment_show_one_wait_once(tmp_path: Path) -> None:
    case = write_case(tmp_path, "n1 | A 1 | disk a | 4 14 24", "n1.lab | A 1 | disk a | 4.01 . 24.01")
    found = spans_frame(case)
    assert found.select("node", "dumps", "lines", "state").rows() == [("n1", 3, 5, "stuck")]
    assert [(kind.count, kind.longest_s) for kind in case.get(ScaleWaits).kinds] == [(5, 24.01)]


def test_wrapped_wording_does_not_make_a_second_wait(tmp_path: Path) -> None:
    case = write_case(tmp_path, "n1 | A 1 | mutex LogFile instance | 4 14", "n1 | A 1 | mutex LogFileinstance | . 14")
    assert spans_frame(case).height == 1
    assert [kind.wait_on for kind in case.get(ScaleWaits).kinds] == ["ThMutex LogFile instance"]


def test_threads_without_a_number_are_not_followed(tmp_path: Path) -> None:
    assert spans_frame(write_case(tmp_path, "n1 | Sync handler | disk a | 4 14 24"))["dumps"].to_list() == [1, 1, 1]


def test_nodes_without_a_name_are_kept_apart_by_file(tmp_path: Path) -> None:
    found = spans_frame(write_case(tmp_path, "? | A 1 | disk a | 4 14", "? | A 1 | disk a | 4 14"))
    assert found.select("node", "dumps").rows() == [(None, 2), (None, 2)]


def test_parts_give_the_same_spans_as_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = "\n".join(f"n{k % 7} | A {k} | disk d{k % 3} | 4 14 {24 if k % 2 else 1}" for k in range(60))
    whole = spans_frame(write_case(tmp_path / "whole", picture))
    monkeypatch.setattr(scale_samples, "ROWS_AT_ONCE", 40)
    case = write_case(tmp_path / "parts", picture)
    parts = list(case.get(ScaleWaits).span_frames())
    assert len(parts) == 7  # a node is never split, and 40 waiters hold one of 27 and none besides
    order = ["node", "thread_id", "start"]
    names = [name for name in whole.columns if name != "gshape"]
    assert pl.concat(parts).sort(order).select(names).equals(whole.sort(order).select(names))
    assert sum(kind.count for kind in case.get(ScaleWaits).kinds) == 180
    assert case.get(ScaleWaits).kinds[0].nodes == tuple(f"n{k}" for k in range(7))


def test_a_part_is_gone_before_the_next_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale_samples, "ROWS_AT_ONCE", 40)
    monkeypatch.setattr(scale_spans, "made_ahead", partial(made_ahead, threads=1))
    still_there: list[int] = []
    parts: list[weakref.ref[Any]] = []
    read = WaiterSource.part

    def noted(self: WaiterSource, of: Slice) -> Part:
        still_there.append(sum(one() is not None for one in parts))
        part = read(self, of)
        parts.append(weakref.ref(part.artifact))
        return part

    monkeypatch.setattr(WaiterSource, "part", noted)
    picture = "\n".join(f"n{k % 7} | A {k} | disk d{k % 3} | 4 14 {24 if k % 2 else 1}" for k in range(60))
    assert write_case(tmp_path, picture).get(ScaleWaits).spans.waiters == 180
    assert still_there == [0] * 7


@pytest.mark.parametrize("most", [100, 12, 6])
def test_of_very_many_waits_the_longest_decide_in_whichever_order_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    ages = {f"n{k}": [3 * k + 1, 100 - 7 * k, 0.2] for k in range(8)}
    picture = "\n".join(f"{node} | A {n} | disk d | {age}" for node, own in ages.items() for n, age in enumerate(own))
    monkeypatch.setattr(scale_samples, "ROWS_AT_ONCE", 3)
    few = Limits(
        "scale-bands", limits("scale-bands").all() | {"kept_waits": Limit(most, "waits", "proposed", "a test")}
    )
    monkeypatch.setattr(scale_spans, "limits", lambda _: few)
    table = write_case(tmp_path, picture).get(ScaleWaits).spans
    counted = sorted(age for own in ages.values() for age in own if age >= table.least_s)
    assert sorted(table.kept.seconds.tolist()) == pytest.approx(counted)
    assert len(counted) <= most
    assert counted[-1] == 100
    assert (table.least_s == 1) == (most == 100)


def samples(key: list[int], start_s: list[float], at_s: list[float], **more: int) -> Samples:
    start, end = (np.array([round(v * 1e6) for v in values], np.int64) for values in (start_s, at_s))
    dump = np.arange(len(key), dtype=np.int32)
    final = np.full(len(key), len(key) - 1, np.int32)
    return Samples(np.array(key, np.uint64), start, end, (end - start) / 1e6, dump, final, **more)


def test_a_stamp_of_whole_seconds_moves_a_start_by_up_to_a_second() -> None:
    assert merge(samples([1, 1], [100.0, 100.99], [110.0, 120.0])).rows.tolist() == [2]
    assert merge(samples([1, 1], [100.0, 101.2], [110.0, 120.0])).rows.tolist() == [1, 1]


def test_a_coarse_clock_has_a_wider_tolerance() -> None:
    assert merge(samples([1, 1], [100.0, 130.0], [160.0, 220.0], tolerance_us=60_100_000)).rows.tolist() == [2]


def test_waits_of_one_second_in_dumps_of_one_second_do_not_grow_together() -> None:
    #  each dump shows a fresh wait of growing age: every start is near the one before, none is near the first
    found = merge(samples([1] * 6, [0.0, 0.9, 1.8, 2.7, 3.6, 4.5], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    assert found.rows.tolist() == [2, 2, 2]


def test_an_age_that_does_not_grow_is_a_new_wait() -> None:
    assert merge(samples([1, 1], [100.0, 101.0], [110.0, 110.9])).rows.tolist() == [1, 1]


def test_waits_without_a_time_stand_alone() -> None:
    none = np.full(3, NO_TIME)
    found = merge(Samples(np.ones(3, np.uint64), none, none, np.full(3, 5.0), *(np.full(3, NO_DUMP, np.int32),) * 2))
    assert found.rows.tolist() == [1, 1, 1]
    assert [STATES[state] for state in found.state] == ["unknown"] * 3


def test_samples_out_of_order_are_put_in_order() -> None:
    found = merge(samples([1, 1, 1], [100.0, 100.0, 100.0], [130.0, 110.0, 120.0]))
    assert found.order.tolist() == [1, 2, 0]
    assert found.last.tolist() == [0]


def test_keys_that_share_their_upper_bits_are_still_distinguished() -> None:
    found = merge(samples([8, 9, 8, 9], [100.0, 100.0, 100.0, 100.0], [110.0, 110.0, 120.0, 120.0]))
    assert found.rows.tolist() == [2, 2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 30)), max_size=30))
def test_every_sample_is_in_one_span_and_spans_hold_one_thread_only(seen: list[tuple[int, int, int]]) -> None:
    made = samples([k for k, _, _ in seen], [at - age for _, at, age in seen], [at for _, at, _ in seen])
    found = merge(made)
    assert sorted(found.order.tolist()) == list(range(len(seen)))
    assert int(found.rows.sum()) == len(seen)
    for first, count in zip(found.first.tolist(), found.rows.tolist(), strict=True):
        own = found.order[first : first + count]
        assert len(set(made.key[own].tolist())) == 1
        assert count == 1 or made.key[own[0]] != 0
        assert np.ptp(made.start[own]) <= 2 * 1_100_000


def test_a_printed_start_bounds_what_the_moment_of_the_dump_gives() -> None:
    at = np.array([NOON_US] * 4 + [NO_TIME, NO_TIME])
    since = np.array([NO_TIME, NOON_US - 5_000_000, NOON_US - 9_000_000, NOON_US - 2_000_000, NOON_US, NO_TIME])
    start, end = times(at, since, np.array([5.0, 4.5, 5.0, 5.0, 3.0, 5.0]))
    assert (start[:5] - NOON_US).tolist() == [-5_000_000, -4_500_000, -8_000_000, -2_000_000, 0]
    assert start[5] == end[5] == NO_TIME
    assert end[4] == NOON_US + 3_000_000


def test_five_million_samples_are_joined_in_a_second() -> None:
    nodes, threads, dumps = 100, 25, 400
    node, thread = np.tile(np.repeat(np.arange(nodes), threads), dumps), np.tile(np.arange(threads), nodes * dumps)
    dump = np.repeat(np.arange(dumps), nodes * threads)
    end = dump * 5_000_000 + NOON_US
    begun = dump // 5 * 5  # each wait shows in five dumps
    start = begun * 5_000_000 + NOON_US - 1_000_000 + thread
    key = (node * 1000 + thread + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    made = Samples(key, start, end, (end - start) / 1e6, dump.astype(np.int32), np.full(len(node), dumps - 1, np.int32))
    best = 9.0
    for _ in range(3):
        began = time.process_time()
        found = merge(made)
        best = min(best, time.process_time() - began)
    assert len(found.first) == nodes * threads * dumps // 5
    assert len(node) / best > 500_000  # a tenth of the budget: other work may run beside the tests
