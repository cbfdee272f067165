"""Private PostgreSQL and Redis for the tests, on sockets in a directory of their own, started when the first test needs
them.

Their addresses are known before Django's settings are read, so that tests without a database run where no server can be
started. With LOCKSCOPE_TEST_DB=sqlite the embedded shape is tested instead: SQLite, and Valkey from its wheel. Under
pytest-xdist the controller starts the servers for all workers and outlives them; each worker gets a storage directory
and databases of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from parsers.patterns import kept_start as starts
from parsers.patterns.kept_start import keep, kept_start
from scripts import prepare, queue_server
from tests.patience import HANGS_S

BASE_DIR = Path(__file__).resolve().parent.parent
STATIC_ROOT = BASE_DIR / "var" / "test-static"
KEPT = starts.place().parent
"""What all copies of this tree share, a new clone too: it is found by what it was made from."""
KEPT_START = KEPT / f"test-{starts.place().name}"
MOST_KEPT = 4
"""Of each form, the newest: copies of the tree stand at different migrations."""
RUNNING = "LOCKSCOPE_TEST_SERVICES"
FOLDER = "lockscope-test-"
REQUESTS_SOCKET = "services.sock"
IN_MEMORY = Path("/dev/shm")
SOCKETS = Path("/proc/net/unix")
ROOM_BYTES = 4 << 30
MIGRATED = "lockscope_migrated"
"""A database on which all migrations have run: those of the tests and of the browser's site begin as copies of it."""
PR_SET_PDEATHSIG = 1
REDIS_DATABASES = 64
THREADS = "POLARS_MAX_THREADS"
"""One here: tests run side by side, and threads over a few rows only wait for each other."""
libc = ctypes.CDLL(None)

started: list[tuple[subprocess.Popen[bytes], signal.Signals]] = []
folders: list[Path] = []


class ServiceError(Exception):
    """A server that ends or does not answer in time."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests() -> Generator[None, Any, Any]:
    """A wrapper runs before pytest-django's own hook, which imports the settings."""
    keep_compiled_modules()
    os.environ.setdefault(THREADS, "1")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if RUNNING not in os.environ:
        wait_for_requests(make_folder())
    own_places(worker)
    with kept_start(KEPT_START):  # what Django and the plugins import
        result = yield
    keep()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Each process of a run imports everything. Without what the last run kept, that compiles 4,000 patterns; those
    that are put together while texts are read are kept too.
    """
    with kept_start(KEPT_START):
        return (yield)


def keep_compiled_modules() -> None:
    """Here and in every process that a test starts, whatever the shell says: compiling takes seconds of each."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_unconfigure() -> None:
    keep()
    stop_services()


@pytest.fixture(scope="session")
def services() -> None:
    """The database server, the queue's server and the collected static files. Whatever needs a database has them
    already.
    """
    if fault := ask_for_services():
        pytest.exit(fault, returncode=pytest.ExitCode.USAGE_ERROR)


def make_folder() -> Path:
    place = place_of_folders()
    remove_what_is_left(place)
    folder = Path(tempfile.mkdtemp(prefix=FOLDER, dir=place))
    folder.chmod(0o755)
    folders.append(folder)
    atexit.register(stop_services)
    if place == IN_MEMORY:  # for what tests write too
        (folder / "tmp").mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
    os.environ[RUNNING] = str(folder)
    return folder


def place_of_folders() -> Path:
    """In memory where there is room: databases and stored texts are thousands of small files, and making one on a disk
    takes eight times as long.
    """
    if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM_BYTES:
        return IN_MEMORY
    return Path(tempfile.gettempdir())


def remove_what_is_left(place: Path) -> None:
    """Folders of runs that were killed: nobody listens there any more. Asking would start the servers of a run that
    lives.
    """
    with contextlib.suppress(OSError):
        listening = {line.rpartition(" ")[2] for line in SOCKETS.read_text(encoding="utf-8").splitlines()}
        for requests in place.glob(f"{FOLDER}*/{REQUESTS_SOCKET}"):
            if str(requests) not in listening:
                shutil.rmtree(requests.parent, ignore_errors=True)


