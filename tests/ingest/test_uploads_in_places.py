"""What came of an upload lies in a folder or in an object store: the same must hold in each. The last tests are the
store's own.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.storage import FileSystemStorage
from django.db import connections
from django.utils import timezone
from moto.s3 import models as moto_models
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.models import Bundle, Case
from apps.ingest.models import PartialUpload
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads import partial_uploads, pieces_in_store, receive
from apps.ingest.uploads.pieces import BLOCK
from apps.ingest.views import tus
from tests import object_stores
from tests.builders import People, make_case
from tests.ingest.material import bundle
from tests.ingest.tus_client import Answer, Sender
from tests.kept_files import keep_files_in
from tests.patience import HANGS_S

HELLO = b"hello, lund"
LEAST_PART = 5 << 20  # of a real store
SMALL_PART = 512 << 10
PLACES = ["folder", "memory", *(["disk"] if object_stores.program() else [])]
IN_A_STORE = 5
"""Of the tests of all places, so many are tried in each store too; those that speak of stores always are."""


class Place:
    """Where pieces lie."""

    def __init__(self, folder: Path, store: Any = None) -> None:
        self._folder = folder
        self.store = store
        self.part = pieces_in_store.PART_BYTES
        self.is_on_disk = store is not None and self.part == LEAST_PART

    def left(self) -> list[str]:
        """All pieces that are there."""
        if self.store is None:
            return [path.name for path in self._folder.iterdir()] if self._folder.exists() else []
        pieces = [name for name in object_stores.keys(self.store) if name.startswith("uploads/")]
        return pieces + object_stores.begun(self.store)

    def is_held(self) -> bool:
        if self.store is None:
            return PartialUpload.objects.get().offset > 0
        return PartialUpload.objects.exclude(lease_by="").exists()

    def is_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Until the patch is undone."""
        away: Any = FileSystemStorage(location=self._folder.parent / "full" / "x")
        if self.store is None:
            (self._folder.parent / "full").write_text("not a folder")
        else:
            away = object_stores.made(monkeypatch, **object_stores.SETTINGS, ENDPOINT="http://127.0.0.1:9")
        keep_files_in(monkeypatch, away)


@pytest.fixture(scope="module")
def memory() -> Iterator[str]:
    with object_stores.in_memory() as address:
        yield address


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with object_stores.on_disk(tmp_path_factory.mktemp("store")) as address:
        yield address


