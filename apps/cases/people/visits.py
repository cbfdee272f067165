"""Administrators run accounts and read no cases. One who must, says why first; that is written down, and it ends by
itself.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.models import Case, CaseVisit
from apps.cases.services import lock_case
from apps.web.errors import DomainError

VISIT_MINUTES: Final = 60
REASON_CHARS: Final = 12
"""Fewer say nothing."""


def open_visit(user: User, key: str) -> CaseVisit | None:
    """The visit that lets this administrator read this case now."""
    if not user.is_administrator or not user.is_active:
        return None
    visits = CaseVisit.objects.filter(
        user=user, case__key=key, ends_at__gt=timezone.now(), case__trashed_at__isnull=True
    )
    return (
        visits.select_related("case__team", "case__current_diagnosis", "case__assignee", "case__held_by")
        .order_by("-ends_at")
        .first()
    )


@transaction.atomic
def begin_visit(case: Case, *, by: User, reason: str, request: HttpRequest | None = None) -> CaseVisit:
    if not by.is_administrator:
        raise PermissionDenied
    words = " ".join(reason.split())
    if len(words) < REASON_CHARS:
        raise DomainError(f"Say in at least {REASON_CHARS} characters why you need to read this case.", status=422)
    now = timezone.now()
    ends_at = now + timedelta(minutes=VISIT_MINUTES)
    lock_case(case.pk)
    visit = CaseVisit.objects.create(case=case, user=by, reason=words[:500], begun_at=now, ends_at=ends_at)
    record(
        "case.visited",
        case=case,
        user=by,
        request=request,
        reason=visit.reason,
        ends_at=ends_at.isoformat(timespec="minutes"),
    )
    return visit


@transaction.atomic
def end_visit(visit: CaseVisit) -> None:
    lock_case(visit.case_id)
    if CaseVisit.objects.filter(pk=visit.pk, ends_at__gt=timezone.now()).update(ends_at=timezone.now()):
        record("case.left", case=visit.case, user=visit.user)
