"""What can be done with a case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.audit.services import record
from apps.cases.models import Case, CaseMembership, KeySequence, Severity
from apps.cases.people.notify import tell_state
from apps.web.errors import DomainError
from apps.web.queueing import send_or_leave
from parsers.dataclass import dataclass

if TYPE_CHECKING:
    from apps.diagnosis.models import Diagnosis

KEY_PREFIX = "CS"
FIRST_NUMBER = 1001
KEY_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?")
SPARK_POINTS = 40
SEARCHED_NODES = 2000
RESUME: Final = "ingest.resume_case"
"""The task is named, not imported: it stands above cases."""


class CaseGoneError(DomainError):
    """It was removed a moment ago."""

    def __init__(self) -> None:
        super().__init__("This case is gone already.", status=410)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSummary:
    """What the list of cases shows of a diagnosis."""

    verdict: str
    severity: str
    products: Sequence[str] = ()
    nodes: Sequence[str] = ()
    window_start_us: int | None = None
    window_end_us: int | None = None
    longest_s: float | None = None
    spark: Sequence[float | None] = field(default=())
    """Longest wait per bucket over the window, at most 40; None where there is no sample."""
    zone_name: str = ""
    zone_min: int | None = None


@transaction.atomic
def create_case(
    *,
    team: Team,
    title: str,
    created_by: User | None = None,
    customer: str = "",
    ticket: str = "",
    key: str = "",
    is_sample: bool = False,
) -> Case:
    """With a key of its own, such as SAMPLE-SCALE, or the next number."""
    if key:
        _refuse_bad_key(key)
    case = Case(
        key=key or next_key(),
        title=_title(title),
        customer=customer.strip(),
        ticket=ticket.strip(),
        team=team,
        created_by=created_by,
        is_sample=is_sample,
    )
    case.search_text = f"{_own_words(case)}\n"
    case.save()
    if created_by is not None:
        _let_own(case, created_by)
    record("case.created", case=case, user=created_by)
    return case


def _let_own(case: Case, user: User) -> None:
    """Who opens a case may share it and move it to the trash, also as an editor of the team."""
    if not TeamMembership.objects.filter(team=case.team_id, user=user, role=Role.OWNER).exists():
        CaseMembership.objects.create(case=case, user=user, role=Role.OWNER)


def _refuse_bad_key(key: str) -> None:
    if KEY_PATTERN.fullmatch(key) is None:
        raise DomainError(
            "A key is up to 40 letters, digits, dashes and underscores, and begins and ends with a letter or digit."
        )
    if Case.objects.filter(key=key).exists():
        raise DomainError("There is a case with this key.", status=409)


def _title(title: str) -> str:
    return title.strip()[:200] or "Untitled case"


@transaction.atomic
def next_key(prefix: str = KEY_PREFIX) -> str:
    """The update takes the row's lock, so the number read after it is ours. Numbers that somebody typed as a key are
    passed over.
    """
    KeySequence.objects.get_or_create(prefix=prefix, defaults={"last": FIRST_NUMBER - 1})
    while True:
        KeySequence.objects.filter(prefix=prefix).update(last=F("last") + 1)
        key = f"{prefix}-{KeySequence.objects.get(prefix=prefix).last}"
        if not Case.objects.filter(key=key).exists():
            return key


def lock_case(case_id: int) -> None:
    """Until the end of the transaction nobody else adds files to the case or changes it; other rows may still point to
    it. Before anything in it is locked or added, as who removes it locks in that order too.
    """
    if Case.objects.select_for_update(no_key=True).only("pk").filter(pk=case_id).first() is None:
        raise CaseGoneError


def lock_case_if_free(case_id: int) -> bool:
    """The same, where nobody else has it and it is there; for what can as well be done later."""
    rows = Case.objects.select_for_update(no_key=True, skip_locked=True).only("pk")
    return rows.filter(pk=case_id).first() is not None


@transaction.atomic
def rename_case(case: Case, *, title: str, customer: str, ticket: str, by: User | None) -> None:
    locked = Case.objects.select_for_update(no_key=True).get(pk=case.pk)
    locked.title, locked.customer, locked.ticket = _title(title), customer.strip(), ticket.strip()
    _, _, found = locked.search_text.partition("\n")
    locked.search_text = f"{_own_words(locked)}\n{found}"
    locked.updated_at = timezone.now()
    locked.save(update_fields=["title", "customer", "ticket", "search_text", "updated_at"])
    record("case.renamed", case=locked, user=by, title=locked.title)


@transaction.atomic
def set_state(case: Case, state: str, *, by: User | None, solution: str | None = None) -> None:
    """`solution` says by what it was solved; None leaves what is there."""
    if state not in Case.State.values:
        raise DomainError("There is no such state.")
    words: dict[str, Any] = {} if solution is None else {"solution": solution.strip()[:2000]}
    is_new = Case.objects.filter(pk=case.pk).exclude(state=state).exists()
    Case.objects.filter(pk=case.pk).update(state=state, updated_at=timezone.now(), **words)
    event = record("case.state", case=case, user=by, state=state, **words)
    if is_new:
        tell_state(Case.objects.select_related("assignee", "created_by").get(pk=case.pk), by, event.pk)


@transaction.atomic
def trash_case(case: Case, *, by: User | None) -> None:
    """Whoever unpacks or reads something of it stops within seconds, and nobody begins again (apps/ingest/live.py)."""
    if Case.objects.live().filter(pk=case.pk).update(trashed_at=timezone.now()):
        record("case.trashed", case=case, user=by)


@transaction.atomic
def restore_case(case: Case, *, by: User | None) -> None:
    if Case.objects.trashed().filter(pk=case.pk).update(trashed_at=None, updated_at=timezone.now()):
        record("case.restored", case=case, user=by)
        transaction.on_commit(partial(send_or_leave, RESUME, case.pk))


@transaction.atomic
def set_diagnosis(case_id: int, diagnosis: Diagnosis, summary: CaseSummary) -> bool:
    """Point the case to a diagnosis and take over what the list shows, at once. False where a newer one is there
    already.
    """
    case = Case.objects.select_for_update(no_key=True).filter(pk=case_id).first()
    if case is None or (case.current_diagnosis_id or 0) > diagnosis.pk:
        return False
    case.current_diagnosis = diagnosis
    _take_over(case, summary)
    case.save()
    return True


@transaction.atomic
def set_cured(case_id: int, diagnosis: Diagnosis, words: str) -> bool:
    """Let the list say that the hang is over. False where a newer diagnosis is there already."""
    case = Case.objects.select_for_update(no_key=True).filter(pk=case_id, current_diagnosis=diagnosis).first()
    if case is None:
        return False
    found = case.search_text.split("\n", 1)[-1].replace(case.verdict.lower().replace("\n", " "), words.lower(), 1)
    case.verdict, case.severity = words, Severity.INFO
    case.search_text = f"{_own_words(case)}\n{found}"
    case.save(update_fields=["verdict", "severity", "search_text"])
    return True


@transaction.atomic
def clear_diagnosis(case_id: int) -> None:
    """For a case whose last file is gone: what was found in it no longer stands on anything."""
    case = Case.objects.select_for_update(no_key=True).get(pk=case_id)
    case.current_diagnosis = None
    _take_over(case, CaseSummary(verdict="", severity=""))
    case.nodes_n = None
    case.save()


def _take_over(case: Case, summary: CaseSummary) -> None:
    case.severity = summary.severity
    case.verdict = summary.verdict
    case.products = list(summary.products)
    case.nodes_n = len(summary.nodes)
    case.window_start_us = summary.window_start_us
    case.window_end_us = summary.window_end_us
    case.longest_s = summary.longest_s
    case.spark = list(summary.spark)[:SPARK_POINTS]
    case.zone_name = summary.zone_name
    case.zone_min = summary.zone_min
    found = " ".join([summary.verdict, *summary.nodes[:SEARCHED_NODES]]).lower().replace("\n", " ")
    case.search_text = f"{_own_words(case)}\n{found}"
    case.updated_at = timezone.now()


def _own_words(case: Case) -> str:
    """First line of the search text; what a diagnosis found is the second."""
    return " ".join([case.key, case.title, case.customer, case.ticket]).lower().replace("\n", " ")
