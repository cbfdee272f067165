"""Links as their makers see them: what they give, until when, and each opening with its time and place."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.sharing.levels import LEVELS, Level
from apps.sharing.models import ShareLink
from parsers.dataclass import dataclass

LINKS_SHOWN: Final = 100
OPEN_STATES: Final = ("live", "used up")
"""Of a link whose end has not come."""
EVENTS_READ: Final = 4000
OPENINGS_SHOWN: Final = 20
DAYS: Final = 14
BAR: Final = (5, 16)
WIDE_V4, WIDE_V6 = 24, 48


@dataclass(frozen=True, slots=True)
class Row:
    """One link."""

    link: ShareLink
    level: Level
    state: str
    openings: list[dict[str, Any]]
    bars: list[dict[str, float]]
    networks: int
    refused: int


def link_rows(links: QuerySet[ShareLink]) -> list[Row]:
    """The latest links with their openings, in two queries whatever their number."""
    found = list(links.select_related("created_by", "revoked_by", "case").order_by("-created_at")[:LINKS_SHOWN])
    events: dict[int, list[AuditEvent]] = defaultdict(list)
    wanted = AuditEvent.objects.filter(link__in=[link.pk for link in found], verb__in=("link.opened", "link.refused"))
    for event in wanted.select_related("user").order_by("-at", "-pk")[:EVENTS_READ]:
        events[event.link_id or 0].append(event)
    return [_row(link, events[link.pk]) for link in found]


def _row(link: ShareLink, events: list[AuditEvent]) -> Row:
    opened = [event for event in events if event.verb == "link.opened"]
    return Row(
        link=link,
        level=LEVELS[link.level],
        state=state_of(link),
        openings=[
            {"at": e.at, "who": str(e.user) if e.user else "", "address": e.address or ""}
            for e in opened[:OPENINGS_SHOWN]
        ],
        bars=_bars([event.at for event in opened]),
        networks=len({_network(event.address) for event in opened if event.address}),
        refused=len(events) - len(opened),
    )


def state_of(link: ShareLink) -> str:
    """live, used up, ended, revoked."""
    if link.revoked_at is not None:
        return "revoked"
    if not link.is_open:
        return "ended"
    return "used up" if link.is_used_up else "live"


def _bars(moments: Iterable[datetime]) -> list[dict[str, float]]:
    """Openings of the last fourteen days as bars of an SVG, today at the right."""
    today = timezone.now().date()
    counts = [0] * DAYS
    for moment in moments:
        age = (today - moment.date()) // timedelta(days=1)
        if 0 <= age < DAYS:
            counts[DAYS - 1 - age] += 1
    most = max(counts) or 1
    width, height = BAR
    return [
        {
            "x": day * (width + 1),
            "y": round(height - height * count / most, 1),
            "height": round(height * count / most, 1),
            "count": count,
        }
        for day, count in enumerate(counts)
        if count
    ]


def _network(address: str) -> str:
    parsed = ipaddress.ip_address(address)
    return str(ipaddress.ip_network(f"{address}/{WIDE_V4 if parsed.version == 4 else WIDE_V6}", strict=False))
