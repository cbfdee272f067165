"""The life of an entry: draft, proposed, in force by the word of an owner, withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.audit.services import record
from apps.learning.in_force import entry_of_version, note_change, versions_in_force
from apps.learning.models import EntryVersion, TeamEntry, TeamKnowledge
from apps.web.errors import DomainError
from parsers.messages.site_entries import ENTRIES_MOST, Entry, EntryError, entry_of, row_of, words_matched

State = TeamEntry.State
CHANGED: Final = "Somebody changed this entry in the meantime. Load it again and make your change there."
NAME_TAKEN: Final = "There is an entry of this name in the team."
SAME_NAME: Final = "The name of an entry stays. Begin a new one for another name."
TOO_MANY: Final = f"A team keeps {ENTRIES_MOST} entries at most."
NOT_A_DRAFT: Final = "Only a draft is proposed."
NOT_PROPOSED: Final = "Only what is proposed is put in force."
OUT_ALREADY: Final = "This entry is withdrawn already."
OWNERS_WITHDRAW: Final = "What is in force is withdrawn by an owner of the team."
PRODUCT_CHARS: Final = 60


def shown_to(user: User, team: Team) -> QuerySet[TeamEntry]:
    """Entries of the team that the person may see: drafts are their author's alone."""
    return team.entries.filter(~Q(state=State.DRAFT) | Q(author=user))


def read(row: Mapping[str, Any], product: str = "", number: int = 1) -> Entry:
    """The entry that a row gives. Raises DomainError with the reason where it can't be one."""
    try:
        if len(product) > PRODUCT_CHARS or not product.isprintable():
            raise EntryError(f"product has not 0 to {PRODUCT_CHARS} letters")
        return entry_of(dict(row), product.strip(), f"version {number}", speaker="team")
    except EntryError as error:
        reason = str(error)
        raise DomainError(f"{reason[:1].upper()}{reason[1:]}.", status=422) from None


def latest_of(entry: TeamEntry) -> EntryVersion:
    """Its latest version."""
    return entry.versions.select_related("by").get(number=entry.latest)


@transaction.atomic
def add_entry(
    team: Team, *, row: Mapping[str, Any], product: str, by: User, why: str = "", case_id: int | None = None
) -> TeamEntry:
    """A draft of its author."""
    meant = read(row, product)
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.entries.count() >= ENTRIES_MOST:
        raise DomainError(TOO_MANY, status=409)
    try:
        with transaction.atomic():
            entry = TeamEntry.objects.create(team=team, name=meant.name, author=by, case_id=case_id)
    except IntegrityError:
        raise DomainError(NAME_TAKEN, status=409) from None
    _add_version(entry, 1, meant, by, why)
    if not TeamKnowledge.objects.filter(team=team).exists():
        note_change(team)  # of cases that were read before there was any, nothing is kept yet
    record("entry.drafted", user=by, team=team.slug, entry=entry.name, version=1)
    return entry


def _add_version(entry: TeamEntry, number: int, meant: Entry, by: User, why: str) -> None:
    EntryVersion.objects.create(
        entry=entry, number=number, row=row_of(meant), product=meant.product, by=by, why=why.strip()[:300]
    )


@transaction.atomic
def change_entry(entry: TeamEntry, *, row: Mapping[str, Any], product: str, by: User, why: str, seen: int) -> TeamEntry:
    """A new version: of a draft another draft, of anything else a proposal, beside what is in force until an owner
    puts it there. ``seen``: number of the version that was changed.
    """
    locked = _locked(entry)
    if locked.latest != seen:
        raise DomainError(CHANGED, status=409)
    meant = read(row, product, seen + 1)
    if meant.name != locked.name:
        raise DomainError(SAME_NAME, status=422)
    locked.latest = seen + 1
    _add_version(locked, locked.latest, meant, by, why)
    _settle(locked, State.DRAFT if locked.state == State.DRAFT else State.PROPOSED)
    record("entry.changed", user=by, team=locked.team.slug, entry=locked.name, version=locked.latest)
    return locked


@transaction.atomic
def propose(entry: TeamEntry, *, by: User) -> None:
    """From now on the whole team sees it."""
    locked = _locked(entry)
    if locked.state != State.DRAFT:
        raise DomainError(NOT_A_DRAFT, status=409)
    _settle(locked, State.PROPOSED)
    record("entry.proposed", user=by, team=locked.team.slug, entry=locked.name, version=locked.latest)


@transaction.atomic
def put_in_force(entry: TeamEntry, *, by: User) -> None:
    """By the word of an owner: from now on it judges the cases of the team."""
    locked = _locked(entry)
    if locked.state != State.PROPOSED:
        raise DomainError(NOT_PROPOSED, status=409)
    meant = entry_of_version(latest_of(locked))
    others = versions_in_force(locked.team_id).exclude(entry=locked)
    if twin := next((one for one in map(entry_of_version, others) if _fit_alike(one, meant)), None):
        raise DomainError(f"It fits the messages that {twin.name} fits. Withdraw that one first.", status=409)
    locked.in_force = locked.latest
    _settle(locked, State.IN_FORCE)
    record("entry.put_in_force", user=by, team=locked.team.slug, entry=locked.name, version=locked.latest)
    note_change(locked.team)


def _fit_alike(one: Entry, other: Entry) -> bool:
    return words_matched(one) == words_matched(other)


@transaction.atomic
def withdraw(entry: TeamEntry, *, by: User, why: str) -> None:
    """It judges nothing any more; its versions stay."""
    locked = _locked(entry)
    if locked.state == State.WITHDRAWN:
        raise DomainError(OUT_ALREADY, status=409)
    was_in_force = locked.in_force is not None
    if was_in_force and not may_rule(by, locked.team):
        raise DomainError(OWNERS_WITHDRAW, status=403)
    locked.in_force = None
    _settle(locked, State.WITHDRAWN)
    record("entry.withdrawn", user=by, team=locked.team.slug, entry=locked.name, reason=why.strip()[:300])
    if was_in_force:
        note_change(locked.team)


def may_rule(user: User, team: Team) -> bool:
    """Whether the person puts entries of the team in force."""
    owners = TeamMembership.objects.filter(team=team, user=user, role=Role.OWNER)
    return user.is_administrator or owners.exists()


def may_write(user: User, team: Team) -> bool:
    """Whether the person may begin an entry in the team."""
    membership = TeamMembership.objects.filter(team=team, user=user).first()
    return membership is not None and Role(membership.role).reaches(Role.EDITOR)


def _locked(entry: TeamEntry) -> TeamEntry:
    return TeamEntry.objects.select_for_update(of=("self",), no_key=True).select_related("team").get(pk=entry.pk)


def _settle(entry: TeamEntry, state: str) -> None:
    entry.state, entry.changed_at = state, timezone.now()
    entry.save(update_fields=["state", "changed_at", "latest", "in_force"])


def latest_words(rows: Iterable[TeamEntry]) -> dict[int, Entry]:
    """What the latest version of each says, by the number of the entry."""
    versions = EntryVersion.objects.filter(entry__in=[row.pk for row in rows], number=F("entry__latest"))
    return {one.entry_id: entry_of_version(one) for one in versions}
