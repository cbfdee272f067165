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
from pathlib import Path

from scripts.bench import corpus

BASE_DIR = Path(__file__).resolve().parent.parent.parent
START_LIMIT_S = 180
VERDICT_LIMIT_S = 120


def first_verdict(folder: Path) -> float:
    """Seconds from the last byte sent to the first verdict on the page."""
    packed = corpus.bundle(folder / "upload-20mb.tar.gz", 8, 16_000_000)
    place = Path(tempfile.mkdtemp(prefix="lockscope-served-"))
    log = place / "log"
    with log.open("wb") as output:
        program = subprocess.Popen(
            [sys.executable, "scripts/dev.py"],
            cwd=BASE_DIR,
            env={**os.environ, "LOCKSCOPE_VAR": str(place / "var")},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        return _send(packed, address_in(program, log))
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(30)
        shutil.rmtree(place, ignore_errors=True)


def address_in(program: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end and program.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+\S+", log.read_text(errors="replace")):
            return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"the program did not start: {log.read_text(errors='replace')[-400:]}")


def _send(packed: Path, address: str) -> float:
    jar = http.cookiejar.CookieJar()
    web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    base = address.split("/", 3)
    root = "/".join(base[:3])
    web.open(address, timeout=30).read()
    page = web.open(f"{root}/upload/", timeout=30).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    team = re.search(r'<select name="team".*?<option value="([^"]+)"', page, re.DOTALL)
    if token is None or team is None:
        raise RuntimeError("the upload page has no form")
    boundary = secrets.token_hex(16)
    fields = {"csrfmiddlewaretoken": token[1], "title": "bench", "team": team[1]}
    head = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items())
    head += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="b.tar.gz"\r\nContent-Type: application/gzip\r\n\r\n'
    body = head.encode() + packed.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "application/json"}
    start = time.perf_counter()
    answer = json.loads(web.open(urllib.request.Request(f"{root}/upload/", body, headers), timeout=120).read())  # noqa: S310  an address of this machine
    case = f"{root}/cases/{answer['fields']['case']}/state/"
    while time.perf_counter() - start < VERDICT_LIMIT_S:
        if "Show the result" in web.open(case, timeout=30).read().decode():
            return time.perf_counter() - start
        time.sleep(0.1)
    raise RuntimeError("no verdict came")
