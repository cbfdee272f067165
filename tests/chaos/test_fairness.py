"""A small upload beside a huge one, with the two workers that every shape of running has."""

from __future__ import annotations

import pytest
from django.db import connection

from apps.cases.models import Artifact
from tests.chaos.installation import Installation
from tests.chaos.test_killed_processes import large
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the server shape: several workers"),
]
SMALL = {"LOCKSCOPE_LIGHT_BYTES": "200000"}  # what counts as huge is then read in seconds


def test_t44_a_small_upload_is_not_stuck_behind_a_huge_one(lockscope: Installation) -> None:
    lockscope.end("web")
    lockscope.start_web(SMALL)
    lockscope.end("worker")
    lockscope.start_worker(env=SMALL)
    lockscope.start_worker("small", queues="light", env=SMALL | {"LOCKSCOPE_WORKER_SWEEPS": "false"})
    huge, small = lockscope.case("Huge"), lockscope.case("Small")
    members = {f"n{n}/large.txt": large(320_000) + b"%d\n" % n for n in range(3)}
    members |= {f"m{n:03d}/waiters.txt": waiters(f"oulu-m{n:03d}", lines=200) for n in range(150)}
    lockscope.upload(huge, tar(members))
    lockscope.until(lambda: Artifact.objects.filter(case=huge, state="reading", path__endswith="large.txt").exists())
    lockscope.upload(small, tar({"n1/waiters.txt": waiters("oulu-n1"), "n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.until(lambda: lockscope.is_complete(small))
    assert not lockscope.is_complete(huge)
    waiting = Artifact.objects.filter(case=huge).exclude(state__in=("parsed", "partly", "skipped")).count()
    assert waiting > 50
    lockscope.the_case_is_whole(small, 2)
    lockscope.until(lambda: lockscope.is_complete(huge))
