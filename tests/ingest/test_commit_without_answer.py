"""The connection to the database breaks at a COMMIT, done or not: nothing is lost, nothing is there twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from django.db import Error, connection

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.storage.store_then_row import Stored
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.services import diagnose_case
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.operations import integrity
from apps.sharing.masked import masked_row
from apps.sharing.models import MaskedCase
from tests.builders import People, expired, make_case
from tests.ingest.cutting_proxy import CuttingProxy, cutting_proxy
from tests.ingest.material import tar, waiters
from tests.part import part

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="no answer of SQLite can get lost"),
]
TRIES = 4
MEMBERS = {"oulu-n1/waiters.txt": waiters(), "oulu-n2/waiters.txt": waiters("oulu-n2", first=60.0), "oulu-n2/x": b"\n"}
UPLOAD = tar(MEMBERS)
Step = Callable[[Case], object]


@pytest.fixture
def proxy(folk: People) -> Iterator[CuttingProxy]:
    with cutting_proxy() as made:
        yield made


def send(case: Case) -> object:
    return store_bytes(case, UPLOAD, filename="snap.tgz", user=None)


def expand(case: Case) -> object:
    return list(expand_bundle(case.bundles.get(duplicate_of=None).pk))


def read(case: Case) -> None:
    for pk in case.artifacts.filter(state__in=("queued", "reading")).values_list("pk", flat=True):
        read_artifact(pk)


def diagnose(case: Case) -> object:
    return diagnose_case(case.pk)


def mask(case: Case) -> object:
    return masked_row(Diagnosis.objects.filter(case=case).latest("pk"))


STEPS: tuple[Step, ...] = (send, expand, read, diagnose, mask)


def done(case: Case, step: Step) -> None:
    """As often as senders, workers and receivers try it; leases of who was cut off have run out by then."""
    for _ in range(TRIES):
        try:
            step(case)
        except Error:
            connection.close()
            Bundle.objects.filter(case=case, state="expanding").update(lease_until=expired())
            Artifact.objects.filter(case=case, state="reading").update(lease_until=expired())
        else:
            return
    pytest.fail(f"{step.__name__} did not end")


def outcome(case: Case) -> dict[str, Any]:
    """What people see of it, and whether each row has its file."""
    files = case.artifacts.order_by("path").values_list("path", "state", "records", "sha256")
    row = Diagnosis.objects.filter(case=case).latest("pk")
    return {
        "uploads": list(case.bundles.filter(duplicate_of=None).values_list("state", "sha256")),
        "files": list(files),
        "findings": list(row.findings.order_by("pk").values_list("title", "severity")),
        "masked": len(storage.listing(masked_row(row).views)),
        "faults": [fault for fault in integrity.faults() if fault.kind != "orphan"],
    }


@pytest.mark.parametrize(
    ("number", "is_done"), part([(n, is_done) for n in range(len(STEPS)) for is_done in (True, False)], 4)
)
def test_each_commit_of_each_step_may_lose_its_answer(
    proxy: CuttingProxy, folk: People, number: int, is_done: bool
) -> None:
    calm = make_case(folk.team)
    for step in STEPS:
        done(calm, step)
    expected, cut = outcome(calm), 0
    assert expected["findings"]
    assert expected["faults"] == []
    while True:
        case = make_case(folk.team)
        for step in STEPS[:number]:
            done(case, step)
        proxy.cut_at(cut + 1, is_done=is_done)
        done(case, STEPS[number])
        if not proxy.cuts:
            break
        cut += 1
        for step in STEPS[number + 1 :]:
            done(case, step)
        assert outcome(case) == expected, f"cut at COMMIT {cut} of {STEPS[number].__name__}"
    assert cut >= 1


def test_who_sends_hears_that_it_arrived_when_only_the_answer_was_lost(proxy: CuttingProxy, folk: People) -> None:
    case = make_case(folk.team)
    proxy.cut_at(1, is_done=True)
    made = store_bytes(case, UPLOAD, filename="snap.tgz", user=None)
    assert proxy.cuts == 1
    assert case.bundles.get() == made
    assert storage.size(made.stored) == len(UPLOAD)


def test_what_is_in_doubt_is_left_to_the_sweeper(proxy: CuttingProxy, folk: People) -> None:
    case = make_case(folk.team)
    proxy.cut_at(1, is_done=False)
    with pytest.raises(Error):
        store_bytes(case, UPLOAD, filename="snap.tgz", user=None)
    assert not case.bundles.exists()
    assert len(storage.listing(f"{storage.case_prefix(case.pk)}bundles/")) == 1


def test_an_error_before_the_commit_takes_the_file_along(folk: People) -> None:
    name = f"{storage.case_prefix(make_case(folk.team).pk)}masked/x/"
    storage.save_as(f"{name}a", BytesIO(b"a"))
    with pytest.raises(ValueError, match="no"), Stored(name, MaskedCase.objects.filter(views=name)) as kept, kept.row():
        raise ValueError("no")
    assert storage.listing(name) == []


@pytest.mark.parametrize("loss", ["gone", "short", "changed"])
def test_the_same_bytes_are_taken_again_where_the_storage_lost_them(folk: People, loss: str) -> None:
    case = make_case(folk.team)
    first = store_bytes(case, UPLOAD, filename="snap.tgz", user=None)
    assert store_bytes(case, UPLOAD, filename="snap.tgz", user=None).duplicate_of == first
    storage.delete(first.stored)
    if loss != "gone":
        storage.save_as(first.stored, BytesIO(UPLOAD[:-1] + (b"" if loss == "short" else b"!")))
    again = store_bytes(case, UPLOAD, filename="snap.tgz", user=None)
    assert again.duplicate_of is None
    assert storage.size(again.stored) == len(UPLOAD)


@pytest.mark.parametrize("loss", ["gone", "short"])
def test_a_text_that_the_storage_lost_is_taken_from_the_next_upload(folk: People, loss: str) -> None:
    case = make_case(folk.team)
    done(case, send)
    done(case, expand)
    blob = case.artifacts.get(path__endswith="n1/waiters.txt").blob
    storage.delete(blob)
    if loss == "short":
        storage.save_as(blob, BytesIO(b"(\xb5"))
    made = store_bytes(case, tar({"oulu-n1/waiters.txt": waiters()}), filename="snap2.tgz", user=None)
    assert list(expand_bundle(made.pk))
    assert storage.exists(made.artifacts.get().blob)
