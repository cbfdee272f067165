"""Where somebody is signed in, and ending that."""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from typing import Any, Final, cast

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.web.away import is_first_in
from apps.web.session_store import SessionStore
from parsers.dataclass import dataclass

NOTED_EVERY_S: Final = 300
SHOWN: Final = 100
BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class OpenSession:
    pk: int
    browser: str
    address: str
    since: datetime
    last_seen_at: datetime
    is_current: bool


def open_sessions(user: User, current_key: str | None) -> list[OpenSession]:
    """Those that still open something, the present one first; two queries however many there are."""
    rows = list(UserSession.objects.filter(user=user).order_by("-last_seen_at")[:SHOWN])
    keys = [row.session_key for row in rows]
    alive = set(
        Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now()).values_list(
            "session_key", flat=True
        )
    )
    found = [
        OpenSession(
            row.pk,
            browser_words(row.user_agent),
            row.ip,
            row.created_at,
            row.last_seen_at,
            row.session_key == current_key,
        )
        for row in rows
        if row.session_key in alive
    ]
    return sorted(found, key=lambda one: not one.is_current)


def browser_words(user_agent: str) -> str:
    """Firefox on Linux; what is unknown is called so."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "unknown browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser


def end_session(user: User, pk: int) -> bool:
    row = UserSession.objects.filter(user=user, pk=pk).first()
    if row is None:
        return False
    _end([row])
    record("account.session_ended", user=user, sessions=1)
    return True


def end_other_sessions(user: User, keep: str | None) -> int:
    rows = list(UserSession.objects.filter(user=user).exclude(session_key=keep or ""))
    _end(rows)
    if rows:
        record("account.session_ended", user=user, sessions=len(rows))
    return len(rows)


def _end(rows: list[UserSession]) -> None:
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    for row in rows:
        store.delete(row.session_key)
        row.delete()


def note_activity_of(request: HttpRequest) -> None:
    """Once in five minutes; a page costs no write for it otherwise."""
    _store_of(request).use()
    if _is_due(request.session.session_key or ""):
        UserSession.objects.create_from_request(request)


def _store_of(request: HttpRequest) -> SessionStore:
    return cast("SessionStore", request.session)


def _is_due(session_key: str) -> bool:
    return is_first_in(f"seen:{session_key}", NOTED_EVERY_S, otherwise=False)


def begin_counting(sender: object, request: HttpRequest, **_kwargs: Any) -> None:
    """Signing in is an activity of its own, noted by allauth."""
    del sender
    _store_of(request).begin()
    _is_due(request.session.session_key or "")
