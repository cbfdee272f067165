"""One file, one task: what it leaves on its row and in the storage, whatever goes wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.cases import storage
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle, BundleProblem, Case, Failure
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.services import diagnose_case
from apps.ingest import leases
from apps.ingest.reading import artifacts
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.operations.tasks import remove_orphans
from parsers.text import Block
from tests.builders import People, expired, make_case
from tests.ingest.broken import WHOLE_FILE, broken_parser_registered
from tests.ingest.material import tar, waiters

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(folk: People) -> Case:
    return make_case(folk.team)


def stored(case: Case, content: bytes, name: str = "w.txt") -> list[Artifact]:
    """Unpacked and waiting to be read."""
    list(expand_bundle(store_bytes(case, content, filename=name, user=None).pk))
    return list(case.artifacts.order_by("pk"))


def one(case: Case, content: bytes) -> Artifact:
    return stored(case, content)[0]


def facts_of(artifact: Artifact) -> list[str]:
    return storage.folders(f"cases/{artifact.case_id}/facts/{artifact.pk}/")


def test_a_file_is_read_once(case: Case) -> None:
    artifact = one(case, waiters())
    assert read_artifact(artifact.pk)
    assert not read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.lines_total, artifact.lines_understood, artifact.records) == ("parsed", 25, 24, 20)
    assert (artifact.formats, artifact.nodes) == (["scale_waiters_new"], ["oulu-n1"])
    assert (artifact.facts_generation, artifact.lease_until, artifact.read_bytes) == (1, None, artifact.size)
    assert facts_of(artifact) == [artifact.facts]
    assert pl.read_parquet(storage.local_path(artifact.facts) / "waiter-*.parquet").height == 20


def test_reading_again_replaces_the_facts(case: Case) -> None:
    artifact = one(case, waiters())
    read_artifact(artifact.pk)
    artifact.refresh_from_db()
    before = artifact.facts
    Artifact.objects.filter(pk=artifact.pk).update(state="queued")
    read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.facts != before
    assert artifact.facts_generation == 2
    assert facts_of(artifact) == [artifact.facts]
    assert pl.read_parquet(storage.local_path(artifact.facts) / "waiter-*.parquet").height == 20


def test_an_unknown_text_is_kept_to_read_and_reported(case: Case) -> None:
    artifact = one(case, b"the quick brown fox\njumps over\n")
    read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state == "skipped"
    assert "Stored and searchable" in artifact.message
    assert storage.exists(artifact.blob)


def test_t16_a_file_with_lines_that_are_not_understood_is_partly_read(case: Case) -> None:
    artifact = one(
        case, b"Filesystem i/o parameters for /srv/oulu\nread_pref_io = 65536\nread_nstream =\noltp_load = 0\n"
    )
    read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state == "partly"
    assert artifact.message == "1 of 4 lines is not understood."
    assert (artifact.lines_total, artifact.lines_understood, artifact.lines_not_understood) == (4, 3, 1)


class _Interrupted(TextBlob):
    """A text during whose reading something happens."""

    happens: Any = None

    def blocks(self, first: int = 1) -> Iterator[Block]:
        for block in super().blocks(first):
            yield block
            type(self).happens()


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a function that sets what happens while a text is read."""

    def set_to(action: Any) -> None:
        _Interrupted.happens = staticmethod(action)
        monkeypatch.setattr(artifacts, "TextBlob", _Interrupted)

    return set_to


def test_who_lost_the_lease_leaves_nothing_behind(case: Case, meanwhile: Any) -> None:
    artifact = one(case, waiters())
    meanwhile(lambda: Artifact.objects.filter(pk=artifact.pk).update(lease_by="somebody else"))
    assert not read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.lease_by, artifact.facts, artifact.lines_total) == (
        "reading",
        "somebody else",
        "",
        None,
    )
    assert facts_of(artifact) == []
    assert not BundleProblem.objects.exists()


def test_a_file_whose_bundle_is_removed_meanwhile_leaves_nothing_behind(case: Case, meanwhile: Any) -> None:
    artifact = one(case, waiters())
    meanwhile(lambda: Bundle.objects.all().delete())
    assert not read_artifact(artifact.pk)
    assert facts_of(artifact) == []
    assert not Artifact.objects.exists()


