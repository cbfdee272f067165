"""Processes that are killed, told to end, or get messages that nobody should have sent: nothing is lost, doubled or
half visible.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.diagnosis.models import Diagnosis
from apps.ingest.models import CaseReading
from tests.chaos.installation import Installation
from tests.ingest.material import tar, waiters

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]


def large(lines: int = 240_000) -> bytes:
    """A file that is read for some seconds."""
    return b"".join(waiters("oulu-n1", lines=4000, first=20.0 + n) for n in range(lines // 4000))


def children_of(pid: int) -> list[int]:
    """Pool processes of a worker."""
    words = (Path(path).read_text().split() for path in Path("/proc").glob("[0-9]*/stat") if path.exists())
    return [int(word[0]) for word in words if int(word[3]) == pid]


def reading(case: Case) -> bool:
    return Artifact.objects.filter(case=case, state="reading").exists()


def test_t45_messages_that_come_twice_do_the_work_once(lockscope: Installation) -> None:
    case = lockscope.case("Delivered five times")
    bundle = lockscope.upload(case, tar({"n1/waiters.txt": waiters("oulu-n1"), "n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.start_worker("second")
    lockscope.send("ingest.expand_bundle", bundle.pk, times=4)
    lockscope.until(lambda: bundle.artifacts.count() == 2)
    for pk in bundle.artifacts.values_list("pk", flat=True):
        lockscope.send("ingest.read_artifact", pk, times=4)
    lockscope.send("ingest.diagnose_case", case.pk, times=4)
    lockscope.the_case_is_whole(case, 2)
    bundle.refresh_from_db()
    assert bundle.attempts == 1
    assert set(bundle.artifacts.values_list("attempts", flat=True)) == {1}
    assert Diagnosis.objects.filter(case=case, partial=False).count() == 1
    lockscope.end("second")


def test_t45_messages_about_what_is_gone_harm_nobody(lockscope: Installation) -> None:
    gone = lockscope.case("Soon gone")
    bundle = lockscope.upload(gone, tar({"n1/waiters.txt": waiters("oulu-n1")}))
    lockscope.the_case_is_whole(gone, 1)
    artifact, number = bundle.artifacts.get().pk, gone.pk
    gone.delete()
    storage.delete_prefix(storage.case_prefix(number))
    for task, pk in (("expand_bundle", bundle.pk), ("read_artifact", artifact), ("diagnose_case", number)):
        lockscope.send(f"ingest.{task}", pk)
    case = lockscope.case("After it")
    lockscope.upload(case, tar({"n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.the_case_is_whole(case, 1)
    assert storage.folders(storage.case_prefix(number)) == []
    assert not CaseReading.objects.filter(case=number).exists()


def test_t45_a_worker_that_is_ordered_to_end_finishes_the_file_at_hand(lockscope: Installation) -> None:
    case = lockscope.case("Deployed meanwhile")
    bundle = lockscope.upload(case, tar({"n1/large.txt": large(), "n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.until(lambda: reading(case))
    assert lockscope.end("worker") == 0
    assert not reading(case)
    assert bundle.artifacts.filter(state="parsed").exists()
    lockscope.start_worker()
    lockscope.the_case_is_whole(case, 2)
    assert set(bundle.artifacts.values_list("attempts", flat=True)) == {1}


def test_t45_a_file_whose_readers_are_killed_each_time_fails_alone_and_can_be_read_again(
    lockscope: Installation,
) -> None:
    """As when the system ends the process that takes most memory: the worker itself lives on."""
    case = lockscope.case("Out of memory")
    bundle = lockscope.upload(case, tar({"n1/large.txt": large(), "n2/waiters.txt": waiters("oulu-n2")}))
    hungry = bundle.artifacts.filter(path__endswith="large.txt")
    worker = lockscope.running["worker"]

    def is_held() -> bool:
        return hungry.filter(state="reading", lease_until__gt=timezone.now()).exists()

    def killed_enough() -> bool:
        if is_held():
            for pid in children_of(worker.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            lockscope.until(lambda: not is_held())
        return hungry.filter(state="failed").exists()

    lockscope.until(killed_enough)
    assert worker.poll() is None
    lockscope.the_case_is_whole(case, 2, failed=1)
    row = hungry.get()
    reported = re.fullmatch(
        r"The worker died (\d+) times on this file; the other files go on. Try again, or send it in smaller parts.",
        row.message,
    )
    assert reported is not None, row.message
    assert int(reported[1]) >= 4  # more where it was killed again while it was giving up
    page = lockscope.page(f"/cases/{case.key}/upload/").text
    assert row.message in page
    assert f'action="/cases/{case.key}/upload/retry/{row.pk}/"' in page
    assert lockscope.press(f"/cases/{case.key}/upload/retry/{row.pk}/").status == 302
    lockscope.until(lambda: lockscope.is_complete(case))
    row.refresh_from_db()
    assert (row.state, row.facts_generation) == ("parsed", 1)


def test_t45_an_upload_goes_on_after_the_web_process_was_killed(lockscope: Installation) -> None:
    case = lockscope.case("Web killed")
    content = tar({f"n{n}/waiters.txt": waiters(f"oulu-n{n}", lines=2000) for n in range(4)}, mode="w")
    begun = lockscope.alice.begin(
        len(content), filename="oulu-snap.tar", case=case.key, sha256=hashlib.sha256(content).hexdigest()
    )
    url = str(begun.headers["Location"])
    half = len(content) // 2
    with lockscope.alice.open_patch(url, 0, len(content)) as sending:
        sending.sendall(content[:half])
        lockscope.until(lambda: lockscope.alice.head(url).offset > 0)
        lockscope.kill("web")
    lockscope.start_web()
    at = lockscope.alice.head(url).offset
    assert 0 < at <= half
    assert lockscope.alice.patch(url, at, content[at:]).status == 204
    assert case.bundles.get().sha256 == hashlib.sha256(content).hexdigest()
    lockscope.the_case_is_whole(case, 4)


def test_t45_a_disk_that_is_full_while_unpacking_is_reported_and_leaves_nothing_behind(lockscope: Installation) -> None:
    lockscope.end("worker")
    began = time.time()
    case = lockscope.case("Disk full")
    noise = "".join(f"{n * 2654435761 % (1 << 32):x} {n * 40503 % 65521:x}\n" for n in range(400_000)).encode()
    bundle = lockscope.upload(case, tar({"n1/waiters.txt": waiters("oulu-n1"), "n2/noise.txt": noise}))
    lockscope.start_worker(file_bytes=500_000)
    lockscope.until(lambda: Bundle.objects.filter(pk=bundle.pk, state="failed").exists())
    bundle.refresh_from_db()
    assert bundle.message.startswith("It could not be unpacked (OSError): the storage")
    lockscope.until(lambda: not reading(case))
    left = [path for path in (Path(lockscope.env["LOCKSCOPE_VAR"]) / "tmp").iterdir() if path.stat().st_mtime > began]
    assert left == []
    lockscope.end("worker")
    lockscope.start_worker()
    assert lockscope.press(f"/cases/{case.key}/upload/unpack/{bundle.pk}/").status == 302
    lockscope.until(lambda: lockscope.is_complete(case))
    assert set(Artifact.objects.filter(case=case).values_list("path", "state", "facts_generation")) == {
        ("oulu-snap.tgz!n1/waiters.txt", "parsed", 1),
        ("oulu-snap.tgz!n2/noise.txt", "skipped", 1),
    }


def test_t45_without_beat_nothing_is_swept_and_with_it_all_goes_on(lockscope: Installation) -> None:
    lockscope.end("worker")
    lockscope.start_worker(env={"LOCKSCOPE_WORKER_SWEEPS": "false"})
    lockscope.start_beat()
    case = lockscope.case("Beat killed")
    bundle = lockscope.upload(case, tar({"n1/large.txt": large(), "n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.until(lambda: reading(case))
    lockscope.kill("beat")
    lockscope.kill("worker")
    lockscope.start_worker(env={"LOCKSCOPE_WORKER_SWEEPS": "false"})
    time.sleep(8)
    assert reading(case)
    lockscope.start_beat()
    lockscope.the_case_is_whole(case, 2)
    assert sorted(bundle.artifacts.values_list("attempts", flat=True)) == [1, 2]
    lockscope.end("beat")


def test_t45_an_upload_that_is_taken_back_while_it_is_worked_on_leaves_nothing(lockscope: Installation) -> None:
    case = lockscope.case("Taken back")
    names = {"unpacked": "expanding", "read": "expanded"}
    for title, state in names.items():
        members = {
            "a/large.txt": large() + title.encode(),
            **{f"n{n:03d}/waiters.txt": waiters(f"{title}-{n}") for n in range(60)},
        }
        bundle = lockscope.upload(case, tar(members), f"{title}.tgz")
        lockscope.until(lambda: Artifact.objects.filter(bundle=bundle, bundle__state=state).exists())  # noqa: B023 - called here
        assert lockscope.press(f"/cases/{case.key}/bundles/{bundle.pk}/remove/").status == 302
    lockscope.until(lambda: not Artifact.objects.filter(case=case).exists())
    after = lockscope.case("After it")
    lockscope.upload(after, tar({"n2/waiters.txt": waiters("oulu-n2")}))
    lockscope.the_case_is_whole(after, 1)
    time.sleep(3)
    for part in ("bundles", "texts", "facts"):
        assert storage.listing(f"{storage.case_prefix(case.pk)}{part}/") == []


def holders(case: Case) -> dict[str, str]:
    """Who holds a row of the case, and at what stage."""
    stages = (("unpacking", Bundle), ("reading", Artifact), ("diagnosing", CaseReading))
    return {
        holder: stage
        for stage, model in stages
        for holder in model._default_manager.filter(case=case).values_list("lease_by", flat=True)
    }


def test_t10_workers_killed_at_any_stage_lose_and_double_nothing(lockscope: Installation) -> None:
    case = lockscope.case("Killed again and again")
    lockscope.upload(case, tar({f"n{n:03d}/waiters.txt": waiters(f"oulu-n{n:03d}", lines=400) for n in range(40)}))
    killed: dict[str, str] = {}
    for stage in ("unpacking", "reading", "reading", "diagnosing"):
        at_work: dict[str, str] = {}
        while not at_work and not lockscope.is_complete(case):
            at_work = {
                holder: at for holder, at in holders(case).items() if holder and at == stage and holder not in killed
            }
        killed |= at_work
        lockscope.kill("worker")
        lockscope.start_worker()
    assert set(killed.values()) == {"unpacking", "reading", "diagnosing"}
    lockscope.the_case_is_whole(case, 40)
