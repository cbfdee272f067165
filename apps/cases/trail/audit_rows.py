"""The audit trail as rows that leave: for the owners of a case, and over all cases for administrators."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import StreamingHttpResponse

from apps.audit.models import AuditEvent, AuditLink
from apps.cases.trail.history import as_text, words_of
from apps.web.csv_files import csv_lines

COLUMNS: Final = ("at", "who", "account", "what", "verb", "case", "link", "address", "place", "digest", "detail")
BATCH: Final = 1000
TEXTS: Final = frozenset(
    ("title", "filename", "path", "old", "new", "solution", "reason", "note", "text", "sorts", "person")
)
"""Parts of an event that quote a case: an administrator who is not on it does not get them here."""
FORMATS: Final = ("csv", "json")


def row_of(event: AuditEvent, *, with_texts: bool) -> dict[str, Any]:
    """One event; the account beside the name, because names change."""
    detail = {
        name: value for name, value in event.detail.items() if name != "case" and (with_texts or name not in TEXTS)
    }
    return {
        "at": event.at.astimezone(UTC).isoformat(timespec="seconds"),
        "who": str(event.user) if event.user else "",
        "account": event.user.get_username() if event.user else "",
        "what": words_of(event.verb),
        "verb": event.verb,
        "case": event.detail.get("case") or event.detail.get("case_key") or "",
        "link": event.link_id,
        "address": event.address or "",
        "detail": detail,
    }


def shown_row(event: AuditEvent) -> dict[str, Any]:
    """For a page of everybody's events: without words of cases, moments as pages write them."""
    row = row_of(event, with_texts=False)
    return row | {"at": as_text(row["at"]), "detail": {name: as_text(value) for name, value in row["detail"].items()}}


def export(events: QuerySet[AuditEvent], kind: str, filename: str, *, with_texts: bool) -> StreamingHttpResponse:
    """As CSV or JSON, oldest first, written while it is sent."""
    placed = AuditLink.objects.filter(event=OuterRef("pk"))
    proven = events.annotate(place=Subquery(placed.values("position")), digest=Subquery(placed.values("digest")))
    rows = (
        row_of(event, with_texts=with_texts) | _proof_of(event, with_texts=with_texts)
        for event in proven.select_related("user").order_by("at", "pk").iterator(BATCH)
    )
    pieces, content_type = (
        (csv_lines(_table(rows)), "text/csv; charset=utf-8") if kind == "csv" else (_json(rows), "application/json")
    )
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{filename}.{kind}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _proof_of(event: Any, *, with_texts: bool) -> dict[str, Any]:
    """Its place in the chain of hashes, None in its first minute. The digest is of its texts too: who does not get
    these could try words against it.
    """
    return {"place": event.place, "digest": event.digest if with_texts else None}


def _table(rows: Iterator[dict[str, Any]]) -> Iterator[Sequence[Any]]:
    yield COLUMNS
    for row in rows:
        detail = " · ".join(f"{name}: {value}" for name, value in row["detail"].items())
        yield (*(row[name] for name in COLUMNS[:-1]), detail)


def _json(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    yield "[\n"
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}{json.dumps(row, ensure_ascii=False)}\n"
    yield "]\n"


def chosen(query: dict[str, str]) -> QuerySet[AuditEvent]:
    """Events over all cases: by account, verb, case and days; what makes no sense is left out."""
    events = AuditEvent.objects.all()
    for name, lookup in (("account", "user__username__iexact"), ("verb", "verb__startswith"), ("case", "detail__case")):
        if query.get(name):
            events = events.filter(**{lookup: query[name][:100]})
    since, until = _day(query.get("from", "")), _day(query.get("to", ""))
    if since:
        events = events.filter(at__gte=since)
    if until:
        events = events.filter(at__lt=until + timedelta(days=1))
    return events


def _day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        return None
