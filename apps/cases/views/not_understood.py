"""What was not understood, over all cases."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from apps.accounts.access import person, signed_in
from apps.cases.files.unread_lines import list_shapes
from apps.web.htmx import render_page


@require_GET
@signed_in
def not_understood(request: HttpRequest) -> HttpResponse:
    """Only of cases that the reader may see; a key of another one is as good as none."""
    context = {"shapes": list_shapes(person(request), request.GET), "section": "cases"}
    return render_page(request, "cases/not_understood.html", partial="cases/not_understood.html", context=context)
