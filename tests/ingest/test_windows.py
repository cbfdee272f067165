"""A huge file is read in windows by several tasks, and what is found is what one reading finds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from django.utils import timezone

from apps.cases import storage
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, BundleProblem, Case
from apps.diagnosis.engine.core.facts.store import Facts, Source
from apps.ingest import leases, tasks
from apps.ingest.models import ReadingWindow
from apps.ingest.reading import windows
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.operations import integrity
from apps.privacy.models import Credential
from parsers.records import Section
from parsers.records.waits import Waiter, WaiterShape
from tests.builders import People, make_case
from tests.parsers.dumps import scale_dumps

pytestmark = pytest.mark.django_db(transaction=True)  # leases are renewed through a connection of their own

WINDOW_BYTES = 128 << 10
DUMPS = 900
"""Some windows, in each of which waiters are so many that they are read in bulk from some line on."""
SHORT_BYTES = 64 << 10
SHORT_DUMPS = 300
"""As many windows, for tests of what becomes of windows and not of what is read in them."""
SECRET = b"db2 connect password=Xk29-vQp77zz\n"
OUTCOME = ("state", "message", "lines_total", "lines_understood", "lines_ignored", "lines_not_understood", "records",
    "formats", "nodes",
           "captured_us", "sections_n", "problems_n", "read_bytes")  # fmt: skip


@pytest.fixture
def case(folk: People) -> Case:
    return make_case(folk.team)


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows begin where a frame of the stored text begins: smaller ones spare reading megabytes in each test."""
    monkeypatch.setattr("apps.cases.storage.textblob.FRAME_BYTES", WINDOW_BYTES)


@pytest.fixture
def cut(settings: Any, small_frames: None, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LIMITS = replace(settings.LIMITS, window_bytes=SHORT_BYTES)
    monkeypatch.setattr("apps.cases.storage.textblob.FRAME_BYTES", SHORT_BYTES)


def some_dumps(count: int) -> bytes:
    return scale_dumps(count, every=1) + SECRET + b"Thu Nov 16 20:00:00 UTC 2023\n" + scale_dumps(50, every=1, seed=2)


@pytest.fixture(scope="module")
def text() -> bytes:
    return some_dumps(SHORT_DUMPS)


def queued(case: Case, content: bytes) -> Artifact:
    list(expand_bundle(store_bytes(case, content, filename="waiters.txt", user=None).pk))
    return case.artifacts.get()


def read_all(artifact: Artifact) -> list[ReadingWindow]:
    """As workers do, the last window first."""
    assert read_artifact(artifact.pk)
    found = windows.of(artifact.pk)
    for window in reversed(found):
        assert windows.are_open(artifact.pk)
        assert windows.read(window.pk) == artifact.pk
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    return found


def outcome(artifact: Artifact) -> dict[str, Any]:
    fields = {name: getattr(artifact, name) for name in OUTCOME}
    facts = Facts([Source(1, artifact.path, storage.local_path(artifact.facts))])
    shapes = facts.frame(WaiterShape).select("shape", "thread", "reason", "object")
    fields["waiters"] = facts.frame(Waiter).join(shapes, on="shape", how="left").drop("shape").rows()
    fields["sections"] = facts.frame(Section).drop("ignored").rows()
    fields["credentials"] = list(
        Credential.objects.filter(artifact=artifact).order_by("line").values_list("line", "sort")
    )
    return fields


def test_windows_find_what_one_reading_finds(case: Case, settings: Any) -> None:
    text = some_dumps(DUMPS)
    whole = queued(case, text)
    read_artifact(whole.pk)
    whole.refresh_from_db()
    expected = outcome(whole)
    assert expected["state"] == "partly", whole.message
    assert len(expected["waiters"]) > 4_900
    assert len(expected["credentials"]) == 1
    settings.LIMITS = replace(settings.LIMITS, window_bytes=WINDOW_BYTES)
    other = queued(make_case(case.team), text)
    assert len(read_all(other)) > 2
    assert outcome(other) == expected
    assert not windows.of(other.pk)
    assert storage.folders(f"cases/{other.case_id}/windows/") == []
    assert not read_artifact(other.pk)
    assert not list(integrity.faults())


def test_where_a_node_is_named_far_above_the_whole_is_read_in_one_go(
    case: Case, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(windows, "HEAD_BYTES", WINDOW_BYTES)
    settings.LIMITS = replace(settings.LIMITS, window_bytes=WINDOW_BYTES)
    far = (
        scale_dumps(20, every=1) + scale_dumps(400, every=0) + b"==== carp02 ====\n" + scale_dumps(650, every=0, seed=3)
    )
    artifact = queued(case, far)
    with caplog.at_level("INFO", logger="apps.ingest.reading.artifacts"):
        read_all(artifact)
    assert "windows do not join" in caplog.text
    assert (artifact.state, artifact.nodes) == ("parsed", [f"carp{n:02d}" for n in range(7)])
    waiters = pl.read_parquet(storage.local_path(artifact.facts) / "waiter-*.parquet")
    assert set(waiters["node"].tail(2_500)) == {"carp02"}


def test_a_window_without_records_stores_nothing_and_loses_nothing(case: Case, settings: Any) -> None:
    settings.LIMITS = replace(settings.LIMITS, window_bytes=64 << 10)
    artifact = queued(case, scale_dumps(240, every=1))
    assert read_artifact(artifact.pk)
    for window in windows.of(artifact.pk):
        windows.read(window.pk)
    named = [window.facts for window in windows.of(artifact.pk)]
    assert named[0] == ""  # a single line: the clock above the first dump
    assert storage.listing(named[1])
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.message) == ("parsed", "")
    assert (artifact.records or 0) > 1_000


def test_a_text_without_structure_is_read_in_one_go(case: Case, cut: None) -> None:
    artifact = queued(case, b"".join(b"zq%d|wv|%d\n" % (n, n) for n in range(40_000)))
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state == "skipped"


def test_while_windows_are_open_a_second_message_changes_nothing(case: Case, text: bytes, cut: None) -> None:
    artifact = queued(case, text)
    assert read_artifact(artifact.pk)
    first = windows.of(artifact.pk)[0]
    assert windows.read(first.pk) == artifact.pk
    assert windows.read(first.pk) is None
    assert not read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.attempts, artifact.lease_until) == ("reading", 0, None)


