"""What one has been told: the list, opening one, and having read all."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.cases.access import person, signed_in
from apps.cases.people.notices import SHOWN, sentence, shown_to, target
from apps.notices.services import KEPT_DAYS, mark_read


@never_cache
@require_GET
@signed_in
def notices(request: HttpRequest) -> HttpResponse:
    rows = shown_to(person(request)).select_related("case", "by").order_by("-created_at", "-pk")[:SHOWN]
    context = {
        "notices": [{"row": row, "sentence": sentence(row)} for row in rows],
        "has_unread": any(row.read_at is None for row in rows),
        "kept_days": KEPT_DAYS,
        "section": "notices",
    }
    return render(request, "notices/list.html", context)


@require_POST
@signed_in
def notice_open(request: HttpRequest, notice_id: int) -> HttpResponse:
    """To what it is about; from then on it counts as read."""
    notice = get_object_or_404(shown_to(person(request)).select_related("case"), pk=notice_id)
    mark_read(person(request), notice.pk)
    return redirect(target(notice))


@require_POST
@signed_in
def notices_read(request: HttpRequest) -> HttpResponse:
    mark_read(person(request))
    return redirect("cases:notices")
