"""Each service away for a while, one after the other: what is asked meanwhile is answered in words, and all goes on by
itself after.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.db import connection

from apps.cases.models import Artifact, Bundle
from tests.chaos.installation import Installation
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.slow,
    pytest.mark.part("bad days", 3),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
FILES = 24
AWAY_S = 3


def many(files: int = FILES, *, lines: int = 400) -> bytes:
    """Work of some seconds, file by file."""
    return tar({f"n{n:03d}/waiters.txt": waiters(f"oulu-n{n:03d}", lines=lines, first=20.0 + n) for n in range(files)})


def some_are_read(lockscope: Installation, case_id: int, least: int = 3) -> None:
    lockscope.until(lambda: Artifact.objects.filter(case=case_id, state="parsed").count() >= least)


def test_t45_a_queue_that_comes_back_empty_loses_no_file(lockscope: Installation) -> None:
    case = lockscope.case("Redis emptied")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.kill("queue")
    assert lockscope.page(f"/cases/{case.key}/files/").status == 200, lockscope.log
    other = lockscope.case("Sent while Redis was away")
    lockscope.upload(other, many(2))
    lockscope.start_queue()
    began = time.monotonic()
    lockscope.the_case_is_whole(case, FILES)
    lockscope.the_case_is_whole(other, 2)
    assert time.monotonic() - began < 60


def test_t45_a_database_that_is_restarted_costs_nothing_but_time(lockscope: Installation) -> None:
    case = lockscope.case("PostgreSQL restarted")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.stop_database()
    answer = lockscope.page(f"/cases/{case.key}/files/")
    assert answer.status == 503
    assert "The database cannot be reached at the moment" in answer.text
    time.sleep(AWAY_S)
    lockscope.start_database()
    connection.close()
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.page(f"/cases/{case.key}/files/").status == 200


def test_t45_a_storage_that_is_away_is_said_so_and_all_goes_on_once_it_is_back(lockscope: Installation) -> None:
    case = lockscope.case("Storage away")
    lockscope.pause("worker")
    bundle = lockscope.upload(case, many(3))
    place = Path(lockscope.env["LOCKSCOPE_STORAGE"])
    place.rename(place.with_name("elsewhere"))
    place.write_bytes(b"")  # the mount is gone, and nothing can be made in its place
    refused = lockscope.post_file(case, waiters("oulu-n9"), "late.txt")
    assert (refused.status, "storage of files cannot be reached" in refused.text) == (507, True)
    lockscope.resume("worker")
    lockscope.until(lambda: Bundle.objects.filter(pk=bundle.pk, state="failed").exists())
    bundle.refresh_from_db()
    assert bundle.message.startswith("It could not be unpacked (NotADirectoryError): the storage")
    assert "Unpack again" in lockscope.page(f"/cases/{case.key}/upload/").text

    place.unlink()
    place.with_name("elsewhere").rename(place)
    lockscope.until(lambda: not Bundle.objects.filter(pk=bundle.pk, state="failed").exists())  # it goes on by itself
    lockscope.the_case_is_whole(case, 3)
