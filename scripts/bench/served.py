"""The running program as a person meets it: start it, send a bundle, wait for the first verdict."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from scripts.bench import corpus

BASE_DIR = Path(__file__).resolve().parent.parent.parent
START_LIMIT_S = 180
VERDICT_LIMIT_S = 120
FIRST = "Show the result"
COMPLETE = "All files are read."


def first_verdict(folder: Path) -> float:
    """Seconds from the last byte sent to the first verdict on the page."""
    packed = corpus.bundle(folder / "upload-20mb.tar.gz", 8, 16_000_000)
    with program() as (_, address):
        return send(packed, address, VERDICT_LIMIT_S)[FIRST]


@contextmanager
def program() -> Iterator[tuple[int, str]]:
    """The program in the embedded shape on an empty folder: its process number and where it answers."""
    place = Path(tempfile.mkdtemp(prefix="lockscope-served-"))
    log = place / "log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            [sys.executable, "scripts/dev.py"],
            cwd=BASE_DIR,
            env={**os.environ, "LOCKSCOPE_VAR": str(place / "var")},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield running.pid, address_in(running, log)
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(30)
        shutil.rmtree(place, ignore_errors=True)


def address_in(program: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end and program.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+\S+", log.read_text(errors="replace")):
            return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"the program did not start: {log.read_text(errors='replace')[-400:]}")


def send(packed: Path, address: str, limit_s: float, *, wanted: str = FIRST) -> dict[str, float]:
    """Send a bundle as the upload page does; seconds from its last byte to each of the words, until the wanted ones
    show.
    """
    web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    case = post(web, packed, address, limit_s)
    start = time.perf_counter()
    found: dict[str, float] = {}
    while time.perf_counter() - start < limit_s:
        shown = web.open(f"{case}state/", timeout=30).read().decode()
        found |= {
            words: time.perf_counter() - start for words in (FIRST, COMPLETE) if words in shown and words not in found
        }
        if wanted in found:
            return found
        time.sleep(0.1)
    raise RuntimeError("no verdict came")


def post(web: urllib.request.OpenerDirector, packed: Path, address: str, limit_s: float) -> str:
    """Sign in and send a bundle; the address of its case."""
    root = "/".join(address.split("/", 3)[:3])
    web.open(address, timeout=30).read()
    page = web.open(f"{root}/upload/", timeout=30).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    team = re.search(r'<select name="team".*?<option value="([^"]+)"', page, re.DOTALL)
    if token is None or team is None:
        raise RuntimeError("the upload page has no form")
    body, headers = _form(packed, {"csrfmiddlewaretoken": token[1], "title": "bench", "team": team[1]})
    request = urllib.request.Request(f"{root}/upload/", body, headers)  # noqa: S310  an address of this machine
    answer = json.loads(web.open(request, timeout=limit_s).read())
    return f"{root}/cases/{answer['fields']['case']}/"


def _form(packed: Path, fields: dict[str, str]) -> tuple[Iterator[bytes], dict[str, str]]:
    """The body piece by piece, as a bundle may be large, and its headers."""
    boundary = secrets.token_hex(16)
    head = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()
    )
    head += (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="b.tar.gz"\r\nContent-Type: '
        "application/gzip\r\n\r\n"
    )
    tail = f"\r\n--{boundary}--\r\n".encode()

    def pieces() -> Iterator[bytes]:
        yield head.encode()
        with packed.open("rb") as file:
            yield from iter(partial(file.read, 1 << 20), b"")
        yield tail

    size = len(head.encode()) + packed.stat().st_size + len(tail)
    content = f"multipart/form-data; boundary={boundary}"
    return pieces(), {"Content-Type": content, "Content-Length": str(size), "Accept": "application/json"}
