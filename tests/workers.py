"""Real Celery workers for a test, on its own database and queue, with a lease of seconds; whatever happens they end
with the test.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from celery import current_app
from django.core.cache import cache
from django.db import connection

from tests.services import THREADS

BASE_DIR = Path(__file__).resolve().parents[1]
SHORT_LEASE = {
    "LOCKSCOPE_LEASE_S": "6",
    "LOCKSCOPE_LEASE_RENEW_S": "1",
    "LOCKSCOPE_SWEEP_S": "3",
    "LOCKSCOPE_WORKER_SWEEPS": "true",
}
"""A sweep takes a second where others keep the machine busy: one each second would be all that the only worker does."""
PR_SET_PDEATHSIG = 1
NOTHING: Mapping[str, str] = MappingProxyType({})
libc = ctypes.CDLL(None)


class Workers:
    def __init__(self, log: Path) -> None:
        self._log = log
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *, concurrency: int = 1, settings: Mapping[str, str] = NOTHING) -> subprocess.Popen[bytes]:
        env = os.environ | SHORT_LEASE | dict(settings) | {"LOCKSCOPE_DB_NAME": str(connection.settings_dict["NAME"])}
        env.pop(THREADS, None)  # workers run as they do elsewhere
        options = ["--queues", "light,heavy", "--concurrency", str(concurrency), "--without-gossip", "--without-mingle"]
        with self._log.open("ab") as log:
            worker = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "config.celery", "worker", *options],
                cwd=BASE_DIR,
                env=env,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        self._running.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """The whole group at once: the main process has no time to tell anybody."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        self._running.remove(worker)

    def wait_for(self, holds: Callable[[], bool], *, limit_s: float) -> None:
        end = time.monotonic() + limit_s
        while not holds():
            assert time.monotonic() < end, self._log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)  # each look asks the database, and the workers need the machine

    def stop(self) -> None:
        while self._running:
            self.kill(self._running[0])


def empty_queues(channel: Any) -> None:
    """All but the bindings: who has sent before in this process believes that they are there and does not make them
    again.
    """
    for key in channel.client.scan_iter():
        if not key.startswith(b"_kombu.binding"):
            channel.client.delete(key)


@contextmanager
def workers_of(folder: Path) -> Iterator[Workers]:
    """Beginning with an empty queue."""
    cache.clear()
    with current_app.connection_for_write() as broker:
        empty_queues(broker.default_channel)
    workers = Workers(folder / "worker.log")
    try:
        yield workers
    finally:
        workers.stop()
