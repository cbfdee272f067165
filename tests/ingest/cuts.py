"""What is written while uploads come, are unpacked, read, judged, shared and removed, and what must hold wherever the
connection to the database broke in between.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest
from django.conf import settings
from django.db import Error, connection
from django.test import Client
from django.urls import reverse

from apps.cases import storage
from apps.cases.lifetime.keeping import remove_case
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Bundle, Case
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.services import diagnose_case
from apps.ingest import tasks
from apps.ingest.models import ReadingBatch, ReadingWindow
from apps.ingest.reading import batches, windows
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.operations import integrity
from apps.sharing.masked import masked_row
from apps.sharing.models import ShareLink
from apps.sharing.services import create_share_link
from apps.web.errors import DomainError
from tests.builders import People, expired
from tests.ingest.cutting_proxy import CuttingProxy
from tests.ingest.material import tar, waiters
from tests.ingest.tus_client import OFFSET_TYPE, metadata
from tests.parsers.dumps import scale_dumps

TRIES: Final = 5
WINDOW: Final = 64 << 10
TUS: Final = {"Tus-Resumable": "1.0.0"}


@dataclass
class Work:
    """A case on its way, and who works on it."""

    case: Case
    people: People
    upload: bytes
    huge: bytes = b""
    browser: Client = field(default_factory=lambda: Client(raise_request_exception=False))
    """Signed in, for what comes in pieces."""
    place: str = ""
    """Of the upload that comes in pieces."""
    windows: int = 0
    """In which a file was read."""


Step = Callable[[Work], object]


def texts(seed: int) -> bytes:
    """An upload of some members; another one with each seed."""
    rng = random.Random(seed)
    nodes = [f"{rng.choice(('oulu', 'lund', 'perth'))}-n{n}" for n in range(1, rng.randint(3, 5))]
    members = {f"{node}/waiters.txt": waiters(node, first=40.0 + 20 * n) for n, node in enumerate(nodes)}
    return tar(members | {f"{nodes[0]}/x": b"\n"})


def send(work: Work) -> object:
    return store_bytes(work.case, work.upload, filename="snap.tgz", user=None)


def send_in_pieces(work: Work) -> None:
    """As the upload page sends what is large: it asks how much is there, and goes on."""
    client, content = work.browser, work.huge
    if not work.place:
        header = metadata(filename="huge.txt", case=work.case.key, sha256=hashlib.sha256(content).hexdigest())
        headers = TUS | {"Upload-Length": str(len(content)), "Upload-Metadata": header}
        begun = _answer(client.post(reverse("ingest:resumable"), headers=headers))
        work.place = begun["Location"].removeprefix("http://testserver")
    at = int(_answer(client.head(work.place, headers=TUS))["Upload-Offset"])
    while at < len(content):
        piece = content[at : at + len(content) // 2 + 1]
        sent = client.patch(work.place, piece, content_type=OFFSET_TYPE, headers=TUS | {"Upload-Offset": str(at)})
        at = int(_answer(sent)["Upload-Offset"])


def _answer(answer: Any) -> Any:
    if answer.status_code >= 500:
        raise Error(answer.status_code)
    assert answer.status_code < 300, answer.content
    return answer


def expand(work: Work) -> None:
    for pk in work.case.bundles.filter(duplicate_of=None).exclude(state="expanded").values_list("pk", flat=True):
        list(expand_bundle(pk))


def read(work: Work) -> None:
    """What is small in batches; what is huge in windows, which are joined when all are read."""
    for pk in ReadingBatch.objects.filter(bundle__case=work.case).values_list("pk", flat=True):
        batches.read(pk)
    for pk in work.case.artifacts.filter(state__in=("queued", "reading"), batch=None).values_list("pk", flat=True):
        for _ in range(2):
            read_artifact(pk)
            found = windows.of(pk)
            work.windows = max(work.windows, len(found))
            for window in found:
                windows.read(window.pk)


def diagnose(work: Work) -> object:
    return diagnose_case(work.case.pk)


def share(work: Work) -> None:
    if not ShareLink.objects.filter(case=work.case).exists():
        case = Case.objects.get(pk=work.case.pk)
        create_share_link(case=case, user=work.people.alice, days=3, level=ShareLink.Level.DEVELOPMENT)


def read_again(work: Work) -> None:
    """All of it once more: what it replaces goes."""
    if not work.case.artifacts.filter(facts_generation__gt=1).exists():
        tasks.reparse(Artifact.objects.filter(case=work.case))
    read(work)
    diagnose(work)
    masked_row(Diagnosis.objects.filter(case=work.case).latest("pk"))


def take_back(work: Work) -> None:
    """Another upload, which shares one file with the first, comes and goes."""
    case, name = work.case, "later.tgz"
    if not case.bundles.filter(filename=name).exists():
        shared = tar({"again/x": b"\n", "own/waiters.txt": waiters("oulu-n9")})
        store_bytes(case, shared, filename=name, user=None)
    later = case.bundles.get(filename=name)
    list(expand_bundle(later.pk))
    read(work)
    remove_bundle(later, by=work.people.alice)


def remove(work: Work) -> None:
    try:
        remove_case(work.case, by=work.people.alice, why="a test")
    except DomainError as error:
        assert error.status == 410  # noqa: PT017  it was done, and the answer lost


STEPS: Final[tuple[Step, ...]] = (
    send,
    send_in_pieces,
    expand,
    read,
    diagnose,
    share,
    read_again,
    take_back,
    remove,
)
LAST: Final = len(STEPS) - 1


def done(work: Work, step: Step) -> None:
    """As often as senders, workers and receivers try it; leases of who was cut off have run out by then."""
    for _ in range(TRIES):
        try:
            step(work)
        except Error:
            connection.close()
            let_leases_end(work.case)
        else:
            return
    pytest.fail(f"{step.__name__} did not end")


def let_leases_end(case: Case) -> None:
    over = {"lease_until": expired()}
    Bundle.objects.filter(case=case, state="expanding").update(**over)
    Artifact.objects.filter(case=case, state="reading", lease_until__isnull=False).update(**over)
    ReadingBatch.objects.filter(bundle__case=case, state="reading").update(**over)
    ReadingWindow.objects.filter(artifact__case=case, state="reading").update(**over)


def outcome(case: Case) -> dict[str, Any]:
    """What people see of it, and whether each row has its file."""
    files = case.artifacts.order_by("path").values_list("path", "state", "records", "sha256", "nodes", "formats")
    row = Diagnosis.objects.filter(case=case).latest("pk")
    return {
        "uploads": sorted(case.bundles.filter(duplicate_of=None).values_list("filename", "state", "sha256")),
        "files": list(files),
        "findings": list(row.findings.order_by("pk").values_list("title", "severity", "explanation")),
        "evidence": row.findings.filter(evidence__isnull=False).count(),
        "masked": len(storage.listing(masked_row(row).views)),
        "links": ShareLink.objects.filter(case=case).count(),
        "faults": faults(),
    }


def faults() -> list[Any]:
    """But stored files that are left to the sweeper."""
    return [fault for fault in integrity.faults() if fault.kind != "orphan"]


@contextmanager
def huge_from(size: int) -> Iterator[None]:
    """Texts of twice this size are read in windows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "LIMITS", replace(settings.LIMITS, window_bytes=size))
        yield


