"""The same request to many nodes is told once, and nothing of it is lost."""

from __future__ import annotations

from typing import Any

import pytest

from apps.diagnosis.engine.core.words.repeated_requests import Request, grouped

DUMP = ("mmdiag --waiters",)


def item(
    node: str | None, what: str, why: str = "a wait ends there", commands: tuple[str, ...] = DUMP
) -> dict[str, Any]:
    return {"what": what, "why": why, "node": node, "commands": list(commands)}


def test_what_differs_by_the_node_alone_is_one_request() -> None:
    [request] = grouped([item(f"stor{n}", f"the next waiters of stor{n}") for n in range(200)])
    assert request.what == "the next waiters of stor0, stor1 and 198 more nodes"
    assert (request.why, request.commands) == ("for each: a wait ends there", DUMP)
    assert [node for node, _ in request.each] == [f"stor{n}" for n in range(200)]


@pytest.mark.parametrize(("number", "named"), [(2, "n0 and n1"), (3, "n0, n1 and n2"), (4, "n0, n1 and 2 more nodes")])
def test_a_few_are_all_named(number: int, named: str) -> None:
    [request] = grouped([item(f"n{n}", f"waiters of n{n}") for n in range(number)])
    assert request.what == f"waiters of {named}"
    assert bool(request.each) == (number > 3)


def test_figures_that_differ_are_reported_of_each() -> None:
    [request] = grouped(
        [item("a", "waiters of a", "200 waits end there"), item("b", "waiters of b", "1,017 waits end there")]
    )
    assert request.why == "for a: 200 waits end there"
    assert request.each == (("a", "200 waits end there"), ("b", "1,017 waits end there"))


def test_other_words_other_commands_and_what_names_no_node_stay_apart() -> None:
    alone = [
        item("a", "waiters of a"),
        item("b", "history of b"),
        item("c", "waiters of c", commands=("mmdiag --network",)),
        item("d", "waiters of d", "it is down"),
        item(None, "the year of 1/messages"),
        item(None, "the year of 2/messages"),
    ]
    assert grouped(alone) == [Request(one["what"], one["why"], tuple(one["commands"])) for one in alone]


def test_a_name_within_a_longer_word_is_no_name() -> None:
    several = [item(node, f"what {node} of n-a and a.site waits for", "it is open") for node in ("a", "b")]
    assert [one.what for one in grouped(several)] == ["what a and b of n-a and a.site waits for"]


def test_the_place_of_the_first_is_kept() -> None:
    several = [item("n1", "waiters of n1"), item("x", "history of x"), item("n2", "waiters of n2")]
    assert [one.what for one in grouped(several)] == ["waiters of n1 and n2", "history of x"]
