"""What does not belong together is told, each kind by its name, and nothing else is."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.cases import storage
from apps.cases.models import Artifact, Bundle
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads.receive import store_text
from apps.operations.integrity import faults
from tests.builders import Built, People, build_case, make_case

WAITERS = (
    "=== mmdiag: waiters ===\nWaiting 12.5000 sec since 10:14:47, monitored, thread 4711 NSDThread: for I/O "
    "completion on disk dm-7\n"
)


@pytest.fixture
def built(staff: People) -> Built:
    return build_case(staff.team)


def faults_found() -> list[tuple[str, str]]:
    return [(fault.kind, fault.about) for fault in faults()]


def make_old(name: str) -> None:
    an_hour_and_more = (timezone.now() - timedelta(hours=2)).timestamp()
    os.utime(storage.local_path(name), (an_hour_and_more, an_hour_and_more))


def read_case(staff: People) -> Artifact:
    case = make_case(staff.team)
    queue_bundle(store_text(case, WAITERS, user=staff.alice))
    return Artifact.objects.exclude(facts="").get(case=case)


def test_a_case_that_went_through_the_pipeline_has_no_fault(staff: People) -> None:
    read_case(staff)
    assert faults_found() == []
    call_command("check_integrity")


def test_a_diagnosis_without_anything_to_draw_has_no_files_and_no_fault(staff: People) -> None:
    case = make_case(staff.team)
    queue_bundle(store_text(case, "A text in which nothing is recognised.\n", user=staff.alice))
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    assert case.current_diagnosis.views == ""
    assert faults_found() == []


def gone_text(one: Artifact) -> tuple[str, str]:
    storage.delete(one.blob)
    return "missing", f"file {one.pk}"


def gone_facts(one: Artifact) -> tuple[str, str]:
    storage.delete_prefix(one.facts)
    return "missing", f"file {one.pk}"


def gone_bundle(one: Artifact) -> tuple[str, str]:
    storage.delete(one.bundle.stored)
    return "missing", f"bundle {one.bundle_id}"


def short_bundle(one: Artifact) -> tuple[str, str]:
    Path(storage.local_path(one.bundle.stored)).write_bytes(b"half")
    return "size", f"bundle {one.bundle_id}"


def gone_views(one: Artifact) -> tuple[str, str]:
    shown = one.case.current_diagnosis
    assert shown is not None
    storage.delete_prefix(shown.views)
    return "missing", f"diagnosis {shown.pk}"


def orphan(one: Artifact) -> tuple[str, str]:
    name = storage.save(f"{storage.case_prefix(one.case_id)}texts/", io.BytesIO(b"nobody's"))
    make_old(name)
    return "orphan", name


def case_less(one: Artifact) -> tuple[str, str]:
    name = storage.save("cases/987654/bundles/", io.BytesIO(b"nobody's"))
    make_old(name)
    return "orphan", name


def stuck(one: Artifact) -> tuple[str, str]:
    Artifact.objects.filter(pk=one.pk).update(state="reading", lease_until=timezone.now() - timedelta(days=1))
    return "stuck", f"file {one.pk}"


BREAKERS = (gone_text, gone_facts, gone_bundle, short_bundle, gone_views, orphan, case_less, stuck)


@pytest.mark.parametrize("broken", BREAKERS, ids=lambda one: one.__name__)
def test_each_fault_is_reported_alone(staff: People, broken: Callable[[Artifact], tuple[str, str]]) -> None:
    one = Artifact.objects.select_related("bundle", "case__current_diagnosis").get(pk=read_case(staff).pk)
    expected = broken(one)
    assert faults_found() == [expected]


def test_a_file_of_this_hour_may_be_work_under_way(built: Built) -> None:
    storage.save(f"{storage.case_prefix(built.case.pk)}bundles/", io.BytesIO(b"being received"))
    assert [kind for kind, _ in faults_found()] == []


def test_orphans_are_removed_on_demand_and_nothing_else(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    name = storage.save(f"{storage.case_prefix(built.case.pk)}bundles/", io.BytesIO(b"nobody's"))
    make_old(name)
    for kept in (built.bundle.stored, built.artifact.blob):
        make_old(kept)
    with pytest.raises(SystemExit, match="1"):
        call_command("check_integrity")
    assert storage.exists(name)
    with pytest.raises(SystemExit, match="1"):
        call_command("check_integrity", "--remove-orphans")
    assert not storage.exists(name)
    assert storage.exists(Bundle.objects.get(pk=built.bundle.pk).stored)
    assert storage.exists(built.artifact.blob)
    call_command("check_integrity")
    assert "belong together" in capsys.readouterr().out
