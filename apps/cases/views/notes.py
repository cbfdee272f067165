"""Notes of a case; a note may be pinned to a moment, a line of a file, or a finding."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from apps.cases.access import Role, case_access, person
from apps.cases.forms import NoteForm, NoteTextForm
from apps.cases.head import case_head
from apps.cases.models import Case
from apps.cases.notes import add_note, delete_note, edit_note
from apps.cases.wallclock import moment_text, zone_text
from apps.web.htmx import render_page, wants_fragment

NOTES_SHOWN = 500


@require_http_methods(["GET", "POST"])
@case_access(Role.VIEWER)
def notes(request: HttpRequest, case: Case) -> HttpResponse:
    """A fragment asked by htmx is the list; a post from the timeline gets it back with the event `notes-changed`."""
    form = NoteForm(request.POST or None, case=case, initial=_pinned(request))
    if request.method == "POST":
        if not case.may_edit or case.is_trashed:
            raise PermissionDenied
        if form.is_valid():
            note = add_note(case=case, author=person(request), **form.cleaned_data)
            if not wants_fragment(request):
                return redirect(f"{request.path}#note-{note.pk}")
            form = NoteForm(case=case)
    response = render_page(
        request,
        "cases/notes.html",
        partial="cases/_notes.html",
        context=_context(request, case, form),
        status=422 if form.is_bound else 200,
    )
    return trigger_client_event(response, "notes-changed") if request.method == "POST" and not form.is_bound else response


@require_GET
@case_access(Role.EDITOR)
def note_form(request: HttpRequest, case: Case) -> HttpResponse:
    """The form alone, pinned to what the address says, for a dialog on another page."""
    return render(request, "cases/_note_form.html", _context(request, case, NoteForm(case=case, initial=_pinned(request))))


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def note_edit(request: HttpRequest, case: Case, note_id: int) -> HttpResponse:
    note = get_object_or_404(case.notes, pk=note_id)
    user = person(request)
    if note.author_id != user.pk:
        raise PermissionDenied
    form = NoteTextForm(request.POST or None, instance=note)
    if form.is_valid():
        edit_note(note, text=form.cleaned_data["text"], by=user)
        return redirect("cases:notes", case.key)
    context = {"case": case, "head": case_head(case, current="notes"), "form": form, "note": note}
    return render(request, "cases/note_edit.html", context, status=422 if form.is_bound else 200)


@require_POST
@case_access(Role.EDITOR)
def note_delete(request: HttpRequest, case: Case, note_id: int) -> HttpResponse:
    delete_note(get_object_or_404(case.notes, pk=note_id), by=person(request))
    return redirect("cases:notes", case.key)


def _context(request: HttpRequest, case: Case, form: NoteForm) -> dict[str, Any]:
    zone = zone_text(case.zone_name, case.zone_min)
    found = case.notes.select_related("author", "artifact").order_by("-created_at", "-pk")[:NOTES_SHOWN]
    pinned = form["at_us"].value()
    return {
        "case": case,
        "head": case_head(case, current="notes"),
        "notes": found,
        "form": form,
        "zone": zone,
        "pinned_text": moment_text(int(pinned), zone) if str(pinned or "").isdigit() else "",
        "reader": person(request),
    }


def _pinned(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in ("at_us", "artifact", "line", "finding_ref") if name in request.GET}
