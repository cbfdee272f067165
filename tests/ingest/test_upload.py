"""Uploading, by script and by form, to a new case and to one that is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.services import trash_case
from tests.builders import People, make_case, person
from tests.ingest.material import bundle, send, tar, waiters


def test_the_page_says_limits_and_formats_before_anything_is_sent(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    page = client.get(reverse("ingest:upload")).content.decode()
    assert "20 GiB" in page
    assert "Files in a bundle" in page
    assert "mmdiag" in page
    assert 'data-max-bytes="21474836480"' in page
    assert 'enctype="multipart/form-data"' in page


def test_a_bundle_for_a_new_case_is_read_and_diagnosed(client: Client, staff: People) -> None:
    client.force_login(staff.bob)
    answer = send(
        client, bundle(), team="lund-storage", title="Writers hang at oulu", customer="Oulu Lab", ticket="T-77"
    )
    case = Case.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {"fields": {"case": case.key}, "url": f"/cases/{case.key}/upload/?then=case", "message": ""}
    assert (case.title, case.customer, case.ticket, case.created_by) == (
        "Writers hang at oulu",
        "Oulu Lab",
        "T-77",
        staff.bob,
    )
    assert list(case.artifacts.values_list("path", "state", "lines_total", "lines_not_understood").order_by("pk")) == [
        (f"oulu-snap.tar.gz!oulu-n{n}/waiters.txt", "parsed", 25, 0) for n in (1, 2, 3)
    ]
    diagnosis = case.current_diagnosis
    assert diagnosis is not None
    assert (diagnosis.partial, diagnosis.files_read, diagnosis.files_total) == (False, 3, 3)
    assert case.products == ["spectrum-scale"]
    assert case.nodes_n == 3
    assert case.longest_s == pytest.approx(61.0)
    assert case.verdict == diagnosis.verdict_title != ""
    assert AuditEvent.objects.filter(verb="bundle.uploaded", case=case, user=staff.bob).count() == 1


def test_the_next_files_name_the_case_that_the_first_one_made(client: Client, staff: People) -> None:
    client.force_login(staff.bob)
    key = send(client, waiters(), "node1.txt", team="lund-storage").json()["fields"]["case"]
    again = send(client, waiters("oulu-n2"), "node2.txt", team="lund-storage", case=key)
    assert again.status_code == 201
    case = Case.objects.get()
    assert case.title == "node1.txt"
    assert case.bundles.count() == 2
    assert case.current_diagnosis is not None
    assert case.current_diagnosis.files_total == 2


def test_a_form_without_javascript_sends_several_files_and_a_transcript_at_once(client: Client, staff: People) -> None:
    client.force_login(staff.bob)
    files = [SimpleUploadedFile("a.txt", waiters()), SimpleUploadedFile("b.txt", waiters("oulu-n2"))]
    text = waiters("oulu-n3").decode()
    answer = client.post(
        reverse("ingest:upload"), {"file": files, "transcript": text, "team": "lund-storage", "title": "Three"}
    )
    case = Case.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/cases/{case.key}/upload/")
    assert [b.filename for b in case.bundles.order_by("pk")] == ["a.txt", "b.txt", "pasted-transcript.txt"]
    assert case.nodes_n == 3


def test_a_pasted_transcript_alone_makes_a_case(client: Client, staff: People) -> None:
    client.force_login(staff.bob)
    client.post(reverse("ingest:upload"), {"transcript": waiters().decode(), "team": "lund-storage"})
    case = Case.objects.get()
    assert case.title == "Pasted transcript"
    assert case.artifacts.get().state == "parsed"


def test_files_join_a_case_that_is_there(client: Client, staff: People) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    assert send(client, waiters(), "one.txt", to=case).status_code == 201
    assert send(client, b"", "nothing.txt", to=case).status_code == 201
    empty = case.artifacts.get(path="nothing.txt")
    assert (empty.state, empty.message) == ("skipped", "The file is empty.")


def test_a_folder_keeps_its_paths_and_hostile_names_are_shown_harmless(client: Client, staff: People) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    for number, name in enumerate(
        ("snap/n1/waiters.txt", "../../etc/passwd", "C:\\dumps\\w.txt", "a\x01b\u202e.txt", "<b>x</b>.txt", "n" * 3000)
    ):
        assert send(client, waiters(first=50.0 + number), name, to=case).status_code == 201
    shown = list(case.bundles.order_by("pk").values_list("filename", flat=True))
    assert shown[:5] == ["snap/n1/waiters.txt", "etc/passwd", "dumps/w.txt", "a_b.txt", "<b>x</b>.txt"]
    assert len(shown[5]) <= 1024
    assert not any(Path(name).name in {"passwd", "w.txt"} for name in storage.listing(f"cases/{case.pk}/bundles/"))
    for url in ("ingest:add", "cases:files"):
        page = client.get(reverse(url, args=[case.key])).content.decode()
        assert "<b>x</b>" not in page
        assert "&lt;b&gt;x&lt;/b&gt;.txt" in page


def test_the_same_upload_twice_is_reported_and_not_kept_twice(client: Client, staff: People) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    content = bundle()
    send(client, content, "first.tgz", to=case)
    answer = send(client, content, "second.tgz", to=case)
    assert answer.json()["message"] == "Already in this case: the same bytes as first.tgz. It is not read again."
    second = case.bundles.get(filename="second.tgz")
    assert (second.state, second.stored, second.artifacts.count()) == (Bundle.State.SKIPPED, "", 0)
    assert len(storage.listing(f"cases/{case.pk}/bundles/")) == 1
    assert case.artifacts.count() == 3
    assert "the same bytes as first.tgz" in client.get(reverse("ingest:add", args=[case.key])).content.decode()


def test_the_same_file_in_another_bundle_is_counted_once(client: Client, staff: People) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    send(client, bundle(2), "first.tgz", to=case)
    send(
        client,
        tar({"again/w.txt": waiters("oulu-n1", first=40.0), "new/w.txt": waiters("oulu-n9")}),
        "second.tgz",
        to=case,
    )
    again = case.artifacts.get(path="second.tgz!again/w.txt")
    assert again.state == Artifact.State.SKIPPED
    assert again.message == "The same bytes as first.tgz!oulu-n1/waiters.txt: counted once."
    assert again.duplicate_of == case.artifacts.get(path="first.tgz!oulu-n1/waiters.txt")
    assert case.artifacts.get(path="second.tgz!new/w.txt").state == Artifact.State.PARSED
    diagnosis = Case.objects.get(pk=case.pk).current_diagnosis
    assert diagnosis is not None
    assert diagnosis.files_total == 3
    assert "The same bytes as" in client.get(reverse("cases:files", args=[case.key])).content.decode()


def test_the_same_bytes_in_another_case_are_another_matter(client: Client, staff: People) -> None:
    client.force_login(staff.bob)
    for title in ("one", "two"):
        assert send(client, waiters(), "w.txt", team="lund-storage", title=title).json()["message"] == ""
    assert [a.state for a in Artifact.objects.all()] == ["parsed", "parsed"]


def test_an_upload_over_the_limit_is_refused_in_words(client: Client, folk: People, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, upload_bytes=3 << 20)
    client.force_login(folk.bob)
    answer = send(client, b"x" * (3 << 20) + b"y", team="lund-storage")
    assert answer.status_code == 413
    assert (
        answer.content.decode() == "This upload is larger than the limit of 3 MiB for one upload. Send it in parts.\n"
    )
    assert not Case.objects.exists()
    announced = send(client, b"x" * (5 << 20), team="lund-storage")
    assert announced.status_code == 413
    assert "the limit of 3 MiB" in announced.content.decode()
    page = client.get(reverse("ingest:upload")).content.decode()
    assert 'data-max-bytes="3145728"' in page


def test_nothing_at_all_is_refused_in_words(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    for fields in ({}, {"transcript": "  \n "}):
        answer = client.post(
            reverse("ingest:upload"), {"team": "lund-storage", **fields}, headers={"Accept": "application/json"}
        )
        assert (answer.status_code, answer.content) == (422, b"Choose at least one file, or paste a transcript.\n")
    page = client.post(reverse("ingest:upload"), {"team": "lund-storage"}, headers={"Accept": "text/html"})
    assert page.status_code == 422
    assert "Choose at least one file" in page.content.decode()
    assert not Case.objects.exists()


@pytest.mark.parametrize("team", ["perth-storage", "no-such-team", ""])
def test_a_team_of_others_is_refused(client: Client, folk: People, team: str) -> None:
    client.force_login(folk.bob)
    answer = send(client, waiters(), "w.txt", team=team)
    assert answer.status_code == 422
    assert answer.content.decode().startswith("Team: ")
    assert not Case.objects.exists()


def test_a_title_with_a_nul_is_refused_and_not_a_server_error(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    answer = send(client, waiters(), "w.txt", team="lund-storage", title="a\x00b")
    assert answer.status_code == 400
    assert not Case.objects.exists()


def test_who_may_only_read_is_informed(client: Client, folk: People) -> None:
    viewer = person("vera", folk.team, Role.VIEWER)
    case = make_case(folk.team)
    client.force_login(viewer)
    page = client.get(reverse("ingest:upload"))
    assert "You may not upload yet" in page.content.decode()
    refused = send(client, waiters(), team="lund-storage")
    assert refused.status_code == 422
    assert "in no team that may open cases" in refused.content.decode()
    assert send(client, waiters(), to=case).status_code == 403
    assert send(client, waiters(), team="lund-storage", case=case.key).status_code == 403


def test_a_stranger_can_not_add_to_a_case_by_naming_it(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    client.force_login(folk.charlie)
    assert send(client, waiters(), team="perth-storage", case=case.key).status_code == 404
    assert send(client, waiters(), to=case).status_code == 404
    assert not case.bundles.exists()


def test_a_session_that_ended_is_reported_to_the_script_and_not_taken_for_success(client: Client, folk: People) -> None:
    answer = send(client, waiters(), team="lund-storage")
    assert (answer.status_code, answer.content) == (401, b"Your session has ended. Sign in again.\n")
    large = client.post(reverse("ingest:upload"), {"file": SimpleUploadedFile("x.bin", b"x" * (2 << 20))})
    assert large.status_code == 401


def test_a_case_in_the_trash_takes_no_files(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    trash_case(case, by=folk.alice)
    client.force_login(folk.alice)
    for answer in (send(client, waiters(), to=case), send(client, waiters(), team="lund-storage", case=case.key)):
        assert answer.status_code == 409
        assert "in the trash" in answer.content.decode()
    assert not case.bundles.exists()


def test_the_upload_page_offers_cases_of_ones_own_teams_and_the_one_named(client: Client, folk: People) -> None:
    own = make_case(folk.team, "Own <i>case</i>")
    foreign = make_case(folk.other_team, "Foreign case")
    client.force_login(folk.bob)
    page = client.get(reverse("ingest:upload"), {"case": own.key}).content.decode()
    assert f'<option value="{own.key}" selected>' in page
    assert "Own &lt;i&gt;case&lt;/i&gt;" in page
    assert foreign.key not in page


def test_a_storage_without_room_keeps_nothing_and_says_so(
    client: Client, folk: People, settings: Settings, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.write_text("not a folder")
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {**settings.STORAGES["default"], "OPTIONS": {"location": full / "x"}},
    }
    client.force_login(folk.bob)
    answer = send(client, waiters(), team="lund-storage")
    assert answer.status_code == 507
    assert "storage of files cannot be reached" in answer.content.decode()
    assert str(tmp_path) not in answer.content.decode()
    assert not Case.objects.exists()
    assert not Bundle.objects.exists()


@pytest.mark.parametrize("size", [100, 3 << 20])
def test_room_is_kept_on_the_disk_whatever_the_way_of_sending(
    client: Client, folk: People, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Forms in memory and in a file; pieces are refused before the first of them."""
    client.force_login(folk.bob)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=(256 << 20) - 1))
    answer = send(client, b"x" * size, team="lund-storage")
    assert (answer.status_code, "The administrator has to free room" in answer.content.decode()) == (507, True)
    assert not Case.objects.exists()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=(260 << 20)))
    assert send(client, b"x" * size, team="lund-storage").status_code == 201


@pytest.fixture
def no_broker() -> Iterator[None]:
    """A queue that nobody answers; nothing is tried twice."""
    was = current_app.conf.broker_write_url
    current_app.conf.update(broker_write_url="redis+socket:///nowhere/queue.sock", task_publish_retry=False)
    vars(current_app.amqp)["_producer_pool"] = None
    yield
    current_app.conf.update(broker_write_url=was, task_publish_retry=True)
    vars(current_app.amqp)["_producer_pool"] = None


def test_a_broker_that_is_away_loses_no_upload(
    client: Client, folk: People, no_broker: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    client.force_login(folk.bob)
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        answer = send(client, waiters(), "w.txt", team="lund-storage")
    assert answer.status_code == 201
    assert len(callbacks) == 1
    assert Bundle.objects.get().state == Bundle.State.RECEIVED
