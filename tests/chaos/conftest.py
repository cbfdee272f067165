"""One installation for each module of tests that needs all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.chaos.installation import Installation, installed
from tests.chaos.work import FILES, many

WHOLE_TEST_S = 3600
"""Each step has a limit of its own; an installation alone takes a minute to start where others keep the
machine busy.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of this folder's tests, but those that name a limit."""
    for item in items:
        if item.nodeid.startswith("tests/chaos/") and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(WHOLE_TEST_S))


@pytest.fixture(scope="module")
def lockscope(services: None, django_db_blocker: Any) -> Iterator[Installation]:
    """With web and one worker running."""
    with pytest.MonkeyPatch.context() as patch, installed(django_db_blocker.unblock, patch) as made:
        made.start_web()
        made.start_worker()
        made.until(lambda: '"worker": "ok"' in made.page("/readyz").text)
        yield made


@pytest.fixture(scope="module")
def calm(lockscope: Installation) -> dict[str, Any]:
    """What comes of an upload of ``many`` files when nothing goes wrong."""
    case = lockscope.case("Calm")
    lockscope.upload(case, many())
    lockscope.the_case_is_whole(case, FILES)
    return lockscope.result(case)
