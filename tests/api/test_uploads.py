"""Uploads that go on, for programs: the tus protocol by a token, and the client whose connection breaks."""

from __future__ import annotations

import base64
import http.client
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.api.services import create_token
from apps.cases import storage
from apps.cases.models import Bundle, Case
from scripts import lockscope
from tests.builders import People, make_case, people

BYTES = bytes(range(256)) * 1024
TUS = {"Tus-Resumable": "1.0.0"}


def bearer(user: User, scope: str = "write") -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(user=user, name='t', scope=scope, days=1).text}"}


@pytest.fixture(autouse=True)
def own_folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.UPLOADS_DIR = tmp_path / "uploads"
    monkeypatch.setattr("apps.ingest.views.tus.queue_bundle", lambda bundle: None)


def begin(client: Client, headers: dict[str, str], case: Case, size: int = 4) -> Any:
    metadata = f"filename {base64.b64encode(b'w.txt').decode()},case {base64.b64encode(case.key.encode()).decode()}"
    return client.post(
        "/api/v1/uploads/", headers=TUS | headers | {"Upload-Length": str(size), "Upload-Metadata": metadata}
    )


def patch(client: Client, headers: dict[str, str], place: str, body: bytes, at: int) -> Any:
    return client.patch(
        place, body, content_type="application/offset+octet-stream", headers=TUS | headers | {"Upload-Offset": str(at)}
    )


@pytest.mark.django_db
def test_an_upload_goes_on_where_it_stopped(folk: People) -> None:
    case, headers, client = make_case(folk.team), bearer(folk.bob), Client(enforce_csrf_checks=True)
    begun = begin(client, headers, case)
    assert begun.status_code == 201
    place = begun["Location"].removeprefix("http://testserver")
    assert place.startswith("/api/v1/uploads/")
    assert patch(client, headers, place, b"wa", 0)["Upload-Offset"] == "2"
    assert client.head(place, headers=TUS | headers)["Upload-Offset"] == "2"
    assert patch(client, headers, place, b"it", 2)["Upload-Offset"] == "4"
    bundle = Bundle.objects.get(case=case)
    with storage.open_file(bundle.stored) as stored:
        assert stored.read() == b"wait"
    assert bundle.uploaded_by == folk.bob


@pytest.mark.django_db
def test_only_a_token_that_may_write_sends_and_only_its_own_upload(folk: People) -> None:
    case, client = make_case(folk.team), Client()
    assert begin(client, {}, case).status_code == 401
    assert begin(client, bearer(folk.bob, "read"), case).status_code == 403
    assert begin(client, bearer(folk.charlie), case).status_code == 404
    client.force_login(folk.bob)
    refused = begin(client, {}, case)  # a session counts nowhere below /api/
    assert (refused.status_code, refused["Tus-Resumable"]) == (401, "1.0.0")
    place = begin(client, bearer(folk.bob), case)["Location"].removeprefix("http://testserver")
    assert patch(client, bearer(folk.alice), place, b"wait", 0).status_code == 404
    assert not Bundle.objects.filter(case=case).exists()


@pytest.fixture
def staff(transactional_db: None) -> People:
    return people()


@pytest.fixture
def server(live_server: LiveServer, staff: People) -> lockscope.Server:
    return lockscope.Server(live_server.url, bearer(staff.bob)["Authorization"].removeprefix("Bearer "))


class Breaking(http.client.HTTPConnection):
    """Loses its connection within each of the first pieces."""

    left = 0

    def request(self, method: str, url: str, body: Any = None, headers: Any = None, **more: Any) -> None:
        if method == "PATCH" and Breaking.left:
            Breaking.left -= 1
            super().request(method, url, body=self._until_it_breaks(body), headers=headers, **more)
        else:
            super().request(method, url, body=body, headers=headers, **more)

    def _until_it_breaks(self, piece: lockscope.Piece) -> Iterator[bytes]:
        yield next(iter(piece))[: piece.length // 2]
        raise ConnectionResetError("the cable was pulled")


@pytest.mark.slow
def test_the_client_goes_on_after_its_connection_broke(
    server: lockscope.Server, staff: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case(staff.team)
    monkeypatch.setattr(Breaking, "left", 2)
    monkeypatch.setattr(lockscope, "LONGEST_PAUSE_S", 0.2)
    server.kind = Breaking
    assert server.send(case.key, "ä waiters.txt", io.BytesIO(BYTES)) == ""
    assert Breaking.left == 0
    bundle = Bundle.objects.get(case=case)
    assert bundle.filename == "ä waiters.txt"
    with storage.open_file(bundle.stored) as stored:
        assert stored.read() == BYTES


@pytest.mark.slow
def test_the_client_gives_up_in_words(server: lockscope.Server, staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(staff.team)
    monkeypatch.setattr(Breaking, "left", 99)
    monkeypatch.setattr(lockscope, "LONGEST_PAUSE_S", 0.01)
    server.kind = Breaking
    with pytest.raises(lockscope.RefusedError, match=r"was sent up to byte \d+: .*does not answer"):
        server.send(case.key, "w.txt", io.BytesIO(BYTES))
    with pytest.raises(lockscope.RefusedError, match="no such case"):
        server.send("CS-999999", "w.txt", io.BytesIO(BYTES))
