"""Search in the raw text of every line of a case."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.files.raw_search import RawFound, RawQuery, search_lines
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.web.htmx import is_fragment_request


@require_GET
@case_access(Role.VIEWER)
def raw_lines(request: HttpRequest, case: Case) -> HttpResponse:
    """The page; what htmx asks for is the answer alone, and its next part where the address says from where
    to go on.
    """
    query = RawQuery.from_query(request.GET)
    found = search_lines(case, query) if query.needle else RawFound()
    context = {"case": case, "query": query, "found": found, "is_next": query.at is not None}
    if is_fragment_request(request):
        response = render(request, "cases/_raw_lines.html", context)
    else:
        context["head"] = case_head(
            case, current="files", crumbs=[{"label": "Search every line"}], title="Search every line"
        )
        response = render(request, "cases/raw_lines.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response
