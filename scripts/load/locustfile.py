"""What Locust's users do: readers go from page to page as people do, uploaders send a small bundle now and then."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import tarfile
from pathlib import Path

from locust import HttpUser, between, task

GIVEN = json.loads(Path(os.environ["LOCKSCOPE_LOAD"]).read_text(encoding="utf-8"))
SESSIONS = itertools.cycle(GIVEN["sessions"])
NUMBERS = itertools.count(1)
PAGES = (("", 4), ("waiters/", 3), ("graph/", 2), ("files/", 2), ("locks/", 1), ("settings/", 1), ("history/", 1))


class Signed(HttpUser):
    """One person's browser."""

    abstract = True

    def on_start(self) -> None:
        self.client.cookies.update({GIVEN["session_cookie"]: next(SESSIONS), GIVEN["csrf_cookie"]: "k" * 32})
        self.client.headers.update({"Accept": "text/html", "X-CSRFToken": "k" * 32, "Referer": self.host or ""})


class Reader(Signed):
    """Reads for some seconds, then opens the next page."""

    fixed_count = int(GIVEN["readers"])
    wait_time = between(3, 9)

    @task(3)
    def cases(self) -> None:
        self.client.get("/", name="cases")

    @task(10)
    def case(self) -> None:
        [page] = random.choices([page for page, _ in PAGES], [weight for _, weight in PAGES])
        key = random.choice(GIVEN["cases"])
        self.client.get(f"/cases/{key}/{page}", name=f"case {page.rstrip('/') or 'timeline'}")

    @task(1)
    def search(self) -> None:
        self.client.get("/search/", params={"q": "waiters"}, name="search")


class Uploader(Signed):
    """Three files of one node each, other bytes each time."""

    fixed_count = int(GIVEN["uploaders"])
    wait_time = between(8, 16)

    @task
    def send(self) -> None:
        number = next(NUMBERS)
        files = {"file": (f"snap-{number}.tgz", bundle(number), "application/gzip")}
        self.client.post(
            f"/cases/{GIVEN['upload_to']}/upload/", files=files, headers={"Accept": "application/json"}, name="upload"
        )


def bundle(number: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for node in range(3):
            info = tarfile.TarInfo(f"n{node}/waiters.txt")
            content = waiters(f"oulu-u{number}n{node}", number).encode()
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def waiters(node: str, number: int) -> str:
    thread = "NSDThread: for I/O completion on disk nsd"
    rows = (
        f"Waiting {9 + n + number / 1000:.4f} sec since 09:12:40, monitored, thread {4100 + n} {thread}{n % 3}\n"
        for n in range(200)
    )
    head = (
        f"[root@{node} ~]# date\nTue Jun 15 09:13:40 EEST 2027\n[root@{node} ~]# mmdiag --waiters\n\n=== "
        "mmdiag: waiters ===\n"
    )
    return head + "".join(rows)
