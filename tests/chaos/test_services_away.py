"""Each service away for a while, one after the other: what is asked meanwhile is answered in words, and all goes on by
itself after.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from apps.cases.models import Bundle
from tests.chaos.installation import Installation
from tests.chaos.work import FILES, many, some_are_read
from tests.ingest.material import waiters

Results = dict[str, Any]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.part("bad days", 3),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
AWAY_S = 3


def test_t45_a_queue_that_comes_back_empty_loses_no_file(lockscope: Installation, calm: Results) -> None:
    case = lockscope.case("Redis emptied")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.kill("queue")
    assert lockscope.page(f"/cases/{case.key}/files/").status == 200, lockscope.log
    other = lockscope.case("Sent while Redis was away")
    lockscope.upload(other, many(2))
    lockscope.start_queue()
    lockscope.the_case_is_whole(case, FILES)
    lockscope.the_case_is_whole(other, 2)
    assert lockscope.result(case) == calm


@pytest.mark.chaos
def test_t45_a_queue_that_is_emptied_while_it_runs_loses_no_file(lockscope: Installation, calm: Results) -> None:
    """Sessions are in the database too: nobody is signed out."""
    case, other = lockscope.case("FLUSHALL"), lockscope.case("Sent right after")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    for _ in range(3):
        lockscope.empty_queue()
        time.sleep(0.5)
    lockscope.upload(other, many(2))
    lockscope.empty_queue()
    assert lockscope.page(f"/cases/{case.key}/files/").status == 200, lockscope.log
    lockscope.the_case_is_whole(case, FILES)
    lockscope.the_case_is_whole(other, 2)
    assert lockscope.result(case) == calm


@pytest.mark.chaos
def test_t45_a_database_that_is_killed_again_and_again_costs_nothing_but_time(
    lockscope: Installation, calm: Results
) -> None:
    """Amid unpacking, reading and judging; what a client was told is done, is done."""
    case = lockscope.case("PostgreSQL killed")
    for number in range(6):
        if number == 0:
            lockscope.upload(case, many())
        else:
            time.sleep(0.4 * number)
        lockscope.kill_database()
        lockscope.start_database()
        connection.close()
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.result(case) == calm


def test_t45_a_database_that_is_restarted_costs_nothing_but_time(lockscope: Installation, calm: Results) -> None:
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
    assert lockscope.result(case) == calm


def test_t45_a_storage_that_is_away_is_reported_and_all_goes_on_once_it_is_back(lockscope: Installation) -> None:
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
