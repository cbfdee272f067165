"""Receivers who open links at once: each page has its files, and what nobody names goes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from apps.cases import storage
from apps.cases.models import Case
from apps.diagnosis.services import diagnose_case
from apps.ingest.uploads.receive import store_bytes
from apps.sharing import masked
from tests.builders import People, make_case
from tests.ingest.material import bundle
from tests.ingest.reading import read_all

pytestmark = pytest.mark.django_db


def judged(folk: People) -> Case:
    storage.delete_prefix("cases/")  # numbers of cases come again from test to test
    case = make_case(folk.team)
    made = store_bytes(case, bundle(), filename="snap.tgz", user=None)
    read_all(made.pk)
    diagnose_case(case.pk)
    case.refresh_from_db()
    return case


def test_of_two_copies_made_at_once_the_first_stays_with_its_files(
    folk: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = judged(folk)
    diagnosis = case.current_diagnosis
    assert diagnosis is not None
    masked.masked_row(diagnosis)  # hands out the numbers, so that no two copies want the same ones
    diagnose_case(case.pk)
    case.refresh_from_db()
    newest = case.current_diagnosis
    assert newest is not None
    others: list[Any] = []

    def meanwhile(work: Callable[..., Any], *given: Any) -> Any:
        if not others:
            others.append(None)
            others[0] = masked.masked_row(newest)
        return work(*given)

    whole = masked._masked
    monkeypatch.setattr(masked, "_masked", lambda *given: meanwhile(whole, *given))
    row = masked.masked_row(newest)
    assert row == others[0]
    assert storage.listing(row.views)
    assert [prefix for prefix in storage.folders(masked._folder(case)) if storage.listing(prefix)].count(row.views) == 1


def test_files_of_a_copy_without_a_row_go_once_no_row_can_come(folk: People) -> None:
    case = judged(folk)
    left, young = (f"{masked._folder(case)}{name}/" for name in ("left", "young"))
    for prefix in (left, young):
        storage.save_as(f"{prefix}a.parquet", BytesIO(b"a"))
    long_ago = time.time() - 2 * 3600
    os.utime(storage.local_path(f"{left}a.parquet"), (long_ago, long_ago))
    assert case.current_diagnosis is not None
    row = masked.masked_row(case.current_diagnosis)
    assert set(storage.folders(masked._folder(case))) == {row.views, young}
