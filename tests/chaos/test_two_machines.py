"""A web process and a worker that share PostgreSQL, Redis and an S3-compatible store, and no folder."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.files.storage import storages
from django.db import connection
from django.utils.module_loading import import_string

from apps.cases.models import Artifact
from config.object_store import storage_from_env
from tests.chaos.installation import Installation, free_port
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the server shape: several machines"),
]


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
    monkeypatch.setitem(storages._storages, "default", import_string(named["BACKEND"])(**named["OPTIONS"]))  # type: ignore[attr-defined]
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


def test_machines_share_nothing_but_database_queue_and_store(lockscope: Installation, store: dict[str, str], tmp_path: Path) -> None:
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
