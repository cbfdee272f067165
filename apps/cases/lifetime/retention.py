"""Removing cases that a team no longer keeps, with a proof of what went. A legal hold wins: such a case is passed over
and named.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from apps.accounts.models import Role, Team, User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.lifetime.keeping import Removed, remove_case
from apps.cases.models import Case, CaseQuerySet
from apps.privacy.models import RemovalProof, Retention
from apps.web.errors import DomainError

DAYS_MOST: Final = 3650
REMOVED_AT_ONCE: Final = 200
STORED_KINDS: Final = ("bundles", "texts", "facts", "windows", "views", "masked")
LEFT: Final = (
    "The audit trail keeps who did what and when, with the names of the files it was done to.",
    "Backups of database and storage that were made outside the program are not reached by it.",
)


@transaction.atomic
def set_retention(team: Team, days: int | None, *, by: User) -> None:
    """So many days without a change; None keeps the cases."""
    if days is None:
        Retention.objects.filter(team=team).delete()
    elif not 1 <= days <= DAYS_MOST:
        raise DomainError(f"Cases are kept for 1 to {DAYS_MOST} days, or for ever.", status=422)
    else:
        Retention.objects.update_or_create(team=team, defaults={"days": days, "changed_at": timezone.now()})
    record("retention.set", user=by, team=team.slug, days=days)


def teams_run_by(user: User) -> list[Team]:
    """Teams whose retention this person may set: those owned; all of them for an administrator."""
    teams = Team.objects.select_related("retention").order_by("name")
    if not user.is_administrator:
        teams = teams.filter(memberships__user=user, memberships__role=Role.OWNER)
    return list(teams)


def due_cases(rule: Retention) -> CaseQuerySet:
    """Cases of the team that nobody has changed for its days, those in the trash too."""
    return Case.objects.filter(team=rule.team_id, updated_at__lt=timezone.now() - timedelta(days=rule.days))


def retain() -> list[RemovalProof]:
    """One run over all teams that have a rule; what cannot be removed now does not keep the others."""
    proofs = []
    for rule in Retention.objects.select_related("team").order_by("pk"):
        _note_held(rule)
        for case in due_cases(rule).not_held().order_by("updated_at")[:REMOVED_AT_ONCE]:
            try:
                proofs.append(_remove(case, rule))
            except DomainError:  # held, or gone, since the look
                continue
    return proofs


def _note_held(rule: Retention) -> None:
    """Once a day for each case that its hold keeps."""
    today = timezone.now() - timedelta(days=1)
    held = due_cases(rule).filter(held_at__isnull=False)
    announced = Q(events__verb="retention.held", events__at__gt=today)
    for case in held.exclude(pk__in=held.filter(announced).values("pk")).order_by("pk")[:REMOVED_AT_ONCE]:
        record("retention.held", case=case, days=rule.days)


def _remove(case: Case, rule: Retention) -> RemovalProof:
    with transaction.atomic():
        report = _inventory(case, rule)
        removed = remove_case(case, by=None, why="retention")
        report = {**report, **_counts(removed)}
        proof = RemovalProof.objects.create(
            team=rule.team, case_key=removed.key, report=report, sha256=sha256(canonical(report)).hexdigest()
        )
    # The files are deleted once the rows are gone for good; then it is looked whether they really are.
    record("retention.removed", case_key=removed.key, proof=proof.pk, left=len(stored_names(case.pk)))
    return proof


def canonical(report: dict[str, Any]) -> bytes:
    """The one spelling of a report that its hash is of."""
    return json.dumps(report, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _counts(removed: Removed) -> dict[str, Any]:
    return {"rows_total": removed.rows, "files_total": removed.files, "bundle_bytes": removed.bytes}


def _inventory(case: Case, rule: Retention) -> dict[str, Any]:
    """Hashes and counts of all that goes; no name of the customer's, no path, no text."""
    names = stored_names(case.pk)
    return {
        "case": case.key,
        "team": rule.team.slug,
        "why": f"no change for {rule.days} days",
        "last_change": case.updated_at.isoformat(timespec="seconds"),
        "removed_at": timezone.now().isoformat(timespec="seconds"),
        "bundles": list(case.bundles.order_by("pk").values("sha256", "size")),
        "files": list(case.artifacts.order_by("pk").values("sha256", "size", lines=F("lines_total"))),
        "rows": _rows(case),
        "stored": {
            kind: sum(name.startswith(f"{storage.case_prefix(case.pk)}{kind}/") for name in names)
            for kind in STORED_KINDS
        },
        "stored_total": len(names),
        "not_removed": list(LEFT),
    }


def _rows(case: Case) -> dict[str, int]:
    """Rows that belong to the case, by table."""
    counts: Counter[str] = Counter()
    for relation in Case._meta.related_objects:
        model: Any = relation.related_model
        if model._meta.label != "audit.AuditEvent" and relation.field.column:
            counts[model._meta.label] += model._default_manager.filter(**{relation.field.name: case.pk}).count()
    return {label: count for label, count in sorted(counts.items()) if count}


def stored_names(case_id: int) -> list[str]:
    """Every file that is stored for a case."""
    left, found = [storage.case_prefix(case_id)], []
    while left:
        prefix = left.pop()
        found += storage.listing(prefix)
        left += storage.folders(prefix)
    return found
