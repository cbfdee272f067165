"""S3-compatible stores for tests: moto's, which keeps data in memory, and versitygw, which keeps it on disk, where that
is installed.
"""

from __future__ import annotations

import ctypes
import logging
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.files.storage import Storage
from django.utils.module_loading import import_string
from moto import backends
from moto.server import ThreadedMotoServer

from config.object_store import storage_from_env
from tests.kept_files import keep_files_in
from tests.patience import HANGS_S

BUCKET = "lockscope"
ACCESS, SECRET = "lund", "not-a-secret"
KEYS = {"aws_access_key_id": ACCESS, "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
SETTINGS = {"BUCKET": BUCKET, "ACCESS_KEY": ACCESS, "SECRET_KEY": SECRET}
ABSENT = "no server that keeps data on disk: put versitygw on the path, or name it in LOCKSCOPE_TEST_S3_SERVER"
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def program() -> str | None:
    """The server that keeps data on disk."""
    return os.environ.get("LOCKSCOPE_TEST_S3_SERVER") or shutil.which("versitygw")


@contextmanager
def in_memory() -> Iterator[str]:
    """Its address. For each request it would write a line to the log and look through the folders of its package, which
    takes it longer than the answer.
    """
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    modules = tuple(backends.list_of_moto_modules())
    log = logging.getLogger("werkzeug")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "list_of_moto_modules", lambda: modules)
        patch.setattr(log, "disabled", True)
        server.start()
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
        server.stop()


@contextmanager
def on_disk(folder: Path) -> Iterator[str]:
    """Its address."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    process = start_on_disk(folder, port)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(HANGS_S)


def start_on_disk(folder: Path, port: int) -> subprocess.Popen[bytes]:
    found = program()
    assert found is not None, ABSENT
    folder.mkdir(exist_ok=True)
    gateway = [found, "--port", f"127.0.0.1:{port}", "--access", ACCESS, "--secret", SECRET, "--quiet", "--keep-alive"]
    process = subprocess.Popen(
        [*gateway, "posix", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
    )
    wait_for(port)
    return process


def wait_for(port: int) -> None:
    end = time.monotonic() + HANGS_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < end, "the store did not start"
            time.sleep(0.05)
        else:
            return


def made(monkeypatch: Any, **env: str) -> Storage:
    """As the settings name it."""
    for name, value in env.items():
        monkeypatch.setenv(f"LOCKSCOPE_S3_{name}", value)
    named = storage_from_env(Path("/nowhere"))
    store: Storage = import_string(named["BACKEND"])(**named["OPTIONS"])
    return store


def used(monkeypatch: Any, endpoint: str) -> Any:
    """Files of cases are kept there for the rest of the test; a client that looks at them without the program."""
    client = boto3.client("s3", endpoint_url=endpoint, **KEYS)
    if BUCKET not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]:
        client.create_bucket(Bucket=BUCKET)
    store = made(monkeypatch, ENDPOINT=endpoint, **SETTINGS)
    keep_files_in(monkeypatch, store)
    return client


def keys(client: Any) -> list[str]:
    return [found["Key"] for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def begun(client: Any) -> list[str]:
    """Objects that wait for their parts."""
    return [found["Key"] for found in client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())]
