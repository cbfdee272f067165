"""Who did what with a case, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from apps.audit.models import AuditEvent
from apps.cases.models import Case

EVENTS_PER_PAGE: Final = 100
MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?\+00:00")
GROUPS: Final = {
    "": "all",
    "bundle": "uploads",
    "note": "notes and judgements",
    "link": "links",
    "file": "downloads",
    "seen": "who read what",
    "people": "people",
    "case": "the case",
}
PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "bundle": ("bundle.uploaded", "bundle.removed"),
    "note": ("note.", "finding.judged", "kind.judged"),
    "link": ("link.",),
    "file": ("file.downloaded", "bundle.downloaded", "table.downloaded", "case.exported", "audit.exported"),
    "seen": ("case.viewed", "case.read_by_program", "file.viewed", "link.opened", "link.viewed"),
    "case": (
        "case.created",
        "case.renamed",
        "case.state",
        "case.trashed",
        "case.restored",
        "case.archived",
        "case.unarchived",
        "case.held",
        "case.released",
    ),
    "people": ("case.assigned", "case.person_", "case.transferred", "case.visited", "case.left"),
}
VERBS: Final = {
    "bundle.downloaded": "downloaded a bundle",
    "bundle.removed": "removed a bundle",
    "bundle.uploaded": "uploaded a bundle",
    "case.archived": "archived the case",
    "case.assigned": "assigned the case",
    "case.created": "made the case",
    "case.exported": "exported the case",
    "cases.exported": "took the list of cases away",
    "case.held": "placed a legal hold",
    "case.left": "ended reading as administrator",
    "case.person_added": "added a person",
    "case.person_removed": "removed a person",
    "case.released": "ended the legal hold",
    "case.renamed": "renamed the case",
    "case.restored": "took the case out of the trash",
    "case.state": "changed the state",
    "case.transferred": "moved the case to another team",
    "case.trashed": "moved the case to the trash",
    "case.unarchived": "took the case out of the archive",
    "case.visited": "began to read as administrator from outside",
    "file.downloaded": "downloaded a file",
    "finding.judged": "judged a finding",
    "kind.judged": "judged a kind of waits",
    "audit.exported": "took the history away",
    "case.read_by_program": "read by a program",
    "case.viewed": "opened a page",
    "credentials.found": "found lines with credentials",
    "file.viewed": "read a file",
    "retention.held": "kept it for its legal hold, though its retention is over",
    "table.downloaded": "downloaded a table",
    "link.created": "made a link",
    "link.end_changed": "changed the end of a link",
    "link.refused": "came to a closed link",
    "link.viewed": "read a page of a link",
    "link.opened": "opened a link",
    "link.revoked": "revoked a link",
    "note.added": "wrote a note",
    "note.deleted": "deleted a note",
    "note.edited": "changed a note",
}
SHOWN_DETAILS: Final = (
    "filename",
    "path",
    "title",
    "old",
    "new",
    "state",
    "solution",
    "kind",
    "level",
    "person",
    "role",
    "reason",
    "ends_at",
    "what",
    "lines",
)
READS: Final = frozenset(("case.viewed", "case.read_by_program", "file.viewed", "link.viewed"))
"""Left out of the whole list, which they would fill; they have a list of their own."""


def history(case: Case, group: str, before: int | None) -> dict[str, Any]:
    """Events of a case, the latest first; `before` is the last one of the page before."""
    events = AuditEvent.objects.filter(case=case).select_related("user", "link").order_by("-at", "-pk")
    if group in PREFIXES:
        wanted = [verb for verb in VERBS if verb.startswith(PREFIXES[group])]
        events = events.filter(verb__in=wanted)
    else:
        events = events.exclude(verb__in=READS)
    if before is not None:
        events = events.filter(pk__lt=before)
    rows = list(events[: EVENTS_PER_PAGE + 1])
    page = rows[:EVENTS_PER_PAGE]
    return {
        "events": [_event(event) for event in page],
        "older": page[-1].pk if len(rows) > EVENTS_PER_PAGE else None,
        "chips": [
            {"label": words, "url": f"?what={name}" if name else "?", "is_on": name == group}
            for name, words in GROUPS.items()
        ],
    }


def words_of(verb: str) -> str:
    """A verb in words."""
    return VERBS.get(verb, verb.replace(".", " ").replace("_", " "))


def _event(event: AuditEvent) -> dict[str, Any]:
    who = str(event.user) if event.user else "somebody with the link" if event.link_id else "the program"
    return {
        "who": who,
        "what": words_of(event.verb),
        "detail": _detail(event.detail),
        "link": event.link.note if event.link and event.link.note else "",
        "at": event.at,
        "address": event.address or "",
    }


def _detail(detail: Mapping[str, Any]) -> str:
    """What an event says of itself, in the order of the list above."""
    return " · ".join(as_text(detail[name])[:200] for name in SHOWN_DETAILS if detail.get(name) not in (None, ""))


def as_text(value: object) -> str:
    """A moment reads as those of the column beside it, in UTC."""
    text = str(value)
    if MOMENT.fullmatch(text) is None:
        return text
    at = datetime.fromisoformat(text).astimezone(UTC)
    return f"{at.day} {at:%b %Y %H:%M:%S}"
