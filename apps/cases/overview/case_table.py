"""The list of cases as rows for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Any, Final

from django.http import QueryDict

from apps.accounts.models import User
from apps.cases.overview.listing import found_cases
from apps.cases.page.product_names import product_names
from parsers.times.clock import format_instant

COLUMNS: Final = (
    "key",
    "title",
    "customer",
    "ticket",
    "severity",
    "verdict",
    "products",
    "nodes",
    "window_start",
    "window_end",
    "longest_s",
    "state",
    "assigned",
    "team",
    "updated",
)
BATCH: Final = 1000


def case_rows(user: User, address: QueryDict) -> Iterator[Sequence[Any]]:
    """Header and every case that the list finds; those of the window by the clock of the nodes."""
    yield COLUMNS
    cases = found_cases(user, address).select_related("assignee", "team").defer("search_text", "spark")
    for case in cases.iterator(BATCH):
        yield (
            case.key,
            case.title,
            case.customer,
            case.ticket,
            case.severity,
            case.verdict,
            product_names(case.products),
            case.nodes_n,
            format_instant(case.window_start_us, case.zone_min),
            format_instant(case.window_end_us, case.zone_min),
            case.longest_s,
            case.state,
            "" if case.assignee is None else str(case.assignee),
            case.team.name,
            case.updated_at.astimezone(UTC).isoformat(timespec="seconds"),
        )