class Tried:
    """Steps with cuts in them, each case compared with one that met none."""

    def __init__(self, proxy: CuttingProxy, people: People, made: Callable[[], Case], seed: int = 0) -> None:
        self._proxy, self._people, self._made = proxy, people, made
        self._upload, self._huge = texts(seed), scale_dumps(240, every=1, seed=seed)
        self.cuts = 0
        calm = self._fresh()
        for step in STEPS[:LAST]:
            done(calm, step)
        self._expected = outcome(calm.case)
        assert self._expected["findings"]
        assert calm.windows > 1
        assert {state for _, state, *_ in self._expected["files"]} == {"parsed", "skipped"}
        assert self._expected["faults"] == []
        done(calm, remove)

    def _fresh(self) -> Work:
        work = Work(self._made(), self._people, self._upload, self._huge)
        work.browser.force_login(self._people.alice)
        return work

    def at(self, number: int, commit: int, *, is_done: bool) -> bool:
        """A case whose step of that number loses its COMMIT of that number; False where it has not so many."""
        work = self._fresh()
        for step in STEPS[:number]:
            done(work, step)
        self._proxy.cut_at(commit, is_done=is_done)
        done(work, STEPS[number])
        met = self._proxy.cuts
        self._proxy.cut_at(0, is_done=is_done)
        for step in STEPS[number + 1 : LAST]:
            done(work, step)
        place = f"cut at COMMIT {commit} of {STEPS[number].__name__}, {is_done=}"
        if number < LAST:
            assert outcome(work.case) == self._expected, place
            done(work, remove)
        assert not Case.objects.filter(pk=work.case.pk).exists(), place
        assert faults() == [], place
        self.cuts += met
        return bool(met)

    def all_of(self, number: int, *, is_done: bool, every: int = 1, first: int = 1) -> None:
        """Each COMMIT of a step, or each of so many."""
        commit = first
        while self.at(number, commit, is_done=is_done):
            commit += every
