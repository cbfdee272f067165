"""When a case is diagnosed: after the first file, every few seconds while reading, and once when the last
file is read.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Q, Sum
from django.utils import timezone

from apps.cases.models import Artifact, Bundle, Case
from apps.ingest import leases
from apps.ingest.models import CaseReading
from apps.ingest.scheduling import speed
from apps.learning.models import TeamKnowledge

REST = 3  # parts of reading for one part of partial diagnoses
FAILED = "The diagnosis failed ({error}). The files are read; try again, or ask the administrator to look at the log."


def is_settled(case_id: int) -> bool:
    """No bundle is being unpacked and no file is waiting or being read."""
    files = Artifact.objects.filter(case=case_id).unsettled()
    return not files.exists() and not Bundle.objects.filter(case=case_id).unsettled().exists()


def name_of_files(case_id: int) -> str:
    """A short name for the files as they stand, equal only when nothing was added, removed or read again."""
    files = Artifact.objects.filter(case=case_id).aggregate(
        n=Count("pk"),
        last=Max("pk"),
        sum=Sum("pk"),
        generations=Sum("facts_generation"),
        facts=Count("pk", filter=~Q(facts="")),
    )
    return "-".join(str(files[key] or 0) for key in ("n", "last", "sum", "generations", "facts"))


def settled_name(case_id: int) -> str:
    """``name_of_files`` once all of them are settled; empty before."""
    return name_of_files(case_id) if is_settled(case_id) else ""


def note_change(case_id: int) -> None:
    """Files were added, or are read again: whatever was diagnosed before, a diagnosis is due when they are settled."""
    CaseReading.objects.update_or_create(case_id=case_id, defaults={"wanted": "", "done": "", "message": ""})


def claim_diagnosis(case_id: int) -> bool:
    """Whether the caller shall queue a diagnosis now: true once for each settled state, and now and then while files
    are open.
    """
    name = settled_name(case_id)
    if not _has_row(case_id):
        return False
    row = CaseReading.objects.filter(case=case_id)
    now = timezone.now()
    if name:
        return bool(row.exclude(wanted=name).update(wanted=name, asked_at=now))
    if not Artifact.objects.filter(case=case_id).exclude(facts="").exists():
        return False  # a verdict on nothing would only be in the way of the first one
    paused = row.filter(Q(asked_at__isnull=True) | Q(asked_at__lt=now - _pause()), leases.is_free())
    return paused.exists() and _ends_before_reading(case_id) and bool(paused.update(asked_at=now, wanted="", done=""))


def _has_row(case_id: int) -> bool:
    """Made where it is not there yet; not for a case that was removed meanwhile."""
    try:
        with transaction.atomic():
            CaseReading.objects.get_or_create(case_id=case_id)
    except IntegrityError:
        return False
    return True


def _pause() -> timedelta:
    return timedelta(seconds=settings.LIMITS.partial_diagnosis_s)


def _ends_before_reading(case_id: int) -> bool:
    """Whether a partial diagnosis is likely to end before the last file is read; else it would only hold up the whole
    one.

    It takes as long as the last one, by bytes read then and now. What cannot be estimated is not in the way.
    """
    last = CaseReading.objects.filter(case=case_id).values_list("took_s", "took_bytes").first()
    if last is None or not last[0] or not last[1]:
        return True
    counted = speed.tallies(case_id)
    left_s = speed.rate_and_left(case_id, counted)[1]
    return left_s is None or last[0] * sum(tally.done_bytes for tally in counted) / last[1] <= left_s


def begin(case_id: int) -> tuple[str, str] | None:
    """Take the case for a diagnosis: (holder, name of the settled files or empty). None when another is at it, or it
    was done.
    """
    if not Case.objects.live().filter(pk=case_id).exists():
        return None
    name = settled_name(case_id)
    if not _has_row(case_id):
        return None
    rows = CaseReading.objects.filter(leases.is_free(), case=case_id)
    if name:
        rows = rows.exclude(done=name)
    elif Case.objects.filter(pk=case_id, current_diagnosis__created_at__gt=timezone.now() - _pause()).exists():
        return None  # asked for while an earlier one waited in line
    elif not _ends_before_reading(case_id):
        return None
    holder = leases.take(rows, wanted=name, asked_at=timezone.now())
    return None if holder is None else (holder, name)


def note_end(case_id: int, holder: str, name: str, *, error: str = "", took_s: float = 0.0, of_bytes: int = 0) -> None:
    """The diagnosis of those files is in place, or can't be made. After a long one the next partial one waits longer.

    ``of_bytes``: text that had been read when it began.
    """
    message = FAILED.format(error=error)[:500] if error and name else ""
    rest = max(timedelta(), timedelta(seconds=REST * took_s) - _pause())
    rows = CaseReading.objects.filter(case=case_id)
    measured = {} if error else {"took_s": took_s, "took_bytes": of_bytes}
    leases.settle(rows, holder, done=name, attempts=0, asked_at=timezone.now() + rest, message=message, **measured)


def is_owed(case_id: int) -> bool:
    """Whether the files have changed since the diagnosis that just ended began."""
    name = settled_name(case_id)
    return bool(name) and CaseReading.objects.filter(case=case_id).exclude(done=name).exists()


def is_awaited(case_id: int) -> bool:
    """Whether a diagnosis of these files is still to come."""
    row = CaseReading.objects.filter(case=case_id).first()
    return row is not None and (not row.done or row.done != row.wanted)


def failure_of(case_id: int) -> str:
    """Why the last diagnosis could not be made; empty where it could."""
    return CaseReading.objects.filter(case=case_id).values_list("message", flat=True).first() or ""


def overdue_cases() -> list[int]:
    """Cases whose files are settled and whose diagnosis never came: its worker died."""
    late = timezone.now() - timedelta(seconds=settings.LIMITS.lease_s)
    quiet = (
        Q(asked_at__isnull=True) | Q(asked_at__lt=late) | Q(asked_at__gt=timezone.now() + leases.TOO_FAR)
    )  # or a clock was set back
    rows = CaseReading.objects.filter(leases.is_free(), quiet, case__trashed_at__isnull=True)
    open_rows = rows.filter(Q(done="") | ~Q(done=F("wanted")))
    return [case_id for case_id in open_rows.values_list("case_id", flat=True) if is_settled(case_id)]


def judged_with_other_knowledge(most: int) -> list[int]:
    """Cases at hand whose diagnosis rests on other entries than are in force in their team now, or of which nothing is
    kept that an entry could be tried on; changed last first.
    """
    found: list[int] = []
    for knowledge in TeamKnowledge.objects.filter(is_everywhere=False).order_by("pk"):
        cases = Case.objects.at_hand().filter(team=knowledge.team_id, current_diagnosis__isnull=False)
        is_due = ~Q(current_diagnosis__knowledge=knowledge.version) | Q(digest__isnull=True)
        others = cases.filter(is_due).order_by("-updated_at")
        pks = list(others.values_list("pk", flat=True)[: most - len(found)])
        if not pks:
            TeamKnowledge.objects.filter(pk=knowledge.pk, version=knowledge.version).update(is_everywhere=True)
        found += pks
        if len(found) >= most:
            break
    return found
