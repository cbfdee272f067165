"""What a reader must know of a case before anything else: that it is archived, held, in the trash, or read for a stated
reason.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import timezone

from apps.cases.lifetime.keeping import days_left
from apps.cases.models import Case


def banners(case: Case) -> list[dict[str, Any]]:
    """Notices for the head of every page of the case; `action` is where a button posts to."""
    parts = (_visit(case), _hold(case), _trash(case), _archive(case))
    return [part for part in parts if part is not None]


def _visit(case: Case) -> dict[str, Any] | None:
    if case.visit is None:
        return None
    minutes = max(1, round((case.visit.ends_at - timezone.now()).total_seconds() / 60))
    return {
        "text": (
            f"You are not on this case: you read it as an administrator, for another {minutes} min, because: "
            f"{case.visit.reason}"
        ),
        "action": reverse("cases:visit_end", args=[case.key]),
        "label": "End reading",
    }


def _hold(case: Case) -> dict[str, Any] | None:
    if case.held_at is None:
        return None
    by = f" by {case.held_by}" if case.held_by else ""
    return {
        "text": (
            f"Legal hold since {case.held_at:%-d %b %Y}{by}: nothing of this case is removed. Reason: "
            f"{case.hold_reason}"
        )
    }


def _trash(case: Case) -> dict[str, Any] | None:
    if not case.is_trashed:
        return None
    return {"text": f"In the trash. {trash_words(case)}"}


def trash_words(case: Case) -> str:
    left = days_left(case)
    if left is None:
        return "Kept by its legal hold."
    if left == 0:
        return "It is removed for good within a day."
    return f"It is removed for good in {left} day{'' if left == 1 else 's'}."


def _archive(case: Case) -> dict[str, Any] | None:
    if case.archived_at is None:
        return None
    return {"text": f"Archived on {case.archived_at:%-d %b %Y}: for reading only."}
