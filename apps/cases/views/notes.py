"""Notes of a case; a note may be pinned to a moment, a line of a file, or a finding."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from apps.cases.access import Role, case_access, person
from apps.cases.forms import NoteForm, NoteTextForm
from apps.cases.models import Case
from apps.cases.notes.mentions import mentioned
from apps.cases.notes.services import add_note, delete_note, edit_note
from apps.cases.page.head import case_head
from apps.cases.page.wallclock import moment_text, zone_text
from apps.cases.services import lock_case
from apps.web.errors import DomainError
from apps.web.htmx import is_fragment_request, render_page

NOTES_SHOWN = 500
MOMENT_DIGITS = 16
PINS = ("at_us", "artifact", "line", "finding_ref", "span", "end_us")


@require_http_methods(["GET", "POST"])
@case_access(Role.VIEWER)
def notes(request: HttpRequest, case: Case) -> HttpResponse:
    """A fragment asked by htmx is the list; after a post it comes with the event `notes-changed`."""
    if request.method == "POST":
        return _add(request, case)
    form = NoteForm(case=case, initial=_pinned(request))
    return render_page(request, "cases/notes.html", partial="cases/_notes.html", context=_context(request, case, form))


def _add(request: HttpRequest, case: Case) -> HttpResponse:
    if not case.may_edit or case.is_trashed:
        raise PermissionDenied
    form = NoteForm(request.POST, case=case)
    if not form.is_valid():
        if is_fragment_request(request):
            raise DomainError(" ".join(str(error) for errors in form.errors.values() for error in errors))
        return render(request, "cases/notes.html", _context(request, case, form), status=422)
    note = add_note(case=case, author=person(request), **form.cleaned_data)
    if is_fragment_request(request):
        response = render(request, "cases/_notes.html", _context(request, case, NoteForm(case=case)))
        return trigger_client_event(response, "notes-changed")
    if untold := _untold(case, note.text):
        messages.warning(request, untold)
    return redirect(f"{_written_on(request, case)}#note-{note.pk}")


def _untold(case: Case, text: str) -> str:
    """Names that are not those of people on the case; empty where there are none."""
    names = mentioned(case, text)[1]
    joined = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else ""
    return (
        (
            f"{joined} {'is' if len(names) == 1 else 'are'} not on this case and "
            f"{'was' if len(names) == 1 else 'were'} not told."
        )
        if names
        else ""
    )


def _written_on(request: HttpRequest, case: Case) -> str:
    """Back to the view of the timeline in which the note was written, else to the notes."""
    page = urlsplit(request.headers.get("Referer", ""))
    timeline = reverse("diagnosis:timeline", args=[case.key])
    if page.netloc == request.get_host() and page.path == timeline:
        return f"{timeline}?{page.query}".rstrip("?")
    return reverse("cases:notes", args=[case.key])


@require_GET
@case_access(Role.EDITOR)
def note_form(request: HttpRequest, case: Case) -> HttpResponse:
    """The form alone, pinned to what the address says, for a dialog on another page."""
    context = _context(request, case, NoteForm(case=case, initial=_pinned(request)))
    return render(request, "cases/_note_form.html", context | {"is_alone": True})


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
@transaction.atomic
def note_edit(request: HttpRequest, case: Case, note_id: int) -> HttpResponse:
    if request.method == "POST":
        lock_case(case.pk)
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
        "pinned_text": moment_text(int(pinned), zone) if is_moment(str(pinned or "")) else "",
        "pinned_line": _pinned_line(case, form),
        "pinned_span": str(form["span"].value() or "")[:200],
        "pinned_finding": str(form["finding_ref"].value() or "")[:60],
        "reader": person(request),
    }


def is_moment(text: str) -> bool:
    """Microseconds of a year that calendars know."""
    return text.isascii() and text.isdigit() and len(text) <= MOMENT_DIGITS


def _pinned_line(case: Case, form: NoteForm) -> str:
    number, line = str(form["artifact"].value() or ""), str(form["line"].value() or "")
    artifact = case.artifacts.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
    return "" if artifact is None else f"{artifact.path}:{line}".rstrip(":")


def _pinned(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in PINS if name in request.GET}
