"""Two hundred commits that lose their answer, at every write from an upload to the removal of its case: nothing is
lost, nothing is there twice, and what people see is what it is without them.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial

import pytest
from django.db import connection

from tests.builders import People, make_case
from tests.ingest.cuts import STEPS, WINDOW, Tried, huge_from
from tests.ingest.cutting_proxy import cutting_proxy

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.timeout(3600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="no answer of SQLite can get lost"),
]
CUTS = 200


def test_two_hundred_commits_without_an_answer_cost_nothing(folk: People) -> None:
    cut: Counter[str] = Counter()
    seed = 0
    with huge_from(WINDOW), cutting_proxy() as proxy:
        while cut.total() < CUTS:
            tried = Tried(proxy, folk, partial(make_case, folk.team), seed)
            for number, step in enumerate(STEPS):
                for is_done in (True, False):
                    before = tried.cuts
                    tried.all_of(number, is_done=is_done)
                    cut[step.__name__] += tried.cuts - before
            seed += 1
    sys.stdout.write(f"{dict(cut)}\n")
    assert set(cut) == {step.__name__ for step in STEPS}, cut
    assert min(cut.values()) >= 2, cut
