"""What a web process keeps of pages: by what it is made from, no more than there is room for, and not for long."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.web.kept import Kept, weight
from apps.web.templatetags.kept import include_kept, is_plain


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Maker:
    """Counts how often it was asked."""

    def __init__(self, value: str = "x" * 1000) -> None:
        self.value, self.times = value, 0

    def __call__(self) -> str:
        self.times += 1
        return self.value


def test_a_part_is_made_once_for_each_key() -> None:
    room, make = Kept(100_000), Maker()
    assert [room.part(key, make) for key in ("a", "a", "b")] == [make.value] * 3
    assert make.times == 2


def test_what_was_used_least_goes_when_the_room_is_full() -> None:
    one = 1500
    room, makers = Kept(5 * one), {name: Maker() for name in "abcdefgh"}
    for name, make in makers.items():
        room.part(name, make)
        room.part("a", makers["a"])
        assert room.size <= 5 * one
    assert makers["a"].times == 1
    room.part("b", makers["b"])
    assert makers["b"].times == 2


def test_what_is_too_large_is_made_anew_and_pushes_nothing_out() -> None:
    room, small, large = Kept(20_000), Maker("small"), Maker("x" * 6000)
    for _ in range(2):
        room.part("small", small)
        room.part("large", large)
    assert (small.times, large.times) == (1, 2)


def test_nothing_is_kept_where_there_is_no_room() -> None:
    room, make = Kept(0), Maker("")
    room.part("a", make)
    room.part("a", make)
    assert (make.times, room.size) == (2, 0)


def test_everything_ends_after_a_while_and_leaves_the_memory() -> None:
    clock = Clock()
    room, make = Kept(100_000, seconds=600, clock=clock), Maker()
    room.part("a", make)
    clock.now = 601
    room.part("b", Maker())
    assert room.size < 2000, "the one that ended still takes room"
    room.part("a", make)
    assert make.times == 2


def test_an_error_is_not_kept() -> None:
    room = Kept(100_000)

    def fails() -> str:
        raise LookupError

    with pytest.raises(LookupError):
        room.part("a", fails)
    assert room.part("a", Maker("right")) == "right"


def test_weight_counts_what_is_inside() -> None:
    assert weight(["x" * 1000, {"y": "z" * 1000}, (1, 2.5, None)]) > 2000


@pytest.mark.parametrize("value", [SafeString("<b>"), {"a": [SafeString("<b>")]}, object(), [Clock()]])
def test_what_could_be_shown_otherwise_than_it_reads_is_not_plain(value: object) -> None:
    assert not is_plain(value)


def test_a_text_and_the_same_text_marked_as_safe_are_two() -> None:
    """Both orders: whichever was made first must not be given for the other."""
    for title in ("<i>first</i>", "<i>second</i>"):
        words = [title, SafeString(title)] if "first" in title else [SafeString(title), title]
        for word in words:
            verdict = {"title": word, "severity": "high", "confidence": None, "sub": "", "tunings_n": 0, "applied_n": 0}
            page = include_kept("components/_verdict.html", verdict=verdict)
            assert (title in page) == (word is not title), page
            assert page == render_to_string("components/_verdict.html", {"verdict": verdict})


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ("1", 1), (None, "None"), (0, False)])
def test_values_that_are_equal_and_shown_otherwise_are_two(one: object, other: object) -> None:
    def page(value: object) -> str:
        return include_kept("components/_chip.html", chip={"label": value})

    for value in (one, other):
        assert page(value) == render_to_string("components/_chip.html", {"chip": {"label": value}})
