"""Moments that are asked whether one of them is near."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.engine.core.times.moments import Moments, at_all

TIMES = st.lists(st.integers(-50, 50), max_size=30)


@given(TIMES, st.integers(-60, 60), st.integers(-60, 60))
def test_it_says_what_comparing_with_each_says(times: list[int], first: int, last: int) -> None:
    inside = sorted(at for at in times if first <= at <= last)
    assert at_all(times).has(first, last) == bool(inside)
    assert list(Moments((at, at) for at in times).within(first, last)) == inside
