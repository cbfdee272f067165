"""The page of one shape of chains: where it was met, and what helped."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.accounts.access import person, signed_in
from apps.cases.page.product_names import product_names
from apps.recurrence.services import recurrence


@require_GET
@signed_in
def signature_page(request: HttpRequest, digest: str) -> HttpResponse:
    """A shape that no case of the reader has is not there."""
    found = recurrence(digest, person(request))
    if found is None:
        raise Http404
    return render(request, "recurrence/signature.html", {"found": found, "products": product_names(found.products)})
