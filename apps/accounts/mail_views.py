"""One's mail address, and a new password by mail. Where no mail is set up these pages do not exist."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import mail_address, password_reset
from apps.accounts.access import person, public, signed_in
from apps.accounts.guessing import note_wrong_guess, refuse_guessing
from apps.accounts.models import User
from apps.web.errors import DomainError

NOT_TAKEN = "The mail server did not take the mail. Look at the address, or try again later."
GUESSING = "reset"


class AddressForm(forms.Form):
    address = forms.EmailField(
        max_length=254, label="Mail address", widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


@never_cache
@require_http_methods(["GET", "POST"])
@signed_in
@reauthentication_required  # type: ignore[untyped-decorator]  # the package tells no types
def mail(request: HttpRequest) -> HttpResponse:
    """A link goes to the address; it counts when the link is opened. An empty form removes the address."""
    if not settings.MAIL_HOST:
        raise Http404
    user = person(request)
    if request.method == "POST" and "remove" in request.POST:
        mail_address.remove(user)
        messages.success(request, "Your mail address is removed.")
        return redirect("accounts:mail")
    form = AddressForm(request.POST or None)
    sent_to = _send(request, user, form) if form.is_valid() else ""
    context = {"form": form, "address": user.email, "sent_to": sent_to, "hours": mail_address.HOURS}
    return render(request, "accounts/mail.html", context, status=422 if form.errors else 200)


def _send(request: HttpRequest, user: User, form: AddressForm) -> str:
    """The address that the link went to; empty where it did not."""
    address: str = form.cleaned_data["address"]
    token = mail_address.token_for(user, address)
    if mail_address.send_link(
        user, address, link=request.build_absolute_uri(reverse("accounts:mail_confirm", args=[token]))
    ):
        return address
    form.add_error("address", NOT_TAKEN)
    return ""


@never_cache
@require_http_methods(["GET", "POST"])
@signed_in
def mail_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The button, not the link, sets it: mail programs open links to look at them."""
    user = person(request)
    if request.method == "POST":
        mail_address.confirm(token, user=user)
        messages.success(request, f"{user.email} is your mail address now.")
        return redirect("accounts:security")
    return render(request, "accounts/mail_confirm.html", {"address": mail_address.address_in(token, user)})


@never_cache
@require_http_methods(["GET", "POST"])
@public
def password_forgotten(request: HttpRequest) -> HttpResponse:
    """Says the same whether there is such an account."""
    if not password_reset.is_on():
        raise Http404
    form = AddressForm(request.POST or None)
    if form.is_valid():
        refuse_guessing(request, GUESSING)
        note_wrong_guess(request, GUESSING)
        password_reset.ask(form.cleaned_data["address"])
        return render(request, "accounts/password_forgotten.html", {"sent_to": form.cleaned_data["address"]})
    return render(request, "accounts/password_forgotten.html", {"form": form}, status=422 if form.is_bound else 200)


@never_cache
@require_http_methods(["GET", "POST"])
@public
def password_new(request: HttpRequest, token: str) -> HttpResponse:
    """Signs nobody in: whoever has a second factor is asked for it afterwards, as always."""
    refuse_guessing(request, GUESSING)
    try:
        user = password_reset.account_of(token)
    except DomainError:
        note_wrong_guess(request, GUESSING)
        raise
    form = SetPasswordForm(user, request.POST or None)
    if form.is_valid():
        password_reset.set_password(user, form.cleaned_data["new_password1"])
        messages.success(request, "Your password is set. Sign in with it.")
        return redirect("accounts:sign_in")
    return render(
        request, "accounts/password_new.html", {"form": form, "account": user}, status=422 if form.is_bound else 200
    )
