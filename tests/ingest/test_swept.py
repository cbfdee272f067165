"""What the sweeper finds and queues again."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from pytest_django import Settings

from apps.cases.models import Artifact, Bundle, Case
from apps.ingest import tasks
from apps.ingest.models import CaseReading
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.scheduling import diagnoses, queue_mark
from tests.builders import People, build_case, expired, make_bundle
from tests.ingest.material import waiters
from tests.ingest.waiting import Waiting, case, queue, unpacked

__all__ = ["case", "queue"]  # fixtures
pytestmark = pytest.mark.django_db


def test_what_a_killed_worker_held_is_queued_again_and_not_twice(folk: People, queue: Waiting) -> None:
    built = build_case(folk.team)
    bundle = make_bundle(built.case, "b.tgz", state=Bundle.State.EXPANDING, lease_until=expired(), lease_by="dead")
    Artifact.objects.filter(pk=built.artifact.pk).update(state="reading", lease_until=expired(), lease_by="dead")
    for _ in range(5):
        tasks.sweep()
    assert sorted(queue.take()) == [("expand_bundle", bundle.pk), ("read_artifact", built.artifact.pk)]


def test_what_is_held_or_waits_in_line_is_left_alone(folk: People, queue: Waiting) -> None:
    built = build_case(folk.team)
    later = timezone.now() + timedelta(seconds=30)
    make_bundle(built.case, "b.tgz", state=Bundle.State.EXPANDING, lease_until=later, lease_by="alive")
    make_bundle(built.case, "c.tgz", state=Bundle.State.RECEIVED)
    Artifact.objects.filter(pk=built.artifact.pk).update(state="queued")
    tasks.sweep()
    assert queue.take() == []


def test_a_bundle_or_file_whose_message_was_lost_is_queued_in_the_end(folk: People, queue: Waiting) -> None:
    built = build_case(folk.team)
    lost = make_bundle(built.case, "c.tgz", state=Bundle.State.RECEIVED, uploaded_at=expired())
    Artifact.objects.filter(pk=built.artifact.pk).update(state="queued")
    Bundle.objects.filter(pk=built.bundle.pk).update(uploaded_at=expired(minutes=60))
    for _ in range(3):
        tasks.sweep()
    assert sorted(queue.take()) == [("expand_bundle", lost.pk), ("read_artifact", built.artifact.pk)]


def test_a_queue_that_was_emptied_is_filled_again_at_once(folk: People, queue: Waiting) -> None:
    built = build_case(folk.team)
    waiting = make_bundle(built.case, "c.tgz", state=Bundle.State.RECEIVED)
    Artifact.objects.filter(pk=built.artifact.pk).update(state="queued")
    tasks.sweep()
    assert queue.take() == []
    queue._channel.client.delete(queue_mark.NAME)
    for _ in range(3):
        tasks.sweep()
    assert sorted(queue.take()) == [("expand_bundle", waiting.pk), ("read_artifact", built.artifact.pk)]


def test_a_lease_from_before_a_clock_was_set_back_does_not_hold_for_years(folk: People, queue: Waiting) -> None:
    built = build_case(folk.team)
    far = timezone.now() + timedelta(days=400)
    bundle = make_bundle(built.case, "b.tgz", state=Bundle.State.EXPANDING, lease_until=far, lease_by="ahead")
    tasks.sweep()
    assert queue.take() == [("expand_bundle", bundle.pk)]


def test_an_overdue_diagnosis_is_queued_again_and_not_twice(case: Case, queue: Waiting) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    tasks.read_artifact(artifact.pk)
    queue.take()  # lost
    tasks.sweep()
    assert queue.take() == []
    CaseReading.objects.filter(case=case).update(asked_at=expired(minutes=5))
    for _ in range(3):
        tasks.sweep()
    assert queue.take() == [("diagnose_case", case.pk)]


def test_a_case_whose_worker_died_before_it_requested_is_overdue_too(case: Case) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    read_artifact(artifact.pk)  # and no claim
    assert diagnoses.overdue_cases() == [case.pk]


def test_workspaces_of_killed_workers_are_removed(settings: Settings) -> None:
    folder = Path(django_settings.FILE_UPLOAD_TEMP_DIR)
    old, fresh, upload = folder / "facts-old", folder / "views-fresh", folder / "x.upload.gz"
    for path in (old, fresh):
        path.mkdir()
    upload.write_bytes(b"x")
    long_ago = time.time() - 3 * 24 * 3600
    for path in (old, upload):
        os.utime(path, (long_ago, long_ago))
    tasks.sweep()
    assert (old.exists(), fresh.exists(), upload.exists()) == (False, True, False)
    fresh.rmdir()


def test_a_sweep_takes_at_most_so_many(folk: People, queue: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    built = build_case(folk.team)
    for number in range(4):
        make_bundle(built.case, f"{number}.tgz", state=Bundle.State.EXPANDING, lease_until=expired())
    monkeypatch.setattr(tasks, "SWEPT_AT_ONCE", 3)
    tasks.sweep()
    assert len(queue.take()) == 3
