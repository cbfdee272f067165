"""The page that compares two cases, two bundles, or before and after a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from apps.accounts.access import person, signed_in
from apps.accounts.models import User
from apps.cases.models import Case
from apps.diagnosis.pages.compare.differences import MOST_DOUBLINGS, Figure, compare
from apps.diagnosis.pages.compare.sides import Side, choices, offered, proposed, side_of
from apps.diagnosis.pages.context import anchor, line_url
from apps.diagnosis.values import Finding

CASES_OFFERED: Final = 200
MARKED: Final = 2
"""Cases of the list that are compared at once."""
STEP_PX: Final = 16
EFFECTS: Final = ("better", "worse", "moved", "same")


@require_GET
@signed_in
def compare_page(request: HttpRequest) -> HttpResponse:
    """Sides `a` and `b` of the address, or the two cases that were marked in the list; with one of them, what its case
    offers itself.
    """
    user = person(request)
    a, b = _sides(user, request.GET)
    context: dict[str, Any] = {"section": "cases", "a": a, "b": b, "cases": _cases(user)}
    context["marked_n"] = len(request.GET.getlist("mark"))
    if a is not None and b is not None:
        context |= _compared(a, b, request.GET)
    return render(request, "diagnosis/compare.html", context)


def _cases(user: User) -> list[Case]:
    return list(Case.objects.visible_to(user).live().order_by("-updated_at").only("key", "title")[:CASES_OFFERED])


def _sides(user: User, query: QueryDict) -> tuple[Side | None, Side | None]:
    if marked := query.getlist("mark"):
        return _marked(user, marked)
    a, b = side_of(user, query.get("a", "").strip()), side_of(user, query.get("b", "").strip())
    if a is not None and b is None:
        return proposed(a.case) if a.spec == a.case.key else (a, _other(a))
    return a, b


def _marked(user: User, keys: Sequence[str]) -> tuple[Side | None, Side | None]:
    """Two marked cases, the one whose data begin first as A; of more than two none, for the reader to choose."""
    sides = [side for key in keys if len(keys) <= MARKED and (side := side_of(user, key.strip())) is not None]
    sides.sort(key=lambda side: (side.case.window_start_us or 0, side.case.pk))
    a, b, *_ = (*sides, None, None)
    return a, b


def _other(side: Side) -> Side:
    """The next of what the case offers."""
    return next((one for one in offered(side.case) if one.spec != side.spec), side)


def _compared(a: Side, b: Side, query: QueryDict) -> dict[str, Any]:
    result = compare(a, b)
    show = query.get("show", "")
    wanted = [figure for figure in result["figures"] if show not in EFFECTS or figure.effect == show]
    pair = {"a": a.spec, "b": b.spec}
    chips = [
        {
            "label": "all",
            "strong": str(len(result["figures"])),
            "url": f"?{urlencode(pair)}#figures",
            "is_on": show not in EFFECTS,
        }
    ]
    chips += [
        {
            "label": effect,
            "strong": str(result["effects"][effect]),
            "url": f"?{urlencode(pair | {'show': effect})}#figures",
            "is_on": effect == show,
        }
        for effect in EFFECTS
        if result["effects"][effect]
    ]
    sides = [*offered(a.case), *([] if a.case.pk == b.case.pk else offered(b.case))]
    return {
        **result,
        "figures": [_figure(figure, a, b) for figure in wanted],
        "gone": [_finding(finding, a.case) for finding in result["gone"]],
        "new": [_finding(finding, b.case) for finding in result["new"]],
        "stayed": [_finding(pair["b"], b.case) | {"was": pair["a"].title} for pair in result["stayed"]],
        "changes": [_change(change, a, b) for change in result["changes"]],
        "chips": chips,
        "swap_url": f"?{urlencode({'a': b.spec, 'b': a.spec})}",
        "choices_a": choices(_with(sides, a), a.spec),
        "choices_b": choices(_with(sides, b), b.spec),
        "is_same": a.spec == b.spec,
        "may_share": a.case.pk == b.case.pk,
    }


def _with(sides: list[Side], chosen: Side) -> list[Side]:
    return sides if any(side.spec == chosen.spec for side in sides) else [chosen, *sides]


def _finding(finding: Finding, case: Case) -> dict[str, Any]:
    return {
        "title": finding.title,
        "severity": finding.severity,
        "ref": finding.ref,
        "rule": finding.rule,
        "url": f"/cases/{case.key}/#{anchor(finding)}",
        "key": case.key,
        "anchor": anchor(finding),
    }


def _figure(figure: Figure, a: Side, b: Side) -> dict[str, Any]:
    """With the bar: a rectangle from the middle of an SVG, a step for each doubling."""
    length = abs(figure.doublings) * STEP_PX
    middle = MOST_DOUBLINGS * STEP_PX
    return {
        "figure": figure,
        "bar": {"x": round(middle - length if figure.doublings < 0 else middle, 1), "width": round(length, 1)},
        "url_a": line_url(a.case, *figure.place_a) if figure.place_a else None,
        "url_b": line_url(b.case, *figure.place_b) if figure.place_b else None,
    }


def _change(change: dict[str, Any], a: Side, b: Side) -> dict[str, Any]:
    one, other = change["a"], change["b"]
    return {
        **change,
        "value_a": one["value"],
        "value_b": other["value"],
        "url_a": line_url(a.case, one["artifact"], one["line"]),
        "url_b": line_url(b.case, other["artifact"], other["line"]),
    }
