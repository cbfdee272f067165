"""A case or an upload that is removed while it is unpacked, read and judged: all lock the case first, so nobody waits
for ever and nobody is turned away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest
from django.db import Error, connection, connections

from apps.accounts.models import Team
from apps.cases import storage
from apps.cases.lifetime.keeping import remove_case
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.reading import batches
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.scheduling import diagnoses, turns
from apps.ingest.scheduling.held_case import diagnose_held_case
from apps.ingest.uploads.receive import store_bytes
from tests.builders import People, make_case
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all"),
]
TRIES, FILES, PAUSES, PAUSE_S = 7, 25, 9, 0.08
"""Each try begins the removal a little later. Without one order of locks half of them ended in a deadlock."""


def sent(case: Case, number: int) -> Bundle:
    members = {f"n{n}/waiters.txt": waiters(f"oulu-{number}-{n}", lines=5) for n in range(FILES)}
    return store_bytes(case, tar(members), filename=f"{number}.tgz", user=None)


def unpack(bundle: Bundle) -> None:
    for found in expand_bundle(bundle.pk):
        if found.is_batch:
            turns.stand_in_line_together(found.pk)
        else:
            turns.stand_in_line(found.pk, found.size)


def work(case: Case, end: threading.Event) -> None:
    while not end.is_set():
        for turn in turns.waiting("light"):
            batches.read(turn.pk) if turn.is_batch else read_artifact(turn.pk)
            break
        diagnoses.claim_diagnosis(case.pk)
        turns.close_lines()


def judge(case: Case, end: threading.Event) -> None:
    while not end.wait(0.01):
        diagnose_held_case(case.pk)


def test_whatever_is_at_work_a_removal_is_done_and_nobody_fails(folk: People) -> None:
    assert removals(folk.team, TRIES) == []


def removals(team: Team, tries: int, send: Callable[[Case, int], Bundle] = sent, pause_s: float = PAUSE_S) -> list[str]:
    """What databases said of deadlocks and the like, while so many cases were removed amid unpacking, reading and
    judging.
    """
    errors: list[str] = []

    def run(what: Callable[[], object]) -> None:
        try:
            what()
        except Error as error:
            errors.append(f"{what}: {error}")
        finally:
            connections.close_all()

    for number in range(tries):
        case, end = make_case(team), threading.Event()
        bundles = [send(case, 2 * number + n) for n in range(2)]
        jobs = [*(partial(unpack, one) for one in bundles), *(partial(to, case, end) for to in (work, work, judge))]
        threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        time.sleep(pause_s * (number % PAUSES))
        if number % 2:
            run(partial(remove_bundle, bundles[0], by=None))
        run(partial(remove_case, case, by=None, why="a test"))
        end.set()
        for thread in threads:
            thread.join()
        assert errors == []  # first: a case whose removal failed has all its files
        assert [path for path in storage.local_path(storage.case_prefix(case.pk)).rglob("*") if path.is_file()] == []
    assert not Artifact.objects.exists()
    return errors
