"""The order of many rows by several keys."""

from __future__ import annotations

import numpy as np
import pytest

from apps.diagnosis.engine.core.arrays.ordering import in_order

WIDE = np.iinfo(np.int64)


@pytest.mark.parametrize("rows", [0, 1, 2, 700])
def test_it_is_that_of_a_lexical_sort(rows: int) -> None:
    rng = np.random.default_rng(rows)
    few, moments = rng.integers(-3, 3, rows).astype(np.int32), rng.integers(0, 5, rows) * 10**15 - 7
    ages = rng.integers(0, 9, rows) / 7
    ages[rng.random(rows) < 0.2] = np.nan
    wide = rng.choice(np.array([WIDE.min, -1, 0, WIDE.max]), rows)
    one, unknown = np.full(rows, 4, np.int32), np.full(rows, np.nan)
    for keys in (
        (few,),
        (one, ages, one),
        (unknown, few),
        (ages, one),
        (ages, few),
        (moments, ages, few),
        (wide, moments),
        (few, wide, ages),
    ):
        assert in_order(*keys).tolist() == np.lexsort(keys[::-1]).tolist()


def test_what_is_equal_stays_as_it_stood() -> None:
    assert in_order(np.array([2, 1, 2, 1, 1])).tolist() == [1, 3, 4, 0, 2]
