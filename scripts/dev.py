"""Starts Lockscope on one machine and stops it again: queue, worker and web server under one supervisor.

Each child has its own session, so that Ctrl-C reaches only this process, which stops them in reverse order. A child
that ends by itself ends the rest. Nothing here imports Django: the address should be there within seconds.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

BASE_DIR = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BASE_DIR))

from scripts import prepare, queue_server  # noqa: E402 - found by the line above, whatever the working directory is

VAR_DIR = Path(os.environ.get("LOCKSCOPE_VAR") or BASE_DIR / "var")
FIRST_PORT = 8000
LAST_PORT = 8099
START_LIMIT_S = 300
"""Against hanging: what takes some seconds takes minutes where other programs keep a small machine busy."""
STOP_LIMIT_S = {"web": 4, "worker": 7, "small worker": 7, "queue": 3}
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


class StartError(Exception):
    """Said to the user in one line; everything that runs already is stopped."""


class StoppedError(Exception):
    """Ctrl-C, or a request to end, while still starting."""


def die_with_parent() -> None:
    """Runs in the child before its program: a supervisor that is killed outright leaves nothing behind."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Supervisor:
    env: dict[str, str]
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    is_stopping: bool = False
    lock: IO[str] | None = None
    short_folder: Path | None = None
    """Of the queue's socket, where var/ lies too deep for the length that a socket's path may have."""

    def start(
        self, name: str, command: list[str], *, pass_fds: tuple[int, ...] = (), env: dict[str, str] | None = None
    ) -> None:
        self.children[name] = self.spawn(command, pass_fds=pass_fds, env=env)

    def spawn(
        self,
        command: list[str],
        *,
        pass_fds: tuple[int, ...] = (),
        stdin: int = subprocess.DEVNULL,
        stdout: int | None = None,
        env: dict[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own programs, no shell
            command,
            cwd=BASE_DIR,
            env=self.env | (env or {}),
            stdin=stdin,
            stdout=stdout,
            pass_fds=pass_fds,
            start_new_session=True,
            preexec_fn=die_with_parent,  # one call of prctl, and this process has one thread
        )

    def check(self) -> None:
        """Raises when the start was interrupted or a child is gone."""
        if self.is_stopping:
            raise StoppedError
        for name, child in self.children.items():
            if child.poll() is not None:
                raise StartError(f"the {name} process ended with status {child.returncode}, see above")

    def wait_for(self, what: str, is_there: Callable[[], bool], *, limit_s: float = START_LIMIT_S) -> None:
        end = time.monotonic() + limit_s
        while not is_there():
            self.check()
            if time.monotonic() > end:
                raise StartError(f"{what} did not answer within {limit_s:.0f} s")
            time.sleep(0.05)

    def stop_all(self) -> None:
        for name in reversed(self.children):
            stop_group(self.children[name], limit_s=STOP_LIMIT_S[name])
        if self.short_folder:
            shutil.rmtree(self.short_folder, ignore_errors=True)


def stop_group(child: subprocess.Popen[bytes], *, limit_s: float) -> None:
    """Ask, wait, then end its whole group: a worker's pool processes belong to it. Unfinished tasks come back by their
    lease.
    """
    if child.poll() is None:
        child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.wait(limit_s)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@dataclass
class Preparation:
    """The Django process of scripts/prepare.py, spoken to by lines."""

    supervisor: Supervisor
    process: subprocess.Popen[bytes]
    pending: bytes = b""

    def line(self, *, limit_s: float) -> str | None:
        """Its next line, or None when the time is over."""
        end = time.monotonic() + limit_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            while b"\n" not in self.pending:
                self.supervisor.check()
                if time.monotonic() > end:
                    return None
                if selector.select(0.1):
                    self._read_more()
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def _read_more(self) -> None:
        chunk = os.read(self._out.fileno(), 4096)
        if not chunk:
            raise StartError("the database or the static files could not be prepared, see above")
        self.pending += chunk

    @property
    def _out(self) -> IO[bytes]:
        if self.process.stdout is None:
            raise StartError("the preparation has no output")
        return self.process.stdout

    def send(self, word: str) -> None:
        if self.process.stdin is not None:
            self.process.stdin.write(f"{word}\n".encode())
            self.process.stdin.close()


@contextmanager
def prepared(supervisor: Supervisor) -> Iterator[Preparation]:
    command = [sys.executable, str(BASE_DIR / "scripts" / "prepare.py")]
    process = supervisor.spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield Preparation(supervisor, process)
    finally:
        stop_group(process, limit_s=1)


def listening_socket() -> socket.socket:
    """Bound here and handed to the web server, so that no one can take the port in between."""
    wanted = os.environ.get("LOCKSCOPE_PORT", "")
    if wanted and not wanted.isdigit():
        raise StartError("LOCKSCOPE_PORT must be a number")
    for port in [int(wanted)] if wanted else range(FIRST_PORT, LAST_PORT + 1):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
        else:
            return listener
    raise StartError(f"port {wanted} is taken" if wanted else f"no free port from {FIRST_PORT} to {LAST_PORT}")


def is_answering(url: str) -> bool:
    """Straight to the address: a proxy of the environment has no part in it."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=1) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def only_one_here() -> IO[str]:
    """Two supervisors on one var/ would share a queue and a socket; the lock ends with the process that holds it."""
    run = VAR_DIR / "run"
    run.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = (run / "supervisor.lock").open("a+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StartError(f"Lockscope runs here already ({VAR_DIR}); stop it with Ctrl-C in its own terminal") from None
    return lock


def start_queue(supervisor: Supervisor) -> None:
    if os.environ.get("LOCKSCOPE_BROKER_URL"):
        return
    folder = VAR_DIR / "queue"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    socket_path = VAR_DIR / "run" / "valkey.sock"
    if len(os.fsencode(socket_path)) > queue_server.SOCKET_PATH_BYTES:
        supervisor.short_folder = Path(tempfile.mkdtemp(prefix="lockscope-"))
        socket_path = supervisor.short_folder / "valkey.sock"
    socket_path.unlink(missing_ok=True)
    broker_url, cache_url = queue_server.urls(socket_path)
    supervisor.env |= {"LOCKSCOPE_BROKER_URL": broker_url, "LOCKSCOPE_CACHE_URL": cache_url}
    try:
        server = queue_server.binary()
    except FileNotFoundError as error:
        raise StartError(str(error)) from None
    supervisor.start("queue", queue_server.command(server, socket_path=socket_path, folder=folder, keeps=True))
    supervisor.wait_for("the queue", lambda: queue_server.answers(socket_path))


def start_worker(supervisor: Supervisor) -> None:
    # Somebody's own machine may well be used as root; saying so at each start would hide what matters.
    quietly = ["-W", "ignore:You're running the worker with superuser"]
    celery = [sys.executable, *quietly, "-m", "celery", "--quiet", "-A", "config.celery", "worker"]
    options = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    processes = os.environ.get("LOCKSCOPE_WORKERS", "").strip() or "2"
    if not processes.isdigit() or int(processes) < 1:
        raise StartError(f"LOCKSCOPE_WORKERS is {processes!r}: it must be the number of processes that read, 1 or more")
    supervisor.start("worker", [*celery, "--queues", "light,heavy", "--concurrency", processes, *options])
    # Huge files keep all of its processes busy for minutes; a small upload does not wait for them.
    small = ["--queues", "light", "--concurrency", "1", "--hostname", "small@%h"]
    supervisor.start("small worker", [*celery, *small, *options], env={"LOCKSCOPE_WORKER_SWEEPS": "false"})


def start_web(supervisor: Supervisor, listener: socket.socket) -> None:
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "--workers", "1"]
    command = [*gunicorn, "--bind", f"fd://{listener.fileno()}", "config.wsgi:application"]
    supervisor.start("web", command, pass_fds=(listener.fileno(),))


def state_of_sources() -> str:
    """Changes with whatever a preparation works from: migrations, settings, packages, static files, the database."""
    sources = (BASE_DIR / "static", BASE_DIR / "config", *sorted(BASE_DIR.glob("apps/*/migrations")))
    database = "".join(f"{name}={os.environ.get(name, '')}\0" for name in ("LOCKSCOPE_DB_HOST", "LOCKSCOPE_DB_NAME"))
    return prepare.static_digest(*sources) + hashlib.sha256(database.encode()).hexdigest()


def start_all(supervisor: Supervisor) -> str:
    """Everything in its order; gives the address to open."""
    start_queue(supervisor)
    stamp, state = VAR_DIR / ".prepared", state_of_sources()
    is_as_before = stamp.exists() and stamp.read_text(encoding="ascii") == state
    with listening_socket() as listener, prepared(supervisor) as preparation:
        if is_as_before:
            start_web(supervisor, listener)  # beside the preparation, which will find nothing to change
        if preparation.line(limit_s=START_LIMIT_S) != "ready":
            raise StartError("the database was not ready in time")
        if is_as_before:
            preparation.send("go")
        else:
            start_worker(supervisor)
            start_web(supervisor, listener)
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        supervisor.wait_for("the web server", lambda: is_answering(f"{origin}/healthz"))
        if is_as_before:
            start_worker(supervisor)  # the page comes first
        else:
            preparation.send("go")
        answer = preparation.line(limit_s=prepare.SAMPLES_WAIT_S + START_LIMIT_S)
    stamp.write_text(state, encoding="ascii")
    if answer is None or not answer.startswith("link "):
        raise StartError("the sign-in link could not be made")
    return origin + answer.removeprefix("link ")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    os.umask(0o077)  # what customers send is for this account alone
    supervisor = Supervisor(env={"LOCKSCOPE_LOG_LEVEL": "WARNING"} | os.environ | {"PYTHONUNBUFFERED": "1"})

    def stop(*_: object) -> None:
        supervisor.is_stopping = True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    began = time.monotonic()
    try:
        supervisor.lock = only_one_here()
        say("Lockscope is starting ...")
        address = start_all(supervisor)
        say(
            f"Ready after {time.monotonic() - began:.1f} s. Open this address; it signs you in once:\n\n    {address}\n"
        )
        say("Ctrl-C stops everything.")
        while True:
            supervisor.check()
            time.sleep(0.2)
    except StoppedError:
        say("Stopping ...")
        return 0
    except StartError as error:
        say(f"Lockscope stopped: {error}.")
        return 1
    finally:
        supervisor.stop_all()


if __name__ == "__main__":
    sys.exit(main())
