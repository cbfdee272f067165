"""All rows and stored files in one folder, and back into an empty installation, on the same or the other kind of
database.

    manifest.json        format, version, migrations, rows of each table, number and bytes of the files
    rows/APP.MODEL.jsonl a row in a line
    files.sha256         hash and name of each stored file, as ``sha256sum -c`` reads it below ``files/``
    files/cases/...      the stored files

Sessions are left out: everybody signs in again. The secret key is not in it; without it links and tokens of the old
installation are void.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from apps.accounts.models import User
from apps.cases import storage
from apps.cases.models import Case
from apps.cases.storage.store_then_row import Stored

FORMAT = 1
LEFT_OUT = {"sessions.session", "usersessions.usersession", "contenttypes.contenttype", "auth.permission"}
COPY_BYTES = 1 << 20
FILES = "cases/"


class Exact(DjangoJSONEncoder):
    """Times to the microsecond: Django's own encoder cuts them to milliseconds."""

    def default(self, o: Any) -> Any:
        """A value that JSON has no form for."""
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


class BackupError(Exception):
    """Why nothing was written or read back; told to whoever runs the command."""


def kinds() -> list[type[models.Model]]:
    """Tables that are kept, in a fixed order."""
    chosen = [model for model in apps.get_models() if model._meta.managed and not model._meta.proxy]
    return sorted(
        (model for model in chosen if model._meta.label_lower not in LEFT_OUT),
        key=lambda model: model._meta.label_lower,
    )


def backup(folder: Path) -> dict[str, Any]:
    """Write everything into a folder that is not there yet; the manifest comes back. Files that go meanwhile are left
    out and counted.
    """
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise BackupError(f"{folder} is there already: name a new folder") from None
    (folder / "rows").mkdir()
    with transaction.atomic():
        _one_moment()
        rows = {model._meta.label_lower: _dump(model, folder / "rows") for model in kinds()}
    files, size, gone = _copy_out(folder)
    manifest = {
        "format": FORMAT,
        "version": settings.VERSION,
        "made_at": timezone.now().isoformat(),
        "migrations": _migrations(),
        "rows": rows,
        "files": files,
        "bytes": size,
        "gone_meanwhile": gone,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def restore(folder: Path) -> dict[str, Any]:
    """Read everything back into an empty installation; all of it or nothing."""
    manifest = _manifest(folder)
    if Case.objects.exists() or User.objects.exists() or next(_stored(FILES), None) is not None:
        raise BackupError("this installation is not empty: restore into a new database and an empty storage")
    if manifest["migrations"] != _migrations():
        raise BackupError(
            f"the backup was made by version {manifest['version']} with other tables: restore it with "
            "that version, then upgrade"
        )
    with Stored(FILES, User.objects.all()) as kept:
        _copy_in(folder)
        with kept.row():
            for model in kinds():
                _load(model, folder / "rows", manifest["rows"].get(model._meta.label_lower, 0))
            _number_on()
    return manifest


def _one_moment() -> None:
    """All tables as they were at one moment."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _dump(model: type[models.Model], folder: Path) -> int:
    rows = model._base_manager.order_by("pk")
    with (folder / f"{model._meta.label_lower}.jsonl").open("w", encoding="utf-8") as file:
        serializers.serialize("jsonl", rows.iterator(2_000), stream=file, cls=Exact)
    return rows.count()


def _load(model: type[models.Model], folder: Path, expected: int) -> None:
    loaded = 0
    with (folder / f"{model._meta.label_lower}.jsonl").open(encoding="utf-8") as file:
        for row in serializers.deserialize("jsonl", file):
            row.save()
            loaded += 1
    if loaded != expected:
        raise BackupError(
            f"{model._meta.label_lower} has {loaded} rows in the backup instead of {expected}: the backup is damaged"
        )


def _number_on() -> None:
    """New rows get numbers above those that were read back."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kinds()):
            cursor.execute(statement)


def _migrations() -> list[list[str]]:
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted([app, name] for app, name in applied)


def _stored(prefix: str) -> Iterator[str]:
    todo = [prefix]
    while todo:
        below = todo.pop()
        yield from storage.listing(below)
        todo.extend(storage.folders(below))


def _copy_out(folder: Path) -> tuple[int, int, int]:
    files = size = gone = 0
    with (folder / "files.sha256").open("w", encoding="utf-8") as listing:
        for name in _stored(FILES):
            target = folder / "files" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with storage.open_file(name) as source, target.open("wb") as copy:
                    digest = _copied(source, copy)
            except FileNotFoundError:
                target.unlink(missing_ok=True)
                gone += 1
                continue
            listing.write(f"{digest}  {name}\n")
            files, size = files + 1, size + target.stat().st_size
    return files, size, gone


def _copied(source: IO[bytes], copy: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(COPY_BYTES):
        digest.update(chunk)
        copy.write(chunk)
    return digest.hexdigest()


def _copy_in(folder: Path) -> None:
    with (folder / "files.sha256").open(encoding="utf-8") as listing:
        for line in listing:
            digest, _, name = line.rstrip("\n").partition("  ")
            path = folder / "files" / name
            if not name.startswith(FILES) or ".." in name.split("/"):
                raise BackupError("files.sha256 names a file that is none of ours: the backup is damaged")
            with path.open("rb") as source:
                if hashlib.file_digest(source, "sha256").hexdigest() != digest:
                    raise BackupError(f"{name} is not what was backed up: the backup is damaged")
                source.seek(0)
                storage.save_as(name, source)


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise BackupError(f"{folder} holds no backup, or one that was not finished: manifest.json is missing") from None
    if manifest.get("format") != FORMAT:
        raise BackupError(f"the backup has format {manifest.get('format')}; this version reads {FORMAT}")
    return manifest


def remove_unfinished(folder: Path) -> None:
    """What a backup that failed left behind."""
    if not (folder / "manifest.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
