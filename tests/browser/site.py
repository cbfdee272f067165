"""The whole program for the browser tests: web server, Celery worker and the sample cases, on a database and queue of
its own.

It is started as a person starts it, by scripts/dev.py, beside the services that tests/services.py runs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext

from scripts import queue_server
from tests.patience import HANGS_S
from tests.services import BASE_DIR, MIGRATED, RUNNING

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
DATABASE = f"lockscope_browser_{WORKER}"
QUEUE_DATABASE = 40 + 2 * (int(WORKER.removeprefix("gw")) % 8)
PASSWORD = "slow-heron-over-the-weir"


@dataclass(frozen=True, slots=True)
class Site:
    """A running Lockscope and the address that signs in its administrator once."""

    origin: str
    sign_in_path: str

    def enter(self, context: BrowserContext) -> None:
        """Signs in, and sets the password that the sign-in form is tested with."""
        page = context.new_page()
        page.goto(self.origin + self.sign_in_path)
        page.goto(f"{self.origin}/accounts/password/")
        for field in ("new_password1", "new_password2"):
            page.locator(f"[name={field}]").fill(PASSWORD)
        page.get_by_role("button", name="Set password").click()
        page.wait_for_url(f"{self.origin}/")
        page.close()


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    """Until the end of the tests; the log of a start that fails is in the error."""
    log = folder / "site.log"
    if os.environ.get("LOCKSCOPE_DB_HOST"):
        _make_database()
    with log.open("wb") as out:
        command = [sys.executable, str(BASE_DIR / "scripts" / "dev.py")]
        process = subprocess.Popen(
            command, env=_environment(folder), stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        origin, path = _address_in(log, process)
        yield Site(origin, path)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(HANGS_S)


def _environment(folder: Path) -> dict[str, str]:
    services = Path(os.environ[RUNNING])
    broker_url, cache_url = queue_server.urls(services / "queue.sock", first_db=QUEUE_DATABASE)
    return os.environ | {
        "LOCKSCOPE_VAR": str(folder / "var"),
        "LOCKSCOPE_STORAGE": str(folder / "var" / "storage"),
        "LOCKSCOPE_BROKER_URL": broker_url,
        "LOCKSCOPE_CACHE_URL": cache_url,
        "LOCKSCOPE_DB_NAME": DATABASE,
        "LOCKSCOPE_WORKER_SWEEPS": "yes",
    }


def _make_database() -> None:
    import psycopg

    with psycopg.connect(
        host=os.environ["LOCKSCOPE_DB_HOST"], user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")  # of a start that failed
        connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE {MIGRATED}")


def _address_in(log: Path, process: subprocess.Popen[bytes]) -> tuple[str, str]:
    end = time.monotonic() + HANGS_S
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"(http://[^/\s]+)(/accounts/enter/\S+)", log.read_text(errors="replace")):
            return found[1], found[2]
        time.sleep(0.1)
    raise RuntimeError(f"Lockscope did not start:\n{log.read_text(errors='replace')}")
