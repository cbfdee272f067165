"""A hundred people who read while ten send, in short. How long pages take is measured by ``make load``."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest
from django.db import connection

from tests.chaos.installation import Installation
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the server shape"),
]
READERS, UPLOADERS, SECONDS = 100, 10, 12.0
PAGES = ("", "waiters/", "files/", "graph/", "history/")


def test_t48_a_hundred_readers_and_ten_uploaders_meet_no_error(lockscope: Installation) -> None:
    read, sent = lockscope.case("Read by many"), lockscope.case("Sent to by many")
    lockscope.upload(read, tar({f"n{n}/waiters.txt": waiters(f"oulu-n{n}", lines=300) for n in range(3)}))
    lockscope.the_case_is_whole(read, 3)
    end = time.monotonic() + SECONDS
    answers: Counter[tuple[str, int]] = Counter()

    def reads(number: int) -> None:
        turn = number
        while time.monotonic() < end:
            answers["read", lockscope.page(f"/cases/{read.key}/{PAGES[turn % len(PAGES)]}").status] += 1
            turn += 1
            time.sleep(2 + number % 5)

    def sends(number: int) -> None:
        content = tar({"n/waiters.txt": waiters(f"oulu-u{number}", lines=50 + number)})
        answers["sent", lockscope.post_file(sent, content, f"u{number}.tgz").status] += 1

    threads = [threading.Thread(target=reads, args=(number,)) for number in range(READERS)]
    threads += [threading.Thread(target=sends, args=(number,)) for number in range(UPLOADERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {("read", 200), ("sent", 201)}
    assert answers["sent", 201] == UPLOADERS
    assert answers["read", 200] >= READERS
    lockscope.the_case_is_whole(sent, UPLOADERS)
