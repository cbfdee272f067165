"""Rows of earlier releases have only the sentence of their failure: the migration fills the column from it."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from apps.cases.models import Artifact, Bundle, BundleProblem, Failure
from tests.builders import People, make_artifact, make_bundle, make_case

pytestmark = pytest.mark.django_db
FILES = {
    "Its text could not be fetched, or what was read not be stored (NotADirectoryError). Try again.": Failure.STORAGE,
    "Its text could not be fetched, or what was read not be stored (BadTextBlobError). Try again.": Failure.DEFECT,
    (
        "Reading took too long or too much memory (SoftTimeLimitExceeded). Try again, or send it in smaller parts."
    ): Failure.TIME,
    "Reading took too long or too much memory (MemoryError). Try again, or send it in smaller parts.": Failure.LIMIT,
    (
        "The worker died 4 times on this file; the other files go on. Try again, or send it in smaller parts."
    ): Failure.DIED,
    "A parser failed (KeyError): nothing of this file is used.": Failure.DEFECT,
}
UPLOADS = {
    "It could not be unpacked (FileNotFoundError). Try again.": Failure.STORAGE,
    "It could not be unpacked (MemoryError). Try again.": Failure.LIMIT,
    "It could not be unpacked (ValueError). Try again.": Failure.DEFECT,
    "The worker died 4 times while unpacking it. Try again, or send it in smaller parts.": Failure.DIED,
}


def fill() -> None:
    import_module("apps.cases.migrations.0010_failures").fill(apps, None)


def test_why_files_and_uploads_failed_follows_from_their_sentences(folk: People) -> None:
    case = make_case(folk.team)
    uploads = {make_bundle(case, state="failed", message=message).pk: failure for message, failure in UPLOADS.items()}
    bundle = make_bundle(case)
    files: dict[int, str] = {
        make_artifact(bundle, message=message, state="failed").pk: failure for message, failure in FILES.items()
    }
    skipped = make_artifact(bundle, message="No format is recognised in it.", state="skipped")
    fill()
    assert dict(Artifact.objects.values_list("pk", "failure")) == files | {skipped.pk: ""}
    assert dict(Bundle.objects.exclude(pk=bundle.pk).values_list("pk", "failure")) == uploads
    assert Bundle.objects.get(pk=bundle.pk).failure == ""


def test_what_unpacking_found_is_distinguished_from_what_reading_found(folk: People) -> None:
    artifact = make_artifact(make_bundle(make_case(folk.team)))
    long = "2 lines are longer than the limit: the beginning is kept, 10 bytes are not read."
    rows = [(None, "The archive is cut off."), (artifact, long), (artifact, "No year is known.")]
    made = [BundleProblem.objects.create(bundle=artifact.bundle, artifact=of, message=message) for of, message in rows]
    fill()
    stages = dict(BundleProblem.objects.values_list("pk", "stage"))
    assert [stages[row.pk] for row in made] == ["unpacking", "unpacking", "reading"]
