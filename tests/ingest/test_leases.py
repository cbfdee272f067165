"""Who holds a row, and what becomes of work whose lease was lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from pytest_django import Settings

from apps.cases.models import Artifact
from apps.ingest import leases
from tests.builders import People, build_case, expired
from tests.patience import HANGS_S

QUEUED, READING = Artifact.State.QUEUED, Artifact.State.READING


@pytest.fixture
def artifact(folk: People) -> Artifact:
    artifact = build_case(folk.team).artifact
    Artifact.objects.filter(pk=artifact.pk).update(state=QUEUED)
    return artifact


def claim(artifact: Artifact) -> str | None:
    return leases.claim(Artifact.objects.filter(pk=artifact.pk), states=(QUEUED,), working=READING)


def test_only_the_first_of_two_gets_the_row(artifact: Artifact) -> None:
    first = claim(artifact)
    assert first is not None
    assert claim(artifact) is None
    artifact.refresh_from_db()
    assert (artifact.state, artifact.lease_by, artifact.attempts) == (READING, first, 1)
    assert artifact.lease_until is not None
    assert artifact.lease_until > timezone.now()


def test_of_many_at_once_one_gets_the_row(transactional_db: None) -> None:
    from tests.builders import people

    artifact = build_case(people().team).artifact
    Artifact.objects.filter(pk=artifact.pk).update(state=QUEUED)
    barrier, got = threading.Barrier(8), []

    def run() -> None:
        barrier.wait()
        got.append(claim(artifact))
        connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([holder for holder in got if holder]) == 1
    artifact.refresh_from_db()
    assert artifact.attempts == 1


def test_a_row_whose_lease_ran_out_is_taken_up_again(artifact: Artifact) -> None:
    dead = claim(artifact)
    Artifact.objects.filter(pk=artifact.pk).update(lease_until=expired())
    alive = claim(artifact)
    assert alive not in (None, dead)
    with pytest.raises(leases.LeaseLostError):
        leases.settle(Artifact.objects.filter(pk=artifact.pk), str(dead), state=Artifact.State.PARSED)
    leases.settle(Artifact.objects.filter(pk=artifact.pk), str(alive), state=Artifact.State.PARSED)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.lease_by, artifact.lease_until, artifact.attempts) == ("parsed", "", None, 2)


@pytest.mark.parametrize("state", ["parsed", "partly", "failed", "skipped"])
def test_a_settled_row_is_taken_by_nobody(artifact: Artifact, state: str) -> None:
    Artifact.objects.filter(pk=artifact.pk).update(state=state, lease_until=expired())
    assert claim(artifact) is None


def test_the_first_attempt_and_three_retries_are_allowed(settings: Settings) -> None:
    assert [leases.is_spent(n) for n in (1, 2, 3, 4, 5)] == [False, False, False, False, True]
    settings.LIMITS = replace(settings.LIMITS, task_retries=0)
    assert [leases.is_spent(n) for n in (1, 2)] == [False, True]


def test_a_held_lease_is_renewed_with_the_progress(transactional_db: None, settings: Settings) -> None:
    from tests.builders import people

    settings.LIMITS = replace(settings.LIMITS, lease_renew_s=0.1)
    artifact = build_case(people().team).artifact
    Artifact.objects.filter(pk=artifact.pk).update(state=QUEUED)
    rows = Artifact.objects.filter(pk=artifact.pk)
    holder = str(claim(artifact))
    rows.update(lease_until=timezone.now() + timedelta(seconds=1))
    with leases.renewed(rows, holder, lambda: {"read_bytes": 4711}) as check:
        wait_until(lambda: rows.get().read_bytes == 4711)
        check()
        lease = rows.get().lease_until
        assert lease is not None
        assert lease > timezone.now() + timedelta(seconds=10)


def test_who_lost_the_lease_learns_it_at_the_next_check(transactional_db: None, settings: Settings) -> None:
    from tests.builders import people

    settings.LIMITS = replace(settings.LIMITS, lease_renew_s=0.1)
    artifact = build_case(people().team).artifact
    Artifact.objects.filter(pk=artifact.pk).update(state=QUEUED)
    rows = Artifact.objects.filter(pk=artifact.pk)
    holder = str(claim(artifact))
    with leases.renewed(rows, holder) as check:
        rows.update(lease_by="somebody else")
        with pytest.raises(leases.LeaseLostError):
            wait_until(lambda: check() is not None)
    assert rows.get().lease_by == "somebody else"


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + HANGS_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
