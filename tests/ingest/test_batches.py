"""Small files are read in batches; what is wrong with one never costs the others, and nothing else looks different."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.cases import storage
from apps.cases.files import facts_place
from apps.cases.files.facts_place import place_of
from apps.cases.files.sections import sections_of
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle, BundleProblem, Case, SkippedShape
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.pages.export.report import as_json
from apps.diagnosis.services import diagnose_case
from apps.ingest import tasks
from apps.ingest.models import ReadingBatch
from apps.ingest.reading import batches, bundles
from apps.ingest.scheduling import turns
from apps.ingest.uploads.receive import store_bytes
from apps.operations.integrity import faults
from apps.privacy.models import Credential
from tests.builders import People, expired, make_case
from tests.ingest.broken import WHOLE_FILE
from tests.ingest.material import tar, waiters
from tests.ingest.reading import read_all
from tests.ingest.waiting import Waiting, case, queue

__all__ = ["case", "queue"]  # fixtures
pytestmark = pytest.mark.django_db


def members(count: int, **others: bytes) -> dict[str, bytes]:
    """Dumps of so many nodes, with what one may find beside them."""
    dumps = {f"oulu-n{n}/w.txt": waiters(f"oulu-n{n}", lines=3 + n % 4) for n in range(count)}
    return dumps | {name.replace("__", "/"): text for name, text in others.items()}


MIXED = members(
    9,
    odd__w=waiters("oulu-n4") + b"gulp 12 of 30 rows\nsip = 4\n",
    key__conf=b"[root@oulu-n1 ~]# cat conf\nadmin_password=Hunter2-and-more\n",
    empty=b"",
    binary=b"\0\1\2" * 50,
    copy__w=waiters("oulu-n1", lines=4),
    prose=b"Nothing that a parser knows.\n",
)


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All small files of an upload are one batch."""
    monkeypatch.setattr(bundles.Gathered, "is_due", lambda self, small: False)


def kept(case: Case, content: bytes) -> list[ReadingBatch]:
    made = store_bytes(case, content, filename="snap.tgz", user=None)
    list(bundles.expand_bundle(made.pk))
    return list(ReadingBatch.objects.order_by("pk"))


def one_batch(case: Case, texts: dict[str, bytes]) -> ReadingBatch:
    [batch] = kept(case, tar(texts))
    return batch


ROW = ("path", "size", "sha256", "state", "message", "failure", "lines_total", "lines_not_understood", "records",
       "formats", "nodes", "captured_us", "sections_n", "problems_n", "parser_version", "facts_generation",
       "read_bytes", "duplicate_of__path")  # fmt: skip


def shown_rows(case: Case) -> Any:
    """All that reading a case left in the database, and the report."""
    diagnosis = diagnose_case(case.pk)
    assert diagnosis is not None
    report = as_json(case, diagnosis)
    paths = dict(case.artifacts.values_list("pk", "path"))
    report = {key: by_path(value, paths) for key, value in report.items() if key not in {"made_at", "case"}}
    problems = BundleProblem.objects.filter(bundle__case=case).values_list("path", "line", "message", "stage")
    shapes = SkippedShape.objects.filter(artifact__case=case)
    words = Credential.objects.filter(artifact__case=case)
    return (
        list(case.artifacts.order_by("pk").values_list(*ROW)),
        sorted(problems, key=str),
        sorted(shapes.values_list("artifact__path", "shape", "reason", "lines", "first_line")),
        sorted(words.values_list("artifact__path", "line", "sort")),
        {one.path: sections_of(one) for one in case.artifacts.all()},
        report,
    )


def by_path(value: Any, paths: dict[int, str]) -> Any:
    if isinstance(value, dict):
        return {key: paths[held] if key == "artifact" else by_path(held, paths) for key, held in value.items()}
    return [by_path(held, paths) for held in value] if isinstance(value, list | tuple) else value


def read_how(folk: People, monkeypatch: pytest.MonkeyPatch, small_bytes: int) -> Case:
    case = make_case(folk.team)
    with monkeypatch.context() as patched:
        patched.setattr(bundles, "SMALL_BYTES", small_bytes)
        read_all(store_bytes(case, tar(MIXED), filename="snap.tgz", user=None).pk)
    return case