def test_facts_that_a_killed_worker_had_stored_are_left_to_the_sweeper(case: Case) -> None:
    artifact = one(case, waiters())
    dead = leases.claim(Artifact.objects.filter(pk=artifact.pk), states=("queued",), working="reading")
    orphan = f"cases/{case.pk}/facts/{artifact.pk}/1-{str(dead)[:8]}/"
    with storage.open_file(artifact.blob) as file:
        storage.save_as(f"{orphan}waiter-0000.parquet", file)
    Artifact.objects.filter(pk=artifact.pk).update(lease_until=expired())
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert set(facts_of(artifact)) == {artifact.facts, orphan}  # it may be slow and not dead
    long_ago = expired(minutes=120).timestamp()
    os.utime(storage.local_path(f"{orphan}waiter-0000.parquet"), (long_ago, long_ago))
    assert remove_orphans() == 1
    assert [prefix for prefix in facts_of(artifact) if storage.listing(prefix)] == [artifact.facts]
    assert artifact.facts != orphan
    assert artifact.attempts == 2


def test_t10_a_file_that_kills_every_worker_fails_in_the_end(case: Case) -> None:
    artifact = one(case, waiters())
    Artifact.objects.filter(pk=artifact.pk).update(state="reading", lease_by="dead", lease_until=expired(), attempts=4)
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.failure, artifact.lease_until) == ("failed", Failure.DIED, None)
    assert (
        artifact.message
        == "The worker died 4 times on this file; the other files go on. Try again, or send it in smaller parts."
    )


@pytest.mark.parametrize(
    ("error", "failure", "words"),
    [
        (SoftTimeLimitExceeded, Failure.TIME, "Reading took too long (SoftTimeLimitExceeded). "),
        (MemoryError, Failure.LIMIT, "Reading needed too much memory (MemoryError). "),
    ],
)
def test_t44_too_long_or_too_large_is_a_failure_of_its_own(
    case: Case, meanwhile: Any, error: type[Exception], failure: Failure, words: str
) -> None:
    artifact = one(case, waiters())

    def end() -> None:
        raise error

    meanwhile(end)
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state == "failed"
    assert (artifact.failure, artifact.message) == (failure, f"{words}Try again, or send it in smaller parts.")
    assert facts_of(artifact) == []


def test_a_text_that_the_storage_lost_is_reported(case: Case) -> None:
    artifact = one(case, waiters())
    storage.delete(artifact.blob)
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.failure) == ("failed", Failure.STORAGE)
    assert "could not be fetched" in artifact.message
    assert "/" not in artifact.message


def test_a_damaged_blob_is_not_taken_for_a_broken_parser(case: Case) -> None:
    artifact = one(case, waiters())
    path = storage.local_path(artifact.blob)
    path.write_bytes(b"\x00" * 10 + path.read_bytes()[10:])
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.failure) == ("failed", Failure.DEFECT)
    assert "BadTextBlobError" in artifact.message


def test_a_parser_that_fails_costs_its_section_only(case: Case, broken_parser: str) -> None:
    content = broken_parser.encode() + waiters("oulu-n2") + broken_parser.encode() + waiters("oulu-n4")
    artifact = one(case, content)
    assert read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert (artifact.state, artifact.failure) == ("partly", "")
    assert artifact.nodes == ["oulu-n2", "oulu-n4"]
    assert (artifact.lines_total, artifact.lines_not_understood) == (content.count(b"\n"), 2)
    problems = list(BundleProblem.objects.order_by("line"))
    assert [problem.line for problem in problems] == [1, 2 + waiters().count(b"\n")]
    assert {problem.message for problem in problems} == {
        "The reader broken_on_purpose failed here (KeyError): the rest of this section is not read."
    }
    assert diagnose_case(case.pk) is not None


