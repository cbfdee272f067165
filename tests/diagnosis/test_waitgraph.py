"""Boxes, groups, the tree and the answers to "what if it let go?"."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from apps.diagnosis.pages.graph.waitgraph import MOST_BOXES, WaitGraph


def edge(frm: str, to: str, count: int = 1, longest_s: float = 20.0, **fields: Any) -> dict[str, Any]:
    return {"frm": frm, "to": to, "via": "call", "count": count, "longest_s": longest_s, "resolved": True} | fields


def graph(*edges: dict[str, Any], nodes: tuple[str, ...] = (), **summary: Any) -> WaitGraph:
    return WaitGraph({"nodes": [{"name": name, "aliases": []} for name in nodes], "waits_for": list(edges), **summary})


DISK = {"kind": "disk", "what": "dm-17", "node": "nsd02", "why": "", "waiters": 9, "relieves": 9, "leaves_data": False}


def test_waits_of_a_lock_for_its_holder_are_no_further_waits() -> None:
    seen = graph(edge("n1", "2/5", 3), edge("n2", "2/5", 2), edge("2/5", "n3:77", 5), nodes=("n1", "n2", "n3"))
    assert seen.total == 5
    assert seen.is_resource("2/5")
    assert not seen.is_resource("n3:77")
    assert seen.freed_by("n3:77") == (5, {"2/5", "n1", "n2"})


def test_who_waits_for_something_else_as_well_is_not_freed() -> None:
    seen = graph(edge("a", "s"), edge("b", "s"), edge("b", "other"), edge("s", "d"), nodes=("a", "b", "s", "other"))
    ended, freed = seen.freed_by("d")
    assert (ended, freed) == (3, {"s", "a"})


def test_the_engine_counts_for_a_root() -> None:
    seen = graph(edge("a", "nsd02", 4), edge("nsd02", "dm-17", 5), nodes=("a", "nsd02"), roots=[DISK])
    assert seen.ends("dm-17") == 9
    assert seen.let_go()[0]["name"] == "dm-17"
    assert seen.first is not None
    assert (seen.first.frm, seen.first.to) == ("nsd02", "dm-17")


def test_disks_of_one_name_on_two_nodes_are_two_roots() -> None:
    one, other = (DISK | {"node": node, "relieves": waits} for node, waits in (("n1", 4), ("n2", 2)))
    seen = graph(edge("n1", "dm-17 of n1", 4), edge("n2", "dm-17 of n2", 2), nodes=("n1", "n2"), roots=[one, other])
    assert set(seen.roots) == {"dm-17 of n1", "dm-17 of n2"}
    assert [(row["name"], row["ends"]) for row in seen.let_go()] == [("dm-17 of n1", 4), ("dm-17 of n2", 2)]


def test_few_names_are_drawn_one_by_one_and_many_that_wait_alike_together() -> None:
    assert graph(*(edge(f"c{n}", "s") for n in range(5)), nodes=("s",)).groups == {}
    many = [f"c{n:03d}" for n in range(150)]
    seen = graph(*(edge(name, "s") for name in many), edge("s", "dm-17"), nodes=(*many, "s"), roots=[DISK])
    assert list(seen.groups.values()) == [tuple(many)]
    drawn = seen.drawing(("g1", "g9"))
    assert drawn["opened"] == ["g1"]
    assert drawn["groups"][0]["label"] == "150 waiters"
    assert len(drawn["boxes"]) == 152


def test_two_hundred_nodes_with_differing_targets_stay_readable() -> None:
    edges = [edge(f"c{n:03d}", f"c{(n * step + 1) % 200:03d}") for n in range(200) for step in (0, 7)]
    seen = graph(*edges, nodes=tuple(f"c{n:03d}" for n in range(200)))
    alone = seen.shown - {name for members in seen.groups.values() for name in members}
    assert len(alone) + len(seen.groups) <= MOST_BOXES
    assert seen.drawing(())["left_out"] == len(seen.names) - len(seen.shown)


def test_cycles_of_the_engine_are_proven_and_those_of_the_arrows_are_not() -> None:
    ring = (edge("a", "b"), edge("b", "a"), edge("c", "a"))
    proven = graph(*ring, nodes=("a", "b", "c"), cycles=[["a", "b"]])
    seen = graph(*ring, nodes=("a", "b", "c"))
    assert proven.are_proven
    assert proven.cycles == [("a", "b")]
    assert not seen.are_proven
    assert {frozenset(cycle) for cycle in seen.cycles} == {frozenset("ab")}
    assert [row["branch"].mark for row in proven.rows() if row["branch"].mark] == ["cycle"]
    assert any(row["branch"].link == ("c", "a") for row in proven.rows())


def test_the_tree_tells_every_name_once() -> None:
    edges = [edge(f"c{n}", "s", n) for n in range(1, 6)]
    seen = graph(
        *edges,
        edge("m", "s"),
        edge("c1", "m"),
        edge("s", "dm-17", 5),
        nodes=("s", "m", *(f"c{n}" for n in range(1, 6))),
        roots=[DISK],
    )
    rows = seen.rows()
    assert (rows[0]["branch"].label, rows[0]["branch"].mark, rows[0]["depth"]) == ("dm-17", "root", 0)
    branches = [row["branch"] for row in rows if not row["branch"].is_repeated]
    names = [name for branch in branches for name in branch.members]
    assert sorted(names) == sorted(seen.names)
    assert next(row for row in rows if row["together"])["branch"].waits == 2 + 3 + 4 + 5


def test_of_a_part_of_the_edges_figures_are_counted_anew() -> None:
    summary = {
        "nodes": [{"name": name, "aliases": []} for name in "ab"],
        "waits_for": [edge("a", "dm-17", 3)],
        "roots": [DISK],
    }
    assert WaitGraph(summary).drawing(())["boxes"][-1]["holds"] == DISK["waiters"]
    part = WaitGraph(summary, is_part=True).drawing(())["boxes"][-1]
    assert (part["holds"], part["ends"]) == (3, 3)


def test_a_chain_of_a_thousand_is_no_recursion() -> None:
    names = [f"n{n:04d}" for n in range(1000)]
    seen = graph(*(edge(one, other) for one, other in pairwise(names)), nodes=tuple(names))
    assert seen.freed_by(names[-1])[0] == 999
    assert seen.rows()


def test_a_lock_of_its_own_on_each_of_200_nodes_is_one_box() -> None:
    names = [f"n{number:03d}" for number in range(200)]
    seen = graph(
        *(edge(name, "hub", 2) for name in names),
        *(edge(name, f"TokenCondvar of {name}") for name in names),
        nodes=tuple(names),
    )
    assert len(seen.groups) == 2
    assert sorted(len(members) for members in seen.groups.values()) == [200, 200]
    assert seen.drawing(())["left_out"] == 0
