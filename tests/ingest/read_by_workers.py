"""A bundle read by real workers, and its report as JSON.

As a program (``python -m tests.ingest.read_by_workers BUNDLE REPORT``) it does so in the shape of its environment, on
an empty database that it makes. So the embedded shape can be compared in the middle of a test of the other one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from scripts import queue_server
from tests.on_sqlite import put_migrated

if TYPE_CHECKING:
    from tests.workers import Workers

BASE_DIR = Path(__file__).resolve().parents[2]
NAME = "reed-snap.tar"
LIMIT_S = 900  # against hanging alone: a machine may be slow, and other tests keep it busy
ELSEWHERE = ("made_at", "case", "engine_version")


def report(content: bytes, workers: Workers, *, concurrency: int) -> dict[str, Any]:
    """All of the report but what names the case and the moment."""
    from apps.accounts.models import Team
    from apps.cases.models import Case
    from apps.diagnosis.pages.export.report import as_json
    from apps.ingest.scheduling import diagnoses
    from apps.ingest.tasks import queue_bundle
    from apps.ingest.uploads.receive import store_bytes
    from tests.builders import make_case

    team, _ = Team.objects.get_or_create(name="Reed", slug="reed")
    case = make_case(team)
    queue_bundle(store_bytes(case, content, filename=NAME, user=None))
    worker = workers.start(concurrency=concurrency)
    workers.wait_for(lambda: diagnoses.is_settled(case.pk) and not diagnoses.is_awaited(case.pk), limit_s=LIMIT_S)
    workers.kill(worker)
    case = Case.objects.get(pk=case.pk)
    assert list(case.bundles.values_list("state", "message")) == [("expanded", "")]
    assert not case.artifacts.filter(state="failed").exists()
    assert case.current_diagnosis is not None
    assert not case.current_diagnosis.partial
    assert case.current_diagnosis.files_total == case.artifacts.originals().count()
    found = as_json(case, case.current_diagnosis)
    paths = dict(case.artifacts.values_list("pk", "path"))
    return {key: _by_path(value, paths) for key, value in found.items() if key not in ELSEWHERE}


def _by_path(value: Any, paths: dict[int, str]) -> Any:
    """Rows have other numbers in another database."""
    if isinstance(value, dict):
        return {key: paths[held] if key == "artifact" else _by_path(held, paths) for key, held in value.items()}
    return [_by_path(held, paths) for held in value] if isinstance(value, list | tuple) else value


def embedded(content: bytes, folder: Path) -> str:
    """The report as the embedded shape gives it: SQLite and its own queue."""
    bundle, report_path = folder / NAME, folder / "report.json"
    bundle.write_bytes(content)
    with TemporaryDirectory(prefix="lockscope-embedded-") as place:
        put_migrated(Path(place))
        env = {key: value for key, value in os.environ.items() if not key.startswith(("LOCKSCOPE_", "PYTEST_"))}
        env |= {"LOCKSCOPE_VAR": place, "LOCKSCOPE_STORAGE": f"{place}/storage", "LOCKSCOPE_LOG_FORMAT": "plain"}
        command = [sys.executable, "-m", "tests.ingest.read_by_workers", str(bundle), str(report_path)]
        done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, timeout=2 * LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:].decode(errors="replace")
    return report_path.read_text()


def main(bundle: Path, report_path: Path) -> None:
    """Make the database, start a queue, read, and end both with the process."""
    import json

    import django
    from django.core.management import call_command

    from tests import services
    from tests.workers import workers_of

    folder = Path(os.environ["LOCKSCOPE_VAR"])
    for part in ("tmp", "run"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    services.start_queue(folder, queue_server.binary())
    broker, cache = queue_server.urls(folder / "queue.sock")
    os.environ |= {
        "LOCKSCOPE_BROKER_URL": broker,
        "LOCKSCOPE_CACHE_URL": cache,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    try:
        django.setup()
        call_command("migrate", verbosity=0)
        with workers_of(folder) as workers:
            report_path.write_text(json.dumps(report(bundle.read_bytes(), workers, concurrency=2)))
    finally:
        services.stop_services()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
