"""Share links: made once, kept only as a keyed hash, looked up on each request, gone the moment they are revoked."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, QueryDict
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.models import Case
from apps.sharing.models import ShareLink
from apps.web.errors import DomainError

TOKEN_BYTES = 20  # 160 bits
VIEW_CHARS = 2000
NOTE_CHARS = 200
TOKEN_CHARS = 64


@dataclass(frozen=True, slots=True)
class FreshLink:
    """A link with its token: the one moment at which the token is known."""

    link: ShareLink
    token: str


def token_hash(token: str) -> str:
    """HMAC under a key of this installation, so that a stolen database opens nothing."""
    key = sha256(b"share-link:" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, token.encode("utf-8", "replace"), sha256).hexdigest()


@transaction.atomic
def create_share_link(*, case: Case, user: User, days: int, view: str = "", note: str = "") -> FreshLink:
    """A link for the customer: their own names, findings, tunings and timeline; no raw files, no notes."""
    if case.is_trashed:
        raise DomainError("This case is in the trash. Restore it before sharing it.", status=409)
    if not 1 <= days <= settings.LIMITS.link_days_max:
        raise DomainError(f"A link ends after 1 to {settings.LIMITS.link_days_max} days.", status=422)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    link = ShareLink.objects.create(
        case=case,
        created_by=user,
        created_at=now,
        token_hash=token_hash(token),
        level=ShareLink.Level.CUSTOMER,
        view=_plain_query(view),
        note=note.strip()[:NOTE_CHARS],
        ends_at=now + timedelta(days=days),
    )
    record("link.created", case=case, user=user, link=link, level=link.level, ends_at=link.ends_at.isoformat())
    return FreshLink(link, token)


def _plain_query(view: str) -> str:
    """A query string written anew: nothing in it can lead an address elsewhere."""
    return QueryDict(view[:VIEW_CHARS].lstrip("?")).urlencode()[:VIEW_CHARS]


@transaction.atomic
def revoke_share_link(link: ShareLink, *, by: User) -> None:
    """Effective with the next request, whoever holds it."""
    if ShareLink.objects.filter(pk=link.pk, revoked_at__isnull=True).update(revoked_at=timezone.now(), revoked_by=by):
        record("link.revoked", case=link.case, user=by, link=link)


def link_of(token: str) -> ShareLink | None:
    """The link of a token, open or not; None where there never was one."""
    if not token or len(token) > TOKEN_CHARS:
        return None
    wanted = token_hash(token)
    link = ShareLink.objects.select_related("case", "case__current_diagnosis", "case__team").filter(token_hash=wanted).first()
    return link if link is not None and hmac.compare_digest(link.token_hash, wanted) else None


def is_open(link: ShareLink) -> bool:
    """Looked at on each request, so that an end date, a revocation or the trash takes effect at once."""
    return link.is_open and not link.case.is_trashed


def note_opening(link: ShareLink, request: HttpRequest) -> None:
    """Count an opening and keep who came from where, without the token."""
    ShareLink.objects.filter(pk=link.pk).update(openings=F("openings") + 1, last_opened_at=timezone.now())
    record("link.opened", case=link.case, link=link, request=request)
