"""T42: a run of the retention removes all of a case and proves it; a legal hold wins."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.lifetime.keeping import hold_case
from apps.cases.lifetime.retention import retain, set_retention, stored_names
from apps.cases.models import Artifact, Bundle, Case, Note
from apps.cases.tasks import keep_within_retention
from apps.diagnosis.models import Diagnosis, Finding, SearchDocument
from apps.privacy.models import Credential, ProofError, RemovalProof, Retention
from apps.sharing.models import MaskedCase, ShareLink, StandIn
from apps.sharing.services import create_share_link
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case, person
from tests.shown import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folk(transactional_db: None) -> People:
    from tests.builders import people

    storage.delete_prefix("cases/")
    return people()


def old(built: Built, days: int = 40) -> None:
    Case.objects.filter(pk=built.case.pk).update(updated_at=timezone.now() - timedelta(days=days))


def full(folk: People, title: str = "Writers hang at Lund") -> Built:
    """A case with a row and a file of every sort."""
    built = build_case(folk.team, title, customer="Lund Lab")
    Note.objects.create(case=built.case, author=folk.alice, text="a note")
    Credential.objects.create(artifact=built.artifact, line=3, sort="private key")
    SearchDocument.objects.create(case=built.case, kind="node", text="lund-n3", folded="lund-n3")
    create_share_link(case=built.case, user=folk.alice, days=14, level="development")
    cached = Path(settings.VAR_DIR) / "cache" / storage.case_prefix(built.case.pk)
    cached.mkdir(parents=True)
    (cached / "copy").write_bytes(b"x")
    return built


def test_nothing_is_removed_unless_a_team_asks_for_it(folk: People) -> None:
    old(full(folk), days=3000)
    assert retain() == []
    assert Case.objects.count() == 1


def test_t42_files_rows_caches_search_entries_and_masked_copies_go_and_the_proof_stays(folk: People) -> None:
    built = full(folk)
    key, number = built.case.key, built.case.pk
    kept = full(folk, "Another, changed yesterday")
    old(built)
    set_retention(folk.team, 30, by=folk.alice)
    before = stored_names(number)
    assert before
    [proof] = retain()
    assert list(Case.objects.values_list("pk", flat=True)) == [kept.case.pk]
    for model in (
        Bundle,
        Artifact,
        Diagnosis,
        Note,
        ShareLink,
        StandIn,
        SearchDocument,
        MaskedCase,
        Credential,
        Finding,
    ):
        rows = {str(row) for row in model._default_manager.all().values()}
        others = 0 if model is Finding else 1
        assert len(rows) >= others
    assert not Artifact.objects.filter(pk=built.artifact.pk).exists()
    assert not SearchDocument.objects.exclude(case=kept.case).exists()
    assert not StandIn.objects.exclude(case=kept.case).exists()
    assert stored_names(number) == []
    assert not (Path(settings.VAR_DIR) / "cache" / storage.case_prefix(number)).exists()
    assert stored_names(kept.case.pk)
    report = proof.report
    assert (report["case"], report["team"], report["why"]) == (key, "lund-storage", "no change for 30 days")
    assert report["files"] == [{"sha256": built.artifact.sha256, "size": built.artifact.size, "lines": 40}]
    assert report["bundles"] == [{"sha256": built.bundle.sha256, "size": built.bundle.size}]
    assert report["stored_total"] == len(before)
    assert report["rows"]["sharing.ShareLink"] == 1
    assert report["rows"]["diagnosis.SearchDocument"] == 1
    assert report["rows_total"] >= sum(report["rows"].values())
    assert "Lund" not in json.dumps(report).replace("lund-storage", "")
    event = AuditEvent.objects.get(verb="retention.removed")
    assert event.detail == {"case_key": key, "proof": proof.pk, "left": 0}


def test_t42_a_legal_hold_wins(folk: People) -> None:
    built = full(folk)
    hold_case(built.case, by=folk.alice, reason="a court asked for it")
    old(built, days=900)
    set_retention(folk.team, 30, by=folk.alice)
    before = stored_names(built.case.pk)
    keep_within_retention()
    keep_within_retention()
    assert Case.objects.filter(pk=built.case.pk).exists()
    assert stored_names(built.case.pk) == before
    assert not RemovalProof.objects.exists()
    assert AuditEvent.objects.filter(verb="retention.held", case=built.case).count() == 1


def test_other_teams_are_not_touched(folk: People) -> None:
    other = build_case(folk.other_team, "of Perth")
    old(other, days=900)
    set_retention(folk.team, 1, by=folk.alice)
    assert retain() == []
    assert Case.objects.filter(pk=other.case.pk).exists()


def test_the_command_says_and_does_the_same(folk: People, capsys: Any) -> None:
    built, held = full(folk), full(folk, "held")
    hold_case(held.case, by=folk.alice, reason="a court asked for it")
    old(built)
    old(held)
    set_retention(folk.team, 30, by=folk.alice)
    call_command("retain", "--dry-run")
    printed = capsys.readouterr().out
    assert f"{built.case.key} of lund-storage: would be removed" in printed
    assert f"{held.case.key} of lund-storage: kept by its legal hold" in printed
    assert Case.objects.count() == 2
    call_command("retain")
    assert f"{built.case.key} removed" in capsys.readouterr().out
    assert list(Case.objects.values_list("pk", flat=True)) == [held.case.pk]


def test_the_report_is_what_was_hashed_and_only_owners_and_administrators_get_it(folk: People) -> None:
    old(full(folk))
    set_retention(folk.team, 30, by=folk.alice)
    [proof] = retain()
    root = person("root", is_staff=True)
    client = Client()
    for address in (reverse("cases:removal_proof", args=[proof.pk]), reverse("cases:retention")):
        assert Client().get(address).status_code == 302
        for user, status in (
            (folk.alice, 200),
            (root, 200),
            (folk.bob, 404),
            (person(f"v{len(address)}", folk.team, Role.VIEWER), 404),
        ):
            client.force_login(user)
            assert client.get(address).status_code == status, (address, user)
    client.force_login(folk.charlie)
    assert client.get(reverse("cases:removal_proof", args=[proof.pk])).status_code == 404
    assert proof.case_key not in shown(client.get(reverse("cases:retention")))
    client.force_login(folk.alice)
    answer = client.get(reverse("cases:removal_proof", args=[proof.pk]))
    assert hashlib.sha256(answer.content).hexdigest() == proof.sha256 == answer["X-Report-SHA256"]
    assert proof.case_key in shown(client.get(reverse("cases:retention")))


def test_only_owners_set_the_days_and_off_is_the_default(folk: People) -> None:
    client = Client()
    client.force_login(folk.alice)
    url = reverse("cases:retention")
    assert "kept without an end" in shown(client.get(url))
    assert client.post(url, {"team": "lund-storage", "days": "30"}).status_code == 302
    assert Retention.objects.get().days == 30
    assert client.post(url, {"team": "perth-storage", "days": "30"}).status_code == 404
    assert client.post(url, {"team": "lund-storage", "days": "0"}).status_code == 422
    assert client.post(url, {"team": "lund-storage", "days": ""}).status_code == 302
    assert not Retention.objects.exists()
    with pytest.raises(DomainError):
        set_retention(folk.team, 99999, by=folk.alice)
    assert AuditEvent.objects.filter(verb="retention.set", user=folk.alice).count() == 2


def test_a_proof_is_never_changed(folk: People) -> None:
    old(full(folk))
    set_retention(folk.team, 30, by=folk.alice)
    [proof] = retain()
    for attempt in (proof.save, proof.delete):
        with pytest.raises(ProofError):
            attempt()
