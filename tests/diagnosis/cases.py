"""Cases for the tests of pages: diagnosed for real, or with a summary and view files that a test writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from django.db.models import QuerySet

from apps.cases import storage
from apps.cases.models import Case
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.services import diagnose_case
from apps.ingest.uploads.receive import store_bytes
from tests.ingest.reading import read_all


def read_into(case: Case, content: bytes, filename: str = "snap.tar.gz") -> Diagnosis:
    """Through unpacking, reading and the engine."""
    made = store_bytes(case, content, filename=filename, user=None)
    read_all(made.pk)
    row = diagnose_case(case.pk)
    assert row is not None
    case.refresh_from_db()
    return row


def summarise(diagnosis: Diagnosis, **summary: Any) -> Diagnosis:
    """A diagnosis is never changed; a test may."""
    QuerySet.update(Diagnosis.objects.filter(pk=diagnosis.pk), summary={**diagnosis.summary, **summary})
    return Diagnosis.objects.get(pk=diagnosis.pk)


@contextmanager
def with_table(diagnosis: Diagnosis, folder: Path, **tables: pl.DataFrame) -> Iterator[Diagnosis]:
    """View files beside a diagnosis that was not made by the engine; a name's underscores stand for hyphens."""
    prefix = diagnosis.views or f"{storage.case_prefix(diagnosis.case_id)}views/test/"
    for name, frame in tables.items():
        path = folder / f"{name.replace('_', '-')}.parquet"
        frame.write_parquet(path)
        with path.open("rb") as file:
            storage.save_as(f"{prefix}{path.name}", file)
    QuerySet.update(Diagnosis.objects.filter(pk=diagnosis.pk), views=prefix)
    yield Diagnosis.objects.get(pk=diagnosis.pk)
