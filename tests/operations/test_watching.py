"""Figures for a monitor, and the page of open work: who may see them, and what they say."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.audit.models import AuditEvent
from apps.cases.models import Artifact
from tests.builders import People, build_case, expired, make_artifact, person

pytestmark = pytest.mark.django_db
TOKEN = "monitor-token-of-this-test"


def figures(text: str) -> dict[str, float]:
    return {match[1]: float(match[2]) for match in re.finditer(r"^(lockscope_\S+) ([-+.\deE]+)$", text, re.MULTILINE)}


def answer_to(client: Client, token: str) -> str:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("token", ["", "wrong", "monitor-token-of-this-tes"])
def test_without_the_token_there_is_no_such_page(client: Client, settings: Settings, token: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 404
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_what_waits_reads_and_fails_is_counted(client: Client, settings: Settings, folk: People) -> None:
    settings.METRICS_TOKEN = TOKEN
    built = build_case(folk.team, "Secret bank")
    make_artifact(built.bundle, "a", state=Artifact.State.QUEUED)
    make_artifact(built.bundle, "b", state=Artifact.State.READING, lease_until=expired())
    make_artifact(built.bundle, "c", state=Artifact.State.FAILED, formats=["kernel_log"], finished_at=timezone.now())
    make_artifact(built.bundle, "d", started_at=expired(), finished_at=timezone.now(), size=5000)
    text = answer_to(client, TOKEN)
    found = figures(text)
    assert found['lockscope_waiting{stage="read"}'] == 1
    assert found['lockscope_oldest_waiting_seconds{stage="read"}'] >= 0
    assert found['lockscope_expired_leases{stage="read"}'] == 1
    assert found['lockscope_failed_files_1d{format="kernel_log"}'] == 1
    assert found["lockscope_read_files_10m"] == 1
    assert found["lockscope_read_bytes_10m"] == 5000
    assert 59 <= found["lockscope_read_busy_seconds_10m"] <= 62
    assert found["lockscope_cases"] == 1
    assert found['lockscope_ready{part="database"}'] == 1
    for secret in ("Secret", "bank", built.case.key, "lund"):
        assert secret not in text


def test_open_work_is_for_administrators(folk: People) -> None:
    for user, status in ((folk.alice, 403), (folk.charlie, 403), (person("root", is_administrator=True), 200)):
        client = Client()
        client.force_login(user)
        assert client.get("/operations/").status_code == status
        assert client.post("/operations/retry/", {"kind": "file", "number": "1"}).status_code == (
            status if status == 403 else 302
        )
    assert Client().get("/operations/").status_code == 302


def test_a_failed_file_is_tried_again_once(folk: People) -> None:
    built = build_case(folk.team, "Secret bank")
    failed = make_artifact(
        built.bundle, "etc/secret.txt", state=Artifact.State.FAILED, message="The parser failed.", attempts=3
    )
    client = Client()
    client.force_login(person("root", is_administrator=True))
    page = client.get("/operations/").content.decode()
    assert "The parser failed." in page
    assert built.case.key in page
    assert "secret.txt" not in page
    assert "Secret bank" not in page
    client.post("/operations/retry/", {"kind": "file", "number": str(failed.pk)})
    failed.refresh_from_db()
    assert (failed.state, failed.attempts) == (Artifact.State.QUEUED, 0)
    assert AuditEvent.objects.filter(verb="work.retried").count() == 1
    answer = client.post("/operations/retry/", {"kind": "file", "number": str(failed.pk)}, follow=True)
    assert "not among the work that failed" in answer.content.decode()
    assert client.post("/operations/retry/", {"kind": "case", "number": "1"}).status_code == 302
