from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle, BundleProblem, Case
from apps.cases.services import CaseSummary, clear_diagnosis, create_case, next_key, set_diagnosis
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case, make_artifact, make_bundle, make_case, make_diagnosis, summary

pytestmark = pytest.mark.django_db


def test_keys_follow_each_other_and_pass_over_those_taken(folk: People) -> None:
    first = make_case(folk.team)
    number = int(first.key.removeprefix("CS-"))
    make_case(folk.team, key=f"CS-{number + 1}")
    assert next_key() == f"CS-{number + 2}"


@pytest.mark.parametrize("key", ["a b", "-x", "x/", "ä", "x" * 41, "x\n"])
def test_a_key_that_would_not_fit_an_address_is_refused(folk: People, key: str) -> None:
    with pytest.raises(DomainError):
        create_case(team=folk.team, title="x", key=key)


def test_a_key_is_given_once(folk: People) -> None:
    create_case(team=folk.team, title="x", key="SAMPLE-SCALE")
    with pytest.raises(DomainError):
        create_case(team=folk.other_team, title="x", key="SAMPLE-SCALE")


def test_names_and_state_are_changed_and_searched(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    url = reverse("cases:edit", args=[built.case.key])
    assert (
        client.post(url, {"title": " Mail spool ", "customer": "Fjord", "ticket": "7", "state": "waiting"}).status_code
        == 302
    )
    built.case.refresh_from_db()
    assert (built.case.title, built.case.customer, built.case.ticket, built.case.state) == (
        "Mail spool",
        "Fjord",
        "7",
        "waiting",
    )
    assert "fjord" in built.case.search_text
    assert "lund-n4" in built.case.search_text
    assert client.post(url, {"title": "", "state": "waiting"}).status_code == 422
    assert client.post(url, {"title": "x", "state": "sold"}).status_code == 422


def test_into_the_trash_and_back(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    client.force_login(folk.alice)
    assert client.post(reverse("cases:trash", args=[case.key])).status_code == 302
    assert not Case.objects.live().exists()
    assert client.post(reverse("cases:restore", args=[case.key])).status_code == 302
    assert Case.objects.live().get() == case
    assert list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True)) == [
        "case.created",
        "case.trashed",
        "case.restored",
    ]


def test_an_older_diagnosis_does_not_replace_a_newer_one(folk: People) -> None:
    case = make_case(folk.team)
    old = make_diagnosis(case, severity="low")
    new = make_diagnosis(case, severity="high")
    assert not set_diagnosis(case.pk, old, summary(old))
    case.refresh_from_db()
    assert (case.current_diagnosis, case.severity, case.nodes_n) == (new, "high", 2)
    assert not set_diagnosis(case.pk + 1, new, CaseSummary(verdict="", severity=""))
    clear_diagnosis(case.pk)
    case.refresh_from_db()
    assert (case.current_diagnosis, case.severity, case.verdict, case.nodes_n, case.spark) == (None, "", "", None, [])
    assert "lund-n4" not in case.search_text


def test_a_removed_bundle_leaves_nothing_behind(
    client: Client,
    folk: People,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(current_app, "send_task", lambda *args, **kwargs: sent.append((args, kwargs)))
    built = build_case(folk.team)
    client.force_login(folk.bob)
    url = reverse("cases:bundle_remove", args=[built.case.key, built.bundle.pk])
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(url).status_code == 302
    assert not Bundle.objects.exists()
    assert not Artifact.objects.exists()
    assert not storage.exists(built.bundle.stored)
    assert not storage.exists(built.artifact.blob)
    built.case.refresh_from_db()
    assert built.case.current_diagnosis is None
    assert sent == [(("ingest.diagnose_case",), {"args": [built.case.pk]})]
    assert AuditEvent.objects.filter(verb="bundle.removed", user=folk.bob).exists()


def test_what_another_upload_holds_too_stays(
    client: Client,
    folk: People,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.append((name, args)))
    built = build_case(folk.team)
    other = make_bundle(built.case, "again.tgz")
    twin = make_artifact(other, "again/waiters.txt", b"", blob="", lines_total=None, duplicate_of=built.artifact)
    third = make_artifact(other, "third/waiters.txt", b"", blob="", lines_total=None, duplicate_of=built.artifact)
    problem = BundleProblem.objects.create(
        bundle=built.bundle, artifact=built.artifact, path=built.artifact.path, line=3, message="cut"
    )
    blob = built.artifact.blob
    client.force_login(folk.bob)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("cases:bundle_remove", args=[built.case.key, built.bundle.pk]))
    twin.refresh_from_db()
    third.refresh_from_db()
    problem.refresh_from_db()
    assert (twin.blob, twin.duplicate_of, twin.lines_total) == (blob, None, 40)
    assert third.duplicate_of == twin
    assert (problem.artifact, problem.path) == (twin, "again/waiters.txt")
    assert storage.exists(blob)
    assert not storage.exists(built.bundle.stored)
    assert sent == [("ingest.diagnose_case", [built.case.pk])]


def test_the_same_upload_twice_survives_the_removal_of_either(
    folk: People, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    built = build_case(folk.team)
    again = make_bundle(built.case, "again.tgz", stored="", duplicate_of=built.bundle, state=Bundle.State.SKIPPED)
    with django_capture_on_commit_callbacks(execute=True):
        remove_bundle(built.bundle, by=folk.bob)
    again.refresh_from_db()
    assert (again.duplicate_of, again.state, again.stored) == (None, "expanded", built.bundle.stored)
    assert list(again.artifacts.all()) == [built.artifact]
    assert storage.exists(built.bundle.stored)


def test_the_database_keeps_the_law_of_the_lines(folk: People) -> None:
    from django.db import IntegrityError, transaction

    built: Built = build_case(folk.team)
    with pytest.raises(IntegrityError), transaction.atomic():
        Artifact.objects.filter(pk=built.artifact.pk).update(lines_understood=1)
