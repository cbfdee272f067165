"""Visits of a link: one opening lets a browser read on for a while, as long as it does; a password and a limit of
openings stand in front of it.
"""

from __future__ import annotations

import time
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.core.cache import cache
from django.http import HttpRequest

from apps.accounts.guessing import WINDOW_S, note_wrong_guess, refuse_guessing
from apps.sharing.models import ShareLink
from apps.sharing.services import claim_opening
from apps.web.errors import DomainError

VISIT_S: Final = 12 * 3600
VISITS_KEPT: Final = 40
SESSION: Final = "shared_links"
USED: Final = 2
"""Its place in a visit: [when it began, the link's mark, when it was last used]."""
WRONG_PER_LINK: Final = 50


def is_gated(link: ShareLink) -> bool:
    """Whether somebody has to do something before it opens."""
    return bool(link.password) or link.views_most is not None


def is_visited(request: HttpRequest, link: ShareLink) -> bool:
    """Whether this browser has opened it a short while ago, with the password that it has now."""
    visits = request.session.get(SESSION, {})
    visit = visits.get(str(link.pk))
    if visit is None or visit[0] <= time.time() - VISIT_S or visit[1] != _mark(link):
        return False
    return _is_used(request, visits, visit)


def _is_used(request: HttpRequest, visits: dict[str, Any], visit: list[Any]) -> bool:
    """Whether it was read from not long ago; then it is now. Written down once in a tenth of the limit."""
    now, limit = time.time(), settings.LIMITS.link_idle_minutes * 60
    idle: float = now - (visit[USED] if len(visit) > USED else visit[0])
    if idle < limit and idle >= limit / 10:
        visit[USED:] = [now]
        request.session[SESSION] = visits
    return idle < limit


def begin_visit(request: HttpRequest, link: ShareLink) -> bool:
    """Take one opening. False where the last one is gone."""
    if not claim_opening(link, request):
        return False
    visits: dict[str, Any] = request.session.get(SESSION, {})
    visits[str(link.pk)] = [time.time(), _mark(link), time.time()]
    newest = sorted(visits.items(), key=lambda item: item[1][0])[-VISITS_KEPT:]
    request.session[SESSION] = dict(newest)
    return True


def _mark(link: ShareLink) -> str:
    return link.password[-12:]


def is_right_password(request: HttpRequest, link: ShareLink, given: str) -> bool:
    """Guessing is limited by address, and over all addresses too."""
    kind = f"link-password:{link.pk}"
    refuse_guessing(request, kind)
    if cache.get(f"guess:{kind}", 0) >= WRONG_PER_LINK:
        raise DomainError("Too many wrong passwords were tried for this link. Wait 15 minutes.", status=429)
    if not link.password or check_password(given, link.password):
        return True
    note_wrong_guess(request, kind)
    cache.add(f"guess:{kind}", 0, WINDOW_S)
    cache.incr(f"guess:{kind}")
    return False