def wait_for_requests(folder: Path) -> None:
    """In a thread that lasts as long as this process, because the servers end with the thread that started them."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / REQUESTS_SOCKET))
    listener.listen()
    threading.Thread(target=answer_all, args=(listener, folder), name="services", daemon=True).start()


def answer_all(listener: socket.socket, folder: Path) -> None:
    """One after the other: the first is answered when the servers run, the rest at once."""
    answer: str | None = None
    while True:
        connection, _ = listener.accept()
        with connection:
            if answer is None:
                answer = fault_in_starting(folder)
            connection.sendall(answer.encode())


def ask_for_services() -> str:
    """Waits until they run. What hinders them, in words, or nothing."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(Path(os.environ[RUNNING]) / REQUESTS_SOCKET))
        with connection.makefile(encoding="utf-8") as answer:
            return answer.read()


def fault_in_starting(folder: Path) -> str:
    """What hinders the services, in words, or nothing."""
    try:
        start_servers(folder)
        if not is_embedded():
            make_migrated(folder)
        collect_static()
    except FileNotFoundError as error:
        return f"{error}. Run scripts/test-deps.sh, or set LOCKSCOPE_TEST_DB=sqlite for a first look."
    except (OSError, ServiceError, subprocess.SubprocessError) as error:
        return f"What the tests need did not start: {error}"
    return ""


def start_services() -> None:
    """For a program that is no run of tests: servers in a folder of their own, and the environment that the settings
    will read.
    """
    start_servers(make_folder())
    own_places("")
    collect_static()


def start_servers(folder: Path) -> None:
    if is_embedded():
        start_queue(folder, queue_server.binary())
    else:
        start_postgresql(folder)
        start_queue(folder, shutil.which("redis-server") or queue_server.binary())


def is_embedded() -> bool:
    return os.environ.get("LOCKSCOPE_TEST_DB", "postgresql") == "sqlite"


def own_places(worker: str) -> None:
    """The environment that the settings will read."""
    folder = Path(os.environ[RUNNING])
    var_dir = folder / f"var-{worker or 'main'}"
    (var_dir / "tmp").mkdir(parents=True, exist_ok=True)
    number = int(worker.removeprefix("gw")) + 1 if worker else 0
    broker_url, cache_url = queue_server.urls(folder / "queue.sock", first_db=number * 2 % REDIS_DATABASES)
    os.environ |= {
        "LOCKSCOPE_VAR": str(var_dir),
        "LOCKSCOPE_STORAGE": str(var_dir / "storage"),
        "LOCKSCOPE_BROKER_URL": broker_url,
        "LOCKSCOPE_CACHE_URL": cache_url,
        "LOCKSCOPE_LOG_FORMAT": "plain",
        "LOCKSCOPE_WORKER_NICE": "0",  # tests wait for workers, on cores that other tests keep busy
        # Playwright's loop runs in the test's own thread, and Django would take every query beside it for a mistake.
        "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
    }
    if worker:
        return
    if not is_embedded():
        os.environ |= {
            "LOCKSCOPE_DB_HOST": str(folder),
            "LOCKSCOPE_DB_NAME": "lockscope",
            "LOCKSCOPE_DB_USER": "postgres",
            "LOCKSCOPE_SECRET_KEY": secrets.token_hex(32),
            "LOCKSCOPE_BASE_URL": "http://localhost",
            "LOCKSCOPE_ALLOWED_HOSTS": "testserver",
        }
    os.environ["LOCKSCOPE_STATIC_ROOT"] = str(STATIC_ROOT)


def make_migrated(folder: Path) -> None:
    """Once for all: Django takes about ten seconds of a core for the migrations, whatever the server. What they made is
    kept for the next run.
    """
    import psycopg

    with psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {MIGRATED}")
    kept, of_server = kept_migrations("sql"), ["-h", str(folder), "-U", "postgres", "-d", MIGRATED]
    if kept.exists():
        restored = ["-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", str(kept)]
        psql = [str(postgresql_programs() / "psql"), *of_server, *restored]
        subprocess.run(psql, check=True, stdout=subprocess.DEVNULL)
        return
    run_migrations(os.environ | {"LOCKSCOPE_DB_NAME": MIGRATED})
    dump = subprocess.run([str(postgresql_programs() / "pg_dump"), *of_server], check=True, stdout=subprocess.PIPE)
    keep_migrations(kept, dump.stdout)


def kept_migrations(form: str) -> Path:
    """Where what the migrations made is kept: by all that it follows from."""
    of_apps = (BASE_DIR / "apps").glob("*/**/*.py")
    made_by = [path for path in of_apps if "migrations" in path.parts or path.name in ("apps.py", "models.py")]
    parts = [*sorted(made_by), BASE_DIR / "config" / "settings.py", BASE_DIR / "requirements.txt"]
    digest = hashlib.sha256(b"\0".join(part.read_bytes() for part in parts))
    if form == "sql":
        digest.update(str(postgresql_programs()).encode())
    else:
        digest.update((BASE_DIR / "scripts" / "prepare.py").read_bytes())
    return KEPT / f"test-migrated-{digest.hexdigest()[:32]}.{form}"


