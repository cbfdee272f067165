"""How long a case stays: archive, trash, removal for good, and the legal hold that wins over all of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.lifetime.writers import stop_writers
from apps.cases.models import Case
from apps.cases.services import CaseGoneError
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

PURGED_AT_ONCE: Final = 100
HELD: Final = (
    "This case is under a legal hold: nothing of it can be removed until an owner or an administrator ends the hold."
)
ARCHIVED: Final = "This case is archived. Take it out of the archive before changing it."


def refuse_held(case: Case) -> None:
    """Asked of the row as it is now: a hold set a moment ago counts."""
    if not Case.objects.not_held().filter(pk=case.pk).exists():
        raise DomainError(HELD, status=409)


def refuse_archived(case: Case) -> None:
    if case.is_archived:
        raise DomainError(ARCHIVED, status=409)


@transaction.atomic
def archive_case(case: Case, *, by: User | None) -> None:
    if Case.objects.at_hand().filter(pk=case.pk).update(archived_at=timezone.now()):
        record("case.archived", case=case, user=by)


@transaction.atomic
def unarchive_case(case: Case, *, by: User | None) -> None:
    if Case.objects.archived().filter(pk=case.pk).update(archived_at=None, updated_at=timezone.now()):
        record("case.unarchived", case=case, user=by)


@transaction.atomic
def hold_case(case: Case, *, by: User, reason: str) -> None:
    words = " ".join(reason.split())[:500]
    if not words:
        raise DomainError("Say why nothing of this case may be removed.", status=422)
    changed = Case.objects.not_held().filter(pk=case.pk).update(held_at=timezone.now(), held_by=by, hold_reason=words)
    if not changed:
        raise DomainError("This case is under a hold already.", status=409)
    record("case.held", case=case, user=by, reason=words)


@transaction.atomic
def release_case(case: Case, *, by: User) -> None:
    held = Case.objects.filter(pk=case.pk, held_at__isnull=False)
    if held.update(held_at=None, held_by=None, hold_reason=""):
        record("case.released", case=case, user=by)


def ends_in_trash_at(case: Case) -> datetime | None:
    """When it will be removed for good; None while it is not in the trash or is held."""
    if case.trashed_at is None or case.is_held:
        return None
    return case.trashed_at + timedelta(days=settings.LIMITS.trash_days)


def days_left(case: Case) -> int | None:
    """Whole days, 0 on the last one."""
    ends_at = ends_in_trash_at(case)
    return None if ends_at is None else max(0, (ends_at - timezone.now()).days)


@dataclass(frozen=True, slots=True)
class Removed:
    """What went with a case."""

    key: str
    bundles: int
    files: int
    rows: int
    bytes: int


@transaction.atomic
def remove_case(case: Case, *, by: User | None, why: str) -> Removed:
    """For good: rows in one transaction, everything stored for it when that is through. The audit trail keeps
    the key.
    """
    locked = Case.objects.select_for_update().filter(pk=case.pk).first()
    if locked is None:
        raise CaseGoneError
    if locked.is_held:
        raise DomainError(HELD, status=409)
    stop_writers(locked)
    sizes = list(locked.bundles.values_list("size", flat=True))
    files = locked.artifacts.count()
    prefix = storage.case_prefix(locked.pk)
    rows, _ = Case.objects.filter(pk=locked.pk).delete()
    removed = Removed(key=locked.key, bundles=len(sizes), files=files, rows=rows, bytes=sum(sizes))
    detail: dict[str, Any] = {
        "why": why,
        "bundles": removed.bundles,
        "files": removed.files,
        "rows": removed.rows,
        "bytes": removed.bytes,
    }
    record("case.removed", user=by, case_key=removed.key, **detail)
    transaction.on_commit(partial(_delete_stored, prefix))
    return removed


def _delete_stored(prefix: str) -> None:
    storage.delete_prefix(prefix)


def purge_trash() -> list[Removed]:
    """Remove what has been in the trash for its days. A case that cannot be removed now does not keep the others."""
    over = timezone.now() - timedelta(days=settings.LIMITS.trash_days)
    due = Case.objects.not_held().filter(trashed_at__lt=over).order_by("trashed_at")[:PURGED_AT_ONCE]
    removed = []
    for case in due:
        try:
            removed.append(remove_case(case, by=None, why="trash"))
        except DomainError:  # held or gone since the look
            continue
    return removed
