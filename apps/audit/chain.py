"""Each event is chained to the one before it by a hash, so that what is changed or taken out behind the program's back
is found.

Events get their place some time after they were written, by one writer: recording waits for nobody. Whoever keeps the
last place and its digest elsewhere can prove later that nothing up to there was changed, taken out or put in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from hashlib import sha256
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from apps.audit.models import AuditEvent, AuditLink

AT_ONCE: Final = 2_000
BEGINNING: Final = "0" * 64


def digest_of(before: str, event: AuditEvent) -> str:
    """Hexadecimal SHA-256 of the digest before and of what an event says. Pointers to case and link may become empty
    and are left out: the event's own words name the case.
    """
    address = str(event.address) if event.address else ""
    fields = [event.pk, event.user_id, event.verb, event.detail, event.at.astimezone(UTC).isoformat(), address]
    return sha256(f"{before}\n{json.dumps(fields, sort_keys=True)}".encode()).hexdigest()


def extend() -> int:
    """Give every event without a place the next one; how many. Nothing where another process does so just now."""
    added = 0
    while True:
        try:
            with transaction.atomic():
                made = _extend_once()
        except IntegrityError:
            return added
        added += made
        if made < AT_ONCE:
            return added


def _extend_once() -> int:
    last = AuditLink.objects.select_for_update().order_by("position").last()
    position, digest = (last.position, last.digest) if last else (0, BEGINNING)
    placed = AuditLink.objects.filter(event=OuterRef("pk"))
    links = []
    for event in AuditEvent.objects.filter(~Exists(placed)).order_by("pk")[:AT_ONCE]:
        position, digest = position + 1, digest_of(digest, event)
        links.append(AuditLink(position=position, event=event.pk, digest=digest))
    AuditLink.objects.bulk_create(links)
    return len(links)


def faults() -> Iterator[str]:
    """What is not as it was when it got its place, in the order of the chain."""
    expected, digest = 1, BEGINNING
    for links in _in_batches():
        events = AuditEvent.objects.in_bulk([link.event for link in links])
        for link in links:
            if link.position != expected:
                yield f"places {expected} to {link.position - 1} of the chain are gone"
            event = events.get(link.event)
            if event is None:
                yield f"event {link.event}, at place {link.position}, is gone"
            elif digest_of(digest, event) != link.digest:
                yield f"event {link.event}, at place {link.position}, or the chain before it was changed"
            expected, digest = link.position + 1, link.digest


def head() -> tuple[int, str]:
    """The last place and its digest."""
    last = AuditLink.objects.order_by("position").last()
    return (last.position, last.digest) if last else (0, BEGINNING)


def holds(position: int, digest: str) -> bool:
    """Whether the chain has this digest at that place, as somebody noted it earlier."""
    return position == 0 or AuditLink.objects.filter(position=position, digest=digest).exists()


def _in_batches() -> Iterator[list[AuditLink]]:
    at = -1
    while links := list(AuditLink.objects.filter(position__gt=at).order_by("position")[:AT_ONCE]):
        yield links
        at = links[-1].position
