"""The longest spans of many: found among the heads of ordered parts, or by looking through all of them, with the same
outcome.
"""

from __future__ import annotations

import random
from typing import cast

import polars as pl
import pytest

from apps.diagnosis.engine.core.page_tables import LONGEST_FIRST
from apps.diagnosis.engine.page_tables import SPAN_COLUMNS
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.waiters import waits
from apps.diagnosis.pages.waiters.waits import WaiterFilters
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import tar

ROWS = 900


class Written:
    """View files of a diagnosis, without the storage."""

    def __init__(self, parts: list[pl.DataFrame], *, ordered: bool) -> None:
        self._parts = [(part.sort(**LONGEST_FIRST) if ordered else part).lazy() for part in parts]
        self._ordered = ordered

    def spans(self) -> pl.LazyFrame:
        return pl.concat(self._parts)

    def spans_by_age(self) -> list[pl.LazyFrame] | None:
        return self._parts if self._ordered else None


def part(seed: int) -> pl.DataFrame:
    rng = random.Random(seed)
    rows = [
        {
            "node": rng.choice(["nsd1", "nsd2", None]),
            "thread": rng.choice(["NSDThread", "MSG (x+y)", "RGLHandler"]),
            "category": rng.choice([1, 1, 1, 2, 3, None]),
            "reason": rng.choice(["for I/O", "Waiting for lock", None]),
            "seconds": rng.choice([None, float(rng.randrange(50)), rng.random()]),
            "start": rng.choice([None, 5, 7]),
            "end": 9,
            "line": line,
        }
        for line in range(ROWS)
    ]
    absent = [pl.lit(None, dtype).alias(name) for name, dtype in SPAN_COLUMNS.items() if name not in rows[0]]
    return pl.DataFrame(rows, schema_overrides=SPAN_COLUMNS).with_columns(absent).select(list(SPAN_COLUMNS))


def seen(filters: WaiterFilters, *, ordered: bool) -> tuple[int, list[float | None], list[float | None]]:
    tables = cast("PageTableFiles", Written([part(1), part(2), part(3)], ordered=ordered))
    found = waits._found(filters.condition(), tables, pl.concat([part(1), part(2), part(3)]).lazy())
    return (
        found.total,
        [row["seconds"] for row in found.longest(150).to_dicts()],
        [bar["seconds"] for bar in waits._bars(found).to_dicts()],
    )


@pytest.mark.parametrize("looked_at", [0, 40, 4000])
@pytest.mark.parametrize("few", [0, 50_000])
@pytest.mark.parametrize(
    "filters",
    [
        WaiterFilters(),
        WaiterFilters(categories=(2,)),
        WaiterFilters(categories=(0, 3), node="nsd2"),
        WaiterFilters(least_s=40.0, text="nsd"),
        WaiterFilters(text="(X+Y) lock"),
        WaiterFilters(text="nowhere"),
    ],
)
@pytest.mark.part("longest waits", 12)
def test_the_longest_are_the_same_in_either_layout(
    monkeypatch: pytest.MonkeyPatch, filters: WaiterFilters, looked_at: int, few: int
) -> None:
    monkeypatch.setattr(waits, "LOOKED_AT", looked_at)
    monkeypatch.setattr(waits, "FEW", few)
    condition = filters.condition()
    every = pl.concat([part(1), part(2), part(3)])
    matching = every if condition is None else every.filter(condition)
    ordered = seen(filters, ordered=True)
    assert ordered == seen(filters, ordered=False)
    assert ordered[0] == matching.height
    assert ordered[1] == matching.sort(**LONGEST_FIRST)["seconds"].head(150).to_list()
    assert len(ordered[2]) <= waits.BARS


def test_a_search_without_matches_shows_nothing() -> None:
    assert seen(WaiterFilters(text="nowhere"), ordered=True) == (0, [], [])


def test_signs_that_patterns_know_are_taken_as_they_stand() -> None:
    assert 0 < seen(WaiterFilters(text="(x+y)"), ordered=True)[0] < 3 * ROWS


def test_a_wait_for_a_node_calls_it_by_its_name() -> None:
    names = {"10.31.8.12": "nsd02", "c0n1": "nsd02", "2": "post2", "cn1.site.example": "cn1"}
    texts = {
        "10.31.8.12": "nsd02",
        "tmMsgRevoke \u2192 10.31.8.12": "tmMsgRevoke \u2192 nsd02",
        "10.31.8.12 <c0n1>": "nsd02 <nsd02>",
        "cn1.site.example": "cn1",
        "10.31.8.128": "10.31.8.128",
        "glock 2/3a7c1e": "glock 2/3a7c1e",
        None: None,
    }
    rows = pl.DataFrame({"waits_on": list(texts)}, schema={"waits_on": pl.String})
    assert [row["waits_on"] for row in waits._named(rows, names)] == list(texts.values())


@pytest.mark.django_db
@pytest.mark.parametrize(
    "dated", ["", "=== mmdiag: waiters ===\nWaiting 0.0321 sec since 07:41:00, monitored, thread 7 NSDThread: x\n"]
)
def test_the_longest_wait_of_a_case_counts_whether_it_has_a_time_or_not(folk: People, dated: str) -> None:
    case = make_case(folk.team)
    bare = "0x11009FD50 waiting 28.012088486 seconds, Sync handler: on ThCond 0x110617898 (LogFile buffer state)\n"
    read_into(case, tar({"wren1/waiters.txt": (dated + bare).encode()}))
    case.refresh_from_db()
    assert case.longest_s == pytest.approx(28.012, abs=0.01)
