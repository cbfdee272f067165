"""Pages over all cases: search and knowledge."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.accounts.access import person, signed_in
from apps.diagnosis.pages.knowledge.tables import knowledge_context
from apps.diagnosis.pages.search.query import SearchQuery, search
from apps.web.htmx import render_page


@require_GET
@signed_in
def search_page(request: HttpRequest) -> HttpResponse:
    """What all cases that the reader may see hold."""
    query = SearchQuery.from_query(request.GET)
    context = {"query": query, **search(person(request), query), "section": "search"}
    return render_page(request, "diagnosis/search.html", partial="diagnosis/_found.html", context=context)


@require_GET
@signed_in
def knowledge_page(request: HttpRequest) -> HttpResponse:
    """Every rule, waiter kind and tuning."""
    return render(
        request, "diagnosis/knowledge.html", {**knowledge_context(person(request), request.GET), "section": "knowledge"}
    )
