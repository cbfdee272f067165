"""A whole Lockscope in the server shape for a module of tests: PostgreSQL, Redis, web, workers, beat, each a process
that may be killed.

The test's own process looks at the rows over a connection to that database, and asks the pages as a browser does.
"""

from __future__ import annotations

import ctypes
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.files.storage import FileSystemStorage
from django.db import connections
from kombu import Connection
from redis import Redis

from apps.accounts.models import Role, Team, User
from apps.cases import storage
from apps.cases.files.facts_place import place_of
from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.scheduling import diagnoses
from apps.operations import integrity
from config.celery import app
from scripts import queue_server
from tests.builders import make_case, person
from tests.ingest.tus_client import Answer, Sender
from tests.kept_files import keep_files_in
from tests.patience import HANGS_S
from tests.services import BASE_DIR, initialise_postgresql, postgresql_command, postgresql_programs, run_migrations

PR_SET_PDEATHSIG = 1
NOTHING: Mapping[str, str] = MappingProxyType({})
FAST = {
    "LOCKSCOPE_LEASE_S": "4",
    "LOCKSCOPE_LEASE_RENEW_S": "1",
    "LOCKSCOPE_SWEEP_S": "1",
    "LOCKSCOPE_PARTIAL_DIAGNOSIS_S": "2",
}
libc = ctypes.CDLL(None)


