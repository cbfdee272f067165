"""Circles and ends of wait chains."""

from __future__ import annotations

import time
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.engine.core.arrays.graph import cycles, ends_of, strongly_connected
from tests.growth import assert_grows


def test_a_chain_and_a_circle() -> None:
    edges = [[1], [2], [], [4], [3]]
    assert strongly_connected(edges) == [[2], [1], [0], [3, 4]]
    assert ends_of(edges) == [(2,), (2,), (2,), (3,), (3,)]
    assert cycles(edges) == [[3, 4]]


def test_whoever_waits_for_itself_is_a_circle_of_one() -> None:
    assert cycles([[0], []]) == [[0]]
    assert ends_of([[0], []]) == [(0,), (1,)]


def test_a_wait_with_two_ends_has_both() -> None:
    #  0 → 1 → 3      0 → 2 → 4
    assert ends_of([[1, 2], [3], [4], [], []]) == [(3, 4), (3,), (4,), (3,), (4,)]


def test_behind_a_circle_that_goes_on_is_what_it_goes_on_to() -> None:
    #  0 ⇄ 1 → 2
    assert ends_of([[1], [0, 2], []]) == [(2,), (2,), (2,)]


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(1, 12))
    return [draw(st.lists(st.integers(0, size - 1), max_size=3)) for _ in range(size)]


def reachable(edges: list[list[int]], start: int) -> set[int]:
    seen, todo = set(), [start]
    while todo:
        for successor in edges[todo.pop()]:
            if successor not in seen:
                seen.add(successor)
                todo.append(successor)
    return seen


@given(graphs())
def test_components_are_those_who_reach_each_other(edges: list[list[int]]) -> None:
    reach = [reachable(edges, v) | {v} for v in range(len(edges))]
    expected = {tuple(sorted(w for w in reach[v] if v in reach[w])) for v in range(len(edges))}
    found = strongly_connected(edges)
    assert {tuple(c) for c in found} == expected
    place = {v: i for i, c in enumerate(found) for v in c}
    assert all(place[s] <= place[v] for v in range(len(edges)) for s in edges[v])


@given(graphs())
def test_ends_are_what_can_be_reached_and_leads_nowhere_else(edges: list[list[int]]) -> None:
    reach = [reachable(edges, v) | {v} for v in range(len(edges))]
    final = {v for v in range(len(edges)) if all(v in reach[w] for w in reach[v])}
    for v, ends in enumerate(ends_of(edges)):
        assert set(ends) == {min(reach[w]) for w in reach[v] & final}


def test_a_chain_of_a_hundred_thousand_needs_no_recursion() -> None:
    size = 100_000
    edges = [*([v + 1] for v in range(size - 1)), []]
    assert set(ends_of(edges)) == {(size - 1,)}
    assert len(strongly_connected([*edges[:-1], [0]])) == 1


def test_t21_twice_the_waits_take_about_twice_the_time() -> None:
    def seconds(size: int) -> float:
        rng = Random(7)
        edges = [[rng.randrange(max(1, v))] if v % 50 else [] for v in range(size)]
        start = time.process_time()
        ends_of(edges)
        return time.process_time() - start

    assert_grows(seconds, 8_000, 32_000, 6)


def test_ends_are_shared_not_copied() -> None:
    found = ends_of([[1], [2], []])
    assert all(a is b for a, b in pairwise(found))
