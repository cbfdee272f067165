"""Adding to the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.audit.models import AuditEvent
from apps.audit.place import HERE, address_of

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
    """Add one event. With a request, its signed-in user and address are taken from there; without one, the address of
    the present request.

    The case's key outlives the case.
    """
    if request is not None and user is None and request.user.is_authenticated:
        user = request.user
    if case is not None:
        detail.setdefault("case", case.key)
    return AuditEvent.objects.create(
        case=case, user=user, link=link, verb=verb, detail=detail, address=address_of(request) or HERE.get()
    )
