"""When a case is diagnosed: after the first file, every few seconds while reading, and once when the last file is read."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from apps.cases.models import Artifact, Bundle
from apps.ingest.models import CaseReading


def state_of_files(case_id: int) -> tuple[str, bool]:
    """A short name for the files as they stand, equal only when nothing changed; and whether all of them are settled."""
    counts = Artifact.objects.filter(case=case_id).aggregate(
        files=Count("pk"), open=Count("pk", filter=Q(state__in=("queued", "reading"))), generations=Sum("facts_generation")
    )
    bundles = Bundle.objects.filter(case=case_id)
    settled = not counts["open"] and not bundles.unsettled().exists()
    name = f"{bundles.count()}-{counts['files']}-{counts['open']}-{counts['generations'] or 0}"
    return name, settled


def claim_diagnosis(case_id: int) -> bool:
    """Whether the caller shall queue a diagnosis now: true once for each settled state, and now and then while files are open."""
    name, settled = state_of_files(case_id)
    CaseReading.objects.get_or_create(case_id=case_id)
    row = CaseReading.objects.filter(case=case_id)
    now = timezone.now()
    if settled:
        return bool(row.exclude(wanted=name).update(wanted=name, partial_at=now))
    due = Q(partial_at__isnull=True) | Q(partial_at__lt=now - timedelta(seconds=settings.LIMITS.partial_diagnosis_s))
    return bool(row.filter(due).update(partial_at=now))


def note_done(case_id: int, state: str) -> None:
    """The diagnosis of that state of the files is in place."""
    CaseReading.objects.filter(case=case_id).update(done=state)


def overdue_cases() -> list[int]:
    """Cases whose files are settled and whose diagnosis never came: its worker died."""
    late = timezone.now() - timedelta(seconds=settings.LIMITS.lease_s)
    rows = CaseReading.objects.filter(partial_at__lt=late).exclude(wanted="")
    return [row.case_id for row in rows.exclude(wanted=F("done")) if state_of_files(row.case_id)[1]]
