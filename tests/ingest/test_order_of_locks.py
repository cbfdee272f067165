"""Who changes several rows of a case locks the case first, as who removes it does: neither waits for ever, whatever
they do at the same moment.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction

from apps.cases import storage
from apps.cases.lifetime.keeping import remove_case
from apps.cases.models import Artifact, Bundle, BundleProblem, Case
from apps.cases.notes.services import add_note, delete_note, edit_note
from apps.cases.people.members import name_person, remove_person
from apps.cases.services import CaseGoneError
from apps.diagnosis.engine.analysis import NOTHING
from apps.diagnosis.engine.core.facts.small_files import SmallFiles
from apps.diagnosis.services import collect_garbage, diagnose_case
from apps.ingest.models import ReadingBatch, ReadingWindow
from apps.ingest.reading import batches
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.watched import Watched
from apps.ingest.scheduling import diagnoses, turns
from apps.ingest.scheduling.announcing import tell_settled
from apps.ingest.scheduling.held_case import diagnose_held_case
from apps.ingest.uploads.receive import store_bytes
from apps.notices.models import Notice
from apps.notices.services import forget_old, mark_read
from apps.sharing.masked import masked_row
from apps.sharing.models import ShareLink
from apps.sharing.services import change_end, create_share_link, revoke_share_link
from tests.builders import People, make_case
from tests.ingest.cuts import STEPS, WINDOW, Work, done, expand, huge_from, texts
from tests.ingest.lock_order import order_of_locks_watched
from tests.ingest.material import tar, waiters
from tests.parsers.dumps import scale_dumps
from tests.patience import HANGS_S

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all"),
]
FILES = 3
CASE_LOCKED, ROWS_GOING = "after the case is locked", "while its rows go"


def upload(case: Case, people: People) -> Bundle:
    members = {f"oulu-n{n}/waiters.txt": waiters(f"oulu-n{n}", lines=5) for n in range(FILES)}
    return store_bytes(case, tar(members), filename="snap.tgz", user=people.bob)


def unpacked(case: Case, people: People) -> ReadingBatch:
    """All files of an upload in one batch, however few they are."""
    bundle = upload(case, people)
    expand(Work(case, people, b""))
    batch = ReadingBatch.objects.create(bundle=bundle, turn_kind=turns.Kind.SMALL_UPLOAD)
    bundle.artifacts.update(batch=batch.pk)
    return batch


def read(case: Case, people: People) -> Case:
    batches.read(unpacked(case, people).pk)
    diagnose_case(case.pk)
    return Case.objects.get(pk=case.pk)


# What may be at work while a case is removed. Each gets ready before, and gives what is done at the same moment.
# ----------------------------------------------------------------------------------------------------------------------

Job = Callable[[], object]


def unpacks(case: Case, people: People) -> Job:
    bundle = upload(case, people)
    return partial(expand, Work(bundle.case, people, b""))


def reads_a_batch(case: Case, people: People) -> Job:
    return partial(batches.read, unpacked(case, people).pk)


def notes_the_progress_of_a_batch(case: Case, people: People) -> Job:
    batch = unpacked(case, people)
    run = batches._Run(batch, "", Path(), SmallFiles(Path()))
    run.done = [batches._Read(file, NOTHING, Watched(), None, Path()) for file in case.artifacts.all()]
    return partial(batches._note_progress, run)


def divides_a_batch(case: Case, people: People) -> Job:
    batch = unpacked(case, people)
    ReadingBatch.objects.filter(pk=batch.pk).update(attempts=batches.TRIES)
    return partial(batches.read, batch.pk)


def begins_windows(case: Case, people: People) -> Job:
    store_bytes(case, scale_dumps(240, every=1, seed=0), filename="huge.txt", user=people.bob)
    expand(Work(case, people, b""))
    return partial(read_artifact, case.artifacts.get().pk)


def diagnoses_it(case: Case, people: People) -> Job:
    read(case, people)
    diagnoses.note_change(case.pk)
    return partial(diagnose_held_case, case.pk)


def says_that_it_was_read(case: Case, people: People) -> Job:
    Bundle.objects.filter(case=read(case, people)).update(uploaded_by=people.bob)
    diagnoses.note_change(case.pk)
    diagnose_held_case(case.pk)
    diagnoses.claim_diagnosis(case.pk)
    return partial(tell_settled, case.pk)


def collects_replaced_diagnoses(case: Case, people: People) -> Job:
    read(case, people)
    diagnose_case(case.pk)
    return collect_garbage


def masks(case: Case, people: People) -> Job:
    diagnosis = read(case, people).current_diagnosis
    assert diagnosis is not None
    return partial(masked_row, diagnosis)


def edits_a_note(case: Case, people: People) -> Job:
    note = add_note(case=case, author=people.bob, text="first")
    return partial(edit_note, note, text="second @alice", by=people.bob)


def ends_a_link(case: Case, people: People) -> Job:
    link = create_share_link(case=case, user=people.alice, days=3, level=ShareLink.Level.CUSTOMER).link
    return partial(revoke_share_link, link, by=people.alice)


def reads_all_notices(case: Case, people: People) -> Job:
    for n in range(FILES):
        Notice.objects.create(user=people.bob, case=case, kind="read", key=f"{n}")
    return partial(mark_read, people.bob)


JOBS = (
    unpacks,
    reads_a_batch,
    notes_the_progress_of_a_batch,
    divides_a_batch,
    begins_windows,
    diagnoses_it,
    says_that_it_was_read,
    collects_replaced_diagnoses,
    masks,
    edits_a_note,
    ends_a_link,
    reads_all_notices,
)


class Meanwhile:
    """Does something over another connection at one moment of a transaction: as far as it comes until it waits for this
    one.
    """

    def __init__(self, moment: str, job: Job) -> None:
        self._moment, self._thread = moment, threading.Thread(target=self._run, args=(job,))
        self.errors: list[Exception] = []
        self._has_case = False

    def _run(self, job: Job) -> None:
        try:
            job()
        except CaseGoneError:
            pass  # so it is told
        except Exception as error:  # noqa: BLE001  whatever it is, the test says it
            self.errors.append(error)
        finally:
            connections.close_all()

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        is_due = sql.startswith("DELETE") if self._moment == ROWS_GOING else self._has_case
        if is_due and self._thread.ident is None:
            self._thread.start()
            self._let_it_come(context)
        done = execute(sql, params, many, context)
        self._has_case = self._has_case or (sql.endswith("FOR UPDATE") and '"cases_case"' in sql)
        return done

    def _let_it_come(self, context: dict[str, Any]) -> None:
        end = time.monotonic() + HANGS_S
        # The list of locks is read again each time; that of sessions stays as it was when a transaction first asked.
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        while self._thread.is_alive() and time.monotonic() < end:
            with connection.connection.cursor() as cursor:
                if cursor.execute(waits).fetchone()[0]:
                    return
            time.sleep(0.02)

    @contextmanager
    def watching(self) -> Iterator[None]:
        with connection.execute_wrapper(self):
            yield
        assert self._thread.ident is not None, "the moment never came"
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive()


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest) -> Iterator[None]:
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        stack.enter_context(huge_from(WINDOW))
        patch.setattr("apps.diagnosis.services.REPLACED_S", -1)
        patch.setattr("apps.ingest.tasks._send_or_leave", lambda _: None)
        yield


@pytest.mark.parametrize("moment", [CASE_LOCKED, ROWS_GOING])
@pytest.mark.parametrize("at_work", JOBS, ids=lambda job: job.__name__)
@pytest.mark.part("removed amid work", 12)
def test_a_case_is_removed_whatever_is_done_at_the_same_moment(
    folk: People, at_work: Callable[[Case, People], Job], moment: str
) -> None:
    case = make_case(folk.team)
    other = Meanwhile(moment, at_work(case, folk))
    with other.watching():
        remove_case(case, by=None, why="a test")
    assert other.errors == []
    assert not Case.objects.filter(pk=case.pk).exists()
    assert not Artifact.objects.exists()
    assert [path for path in storage.local_path(storage.case_prefix(case.pk)).rglob("*") if path.is_file()] == []


def test_what_is_added_to_a_case_while_its_rows_go_does_not_forbid_its_removal(folk: People) -> None:
    case = make_case(folk.team)
    bundle = upload(case, folk)
    adding = partial(BundleProblem.objects.create, bundle=bundle, message="too late")
    other = Meanwhile(ROWS_GOING, adding)
    with other.watching():
        remove_case(case, by=None, why="a test")
    assert [isinstance(error, DatabaseError) for error in other.errors] == [True]
    assert not BundleProblem.objects.exists()


def test_who_locks_rows_of_a_case_locks_the_case_before(folk: People) -> None:
    work = Work(make_case(folk.team), folk, texts(0), scale_dumps(240, every=1, seed=0))
    work.browser.force_login(folk.alice)
    jobs = [at_work(make_case(folk.team), folk) for at_work in JOBS]
    with order_of_locks_watched() as watched:
        for step in STEPS[:-1]:
            done(work, step)
        for job in jobs:
            job()
        case = work.case
        note = add_note(case=case, author=folk.bob, text="a note")
        edit_note(note, text="another @alice", by=folk.bob)
        delete_note(note, by=folk.bob)
        remove_person(case, name_person(case, username="charlie", role="viewer", by=folk.alice), by=folk.alice)
        link = create_share_link(case=case, user=folk.alice, days=3, level=ShareLink.Level.CUSTOMER).link
        change_end(link, days=2, by=folk.alice)
        revoke_share_link(link, by=folk.alice)
        batches.free_of_lost()
        turns.close_lines()
        collect_garbage()
        mark_read(folk.bob)
        forget_old()
        done(work, STEPS[-1])
    assert watched.faults == [], "\n\n".join(watched.faults)


def test_the_watcher_sees_what_it_should(folk: People) -> None:
    case = make_case(folk.team)
    unpacked(case, folk)
    files = Artifact.objects.filter(case=case)
    with order_of_locks_watched() as watched:
        files.filter(pk=files[0].pk).update(read_bytes=1)
        with transaction.atomic():
            Case.objects.select_for_update().get(pk=case.pk)
            files.update(read_bytes=1)
        assert watched.faults == []
        files.update(read_bytes=2)
        with transaction.atomic():
            Bundle.objects.filter(case=case).update(message="")
            files.filter(pk=files[0].pk).update(read_bytes=3)
    assert [fault.count("UPDATE") for fault in watched.faults] == [1, 2]


def test_windows_of_a_case_that_is_gone_are_not_begun(folk: People) -> None:
    case = make_case(folk.team)
    job = begins_windows(case, folk)
    remove_case(case, by=None, why="a test")
    assert job() is False
    assert not ReadingWindow.objects.exists()
