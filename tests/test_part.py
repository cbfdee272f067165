"""A run looks at a part of a large matrix: the same by the same number, and at all of it in time."""

from __future__ import annotations

import pytest

from tests.part import CHOSEN, left_out, part, tries

CASES = [f"case {number}" for number in range(20)]


def test_a_number_chooses_the_same_part_in_the_order_of_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOSEN, "4711")
    first = part(CASES, 3, "cuts", 7)
    assert first == part(CASES, 3, "cuts", 7) == sorted(first, key=CASES.index)
    assert len(first) == 3


def test_each_case_comes_by_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for number in range(100):
        monkeypatch.setenv(CHOSEN, str(number))
        seen.update(part(CASES, 3, "cuts"))
    assert seen == set(CASES)


def test_of_a_group_of_tests_a_run_takes_so_many(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str, *marks: pytest.MarkDecorator) -> pytest.Item:
        item: pytest.Item = pytest.Function.from_parent(request.node.parent, name=name, callobj=lambda: None)
        for mark in marks:
            item.add_marker(mark)
        return item

    days, nights = pytest.mark.part("days", 2), pytest.mark.part("nights", 2)
    items = [made("always"), *(made(f"day{n}", days) for n in range(5)), made("night", nights)]
    monkeypatch.setenv(CHOSEN, "4711")
    further = left_out(items)
    assert len(further) == 3
    assert {item.name[:3] for item in further} == {"day"}
    assert left_out(items) == further
    monkeypatch.setenv(CHOSEN, "all")
    assert left_out(items) == set()


def test_the_whole_matrix_is_looked_at_where_that_is_wanted_or_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOSEN, "all")
    assert part(CASES, 3) == CASES
    monkeypatch.setenv(CHOSEN, "4711")
    assert part(CASES[:2], 3) == CASES[:2]


def test_a_run_tries_few_texts_and_the_whole_matrix_as_many_as_are_wished_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOSEN, "4711")
    assert tries(300, 120) == 120
    monkeypatch.setenv(CHOSEN, "all")
    assert tries(300, 120) == 300
