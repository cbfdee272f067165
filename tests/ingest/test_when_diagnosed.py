"""When a case is diagnosed and how often."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from apps.cases import storage
from apps.cases.models import Artifact, Case
from apps.diagnosis.engine import products
from apps.diagnosis.engine.core.findings import registry
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.services import collect_garbage, diagnose_case
from apps.ingest import leases, tasks
from apps.ingest.models import CaseReading
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.scheduling import diagnoses, held_case, turns
from apps.ingest.uploads.receive import store_bytes
from tests.builders import People, expired
from tests.ingest.material import bundle, tar, waiters
from tests.ingest.waiting import Waiting, case, queue, unpacked

__all__ = ["case", "queue"]  # fixtures
pytestmark = pytest.mark.django_db


def test_after_the_first_file_then_seldom_then_once_at_the_end(case: Case) -> None:
    first, second, third = unpacked(case)
    read_artifact(first.pk)
    assert diagnoses.claim_diagnosis(case.pk)
    read_artifact(second.pk)
    assert not diagnoses.claim_diagnosis(case.pk)
    CaseReading.objects.filter(case=case).update(asked_at=timezone.now() - timedelta(seconds=11))
    assert diagnoses.claim_diagnosis(case.pk)
    read_artifact(third.pk)
    assert diagnoses.claim_diagnosis(case.pk)
    assert not diagnoses.claim_diagnosis(case.pk)


def test_the_last_diagnosis_is_made_exactly_once(case: Case, queue: Waiting) -> None:
    for artifact in unpacked(case):
        tasks.read_artifact(artifact.pk)
    queued = queue.take()
    assert queued == [("diagnose_case", case.pk), ("diagnose_case", case.pk)]  # after the first file and after the last
    for _ in range(4):  # messages may come twice
        tasks.diagnose_case(case.pk)
    assert Diagnosis.objects.filter(case=case).count() == 1
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert not case.current_diagnosis.partial
    assert queue.take() == []
    assert not diagnoses.is_awaited(case.pk)
    assert diagnoses.overdue_cases() == []


def test_a_partial_diagnosis_says_so_and_the_whole_one_takes_its_place(case: Case, queue: Waiting) -> None:
    first, second, third = unpacked(case)
    tasks.read_artifact(first.pk)
    tasks.diagnose_case(case.pk)
    case.refresh_from_db()
    partial = case.current_diagnosis
    assert partial is not None
    assert (partial.partial, partial.files_read, partial.files_total) == (True, 1, 3)
    assert diagnoses.is_awaited(case.pk)
    for artifact in (second, third):
        tasks.read_artifact(artifact.pk)
    assert queue.take() == [("diagnose_case", case.pk), ("diagnose_case", case.pk)]
    tasks.diagnose_case(case.pk)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert (case.current_diagnosis.partial, case.current_diagnosis.files_read) == (False, 3)


def test_while_files_are_read_calm_is_no_verdict(case: Case) -> None:
    rows = (
        b"Waiting 0.0112 sec since 09:13:39, monitored, thread 4100 FileBlockRandomWriteFetchHandlerThread: "
        b"for I/O completion\n"
    )
    healthy = waiters(lines=0) + rows
    first, second = unpacked(case, tar({"a/w": healthy, "b/w": healthy.replace(b"oulu-n1", b"oulu-n2")}))
    for artifact, words in ((first, "Reading, 1 of 2 files, no verdict yet"), (second, "Nothing wrong found ")):
        tasks.read_artifact(artifact.pk)
        diagnose_case(case.pk)
        case.refresh_from_db()
        assert case.current_diagnosis is not None
        assert case.current_diagnosis.verdict_title.startswith(words)
        assert case.verdict == case.current_diagnosis.verdict_title
        assert case.severity == ("" if artifact == first else "info"), "what is not read yet weighs nothing"


def test_while_files_are_read_proven_harm_is_a_verdict(case: Case) -> None:
    first, *_ = unpacked(case)
    tasks.read_artifact(first.pk)
    diagnose_case(case.pk)
    case.refresh_from_db()
    partial = case.current_diagnosis
    assert partial is not None
    assert partial.partial
    assert partial.verdict_severity not in {"info", "low"}
    assert "no verdict yet" not in partial.verdict_title


def test_while_files_are_read_a_dump_that_is_not_there_yet_is_no_verdict(case: Case) -> None:
    wait = "Waiting {}.1 sec since 09:03:39, monitored, thread 41 NSDThread: for NSD I/O completion on node 10.4.0.9\n"
    text = waiters(lines=0).decode() + "".join(wait.format(600 + n) for n in range(3))
    first, second = unpacked(case, tar({"a/w": text.encode(), "b/w": text.replace("oulu-n1", "oulu-n2").encode()}))
    for artifact, words in ((first, "Reading, 1 of 2 files, no verdict yet"), (second, "there is no dump from that")):
        tasks.read_artifact(artifact.pk)
        diagnose_case(case.pk)
        case.refresh_from_db()
        assert words in case.verdict


def test_a_partial_diagnosis_that_waited_in_line_behind_another_is_left_out(case: Case, queue: Waiting) -> None:
    first, *_ = unpacked(case)
    tasks.read_artifact(first.pk)
    for _ in range(3):
        tasks.diagnose_case(case.pk)
    assert Diagnosis.objects.filter(case=case).count() == 1


def test_a_partial_diagnosis_that_took_long_leaves_the_workers_to_the_files(case: Case) -> None:
    unpacked(case)
    first = case.artifacts.order_by("pk")[0]
    read_artifact(first.pk)
    for took_s, claimed in ((1.0, True), (20.0, False)):
        begun = diagnoses.begin(case.pk)
        assert begun is not None
        diagnoses.note_end(case.pk, *begun, took_s=took_s)
        row = CaseReading.objects.get(case=case)
        assert row.asked_at is not None
        CaseReading.objects.filter(case=case).update(asked_at=row.asked_at - timedelta(seconds=30))
        assert diagnoses.claim_diagnosis(case.pk) is claimed


@pytest.mark.parametrize(("took_s", "claimed"), [(1.0, True), (600.0, False)])
def test_a_partial_diagnosis_that_would_outlast_the_reading_is_left_to_the_whole_one(
    case: Case, queue: Waiting, settings: Settings, took_s: float, claimed: bool
) -> None:
    settings.LIMITS = replace(settings.LIMITS, partial_diagnosis_s=0)
    first, second, third = unpacked(case)
    tasks.read_artifact(first.pk)
    tasks.diagnose_case(case.pk)
    tasks.read_artifact(second.pk)
    queue.take()
    Artifact.objects.filter(case=case, started_at__isnull=False).update(
        started_at=timezone.now() - timedelta(seconds=60)
    )
    CaseReading.objects.filter(case=case).update(took_s=took_s, asked_at=timezone.now() - timedelta(seconds=30))
    assert diagnoses.claim_diagnosis(case.pk) is claimed
    assert (diagnoses.begin(case.pk) is not None) is claimed
    CaseReading.objects.filter(case=case).update(lease_until=None, lease_by="")
    tasks.read_artifact(third.pk)
    assert queue.take() == [("diagnose_case", case.pk)]
    tasks.diagnose_case(case.pk)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert not case.current_diagnosis.partial


def test_how_long_a_diagnosis_took_and_of_how_much_is_kept(case: Case, queue: Waiting) -> None:
    first, *_ = unpacked(case)
    tasks.read_artifact(first.pk)
    tasks.diagnose_case(case.pk)
    first.refresh_from_db()
    row = CaseReading.objects.get(case=case)
    assert row.took_bytes == first.size > 0
    assert 0 < row.took_s < 60


def test_one_diagnosis_of_a_case_at_a_time(case: Case) -> None:
    read_artifact(unpacked(case)[0].pk)
    begun = diagnoses.begin(case.pk)
    assert begun is not None
    assert diagnoses.begin(case.pk) is None
    assert not diagnoses.claim_diagnosis(case.pk)  # nor is one queued meanwhile
    diagnoses.note_end(case.pk, *begun)
    CaseReading.objects.filter(case=case).update(asked_at=expired())
    assert diagnoses.claim_diagnosis(case.pk)


def test_files_that_settle_during_a_diagnosis_are_diagnosed_after_it(case: Case, queue: Waiting) -> None:
    first, second, third = unpacked(case)
    read_artifact(first.pk)
    begun = diagnoses.begin(case.pk)
    assert begun is not None
    tasks.read_artifact(second.pk)
    tasks.read_artifact(third.pk)
    assert queue.take() == [("diagnose_case", case.pk)]
    tasks.diagnose_case(case.pk)  # another is at it
    assert not Diagnosis.objects.filter(case=case).exists()
    diagnoses.note_end(case.pk, *begun)
    assert diagnoses.is_owed(case.pk)
    assert diagnoses.is_awaited(case.pk)


def test_removing_and_adding_as_many_files_is_a_new_state(case: Case) -> None:
    one = unpacked(case, waiters(), "a.txt")[0]
    read_artifact(one.pk)
    before = diagnoses.settled_name(case.pk)
    one.bundle.delete()
    two = unpacked(case, waiters("oulu-n2"), "b.txt")[0]
    read_artifact(two.pk)
    after = diagnoses.settled_name(case.pk)
    assert before != after
    assert "" not in {before, after}


def test_a_case_with_nothing_readable_is_settled_too(case: Case, queue: Waiting) -> None:
    made = store_bytes(case, b"PK\x05\x06" + bytes(18), filename="empty.zip", user=None)
    tasks.queue_bundle(made)
    tasks.expand_bundle(made.pk)
    assert ("diagnose_case", case.pk) in queue.take()
    tasks.diagnose_case(case.pk)
    assert not diagnoses.is_awaited(case.pk)
    assert made.problems.get().message == "The archive holds no files."


def test_a_bundle_that_adds_nothing_ends_the_partial_state_too(case: Case, queue: Waiting) -> None:
    for artifact in unpacked(case):
        tasks.read_artifact(artifact.pk)
    tasks.diagnose_case(case.pk)
    late = store_bytes(case, b"PK\x05\x06" + bytes(18), filename="empty.zip", user=None)
    diagnoses.note_change(case.pk)
    CaseReading.objects.filter(case=case).update(asked_at=expired())
    assert diagnoses.claim_diagnosis(case.pk)  # while the bundle is open
    diagnose_case(case.pk)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert case.current_diagnosis.partial
    queue.take()
    tasks.expand_bundle(late.pk)
    assert queue.take() == [("diagnose_case", case.pk)]


def test_a_removed_bundle_is_diagnosed_away(
    client: Client,
    folk: People,
    case: Case,
    queue: Waiting,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    for name, node in (("a.txt", "oulu-n1"), ("b.txt", "oulu-n2")):
        for artifact in unpacked(case, waiters(node), name):
            tasks.read_artifact(artifact.pk)
    tasks.diagnose_case(case.pk)
    queue.take()
    client.force_login(folk.bob)
    for left in (["oulu-n1"], []):
        gone = case.bundles.order_by("-pk").first()
        assert gone is not None
        with django_capture_on_commit_callbacks(execute=True):
            client.post(reverse("cases:bundle_remove", args=[case.key, gone.pk]))
        assert queue.take() == [("diagnose_case", case.pk)]
        tasks.diagnose_case(case.pk)
        case.refresh_from_db()
        found = case.current_diagnosis.summary["nodes"] if case.current_diagnosis else []
        assert [node["name"] for node in found] == left
        assert not diagnoses.is_awaited(case.pk)
        assert diagnoses.overdue_cases() == []
    assert not Diagnosis.objects.filter(case=case).exists()
    assert storage.folders(f"cases/{case.pk}/views/") == []


def test_a_broken_rule_is_noted_and_the_others_go_on(case: Case) -> None:
    for artifact in unpacked(case):
        read_artifact(artifact.pk)
    whole = diagnose_case(case.pk)
    some_ref = next(iter(products.rules()))

    def broken(*_: object) -> Any:
        raise ZeroDivisionError("secret words of a customer")

    kept = products.rules()[some_ref]
    products.rules()[some_ref] = registry.Rule(some_ref, broken, (), ())
    try:
        row = diagnose_case(case.pk)
    finally:
        products.rules()[some_ref] = kept
    assert row is not None
    assert whole is not None
    noted = [item for item in row.summary["missing"] if item["what"] == f"rule {some_ref}"]
    assert [item["why"] for item in noted] == ["it failed (ZeroDivisionError); its question is open"]
    assert "secret" not in json.dumps(row.summary)
    assert {f.ref for f in whole.findings.all()} - {some_ref} <= {f.ref for f in row.findings.all()}


def test_a_diagnosis_that_fails_is_reported_and_can_be_requested_again(
    client: Client,
    folk: People,
    case: Case,
    queue: Waiting,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    tasks.read_artifact(artifact.pk)
    artifact.refresh_from_db()
    part = min(storage.local_path(artifact.facts).glob("waiter-*.parquet"))
    content = part.read_bytes()
    part.write_bytes(b"no parquet")
    tasks.diagnose_case(case.pk)
    client.force_login(folk.bob)
    page = client.get(reverse("ingest:reading", args=[case.key]))
    assert page.status_code == 286
    assert "The diagnosis failed (" in page.content.decode()
    assert diagnoses.overdue_cases() == []
    part.write_bytes(content)
    queue.take()
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(reverse("ingest:diagnose_again", args=[case.key])).status_code == 302
    assert queue.take() == [("diagnose_case", case.pk)]
    tasks.diagnose_case(case.pk)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert diagnoses.failure_of(case.pk) == ""


def test_a_diagnosis_that_kills_every_worker_ends(case: Case) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    read_artifact(artifact.pk)
    diagnoses.claim_diagnosis(case.pk)
    CaseReading.objects.filter(case=case).update(attempts=4, lease_by="dead", lease_until=expired())
    assert held_case.diagnose_held_case(case.pk)
    assert "its worker died 4 times" in diagnoses.failure_of(case.pk)
    assert not Diagnosis.objects.filter(case=case).exists()
    assert not diagnoses.is_awaited(case.pk)


def test_a_diagnosis_whose_lease_was_lost_is_not_put_in_place(case: Case) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    read_artifact(artifact.pk)

    def lost() -> None:
        raise leases.LeaseLostError

    with pytest.raises(leases.LeaseLostError):
        diagnose_case(case.pk, check=lost)
    assert not Diagnosis.objects.filter(case=case).exists()
    assert storage.folders(f"cases/{case.pk}/views/") == []


def test_a_case_that_is_gone_is_no_error(queue: Waiting) -> None:
    tasks.diagnose_case(987654321)
    tasks.read_artifact(987654321)
    tasks.expand_bundle(987654321)
    assert queue.take() == []


def test_replaced_diagnoses_are_collected_a_minute_later(case: Case) -> None:
    artifact = unpacked(case, waiters(), "w.txt")[0]
    read_artifact(artifact.pk)
    first, second = diagnose_case(case.pk), diagnose_case(case.pk)
    assert first is not None
    assert second is not None
    collect_garbage()
    assert Diagnosis.objects.filter(case=case).count() == 2
    assert len(storage.folders(f"cases/{case.pk}/views/")) == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("apps.diagnosis.services.REPLACED_S", -1)
        collect_garbage()
    assert list(Diagnosis.objects.filter(case=case)) == [second]
    assert storage.folders(f"cases/{case.pk}/views/") == [second.views]


def test_reading_stands_behind_all_else_in_the_queue(case: Case, queue: Waiting) -> None:
    made = store_bytes(case, bundle(), filename="snap.tgz", user=None)
    diagnoses.note_change(case.pk)
    tasks.expand_bundle(made.pk)
    tasks.diagnose_case.apply_async((case.pk,), queue="light")
    names = [name for name, _ in queue.take()]
    assert names.index("diagnose_case") == 0
    assert names.count("read_artifact") == 3


def test_a_large_bundle_gives_its_first_verdict_while_its_huge_files_wait(
    case: Case, queue: Waiting, settings: Settings
) -> None:
    settings.LIMITS = replace(django_settings.LIMITS, light_bytes=1)
    huge = waiters("oulu-n1") * 2_000
    assert len(huge) > tasks.FIRST_LOOK_BYTES
    made = store_bytes(
        case,
        tar({"a/huge": huge, "b/README": b"read me\n", "c/w": waiters("oulu-n2"), "d/w": waiters("oulu-n3")}),
        filename="s.tgz",
        user=None,
    )
    diagnoses.note_change(case.pk)
    tasks.expand_bundle(made.pk)
    case.refresh_from_db()
    partial = case.current_diagnosis
    assert partial is not None
    assert partial.partial
    assert partial.findings.exists()
    unread = made.artifacts.filter(state=Artifact.State.QUEUED)
    assert sorted(unread.values_list("path", flat=True)) == ["s.tgz!a/huge", "s.tgz!d/w"]
    assert sorted(queue.take()) == sorted(("read_artifact", pk) for pk in unread.values_list("pk", flat=True))


def test_large_work_has_a_queue_of_its_own() -> None:
    assert turns.queue_for((20 << 20) - 1) == "light"
    assert turns.queue_for(20 << 20) == "heavy"


def test_the_pause_between_partial_diagnoses_is_a_setting(case: Case, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, partial_diagnosis_s=3600)
    first, *_ = unpacked(case)
    read_artifact(first.pk)
    assert diagnoses.claim_diagnosis(case.pk)
    CaseReading.objects.filter(case=case).update(asked_at=expired(minutes=50))
    assert not diagnoses.claim_diagnosis(case.pk)
