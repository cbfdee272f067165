"""Share links: made once, kept only as a keyed hash, looked up on each request, gone the moment they are revoked."""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.models import Case
from apps.cases.services import lock_case
from apps.sharing.levels import LEVELS
from apps.sharing.masked import masked_row
from apps.sharing.models import ShareLink
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

TOKEN_BYTES = 20  # 160 bits
VIEW_CHARS = 2000
NOTE_CHARS = 200
TOKEN_CHARS = 64
LEAST_PASSWORD = 8
MOST_VIEWS = 10_000
REFUSALS_NOTED_EVERY_S = 60
NAMING = ("nodes", "node", "from", "to", "text", "open", "q")
"""Parts of an address that may hold names; of the timeline `from` and `to` are numbers."""
ALLOWED_IN_MASKED = frozenset(
    ("tab", "nodes", "node", "from", "to", "width", "age", "category", "least", "sort", "flow", "show", "page")
)


@dataclass(frozen=True, slots=True)
class FreshLink:
    """A link with its token: the one moment at which the token is known."""

    link: ShareLink
    token: str


def token_hash(token: str) -> str:
    """HMAC under a key of this installation, so that a stolen database opens nothing."""
    key = sha256(b"share-link:" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, token.encode("utf-8", "replace"), sha256).hexdigest()


def create_share_link(
    *,
    case: Case,
    user: User,
    days: int,
    level: str = ShareLink.Level.CUSTOMER,
    view: str = "",
    note: str = "",
    password: str = "",
    views_most: int | None = None,
) -> FreshLink:
    """A link of a level; what it shows is decided there and nowhere else."""
    _refuse(case, days, level, password, views_most)
    kept = plain_query(view)
    if LEVELS[level].is_masked and case.current_diagnosis is not None:
        kept = _masked_query(kept, masked_row(case.current_diagnosis).names)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    with transaction.atomic():
        lock_case(case.pk)
        link = ShareLink.objects.create(
            case=case,
            created_by=user,
            created_at=now,
            token_hash=token_hash(token),
            level=level,
            view=kept,
            note=note.strip()[:NOTE_CHARS],
            password=make_password(password) if password else "",
            views_most=views_most,
            ends_at=now + timedelta(days=days),
        )
        record("link.created", case=case, user=user, link=link, level=link.level, ends_at=link.ends_at.isoformat())
    return FreshLink(link, token)


def _refuse(case: Case, days: int, level: str, password: str, views_most: int | None) -> None:
    if case.is_trashed:
        raise DomainError("This case is in the trash. Restore it before sharing it.", status=409)
    _refuse_end(days)
    if level not in LEVELS:
        raise DomainError("There is no such level.", status=422)
    if password and len(password) < LEAST_PASSWORD:
        raise DomainError(f"A password has at least {LEAST_PASSWORD} characters.", status=422)
    if views_most is not None and not 1 <= views_most <= MOST_VIEWS:
        raise DomainError(f"The limit of openings is between 1 and {MOST_VIEWS}.", status=422)


def _refuse_end(days: int) -> None:
    if not 1 <= days <= settings.LIMITS.link_days_max:
        raise DomainError(f"A link ends after 1 to {settings.LIMITS.link_days_max} days.", status=422)


def plain_query(view: str) -> str:
    """A query string written again: nothing in it can lead an address elsewhere."""
    return QueryDict(view[:VIEW_CHARS].lstrip("?")).urlencode()[:VIEW_CHARS]


def _masked_query(view: str, names: dict[str, dict[str, str]]) -> str:
    """The same view by its stand-ins; a name without one is left out, and the view is wider by that."""
    by_name = {
        name: standin for kind in ("node", "addr", "disk", "fs") for name, standin in names.get(kind, {}).items()
    }
    query = QueryDict(view, mutable=True)
    for key in NAMING:
        if key in query and not str(query[key]).isdigit():
            shown = [by_name[part.casefold()] for part in str(query[key]).split(",") if part.casefold() in by_name]
            query[key] = ",".join(shown)
    kept = QueryDict(mutable=True)
    for key, value in query.items():
        if value and key in ALLOWED_IN_MASKED:
            kept[key] = str(value)
    return kept.urlencode()


@transaction.atomic
def change_end(link: ShareLink, *, days: int, by: User) -> None:
    """A new end, counted from now, for a link that is still open."""
    _refuse_end(days)
    ends_at = timezone.now() + timedelta(days=days)
    lock_case(link.case_id)
    if _live(link.case).filter(pk=link.pk).update(ends_at=ends_at):
        record("link.end_changed", case=link.case, user=by, link=link, ends_at=ends_at.isoformat())


@transaction.atomic
def revoke_share_link(link: ShareLink, *, by: User) -> None:
    """Effective with the next request, whoever holds it."""
    lock_case(link.case_id)
    if ShareLink.objects.filter(pk=link.pk, revoked_at__isnull=True).update(revoked_at=timezone.now(), revoked_by=by):
        record("link.revoked", case=link.case, user=by, link=link)


@transaction.atomic
def revoke_all(case: Case, *, by: User) -> int:
    """Every open link of a case."""
    links = list(_live(case))
    for link in links:
        revoke_share_link(link, by=by)
    return len(links)


def _live(case: Case) -> QuerySet[ShareLink]:
    return ShareLink.objects.filter(case=case, revoked_at__isnull=True, ends_at__gt=timezone.now())


def link_of(token: str) -> ShareLink | None:
    """The link of a token, open or not; None where there never was one."""
    if not token or len(token) > TOKEN_CHARS:
        return None
    wanted = token_hash(token)
    link = (
        ShareLink.objects.select_related("case", "case__current_diagnosis", "case__team")
        .filter(token_hash=wanted)
        .first()
    )
    return link if link is not None and hmac.compare_digest(link.token_hash, wanted) else None


def is_open(link: ShareLink) -> bool:
    """Looked at on each request, so that an end date, a revocation or the trash takes effect at once."""
    return link.is_open and not link.case.is_trashed


def is_still_open(link: ShareLink) -> bool:
    """The same, asked of the database again: for what takes a while to send."""
    fresh = ShareLink.objects.select_related("case").filter(pk=link.pk).first()
    return fresh is not None and is_open(fresh)


def claim_opening(link: ShareLink, request: HttpRequest) -> bool:
    """Count an opening and keep who came from where, without the token. False where the limit is reached: one row
    decides.
    """
    left = Q(views_most__isnull=True) | Q(openings__lt=F("views_most"))
    if not _live(link.case).filter(left, pk=link.pk).update(openings=F("openings") + 1, last_opened_at=timezone.now()):
        return False
    record("link.opened", case=link.case, link=link, request=request)
    return True


def note_view(link: ShareLink, request: HttpRequest, what: str) -> None:
    """A page of it was read."""
    record("link.viewed", case=link.case, link=link, request=request, what=what)


def note_refusal(link: ShareLink, request: HttpRequest) -> None:
    """Somebody came back to a closed link; once a minute for each address, so that nobody fills the history."""
    if cache.add(f"refused:{link.pk}:{request.META.get('REMOTE_ADDR', '')}", 1, REFUSALS_NOTED_EVERY_S):
        record("link.refused", case=link.case, link=link, request=request)
