"""All bundles through one shape of running, as a program: ``python -m scripts.soak.shape embedded|server BUNDLES
OUT.json``.

Its processes are started as ``make run`` and docker-compose.yml do; bundles go through the web process, pages are asked
for, and every so often, when nothing is left to do, somebody looks at what the processes hold.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from apps.cases.models import Case
    from tests.chaos.installation import Installation

AT_ONCE = 10
SAMPLES = 20
WARM = 20
AGAIN = 20
LIMIT_S = 600
LOOK_AGAIN_S = 15
PAGES_KEPT = 4 << 20
"""Bytes of parts of pages that a web process keeps: so few that they are full at once, and what grows beside them is
seen.
"""
PAGES = ("", "waiters/", "files/", "graph/", "locks/", "settings/", "history/")
ELSEWHERE = ("made_at", "case", "engine_version")
"""Of a report: what names the case and the moment."""


def main(shape: str, bundles: int, out: Path) -> None:
    from tests import services

    if shape == "embedded":
        os.environ["LOCKSCOPE_TEST_DB"] = "sqlite"
    services.start_services()
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LOCKSCOPE_LOG_LEVEL": "WARNING"}
    try:
        if shape == "server":
            createdb = [
                str(services.postgresql_programs() / "createdb"),
                "-h",
                os.environ["LOCKSCOPE_DB_HOST"],
                "-U",
                "postgres",
                "lockscope",
            ]
            subprocess.run(createdb, check=True)  # noqa: S603 - PostgreSQL's own program
        out.write_text(json.dumps(_soak(shape, bundles)), encoding="utf-8")
    finally:
        services.stop_services()


def _soak(shape: str, bundles: int) -> dict[str, Any]:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    began = time.monotonic()
    with _running(shape) as made:
        run = Run(made)
        first = run.send_all(bundles)
        again = run.send_all(min(AGAIN, bundles))
        run.look(bundles)
        return {
            "shape": shape,
            "bundles": bundles,
            "seconds": round(time.monotonic() - began),
            "load": os.getloadavg()[0],
            "first": first,
            "again": again,
            "samples": run.samples,
            "answers": {str(key): n for key, n in run.answers.items()},
            "states": run.states(),
            "left": run.left(),
            "ended": [name for name, process in made.running.items() if process.poll() is not None],
        }


@contextmanager
def _running(shape: str) -> Iterator[Installation]:
    from apps.accounts.models import Role, Team
    from tests.builders import person
    from tests.chaos.installation import Installation, free_port

    folder = Path(os.environ["LOCKSCOPE_VAR"])
    made = Installation(folder, free_port(), dict(os.environ))
    made.people["alice"] = person("alice", Team.objects.create(name="Oulu storage", slug="oulu-storage"), Role.OWNER)
    is_server = shape == "server"
    try:
        made.start_web(
            {"LOCKSCOPE_WEB_WORKERS": "2" if is_server else "1", "LOCKSCOPE_PAGES_KEPT_BYTES": str(PAGES_KEPT)}
        )
        made.start_worker(concurrency=2)
        made.start_worker("small", queues="light", env={"LOCKSCOPE_WORKER_SWEEPS": "false"})
        if is_server:
            made.start_beat()
        yield made
    finally:
        made.end_all()


class Run:
    """Sends, waits, looks."""

    def __init__(self, made: Installation) -> None:
        self.made = made
        self.samples: list[dict[str, Any]] = []
        self.answers: Counter[tuple[str, int]] = Counter()

    def send_all(self, bundles: int) -> list[str]:
        """What came of each, as a hash."""
        every = max(1, bundles // SAMPLES)
        found: list[str] = []
        for start in range(0, bundles, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, bundles))
            cases = [self._send(number) for number in numbers]
            for case in cases:
                self.made.until(lambda: self.made.is_complete(case), limit_s=LIMIT_S)  # noqa: B023 - called here
                found.append(outcome(case))
                self._read_pages(case, len(found))
            if start == 0 or (numbers[-1] + 1) // every > start // every:
                self.look(numbers[-1] + 1)
        return found

    def _send(self, number: int) -> Case:
        from scripts.soak.bundles import bundle

        name, content = bundle(number)
        case = self.made.case(f"Bundle {number}")
        self.answers["upload", self.made.post_file(case, content, name).status] += 1
        return case

    def _read_pages(self, case: Case, turn: int) -> None:
        """Two of them, others each time."""
        for page in (PAGES[turn % len(PAGES)], PAGES[(turn + 3) % len(PAGES)]):
            self.answers["page", self.made.page(f"/cases/{case.key}/{page}").status] += 1

    def look(self, at: int) -> None:
        from scripts.soak.looking import connections_held, held

        programs = {name: asdict(what) for name, what in held(self.made.running).items()}
        self.samples.append({"bundles": at, "programs": programs, "connections": connections_held()})

    def states(self) -> dict[str, int]:
        from apps.cases.models import Artifact

        return dict(Counter(Artifact.objects.order_by().values_list("state", flat=True)))

    def left(self) -> list[str]:
        """Rows and stored files that do not belong together, and temporary files. Nothing is at work: none of them is
        too young.

        Replaced diagnoses are still being removed, each first as a row and then as files: what is left over is still so
        later.
        """
        from apps.operations import integrity

        integrity.SETTLED = timedelta(0)
        found = self._left_now()
        if found:
            time.sleep(LOOK_AGAIN_S)
        later = set(self._left_now()) if found else set()
        return [one for one in found if one in later]

    def _left_now(self) -> list[str]:
        from apps.operations import integrity

        folders = (Path(os.environ["LOCKSCOPE_VAR"]) / "tmp", Path(os.environ["LOCKSCOPE_VAR"]) / "uploads")
        files = [str(path) for folder in folders if folder.exists() for path in folder.iterdir()]
        return [f"{fault.kind} {fault.about}: {fault.detail}" for fault in integrity.faults()] + files


def outcome(case: Case) -> str:
    """A hash of the files' states and of the whole report, by paths: rows have other numbers in another database."""
    from apps.cases.models import Case
    from apps.diagnosis.pages.export.report import as_json

    case = Case.objects.get(pk=case.pk)
    paths = dict(case.artifacts.values_list("pk", "path"))
    counted = (
        "path",
        "state",
        "message",
        "lines_total",
        "lines_understood",
        "lines_ignored",
        "lines_not_understood",
        "records",
    )
    files = sorted(map(str, case.artifacts.values_list(*counted)))
    bundles = [list(row) for row in case.bundles.values_list("state", "message", "members", "expanded_bytes")]
    report = as_json(case, case.current_diagnosis) if case.current_diagnosis else {}
    kept = {key: _by_path(value, paths) for key, value in report.items() if key not in ELSEWHERE}
    content = json.dumps([files, bundles, kept], sort_keys=True, default=str)
    if folder := os.environ.get("LOCKSCOPE_SOAK_OUTCOMES"):  # to see what differs
        Path(folder, f"{os.getpid()}-{case.title}-{case.pk}.json").write_text(content, encoding="utf-8")
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _by_path(value: Any, paths: dict[int, str]) -> Any:
    if isinstance(value, dict):
        return {key: paths.get(held) if key == "artifact" else _by_path(held, paths) for key, held in value.items()}
    return [_by_path(held, paths) for held in value] if isinstance(value, list | tuple) else value


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
