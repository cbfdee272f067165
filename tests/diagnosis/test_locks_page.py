"""The page of locks: traffic, pulls, hot objects, captures and the matrix of who takes from whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.engine.core.page_tables import FLOW_SCHEMA, OBJECT_SCHEMA
from apps.diagnosis.engine.gfs2.page_locks import _held_by
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.locks.tables import MATRIX_NODES, LockFilters, flow_matrix, lock_page
from apps.ingest.samples import cfs_ping_pong, gfs2_backup
from tests.builders import People, build_case, make_case
from tests.diagnosis.cases import read_into, with_table

pytestmark = pytest.mark.django_db


def no_line(artifact: int, line: int) -> None:
    return None


def shown(case: Case, query: str = "") -> dict[str, Any]:
    assert case.current_diagnosis is not None
    return lock_page(case.current_diagnosis, LockFilters.from_query(QueryDict(query)), "", no_line)


@pytest.fixture
def backup(folk: People) -> Case:
    case = make_case(folk.team)
    read_into(case, gfs2_backup.build())
    return case


@pytest.fixture
def ping_pong(folk: People) -> Case:
    case = make_case(folk.team)
    read_into(case, cfs_ping_pong.build())
    return case


def test_the_directory_of_the_backup_is_the_hot_object_and_who_holds_it_loses(
    backup: Case, client: Client, folk: People
) -> None:
    page = shown(backup)
    hot = page["objects"][0]
    assert (hot["object"], hot["mode"], hot["holder_node"], hot["state"]) == ("2/3a7c1e", "SH", "post2", "stuck")
    assert hot["waiters"] == sum(one["n"] for one in hot["by_node"]) == hot["strip"][-1]["waiters"]
    assert hot["strip"][-1]["is_joined"]
    assert hot["strip_span"] == "19 Sep 2024 02:10:00 \u2013 02:22:00"
    assert hot["find"] == f"find MOUNT -xdev -inum {0x3A7C1E}"
    assert page["chart"]["bars"][-1]["total"] == page["chart"]["most"] == hot["waiters"]
    assert page["types"][0]["type"] == "2 inode"
    client.force_login(folk.bob)
    html = client.get(reverse("diagnosis:locks", args=[backup.key])).content.decode()
    assert "2/3a7c1e" in html
    assert "/files/" in html
    _the_holder_is_the_loser(page["matrix"])


def _the_holder_is_the_loser(matrix: dict[str, Any]) -> None:
    rows = {row["node"]: {cell["taker"]: cell["amount"] for cell in row["cells"]} for row in matrix["rows"]}
    assert rows["post2"]["post1"] > 0
    assert sum(rows["post1"].values()) == 0


def test_two_nodes_that_take_from_each_other_lead_the_matrix(ping_pong: Case) -> None:
    page = shown(ping_pong)
    rows = {row["node"]: {cell["taker"]: cell["amount"] for cell in row["cells"]} for row in page["matrix"]["rows"]}
    both = rows["gannet1"]["gannet2"], rows["gannet2"]["gannet1"]
    others = [
        amount
        for loser, cells in rows.items()
        for taker, amount in cells.items()
        if {loser, taker} != {"gannet1", "gannet2"}
    ]
    assert min(both) > 1_000_000
    assert max(others) < min(both) / 100
    pulls = {row["node"]: row for row in page["pulls"]}
    assert pulls["gannet1"]["total"] > 1_000_000
    assert pulls["gannet3"]["total"] == 0
    cells = {cell["name"]: cell for cell in page["traffic"][0]["cells"]}
    assert cells["h_grant"]["share"] > cells["g_grant"]["share"] > 0


def objects(*rows: dict[str, Any]) -> pl.DataFrame:
    plain = {
        "kind": "gfs2_glock",
        "by_node": "{}",
        "captures": "[]",
        "waiters": 1,
        "artifact": 1,
        "line": 1,
        "state": "moving",
    }
    return pl.DataFrame(
        [dict.fromkeys(OBJECT_SCHEMA) | plain | row for row in rows], schema=OBJECT_SCHEMA, orient="row"
    )


def test_filters_and_order(folk: People, tmp_path: Path) -> None:
    built = build_case(folk.team)
    table = objects(
        {"object": "2/1", "waiters": 9, "holder_node": "n1", "longest_s": 1.0},
        {"object": "2/2", "waiters": 3, "by_node": json.dumps({"n1": 3}), "longest_s": 70.0},
        {"object": "2/3", "waiters": 1, "holder_node": "n2", "demote_s": 5.0},
    )
    with with_table(built.diagnosis, tmp_path, objects=table) as diagnosis:

        def names(query: str) -> list[str]:
            filters = LockFilters.from_query(QueryDict(query))
            return [row["object"] for row in lock_page(diagnosis, filters, "", no_line)["objects"]]

        assert names("") == ["2/1", "2/2", "2/3"]
        assert names("sort=longest") == ["2/2", "2/1", "2/3"]
        assert names("least=2") == ["2/1", "2/2"]
        assert names("node=n1") == ["2/1", "2/2"]
        assert names("least=x&sort=y&node=&flow=z") == names("")


def test_flow_of_another_kind_can_be_chosen(folk: People, tmp_path: Path) -> None:
    built = build_case(folk.team)
    rows = [("moves", "fs", "n1", "n2", 3.0), ("waits", "fs", "n2", "n1", 8.0), ("waits", "fs", "n1", "n1", 2.0)]
    flows = pl.DataFrame(rows, schema=FLOW_SCHEMA, orient="row")
    with with_table(built.diagnosis, tmp_path, flows=flows) as diagnosis:
        moves = lock_page(diagnosis, LockFilters(), "", no_line)["matrix"]
        waits = lock_page(diagnosis, LockFilters(flow="waits"), "", no_line)["matrix"]
    assert [choice["kind"] for choice in moves["choices"]] == ["moves", "waits"]
    assert moves["rows"][0]["total"] == 3
    own = waits["rows"][0]["cells"][0]
    assert (own["amount"], own["is_own"], own["heat"]) == (2, True, 0)
    assert waits["rows"][0]["total"] == 0


def test_a_case_without_locks_says_what_to_take(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    assert "No locks in these files" in client.get(reverse("diagnosis:locks", args=[built.case.key])).content.decode()


def flow(loser: str, taker: str, amount: float, kind: str = "waits") -> dict[str, Any]:
    return {"kind": kind, "scope": None, "loser": loser, "taker": taker, "amount": amount}


@pytest.mark.parametrize("nodes", [32, 200, 1000])
def test_many_nodes_that_wait_for_one_are_one_row(nodes: int) -> None:
    flows = [flow("mgr", f"c{k:04}", 1.0) for k in range(nodes)] + [flow("nsd", "mgr", 5.0)]
    found = flow_matrix(flows, LockFilters(), {})
    assert found is not None
    assert [row["node"] for row in found["rows"]] == ["mgr", "nsd"], "no row of noughts, the worst first"
    assert found["takers"][0]["node"] == "mgr"
    assert len(found["takers"]) == MATRIX_NODES
    assert found["others_n"] == nodes + 1 - MATRIX_NODES
    worst = found["rows"][0]
    assert worst["total"] == nodes
    assert sum(cell["amount"] for cell in worst["cells"]) + worst["others"] == worst["total"]
    assert (found["row_is"], found["column_is"], found["left_out"]) == ("waited for", "waiting", 0)


def test_few_nodes_stand_in_both_directions() -> None:
    found = flow_matrix([flow("b", "a", 3.0, "moves"), flow("a", "b", 2.0, "moves")], LockFilters(), {})
    assert found is not None
    assert [row["node"] for row in found["rows"]] == [one["node"] for one in found["takers"]] == ["a", "b"]
    assert (found["others_n"], found["row_is"]) == (0, "that lost the lock")


def test_rows_that_do_not_fit_are_counted() -> None:
    found = flow_matrix([flow(f"n{k}", f"m{k}", 1.0, "moves") for k in range(60)], LockFilters(), {})
    assert found is not None
    assert (len(found["rows"]), found["left_out"], found["others_n"]) == (
        MATRIX_NODES,
        60 - MATRIX_NODES,
        60 - MATRIX_NODES,
    )


def test_a_lock_that_two_nodes_print_is_held_once() -> None:
    def printed(node: str | None, owner: int, pid: int, *, waits: bool = False) -> dict[str, Any]:
        return {"node": node, "owner_node": owner, "pid": pid, "granted": "PR", "_waits": waits}

    own, kept = printed("post2", 0, 28417), printed("post1", 2, 28417)
    for rows in ([own, kept], [kept, own]):
        assert _held_by(rows) == ["PR by post2, pid 28417"]
    assert _held_by([kept, printed("post1", 3, 11), printed("post1", 4, 9, waits=True)]) == [
        "PR by node id 2, pid 28417",
        "PR by node id 3, pid 11",
    ]
    assert _held_by([printed(None, 0, 5)]) == ["PR by node id 0, pid 5"]


def test_many_nodes_are_cut_and_thousands_of_waiters_written_whole(
    folk: People, client: Client, tmp_path: Path
) -> None:
    case = build_case(folk.team).case
    diagnosis = read_into(make_case(folk.team), gfs2_backup.build())
    nodes = {f"ash{number}": 200 - number for number in range(40)}
    table = PageTableFiles(diagnosis).table("objects")
    assert table is not None
    captures = json.dumps([{"node": "ash0", "who": "ash0:1", "waiters": 3998, "at": None}] * 2)
    many = table.head(1).with_columns(by_node=pl.lit(json.dumps(nodes)), captures=pl.lit(captures))
    client.force_login(folk.bob)
    assert case.current_diagnosis is not None
    with with_table(case.current_diagnosis, tmp_path, objects=many):
        text = client.get(reverse("diagnosis:locks", args=[case.key])).content.decode()
    assert "and 34 more" in text
    assert "ash6" not in text
    assert ">3\u2009998</span>" in text
