"""An object store that refuses connections, and one that takes them and says nothing, while files are read."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.db import connection
from django.utils.module_loading import import_string

from config.object_store import storage_from_env
from tests.chaos.installation import Installation, free_port
from tests.chaos.work import FILES, many, some_are_read
from tests.kept_files import keep_files_in
from tests.object_stores import BUCKET, KEYS

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
AWAY_S = 20
BLOCK = 64 << 10


class Relay:
    """In front of a server. While it is closed nothing is connected, and nothing that was goes on."""

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
    keep_files_in(monkeypatch, import_string(named["BACKEND"])(**named["OPTIONS"]))
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


def test_t45_an_object_store_that_is_away_costs_nothing_but_time(lockscope: Installation, store: Relay) -> None:
    calm = lockscope.case("Calm")
    lockscope.upload(calm, many())
    lockscope.the_case_is_whole(calm, FILES)
    refused, silent = lockscope.case("A store that refuses"), lockscope.case("A store that says nothing")
    for case in (refused, silent):
        bundle = lockscope.upload(case, many())
        some_are_read(lockscope, case.pk)
        end = time.monotonic() + AWAY_S
        if case is refused:
            store.close()
        else:
            lockscope.running["store"].send_signal(signal.SIGSTOP)
        answer = lockscope.page(f"/cases/{case.key}/bundles/{bundle.pk}/download/")
        assert (answer.status, "The storage of files cannot be reached" in answer.text) == (503, True)
        assert lockscope.page("/").status == 200  # of the case itself some parts are in the store
        time.sleep(max(0.0, end - time.monotonic()))
        if case is refused:
            store.open()
        else:
            lockscope.running["store"].send_signal(signal.SIGCONT)
        # What failed meanwhile goes on by itself: nobody presses a button.
        for rows in (case.bundles, case.artifacts):
            lockscope.until(partial(_none_failed, rows))
        lockscope.the_case_is_whole(case, FILES)
        assert lockscope.result(case) == lockscope.result(calm)


def _none_failed(rows: Any) -> bool:
    return not rows.filter(state="failed").exists()