class TestSameResult:
    def test_files_read_together_and_one_by_one_tell_the_same(
        self, folk: People, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alone, together = read_how(folk, monkeypatch, 0), read_how(folk, monkeypatch, batches.SMALL_BYTES)
        assert not alone.artifacts.filter(facts__contains=facts_place.MARK).exists()
        assert together.artifacts.filter(facts__contains=facts_place.MARK).count() > 5
        for one, other in zip(shown_rows(alone), shown_rows(together), strict=True):
            assert one == other
        assert list(faults()) == []
        assert not Artifact.objects.filter(batch__isnull=False).exists()
        assert not ReadingBatch.objects.exists()

    def test_what_is_read_anew_tells_the_same(self, case: Case) -> None:
        read_all(store_bytes(case, tar(MIXED), filename="snap.tgz", user=None).pk)
        before, places = shown_rows(case), set(case.artifacts.exclude(facts="").values_list("facts", flat=True))
        assert tasks.reparse(case.artifacts.all()) == 12
        [batch] = ReadingBatch.objects.all()
        batches.read(batch.pk)
        rows = shown_rows(case)
        assert {row[-3] for row in rows[0] if row[8]} == {2}
        assert [row[:-3] for row in rows[0]] == [row[:-3] for row in before[0]]
        assert rows[1:5] == before[1:5]
        assert not any(storage.listing(place_of(facts).prefix) for facts in places)

    def test_one_of_them_read_anew_leaves_the_others_as_they_are(self, case: Case, together: None) -> None:
        batches.read(one_batch(case, members(4)).pk)
        before = shown_rows(case)
        one = case.artifacts.order_by("pk")[1]
        assert tasks.reparse(case.artifacts.filter(pk=one.pk)) == 1
        assert tasks._read_file(one.pk)
        one.refresh_from_db()
        assert place_of(one.facts).number is None
        rows = shown_rows(case)
        assert (rows[4], rows[5]["findings"]) == (before[4], before[5]["findings"])

    def test_files_of_many_records_have_a_folder_of_their_own(
        self, case: Case, together: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("apps.diagnosis.engine.core.facts.small_files.SMALL_ROWS", 40)
        batches.read(one_batch(case, members(3, large=waiters("oulu-n9", lines=90))).pk)
        numbers = [place_of(one.facts).number is None for one in case.artifacts.order_by("pk")]
        assert numbers == [False, False, False, True]
        assert list(faults()) == []
        [large] = case.artifacts.filter(path__endswith="large")
        assert (large.records, large.nodes) == (90, ["oulu-n9"])


class TestFailing:
    def test_a_parser_that_fails_costs_one_file(self, case: Case, together: None, broken_parser: str) -> None:
        batches.read(one_batch(case, members(3, bad=f"{WHOLE_FILE}\nx\n".encode())).pk)
        assert sorted(case.artifacts.values_list("state", "failure")) == [("failed", "defect"), *[("parsed", "")] * 3]
        [bad] = case.artifacts.filter(state="failed")
        assert (bad.facts, bad.problems.count(), bad.problems_n) == ("", 1, 1)
        assert tasks.retry_artifact(bad)
        assert tasks._read_file(bad.pk)

    def test_a_text_that_the_storage_lost_costs_one_file(self, case: Case, together: None) -> None:
        batch = one_batch(case, members(3))
        lost = case.artifacts.order_by("pk")[1]
        storage.delete(lost.blob)
        batches.read(batch.pk)
        assert list(case.artifacts.order_by("pk").values_list("state", "failure", "attempts")) == [
            ("parsed", "", 1),
            ("failed", "storage", 1),  # tried again by itself, as it counts one attempt
            ("parsed", "", 1),
        ]

    @pytest.mark.parametrize("error", [MemoryError, SoftTimeLimitExceeded, RuntimeError])
    @pytest.mark.part("errors of nobody", 1)
    def test_an_error_that_is_no_file_s_divides_the_batch(
        self, case: Case, together: None, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
    ) -> None:
        batch, real = one_batch(case, members(40)), TextBlob.open
        bad = case.artifacts.order_by("pk")[17]

        def open_text(file: Any) -> TextBlob:
            if bad.blob.endswith(str(file.name).rpartition("/")[2]):
                raise error
            return real(file)

        monkeypatch.setattr(TextBlob, "open", open_text)
        steps = read_on([batch.pk])
        assert list(case.artifacts.exclude(state="parsed").values_list("pk", "state")) == [(bad.pk, "failed")]
        assert steps < 40  # and not one by one
        assert not ReadingBatch.objects.exists()

    def test_a_batch_that_killed_two_workers_is_divided_until_the_file_stands_alone(
        self, case: Case, together: None
    ) -> None:
        batch = one_batch(case, members(40))
        ReadingBatch.objects.update(state="reading", attempts=2, lease_until=expired())  # as its second reader left it
        case.artifacts.update(state="reading")
        found = batches.read(batch.pk)
        assert found is not None
        assert (len(found[1].batches), found[1].files) == (14, [])
        assert set(case.artifacts.values_list("state", flat=True)) == {"queued"}
        assert set(case.artifacts.values_list("batch", flat=True)) == set(found[1].batches)
        ReadingBatch.objects.filter(pk=found[1].batches[0]).update(attempts=2)
        left = batches.read(found[1].batches[0])
        assert left is not None
        assert [pk for pk, _ in left[1].files] == list(case.artifacts.order_by("pk").values_list("pk", flat=True)[:3])
        assert case.artifacts.filter(batch__isnull=True, state="queued").count() == 3
        read_on(list(found[1].batches))
        assert set(case.artifacts.values_list("state", flat=True)) == {"queued", "parsed"}

    def test_the_storage_fails_while_facts_are_kept_and_nothing_of_them_stays(
        self, case: Case, together: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batch, real = one_batch(case, members(3)), storage.save_as

        def save_as(name: str, content: Any) -> None:
            if "waiter-" in name:
                raise OSError("away")
            real(name, content)

        with monkeypatch.context() as patched:
            patched.setattr(storage, "save_as", save_as)
            found = batches.read(batch.pk)
        assert found is not None
        assert len(found[1].files) == 3
        assert storage.folders(f"cases/{case.pk}/facts") == []
        assert set(case.artifacts.values_list("state", "batch", "facts")) == {("queued", None, "")}


def read_on(waiting: list[int]) -> int:
    """Everything that comes of these batches; how many tasks it took."""
    steps = 0
    files: list[tuple[int, int]] = []
    while waiting:
        steps += 1
        if found := batches.read(waiting.pop(0)):
            waiting += found[1].batches
            files += found[1].files
    for pk, _ in files:
        steps += 1
        tasks._read_file(pk)
    return steps


class TestInLine:
    def test_a_turn_ends_and_the_rest_stands_in_line_again(
        self, case: Case, together: None, queue: Waiting, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(batches, "TURN_S", 0)
        batch = one_batch(case, members(3))
        for left in (2, 1, 0):
            tasks.read_batch(batch.pk)
            assert case.artifacts.filter(state="queued", batch=batch.pk).count() == left
            names = [name for name, _ in queue.take()]
            assert ("read_batch" in names) == bool(left)
        assert set(case.artifacts.values_list("state", flat=True)) == {"parsed"}
        assert len({place_of(one.facts).prefix for one in case.artifacts.all()}) == 3

    def test_batches_take_turns_between_teams_people_and_uploads(self, folk: People, together: None) -> None:
        def send(case: Case, by: User, count: int = 2) -> Bundle:
            texts = {f"{by.username}{case.pk}{n}": waiters(f"n{n}-{by.pk}") for n in range(count)}
            made = store_bytes(case, tar(texts), filename="s.tgz", user=by)
            for found in bundles.expand_bundle(made.pk):
                tasks._send_batch(found.pk)
            return made

        mine = make_case(folk.team)
        first, second, other = send(mine, folk.alice), send(make_case(folk.team), folk.alice), send(mine, folk.bob)
        theirs = send(make_case(folk.other_team), folk.charlie)
        order = []
        for _ in range(4):
            turn = next(turns.waiting("light"))
            assert turn.is_batch
            order.append(ReadingBatch.objects.get(pk=turn.pk).bundle_id)
            batches.read(turn.pk)
        assert order.index(theirs.pk) == 1
        assert order.index(other.pk) < order.index(second.pk)
        assert set(order) == {first.pk, second.pk, other.pk, theirs.pk}

    def test_a_message_that_names_a_file_of_a_batch_reads_nothing(self, case: Case, together: None) -> None:
        batch = one_batch(case, members(3))
        [first, *_] = case.artifacts.order_by("pk")
        Artifact.objects.filter(pk=first.pk).update(state="reading")
        assert not tasks._read_file(first.pk)
        batches.read(batch.pk)
        assert batches.read(batch.pk) is None
        assert set(case.artifacts.values_list("facts_generation", flat=True)) == {1}

    def test_the_sweeper_sends_what_was_left_and_frees_files_whose_batch_is_gone(
        self, case: Case, together: None, queue: Waiting
    ) -> None:
        batch = one_batch(case, members(3))
        ReadingBatch.objects.update(state="reading", lease_until=expired())
        case.artifacts.update(state="reading")
        queue.take()
        tasks.sweep()
        assert ("read_batch", batch.pk) in queue.take()
        ReadingBatch.objects.all().delete()
        tasks.sweep()
        sent = [one for one in queue.take() if one[0] == "read_artifact"]
        assert sorted(pk for _, pk in sent) == sorted(case.artifacts.values_list("pk", flat=True))
        assert set(case.artifacts.values_list("state", "batch")) == {("queued", None)}

    def test_all_that_waits_is_sent_again_when_the_queue_was_lost(
        self, case: Case, together: None, queue: Waiting
    ) -> None:
        batch = one_batch(case, members(3))
        queue.take()
        tasks._queue_all_again()
        assert queue.take() == [("read_batch", batch.pk)]


class TestMeanwhile:
    def test_a_case_in_the_trash_is_not_read_and_is_when_it_comes_back(self, case: Case, together: None) -> None:
        batch = one_batch(case, members(3))
        Case.objects.update(trashed_at=timezone.now())
        assert batches.read(batch.pk) is None
        Case.objects.update(trashed_at=None)
        assert batches.read(batch.pk) is not None

    def test_who_lost_the_lease_writes_nothing(
        self, case: Case, together: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batch = one_batch(case, members(3))
        at_end(monkeypatch, lambda: ReadingBatch.objects.update(lease_by="another"))
        assert batches.read(batch.pk) is None
        assert set(case.artifacts.values_list("state", "facts")) == {("reading", "")}
        assert storage.folders(f"cases/{case.pk}/facts") == []

    def test_a_file_that_passed_to_another_upload_meanwhile_keeps_its_state(
        self, case: Case, together: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batch = one_batch(case, members(3))
        gone, *_ = case.artifacts.order_by("pk")
        at_end(monkeypatch, lambda: Artifact.objects.filter(pk=gone.pk).update(batch=None, state="queued"))
        batches.read(batch.pk)
        assert list(case.artifacts.order_by("pk").values_list("state", flat=True)) == ["queued", "parsed", "parsed"]

    def test_a_removed_upload_takes_its_facts_along_and_leaves_those_that_another_holds_too(
        self, case: Case, together: None, folk: People
    ) -> None:
        texts = members(4)
        batches.read(one_batch(case, texts).pk)
        [first] = case.bundles.all()
        two = dict(list(texts.items())[:2])
        read_all(store_bytes(case, tar(two), filename="again.tgz", user=None).pk)
        assert case.artifacts.filter(duplicate_of__isnull=False).count() == 2
        before = {one.path: sections_of(one) for one in first.artifacts.all()}
        remove_bundle(first, by=folk.alice)
        [heir, other] = case.artifacts.order_by("pk")
        assert [sections_of(one) for one in (heir, other)] == list(before.values())[:2]
        prefix = place_of(heir.facts).prefix
        rows = pl.concat(
            pl.read_parquet(storage.local_path(name), columns=["artifact"]) for name in storage.listing(prefix)
        )
        assert rows["artifact"].n_unique() == 2
        diagnose_case(case.pk)
        case.refresh_from_db()
        assert case.current_diagnosis is not None
        assert case.current_diagnosis.files_read == 2


def at_end(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Something happens after the last file was read, before the rows are written."""
    real = batches._noticed

    def noticed(*args: Any) -> Any:
        act()
        return real(*args)

    monkeypatch.setattr(batches, "_noticed", noticed)


def test_rows_of_a_batch_are_written_together(case: Case, together: None) -> None:
    counts = []
    for number, files in enumerate((10, 80)):
        texts = {f"{number}/{n}": waiters(f"n{n}-{number}", lines=2) for n in range(files)}
        made = store_bytes(case, tar(texts), filename=f"{number}.tgz", user=None)
        with CaptureQueriesContext(connection) as queries:
            read_all(made.pk)
        counts.append(len(queries))
    assert counts[1] < counts[0] + 2 * 12  # twelve statements more, and not seventy times those of a file


def test_the_first_batches_are_few_and_later_ones_many(case: Case, queue: Waiting) -> None:
    made = store_bytes(case, tar({f"{n}": waiters(f"n{n}", lines=1) for n in range(40)}), filename="a.tgz", user=None)
    found = list(bundles.expand_bundle(made.pk))
    sizes = [case.artifacts.filter(batch=one.pk).count() if one.is_batch else 1 for one in found]
    assert sum(sizes) == 40
    assert sizes[:5] == [1, 1, 1, 1, 2]
    assert sizes == sorted(sizes[:-1]) + sizes[-1:]
    assert len(sizes) < 20


def test_the_page_shows_files_of_a_batch_as_being_read(
    client: Client, folk: People, case: Case, together: None
) -> None:
    batch = one_batch(case, members(3))
    client.force_login(folk.alice)
    ReadingBatch.objects.filter(pk=batch.pk).update(state="reading")
    case.artifacts.update(state="reading", batch=batch.pk, read_bytes=0)
    shown = client.get(reverse("ingest:reading", args=[case.key]))
    assert shown.status_code == 200
    assert "Reading" in shown.content.decode()
