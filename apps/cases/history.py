"""Who did what with a case, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import AuditEvent
from apps.cases.models import Case

EVENTS_PER_PAGE: Final = 100
GROUPS: Final = {
    "": "all",
    "bundle": "uploads",
    "note": "notes and judgements",
    "link": "links",
    "file": "downloads",
    "people": "people",
    "case": "the case",
}
PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "bundle": ("bundle.uploaded", "bundle.removed"),
    "note": ("note.", "finding.judged", "kind.judged"),
    "link": ("link.",),
    "file": ("file.", "bundle.downloaded", "case.exported"),
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
    "link.created": "made a link",
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
)


def history(case: Case, group: str, before: int | None) -> dict[str, Any]:
    """Events of a case, the latest first; `before` is the last one of the page before."""
    events = AuditEvent.objects.filter(case=case).select_related("user", "link").order_by("-at", "-pk")
    if group in PREFIXES:
        wanted = [verb for verb in VERBS if verb.startswith(PREFIXES[group])]
        events = events.filter(verb__in=wanted)
    if before is not None:
        events = events.filter(pk__lt=before)
    rows = list(events[: EVENTS_PER_PAGE + 1])
    page = rows[:EVENTS_PER_PAGE]
    return {
        "events": [_event(event) for event in page],
        "older": page[-1].pk if len(rows) > EVENTS_PER_PAGE else None,
        "chips": [{"label": words, "url": f"?what={name}" if name else "?", "is_on": name == group} for name, words in GROUPS.items()],
    }


def _event(event: AuditEvent) -> dict[str, Any]:
    who = str(event.user) if event.user else "somebody with the link" if event.verb == "link.opened" else "the program"
    return {
        "who": who,
        "what": VERBS.get(event.verb, event.verb.replace(".", " ")),
        "detail": _detail(event.detail),
        "link": event.link.note if event.link and event.link.note else "",
        "at": event.at,
        "address": event.address or "",
    }


def _detail(detail: Mapping[str, Any]) -> str:
    """What an event says of itself, in the order of the list above."""
    return " · ".join(str(detail[name])[:200] for name in SHOWN_DETAILS if detail.get(name) not in (None, ""))
