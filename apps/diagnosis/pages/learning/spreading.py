"""Entries as files, and what holds for the whole site."""

from __future__ import annotations

from typing import Final

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import administrator, person, signed_in, team_access
from apps.accounts.models import Role, Team
from apps.diagnosis.pages.learning.words import words_of_entry
from apps.learning import services, site_wide
from apps.learning.in_force import entry_of_site, entry_of_version
from apps.learning.models import SiteEntry, TeamEntry
from apps.learning.packs import entry_file, pack_of, take_pack
from apps.web.errors import DomainError
from parsers.messages.site_entries import FILE_BYTES, toml_of

OFFERED: Final = "It is offered. An administrator decides whether it holds for the site."
OFFER_ENDED: Final = "The offer ended."
TOO_LARGE: Final = "The file is larger than 4 MiB."
TOML: Final = "application/toml; charset=utf-8"


class PackForm(forms.Form):
    """A file of entries."""

    pack = forms.FileField(label="File", help_text="TOML, as a download or a folder of the site holds it.")
    why = forms.CharField(max_length=300, required=False, label="Why", help_text="For the history of each entry.")


@require_GET
@team_access(Role.VIEWER)
def pack(request: HttpRequest, team: Team) -> HttpResponse:
    """What is in force, as a file."""
    return _file(pack_of(team), f"knowledge-{team.slug}.toml")


@require_GET
@team_access(Role.VIEWER)
def one_file(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """The latest version of one entry, as a file."""
    entry = get_object_or_404(services.shown_to(person(request), team), pk=entry_id)
    return _file(entry_file(entry), f"{entry.name}.toml")


def _file(text: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(text, content_type=TOML, headers=headers)


@require_http_methods(["GET", "POST"])
@team_access(Role.EDITOR)
def upload(request: HttpRequest, team: Team) -> HttpResponse:
    """A file becomes drafts and new versions, all of it or nothing."""
    form = PackForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            fields = form.cleaned_data
            taken = take_pack(team, _content(fields["pack"]), "file", by=person(request), why=fields["why"])
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, f"Taken: {taken.words} New ones are drafts that only you see.")
            return redirect("learning:entries", team.slug)
    status = 422 if form.is_bound else 200
    return render(request, "learning/upload.html", {"team": team, "form": form, "section": "teams"}, status=status)


def _content(file: UploadedFile[bytes]) -> bytes:
    if (file.size or 0) > FILE_BYTES:
        raise DomainError(TOO_LARGE, status=413)
    return bytes(file.read())


@require_POST
@team_access(Role.OWNER)
def offer(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """To the whole site, or take the offer back."""
    entry = get_object_or_404(services.shown_to(person(request), team), pk=entry_id)
    is_offered = request.POST.get("offered", "1") == "1"
    site_wide.offer(entry, by=person(request), is_offered=is_offered)
    messages.success(request, OFFERED if is_offered else OFFER_ENDED)
    return redirect("learning:entry", team.slug, entry_id)


@require_GET
@signed_in
def of_site(request: HttpRequest) -> HttpResponse:
    """What holds for all teams; administrators see what is offered too, with the team that offers it."""
    user = person(request)
    rows = SiteEntry.objects.filter(is_in_force=True)
    waiting = site_wide.offered() if user.is_administrator else []
    context = {
        "rows": [_row(row) for row in rows],
        "offered": [
            {"version": one, "says": says, "words": words_of_entry(says), "file": toml_of([says])}
            for one in waiting
            for says in (entry_of_version(one),)
        ],
        "may_rule": user.is_administrator,
        "section": "knowledge",
    }
    return render(request, "learning/site.html", context)


def _row(row: SiteEntry) -> dict[str, object]:
    says = entry_of_site(row)
    return {"row": row, "says": says, "words": words_of_entry(says), "file": toml_of([says])}


@require_POST
@administrator
def accept(request: HttpRequest, entry_id: int) -> HttpResponse:
    """By the word of an administrator it holds for all teams."""
    row = site_wide.accept(get_object_or_404(TeamEntry, pk=entry_id, offered__isnull=False), by=person(request))
    messages.success(request, f"{row.name} holds for the whole site now.")
    return redirect("learning:site")


@require_POST
@administrator
def leave_out(request: HttpRequest, site_entry_id: int) -> HttpResponse:
    """It judges no case any more."""
    row = get_object_or_404(SiteEntry, pk=site_entry_id, is_in_force=True)
    site_wide.withdraw_from_site(row, by=person(request))
    messages.success(request, f"{row.name} judges no case any more.")
    return redirect("learning:site")
