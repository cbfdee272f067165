"""Two teams and real workers: who came first with much does not keep the other waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from apps.accounts.models import Team
from apps.cases.lifetime.keeping import remove_case
from apps.cases.models import Case
from apps.cases.services import trash_case
from apps.ingest import tasks
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads.receive import store_bytes
from tests.builders import make_case
from tests.ingest.material import tar, waiters
from tests.patience import HANGS_S
from tests.workers import Workers, workers_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.part("bad days", 3),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="the other shape's test database lives in the memory of one process"
    ),
]
MANY, FEW, TINY = 300, 3, 20_000


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    with workers_of(tmp_path) as workers:
        yield workers


def test_t44_three_files_are_read_before_the_twentieth_of_three_hundred_that_came_first(workers: Workers) -> None:
    many, few = (make_case(Team.objects.create(name=name, slug=name.lower())) for name in ("Many", "Few"))
    for case, files in ((many, MANY), (few, FEW)):
        send(case, files, case.team.slug)
        tasks.expand_bundle(case.bundles.get().pk)
    workers.start(concurrency=2)
    workers.wait_for(lambda: few.artifacts.filter(state="parsed").count() == FEW, limit_s=HANGS_S)
    last = few.artifacts.latest("finished_at").finished_at
    turns = many.artifacts.filter(started_at__lt=last).values("started_at").distinct()  # a batch begins at once
    assert 0 < turns.count() < 20
    assert set(few.artifacts.values_list("attempts", flat=True)) == {1}


@pytest.mark.chaos
def test_t44_in_a_team_a_small_upload_passes_an_archive_of_thousands_of_tiny_files(workers: Workers) -> None:
    team = Team.objects.create(name="One", slug="one")
    tiny, small = make_case(team), make_case(team)
    lines = tar({f"t/{n:05d}": b"%04d" % n for n in range(TINY)})
    queue_bundle(store_bytes(tiny, lines, filename="tiny.tgz", user=None))
    workers.start(concurrency=2)
    workers.wait_for(lambda: tiny.artifacts.count() > 300, limit_s=HANGS_S)
    send(small, FEW, "reed")
    workers.wait_for(lambda: small.artifacts.filter(state="parsed").count() == FEW, limit_s=HANGS_S)
    assert tiny.bundles.get().state != "expanded"
    trash_case(tiny, by=None)
    time.sleep(4)
    made, read = tiny.artifacts.count(), begun(tiny)
    time.sleep(2)
    assert (tiny.artifacts.count(), begun(tiny)) == (made, read)
    assert made < TINY
    remove_case(tiny, by=None, why="a test")
    assert not tiny.artifacts.exists()


def send(case: Case, files: int, name: str) -> None:
    members = {f"{name}-n{n:03d}/waiters.txt": waiters(f"{name}-n{n:03d}") for n in range(files)}
    queue_bundle(store_bytes(case, tar(members), filename=f"{name}.tgz", user=None))


def begun(case: Case) -> int:
    return case.artifacts.exclude(state="queued").count()
