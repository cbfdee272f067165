"""Lanes of nodes by time: which node stands first, how many cells are sent, and what lies behind one of them."""

from __future__ import annotations

import polars as pl
import pytest
from django.test import Client
from django.urls import reverse

from apps.diagnosis.pages.timeline.heat import MOST_CELLS, MOST_COLUMNS, Columns, lock_heat, wait_heat
from tests.builders import People, make_case
from tests.diagnosis.test_pages import diagnosed, embedded
from tests.ingest.material import tar, waiters

SECOND = 1_000_000
Span = tuple[str | None, float, float]


def spans(*rows: Span) -> pl.DataFrame:
    given = [(node, round(start * SECOND), round(end * SECOND)) for node, start, end in rows]
    return pl.DataFrame(given, schema={"node": pl.String, "start": pl.Int64, "end": pl.Int64}, orient="row")


def columns(end_s: int, bucket_s: int = 10, *folds: tuple[int, int]) -> Columns:
    folded = tuple({"start": start * SECOND, "end": end * SECOND} for start, end in folds)
    return Columns((0, end_s * SECOND), folded, bucket_s * SECOND)


def test_the_node_with_the_longest_wait_is_first_and_its_age_grows() -> None:
    found = wait_heat(spans(("calm", 0, 2), ("stuck", 5, 40), ("calm", 30, 31)), {}, columns(60))
    assert found is not None
    assert [(row["name"], row["peak"]) for row in found["rows"]] == [("stuck", 35.0), ("calm", 2.0)]
    assert found["times"] == [0, 10 * SECOND, 20 * SECOND, 30 * SECOND, 40 * SECOND]
    assert found["rows"][0]["values"] == [5.0, 15.0, 25.0, 35.0, 35.0]
    assert found["rows"][1]["values"] == [2.0, None, None, 1.0, None], "what is not seen is absent, not 0"
    assert "2 nodes, worst first" in found["sub"]


def test_a_wait_that_began_before_the_window_keeps_its_age() -> None:
    found = wait_heat(spans(("a", -100, 20), ("b", 1, 2)), {}, columns(20))
    assert found is not None
    assert found["rows"][0]["values"] == [110.0, 120.0]


def test_one_node_alone_has_no_such_lane() -> None:
    assert wait_heat(spans(("a", 0, 5), ("a", 2, 9)), {}, columns(20)) is None
    assert wait_heat(spans(), {}, columns(20)) is None


def test_a_node_without_a_name_has_a_row() -> None:
    found = wait_heat(spans((None, 0, 5), ("a", 2, 3)), {}, columns(20))
    assert found is not None
    assert [row["name"] for row in found["rows"]] == ["node unknown", "a"]


def test_a_shifted_clock_moves_the_row() -> None:
    found = wait_heat(spans(("a", 0, 5), ("b", 0, 4)), {"b": 20 * SECOND}, columns(40))
    assert found is not None
    assert {row["name"]: row["values"] for row in found["rows"]} == {"a": [5.0, None], "b": [None, 4.0]}
    assert found["times"] == [0, 20 * SECOND]


def test_folded_silence_has_no_columns() -> None:
    found = columns(1000, 10, (20, 985))
    assert found.starts.tolist() == [0, 10 * SECOND, 985 * SECOND, 995 * SECOND]
    assert found.ends.tolist() == [10 * SECOND, 20 * SECOND, 995 * SECOND, 1000 * SECOND]


@pytest.mark.parametrize("nodes", [3, 32, 200, 1000, 1500])
def test_cells_stay_few_for_any_number_of_nodes(nodes: int) -> None:
    found = wait_heat(spans(*((f"n{k}", k % 7, 3000.0 - k) for k in range(nodes))), {}, columns(3600, 1))
    assert found is not None
    assert len(found["rows"]) == min(nodes, 1000)
    assert len(found["times"]) <= MOST_COLUMNS
    assert len(found["times"]) * len(found["rows"]) <= MOST_CELLS
    assert [row["peak"] for row in found["rows"]] == sorted((row["peak"] for row in found["rows"]), reverse=True)


def test_lock_traffic_of_all_nodes() -> None:
    names = [f"{lock}_{kind}" for lock in ("h", "g", "rw") for kind in ("grant", "revoke")]
    rows = [
        {"node": f"n{k}", "at": 10 * SECOND, "interval_s": 10.0} | dict.fromkeys(names, float(k)) for k in range(12)
    ]
    found = lock_heat(pl.DataFrame(rows), columns(20))
    assert found is not None
    assert [row["name"] for row in found["rows"]][:2] == ["n11", "n10"]
    assert len(found["rows"]) == 11, "a node without traffic has no row"
    assert found["rows"][0]["values"] == [66.0]


@pytest.mark.django_db
def test_a_cell_opens_the_lines_of_its_node(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    diagnosed(case, tar({f"{node}.txt": waiters(node, first=30.0 + n) for n, node in enumerate(("n1", "n2", "n3"))}))
    client.force_login(folk.bob)
    page = client.get(reverse("diagnosis:timeline", args=[case.key])).content.decode()
    lane = next(lane for lane in embedded(page, "timeline-first")["lanes"] if lane["kind"] == "heat")
    assert {row["name"] for row in lane["rows"]} == {"n1", "n2", "n3"}
    cell = {"lane": lane["id"], "node": "n2", "at": lane["times"][-1], "until": lane["ends"][-1]}
    answer = client.get(reverse("diagnosis:evidence", args=[case.key]), cell).content.decode()
    assert "n2 at" in answer
    assert answer.count("?line=") > 0
    assert "n1 " not in answer
    assert "n3 " not in answer
