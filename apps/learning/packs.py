"""Entries of a team as files: one form of TOML, with tokens and without patterns, to be kept in git."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from apps.accounts.models import Team, User
from apps.learning.in_force import entry_of_version, versions_in_force
from apps.learning.models import TeamEntry
from apps.learning.services import add_entry, change_entry, latest_of, read, shown_to
from apps.web.errors import DomainError
from parsers.dataclass import dataclass
from parsers.messages.site_entries import EntryError, read_pack, row_of, toml_of

REFUSED_SHOWN: Final = 20
NOTHING_IN_IT: Final = "There is no entry in this file."
OF_OTHERS: Final = "the name is taken by a draft of somebody else"


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file: names of new drafts, of new versions and of entries that said the same already."""

    added: list[str]
    changed: list[str]
    same: list[str]

    @property
    def words(self) -> str:
        """In one sentence."""
        parts = ((self.added, "new"), (self.changed, "with a new version"), (self.same, "as they were"))
        counts = [f"{len(names)} {words}" for names, words in parts if names]
        return f"{', '.join(counts)}."


def pack_of(team: Team) -> str:
    """A file of the entries in force, as ``LOCKSCOPE_KNOWLEDGE_DIR`` takes it."""
    return toml_of(map(entry_of_version, versions_in_force(team.pk)))


def entry_file(entry: TeamEntry) -> str:
    """A file of the latest version of one entry."""
    return toml_of([entry_of_version(latest_of(entry))])


@transaction.atomic
def take_pack(team: Team, content: bytes, name: str, *, by: User, why: str = "") -> Taken:
    """New drafts and new versions out of a file: all of it, or nothing with the reasons."""
    try:
        rows = read_pack(content, name)
    except EntryError as error:
        raise DomainError(f"{str(error)[:300]}.", status=422) from None
    if not rows:
        raise DomainError(NOTHING_IN_IT, status=422)
    refused: list[str] = []
    taken = Taken([], [], [])
    for where, row, product in rows:
        try:
            _take(team, row, product, taken, by=by, why=why)
        except DomainError as error:
            refused.append(f"{where}: {error.message}")
    if refused:
        more = f" And {len(refused) - REFUSED_SHOWN} more." if len(refused) > REFUSED_SHOWN else ""
        raise DomainError(f"{' '.join(refused[:REFUSED_SHOWN])}{more}", status=422)
    return taken


def _take(team: Team, row: Mapping[str, Any], product: str, taken: Taken, *, by: User, why: str) -> None:
    meant = read(row, product)
    known = team.entries.filter(name=meant.name).first()
    if known is None:
        add_entry(team, row=row_of(meant), product=product, by=by, why=why)
        taken.added.append(meant.name)
        return
    if not shown_to(by, team).filter(pk=known.pk).exists():
        raise DomainError(OF_OTHERS, status=409)
    latest = latest_of(known)
    if (latest.row, latest.product) == (row_of(meant), meant.product):
        taken.same.append(meant.name)
        return
    change_entry(known, row=row_of(meant), product=product, by=by, why=why, seen=known.latest)
    taken.changed.append(meant.name)
