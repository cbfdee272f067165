"""Who is on a case: its team, people named for this one case, and whom it is assigned to."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.audit.services import record
from apps.cases.models import Case, CaseMembership
from apps.cases.people.notify import tell_assigned
from apps.cases.services import lock_case
from apps.learning.in_force import note_change
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

WORKERS: Final = (Role.EDITOR, Role.OWNER)
NO_ACCOUNT: Final = "There is no open account with this user name."
NO_TEAM: Final = "There is no team with exactly this name."


@dataclass(frozen=True, slots=True)
class OnCase:
    """One line of the people page."""

    user: User
    role: Role
    is_named: bool
    """Named for this case; else on it by the team."""


def people_on(case: Case) -> list[OnCase]:
    """Team and named people by name; the higher of two roles counts, and both are told."""
    team = TeamMembership.objects.filter(team=case.team_id, user__is_active=True).select_related("user")
    named = case.memberships.filter(user__is_active=True).select_related("user")
    lines = [OnCase(one.user, Role(one.role), is_named=False) for one in team]
    lines += [OnCase(one.user, Role(one.role), is_named=True) for one in named]
    return sorted(lines, key=lambda line: (not line.is_named, str(line.user).lower(), line.user.pk))


def workers_on(case: Case) -> QuerySet[User]:
    """Whom the case may be assigned to: those who may change it."""
    by_team = Q(team_memberships__team=case.team_id, team_memberships__role__in=WORKERS)
    by_name = Q(case_memberships__case=case.pk, case_memberships__role__in=WORKERS)
    return User.objects.filter(is_active=True).filter(by_team | by_name).distinct().order_by("username")


@transaction.atomic
def assign_case(case: Case, assignee: User | None, *, by: User) -> None:
    if assignee is not None and not workers_on(case).filter(pk=assignee.pk).exists():
        raise DomainError("A case is assigned to somebody who may change it.", status=422)
    changed = (
        Case.objects.filter(pk=case.pk).exclude(assignee=assignee).update(assignee=assignee, updated_at=timezone.now())
    )
    if changed:
        event = record("case.assigned", case=case, user=by, person=str(assignee) if assignee else "nobody")
        tell_assigned(case, assignee, by, event.pk)


@transaction.atomic
def name_person(case: Case, *, username: str, role: str, by: User) -> CaseMembership:
    """Add somebody to one case, or give another role to who is named already."""
    user = User.objects.filter(username__iexact=username.strip(), is_active=True).first()
    if user is None:
        raise DomainError(NO_ACCOUNT, status=422)
    lock_case(case.pk)
    membership, _ = CaseMembership.objects.update_or_create(case=case, user=user, defaults={"role": Role(role)})
    record("case.person_added", case=case, user=by, person=user.get_username(), role=membership.role)
    return membership


@transaction.atomic
def remove_person(case: Case, membership: CaseMembership, *, by: User) -> None:
    lock_case(case.pk)
    membership.delete()
    record("case.person_removed", case=case, user=by, person=membership.user.get_username())
    _unassign_who_left(case)


def team_named(name: str) -> Team:
    """By its exact name, whatever the case of its letters: teams that one is not on are not listed to choose from."""
    team = Team.objects.filter(name__iexact=name.strip()).first()
    if team is None:
        raise DomainError(NO_TEAM, status=422)
    return team


@transaction.atomic
def transfer_case(case: Case, team: Team, *, by: User) -> None:
    """The old team loses the case at once; people named on it stay."""
    if case.team_id == team.pk:
        raise DomainError(f"The case is with {team.name} already.", status=409)
    left = case.team.name
    Case.objects.filter(pk=case.pk).update(team=team, updated_at=timezone.now())
    record("case.transferred", case=case, user=by, old=left, new=team.name)
    case.team = team
    note_change(team)  # what the old team knows is not for the new one
    _unassign_who_left(case)


def _unassign_who_left(case: Case) -> None:
    staying = workers_on(case).values("pk")
    Case.objects.filter(pk=case.pk, assignee__isnull=False).exclude(assignee__in=staying).update(assignee=None)