@dataclass
class Installation:
    """Processes by name; what a test kills it starts again before it ends."""

    folder: Path
    port: int
    env: dict[str, str]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    people: dict[str, User] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)

    # Processes
    # ------------------------------------------------------------------------------------------------------------

    def start(
        self, name: str, command: list[str], *, file_bytes: int | None = None, env: Mapping[str, str] = NOTHING
    ) -> subprocess.Popen[bytes]:
        """In a session of its own; with ``file_bytes`` no file of it may grow beyond that, which is what a full disk
        looks like.
        """

        def before() -> None:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if file_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

        with (self.folder / "log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command,
                cwd=BASE_DIR,
                env=self.env | dict(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=before,
            )
        return self.running[name]

    def start_database(self) -> None:
        command, account = postgresql_command(self.folder, keeps=True)
        with (self.folder / "log").open("ab") as log:
            self.running["database"] = subprocess.Popen(
                command,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT),
                **account,
            )
        is_ready = [str(postgresql_programs() / "pg_isready"), "-q", "-h", str(self.folder)]
        self.until(lambda: subprocess.run(is_ready, check=False).returncode == 0)

    def start_queue(self) -> None:
        """Without a file: what it held is gone with it, as on the worst of days."""
        server = shutil.which("redis-server") or queue_server.binary()
        data = self.folder / "queue"
        data.mkdir(exist_ok=True)
        self.start(
            "queue", queue_server.command(server, socket_path=self.folder / "queue.sock", folder=data, keeps=False)
        )
        self.until(lambda: queue_server.answers(self.folder / "queue.sock"))

    def start_web(self, env: Mapping[str, str] = NOTHING) -> None:
        self.start_other_web("web", self.port, env)
        self.until(self.is_answering)

    def start_other_web(self, name: str, port: int, env: Mapping[str, str]) -> Sender:
        """Alice at its address; it answers a moment later."""
        gunicorn = [sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi:application"]
        self.start(name, gunicorn, env={"LOCKSCOPE_BIND": f"127.0.0.1:{port}"} | dict(env))
        return Sender(f"http://127.0.0.1:{port}", self.people["alice"])

    def start_worker(
        self,
        name: str = "worker",
        *,
        queues: str = "light,heavy",
        concurrency: int = 1,
        file_bytes: int | None = None,
        env: Mapping[str, str] = NOTHING,
    ) -> subprocess.Popen[bytes]:
        options = [
            "--queues",
            queues,
            "--concurrency",
            str(concurrency),
            "--without-gossip",
            "--without-mingle",
            "--hostname",
            name,
        ]
        command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", *options]
        return self.start(name, command, file_bytes=file_bytes, env=env)

    def start_beat(self) -> None:
        schedule = self.folder / "beat-schedule"
        self.start(
            "beat",
            [sys.executable, "-m", "celery", "-A", "config.celery", "beat", "--schedule", str(schedule), "--pidfile="],
        )

    def kill(self, name: str) -> None:
        """The whole group at once: nobody has time to tell anybody."""
        process = self.running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def pause(self, name: str) -> None:
        os.killpg(self.running[name].pid, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        os.killpg(self.running[name].pid, signal.SIGCONT)

    def stop_database(self) -> None:
        """Connections are cut at once, as when its machine is restarted."""
        self.end("database", signal.SIGQUIT)

    def end(self, name: str, with_signal: signal.Signals = signal.SIGTERM, *, limit_s: float = 60) -> int:
        """Ask the main process to end; its exit status."""
        process = self.running.pop(name)
        process.send_signal(with_signal)
        return process.wait(limit_s)

    def kill_database(self) -> None:
        """The server and all who serve its connections, in the middle of whatever they write."""
        self.kill("database")

    def empty_queue(self) -> None:
        """Somebody typed FLUSHALL: messages, leases of messages, cache and all."""
        redis = Redis(unix_socket_path=str(self.folder / "queue.sock"))
        redis.flushall()
        redis.close()

    def end_all(self) -> None:
        for name in reversed(list(self.running)):
            if name == "database":
                self.stop_database()
            else:
                self.kill(name)

    def is_answering(self) -> bool:
        with suppress(OSError):
            return self.page("/healthz").status == 200
        return False

    def until(self, holds: Callable[[], Any], *, limit_s: float = HANGS_S) -> None:
        end = time.monotonic() + limit_s
        while not holds():
            assert time.monotonic() < end, self.log
            time.sleep(0.03)

    @property
    def log(self) -> str:
        """Its end, for a test that fails."""
        return (self.folder / "log").read_text(errors="replace")[-6000:]

    # What people and programs do
    # ------------------------------------------------------------------------------------------

    @cached_property
    def alice(self) -> Sender:
        """She stays signed in throughout."""
        return Sender(f"http://127.0.0.1:{self.port}", self.people["alice"])

    def case(self, title: str) -> Case:
        made = make_case(Team.objects.get(), title)
        self.cases.append(made)
        return made

    def upload(self, case: Case, content: bytes, name: str = "oulu-snap.tgz") -> Bundle:
        """Through the web process, as the upload page sends it."""
        answer = self.post_file(case, content, name)
        assert answer.status == 201, answer.text
        return case.bundles.latest("pk")

    def post_file(self, case: Case, content: bytes, name: str) -> Answer:
        head = (
            f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: '
            "application/gzip\r\n\r\n"
        )
        body = head.encode() + content + b"\r\n--cut--\r\n"
        headers = {"Content_Type": "multipart/form-data; boundary=cut", "Accept": "application/json"}
        return self.alice.ask("POST", f"/cases/{case.key}/upload/", body, **headers)

    def page(self, path: str) -> Answer:
        return self.alice.ask("GET", path, Accept="text/html")

    def press(self, path: str) -> Answer:
        return self.alice.ask("POST", path, Content_Type="application/x-www-form-urlencoded")

    def send(self, task: str, pk: int, *, times: int = 1, queue: str = "light") -> None:
        """A message of the broker, as it may come late or twice."""
        with Connection(
            self.env["LOCKSCOPE_BROKER_URL"], transport_options=app.conf.broker_transport_options
        ) as broker:
            for _ in range(times):
                app.send_task(task, (pk,), queue=queue, connection=broker)

    # What must hold
    # -------------------------------------------------------------------------------------------------------

    def is_complete(self, case: Case) -> bool:
        return diagnoses.is_settled(case.pk) and not diagnoses.is_awaited(case.pk)

    def result(self, case: Case) -> dict[str, Any]:
        """What people are told of it: the same whatever went wrong meanwhile."""
        case.refresh_from_db()
        shown = case.current_diagnosis
        assert shown is not None
        return {
            "files": list(case.artifacts.order_by("path").values_list("path", "state", "records", "sha256", "nodes")),
            "verdict": shown.verdict_title,
            "findings": list(shown.findings.order_by("order").values_list("title", "severity", "explanation", "nodes")),
        }

    def the_case_is_whole(self, case: Case, files: int, *, failed: int = 0) -> None:
        """Each file parsed exactly once, or shown as failed; one diagnosis of all of them; rows and stored files belong
        together.
        """
        self.until(lambda: self.is_complete(case))
        case.refresh_from_db()
        rows = list(Artifact.objects.filter(case=case).values_list("state", "facts_generation", "lease_until"))
        assert sorted(rows) == [("failed", 0, None)] * failed + [("parsed", 1, None)] * (files - failed)
        shown = case.current_diagnosis
        assert shown is not None
        assert (shown.partial, shown.files_total) == (False, files)
        for pk, facts in Artifact.objects.filter(case=case, state="parsed").values_list("pk", "facts"):
            place = place_of(facts)
            assert storage.listing(place.prefix), facts
            assert storage.folders(f"cases/{case.pk}/facts/{pk}/") == ([facts] if place.number is None else [])
        assert [fault for fault in integrity.faults() if fault.kind != "orphan"] == []


@contextmanager
def installed(unblock: Any, monkeypatch: Any) -> Iterator[Installation]:
    """Servers, an empty database and one team; whatever happens they end with the tests."""
    folder = Path(tempfile.mkdtemp(prefix="lockscope-chaos-"))
    folder.chmod(0o755)
    made = Installation(folder, free_port(), _environment(folder))
    try:
        initialise_postgresql(folder)
        made.start_database()
        made.start_queue()
        _make_database(made.env)
        with unblock(), _looked_at(made, monkeypatch):
            team = Team.objects.create(name="Oulu storage", slug="oulu-storage")
            made.people["alice"] = person("alice", team, Role.OWNER)
            assert made.alice.user is not None
            yield made
    finally:
        made.end_all()
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    broker_url, cache_url = queue_server.urls(folder / "queue.sock")
    return (
        os.environ
        | FAST
        | {
            "LOCKSCOPE_VAR": str(folder / "var"),
            "LOCKSCOPE_STORAGE": str(folder / "storage"),
            "LOCKSCOPE_UPLOADS": str(folder / "uploads"),
            "LOCKSCOPE_BROKER_URL": broker_url,
            "LOCKSCOPE_CACHE_URL": cache_url,
            "LOCKSCOPE_DB_HOST": str(folder),
            "LOCKSCOPE_DB_NAME": "lockscope",
            "LOCKSCOPE_DB_USER": "postgres",
            "LOCKSCOPE_SECRET_KEY": os.environ.get("LOCKSCOPE_SECRET_KEY") or secrets.token_hex(32),
            "LOCKSCOPE_BASE_URL": "http://localhost",
            "LOCKSCOPE_WORKER_SWEEPS": "true",
            "LOCKSCOPE_TASK_RETRIES": "3",
        }
    )


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _make_database(env: Mapping[str, str]) -> None:
    """By its migrations, as a server makes it."""
    import psycopg

    with psycopg.connect(
        host=env["LOCKSCOPE_DB_HOST"], user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE lockscope")
    run_migrations(dict(env))


@contextmanager
def _looked_at(made: Installation, monkeypatch: Any) -> Iterator[None]:
    """This process's own connection and storage lead to the installation meanwhile."""
    connection = connections["default"]
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", made.env["LOCKSCOPE_DB_HOST"])
    monkeypatch.setitem(connection.settings_dict, "NAME", "lockscope")
    keep_files_in(monkeypatch, FileSystemStorage(location=made.env["LOCKSCOPE_STORAGE"]))
    try:
        yield
    finally:
        connection.close()