def test_a_window_that_fails_fails_its_file_and_the_file_can_be_tried_again(case: Case, text: bytes, cut: None) -> None:
    artifact = queued(case, text)
    read_artifact(artifact.pk)
    broken, *others = windows.of(artifact.pk)
    ReadingWindow.objects.filter(pk=broken.pk).update(attempts=9)
    for window in (broken, *others):
        windows.read(window.pk)
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.failure) == ("failed", "died")
    assert "worker died 9 times" in artifact.message
    assert BundleProblem.objects.filter(artifact=artifact).count() == 1
    assert storage.folders(f"cases/{case.pk}/windows/") == []
    Artifact.objects.filter(pk=artifact.pk).update(state="queued", attempts=0)
    read_all(artifact)
    assert (artifact.state, artifact.failure) == ("partly", "")


def test_windows_of_a_removed_upload_leave_nothing(case: Case, text: bytes, cut: None) -> None:
    artifact = queued(case, text)
    read_artifact(artifact.pk)
    left, *_ = windows.of(artifact.pk)
    windows.read(left.pk)
    assert storage.folders(f"cases/{case.pk}/windows/{artifact.pk}/")
    remove_bundle(artifact.bundle, by=None)
    assert storage.folders(f"cases/{case.pk}/windows/") == []
    assert windows.read(left.pk) is None


def test_what_a_killed_worker_left_of_windows_is_queued_again(
    case: Case, text: bytes, cut: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(
        tasks.read_window,
        "apply_async",
        lambda args, how=None, **_: sent.append(("turn" if how else "window", args[0])),
    )
    monkeypatch.setattr(tasks.read_artifact, "apply_async", lambda args, *_, **__: sent.append(("file", args[0])))
    artifact = queued(case, text)
    read_artifact(artifact.pk)
    first, second, *rest = windows.of(artifact.pk)
    ReadingWindow.objects.filter(pk=first.pk).update(state="reading", lease_until=timezone.now() - timedelta(minutes=2))
    Artifact.objects.filter(pk=artifact.pk).update(started_at=timezone.now() - timedelta(hours=1))
    tasks._sweep_windows(leases.ran_out())
    assert sent == [("window", first.pk), *(("turn", one.pk) for one in (second, *rest))]
    ReadingWindow.objects.filter(artifact=artifact).update(state="read")
    sent.clear()
    tasks._sweep_windows(leases.ran_out())
    assert sent == [("file", artifact.pk)]


@pytest.mark.usefixtures("inline", "cut")
def test_the_tasks_read_a_huge_file_from_upload_to_diagnosis(staff: People, text: bytes) -> None:
    case = make_case(staff.team)
    bundle = store_bytes(case, text, filename="waiters.txt", user=None)
    tasks.expand_bundle(bundle.pk)
    artifact = case.artifacts.get()
    assert (artifact.state, artifact.facts_generation) == ("partly", 1)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
