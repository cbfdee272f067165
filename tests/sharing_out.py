"""Which tests one pytest-xdist worker runs together, and what is begun first.

A file goes to one worker, as its tests share what they made; those that need a running program share that. The files of parsers hold
hundreds of short tests that share nothing: they come last, one by one, and fill what is left of the time.

By folder and file, because pytest-xdist's own marker for this has no effect with pytest 9.2, which keeps test names elsewhere.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Longest first.
GROUPS = {
    "tests/browser/test_pages.py": "pages",
    "tests/browser/": "browser",
    "tests/platform/test_supervisor.py": "supervisor",
    "tests/chaos/": "workers",
    "tests/ingest/test_load_samples.py": "workers",
    "tests/diagnosis/test_samples_end_to_end.py": "samples",
    "tests/expectations/": "expectations",
    "tests/ingest/test_same_result.py": "same result",
    "tests/sharing/test_nothing_leaks.py": "leaks",
}
ONE_BY_ONE = "tests/parsers/"


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # the base has no types
    """Files and groups of them."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(ONE_BY_ONE):
            return nodeid
        return next((group for start, group in GROUPS.items() if nodeid.startswith(start)), nodeid.split("::")[0])


def rank(nodeid: str) -> int:
    """Place in the order in which work is begun."""
    if nodeid.startswith(ONE_BY_ONE):
        return len(GROUPS) + 1
    return next((place for place, start in enumerate(GROUPS) if nodeid.startswith(start)), len(GROUPS))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    config.option.loadscopereorder = False  # the order is that of rank
    return Scheduling(config, log)
