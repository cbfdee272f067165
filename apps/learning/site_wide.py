"""What holds for the whole site: offered by owners of the team whose knowledge it is, accepted by an administrator,
without names of team and author.
"""

from __future__ import annotations

import re
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.learning.in_force import entry_of_site, note_change_of_site
from apps.learning.models import EntryVersion, SiteEntry, TeamEntry
from apps.learning.services import may_rule
from apps.web.errors import DomainError
from parsers.messages.site_entries import ENTRIES_MOST, words_matched

OWNERS_OFFER: Final = "Only owners of the team offer what it knows."
NOT_IN_FORCE: Final = "Only what is in force is offered to the site."
NOT_OFFERED: Final = "It is not offered any more."
NAME_TAKEN: Final = "There is an entry of this name for the site. Withdraw that one first."
SOURCE: Final = "offered by its users, accepted by an administrator"
NAMED: Final = "Its words name {name}. What holds for the site names neither team nor author: ask for a new version."
TOO_MANY: Final = f"A site keeps {ENTRIES_MOST} entries at most."


@transaction.atomic
def offer(entry: TeamEntry, *, by: User, is_offered: bool = True) -> None:
    """To the administrators: what is in force now; or take the offer back."""
    locked = TeamEntry.objects.select_for_update(of=("self",), no_key=True).select_related("team").get(pk=entry.pk)
    if not may_rule(by, locked.team):
        raise DomainError(OWNERS_OFFER, status=403)
    if is_offered and locked.in_force is None:
        raise DomainError(NOT_IN_FORCE, status=409)
    locked.offered = locked.in_force if is_offered else None
    locked.save(update_fields=["offered"])
    verb = "entry.offered" if is_offered else "entry.offer_ended"
    record(verb, user=by, team=locked.team.slug, entry=locked.name, version=locked.in_force)


def offered() -> QuerySet[EntryVersion]:
    """Versions that wait for the word of an administrator."""
    return EntryVersion.objects.filter(number=F("entry__offered")).select_related("entry__team").order_by("entry__name")


@transaction.atomic
def accept(entry: TeamEntry, *, by: User) -> SiteEntry:
    """A copy for all teams. An entry that was accepted before gets what is offered now."""
    locked = TeamEntry.objects.select_for_update(of=("self",), no_key=True).select_related("team").get(pk=entry.pk)
    version = EntryVersion.objects.filter(entry=locked, number=locked.offered or 0).first()
    if version is None:
        raise DomainError(NOT_OFFERED, status=409)
    known = SiteEntry.objects.select_for_update(no_key=True).filter(name=locked.name).first()
    if known is not None and known.is_in_force and known.origin_id != locked.pk:
        raise DomainError(NAME_TAKEN, status=409)
    if known is None and SiteEntry.objects.count() >= ENTRIES_MOST:
        raise DomainError(TOO_MANY, status=409)
    row = known or SiteEntry(name=locked.name, number=0)
    _refuse_names(version, locked)
    row.row, row.product, row.origin = version.row | {"source": SOURCE}, version.product, locked
    row.number, row.accepted_at, row.is_in_force = row.number + 1, timezone.now(), True
    _refuse_twin(row)
    row.save()
    locked.offered = None
    locked.save(update_fields=["offered"])
    record("entry.accepted", user=by, entry=locked.name, version=row.number)
    note_change_of_site()
    return row


def _refuse_names(version: EntryVersion, entry: TeamEntry) -> None:
    """Words of a copy name neither the team nor who wrote it. Where it is known from stays with the team."""
    people = [one for one in (entry.author, version.by) if one is not None]
    names = [entry.team.name, entry.team.slug, *(name for one in people for name in (one.get_username(), str(one)))]
    text = " ".join(str(value) for key, value in version.row.items() if key not in ("name", "source")).lower()
    if found := next((name for name in names if re.search(rf"\b{re.escape(name.lower())}\b", text)), None):
        raise DomainError(NAMED.format(name=found), status=409)


def _refuse_twin(row: SiteEntry) -> None:
    meant = entry_of_site(row)
    others = SiteEntry.objects.filter(is_in_force=True).exclude(name=row.name)
    if twin := next((one for one in map(entry_of_site, others) if words_matched(one) == words_matched(meant)), None):
        raise DomainError(f"It fits what {twin.name} fits. Withdraw that one first.", status=409)


@transaction.atomic
def withdraw_from_site(row: SiteEntry, *, by: User) -> None:
    """It judges no case any more; what its team says of its own stays."""
    SiteEntry.objects.filter(pk=row.pk).update(is_in_force=False)
    record("entry.site_withdrawn", user=by, entry=row.name, version=row.number)
    note_change_of_site()
