"""``manage.py load_samples``: the sample cases through the real worker."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.cases.models import Artifact, Case
from apps.cases.services import trash_case
from apps.ingest.management.commands import load_samples
from apps.ingest.samples import SAMPLES
from scripts import prepare
from tests.builders import make_case, people
from tests.part import part
from tests.workers import Workers, workers_of

needs_a_database_of_its_own = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="a worker needs a database that it can open too"
)


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    with workers_of(tmp_path) as workers:
        yield workers


@pytest.mark.slow
@needs_a_database_of_its_own
def test_the_samples_are_loaded_once_and_diagnosed(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them: that a first start shows them all is a test of the supervisor."""
    some = part(SAMPLES, 1, "loaded")
    monkeypatch.setattr(load_samples, "SAMPLES", some)
    folk = people()
    workers.start(concurrency=2)
    call_command("load_samples", wait=150, team=folk.team.slug)
    cases = {case.key: case for case in Case.objects.filter(is_sample=True)}
    assert set(cases) == {sample.key for sample in some}
    for case in cases.values():
        assert case.current_diagnosis is not None
        assert not case.current_diagnosis.partial
        assert case.severity
        assert case.spark
        assert case.team == folk.team
    assert not Artifact.objects.filter(state__in=("failed", "queued", "reading")).exists()
    trash_case(next(iter(cases.values())), by=folk.alice)
    call_command("load_samples", wait=1)
    assert Case.objects.count() == len(some)


def test_where_there_is_a_case_already_nothing_is_loaded_at_a_start(db: None) -> None:
    make_case(people().team)
    prepare.load_samples()
    assert Case.objects.count() == 1


def test_without_a_team_or_a_worker_it_says_so(workers: Workers) -> None:
    with pytest.raises(CommandError, match="no such team"):
        call_command("load_samples", stdout=io.StringIO())
    people()
    with pytest.raises(CommandError, match="still being read"):
        call_command("load_samples", wait=0.1)
    assert Case.objects.count() == len(SAMPLES)
