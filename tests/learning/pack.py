"""An entry and lines that it fits, for tests."""

from __future__ import annotations

from typing import Any, Final

from apps.accounts.models import Team, User
from apps.learning.models import TeamEntry
from apps.learning.services import add_entry, propose, put_in_force

ROW: Final[dict[str, Any]] = {
    "name": "ticket-lost",
    "from": "grantd",
    "match": ["ticket for", {"named": "disk"}, "was lost after", {"named": "figure", "unit": "s"}],
    "weight": "disaster",
    "title": "Ticket for {about} lost",
    "meaning": "The daemon may not write to the disk until it holds the ticket again.",
    "next": "Look at the paths of the disk on this node.",
    "commands": ["multipath -ll"],
    "source": "Support note 12",
}
LOST: Final = b"Mar  9 20:33:10 cod3 grantd[77]: ticket for lun7 was lost after 31 s\n"
ORDINARY: Final = b"Mar  9 20:33:12 cod3 grantd[77]: error: nobody failed to renew\n"
ALARM: Final = b"Mar  9 20:33:14 cod3 kernel: gridmap: table of cod9 has failed, input/output error\n"
LOG: Final = ORDINARY * 3 + LOST + ORDINARY + ALARM + b"Mar  9 20:33:15 cod3 sshd[9]: session opened\n"


def row_with(changed: dict[str, Any]) -> dict[str, Any]:
    """The entry with other words: with a sort of its own it speaks of no log."""
    is_other = {"table", "waits", "output"} & set(changed)
    return {key: value for key, value in ROW.items() if not is_other or key not in ("from", "match")} | changed


def drafted(team: Team, author: User, **changed: Any) -> TeamEntry:
    return add_entry(team, row=row_with(changed), product="grants", by=author, why="seen twice")


def proposed(team: Team, author: User, **changed: Any) -> TeamEntry:
    entry = drafted(team, author, **changed)
    propose(entry, by=author)
    entry.refresh_from_db()
    return entry


def in_force(team: Team, owner: User, **changed: Any) -> TeamEntry:
    entry = proposed(team, owner, **changed)
    put_in_force(entry, by=owner)
    entry.refresh_from_db()
    return entry
