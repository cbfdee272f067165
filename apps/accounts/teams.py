"""Teams: who is on them with which role. A team that had an owner keeps one."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.audit.services import record
from apps.web.errors import DomainError

NO_ACCOUNT: Final = "There is no open account with this user name."
LAST_OWNER: Final = "A team keeps at least one owner. Make somebody else its owner first."
OWN_ENTRY: Final = (
    "You cannot put yourself on a team that has cases; one of its owners can. To read one case, open it and "
    "state a reason."
)
SLUG_CHARS: Final = 50


@transaction.atomic
def create_team(*, name: str, by: User, is_owner: bool) -> Team:
    """`is_owner`: whoever makes it owns it too."""
    team = Team.objects.create(name=_free_name(name), slug=_free_slug(name))
    record("team.created", user=by, team=team.slug, title=team.name)
    if is_owner:
        TeamMembership.objects.create(user=by, team=team, role=Role.OWNER)
        record("team.member_added", user=by, team=team.slug, person=by.get_username(), role=Role.OWNER)
    return team


def _free_name(name: str, team: Team | None = None) -> str:
    words = " ".join(name.split())
    if not words:
        raise DomainError("A team needs a name.", status=422)
    if Team.objects.filter(name__iexact=words).exclude(pk=team.pk if team else 0).exists():
        raise DomainError("There is a team with this name.", status=422)
    return words


def _free_slug(name: str) -> str:
    """Stays when the team is renamed: addresses and settings name it."""
    base = slugify(name)[:SLUG_CHARS] or "team"
    slug, number = base, 1
    while Team.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug


@transaction.atomic
def rename_team(team: Team, *, name: str, by: User) -> None:
    team.name = _free_name(name, team)
    team.save(update_fields=["name"])
    record("team.renamed", user=by, team=team.slug, title=team.name)


@transaction.atomic
def add_member(team: Team, *, username: str, role: str, by: User) -> TeamMembership:
    """Put somebody on the team, or give another role to who is on it."""
    user = User.objects.filter(username__iexact=username.strip(), is_active=True).first()
    if user is None:
        raise DomainError(NO_ACCOUNT, status=422)
    refuse_own_entry(team, user, by=by)
    return put_on_team(team, user, Role(role), by=by)


@transaction.atomic
def put_on_team(team: Team, user: User, role: Role, *, by: User | None) -> TeamMembership:
    membership = _locked(team).filter(user=user).first()
    if membership is None:
        membership = TeamMembership.objects.create(team=team, user=user, role=role)
        record("team.member_added", user=by, team=team.slug, person=user.get_username(), role=role)
        return membership
    if role is not Role.OWNER:
        _refuse_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    record("team.role", user=by, team=team.slug, person=user.get_username(), role=role)
    return membership


@transaction.atomic
def remove_member(team: Team, membership: TeamMembership, *, by: User) -> None:
    _refuse_last_owner(_locked(team).get(pk=membership.pk))
    membership.delete()
    record("team.member_removed", user=by, team=team.slug, person=membership.user.get_username())


def _locked(team: Team) -> QuerySet[TeamMembership]:
    """Two owners who take each other out at once: the second one waits and is refused."""
    Team.objects.select_for_update().get(pk=team.pk)
    return TeamMembership.objects.filter(team=team)


def _refuse_last_owner(membership: TeamMembership) -> None:
    owners = TeamMembership.objects.filter(team=membership.team_id, role=Role.OWNER)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise DomainError(LAST_OWNER, status=409)


def refuse_own_entry(team: Team, user: User, *, by: User | None) -> None:
    """An administrator runs all teams; to be on one with cases is for its owners to decide, or cases could be read
    without a reason.
    """
    if by is None or user.pk != by.pk or not team.cases.exists():
        return
    if not TeamMembership.objects.filter(team=team, user=user, role=Role.OWNER).exists():
        raise DomainError(OWN_ENTRY, status=409)
