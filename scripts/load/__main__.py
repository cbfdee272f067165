"""``make load``: readers and uploaders at once against a server of one's own (PostgreSQL, Redis, gunicorn, two workers)
on this machine.

Writes docs/benchmarks_load.md. With LOAD_GB=2 workers read that much text beside. Locust lives in a virtual environment
of its own, .venv-load.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench import corpus
from scripts.load import costs

ROOT = Path(__file__).resolve().parents[2]
LOCUST = ROOT / ".venv-load" / "bin" / "locust"
REPORT = ROOT / "docs" / "benchmarks_load.md"
READERS, UPLOADERS, SECONDS, CASES = 100, 10, 180, 1_000
COPIES = 4
"""So often each sample is read into a case: people read many cases, and what is kept for one helps no other."""
WARM_UP_S = 5
BESIDE = "Read beside"
MEMBER_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Beside:
    """What workers read while people opened pages."""

    text_bytes: int
    read_bytes: int


def main() -> int:
    sys.path.insert(0, str(ROOT))
    from tests import services  # its PostgreSQL and Redis

    if not LOCUST.exists():
        sys.exit("Locust is not there: run `make load`, which makes .venv-load")
    services.start_services()
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOCKSCOPE_WORKER_SWEEPS": "true",
        "LOCKSCOPE_LOG_LEVEL": "WARNING",
    }
    del os.environ["LOCKSCOPE_WORKER_NICE"]  # as a server has it, not as tests do
    running = Path(os.environ[services.RUNNING])
    try:
        createdb = [str(services.postgresql_programs() / "createdb"), "-h", str(running), "-U", "postgres", "lockscope"]
        subprocess.run(createdb, check=True)  # noqa: S603 - PostgreSQL's own program
        with tempfile.TemporaryDirectory(prefix="lockscope-load-") as name:
            measure(Path(name))
    finally:
        services.stop_services()
    return 0


def measure(folder: Path) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
    port = free_port()
    with processes(port) as web:
        given = fill()
        (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
        time.sleep(WARM_UP_S)  # what uploads leave to do
        busy = os.getloadavg()[0]
        from tests import services

        database = services.started[0][0].pid
        pages = costs.costs(port, given, costs.children(web), database)
        bundle = large_bundle(folder)
        before = done_beside()
        if bundle is not None:
            send_beside(bundle)
        rows = load(folder, port)
        beside = Beside(done_beside().text_bytes, done_beside().read_bytes - before.read_bytes)
        write(rows, outcome(given["upload_to"]), busy, pages, beside)


def load(folder: Path, port: int) -> list[dict[str, str]]:
    """Locust's own figures."""
    script = str(Path(__file__).with_name("locustfile.py"))
    locust = [str(LOCUST), "-f", script, "--headless", "--only-summary", "--exit-code-on-error", "0"]
    where = ["--csv", str(folder / "out"), "--host", f"http://127.0.0.1:{port}"]
    how = ["-u", str(READERS + UPLOADERS), "-r", "15", "-t", f"{SECONDS}s"]
    env = os.environ | {"LOCKSCOPE_LOAD": str(folder / "given.json")}
    subprocess.run([*locust, *where, *how], env=env, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own programs
    return list(csv.DictReader((folder / "out_stats.csv").open(encoding="utf-8")))


def large_bundle(folder: Path) -> Path | None:
    """As many gigabytes of text as LOAD_GB says, made before anything is measured."""
    gigabytes = float(os.environ.get("LOAD_GB", "0"))
    members = round(gigabytes * 1e9 / MEMBER_BYTES)
    return corpus.bundle(folder / "beside.tar.gz", members, MEMBER_BYTES) if members else None


def send_beside(bundle: Path) -> None:
    from apps.accounts.models import Team
    from apps.cases.services import create_case
    from apps.ingest.tasks import queue_bundle
    from apps.ingest.uploads import receive

    case = create_case(team=Team.objects.get(slug="load"), title=BESIDE)
    queue_bundle(receive.store_bytes(case, bundle.read_bytes(), filename=bundle.name, user=None))


def done_beside() -> Beside:
    """How much text the large bundle has, as far as it is unpacked, and how much of it was read."""
    from django.db.models import Sum

    from apps.cases.models import Artifact

    found = Artifact.objects.filter(case__title=BESIDE).aggregate(text=Sum("size"), read=Sum("read_bytes"))
    return Beside(found["text"] or 0, found["read"] or 0)


@contextmanager
def processes(port: int) -> Iterator[int]:
    """Web and workers as in docker-compose.yml; the number of the web process whose children answer."""
    celery = [
        sys.executable,
        "-m",
        "celery",
        "--quiet",
        "-A",
        "config.celery",
        "worker",
        "--without-gossip",
        "--without-mingle",
    ]
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi:application"]
    commands = (
        gunicorn,
        [*celery, "--queues", "light,heavy", "--concurrency", "2"],
        [*celery, "--queues", "light", "-n", "small@%h"],
    )
    env = os.environ | {"LOCKSCOPE_BIND": f"127.0.0.1:{port}", "LOCKSCOPE_WEB_WORKERS": "2"}
    running = [subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True) for command in commands]  # noqa: S603 - our own
    try:
        wait_for(port)
        yield running[0].pid
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the web process did not start")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def fill() -> dict[str, Any]:
    """The sample cases, read by the workers; many cases that only stand in the list; a session for everybody."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.core.management import call_command

    from apps.accounts.models import Role, Team
    from apps.cases.models import Case
    from apps.cases.services import create_case
    from apps.web.session_store import SessionStore
    from tests.builders import person

    team = Team.objects.create(name="Load", slug="load")
    call_command("load_samples", team="load", wait=300)
    copy_samples(team)
    sessions = []
    for number in range(READERS + UPLOADERS):
        user = person(f"person{number}", team, Role.EDITOR)
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        sessions.append(str(session.session_key))
    samples = list(Case.objects.filter(team=team).values_list("key", flat=True))
    for number in range(CASES):
        create_case(team=team, title=f"Writers hang on volume {number}")
    return {
        "sessions": sessions,
        "cases": samples,
        "upload_to": create_case(team=team, title="Uploads").key,
        "readers": READERS,
        "uploaders": UPLOADERS,
        "session_cookie": settings.SESSION_COOKIE_NAME,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }


def copy_samples(team: Any) -> None:
    """The samples in more cases, read like the first ones."""
    from apps.cases.services import create_case
    from apps.ingest.samples import SAMPLES
    from apps.ingest.scheduling import diagnoses
    from apps.ingest.tasks import queue_bundle
    from apps.ingest.uploads import receive

    cases = []
    for sample in SAMPLES:
        content = sample.build()
        for _ in range(COPIES - 1):
            case = create_case(team=team, title=sample.title, customer=sample.customer)
            queue_bundle(receive.store_bytes(case, content, filename=sample.filename, user=None))
            cases.append(case.pk)
    end = time.monotonic() + 600
    while any(diagnoses.is_awaited(case) for case in cases) and time.monotonic() < end:
        time.sleep(0.5)


def outcome(key: str) -> dict[str, int]:
    """What became of the uploads, a minute after the last at most."""
    from apps.cases.models import Artifact, Bundle, Case
    from apps.ingest.scheduling import diagnoses

    case = Case.objects.get(key=key)
    end = time.monotonic() + 60
    while not diagnoses.is_settled(case.pk) and time.monotonic() < end:
        time.sleep(0.2)
    files = Artifact.objects.filter(case=case)
    return {
        "bundles": Bundle.objects.filter(case=case).count(),
        "files": files.count(),
        "read": files.filter(state="parsed").count(),
        "failed": files.filter(state="failed").count(),
    }


def write(
    rows: list[dict[str, str]], uploads: dict[str, int], busy: float, pages: list[costs.Cost], beside: Beside
) -> None:
    lines = [
        "# Load",
        "",
        (
            f"By `make load` on {time.strftime('%Y-%m-%d')}: {READERS} readers (a page every 3 to 9 s) and "
            f"{UPLOADERS} uploaders"
        ),
        f"(a bundle of three files every 8 to 16 s) for {SECONDS} s over loopback; {3 * COPIES} cases that were read,",
        (
            f"{CASES:,} others in the list. PostgreSQL, Redis, two web processes of 16 threads, three worker "
            "processes and Locust itself"
        ),
        f"share {os.cpu_count()} cores ({platform.machine()}). {beside_words(beside)}",
        f"Load average of the machine before it began, from whatever else ran: {busy:.1f}.",
        (
            "Above 1, these times tell more of what ran beside it than of the program; that there are no "
            "errors holds all the same."
        ),
        "",
        "| what | requests | errors | p50 ms | p95 ms | slowest ms |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        name = "**all**" if row["Name"] == "Aggregated" else row["Name"]
        slowest = round(float(row["Max Response Time"]))
        lines.append(
            f"| {name} | {row['Request Count']} | {row['Failure Count']} | {row['50%']} | {row['95%']} | {slowest} |"
        )
    read = (
        f"{uploads['read']} of {uploads['files']} files of {uploads['bundles']} uploads were read within a "
        "minute of the end"
    )
    lines += ["", f"{read}, {uploads['failed']} failed.", "", *cost_lines(pages)]
    REPORT.write_text("\n".join(lines), encoding="utf-8")
    sys.stdout.write("\n".join(lines) + "\n")


def beside_words(beside: Beside) -> str:
    if not beside.text_bytes:
        return "Nothing else was read meanwhile (`LOAD_GB=2 make load` reads 2 GB beside)."
    done, whole = beside.read_bytes / 1e9, beside.text_bytes / 1e9
    return f"Beside, the workers (niced) read {done:.2f} GB of a bundle of {whole:.2f} GB of text."


def cost_lines(pages: list[costs.Cost]) -> list[str]:
    return [
        "## What a page costs",
        "",
        (
            f"Processor time of one request, mean of {costs.REQUESTS}, one after the other before the load "
            "began: the figure to reckon a"
        ),
        (
            "larger machine with. On a machine that was busy otherwise, so were its caches and the other "
            "half of each core: then it is higher."
        ),
        "`first` is a page of which nothing is kept yet in that process (apps/web/kept.py), one for each case.",
        "",
        "| page | first, web ms | web ms | database ms | KiB |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {one.name} | {one.first_ms:.0f} | {one.web_ms:.0f} | {one.database_ms:.0f} | {one.kib:.0f} |"
            for one in pages
        ),
        "",
    ]


if __name__ == "__main__":
    sys.exit(main())
