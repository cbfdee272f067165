"""The list of cases, the same as a file, the views by which readers come back to it, and the trash."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from apps.accounts.access import person, signed_in
from apps.accounts.models import Role
from apps.audit.services import record
from apps.cases.models import Case
from apps.cases.overview.case_table import case_rows
from apps.cases.overview.listing import list_cases
from apps.cases.overview.saved_views import MOST, save_view, views_of
from apps.cases.page.banners import trash_words
from apps.web.csv_files import csv_response
from apps.web.htmx import render_page


@require_GET
@signed_in
def case_list(request: HttpRequest) -> HttpResponse:
    user = person(request)
    listing = list_cases(user, request.GET)
    views = views_of(user, listing.query)
    current = next((view for view in views if view.is_on), None)
    context = {"listing": listing, "query": listing.query, "section": "cases", "views": views, "view": current}
    context["has_room"] = len(views) < MOST
    return render_page(request, "cases/list.html", partial="cases/_list.html", context=context)


@require_GET
@signed_in
def case_table(request: HttpRequest) -> HttpResponseBase:
    """All cases that the list finds, as CSV."""
    record("cases.exported", request=request, filters=request.GET.urlencode()[:500])
    return csv_response(case_rows(person(request), request.GET), f"cases-{timezone.now():%Y-%m-%d}.csv")


@require_POST
@signed_in
def view_save(request: HttpRequest) -> HttpResponse:
    """The list that is shown, by a name."""
    view = save_view(person(request), request.POST.get("name", ""), request.POST.get("address", ""))
    messages.success(request, f"The view {view.name} is kept.")
    return redirect(f"{reverse('cases:list')}{view.address}")


@require_POST
@signed_in
def view_remove(request: HttpRequest, view_id: int) -> HttpResponse:
    view = get_object_or_404(person(request).saved_views, pk=view_id)
    view.delete()
    messages.success(request, f"The view {view.name} is removed.")
    return redirect(f"{reverse('cases:list')}{view.address}")


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
