"""How much a team may have stored: its uploads as they were sent, those in the trash and those still being sent too."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db.models import Sum

from apps.cases.models import Bundle, Case
from apps.ingest.models import PartialUpload
from apps.web.errors import DomainError
from parsers.archives.wording import size as size_words

OVER: Final = (
    "The team {team} has {used} of its {limit} stored, so {size} more are not taken. Remove what is not needed, "
    "also from the trash, or ask the administrator for more."
)


def refuse_over_quota(case: Case, size: int) -> None:
    limit = settings.LIMITS.team_bytes
    if not limit or (used := _used(case.team_id)) + size <= limit:
        return
    words = {"used": size_words(used), "limit": size_words(limit), "size": size_words(size)}
    raise DomainError(OVER.format(team=case.team.name, **words), status=413)


def _used(team_id: int) -> int:
    stored = Bundle.objects.filter(case__team=team_id).exclude(stored="").aggregate(n=Sum("size"))["n"]
    coming = PartialUpload.objects.filter(case__team=team_id, finished_at__isnull=True).aggregate(n=Sum("size"))["n"]
    return (stored or 0) + (coming or 0)