@pytest.fixture(
    params=[
        pytest.param(one, marks=() if one == "folder" else pytest.mark.part(f"in {one}", IN_A_STORE)) for one in PLACES
    ]
)
def place(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> Iterator[Place]:
    settings.UPLOADS_DIR = tmp_path / "uploads"
    store = None
    if request.param != "folder":
        store = object_stores.used(monkeypatch, request.getfixturevalue(request.param))
        for prefix in ("cases/", "uploads/"):
            storage.delete_prefix(prefix)
        for found in store.list_multipart_uploads(Bucket=object_stores.BUCKET).get("Uploads", ()):
            store.abort_multipart_upload(Bucket=object_stores.BUCKET, Key=found["Key"], UploadId=found["UploadId"])
        monkeypatch.setattr(pieces_in_store, "PART_BYTES", SMALL_PART if request.param == "memory" else LEAST_PART)
        monkeypatch.setattr(moto_models, "S3_UPLOAD_PART_MIN_SIZE", SMALL_PART)
    else:
        monkeypatch.setattr(pieces_in_store, "PART_BYTES", SMALL_PART)  # as much to send as to the store in memory
    yield Place(settings.UPLOADS_DIR, store)
    connections.close_all()


in_store = pytest.mark.parametrize("place", PLACES[1:], indirect=True)


@pytest.fixture
def bob(staff: People, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """What he sends is not read: that is looked at once."""
    monkeypatch.setattr(tus, "queue_bundle", lambda sent: None)
    return Sender(live_server.url, staff.bob)


@pytest.fixture
def case(staff: People) -> Case:
    return make_case(staff.team)


def begun(sender: Sender, case: Case, size: int = len(HELLO), **fields: str) -> str:
    answer = sender.begin(size, **{"filename": "w.txt", "case": case.key} | fields)
    assert answer.status == 201, answer.text
    return str(answer.headers["Location"])


def until(is_so: Callable[[], object]) -> None:
    """The server notices a lost connection by itself, a moment later."""
    end = time.monotonic() + HANGS_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def until_free(ask: Callable[[], Answer]) -> Answer:
    """423 while the broken request still ends."""
    answers: list[Answer] = []

    def is_free() -> bool:
        answers.append(ask())
        return answers[-1].status != 423

    until(is_free)
    return answers[-1]


def is_kept(case: Case, content: bytes) -> bool:
    kept = case.bundles.get()
    with storage.open_file(kept.stored) as file:
        there = file.read()
    return (kept.size, kept.sha256, there) == (len(content), hashlib.sha256(content).hexdigest(), content)


def test_an_upload_in_pieces_becomes_a_bundle_that_is_read(
    bob: Sender, case: Case, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tus, "queue_bundle", queue_bundle)
    content = bundle()
    url = begun(bob, case, len(content), filename="oulu/snap.tar.gz")
    assert bob.head(url).offset == 0
    at = 0
    for piece in (content[:100], content[100:101], content[101:]):
        answer = bob.patch(url, at, piece)
        at += len(piece)
        assert (answer.status, answer.offset, answer.text) == (204, at, "")
        assert answer.headers["Tus-Resumable"] == "1.0.0"
    assert is_kept(case, content)
    assert case.bundles.get().filename == "oulu/snap.tar.gz"
    assert case.artifacts.filter(state="parsed").count() == 3
    assert AuditEvent.objects.filter(verb="bundle.uploaded", case=case, user=bob.user).count() == 1
    assert place.left() == []
    after = bob.head(url)
    assert (after.offset, after.headers["Upload-Length"]) == (len(content), str(len(content)))
    assert after.headers["Lockscope-Case"] == case.key


def test_pieces_of_any_size_make_the_same_file(bob: Sender, case: Case, place: Place) -> None:
    content = os.urandom(2 * place.part + 1_000_100)
    url = begun(bob, case, len(content), filename="noise.bin")
    at = 0
    for size in (1, BLOCK, 3, place.part, place.part - BLOCK - 4, 1, 999_999, 3, 2):
        answer = bob.patch(url, at, content[at : at + size])
        at += size
        assert (answer.status, bob.head(url).offset) == (204, at)
    assert bob.patch(url, at, content[at:]).status == 204
    assert is_kept(case, content)
    assert place.left() == []


def test_an_empty_file_is_whole_at_once(bob: Sender, case: Case, place: Place) -> None:
    url = begun(bob, case, 0)
    assert bob.head(url).offset == 0
    assert is_kept(case, b"")
    assert place.left() == []


def test_a_checksum_is_checked_and_a_changed_piece_is_dropped(bob: Sender, case: Case, place: Place) -> None:
    url = begun(bob, case)
    at = 0
    for algorithm, piece in (("sha1", HELLO[:3]), ("md5", HELLO[3:5]), ("sha256", HELLO[5:])):
        value = base64.b64encode(hashlib.new(algorithm, piece).digest()).decode()
        wrong = bob.patch(url, at, bytes(reversed(piece)), Upload_Checksum=f"{algorithm} {value}")
        assert (wrong.status, bob.head(url).offset) == (460, at)
        at = bob.patch(url, at, piece, Upload_Checksum=f"{algorithm} {value}").offset
    assert is_kept(case, HELLO)
    other = begun(bob, case)
    assert bob.patch(other, 0, HELLO, Upload_Checksum="crc32 AAAA").status == 400
    assert bob.patch(other, 0, HELLO, Upload_Checksum="sha1 AAAA").status == 400


def test_a_long_piece_whose_checksum_is_wrong_is_dropped_with_all_its_parts(
    bob: Sender, case: Case, place: Place
) -> None:
    content = os.urandom(place.part + 2_000_000)
    url = begun(bob, case, len(content))
    assert bob.patch(url, 0, content[:1_000_000]).status == 204
    rest = content[1_000_000:]
    value = f"sha256 {base64.b64encode(hashlib.sha256(rest).digest()).decode()}"
    assert bob.patch(url, 1_000_000, bytes(len(rest)), Upload_Checksum=value).status == 460
    assert bob.head(url).offset == 1_000_000
    assert bob.patch(url, 1_000_000, rest, Upload_Checksum=value).status == 204
    assert is_kept(case, content)


def test_the_hash_of_the_whole_file_is_held_against_the_announced_one(bob: Sender, case: Case, place: Place) -> None:
    url = begun(bob, case, sha256=hashlib.sha256(b"something else").hexdigest())
    answer = bob.patch(url, 0, HELLO)
    assert (answer.status, answer.text[:29]) == (460, "The file changed on the way: ")
    assert bob.head(url).status == 404
    assert not case.bundles.exists()
    assert place.left() == []
    bob.patch(begun(bob, case, sha256=hashlib.sha256(HELLO).hexdigest()), 0, HELLO)
    assert is_kept(case, HELLO)


def test_termination_removes_what_came(bob: Sender, case: Case, place: Place) -> None:
    url = begun(bob, case, place.part + 10)
    bob.patch(url, 0, bytes(place.part + 5))
    assert place.left() != []
    assert bob.ask("DELETE", url).status == 204
    assert bob.head(url).status == 404
    assert bob.patch(url, place.part + 5, bytes(5)).status == 404
    assert place.left() == []
    assert Case.objects.filter(pk=case.pk).exists()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
@pytest.mark.part("broken connections in places", 2)
def test_t43_a_connection_that_breaks_loses_nothing_of_what_came(
    bob: Sender, case: Case, share: float, place: Place
) -> None:
    content = os.urandom(2 * place.part + 1_000_000)
    url = begun(bob, case, len(content), filename="noise.bin")
    sent = int(len(content) * share)
    with bob.open_patch(url, 0, len(content)) as connection:
        connection.sendall(content[:sent])
    until(lambda: bob.head(url).offset == sent)
    assert until_free(lambda: bob.patch(url, sent, content[sent:])).status == 204
    assert is_kept(case, content)
    assert place.left() == []


def test_a_piece_with_a_checksum_counts_whole_or_not_at_all(bob: Sender, case: Case, place: Place) -> None:
    url = begun(bob, case)
    value = f"sha256 {base64.b64encode(hashlib.sha256(HELLO).digest()).decode()}"
    with bob.open_patch(url, 0, len(HELLO), Upload_Checksum=value) as connection:
        connection.sendall(HELLO[:5])
    until(lambda: bob.patch(url, 0, HELLO, Upload_Checksum=value).status == 204)
    assert is_kept(case, HELLO)


def test_t43_two_windows_can_not_both_write(bob: Sender, case: Case, place: Place) -> None:
    content = os.urandom(2 * BLOCK)
    url = begun(bob, case, len(content))
    with bob.open_patch(url, 0, len(content)) as first:
        first.sendall(content[:BLOCK])
        until(place.is_held)
        second = bob.patch(url, BLOCK, content[BLOCK:])
        assert (second.status, second.text) == (423, "Another window is sending this file at the moment.\n")
        assert bob.ask("DELETE", url).status == 423
        first.sendall(content[BLOCK:])
        assert b"204" in first.recv(100)
    assert is_kept(case, content)
    assert bob.head(url).offset == len(content)
    assert bob.patch(url, len(content) - 1, content[-1:]).status == 409
    assert bob.patch(url, len(content), b"").status == 204
    assert case.bundles.count() == 1


def test_t43_a_session_that_ends_is_reported_and_the_upload_goes_on_after_signing_in(
    bob: Sender, case: Case, staff: People, place: Place
) -> None:
    url = begun(bob, case)
    bob.patch(url, 0, HELLO[:5])
    bob.sign_out()
    assert bob.patch(url, 5, HELLO[5:]).status == bob.head(url).status == 401
    bob.sign_in(staff.bob)
    assert bob.head(url).offset == 5
    assert bob.patch(url, 5, HELLO[5:]).status == 204
    assert is_kept(case, HELLO)


def test_a_storage_that_is_away_keeps_the_upload_for_another_try(
    bob: Sender, case: Case, place: Place, tmp_path: Path
) -> None:
    url = begun(bob, case)
    assert bob.patch(url, 0, HELLO[:5]).status == 204
    with pytest.MonkeyPatch.context() as patch:
        place.is_away(patch)
        answer = bob.patch(url, 5, HELLO[5:])
        assert (answer.status, "cannot be reached" in answer.text, str(tmp_path) in answer.text) == (507, True, False)
    at = bob.head(url).offset
    assert bob.patch(url, at, HELLO[at:]).status == 204
    assert is_kept(case, HELLO)
    assert place.left() == []


def test_rows_that_cannot_be_written_keep_the_upload_for_another_try(
    bob: Sender, case: Case, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process killed between the file and its row leaves the same behind."""
    url = begun(bob, case)

    def refused(*args: object, **kwargs: object) -> None:
        raise OSError("the database went away")

    with monkeypatch.context() as patch:
        patch.setattr(receive, "record", refused)
        assert bob.patch(url, 0, HELLO).status == 500
    assert not case.bundles.exists()
    assert bob.head(url).offset == len(HELLO) - 1
    value = base64.b64encode(hashlib.md5(b"?", usedforsecurity=False).digest()).decode()
    assert bob.patch(url, len(HELLO) - 1, HELLO[-1:], Upload_Checksum=f"md5 {value}").status == 460
    assert bob.patch(url, len(HELLO) - 1, HELLO[-1:]).status == 204
    assert is_kept(case, HELLO)
    assert len(storage.listing(f"cases/{case.pk}/bundles/")) == 1
    assert place.left() == []


def test_the_same_bytes_are_kept_once(bob: Sender, case: Case, place: Place) -> None:
    for name in ("w.txt", "again.txt"):
        assert bob.patch(begun(bob, case, filename=name), 0, HELLO).status == 204
    assert case.bundles.get(filename="again.txt").state == Bundle.State.SKIPPED
    assert len(storage.listing(f"cases/{case.pk}/bundles/")) == 1
    assert place.left() == []


def test_memory_does_not_grow_with_the_file(bob: Sender, case: Case, settings: Settings, tmp_path: Path) -> None:
    """The server runs in this process, whose highest mark is reset before. A store in this process would be measured
    too.
    """
    settings.UPLOADS_DIR = tmp_path / "uploads"
    assert grown_by(192 << 20, bob, case) < 48


@pytest.mark.skipif(object_stores.program() is None, reason=object_stores.ABSENT)
@pytest.mark.parametrize("place", ["disk"], indirect=True)
def test_memory_does_not_grow_with_the_file_that_goes_to_a_store(bob: Sender, case: Case, place: Place) -> None:
    assert place.left() == []
    grown_by(16 << 20, bob, case)
    assert grown_by(192 << 20, bob, case) < 48


def grown_by(size: int, sender: Sender, case: Case) -> float:
    """MiB above what it was before."""
    url = begun(sender, case, size, filename="large.bin")
    block = os.urandom(1 << 20)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_mib()
    assert sender.patch(url, 0, (block for _ in range(size >> 20)), Content_Length=str(size)).status == 204
    assert case.bundles.latest("pk").size == size
    return peak_mib() - before


def peak_mib() -> float:
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


# In an object store ---------------------------------------------------------------------------------------------------


@in_store
def test_who_lost_the_lease_leaves_nothing_and_the_other_goes_on(bob: Sender, case: Case, place: Place) -> None:
    content = os.urandom(place.part + 1000)
    url = begun(bob, case, len(content))
    rows = PartialUpload.objects.filter(case=case)
    with bob.open_patch(url, 0, len(content)) as first:
        first.sendall(content[:1000])
        until(place.is_held)
        rows.update(lease_by="another machine", lease_until=timezone.now() + timedelta(minutes=1))
        first.sendall(content[1000:])
        assert b" 423 " in first.recv(100)
    assert rows.get().received == 0
    assert bob.patch(url, 0, content).status == 423
    rows.update(lease_until=timezone.now() - timedelta(seconds=1))  # it was killed, and its lease ran out
    assert bob.patch(url, 0, content).status == 204
    assert is_kept(case, content)


@in_store
def test_pieces_that_the_store_lost_are_sent_again_from_the_first_byte(bob: Sender, case: Case, place: Place) -> None:
    content = os.urandom(place.part + 2000)
    for lose in (
        (lose_parts, lose_tail) if place.is_on_disk else (lose_tail,)
    ):  # moto fails where a store says that it has no such upload
        case.bundles.all().delete()
        url = begun(bob, case, len(content))
        assert bob.patch(url, 0, content[: place.part + 1000]).status == 204
        lose(place.store)
        assert bob.patch(url, place.part + 1000, content[place.part + 1000 :]).status == 409
        assert bob.head(url).offset == 0
        assert bob.patch(url, 0, content).status == 204
        assert is_kept(case, content)
        assert place.left() == []


def lose_parts(store: Any) -> None:
    """As a rule of the bucket does that ends what was begun long ago."""
    found = store.list_multipart_uploads(Bucket=object_stores.BUCKET)["Uploads"][0]
    store.abort_multipart_upload(Bucket=object_stores.BUCKET, Key=found["Key"], UploadId=found["UploadId"])


def lose_tail(store: Any) -> None:
    del store
    storage.delete_prefix("uploads/")


@in_store
def test_what_belongs_to_no_upload_is_swept_from_the_store(
    bob: Sender, case: Case, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = begun(bob, case, place.part + 2000)
    gone = begun(bob, case, place.part + 2000)
    for url in (kept, gone):
        bob.patch(url, 0, bytes(place.part + 1000))
    PartialUpload.objects.filter(name=gone.rstrip("/").rpartition("/")[2]).delete()
    cache.delete("swept:pieces")
    partial_uploads.sweep()
    young = [
        name for name in place.left() if place.is_on_disk or name.startswith("uploads/")
    ]  # moto says that all was begun in 2010
    assert len(young) == (4 if place.is_on_disk else 2)  # a row may be about to name them
    monkeypatch.setattr(pieces_in_store, "SETTLED", timedelta(seconds=-5))
    cache.delete("swept:pieces")
    partial_uploads.sweep()
    assert len(place.left()) == 2
    assert bob.patch(kept, place.part + 1000, bytes(1000)).status == 204
    assert is_kept(case, bytes(place.part + 2000))


@in_store
def test_an_upload_goes_on_when_the_storage_is_a_folder_no_more_and_ends_when_its_store_is_not_used(
    bob: Sender, case: Case, place: Place, tmp_path: Path
) -> None:
    url = begun(bob, case)
    with pytest.MonkeyPatch.context() as patch:
        keep_files_in(patch, FileSystemStorage(location=tmp_path / "cases"))
        refused = bob.patch(url, 0, HELLO)
        assert (refused.status, refused.text) == (410, f"{pieces_in_store.AWAY}\n")
        before = begun(bob, case)
        assert bob.patch(before, 0, HELLO[:5]).status == 204
    assert bob.patch(before, 5, HELLO[5:]).status == 204
    assert is_kept(case, HELLO)
    assert bob.head(url).offset == 0


def test_a_file_has_never_more_parts_than_a_store_takes() -> None:
    for size in (0, 1, 20 << 30, 5 << 40):
        assert -(-size // pieces_in_store.part_bytes(size)) <= 9_000
    assert pieces_in_store.part_bytes(20 << 30) == 8 << 20
