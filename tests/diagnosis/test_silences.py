"""Silences of a window: folded by the page, and so not counted when buckets are chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.http import QueryDict

from apps.diagnosis.pages.timeline.activity import SCHEMA
from apps.diagnosis.pages.timeline.silences import FoldedAxis, opened_from, shown_us, silences

SECOND = 1_000_000
CASES = json.loads((Path(__file__).parents[1] / "js" / "silences.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", CASES, ids=lambda one: one["words"])
def test_as_the_browser_folds(one: dict[str, Any]) -> None:
    times = pl.DataFrame([(a * SECOND, b * SECOND) for a, b in one["times"]], schema=SCHEMA, orient="row")
    opened = tuple((a * SECOND, b * SECOND) for a, b in one["opened"])
    start, end = (at * SECOND for at in one["view"])
    found = silences(times, start, end, opened, is_chosen=not one.get("whole"))
    assert [[round(fold["start"] / SECOND), round(fold["end"] / SECOND)] for fold in found] == one["folds"]


def test_what_an_address_says_is_open() -> None:
    assert opened_from(QueryDict("open=12,40-90")) == ((12 * SECOND, 12 * SECOND), (40 * SECOND, 90 * SECOND))
    for bad in ("", "open=", "open=x,-4,5-,1e9,9999999999999,\x00"):
        assert opened_from(QueryDict(bad)) in {(), ((5 * SECOND, 5 * SECOND),)}
    assert len(opened_from(QueryDict("open=" + ",".join(map(str, range(1000)))))) == 40


def test_places_on_the_folded_axis() -> None:
    window, folds = {"start": 0, "end": 1000}, [{"start": 100, "end": 900}]
    axis = FoldedAxis(window, folds)
    assert shown_us(0, 1000, folds) == 200
    places = [axis.place(at) for at in (0, 100, 900, 1000)]
    assert places == pytest.approx([0, 0.486, 0.514, 1])
    assert axis.place(-50) < 0 < 1 < axis.place(1100)
    assert FoldedAxis({"start": 5, "end": 5}, []).place(5) == 0
