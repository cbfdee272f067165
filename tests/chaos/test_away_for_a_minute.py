"""T45 at its full length: database, queue and storage each away for a minute, while files are read and people go on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from apps.cases.models import Artifact, Bundle
from tests.chaos.installation import Installation
from tests.chaos.work import FILES, many, some_are_read
from tests.ingest.material import waiters

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
A_MINUTE_S = 60.0


def all_programs_run(lockscope: Installation) -> bool:
    return all(process.poll() is None for process in lockscope.running.values())


def test_t45_the_database_is_away_for_a_minute(lockscope: Installation, calm: dict[str, Any]) -> None:
    case = lockscope.case("PostgreSQL away for a minute")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.stop_database()
    end = time.monotonic() + A_MINUTE_S
    while time.monotonic() < end:
        answer = lockscope.page(f"/cases/{case.key}/files/")
        assert (answer.status, "The database cannot be reached at the moment" in answer.text) == (503, True)
        time.sleep(10)
    assert all_programs_run(lockscope)
    lockscope.start_database()
    connection.close()
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.result(case) == calm
    assert lockscope.page(f"/cases/{case.key}/files/").status == 200


def test_t45_the_queue_is_away_for_a_minute(lockscope: Installation, calm: dict[str, Any]) -> None:
    case, other = lockscope.case("Redis away for a minute"), lockscope.case("Sent meanwhile")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.kill("queue")
    end = time.monotonic() + A_MINUTE_S
    lockscope.upload(other, many(2))
    while time.monotonic() < end:
        assert lockscope.page(f"/cases/{case.key}/files/").status == 200, lockscope.log
        time.sleep(10)
    assert all_programs_run(lockscope)
    lockscope.start_queue()
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.result(case) == calm
    lockscope.the_case_is_whole(other, 2)


def test_t45_the_storage_is_away_for_a_minute(lockscope: Installation, calm: dict[str, Any]) -> None:
    """What failed meanwhile goes on by itself: nobody presses a button."""
    case, late = lockscope.case("Storage away for a minute"), lockscope.case("Unpacked while it was away")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.pause("worker")
    bundle = lockscope.upload(late, many(2))
    place = Path(lockscope.env["LOCKSCOPE_STORAGE"])
    place.rename(place.with_name("elsewhere"))
    place.write_bytes(b"")  # the mount is gone, and nothing can be made in its place
    lockscope.resume("worker")
    end = time.monotonic() + A_MINUTE_S
    while time.monotonic() < end:
        refused = lockscope.post_file(late, waiters("oulu-n9"), "late.txt")
        assert (refused.status, "storage of files cannot be reached" in refused.text) == (507, True)
        time.sleep(10)
    assert all_programs_run(lockscope)
    assert Bundle.objects.filter(pk=bundle.pk, state="failed").exists()
    assert Artifact.objects.filter(case=case, state="failed").exists()
    place.unlink()
    place.with_name("elsewhere").rename(place)
    lockscope.until(lambda: not Bundle.objects.filter(pk=bundle.pk, state="failed").exists())
    lockscope.until(lambda: not Artifact.objects.filter(case=case, state="failed").exists())
    lockscope.the_case_is_whole(case, FILES)
    assert lockscope.result(case) == calm
    lockscope.the_case_is_whole(late, 2)
