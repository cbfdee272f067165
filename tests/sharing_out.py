"""Which tests one pytest-xdist worker runs together: those that share a running program, or would take the machine from each other.

By folder and file, because pytest-xdist's own marker for this has no effect with pytest 9.2, which keeps test names elsewhere.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

GROUPS = {
    "tests/browser/test_pages.py": "pages",
    "tests/browser/": "browser",
    "tests/chaos/": "workers",
    "tests/ingest/test_load_samples.py": "workers",
    "tests/platform/test_supervisor.py": "supervisor",
}


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # the base has no types
    """Each test by itself, except those."""

    def _split_scope(self, nodeid: str) -> str:
        return next((group for start, group in GROUPS.items() if nodeid.startswith(start)), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)
