"""What judges the cases of a team: its own entries in force and those that hold for the whole site."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.db.models import F, QuerySet

from apps.accounts.models import Team
from apps.learning.models import EntryVersion, SiteEntry, TeamKnowledge
from parsers.dataclass import dataclass
from parsers.messages.site_entries import ENDINGS, Entries, Entry, entry_of

TEAMS_HELD: Final = 16


@dataclass(frozen=True, slots=True)
class Spoken:
    """Whose knowledge a finding rests on."""

    entry: int
    name: str
    number: int
    team: str
    slug: str
    by: str

    def stored(self) -> dict[str, Any]:
        """As kept with the finding."""
        return {
            "entry": self.entry,
            "name": self.name,
            "version": self.number,
            "team": self.team,
            "slug": self.slug,
            "by": self.by,
        }


@dataclass(frozen=True, slots=True)
class InForce:
    """Entries that judge the cases of a team, and a hash of which they are."""

    entries: Entries = field(default_factory=Entries)
    version: str = ""


def entry_of_version(version: EntryVersion) -> Entry:
    """What a version says."""
    return entry_of(version.row, version.product, f"version {version.number}", speaker="team")


def entry_of_site(row: SiteEntry) -> Entry:
    """What holds for all teams."""
    return entry_of(row.row, row.product, f"version {row.number}", speaker="site")


def versions_in_force(team_id: int) -> QuerySet[EntryVersion]:
    """Versions of entries of a team that judge its cases."""
    return EntryVersion.objects.filter(entry__team=team_id, number=F("entry__in_force"))


def in_force(team_id: int) -> InForce:
    """What judges the cases of a team now."""
    which = _which(team_id)
    return InForce(_entries(*which), _named(which)) if any(which) else InForce()


def version_in_force(team_id: int) -> str:
    """Short word for the entries in force; empty where there are none."""
    return _named(_which(team_id))


_Marks = tuple[tuple[int, int, datetime], ...]


def _which(team_id: int) -> tuple[_Marks, _Marks]:
    """Number, version and time of the entries in force: of the team and of the site."""
    own = versions_in_force(team_id).order_by("entry_id").values_list("entry_id", "number", "at")
    of_site = SiteEntry.objects.filter(is_in_force=True).order_by("pk").values_list("pk", "number", "accepted_at")
    return tuple(own), tuple(of_site)


def _named(which: tuple[_Marks, _Marks]) -> str:
    return hashlib.sha256(repr(which).encode()).hexdigest()[:16] if any(which) else ""


@lru_cache(maxsize=TEAMS_HELD)
def _entries(own: _Marks, of_site: _Marks) -> Entries:
    """Thousands of entries are made once, not for each diagnosis: what a version says never changes."""
    numbers = {(entry, number) for entry, number, _ in own}
    versions = EntryVersion.objects.filter(entry__in={entry for entry, _ in numbers})
    shared = SiteEntry.objects.filter(pk__in=[pk for pk, _, _ in of_site])
    return Entries(
        (
            *(entry_of_version(one) for one in versions if (one.entry_id, one.number) in numbers),
            *map(entry_of_site, shared),
        )
    )


def spoken_by(team_id: int, kinds: Iterable[str]) -> dict[str, Spoken]:
    """Whose knowledge kinds of findings rest on: of the team by name, of the site without."""
    names = {kind: kind.rpartition(".")[0] for kind in kinds}
    own = versions_in_force(team_id).filter(entry__name__in=names.values()).select_related("entry__team", "by")
    found = {one.entry.name + ENDINGS["team"]: _spoken(one) for one in own}
    shared = SiteEntry.objects.filter(name__in=names.values(), is_in_force=True)
    found |= {one.name + ENDINGS["site"]: Spoken(0, one.name, one.number, "", "", "") for one in shared}
    return {kind: found[kind] for kind in names if kind in found}


def _spoken(version: EntryVersion) -> Spoken:
    entry, team = version.entry, version.entry.team
    return Spoken(entry.pk, entry.name, version.number, team.name, team.slug, str(version.by or "somebody"))


def note_change(team: Team) -> None:
    """Cases of the team are to be judged with what is in force now."""
    version = version_in_force(team.pk)
    TeamKnowledge.objects.update_or_create(team=team, defaults={"version": version, "is_everywhere": False})


def note_change_of_site() -> None:
    """Cases of all teams are."""
    for team in Team.objects.all():
        note_change(team)


def note_judged(team_id: int, version: str) -> None:
    """A case of the team was judged with that version: where another one is in force by now, it is due again."""
    TeamKnowledge.objects.filter(team=team_id).exclude(version=version).update(is_everywhere=False)