def keep_migrations(kept: Path, content: bytes) -> None:
    """In place of the oldest; where there is no place for it, the next run makes it again."""
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(kept)
        held = sorted(kept.parent.glob(f"test-migrated-*{kept.suffix}"), key=lambda path: path.stat().st_mtime)
        for old in held[:-MOST_KEPT]:
            old.unlink(missing_ok=True)


def run_migrations(environment: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--noinput", "-v", "0"]
    subprocess.run(command, cwd=BASE_DIR, env=environment, check=True)


def collect_static() -> None:
    """Pages are tested with hashed names, so that a template that names a missing file fails. Kept between runs, as in
    a start.

    Where collecting fails, the tests of pages say so; those of parsers need none of it and go on.
    """
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    with (STATIC_ROOT.parent / "test-static.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not prepare.is_collected(STATIC_ROOT, BASE_DIR / "static"):
            subprocess.run(
                [sys.executable, "-c", "from scripts import prepare; prepare.collect_static_alone()"],
                cwd=BASE_DIR,
                check=False,
            )


def start_queue(folder: Path, server: str) -> None:
    data = folder / "queue"
    data.mkdir()
    socket_path = folder / "queue.sock"
    command = queue_server.command(server, socket_path=socket_path, folder=data, keeps=False)
    start([*command, "--databases", str(REDIS_DATABASES)], stop_with=signal.SIGTERM)
    wait_for(lambda: queue_server.answers(socket_path), "the queue")


def start_postgresql(folder: Path) -> None:
    initialise_postgresql(folder)
    command, account = postgresql_command(folder)
    start(command, stop_with=signal.SIGINT, account=account)
    is_ready = [str(postgresql_programs() / "pg_isready"), "-q", "-h", str(folder)]
    wait_for(lambda: subprocess.run(is_ready, check=False).returncode == 0, "PostgreSQL")


def initialise_postgresql(folder: Path) -> None:
    """PostgreSQL refuses root, so as root it runs as the account postgres."""
    account = account_of_postgresql()
    data = folder / "postgresql"
    data.mkdir(mode=0o700)
    if account:
        owner = pwd.getpwnam("postgres")
        os.chown(data, owner.pw_uid, owner.pw_gid)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    initdb = [str(postgresql_programs() / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*initdb, "--no-locale", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/", **account)


def postgresql_command(folder: Path, *, keeps: bool = False) -> tuple[list[str], dict[str, Any]]:
    """And the account that it runs as. Without ``keeps`` the last commits are lost with the process, which hardly any
    test minds.
    """
    commit = "on" if keeps else "off"
    fast = [
        "fsync=off",
        "full_page_writes=off",
        f"synchronous_commit={commit}",
        "listen_addresses=",
        "max_connections=100",
        "jit=off",
        "wal_level=minimal",
        "max_wal_senders=0",
    ]
    options = [word for setting in fast for word in ("-c", setting)]
    server = str(postgresql_programs() / "postgres")
    return [server, "-D", str(folder / "postgresql"), "-k", str(folder), *options], account_of_postgresql()


def account_of_postgresql() -> dict[str, Any]:
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}


def postgresql_programs() -> Path:
    """The newest of Debian's, else what the path leads to."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    if (other := shutil.which("postgres")) is not None:
        return Path(other).resolve().parent
    raise FileNotFoundError("PostgreSQL is not installed")


def start(command: list[str], *, stop_with: signal.Signals, account: dict[str, Any] | None = None) -> None:
    """In a session of its own, so that Ctrl-C reaches the tests only; and it ends when the tests are killed
    outright.
    """
    process = subprocess.Popen(
        command,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, stop_with),
        **(account or {}),
    )
    started.append((process, stop_with))


def wait_for(is_there: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + HANGS_S
    while not is_there():
        process, _ = started[-1]
        if process.poll() is not None or time.monotonic() > end:
            raise ServiceError(f"{what} did not start")
        time.sleep(0.02)


def stop_services() -> None:
    """Only the process that started them has any in its list."""
    while started:
        process, stop_with = started.pop()
        process.send_signal(stop_with)
        try:
            process.wait(HANGS_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    while folders:
        shutil.rmtree(folders.pop(), ignore_errors=True)
