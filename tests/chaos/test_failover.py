"""The database's machine is lost for good, and a standby that had every commit takes over at the same address; the
object store does not answer, or refuses, while files are read.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import boto3
import psycopg
import pytest
from django.core.files.storage import storages
from django.db import connection
from django.utils.module_loading import import_string

from config.object_store import storage_from_env
from tests.chaos.installation import Installation, free_port
from tests.chaos.work import FILES, many, some_are_read
from tests.object_stores import BUCKET, KEYS
from tests.services import account_of_postgresql, postgresql_command, postgresql_programs

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
SOCKET = ".s.PGSQL.5432"
AWAY_S = 20
BLOCK = 64 << 10


class Standby:
    """Follows the installation's database and confirms each of its commits before the client hears of it."""

    def __init__(self, lockscope: Installation) -> None:
        self._of = lockscope
        self._place = lockscope.folder / "standby"
        self._place.mkdir(mode=0o755)
        self._account = account_of_postgresql()
        self._made()
        command, account = postgresql_command(self._place, keeps=True)
        with (lockscope.folder / "log").open("ab") as log:
            lockscope.running["standby"] = subprocess.Popen(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **account
            )
        with self._asked(lockscope.folder) as primary:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")
            confirmed = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            lockscope.until(lambda: primary.execute(confirmed).fetchone() == (1,))

    def _made(self) -> None:
        if self._account:
            shutil.chown(self._place, "postgres", "postgres")
        copy = [str(postgresql_programs() / "pg_basebackup"), "-h", str(self._of.folder), "-U", "postgres", "-R"]
        subprocess.run(
            [*copy, "-X", "stream", "-c", "fast", "-D", str(self._place / "postgresql")],
            check=True,
            cwd="/",
            **self._account,
        )

    def _asked(self, folder: Path) -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True)

    def take_over(self) -> None:
        """It answers where the other one did."""
        with self._asked(self._place) as standby:
            standby.execute("ALTER SYSTEM RESET synchronous_standby_names")
            standby.execute("SELECT pg_promote()")
            standby.execute("SELECT pg_reload_conf()")
        for name in (SOCKET, f"{SOCKET}.lock"):
            (self._of.folder / name).unlink(missing_ok=True)
        (self._of.folder / SOCKET).symlink_to(self._place / SOCKET)
        self._of.running["database"] = self._of.running.pop("standby")


def test_t45_a_standby_that_takes_over_costs_nothing_but_time(lockscope: Installation, calm: dict[str, Any]) -> None:
    standby = Standby(lockscope)
    case, late = lockscope.case("PostgreSQL fails over"), lockscope.case("Sent to the standby")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.kill_database()
    answer = lockscope.page(f"/cases/{case.key}/files/")
    assert (answer.status, "The database cannot be reached at the moment" in answer.text) == (503, True)
    standby.take_over()
    connection.close()
    lockscope.upload(late, many(2))
    lockscope.the_case_is_whole(case, FILES)
    lockscope.the_case_is_whole(late, 2)
    assert lockscope.result(case) == calm
    assert lockscope.page(f"/cases/{case.key}/").status == 200


class Relay:
    """In front of a server: ``is_open`` says whether it takes connections; while it does not, none of them goes on."""

    def __init__(self, to: int) -> None:
        self.port, self._to = free_port(), to
        self._listener: socket.socket | None = None
        self._ends: list[socket.socket] = []

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        for end in (self._listener, *self._ends):
            if end is not None:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._listener, self._ends = None, []

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [client, server]
                for here, there in ((client, server), (server, client)):
                    threading.Thread(target=_carry, args=(here, there), daemon=True).start()


def _carry(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        while block := here.recv(BLOCK):
            there.sendall(block)
        there.shutdown(socket.SHUT_WR)


@pytest.fixture
def store(lockscope: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Relay]:
    """Web and worker of a machine that keeps its files in a store behind a relay."""
    port = free_port()
    lockscope.start("store", [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)])
    lockscope.until(lambda: _takes(port))
    boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", **KEYS).create_bucket(Bucket=BUCKET)
    relay = Relay(port)
    relay.open()
    env = {
        "LOCKSCOPE_S3_BUCKET": BUCKET,
        "LOCKSCOPE_S3_ENDPOINT": f"http://127.0.0.1:{relay.port}",
        "LOCKSCOPE_S3_ACCESS_KEY": KEYS["aws_access_key_id"],
        "LOCKSCOPE_S3_SECRET_KEY": KEYS["aws_secret_access_key"],
    }
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    named: Any = storage_from_env(Path("/nowhere"))
    monkeypatch.setitem(storages._storages, "default", import_string(named["BACKEND"])(**named["OPTIONS"]))  # type: ignore[attr-defined]
    for name in ("web", "worker"):
        lockscope.end(name)
    lockscope.start_web(env | {"LOCKSCOPE_VAR": str(tmp_path / "var")})
    lockscope.start_worker(env=env | {"LOCKSCOPE_VAR": str(tmp_path / "var")})
    yield relay
    relay.close()
    for name in ("web", "worker", "store"):
        lockscope.kill(name)
    lockscope.start_web()
    lockscope.start_worker()


def _takes(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False


@pytest.mark.parametrize("how", ["refuses", "does not answer"])
def test_t45_an_object_store_that_is_away_costs_nothing_but_time(
    lockscope: Installation, calm: dict[str, Any], store: Relay, how: str
) -> None:
    case = lockscope.case(f"A store that {how}")
    bundle = lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    if how == "refuses":
        store.close()
    else:
        lockscope.running["store"].send_signal(signal.SIGSTOP)
    end = time.monotonic() + AWAY_S
    refused = lockscope.page(f"/cases/{case.key}/bundles/{bundle.pk}/download/")
    assert (refused.status, "The storage of files cannot be reached" in refused.text) == (503, True)
    assert lockscope.page(f"/cases/{case.key}/").status == 200
    time.sleep(max(0.0, end - time.monotonic()))
    if how == "refuses":
        store.open()
    else:
        lockscope.running["store"].send_signal(signal.SIGCONT)
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.result(case) == calm
