"""A case that goes to the trash, or for good, while it is unpacked and read: the work stops, and goes on when it is
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.cases import storage
from apps.cases.lifetime.keeping import remove_case
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.services import restore_case, trash_case
from apps.diagnosis.models import Diagnosis
from apps.ingest import tasks
from apps.ingest.models import ReadingWindow
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.scheduling import diagnoses
from apps.ingest.scheduling.held_case import diagnose_held_case
from apps.ingest.uploads.receive import store_bytes
from tests import commits
from tests.builders import People, expired
from tests.ingest.material import tar, waiters
from tests.ingest.waiting import Waiting, case, queue, unpacked

__all__ = ["case", "queue"]  # fixtures
pytestmark = pytest.mark.django_db
MANY = {f"n{n}/waiters.txt": waiters(f"oulu-n{n}") for n in range(6)}
Stop = Callable[[Case], Any]


def into_trash(case: Case) -> None:
    trash_case(case, by=None)


def for_good(case: Case) -> None:
    remove_case(case, by=None, why="a test")


@pytest.fixture(autouse=True)
def committed() -> Iterator[None]:
    with commits.within_the_test():
        yield


@pytest.mark.parametrize("stop", [into_trash, for_good])
def test_unpacking_ends_with_the_file_at_hand(case: Case, stop: Stop) -> None:
    made = store_bytes(case, tar(MANY), filename="snap.tgz", user=None)
    seen = 0
    for _ in expand_bundle(made.pk):
        seen += 1
        if seen == 2:
            stop(case)
    assert seen == 2
    assert Artifact.objects.count() == (2 if stop is into_trash else 0)
    if stop is for_good:
        assert not storage.folders(storage.case_prefix(case.pk)) or not storage.listing(
            f"{storage.case_prefix(case.pk)}texts/"
        )


def test_nothing_of_a_case_in_the_trash_is_begun_swept_or_judged(case: Case, queue: Waiting) -> None:
    files = unpacked(case, tar(MANY))
    later = store_bytes(case, tar({"x.txt": waiters("oulu-x")}), filename="later.tgz", user=None)
    Bundle.objects.update(uploaded_at=expired(minutes=600))
    left = files[0]
    Artifact.objects.filter(pk=left.pk).update(state="reading", lease_until=expired(), lease_by="dead")
    window = ReadingWindow.objects.create(artifact=left, number=0, first_line=1)
    trash_case(case, by=None)
    assert not read_artifact(files[1].pk)
    assert list(expand_bundle(later.pk)) == []
    assert not diagnose_held_case(case.pk)
    tasks.read_window(window.pk)
    for _ in range(2):
        tasks.sweep()
    assert queue.take() == []
    assert list(diagnoses.overdue_cases()) == []
    assert set(Artifact.objects.exclude(pk=left.pk).values_list("state", flat=True)) == {"queued"}
    assert not Diagnosis.objects.exists()


def test_what_was_stopped_goes_on_when_the_case_is_back(case: Case, folk: People, queue: Waiting) -> None:
    files = unpacked(case, tar(MANY))
    later = store_bytes(case, tar({"x.txt": waiters("oulu-x")}), filename="later.tgz", user=None)
    trash_case(case, by=folk.alice)
    restore_case(case, by=folk.alice)
    assert queue.take() == [("resume_case", case.pk)]
    tasks.resume_case(case.pk)
    waiting = queue.take()
    assert ("expand_bundle", later.pk) in waiting
    single = {("read_artifact", file.pk) for file in files if file.batch is None}
    assert single | {("read_batch", file.batch) for file in files if file.batch is not None} <= set(waiting)
    while waiting:
        for task, *arguments in waiting:
            getattr(tasks, task)(*arguments)
        waiting = queue.take()
    assert case.artifacts.count() == len(MANY) + 1
    assert set(case.artifacts.values_list("state", flat=True)) == {"parsed"}
    assert set(case.bundles.values_list("state", flat=True)) == {"expanded"}
    assert Diagnosis.objects.filter(case=case).exists()


def test_a_file_that_is_read_meanwhile_leaves_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    [file] = unpacked(case, tar({"n1/waiters.txt": waiters()}))
    whole = storage.open_file

    def opened(name: str) -> Any:
        trash_case(case, by=None)
        return whole(name)

    monkeypatch.setattr("apps.ingest.reading.artifacts.storage.open_file", opened)
    assert not read_artifact(file.pk)
    file.refresh_from_db()
    assert (file.state, file.facts) == ("reading", "")
    assert storage.folders(f"{storage.case_prefix(case.pk)}facts/{file.pk}/") == []


def test_the_lease_is_taken_by_one_statement_on_one_table(case: Case) -> None:
    """With a join two workers could take the same file."""
    [file] = unpacked(case, tar({"n1/waiters.txt": waiters()}))
    with CaptureQueriesContext(connection) as queries:
        read_artifact(file.pk)
    taken = next(one["sql"] for one in queries if one["sql"].startswith("UPDATE") and "attempts" in one["sql"])
    assert "EXISTS" in taken
    assert '"cases_artifact"."id" IN' not in taken
