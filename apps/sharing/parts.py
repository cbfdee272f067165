"""Pages of a case that a link shows beside the timeline: what they are given holds no address of a raw file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from apps.cases.models import Case
from apps.diagnosis.context import case_zone
from apps.diagnosis.locks import LockFilters, lock_page
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.tunables import SettingFilters, settings_context
from apps.diagnosis.views_graph import graph_context
from apps.diagnosis.views_locks import choices


def no_line(artifact: int, line: int) -> None:
    """Raw files stay with the team."""
    return


@dataclass(frozen=True, slots=True)
class Part:
    """A page: its name, its template, and what that is given."""

    label: str
    template: str
    context: Callable[[Case, Diagnosis, QueryDict], dict[str, Any]]


def _graph(case: Case, diagnosis: Diagnosis, query: QueryDict) -> dict[str, Any]:
    return graph_context(case, diagnosis, query, no_line)


def _locks(case: Case, diagnosis: Diagnosis, query: QueryDict) -> dict[str, Any]:
    filters = LockFilters.from_query(query)
    return {**lock_page(diagnosis, filters, case_zone(case), no_line), **choices(filters), "filters": filters}


def _settings(case: Case, diagnosis: Diagnosis, query: QueryDict) -> dict[str, Any]:
    filters = SettingFilters.from_query(query)
    return {**settings_context(diagnosis, filters, case_zone(case), no_line), "filters": filters}


PARTS: Final[dict[str, Part]] = {
    "graph": Part("Wait graph", "diagnosis/_graph_cards.html", _graph),
    "locks": Part("Locks", "diagnosis/_lock_cards.html", _locks),
    "settings": Part("Settings", "diagnosis/_settings_card.html", _settings),
}
