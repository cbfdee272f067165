"""Two hundred removals of cases and uploads while they are unpacked, read and judged."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.builders import People
from tests.ingest.test_removed_meanwhile import removals

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.timeout(3600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all"),
]
TRIES = 200


def test_two_hundred_removals_meet_no_deadlock(folk: People) -> None:
    assert removals(folk.team, TRIES) == []
