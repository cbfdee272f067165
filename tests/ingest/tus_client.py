"""A sender that speaks the tus protocol by hand, over a real connection, so that every wrong can be done too."""

from __future__ import annotations

import base64
import http.client
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.cached_db import SessionStore
from django.urls import reverse

from apps.accounts.models import User
from tests.patience import HANGS_S

KEY = "k" * 32
OFFSET_TYPE = "application/offset+octet-stream"


class Insensitive(dict[str, str]):
    """Names of headers in any case."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().__init__((name.lower(), value) for name, value in pairs)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def offset(self) -> int:
        return int(self.headers["Upload-Offset"])


def metadata(**fields: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in fields.items())


@dataclass
class Sender:
    """A browser of one account; without one it is a stranger."""

    origin: str
    user: User | None = None
    cookies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cookies = {settings.CSRF_COOKIE_NAME: KEY}
        if self.user is not None:
            self.sign_in(self.user)

    def sign_in(self, user: User) -> None:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        self.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)

    def sign_out(self) -> None:
        SessionStore(self.cookies[settings.SESSION_COOKIE_NAME]).flush()

    def headers(self, **more: str | None) -> dict[str, str]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        all_of_them = {"Cookie": cookie, "X-CSRFToken": KEY, "Tus-Resumable": "1.0.0"}
        given = {name.replace("_", "-"): value for name, value in more.items()}
        return {name: value for name, value in (all_of_them | given).items() if value is not None}

    def ask(self, method: str, url: str, body: Any = b"", **headers: str | None) -> Answer:
        where = urlsplit(self.origin)
        connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=HANGS_S)
        try:
            connection.request(method, urlsplit(url).path, body=body, headers=self.headers(**headers))
            response = connection.getresponse()
            return Answer(response.status, Insensitive(response.headers.items()), response.read().decode())
        finally:
            connection.close()

    def begin(self, size: int | str, **fields: str) -> Answer:
        return self.ask(
            "POST", reverse("ingest:resumable"), Upload_Length=str(size), Upload_Metadata=metadata(**fields)
        )

    def head(self, url: str, **headers: str | None) -> Answer:
        return self.ask("HEAD", url, **headers)

    def patch(self, url: str, at: int | str, body: Any, **headers: str | None) -> Answer:
        return self.ask("PATCH", url, body, **{"Upload_Offset": str(at), "Content_Type": OFFSET_TYPE} | headers)

    def open_patch(self, url: str, at: int, length: int, **headers: str) -> socket.socket:
        """Announces bytes that the caller sends, or does not."""
        where = urlsplit(self.origin)
        connection = socket.create_connection((str(where.hostname), where.port), timeout=HANGS_S)
        head = self.headers(
            Upload_Offset=str(at), Content_Type=OFFSET_TYPE, Content_Length=str(length), Host=where.netloc, **headers
        )
        lines = [f"PATCH {urlsplit(url).path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return connection
