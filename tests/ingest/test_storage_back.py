"""What failed while the storage was away is tried again by itself, and nothing else is."""

from __future__ import annotations

import time

import pytest
from django.core.cache import cache
from pytest_django import Settings

from apps.cases.models import Artifact, Bundle, Case, Failure
from apps.ingest.scheduling import storage_back
from tests.builders import People, make_artifact, make_bundle, make_case

pytestmark = pytest.mark.django_db
Sent = list[tuple[str, int]]


@pytest.fixture
def case(folk: People) -> Case:
    cache.clear()
    return make_case(folk.team)


def failed_file(case: Case, failure: Failure = Failure.STORAGE, attempts: int = 1) -> Artifact:
    return make_artifact(
        make_bundle(case), failure=failure, message="Words for people.", attempts=attempts, state="failed"
    )


def tried_again(*, later_s: float = 3600) -> Sent:
    """Seen as failed once, and so much later."""
    sent: Sent = []
    with pytest.MonkeyPatch.context() as patch:
        now = time.time()
        sweep(sent)
        patch.setattr("apps.ingest.scheduling.storage_back.time.time", lambda: now + later_s)
        sweep(sent)
    return sent


def sweep(sent: Sent) -> None:
    storage_back.try_again(lambda pk, _: sent.append(("file", pk)), lambda pk, _: sent.append(("upload", pk)))


def test_files_and_uploads_go_on_once_the_storage_is_back(case: Case) -> None:
    file = failed_file(case)
    upload = make_bundle(case, state=Bundle.State.FAILED, failure=Failure.STORAGE, attempts=1)
    assert tried_again() == [("upload", upload.pk), ("file", file.pk)]
    file.refresh_from_db()
    upload.refresh_from_db()
    assert (file.state, file.failure, file.message, file.attempts) == ("queued", "", "", 1)
    assert (upload.state, upload.failure, upload.message, upload.attempts) == ("received", "", "", 1)
    assert tried_again() == []


def test_what_failed_is_shown_for_the_time_of_a_lease(case: Case, settings: Settings) -> None:
    file = failed_file(case)
    assert tried_again(later_s=settings.LIMITS.lease_s - 2) == []
    cache.clear()
    assert tried_again(later_s=settings.LIMITS.lease_s + 1) == [("file", file.pk)]


def test_a_file_that_was_tried_as_often_as_allowed_keeps_its_message(case: Case, settings: Settings) -> None:
    spent = failed_file(case, attempts=settings.LIMITS.task_retries + 1)
    assert tried_again() == []
    spent.refresh_from_db()
    assert spent.state == "failed"


@pytest.mark.parametrize("failure", [failure for failure in Failure if failure != Failure.STORAGE])
def test_other_failures_are_left_to_people(case: Case, failure: Failure) -> None:
    failed_file(case, failure)
    make_bundle(case, state=Bundle.State.FAILED, failure=failure, attempts=1)
    assert tried_again() == []


def test_nothing_is_tried_while_the_storage_is_away(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> bool:
        raise NotADirectoryError

    file = failed_file(case)
    monkeypatch.setattr(storage_back, "storage_keeps_files", away)
    assert tried_again() == []
    file.refresh_from_db()
    assert file.state == "failed"
    monkeypatch.undo()
    assert tried_again() == [("file", file.pk)]
