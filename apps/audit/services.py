"""Adding to the audit trail."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from apps.audit.models import AuditEvent

if TYPE_CHECKING:
    from django.http import HttpRequest

    from apps.accounts.models import User
    from apps.cases.models import Case
    from apps.sharing.models import ShareLink


def record(
    verb: str,
    *,
    case: Case | None = None,
    user: User | None = None,
    link: ShareLink | None = None,
    request: HttpRequest | None = None,
    **detail: Any,
) -> AuditEvent:
    """Add one event. With a request, its signed-in user and address are taken from there; the case's key outlives the case."""
    if request is not None and user is None and request.user.is_authenticated:
        user = request.user
    if case is not None:
        detail.setdefault("case", case.key)
    return AuditEvent.objects.create(case=case, user=user, link=link, verb=verb, detail=detail, address=_address(request))


def _address(request: HttpRequest | None) -> str | None:
    """None on a unix socket, and where a header forwarded something else than an address."""
    try:
        return str(ipaddress.ip_address(request.META["REMOTE_ADDR"])) if request is not None else None
    except (KeyError, ValueError):
        return None
