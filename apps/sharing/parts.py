"""Pages of a case that a link shows beside the timeline: what they are given holds no address but those under
the link.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import QueryDict

from apps.cases.page.wallclock import moment_text
from apps.diagnosis.pages.context import case_zone
from apps.diagnosis.pages.graph.views import graph_context
from apps.diagnosis.pages.locks.tables import LockFilters, lock_page
from apps.diagnosis.pages.locks.views import choices
from apps.diagnosis.pages.settings.tables import SettingFilters, settings_context
from apps.diagnosis.pages.waiters import waits
from apps.diagnosis.values import AnyDiagnosis
from apps.sharing.masking import Shown
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A page: its name, its template, and what that is given."""

    label: str
    template: str
    context: Callable[[Shown, AnyDiagnosis, QueryDict], dict[str, Any]]


def _waiters(view: Shown, diagnosis: AnyDiagnosis, query: QueryDict) -> dict[str, Any]:
    filters = waits.WaiterFilters.from_query(query)
    page = waits.waiter_page(diagnosis, filters)
    zone = case_zone(view.case)
    return {
        "page": page,
        "filters": filters,
        "rows": [
            {**row, "url": view.line_url(row["artifact"], row["line"]), "start_text": moment_text(row["start"], zone)}
            for row in page.rows
        ],
        "gantt": waits.gantt(page, zone, [view.line_url(bar["artifact"], bar["line"]) for bar in page.bars]),
        "category_choices": waits.category_choices(filters),
        "age_choices": waits.age_choices(filters),
        "newer": filters.query(page=page.page - 1) if page.page > 1 else "",
        "older": filters.query(page=page.page + 1) if page.page < page.pages else "",
    }


def _graph(view: Shown, diagnosis: AnyDiagnosis, query: QueryDict) -> dict[str, Any]:
    return graph_context(view.case, diagnosis, query, view.line_url)


def _locks(view: Shown, diagnosis: AnyDiagnosis, query: QueryDict) -> dict[str, Any]:
    filters = LockFilters.from_query(query)
    return {
        **lock_page(diagnosis, filters, case_zone(view.case), view.line_url),
        **choices(filters),
        "filters": filters,
    }


def _settings(view: Shown, diagnosis: AnyDiagnosis, query: QueryDict) -> dict[str, Any]:
    filters = SettingFilters.from_query(query)
    return {**settings_context(diagnosis, filters, case_zone(view.case), view.line_url), "filters": filters}


PARTS: Final[dict[str, Part]] = {
    "waiters": Part("Waiters", "sharing/_waiters.html", _waiters),
    "graph": Part("Wait graph", "diagnosis/_graph_cards.html", _graph),
    "locks": Part("Locks", "diagnosis/_lock_cards.html", _locks),
    "settings": Part("Settings", "diagnosis/_settings_card.html", _settings),
}
