"""Web processes and workers that share PostgreSQL, Redis and an S3-compatible store, and no folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.db import connection
from django.utils.module_loading import import_string
from redis import Redis

from apps.cases.models import Artifact
from config.object_store import storage_from_env
from tests.chaos.installation import Installation, free_port
from tests.ingest.material import tar, waiters
from tests.ingest.tus_client import Sender
from tests.kept_files import keep_files_in

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the server shape: several machines"),
]

FILES = 24


@pytest.fixture
def store(lockscope: Installation, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A server of its own with a bucket; the settings that name it."""
    port = free_port()
    lockscope.start("store", [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)])
    env = {
        "LOCKSCOPE_S3_BUCKET": "lockscope",
        "LOCKSCOPE_S3_ENDPOINT": f"http://127.0.0.1:{port}",
        "LOCKSCOPE_S3_ACCESS_KEY": "lund",
        "LOCKSCOPE_S3_SECRET_KEY": "not-a-secret",
    }
    lockscope.until(lambda: answers(port))
    keys = {"aws_access_key_id": "lund", "aws_secret_access_key": "not-a-secret", "region_name": "us-east-1"}
    boto3.client("s3", endpoint_url=env["LOCKSCOPE_S3_ENDPOINT"], **keys).create_bucket(Bucket="lockscope")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    named: Any = storage_from_env(Path("/nowhere"))
    keep_files_in(monkeypatch, import_string(named["BACKEND"])(**named["OPTIONS"]))
    return env


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def machine(folder: Path) -> dict[str, str]:
    """Folders of one machine."""
    return {
        "LOCKSCOPE_VAR": str(folder / "var"),
        "LOCKSCOPE_STORAGE": str(folder / "storage"),
        "LOCKSCOPE_UPLOADS": str(folder / "uploads"),
    }


def test_machines_share_nothing_but_database_queue_and_store(
    lockscope: Installation, store: dict[str, str], tmp_path: Path
) -> None:
    lockscope.end("web")
    lockscope.end("worker")
    lockscope.start_web(store | machine(tmp_path / "a"))
    lockscope.start_worker(env=store | machine(tmp_path / "b"))
    case = lockscope.case("On two machines")
    lockscope.upload(case, tar({f"n{n}/waiters.txt": waiters(f"oulu-n{n}", lines=300) for n in range(6)}))
    lockscope.the_case_is_whole(case, 6)
    for page in ("", "waiters/", "files/"):
        assert lockscope.page(f"/cases/{case.key}/{page}").status == 200
    first = Artifact.objects.filter(case=case).order_by("pk")[0]
    assert "oulu_nsd" in lockscope.page(f"/cases/{case.key}/files/{first.pk}/?line=8").text
    stored = [path for path in tmp_path.rglob("*") if path.is_file() and "storage" in path.parts]
    assert stored == []

    lockscope.kill("store")
    refused = lockscope.page(f"/cases/{case.key}/bundles/{case.bundles.get().pk}/download/")
    assert (refused.status, "The storage of files cannot be reached" in refused.text) == (503, True)


def test_pieces_of_one_upload_go_to_two_web_machines_and_its_files_are_read_by_two_workers(
    lockscope: Installation, store: dict[str, str], tmp_path: Path
) -> None:
    for name in {"web", "worker"} & set(lockscope.running):
        lockscope.end(name)
    lockscope.start_web(store | machine(tmp_path / "web-a"))
    other = lockscope.start_other_web("web-b", free_port(), store | machine(tmp_path / "web-b"))
    lockscope.until(lambda: is_there(other))
    case = lockscope.case("On four machines")
    texts = {f"n{n}/waiters.txt": waiters(f"oulu-n{n}", lines=4000) for n in range(FILES)}
    content = tar(texts | {"noise.bin": os.urandom(17 << 20)}, mode="w")

    begun = lockscope.alice.begin(
        len(content), filename="oulu.tar", case=case.key, sha256=hashlib.sha256(content).hexdigest()
    )
    url, at, webs = str(begun.headers["Location"]), 0, (lockscope.alice, other)
    for turn, size in enumerate((3 << 20, 7 << 20, 1, 6 << 20, len(content))):
        assert webs[turn % 2].head(url).offset == at
        answer = webs[turn % 2].patch(url, at, content[at : at + size])
        assert answer.status == 204, answer.text
        at = min(at + size, len(content))
        assert webs[turn % 2 - 1].head(url).offset == at
    assert at == len(content)

    parsed = case.artifacts.filter(state="parsed", facts_generation=1)
    lockscope.start_worker("worker-a", env=store | machine(tmp_path / "worker-a"))
    lockscope.until(parsed.exists)
    lockscope.end("worker-a")
    assert 0 < parsed.count() < FILES  # the other reads the rest, and what both have read is one case
    lockscope.start_worker("worker-b", env=store | machine(tmp_path / "worker-b"))
    lockscope.until(lambda: lockscope.is_complete(case))
    assert parsed.count() == FILES
    for page in ("", "waiters/", "graph/", "files/"):
        shown = [web.ask("GET", f"/cases/{case.key}/{page}", Accept="text/html") for web in webs]
        assert [answer.status for answer in shown] == [200, 200]
        assert without_keys(shown[0].text) == without_keys(shown[1].text)
    stored = [path for path in tmp_path.rglob("*") if path.is_file() and {"storage", "uploads"} & set(path.parts)]
    assert stored == []


