"""Of what a person wants mail."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from apps.accounts.access import person, signed_in
from apps.notices.models import Kind
from apps.notices.services import choose_mail, mail_kinds


class MailForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        choices=Kind.choices, required=False, widget=forms.CheckboxSelectMultiple, label="Also by mail when"
    )


@require_http_methods(["GET", "POST"])
@signed_in
def choices(request: HttpRequest) -> HttpResponse:
    """Where no mail is set up, or the person has no address, the page says so."""
    user = person(request)
    form = MailForm(request.POST if request.method == "POST" else None, initial={"kinds": mail_kinds(user)})
    if form.is_valid():
        choose_mail(user, form.cleaned_data["kinds"])
        messages.success(request, "What you want by mail is kept.")
        return redirect("notices:settings")
    context = {"form": form, "address": user.email, "has_mail": bool(settings.MAIL_HOST)}
    return render(request, "notices/settings.html", context, status=422 if form.errors else 200)
