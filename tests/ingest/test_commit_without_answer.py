"""The connection to the database breaks at a COMMIT, done or not: nothing is lost, nothing is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BytesIO

import pytest
from django.db import Error, connection

from apps.cases import storage
from apps.cases.storage.store_then_row import Stored
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes
from apps.sharing.models import MaskedCase
from tests.builders import People, make_case
from tests.ingest.cuts import STEPS, WINDOW, Tried, Work, done, expand, huge_from, send
from tests.ingest.cutting_proxy import CuttingProxy, cutting_proxy
from tests.ingest.material import tar, waiters
from tests.part import part

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="no answer of SQLite can get lost"),
]
MEMBERS = {"oulu-n1/waiters.txt": waiters(), "oulu-n2/waiters.txt": waiters("oulu-n2", first=60.0), "oulu-n2/x": b"\n"}
UPLOAD = tar(MEMBERS)
CUTS = [(n, is_done) for n in range(len(STEPS)) for is_done in (True, False)]
IN_A_RUN, EVERY = 1, 3
"""Of the ways to cut a step, and of the commits of each: ``make matrix`` and ``make chaos`` cut at all."""


@pytest.fixture
def proxy(folk: People) -> Iterator[CuttingProxy]:
    with cutting_proxy() as made:
        yield made


def test_each_commit_of_each_step_may_lose_its_answer(proxy: CuttingProxy, folk: People) -> None:
    chosen = part(CUTS, IN_A_RUN, "cuts")
    every = 1 if len(chosen) == len(CUTS) else EVERY
    with huge_from(WINDOW):
        tried = Tried(proxy, folk, partial(make_case, folk.team))
        for number, is_done in chosen:
            before = tried.cuts
            tried.all_of(number, is_done=is_done, every=every)
            assert tried.cuts > before, STEPS[number].__name__


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
    work = Work(case, folk, UPLOAD)
    done(work, send)
    done(work, expand)
    blob = case.artifacts.get(path__endswith="n1/waiters.txt").blob
    storage.delete(blob)
    if loss == "short":
        storage.save_as(blob, BytesIO(b"(\xb5"))
    made = store_bytes(case, tar({"oulu-n1/waiters.txt": waiters()}), filename="snap2.tgz", user=None)
    assert list(expand_bundle(made.pk))
    assert storage.exists(made.artifacts.get().blob)
