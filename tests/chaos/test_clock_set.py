"""The clock of the workers' machine is set while they read: forth by days, then back. Leases go by the database's
clock.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from tests.chaos.installation import Installation
from tests.chaos.work import many, some_are_read

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
    pytest.mark.skipif(not LIBRARIES, reason="needs libfaketime (Debian: apt install faketime)"),
]
FILES = 40


@pytest.mark.parametrize("jump", ["+3d", "-3d"])
def test_t45_a_worker_whose_clock_is_set_reads_everything_once(
    lockscope: Installation, tmp_path: Path, jump: str
) -> None:
    clock = tmp_path / "clock"
    clock.write_text("+0")
    faked = {
        "LD_PRELOAD": str(LIBRARIES[0]),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # a clock that is set leaves that one alone
    }
    lockscope.end("worker")
    lockscope.start_worker(env=faked)
    case = lockscope.case(f"Clock set {jump}")
    bundle = lockscope.upload(case, many(FILES))
    some_are_read(lockscope, case.pk)
    clock.write_text(jump)
    lockscope.the_case_is_whole(case, FILES)
    assert set(bundle.artifacts.values_list("attempts", flat=True)) == {1}
    ends = [end for end in bundle.artifacts.values_list("finished_at", flat=True) if end is not None]
    assert max(ends) - min(ends) > timedelta(days=2)  # the clock was really set in between
    clock.write_text("+0")
    later = lockscope.case(f"After {jump}")
    lockscope.upload(later, many(2))
    lockscope.the_case_is_whole(later, 2)
    lockscope.end("worker")
    lockscope.start_worker()
