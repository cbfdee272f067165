"""The list of cases and the trash."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from apps.accounts.access import person, signed_in
from apps.accounts.models import Role
from apps.cases.models import Case
from apps.cases.overview.listing import list_cases
from apps.cases.page.banners import trash_words
from apps.web.htmx import render_page


@require_GET
@signed_in
def case_list(request: HttpRequest) -> HttpResponse:
    listing = list_cases(person(request), request.GET)
    context = {"listing": listing, "query": listing.query, "section": "cases"}
    return render_page(request, "cases/list.html", partial="cases/_list.html", context=context)


@require_GET
@signed_in
def trash_list(request: HttpRequest) -> HttpResponse:
    """Cases in the trash that the reader may take out again."""
    user = person(request)
    owned = user.team_memberships.filter(role=Role.OWNER).values("team")
    named = user.case_memberships.filter(role=Role.OWNER).values("case")
    visible = Case.objects.visible_to(user).trashed().order_by("-trashed_at").defer("search_text")
    cases = (visible.filter(team__in=owned) | visible.filter(pk__in=named)).distinct()[:200]
    rows = [{"case": case, "left": trash_words(case)} for case in cases]
    return render_page(
        request, "cases/trash.html", partial="cases/trash.html", context={"rows": rows, "section": "cases"}
    )
