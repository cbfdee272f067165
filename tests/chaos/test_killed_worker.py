"""kill -9 of a real worker, in the middle of its work, on the real database and queue: nothing is lost, doubled or half
visible.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.diagnosis.models import Diagnosis
from apps.ingest.models import ReadingWindow
from apps.ingest.scheduling import diagnoses
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads.receive import store_bytes
from tests.builders import make_case, people
from tests.ingest.material import tar, waiters
from tests.parsers.dumps import scale_dumps
from tests.patience import HANGS_S
from tests.workers import Workers, workers_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.part("bad days", 3),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="the other shape's test database lives in the memory of one process"
    ),
]

"""Until all is read and judged, also where others keep the machine busy."""


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    for left in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir():
        shutil.rmtree(left, ignore_errors=True)  # of a worker that an earlier test killed
    with workers_of(tmp_path) as workers:
        yield workers


def uploaded(content: bytes) -> tuple[Case, Bundle]:
    case = make_case(people().team)
    bundle = store_bytes(case, content, filename="oulu-snap.tgz", user=None)
    queue_bundle(bundle)
    return case, bundle


def is_complete(case: Case) -> bool:
    return diagnoses.is_settled(case.pk) and not diagnoses.is_awaited(case.pk)


def test_t10_a_worker_killed_while_parsing_loses_nothing(workers: Workers, client: Client) -> None:
    text = b"".join(waiters("oulu-n1", lines=4000, first=20.0 + n) for n in range(60))
    case, _ = uploaded(tar({"n1/large.txt": text, "n2/small.txt": waiters("oulu-n2")}))
    first = workers.start()
    large = Artifact.objects.filter(path__endswith="large.txt")
    workers.wait_for(lambda: large.filter(state="reading").exists(), limit_s=HANGS_S)
    time.sleep(0.3)
    workers.kill(first)

    row = large.get()
    assert (row.state, row.facts, row.lines_total, row.facts_generation) == ("reading", "", None, 0)
    assert not Diagnosis.objects.filter(case=case, partial=False).exists()
    client.force_login(case.team.members.first())  # type: ignore[arg-type]
    page = client.get(reverse("ingest:reading", args=[case.key]))
    assert page.status_code == 200  # still at work, as far as anybody can see

    workers.start()
    workers.wait_for(lambda: is_complete(case), limit_s=HANGS_S)

    row = large.get()
    assert (row.state, row.attempts, row.facts_generation, row.lease_until) == ("parsed", 2, 1, None)
    assert storage.folders(f"cases/{case.pk}/facts/{row.pk}/") == [row.facts]
    read = pl.scan_parquet(storage.local_path(row.facts) / "waiter-*.parquet")
    assert read.select(pl.len()).collect().item() == 60 * 4000
    assert read.select(pl.col("line").n_unique()).collect().item() == 60 * 4000
    the_case_is_whole(case, files=2)


def test_t10_a_worker_killed_amid_the_windows_of_a_huge_file_costs_one_window(workers: Workers) -> None:
    case, _ = uploaded(scale_dumps(20_000, every=1))
    in_windows = {"LOCKSCOPE_WINDOW_BYTES": "2 MiB"}
    first = workers.start(settings=in_windows)
    rows = ReadingWindow.objects.order_by("number")
    workers.wait_for(
        lambda: rows.filter(state="read").exists() and rows.filter(state="reading").exists(), limit_s=HANGS_S
    )
    workers.kill(first)
    done = list(rows.filter(state="read").values_list("number", "facts"))
    file = case.artifacts.get()
    assert (file.state, file.facts, file.lease_until) == ("reading", "", None)
    assert 0 < len(done) < rows.count()

    workers.start(concurrency=2, settings=in_windows)
    workers.wait_for(lambda: is_complete(case), limit_s=HANGS_S)
    file.refresh_from_db()
    assert (file.state, file.facts_generation, file.lease_until) == ("parsed", 1, None)
    assert file.lines_not_understood == 0
    lines = pl.scan_parquet(storage.local_path(file.facts) / "waiter-*.parquet").select("line").collect()["line"]
    assert lines.is_sorted()
    assert lines.n_unique() == lines.len() == file.records
    assert not rows.exists()
    assert storage.folders(f"cases/{case.pk}/windows/") == []
    the_case_is_whole(case, files=1)


def test_t10_a_worker_killed_while_unpacking_loses_and_doubles_nothing(workers: Workers) -> None:
    members = {f"n{n:03d}/waiters.txt": waiters(f"oulu-n{n:03d}", lines=5) for n in range(40)}
    case, bundle = uploaded(tar(members))
    first = workers.start()
    workers.wait_for(lambda: bundle.artifacts.count() >= 8, limit_s=HANGS_S)
    workers.kill(first)

    bundle.refresh_from_db()
    made = bundle.artifacts.count()
    assert bundle.state == "expanding"
    assert made < len(members)
    assert not Diagnosis.objects.filter(case=case, partial=False).exists()

    workers.start()
    workers.wait_for(lambda: is_complete(case), limit_s=HANGS_S)
    bundle.refresh_from_db()
    assert (bundle.state, bundle.attempts, bundle.members) == ("expanded", 2, len(members))
    paths = list(bundle.artifacts.values_list("path", flat=True))
    assert sorted(paths) == sorted(f"oulu-snap.tgz!{name}" for name in members)
    assert set(bundle.artifacts.values_list("state", "facts_generation")) == {("parsed", 1)}
    the_case_is_whole(case, files=len(members))


def the_case_is_whole(case: Case, *, files: int) -> None:
    case.refresh_from_db()
    diagnosis = case.current_diagnosis
    assert diagnosis is not None
    assert (diagnosis.partial, diagnosis.files_read, diagnosis.files_total) == (False, files, files)
    assert Diagnosis.objects.filter(case=case, partial=False).count() == 1
    left = {folder.name for folder in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir()}
    assert len(left) <= 1  # what the killed worker was at; the sweeper removes it when no task can be that old
