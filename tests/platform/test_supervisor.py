"""`make run` as its user meets it: the real supervisor with its real children, on a var/ of its own."""

from __future__ import annotations

import http.cookiejar
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from apps.ingest.samples import SAMPLES
from tests.on_sqlite import NAME, put_migrated
from tests.part import part
from tests.patience import HANGS_S

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = re.compile(r"http://\S+")

# The first start is the long one, and the others use what it made.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def var_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the tables, which a start on an empty folder made once for all tests of this shape; the start of the whole
    program finds them as after an upgrade.
    """
    folder = tmp_path_factory.mktemp("supervisor") / "var"
    folder.mkdir(mode=0o700)
    put_migrated(folder)
    return folder


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    log: Path

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def address(self) -> str:
        wait_until(lambda: bool(ADDRESS.search(self.text())) or self.process.poll() is not None, HANGS_S)
        found = ADDRESS.findall(self.text())
        assert len(found) == 1, self.text()
        return str(found[0])


def wait_until(is_so: Callable[[], bool], limit_s: float) -> None:
    end = time.monotonic() + limit_s
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)


def processes_of(var_dir: Path) -> list[str]:
    """Whatever was started with this var/ in its environment; Valkey writes its title over that, and the title names
    its socket.
    """
    mark, found = f"LOCKSCOPE_VAR={var_dir}\0".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes().decode(errors="replace")
            if mark in (folder / "environ").read_bytes() + b"\0" or str(var_dir) in title:
                found.append(f"{folder.name} {title}")
        except OSError:
            continue
    return found


@contextmanager
def started(var_dir: Path, log: Path) -> Iterator[Running]:
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("LOCKSCOPE_", "DJANGO_", "PYTEST_"))
    }
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "scripts/dev.py"],
            cwd=ROOT,
            env=env | {"LOCKSCOPE_VAR": str(var_dir)},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            yield Running(process, log)
        finally:
            process.kill()
            process.wait()


def test_a_start_on_an_empty_folder_makes_all_tables(var_dir: Path) -> None:
    """Those that all tests of this shape begin with; they are made again where a migration or the start changes."""
    with closing(sqlite3.connect(var_dir / NAME)) as database:
        made = set(database.execute("SELECT app, name FROM django_migrations"))
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    written = {(path.parts[-3], path.stem) for path in ROOT.glob("apps/*/migrations/[0-9]*.py")}
    assert len(written) > 20
    assert written <= made
    assert {"accounts_user", "cases_case", "ingest_readingwindow"} <= tables


def test_it_starts_shows_the_samples_refuses_another_one_on_its_files_and_stops_without_a_trace(
    var_dir: Path, tmp_path: Path
) -> None:
    with started(var_dir, tmp_path / "log") as running:
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )
        page = opener.open(running.address(), timeout=HANGS_S).read().decode()
        missing = [sample.key for sample in SAMPLES if f"/cases/{sample.key}/" not in page]
        assert missing == []
        with started(var_dir, tmp_path / "other") as other:
            assert other.process.wait(HANGS_S) == 1
        assert "runs here already" in other.text()
        assert running.process.poll() is None
        [ended_by] = part([signal.SIGINT, signal.SIGTERM], 1, "ended")[:1]
        running.process.send_signal(ended_by)
        assert running.process.wait(HANGS_S) == 0, running.text()
    assert processes_of(var_dir) == []
    assert "Traceback" not in running.text()


@pytest.mark.parametrize("child", part(["celery", "gunicorn", "valkey.sock"], 1, "child"))
def test_the_death_of_a_child_stops_the_rest(var_dir: Path, tmp_path: Path, child: str) -> None:
    with started(var_dir, tmp_path / "log") as running:
        running.address()
        victim = min(int(line.split()[0]) for line in processes_of(var_dir) if child in line)
        os.kill(victim, signal.SIGKILL)
        assert running.process.wait(HANGS_S) == 1
        assert "process ended with status" in running.text()
    assert processes_of(var_dir) == []


def test_the_next_start_signs_in_with_a_new_link_and_nothing_is_left_running_when_it_is_killed(
    var_dir: Path, tmp_path: Path
) -> None:
    with started(var_dir, tmp_path / "log") as running:
        assert urllib.request.urlopen(running.address(), timeout=HANGS_S).status == 200  # noqa: S310 - our own address
        running.process.kill()
        running.process.wait()
        wait_until(lambda: not processes_of(var_dir), HANGS_S)
        assert processes_of(var_dir) == []
