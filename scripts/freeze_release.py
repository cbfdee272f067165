"""Freezes a small installation of an earlier state of the program, for the test that brings it up to date.

``python -m scripts.freeze_release COMMIT FOLDER``: takes that state (0.2.0 or later) out of the history, lets it make
its tables in a PostgreSQL of its own and read a small bundle, and writes ``database.sql.gz``, ``files.tar`` and
``shown.json``: what people saw of it.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAKE = """
import json, os, sys
import django
django.setup()
from celery import current_app
current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
from django.conf import settings
from apps.accounts.models import Role, Team, TeamMembership, User
from apps.cases.models import Artifact, Bundle, Case, Note
from apps.cases.services import create_case
from apps.diagnosis.models import Finding, Tuning
from apps.ingest.uploads.receive import store_bytes
from apps.ingest.samples import SAMPLES
from apps.ingest.tasks import queue_bundle
team = Team.objects.create(name="Lund storage", slug="lund-storage")
alice = User.objects.create_user(username="alice", password=None, display_name="Alice")
TeamMembership.objects.create(user=alice, team=team, role=Role.OWNER)
sample = min(SAMPLES, key=lambda one: len(one.build()))
case = create_case(team=team, title=sample.title, customer=sample.customer, key="CS-1001", created_by=alice)
queue_bundle(store_bytes(case, sample.build(), filename=sample.filename, user=alice))
Note.objects.create(case=case, author=alice, text="Asked the customer for a second capture.")
case.refresh_from_db()
shown = case.current_diagnosis
rows = lambda found, *names: [list(row) for row in found.values_list(*names)]
print(json.dumps({
    "title": case.title, "verdict": case.verdict, "severity": case.severity, "engine_version": shown.engine_version,
    "bundles": rows(Bundle.objects.order_by("pk"), "filename", "sha256", "size", "stored"),
    "files": rows(Artifact.objects.order_by("pk"), "path", "sha256", "state", "lines_total", "records", "parser_version", "blob", "facts"),
    "findings": rows(Finding.objects.filter(diagnosis=shown).order_by("order"), "ref", "severity", "confidence", "title", "evidence"),
    "tunings": rows(Tuning.objects.filter(diagnosis=shown).order_by("order"), "tuning_id", "parameter", "status"),
}))
"""  # noqa: E501 - as the tool prints it


def main() -> int:
    parser = argparse.ArgumentParser(description="Freeze a small installation of an earlier state of the program.")
    parser.add_argument("commit")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests import services  # its PostgreSQL and Redis are the ones to freeze with

    services.start_services()
    try:
        with tempfile.TemporaryDirectory(prefix="lockscope-old-") as name:
            freeze(
                given.commit,
                given.folder,
                Path(name),
                Path(os.environ[services.RUNNING]),
                services.postgresql_programs(),
            )
    finally:
        services.stop_services()
    return 0


def freeze(commit: str, folder: Path, place: Path, running: Path, programs: Path) -> None:
    """Run the old program in its own tree."""
    tree = place / "tree"
    tree.mkdir()
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S603, S607 - our own history
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(tree, filter="data")
    env = os.environ | environment(place, running)
    database(programs, running, "createdb", "lockscope")
    subprocess.run([sys.executable, "manage.py", "migrate", "--noinput", "-v", "0"], cwd=tree, env=env, check=True)
    made = subprocess.run([sys.executable, "-c", MAKE], cwd=tree, env=env, check=True, capture_output=True)  # noqa: S603 - the text above
    folder.mkdir(parents=True)
    shown = json.loads(made.stdout.splitlines()[-1])
    (folder / "shown.json").write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    dump = database(programs, running, "pg_dump", "--inserts", "--no-owner", "--no-privileges", "lockscope")
    plain = re.sub(rb"(?m)^\\(un)?restrict .*\n", b"", dump)  # orders to psql, which is not what reads it back
    (folder / "database.sql.gz").write_bytes(gzip.compress(plain, mtime=0))
    with tarfile.open(folder / "files.tar", "w") as archive:
        archive.add(place / "storage" / "cases", "cases")


def environment(place: Path, running: Path) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOCKSCOPE_VAR": str(place / "var"),
        "LOCKSCOPE_STORAGE": str(place / "storage"),
        "LOCKSCOPE_DB_HOST": str(running),
        "LOCKSCOPE_DB_NAME": "lockscope",
        "LOCKSCOPE_DB_USER": "postgres",
        "LOCKSCOPE_BASE_URL": "http://localhost",
        "LOCKSCOPE_BROKER_URL": f"redis+socket://{running}/queue.sock?virtual_host=0",
        "LOCKSCOPE_CACHE_URL": f"unix://{running}/queue.sock?db=1",
        "LOCKSCOPE_SECRET_KEY": os.urandom(32).hex(),
    }


def database(programs: Path, running: Path, program: str, *words: str) -> bytes:
    command = [str(programs / program), "-h", str(running), "-U", "postgres", *words]
    return subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - PostgreSQL's own programs


if __name__ == "__main__":
    sys.exit(main())
