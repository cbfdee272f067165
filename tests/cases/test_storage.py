from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import InMemoryStorage

from apps.cases import storage
from tests.kept_files import keep_files_in


@pytest.fixture(params=["file system", "elsewhere"])
def _kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "VAR_DIR", tmp_path)
    if request.param == "elsewhere":
        keep_files_in(monkeypatch, InMemoryStorage())


@pytest.mark.usefixtures("_kind")
def test_what_is_stored_is_listed_opened_and_removed() -> None:
    prefix = "cases/977/facts/1/"
    storage.delete_prefix("cases/977/")
    storage.save_as(f"{prefix}b.parquet", io.BytesIO(b"b"))
    storage.save_as(f"{prefix}deep/c.parquet", io.BytesIO(b"c"))
    name = storage.save(prefix, io.BytesIO(b"a" * 3_000_000))
    assert storage.listing(prefix) == sorted([f"{prefix}b.parquet", name])
    assert storage.size(name) == 3_000_000
    with storage.open_file(name) as file:
        assert file.read(2) == b"aa"
    assert storage.local_path(name).read_bytes() == b"a" * 3_000_000
    folder = storage.local_path(prefix)
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == sorted(
        ["b.parquet", name.rsplit("/", 1)[-1]]
    )
    storage.delete(name)
    storage.delete(name)
    storage.delete("")
    storage.delete_prefix(prefix)
    assert storage.listing(prefix) == []
    assert not storage.exists(f"{prefix}deep/c.parquet")
    storage.delete_prefix(prefix)


@pytest.mark.parametrize("prefix", ["", "/"])
def test_everything_is_never_removed(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        storage.delete_prefix(prefix)
