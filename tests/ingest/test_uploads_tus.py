"""The tus protocol against a running server: its own cases, broken connections, other people, and what becomes of a
whole upload.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from django.utils.http import parse_http_date
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import Role, TeamMembership
from apps.cases import storage
from apps.cases.models import Bundle, Case
from apps.cases.services import trash_case
from apps.ingest.models import PartialUpload
from apps.ingest.uploads import partial_uploads
from apps.ingest.uploads.receive import store_bytes
from apps.web.errors import DomainError
from tests.builders import People, make_case
from tests.ingest.tus_client import Sender
from tests.patience import HANGS_S

HELLO = b"hello, lund"


@pytest.fixture
def bob(staff: People, live_server: LiveServer) -> Sender:
    return Sender(live_server.url, staff.bob)


@pytest.fixture
def case(staff: People) -> Case:
    return make_case(staff.team)


@pytest.fixture(autouse=True)
def own_folder(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    settings.UPLOADS_DIR = tmp_path / "uploads"
    yield settings.UPLOADS_DIR
    connections.close_all()


def begun(sender: Sender, case: Case, size: int = len(HELLO), **fields: str) -> str:
    answer = sender.begin(size, **{"filename": "w.txt", "case": case.key} | fields)
    assert answer.status == 201, answer.text
    return str(answer.headers["Location"])


def until(is_so: Any) -> None:
    """The server notices a lost connection by itself, a moment later."""
    end = time.monotonic() + HANGS_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


# The protocol ---------------------------------------------------------------------------------------------------------


def test_options_say_version_extensions_and_limit(bob: Sender) -> None:
    answer = bob.ask("OPTIONS", "/upload/resumable/", Tus_Resumable=None)
    assert answer.status == 204
    assert answer.headers["Tus-Version"] == answer.headers["Tus-Resumable"] == "1.0.0"
    assert answer.headers["Tus-Extension"] == "creation,termination,checksum,expiration"
    assert answer.headers["Tus-Max-Size"] == "21474836480"
    assert answer.headers["Tus-Checksum-Algorithm"] == "sha256,sha1,md5"


def test_head_tells_offset_length_metadata_and_is_never_cached(bob: Sender, case: Case) -> None:
    sent = bob.begin(5, filename="a.txt", case=case.key)
    answer = bob.head(sent.headers["Location"])
    assert (answer.status, answer.offset, answer.headers["Upload-Length"]) == (200, 0, "5")
    assert answer.headers["Cache-Control"] == "no-store"
    assert base64.b64encode(b"a.txt").decode() in answer.headers["Upload-Metadata"]
    assert parse_http_date(answer.headers["Upload-Expires"]) > time.time() + 6 * 86400


def test_another_version_is_refused_with_ours(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    for version in (None, "0.2.2"):
        for answer in (bob.head(url, Tus_Resumable=version), bob.patch(url, 0, HELLO, Tus_Resumable=version)):
            assert (answer.status, answer.headers["Tus-Version"]) == (412, "1.0.0")
    assert bob.head(url).offset == 0


def test_a_piece_at_another_offset_changes_nothing(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    assert bob.patch(url, 0, HELLO[:4]).offset == 4
    for at in (0, 3, 5, 11):
        assert bob.patch(url, at, b"x").status == 409
    assert bob.patch(url, "-1", b"x").status == 400
    assert bob.patch(url, "four", b"x").status == 400
    assert bob.patch(url, 4, HELLO[4:]).status == 204
    assert case.bundles.get().sha256 == hashlib.sha256(HELLO).hexdigest()
    assert bob.patch(url, 4, b"x").status == 409
    assert bob.patch(url, len(HELLO), b"").offset == len(HELLO)


def test_pieces_come_as_their_own_type_and_never_longer_than_announced(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    assert bob.patch(url, 0, HELLO, Content_Type="application/octet-stream").status == 415
    assert bob.patch(url, 0, HELLO + b"!").status == 413
    assert bob.head(url).offset == 0


@pytest.mark.parametrize("length", ["", "-5", "5.5", "1e9", "9" * 30])
def test_an_upload_without_a_length_is_not_begun(bob: Sender, case: Case, length: str) -> None:
    assert bob.begin(length, case=case.key).status == 400
    assert not PartialUpload.objects.exists()


@pytest.mark.parametrize(
    "header", ["filename", "filename %%%", "a b,a b", "k\u00e4se YQ==", "sha256 YQ==", "x " + "A" * 20_000]
)
def test_malformed_metadata_is_refused_or_ignored(bob: Sender, case: Case, header: str) -> None:
    answer = bob.ask(
        "POST", "/upload/resumable/", Upload_Length="5", Upload_Metadata=header.encode("utf-8").decode("latin-1")
    )
    assert answer.status == (422 if header == "filename" else 400)  # a key may stand alone; then the team is missing
    assert not PartialUpload.objects.exists()


def test_the_limit_is_stated_before_anything_is_sent(bob: Sender, case: Case, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, upload_bytes=3 << 20)
    answer = bob.begin((3 << 20) + 1, case=case.key)
    assert (answer.status, answer.headers["Tus-Max-Size"]) == (413, str(3 << 20))
    assert answer.text == "This upload is larger than the limit of 3 MiB for one upload. Send it in parts.\n"
    assert bob.begin(3 << 20, case=case.key).status == 201


def test_a_header_may_name_the_method_of_a_post_and_of_nothing_else(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    answer = bob.ask(
        "POST",
        url,
        HELLO,
        X_HTTP_Method_Override="PATCH",
        Upload_Offset="0",
        Content_Type="application/offset+octet-stream",
    )
    assert answer.status == 204
    other = begun(bob, case)
    assert bob.ask("GET", other, X_HTTP_Method_Override="DELETE").status == 405
    assert bob.head(other).status == 200


def test_a_request_that_another_site_forges_is_refused(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    for answer in (
        bob.patch(url, 0, HELLO, X_CSRFToken=None),
        bob.ask("DELETE", url, X_CSRFToken=None),
        bob.ask("POST", "/upload/resumable/", Upload_Length="5", X_CSRFToken=None),
    ):
        assert answer.status == 403
    assert bob.head(url).offset == 0


# Broken connections ---------------------------------------------------------------------------------------------------


def test_the_hash_is_that_of_all_bytes_whichever_process_received_them(bob: Sender, case: Case) -> None:
    content = os.urandom(2_500_000)
    url = begun(bob, case, len(content))
    PartialUpload.objects.get().path.write_bytes(content[:1_200_000])
    assert bob.patch(url, 1_200_000, content[1_200_000:]).status == 204
    assert case.bundles.get().sha256 == hashlib.sha256(content).hexdigest()


def test_a_process_killed_before_the_bundle_was_written_asks_for_the_last_byte(bob: Sender, case: Case) -> None:
    url = begun(bob, case)
    bob.patch(url, 0, HELLO[:-1])
    upload = PartialUpload.objects.get()
    upload.path.write_bytes(HELLO)
    assert bob.head(url).offset == len(HELLO) - 1
    assert bob.patch(url, len(HELLO) - 1, HELLO[-1:]).status == 204
    assert case.bundles.get().sha256 == hashlib.sha256(HELLO).hexdigest()


def test_a_disk_without_room_is_stated_before_the_first_byte(
    bob: Sender, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=300 << 20))
    assert bob.begin(100 << 20, case=case.key).status == 507
    assert bob.begin(10 << 20, case=case.key).status == 201


def test_a_team_that_has_its_share_stored_takes_no_more_by_any_way(
    bob: Sender, case: Case, staff: People, settings: Settings
) -> None:
    settings.LIMITS = replace(settings.LIMITS, team_bytes=1000)
    store_bytes(case, b"x" * 600, filename="a.txt", user=None)
    assert bob.begin(300, case=case.key).status == 201
    refused = bob.begin(101, case=case.key)
    assert (refused.status, "has 900 bytes of its 1000 bytes stored" in refused.text) == (413, True)
    with pytest.raises(DomainError, match="Remove what is not needed"):
        store_bytes(case, b"y" * 101, filename="b.txt", user=None)
    trash_case(case, by=staff.alice)
    other = make_case(staff.team)
    assert bob.begin(101, case=other.key).status == 413
    assert store_bytes(other, b"y" * 100, filename="b.txt", user=None).size == 100
    elsewhere = make_case(staff.other_team)
    assert store_bytes(elsewhere, b"y" * 999, filename="b.txt", user=None).size == 999


# People ---------------------------------------------------------------------------------------------------------------


def test_nobody_else_meets_an_upload(bob: Sender, case: Case, staff: People) -> None:
    url = begun(bob, case)
    for who, status in ((None, 401), (staff.charlie, 404), (staff.alice, 404)):
        other = Sender(bob.origin, who)
        for answer in (other.head(url), other.patch(url, 0, HELLO), other.ask("DELETE", url)):
            assert answer.status == status, who
        assert other.ask("POST", f"{url}discard/").status in {302, 404}
    assert Sender(bob.origin).begin(5, case=case.key).status == 401
    assert Sender(bob.origin, staff.charlie).begin(5, case=case.key).status == 404
    assert Sender(bob.origin, staff.charlie).begin(5, team="lund-storage").status == 422
    assert bob.head(url).offset == 0


def test_who_may_no_longer_add_to_the_case_is_stopped(bob: Sender, case: Case, staff: People) -> None:
    url = begun(bob, case)
    TeamMembership.objects.filter(user=staff.bob).update(role=Role.VIEWER)
    assert bob.patch(url, 0, HELLO).status == 403
    TeamMembership.objects.filter(user=staff.bob).delete()
    assert bob.patch(url, 0, HELLO).status == 404
    assert not case.bundles.exists()


def test_a_case_in_the_trash_takes_nothing(bob: Sender, case: Case, staff: People) -> None:
    url = begun(bob, case)
    TeamMembership.objects.filter(user=staff.bob).update(role=Role.OWNER)
    trash_case(case, by=staff.alice)
    assert bob.patch(url, 0, HELLO).status == 409
    assert bob.begin(5, case=case.key).status == 409


# Cases and leftovers --------------------------------------------------------------------------------------------------


def test_a_new_case_is_made_at_once_and_goes_with_its_last_upload(bob: Sender) -> None:
    first = bob.begin(5, filename="snap/one.tgz", team="lund-storage", title="")
    key = first.headers["Lockscope-Case"]
    assert Case.objects.get().title == "snap"
    second = bob.begin(5, filename="two.tgz", case=key)
    bob.ask("DELETE", first.headers["Location"])
    assert Case.objects.filter(key=key).exists()
    bob.ask("DELETE", second.headers["Location"])
    assert not Case.objects.exists()


def test_the_same_bytes_are_not_kept_twice_nor_sent_where_their_hash_is_known(
    bob: Sender, case: Case, staff: People
) -> None:
    bob.patch(begun(bob, case), 0, HELLO)
    again = bob.patch(begun(bob, case, filename="again.txt"), 0, HELLO)
    assert again.headers["Lockscope-Message"].startswith("Already%20in%20this%20case")
    assert case.bundles.get(filename="again.txt").state == Bundle.State.SKIPPED
    form = f"case={case.key}&filename=third.txt&size={len(HELLO)}&sha256={hashlib.sha256(HELLO).hexdigest()}"
    post = {"Content_Type": "application/x-www-form-urlencoded"}
    answer = bob.ask("POST", "/upload/known/", form.encode(), **post)
    assert (answer.status, "Already in this case: the same bytes as w.txt" in answer.text) == (200, True)
    assert bob.ask("POST", "/upload/known/", form.replace("size=1", "size=2").encode(), **post).status == 204
    assert bob.ask("POST", "/upload/known/", b"case=x", **post).status == 422
    assert Sender(bob.origin, staff.charlie).ask("POST", "/upload/known/", form.encode(), **post).status == 404
    assert case.bundles.count() == 3
    assert len(storage.listing(f"cases/{case.pk}/bundles/")) == 1


def test_what_nobody_goes_on_with_is_swept(bob: Sender, case: Case, own_folder: Path) -> None:
    url = begun(bob, case)
    bob.patch(url, 0, HELLO[:5])
    kept = begun(bob, case)
    bob.patch(kept, 0, HELLO[:5])
    orphan = own_folder / ("0" * 32)
    orphan.write_bytes(b"of a case that was removed")
    os.utime(orphan, (1, 1))
    PartialUpload.objects.filter(name=url.rstrip("/").rpartition("/")[2]).update(
        ends_at=timezone.now() - timedelta(seconds=1)
    )
    assert bob.patch(url, 5, HELLO[5:]).status == 410
    partial_uploads.sweep()
    assert bob.head(url).status == 404
    assert bob.head(kept).offset == 5
    assert [path.name for path in own_folder.iterdir()] == [kept.rstrip("/").rpartition("/")[2]]


def test_unfinished_uploads_are_listed_and_discarded_by_a_form(bob: Sender, case: Case, staff: People) -> None:
    url = begun(bob, case, filename="<b>huge</b>.tgz")
    bob.patch(url, 0, HELLO[:5])
    page = bob.ask("GET", "/upload/").text
    assert "&lt;b&gt;huge&lt;/b&gt;.tgz" in page
    assert re.search(r"<b>5\sB of 11\sB</b>", page)
    assert "huge" in bob.ask("GET", f"/cases/{case.key}/upload/").text
    assert "huge" not in Sender(bob.origin, staff.alice).ask("GET", f"/cases/{case.key}/upload/").text
    assert bob.ask("POST", f"{url}discard/").status == 302
    assert "huge" not in bob.ask("GET", "/upload/").text


def test_nobody_begins_uploads_without_end(bob: Sender, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_uploads, "UNFINISHED_MOST", 2)
    assert [bob.begin(5, case=case.key).status for _ in range(3)] == [201, 201, 429]
