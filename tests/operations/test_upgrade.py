"""Data of earlier states of the program, brought up to date by the migrations: pages and hashes are what they were,
stamps too.

The sets were made by ``scripts/freeze_release.py``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.db import connection
from django.test import Client

from apps.accounts.models import User
from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case, Note
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.models import Finding, Tuning
from apps.ingest.reading.outcomes import parser_version
from apps.ingest.tasks import reparse
from apps.operations.integrity import faults
from tests.kept_files import keep_files_in

RELEASES = Path(__file__).resolve().parents[1] / "fixtures" / "releases"
DATABASE = "lockscope_upgraded"
PAGES = ("", "waiters/", "locks/", "graph/", "settings/", "files/", "history/", "report/", "upload/")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the sets were taken from PostgreSQL"),
]


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir()))
def shown(
    services: None,
    request: pytest.FixtureRequest,
    django_db_blocker: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[dict[str, Any]]:
    """The set in a database and a storage of its own, upgraded; what people saw of it before."""
    folder = RELEASES / request.param
    host = str(settings.DATABASES["default"]["HOST"])
    with psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {DATABASE}")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as old:
        old.execute(gzip.decompress((folder / "database.sql.gz").read_bytes()))
    with tarfile.open(folder / "files.tar") as archive:
        archive.extractall(tmp_path / "storage", filter="data")
    keep_files_in(monkeypatch, FileSystemStorage(location=tmp_path / "storage"))
    monkeypatch.setitem(connection.settings_dict, "NAME", DATABASE)
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    with django_db_blocker.unblock():
        connection.close()
        call_command("migrate", interactive=False, verbosity=0)
        yield json.loads((folder / "shown.json").read_text(encoding="utf-8"))
        connection.close()
    current_app.conf.update(task_always_eager=False, task_eager_propagates=False)


def rows(found: Any, *names: str) -> list[list[Any]]:
    return [list(row) for row in found.values_list(*names)]


def test_t47_cases_of_earlier_releases_are_shown_as_they_were_and_can_be_read_anew(shown: dict[str, Any]) -> None:
    rows_and_files_are_as_they_were(shown)
    pages_show_them(shown)
    evidence_opens_at_its_line(shown)
    a_text_is_read_anew()


def rows_and_files_are_as_they_were(shown: dict[str, Any]) -> None:
    case = Case.objects.get(key="CS-1001")
    diagnosis = case.current_diagnosis
    assert diagnosis is not None
    assert (case.title, case.verdict, case.severity) == (shown["title"], shown["verdict"], shown["severity"])
    assert diagnosis.engine_version == shown["engine_version"]
    assert rows(Bundle.objects.order_by("pk"), "filename", "sha256", "size", "stored") == shown["bundles"]
    files = rows(
        Artifact.objects.order_by("pk"),
        "path",
        "sha256",
        "state",
        "lines_total",
        "records",
        "parser_version",
        "blob",
        "facts",
    )
    assert files == shown["files"]
    findings = Finding.objects.filter(diagnosis=diagnosis).order_by("order")
    assert rows(findings, "ref", "severity", "confidence", "title", "evidence") == shown["findings"]
    assert (
        rows(Tuning.objects.filter(diagnosis=diagnosis).order_by("order"), "tuning_id", "parameter", "status")
        == shown["tunings"]
    )
    assert list(faults()) == []
    for _, sha256, size, stored in shown["bundles"]:
        with storage.open_file(stored) as file:
            assert (storage.size(stored), hashlib.sha256(file.read()).hexdigest()) == (size, sha256)


def pages_show_them(shown: dict[str, Any]) -> None:
    case = Case.objects.get(key="CS-1001")
    alice = Client()
    alice.force_login(User.objects.get(username="alice"))
    for page in PAGES:
        answer = alice.get(f"/cases/{case.key}/{page}")
        assert answer.status_code == 200, page
    overview = alice.get(f"/cases/{case.key}/").content.decode()
    assert escape(shown["verdict"]) in overview
    assert Note.objects.get().text in alice.get(f"/cases/{case.key}/notes/").content.decode()


def evidence_opens_at_its_line(shown: dict[str, Any]) -> None:
    evidence = [one for _, _, _, _, found in shown["findings"] for one in found if one.get("text")]
    assert evidence
    for one in evidence[:20]:
        with storage.open_file(Artifact.objects.get(pk=one["artifact"]).blob) as file:
            [(_, line)] = TextBlob.open(file).lines(one["line"], 1)
        assert one["text"].split()[0] in line.decode()


def a_text_is_read_anew() -> None:
    case = Case.objects.get(key="CS-1001")
    small = case.artifacts.filter(records__gt=0).order_by("size")[:1].get()
    assert reparse(case.artifacts.filter(pk=small.pk)) == 1
    anew = case.artifacts.get(pk=small.pk)
    assert (anew.parser_version, anew.facts_generation) == (parser_version(), small.facts_generation + 1)
    assert anew.state in (small.state, "parsed"), "a later release may read more of it, and never less"
    case.refresh_from_db()
    assert case.verdict
    assert list(faults()) == []