def test_an_error_that_no_line_brings_about_costs_its_file_only(case: Case, broken_parser: str) -> None:
    members = {
        "a.txt": waiters(),
        "b.txt": f"{WHOLE_FILE}\n".encode() + waiters("oulu-n2"),
        "c.txt": waiters("oulu-n3"),
    }
    for artifact in stored(case, tar(members)):
        assert read_artifact(artifact.pk)
    good, bad, other = case.artifacts.order_by("pk")
    assert (good.state, bad.state, other.state) == ("parsed", "failed", "parsed")
    assert bad.failure == Failure.DEFECT
    assert (
        bad.message
        == "Reading failed (UnforeseenError): nothing of this file is used. Ask the administrator to look at the log."
    )
    assert (bad.facts, bad.lines_total, bad.facts_generation) == ("", None, 0)
    assert facts_of(bad) == []
    problem = BundleProblem.objects.get()
    assert (problem.artifact, problem.path, problem.message) == (bad, bad.path, bad.message)
    row = diagnose_case(case.pk)
    assert row is not None
    assert [node["name"] for node in row.summary["nodes"]] == ["oulu-n1", "oulu-n3"]
    assert (row.partial, row.files_read) == (False, 3)


def test_a_file_that_failed_is_read_anew_when_requested(case: Case) -> None:
    with broken_parser_registered():
        artifact = one(case, f"{WHOLE_FILE}\n".encode() + waiters())
        read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state == "failed"
    Artifact.objects.filter(pk=artifact.pk).update(state="queued", attempts=0, message="")
    read_artifact(artifact.pk)
    artifact.refresh_from_db()
    assert artifact.state in {"parsed", "partly"}
    assert not BundleProblem.objects.exists()
    assert artifact.problems_n == 0


def test_the_result_is_the_same_in_any_order_and_twice(folk: People) -> None:
    content = tar({f"n{n}/w.txt": waiters(f"oulu-n{n}", first=30.0 + n, lines=10 + n) for n in range(6)})
    results = []
    for order in ((0, 1, 2, 3, 4, 5), (5, 3, 1, 0, 2, 4), (1, 0, 5, 4, 3, 2)):
        case = make_case(folk.team, "one of three")
        files = stored(case, content)
        for place in order:
            read_artifact(files[place].pk)
        row = diagnose_case(case.pk)
        assert row is not None
        results.append(plain_row(row, {artifact.pk: n for n, artifact in enumerate(files)}))
    assert results[0] == results[1] == results[2]
    assert results[0]["verdict"]


def plain_row(row: Any, places: dict[int, int]) -> dict[str, Any]:
    """All that a diagnosis says, with the numbers of files replaced by their places."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: places[inner] if key == "artifact" else plain(inner) for key, inner in value.items()}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    findings = [
        (f.rule, f.severity, f.confidence, f.title, f.explanation, plain(f.evidence), plain(f.figures))
        for f in row.findings.order_by("order")
    ]
    tunings = [(t.tuning_id, t.current, t.recommended) for t in row.tunings.order_by("order")]
    return {"verdict": row.verdict_title, "summary": plain(row.summary), "findings": findings, "tunings": tunings}


def test_a_file_that_is_read_again_keeps_what_its_unpacking_found(case: Case) -> None:
    artifact = one(case, waiters())
    for stage in BundleProblem.Stage:
        BundleProblem.objects.create(
            bundle=artifact.bundle, artifact=artifact, message="A line is too long.", stage=stage
        )
    assert read_artifact(artifact.pk)
    assert [problem.stage for problem in artifact.problems.all()] == ["unpacking"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks all tables at once")
@pytest.mark.parametrize("work", ["unpack", "remove"])
def test_a_case_is_locked_before_what_is_in_it(case: Case, work: str) -> None:
    made = store_bytes(case, tar({"a.txt": waiters()}), filename="a.tgz", user=None)
    with CaptureQueriesContext(connection) as queries:
        if work == "unpack":
            list(expand_bundle(made.pk))
        else:
            remove_bundle(made, by=None)
    locking = [query["sql"] for query in queries if "UPDATE" in query["sql"].partition(" FOR ")[2]]
    locked = [sql.split(" FROM ")[1].split()[0] for sql in locking]
    assert locked[:2] == ['"cases_case"', '"cases_bundle"']
