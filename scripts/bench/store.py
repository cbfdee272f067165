"""A large bundle through the running program with its files in an S3-compatible store that keeps them on disk.

    LOCKSCOPE_TEST_S3_SERVER=/path/to/versitygw python -m scripts.bench.store BUNDLE

Says how fast it was sent, in pieces as a browser sends them, what web process and store took in memory, how fast it was
read, how many requests that were, and how long pages took. ``BENCH_LIMIT_S`` ends the wait for the reading.
"""

from __future__ import annotations

import base64
import hashlib
import http.cookiejar
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.response import addinfourl

import boto3

from scripts.bench.large import used
from scripts.bench.served import COMPLETE, FIRST, program

PIECE = 8 << 20
LIMIT_S = int(os.environ.get("BENCH_LIMIT_S", "7200"))
ACCESS, SECRET, BUCKET = "bench", "not-a-secret", "lockscope"
PAGES = ("", "waiters/", "graph/", "settings/", "files/", "history/")
TUS = {"Tus-Resumable": "1.0.0"}


@dataclass(slots=True)
class Peaks:
    """Highest MiB resident by what was being done."""

    doing: str = "idle"
    web: dict[str, float] = field(default_factory=dict)
    store: dict[str, float] = field(default_factory=dict)

    def see(self, web: float, store: float) -> None:
        self.web[self.doing] = max(web, self.web.get(self.doing, 0.0))
        self.store[self.doing] = max(store, self.store.get(self.doing, 0.0))


@contextmanager
def store(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Running, with an empty bucket, and named to the program that is started below."""
    found = os.environ.get("LOCKSCOPE_TEST_S3_SERVER") or shutil.which("versitygw")
    if found is None:
        raise SystemExit("Put versitygw on the path, or name it in LOCKSCOPE_TEST_S3_SERVER.")
    (folder / "data").mkdir()
    options = ["--port", f"127.0.0.1:{port}", "--access", ACCESS, "--secret", SECRET, "--quiet", "--keep-alive"]
    running = subprocess.Popen(  # noqa: S603  versitygw, as found on the path
        [found, *options, "--access-log", str(folder / "log"), "posix", str(folder / "data")]
    )
    endpoint = f"http://127.0.0.1:{port}"
    try:
        time.sleep(2)
        keys = {"aws_access_key_id": ACCESS, "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
        boto3.client("s3", endpoint_url=endpoint, **keys).create_bucket(Bucket=BUCKET)
        named = {"BUCKET": BUCKET, "ENDPOINT": endpoint, "ACCESS_KEY": ACCESS, "SECRET_KEY": SECRET}
        os.environ |= {f"LOCKSCOPE_S3_{name}": value for name, value in named.items()}
        yield running
    finally:
        running.terminate()
        running.wait(30)


@contextmanager
def watched(root: int, store_pid: int) -> Iterator[Peaks]:
    peaks, ended = Peaks(), threading.Event()

    def look() -> None:
        while not ended.wait(0.25):
            web = [kib for pid, kib in _resident(root).items() if "gunicorn" in command(pid)]
            peaks.see(max(web, default=0) / 1024, _resident(store_pid).get(store_pid, 0) / 1024)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join(10)


def _resident(root: int) -> dict[int, int]:
    return {pid: kib for pid, (kib, _) in used(root).items()}


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


class Browser:
    def __init__(self, address: str) -> None:
        self.root = "/".join(address.split("/", 3)[:3])
        self.web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.web.open(address, timeout=60).read()
        page = self.page("/upload/")
        self.token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]  # type: ignore[index]
        self.team = re.search(r'<select name="team".*?<option value="([^"]+)"', page, re.DOTALL)[1]  # type: ignore[index]

    def page(self, path: str) -> str:
        text: bytes = self.web.open(f"{self.root}{path}", timeout=120).read()
        return text.decode()

    def ask(self, method: str, url: str, body: bytes = b"", **headers: str) -> addinfourl:
        sent = TUS | {"X-CSRFToken": self.token} | {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, body, sent, method=method)  # noqa: S310  an address of this machine
        answer: addinfourl = self.web.open(request, timeout=900)
        return answer

    def send(self, path: Path) -> tuple[str, float, float]:
        """The case's key, seconds for all, and for the last piece alone."""
        fields = {"filename": path.name, "team": self.team, "title": "bench"}
        sent = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in fields.items())
        size, began, last, at = path.stat().st_size, time.perf_counter(), 0.0, 0
        first = self.ask("POST", f"{self.root}/upload/resumable/", Upload_Length=str(size), Upload_Metadata=sent)
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                before = time.perf_counter()
                sum_ = f"sha256 {base64.b64encode(hashlib.sha256(piece).digest()).decode()}"
                kind = "application/offset+octet-stream"
                self.ask(
                    "PATCH",
                    first.headers["Location"],
                    piece,
                    Upload_Offset=str(at),
                    Content_Type=kind,
                    Upload_Checksum=sum_,
                )
                at, last = at + len(piece), time.perf_counter() - before
        return first.headers["Lockscope-Case"], time.perf_counter() - began, last

    def wait(self, case: str) -> dict[str, float]:
        began, found = time.perf_counter(), dict[str, float]()
        while COMPLETE not in found and time.perf_counter() - began < LIMIT_S:
            shown = self.page(f"/cases/{case}/state/")
            found |= {
                words: time.perf_counter() - began
                for words in (FIRST, COMPLETE)
                if words in shown and words not in found
            }
            time.sleep(0.5)
        return found

    def times(self, case: str) -> dict[str, float]:
        """Milliseconds of each page, asked for the first time and again."""
        found: dict[str, float] = {}
        for name in PAGES:
            for which in ("first", "again"):
                began = time.perf_counter()
                self.page(f"/cases/{case}/{name}")
                found[f"{name or 'timeline'} {which}"] = round((time.perf_counter() - began) * 1000)
        return found


def requests_in(log: Path) -> dict[str, int]:
    """By operation and what it was about, as the store has written them down."""
    found = re.findall(r" s3_(\w+) (?:cases/\d+/(\w+))?", log.read_text(errors="replace"))
    return dict(Counter(f"{what} {of}".strip() for what, of in found).most_common(24))


def main() -> None:
    bundle = Path(sys.argv[1])
    folder = Path(tempfile.mkdtemp(prefix="lockscope-store-"))
    try:
        with store(folder, 7272) as running, program() as (pid, address), watched(pid, running.pid) as peaks:
            browser = Browser(address)
            peaks.doing = "upload"
            case, sent_s, last_s = browser.send(bundle)
            tell(
                sent_mb=bundle.stat().st_size / 1e6,
                sent_s=sent_s,
                last_piece_s=last_s,
                upload_mb_s=bundle.stat().st_size / 1e6 / sent_s,
            )
            tell(upload_requests=requests_in(folder / "log"), web_mib=peaks.web, store_mib=peaks.store)
            peaks.doing = "reading"
            tell(**browser.wait(case))
            peaks.doing = "pages"
            tell(pages_ms=browser.times(case))
            tell(requests=requests_in(folder / "log"), web_mib=peaks.web, store_mib=peaks.store)
            tell(stored_mb=sum(path.stat().st_size for path in (folder / "data").rglob("*") if path.is_file()) / 1e6)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tell(**found: object) -> None:
    sys.stdout.write(json.dumps(found, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
