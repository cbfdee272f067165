"""Making, finding and ending tokens. A token is shown once; only its keyed hash is kept."""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.api.models import ApiToken
from apps.audit.services import record
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

PREFIX = "lsc_"
TOKEN_BYTES = 24
TOKEN_CHARS = 80
DAYS_MOST = 365
USE_NOTED_AFTER = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class FreshToken:
    """A token with its text: the one moment at which the text is known."""

    token: ApiToken
    text: str


def token_hash(text: str) -> str:
    """HMAC under a key of this installation, so that a stolen database opens nothing."""
    key = sha256(b"api-token:" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, text.encode("utf-8", "replace"), sha256).hexdigest()


@transaction.atomic
def create_token(*, user: User, name: str, scope: str, days: int) -> FreshToken:
    """A token for a program of this person."""
    if scope not in ApiToken.Scope.values:
        raise DomainError("A token may read, or read and write.", status=422)
    if not 1 <= days <= DAYS_MOST:
        raise DomainError(f"A token ends after 1 to {DAYS_MOST} days.", status=422)
    if not name.strip():
        raise DomainError("Give the token a name, such as that of the program that will use it.", status=422)
    text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    token = ApiToken.objects.create(
        user=user,
        name=name.strip()[:80],
        token_hash=token_hash(text),
        scope=scope,
        created_at=now,
        ends_at=now + timedelta(days=days),
    )
    record("token.created", user=user, token=token.pk, name=token.name, scope=scope, ends_at=token.ends_at.isoformat())
    return FreshToken(token, text)


@transaction.atomic
def revoke_token(token: ApiToken, *, by: User) -> None:
    """Effective with the next request."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        record("token.revoked", user=by, token=token.pk, name=token.name)


def end_tokens(user: User) -> None:
    """All of a person, with their password."""
    for token in ApiToken.objects.filter(user=user, revoked_at__isnull=True, ends_at__gt=timezone.now()):
        revoke_token(token, by=user)


def token_of(text: str) -> ApiToken | None:
    """The open token with that text, of a person whose account is open."""
    if not text.startswith(PREFIX) or len(text) > TOKEN_CHARS:
        return None
    wanted = token_hash(text)
    token = ApiToken.objects.select_related("user").filter(token_hash=wanted).first()
    if (
        token is None
        or not hmac.compare_digest(token.token_hash, wanted)
        or not token.is_open
        or not token.user.is_active
    ):
        return None
    return token


def was_token(text: str) -> bool:
    """Whether there is such a token, open or not."""
    is_shaped = text.startswith(PREFIX) and len(text) <= TOKEN_CHARS
    return is_shaped and ApiToken.objects.filter(token_hash=token_hash(text)).exists()


def note_use(token: ApiToken) -> None:
    """When it was last used, to the minute: not a write for each request."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > USE_NOTED_AFTER:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
