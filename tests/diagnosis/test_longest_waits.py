"""The longest waits of millions: the short way gives what sorting all of them gives."""

from __future__ import annotations

import random

import polars as pl
import pytest

from apps.diagnosis.waiters import _longest_first

ORDER = ["seconds", "node", "start", "line"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("most", [1, 7, 40, 200, 500])
def test_the_short_way_gives_the_same_rows(seed: int, most: int) -> None:
    rng = random.Random(seed)  # noqa: S311  repeatable, no secret
    rows = [
        {
            "seconds": rng.choice([None, 1.0, 2.0, rng.random() * 9]),
            "node": rng.choice("abc"),
            "start": rng.choice([None, 5, 9]),
            "line": line,
        }
        for line in range(200)
    ]
    spans = pl.DataFrame(rows, schema={"seconds": pl.Float64, "node": pl.String, "start": pl.Int64, "line": pl.Int64}).lazy()
    whole = spans.sort(ORDER, descending=[True, False, False, False], nulls_last=True).head(most).collect()
    assert _longest_first(spans, most).rows() == whole.rows()
