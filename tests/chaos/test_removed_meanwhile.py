"""Two hundred removals of cases and uploads while they are unpacked, read and judged."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from django.conf import settings
from django.db import connection

from apps.cases.models import Bundle, Case
from apps.ingest.uploads.receive import store_bytes
from tests.builders import People
from tests.ingest.material import tar
from tests.ingest.test_removed_meanwhile import removals, sent

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.timeout(3600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all"),
]
TRIES = 200
MEMBERS, LONGER_S = 250_000, 0.4


def test_two_hundred_removals_meet_no_deadlock(folk: People) -> None:
    assert removals(folk.team, TRIES) == []


@cache
def tiny() -> bytes:
    return tar({f"n{number % 900}/f{number}": b"%d\n" % number for number in range(MEMBERS)})


def archive_and_small(case: Case, number: int) -> Bundle:
    """An archive of very many tiny files, and a small upload beside it."""
    return sent(case, number) if number % 2 else store_bytes(case, tiny(), filename="tiny.tgz", user=None)


def test_two_hundred_removals_while_250_000_members_are_unpacked_meet_no_deadlock(
    folk: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "LIMITS", replace(settings.LIMITS, members=2 * MEMBERS))
    assert removals(folk.team, TRIES, archive_and_small, LONGER_S) == []
