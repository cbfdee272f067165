"""Parts of the pages of a case that stand on its diagnosis alone, kept from one reader to the next.

A diagnosis is never changed, so its number says what a part shows; with the key and the zone of the case and the query
of the address that is all a part is made from. Templates get the key of the case instead of the case: what a reader may
do cannot get in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString

from apps.cases.models import Case
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import verdict_context
from apps.diagnosis.values import findings_of, tunings_of
from apps.web import kept
from parsers.dataclass import dataclass

QUERY_CHARS: Final = 300
"""Longer queries are of one reader alone."""
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class CaseKey:
    """As much of a case as an address needs."""

    key: str


def of_diagnosis(
    case: Case, diagnosis: Diagnosis, name: str, query: QueryDict | None, make: Callable[[], Part], *also: Hashable
) -> Part:
    """The part of that name. ``also`` names what else it is made from."""
    words = query.urlencode() if query is not None else ""
    if len(words) > QUERY_CHARS:
        return make()
    return kept.pages.part((name, *identity(case, diagnosis), words, *also), make)


def identity(case: Case, diagnosis: Diagnosis) -> tuple[Hashable, ...]:
    """What all parts of a case depend on. The moment tells apart two diagnoses of one number, should a database be put
    back.
    """
    return (diagnosis.pk, diagnosis.created_at, case.pk, case.key, case.zone_name, case.zone_min, get_script_prefix())


def html(template: str, context: dict[str, Any]) -> SafeString:
    """Without a request there is no reader, no token and no message in it."""
    return render_to_string(template, context)


def kept_verdict(case: Case) -> dict[str, Any] | None:
    """For components/_verdict.html, on the pages of those who may open the case."""
    diagnosis = case.current_diagnosis
    if diagnosis is None:
        return None
    found = of_diagnosis(case, diagnosis, "verdict", None, lambda: _verdict(case, diagnosis))
    return None if found is None else dict(found)


def _verdict(case: Case, diagnosis: Diagnosis) -> dict[str, Any] | None:
    return verdict_context(diagnosis, findings_of(diagnosis), tunings_of(diagnosis), case)