def test_a_web_machine_killed_within_a_piece_leaves_the_upload_to_another(
    lockscope: Installation, store: dict[str, str], tmp_path: Path
) -> None:
    for name in {"web", "web-b"} & set(lockscope.running):
        lockscope.kill(name)
    lockscope.start_web(store | machine(tmp_path / "web-a"))
    other = lockscope.start_other_web("web-b", free_port(), store | machine(tmp_path / "web-b"))
    lockscope.until(lambda: is_there(other))
    case, content = lockscope.case("Web machine killed"), os.urandom(20 << 20)
    url = str(lockscope.alice.begin(len(content), filename="noise.bin", case=case.key).headers["Location"])
    with lockscope.alice.open_patch(url, 0, len(content)) as sending:
        sending.sendall(content[: 12 << 20])
        lockscope.until(lambda: other.head(url).offset == 8 << 20)
        lockscope.kill("web")
    assert other.patch(url, 8 << 20, b"").status == 423
    lockscope.until(lambda: other.patch(url, 8 << 20, b"").status == 204)
    assert other.patch(url, 8 << 20, content[8 << 20 :]).status == 204
    assert case.bundles.get().sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.timeout(1800)
def test_one_bundle_comes_to_the_same_diagnosis_however_many_workers_read_it(
    lockscope: Installation, store: dict[str, str], tmp_path: Path
) -> None:
    """Two groups of workers on machines that share no folder; 1, 2, 4 and 8 processes. Large files, and small ones that
    are read in batches.
    """
    for name in {"web", "web-b", "worker", "worker-a", "worker-b"} & set(lockscope.running):
        lockscope.end(name)
    lockscope.start_web(store | machine(tmp_path / "web-a"))
    texts = {f"n{n:03d}/waiters.txt": waiters(f"oulu-n{n:03d}", lines=200 if n % 5 else 12_000) for n in range(120)}
    content = tar(texts)
    found: dict[int, str] = {}
    notes: list[str] = []
    for processes in (1, 2, 4, 8):
        halves = [half for half in (processes - processes // 2, processes // 2) if half]
        names = [f"group-{group}-of-{processes}" for group in range(len(halves))]
        for name, half in zip(names, halves, strict=True):
            lockscope.start_worker(name, concurrency=half, env=store | machine(tmp_path / name))
        case = lockscope.case("However many workers")
        statements, messages = counted_sql(), counted_messages(lockscope)
        lockscope.upload(case, content)
        lockscope.until(partial(lockscope.is_complete, case))
        sql = (counted_sql() - statements) / len(texts)
        redis = (counted_messages(lockscope) - messages) / len(texts)
        notes.append(f"{processes} processes: {sql:.1f} transactions, {redis:.1f} commands of Redis for each file")
        answer = lockscope.alice.ask("GET", f"/cases/{case.key}/export.json", Accept="application/json")
        assert answer.status == 200
        found[processes] = without_names(answer.text)
        for name in names:
            lockscope.end(name)
    assert len(found[1]) > 1000
    assert [processes for processes, text in found.items() if text != found[1]] == [], notes


def without_names(export: str) -> str:
    """An export without what is of the case alone: its key, and when it was made."""
    found = json.loads(export)
    del found["case"]["key"], found["made_at"]
    return json.dumps(found)


def counted_sql() -> int:
    """Transactions of the database so far; each process reports its own within a second."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        [(count,)] = cursor.fetchall()
    return int(count)


def counted_messages(lockscope: Installation) -> int:
    """Commands that the queue was sent so far."""
    return int(Redis(unix_socket_path=str(lockscope.folder / "queue.sock")).info("stats")["total_commands_processed"])


def is_there(web: Sender) -> bool:
    with suppress(OSError):
        return web.ask("GET", "/healthz").status == 200
    return False


def without_keys(page: str) -> str:
    """What each answer has of its own: keys against forged requests and of scripts, and how long ago something was."""
    page = re.sub(r'("X-CSRFToken": |name="csrfmiddlewaretoken" value=|nonce=)"[^"]+"', "", page)
    return re.sub(r"\d+ (second|minute)s? ago|just now", "", page)
