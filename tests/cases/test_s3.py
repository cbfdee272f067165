"""The same program on an S3-compatible store: the whole way of an upload, and what becomes of the store's errors."""

from __future__ import annotations

import io
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from django.test import Client

from apps.cases import storage
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle
from apps.cases.storage import local_copies, s3_errors
from apps.cases.storage.s3_errors import Silence
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.operations.backup import backup
from apps.operations.integrity import faults
from config.env import BadSetting
from tests import object_stores
from tests.builders import People, make_case
from tests.ingest.conftest import inline, staff
from tests.ingest.material import bundle, send
from tests.kept_files import keep_files_in
from tests.object_stores import keys, made
from tests.patience import HANGS_S

__all__ = ["inline", "staff"]


@pytest.fixture(scope="module", params=["memory", "disk"])
def endpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "memory":
        with object_stores.in_memory() as address:
            yield address
    elif object_stores.program() is None:
        pytest.skip(object_stores.ABSENT)
    else:
        with object_stores.on_disk(tmp_path_factory.mktemp("store")) as address:
            yield address


@pytest.fixture
def s3(endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> Any:
    settings.VAR_DIR = tmp_path
    client = object_stores.used(monkeypatch, endpoint)
    storage.delete_prefix("cases/")
    return client


@pytest.mark.django_db(transaction=True)  # a backup is a transaction of its own
def test_an_upload_is_read_shown_and_removed_as_from_a_disk(
    s3: Any, staff: People, client: Client, tmp_path: Path
) -> None:
    client.force_login(staff.alice)
    case = make_case(staff.team)
    content = bundle()
    assert send(client, content, to=case).status_code == 201
    case.refresh_from_db()
    assert set(case.artifacts.values_list("state", flat=True)) == {"parsed"}
    assert case.verdict
    stored = case.bundles.get().stored
    assert stored in keys(s3)
    assert list(faults()) == []
    for page in ("", "waiters/", "files/", "graph/"):
        assert client.get(f"/cases/{case.key}/{page}").status_code == 200
    taken = client.get(f"/cases/{case.key}/bundles/{case.bundles.get().pk}/download/")
    assert b"".join(taken.streaming_content) == content  # type: ignore[attr-defined]
    lines = client.get(f"/cases/{case.key}/files/{Artifact.objects.order_by('pk')[0].pk}/?line=7")
    assert b"oulu_nsd" in lines.content
    assert backup(tmp_path / "backup")["files"] == len(keys(s3))

    remove_bundle(case.bundles.get(), by=staff.alice)
    left = [name for name in keys(s3) if "/bundles/" in name or "/texts/" in name or "/facts/" in name]
    assert left == []
    assert [path for path in local_copies.folder().glob("cases/*/facts/**/*") if path.is_file()] == []


def test_what_is_stored_is_listed_opened_and_removed(s3: Any) -> None:
    prefix = "cases/977/facts/1/"
    storage.save_as(f"{prefix}b.parquet", io.BytesIO(b"b"))
    with pytest.raises(FileExistsError):
        storage.save_as(f"{prefix}b.parquet", io.BytesIO(b"c"))
    name = storage.save(prefix, io.BytesIO(bytes(range(256)) * 20_000))
    assert storage.listing(prefix) == sorted([f"{prefix}b.parquet", name])
    assert storage.folders("cases/977/") == ["cases/977/facts/"]
    assert (storage.size(name), storage.exists(name), storage.exists(f"{name}x")) == (5_120_000, True, False)
    with storage.open_file(name) as file:
        assert file.seek(-3, 2) == 5_119_997
        assert file.read() == bytes((253, 254, 255))
        file.seek(2_560_001)
        assert file.read(4) == bytes((1, 2, 3, 4))
    assert storage.local_path(name).stat().st_size == 5_120_000
    storage.delete_prefix("cases/977/")
    assert keys(s3) == []
    assert not local_copies.path_of(name).exists()
    with pytest.raises(FileNotFoundError):
        storage.open_file(name)


def test_a_store_that_is_away_refuses_an_upload_and_fails_a_file_with_words(
    s3: Any, staff: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case(staff.team)
    away = made(monkeypatch, ENDPOINT="http://127.0.0.1:9")
    kept = store_bytes(case, bundle(), filename="b.tgz", user=None)
    keep_files_in(monkeypatch, away)
    client.force_login(staff.alice)
    client.raise_request_exception = False
    refused = send(client, b"other bytes", to=case)
    assert (refused.status_code, "storage of files cannot be reached" in refused.content.decode()) == (507, True)
    queue_bundle(kept)
    kept.refresh_from_db()
    assert (kept.state, kept.message[:34]) == (Bundle.State.FAILED, "It could not be unpacked (OSError)")
    assert client.get(f"/cases/{case.key}/bundles/{kept.pk}/download/").status_code == 503


def test_copies_that_are_unused_or_too_many_go(s3: Any, settings: Any) -> None:
    names = [storage.save("cases/977/facts/", io.BytesIO(b"x" * 1000)) for _ in range(4)]
    paths = [storage.local_path(name) for name in names]
    now = time.time()
    for path, age_s in zip(paths, (10, 700, 800, 90_000), strict=True):
        os.utime(path, (now - age_s, now - age_s))
    settings.CACHE_BYTES = 2000
    local_copies.clean()
    assert [path.exists() for path in paths] == [True, True, False, False]
    assert storage.local_path(names[3]).read_bytes() == b"x" * 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [("ACCESS_KEY", "alone"), ("ENDPOINT", "s3.example.com"), ("ADDRESSING", "sideways")],
    ids=lambda value: value,
)
def test_settings_that_cannot_be_used_stop_the_start(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    with pytest.raises(BadSetting, match="LOCKSCOPE_S3_"):
        made(monkeypatch, BUCKET="lockscope", **{name: value})


def test_a_store_that_says_nothing_holds_one_page_and_not_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Silence, "until", 0.0)
    monkeypatch.setattr(s3_errors, "SILENT_S", HANGS_S)
    with socket.create_server(("127.0.0.1", 0)) as server:  # connections wait to be taken, and nobody comes
        silent = made(monkeypatch, ENDPOINT=f"http://127.0.0.1:{server.getsockname()[1]}", **object_stores.SETTINGS)
        quick = Config(read_timeout=0.3, retries={"total_max_attempts": 1})
        silent.client_config = silent.client_config.merge(quick)  # type: ignore[attr-defined]
        with pytest.raises(OSError, match="the storage is away: ReadTimeoutError"):
            silent.size("cases/1/a")
        for _ in range(20):
            with pytest.raises(OSError, match="did not answer a moment ago"):
                silent.size("cases/1/b")
        monkeypatch.setattr(Silence, "until", 0.0)
        with pytest.raises(OSError, match="the storage is away: ReadTimeoutError"):
            silent.size("cases/1/c")
