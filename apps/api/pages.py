"""The pages for those who write programs: their tokens, and the description of the API to read and to try."""

from __future__ import annotations

from typing import Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import person, signed_in
from apps.api import described
from apps.api.access import endpoint
from apps.api.models import ApiToken
from apps.api.reference import groups
from apps.api.schema import description
from apps.api.services import DAYS_MOST, create_token, revoke_token
from apps.cases.files.downloads import as_attachment

COMMANDS: Final = {"send": "BUNDLE", "watch": "watch"}


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80, label="Name", help_text="Of the program that will use it.")
    scope = forms.ChoiceField(choices=ApiToken.Scope.choices, label="Scope")
    days = forms.IntegerField(min_value=1, max_value=DAYS_MOST, initial=90, label="Expires in (days)")


@never_cache
@require_http_methods(["GET", "POST"])
@signed_in
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own tokens; a new one is shown once."""
    form = TokenForm(request.POST or None)
    fresh = create_token(user=person(request), **form.cleaned_data) if form.is_bound and form.is_valid() else None
    site, name = request.build_absolute_uri("/").rstrip("/"), fresh.text if fresh else "lsc_..."
    own = sorted(person(request).api_tokens.order_by("-created_at"), key=lambda token: not token.is_open)
    context = {
        "form": TokenForm() if fresh else form,
        "tokens": own,
        "open_n": sum(token.is_open for token in own),
        "fresh": fresh,
        **{f"{word}_command": _command(site, name, rest) for word, rest in COMMANDS.items()},
        **{f"plain_{word}": _command(site, "lsc_...", rest) for word, rest in COMMANDS.items()},
    }
    return render(request, "api/tokens.html", context, status=422 if form.is_bound and not fresh else 200)


def _command(site: str, token: str, rest: str) -> str:
    """The line to paste where the client lies."""
    return f"LOCKSCOPE_URL={site} LOCKSCOPE_TOKEN={token} python3 lockscope.py {rest}"


@require_POST
@signed_in
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Somebody else's token is not there."""
    token = get_object_or_404(person(request).api_tokens, pk=token_id)
    revoke_token(token, by=person(request))
    messages.success(request, f"The token {token.name} opens nothing any more.")
    return redirect("api:tokens")


@require_GET
@signed_in
def client(_request: HttpRequest) -> HttpResponse:
    """scripts/lockscope.py as it stands beside this program: one file that sends, waits and watches."""
    text = (settings.BASE_DIR / "scripts" / "lockscope.py").read_bytes()
    return as_attachment(HttpResponse(text, content_type="text/x-python"), "lockscope.py")


@described.schema
@endpoint(["GET"], by_session=True)
def schema(_request: Request) -> Response:
    """The description of the API in OpenAPI 3."""
    return Response(description())


@require_GET
@signed_in
def reference(request: HttpRequest) -> HttpResponse:
    """The same to read, with a form to try what only reads."""
    return render(request, "api/reference.html", {"groups": groups(description())})
