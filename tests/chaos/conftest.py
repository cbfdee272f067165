"""One installation for each module of tests that needs all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.chaos.installation import Installation, installed


@pytest.fixture(scope="module")
def lockscope(django_db_blocker: Any) -> Iterator[Installation]:
    """With web and one worker running."""
    with pytest.MonkeyPatch.context() as patch, installed(django_db_blocker.unblock, patch) as made:
        made.start_web()
        made.start_worker()
        made.until(lambda: '"worker": "ok"' in made.page("/readyz").text)
        yield made
