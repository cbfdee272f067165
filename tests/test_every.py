from __future__ import annotations

import pytest

from tests.every import every


def test_each_case_that_fails_is_named() -> None:
    @every([1, 2, 3, 4], lambda number: f"number {number}")
    def is_odd(number: int) -> None:
        assert number % 2, "even"

    with pytest.raises(AssertionError, match=r"(?s)number 2: even.*\nnumber 4: even"):
        is_odd()
    assert is_odd.__name__ == "is_odd"


def test_a_case_that_fails_otherwise_is_named_beside_its_error() -> None:
    @every([1, 0], lambda number: f"number {number}")
    def divides(number: int) -> None:
        assert 1 // number

    with pytest.raises(ZeroDivisionError) as caught:
        divides()
    assert caught.value.__notes__ == ["In number 0."]
