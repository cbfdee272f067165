"""A backup read back gives equal pages and hashes; a damaged one, or a place that is not empty, is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from apps.accounts.models import User
from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads.receive import store_text
from apps.operations.backup import BackupError, backup, kinds, restore
from apps.operations.integrity import faults
from tests.builders import People, make_case

pytestmark = pytest.mark.django_db(transaction=True)  # all tables are emptied

WAITERS = """\
[root@lund-n3 ~]# date
Tue Mar  9 14:21:07 CET 2027
[root@lund-n3 ~]# mmdiag --waiters
=== mmdiag: waiters ===
Waiting 312.5000 sec since 14:15:54, monitored, thread 4711 NSDThread: for I/O completion on disk dm-7
"""
PAGES = ("", "waiters/", "files/", "history/", "settings/")


def pages(user: User, case: Case) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    found = {}
    for page in PAGES:
        answer = client.get(f"/cases/{case.key}/{page}")
        assert answer.status_code == 200
        found[page] = answer.content.decode().split("<main", 1)[1].split("</main", 1)[0]
    return found


def without_tokens(text: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", text)


def empty() -> None:
    """As after ``migrate`` on a new machine."""
    with connection.cursor() as cursor:
        tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in kinds())
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER audit_no_truncation")
        cursor.execute(f"TRUNCATE {tables} CASCADE")
        cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER audit_no_truncation")
    storage.delete_prefix("cases/")


@pytest.fixture
def made(staff: People, tmp_path: Path) -> tuple[Case, Path]:
    case = make_case(staff.team)
    queue_bundle(store_text(case, WAITERS, user=staff.alice))
    case.refresh_from_db()
    return case, tmp_path / "backup"


def test_t46_pages_and_hashes_are_equal_afterwards(made: tuple[Case, Path], staff: People) -> None:
    case, folder = made
    before = pages(staff.alice, case)
    assert "dm-7" in before[""]
    backup(folder)
    shown = pages(staff.alice, case)  # seeing the pages is itself noted in the history
    hashes = set(Bundle.objects.values_list("stored", "sha256")) | set(Artifact.objects.values_list("blob", "sha256"))
    empty()
    restore(folder)
    assert (
        set(Bundle.objects.values_list("stored", "sha256")) | set(Artifact.objects.values_list("blob", "sha256"))
        == hashes
    )
    after = pages(User.objects.get(pk=staff.alice.pk), Case.objects.get(pk=case.pk))
    for page in PAGES:
        if page != "history/":
            assert without_tokens(after[page]) == without_tokens(shown[page]), page
    assert list(faults()) == []
    # New rows get numbers of their own.
    assert make_case(Case.objects.get(pk=case.pk).team, "another").pk > case.pk


def test_it_is_not_read_back_over_something(made: tuple[Case, Path]) -> None:
    _, folder = made
    backup(folder)
    with pytest.raises(BackupError, match="not empty"):
        restore(folder)


def test_a_folder_that_is_there_is_not_written_to(made: tuple[Case, Path]) -> None:
    _, folder = made
    folder.mkdir()
    with pytest.raises(CommandError, match="there already"):
        call_command("backup", str(folder))
    assert list(folder.iterdir()) == []


def test_a_damaged_file_brings_nothing_back(made: tuple[Case, Path]) -> None:
    _, folder = made
    backup(folder)
    stored = next(path for path in sorted((folder / "files").rglob("*")) if path.is_file())
    stored.write_bytes(stored.read_bytes() + b"x")
    empty()
    with pytest.raises(CommandError, match="not what was backed up"):
        call_command("restore", str(folder))
    assert not Case.objects.exists()
    assert storage.folders("cases/") == []


def test_rows_that_are_missing_are_noticed(made: tuple[Case, Path]) -> None:
    _, folder = made
    backup(folder)
    rows = folder / "rows" / "cases.bundle.jsonl"
    rows.write_text("", encoding="utf-8")
    empty()
    with pytest.raises(BackupError, match="damaged"):
        restore(folder)
    assert not Case.objects.exists()


def test_other_tables_than_ours_are_refused(made: tuple[Case, Path]) -> None:
    _, folder = made
    backup(folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["migrations"].append(["cases", "9999_later"])
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    empty()
    with pytest.raises(BackupError, match="then upgrade"):
        restore(folder)


def test_an_unfinished_backup_is_refused(tmp_path: Path, db: None) -> None:
    with pytest.raises(BackupError, match="not finished"):
        restore(tmp_path)
