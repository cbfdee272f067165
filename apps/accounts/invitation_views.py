"""The page that an invitation opens: join the team, with the account one has or a new one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.access import person, public
from apps.accounts.forms import InvitedForm
from apps.accounts.guessing import note_wrong_guess, refuse_guessing
from apps.accounts.invitations import InvitationGoneError, accept, open_invitation, was_invitation
from apps.accounts.models import Invitation, User
from apps.accounts.services import create_user
from apps.accounts.signing_in import sign_in_as

GUESSING = "invitation"


@never_cache
@require_http_methods(["GET", "POST"])
@public
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows what is offered; only a post uses the link up."""
    try:
        response = _offer(request, open_invitation(token))
    except InvitationGoneError as gone:
        if not was_invitation(token):
            refuse_guessing(request, GUESSING)
            note_wrong_guess(request, GUESSING)
        response = render(request, "accounts/link_gone.html", {"message": gone.message}, status=gone.status)
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _offer(request: HttpRequest, found: Invitation) -> HttpResponse:
    if request.user.is_authenticated:
        if request.method == "POST":
            accept(found, user=person(request))
            messages.success(request, f"You are on {found.team.name} now.")
            return redirect("cases:list")
        return render(request, "accounts/invitation.html", {"invitation": found})
    form = InvitedForm(request.POST or None)
    if form.is_valid():
        return sign_in_as(request, _new_account(found, form.cleaned_data), method="invitation")
    context = {"invitation": found, "form": form, "next": request.path}
    return render(request, "accounts/invitation.html", context, status=422 if form.is_bound else 200)


@transaction.atomic
def _new_account(found: Invitation, values: dict[str, Any]) -> User:
    user = create_user(username=values["username"], display_name=values["display_name"])
    user.set_password(values["password1"])
    user.save(update_fields=["password"])
    accept(found, user=user)
    return user
