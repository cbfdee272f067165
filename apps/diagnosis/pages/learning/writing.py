"""Writing an entry: from a line, a row, a kind of waits or nothing; with a look at where it would speak."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from apps.accounts.access import person, team_access
from apps.accounts.models import Role, Team
from apps.cases import storage
from apps.cases.access import case_access
from apps.cases.files.window import LINE_BYTES, FileQuery
from apps.cases.models import Artifact, Case
from apps.cases.page.head import case_head
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.pages.learning.forms import EntryForm, LineForm, of_sent
from apps.diagnosis.pages.learning.preview import preview
from apps.diagnosis.pages.learning.starts import Start, nodes_of, start_of_wait, starts_of_line, wait_token, words_of
from apps.diagnosis.pages.learning.words import Word, words_in, words_of_entry, words_sent
from apps.learning import services
from apps.learning.in_force import entry_of_version
from apps.learning.models import TeamEntry
from apps.web.errors import DomainError
from parsers.log_lines import message_in
from parsers.messages.site_entries import Entry

NOT_OF_THE_TEAM: Final = "Only editors of the team {team} say what a line means to it."
NO_LINE: Final = "Choose a line of the file first."
DRAFTED: Final = "It is a draft that only you see. Propose it to the team when it is right."
KEPT: Final = "The new version is kept. What is in force stays until an owner puts this one there."
Context = dict[str, Any]
Save = Callable[[dict[str, Any], EntryForm], TeamEntry]


@require_http_methods(["GET", "POST"])
@team_access(Role.EDITOR)
def new(request: HttpRequest, team: Team) -> HttpResponse:
    """From a line that is pasted: first the line, then the form that it fills."""
    context: Context = {"team": team, "heading": "What does it mean?", "section": "teams"}
    if request.method == "POST":
        return _sent(request, team, context)
    form = LineForm(request.GET if "line" in request.GET else None)
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "learning/line.html", {"team": team, "form": form, "section": "teams"}, status=status)
    line = form.cleaned_data["line"]
    logged = message_in(line)
    words = words_in(logged.message if logged is not None else line, frozenset())
    start = Start("log", words, logged.program if logged is not None else "")
    return _filled(request, start, {**context, "line": line})


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def means(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """ "This means …" of a line of a file: the form is nearly filled with what the line says."""
    artifact = get_object_or_404(case.artifacts.select_related("duplicate_of"), pk=artifact_id)
    source = artifact.duplicate_of or artifact
    query = FileQuery.from_query(request.GET)
    line = _line(source, query.first) if query.first is not None else ""
    if query.first is None or not line.strip():
        messages.info(request, NO_LINE)
        return redirect("cases:file", case.key, artifact.pk)
    context = _of_case(request, case, "files") | {"artifact": artifact, "number": query.first, "line": line}
    if request.method == "POST":
        return _sent(request, case.team, context, case_id=case.pk)
    starts = starts_of_line(source, query.first, line, nodes_of(case))
    wanted = request.GET.get("as", "")
    start = next((one for one in starts if one.key == wanted), starts[0])
    ways = [{"label": one.label, "key": one.key, "is_current": one is start} for one in starts]
    known = f"{case.key}, {artifact.path.rsplit('/', 1)[-1]}, line {query.first}"
    return _filled(request, start, context | {"ways": ways if len(ways) > 1 else []}, known)


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def means_wait(request: HttpRequest, case: Case, token: str) -> HttpResponse:
    """ "This means …" of a kind of waits that the program does not know."""
    diagnosis = case.current_diagnosis
    kinds = diagnosis.summary.get("kinds", ()) if diagnosis is not None else ()
    kind = next((one for one in kinds if one["category"] is None and wait_token(words_of(one)) == token), None)
    if kind is None:
        raise Http404
    context = _of_case(request, case, "waiters") | {"line": words_of(kind)}
    if request.method == "POST":
        return _sent(request, case.team, context, case_id=case.pk)
    return _filled(request, start_of_wait(kind, nodes_of(case)), context, f"{case.key}, {kind['count']} waits")


def _of_case(request: HttpRequest, case: Case, tab: Any) -> Context:
    if not services.may_write(person(request), case.team):
        raise DomainError(NOT_OF_THE_TEAM.format(team=case.team.name), status=409)
    crumbs = [{"label": "This means …"}]
    head = case_head(case, current=tab, title="This means …", crumbs=crumbs)
    return {"team": case.team, "case": case, "head": head}


def _line(source: Artifact, number: int) -> str:
    if not source.blob:
        return ""
    with storage.open_file(source.blob) as file:
        raw = TextBlob.open(file).lines(number, 1, line_bytes=LINE_BYTES)
    return raw[0][1].decode("utf-8", "replace") if raw else ""


def _filled(request: HttpRequest, start: Start, context: Context, known: str = "") -> HttpResponse:
    """The form, filled with what a line, a row or a wait says."""
    table = start.told_by if start.of == "table" else ""
    form = EntryForm(initial=start.initial() | {"source": known}, of=start.of, table=table)
    return _form_page(request, form, start.words, context | {"values": start.values})


def _form_page(request: HttpRequest, form: EntryForm, words: list[Word], context: Context) -> HttpResponse:
    is_refused = form.is_bound and "preview" not in context
    return render(
        request,
        "learning/edit.html",
        {**context, "form": form, "of": form.of, "words": words},
        status=422 if is_refused else 200,
    )


def _sent(request: HttpRequest, team: Team, context: Context, case_id: int | None = None) -> HttpResponse:
    """A new entry, or the form with the reason why it is refused."""

    def add(row: dict[str, Any], form: EntryForm) -> TeamEntry:
        fields = form.cleaned_data
        return services.add_entry(
            team, row=row, product=fields["product"], by=person(request), why=fields["why"], case_id=case_id
        )

    return _saved(request, team, context, add, DRAFTED, case_id)


def _saved(
    request: HttpRequest, team: Team, context: Context, save: Save, done: str, case_id: int | None
) -> HttpResponse:
    """Keep what was sent, or only look where it would speak."""
    of = of_sent(request.POST.get("of", ""))
    form = EntryForm(request.POST, of=of, table=request.POST.get("table", ""))
    words = words_sent(request.POST.dict())
    if form.is_valid():
        try:
            given = form.row(words)
            if "look" in request.POST:
                entry = services.read(given, form.cleaned_data["product"])
                seen = preview(person(request), team, entry, case_id=case_id)
                return _form_page(request, form, words, context | {"preview": seen, "says": entry})
            row = save(given, form)
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, done)
            return redirect("learning:entry", team.slug, row.pk)
    return _form_page(request, form, words, context)


@require_http_methods(["GET", "POST"])
@team_access(Role.EDITOR)
def edit(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """A new version. ``seen`` says which one it was made from: of two people who change one entry the second one is
    refused.
    """
    row = get_object_or_404(services.shown_to(person(request), team), pk=entry_id)
    context: Context = {"team": team, "entry": row, "heading": row.name, "section": "teams"}
    if request.method == "GET":
        says = entry_of_version(services.latest_of(row))
        form = EntryForm(initial=_initial(says), of=says.of, table=says.told_by)
        return _form_page(request, form, words_of_entry(says), {**context, "seen": row.latest})
    seen = request.POST.get("seen", "")
    number = int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0

    def change(given: dict[str, Any], form: EntryForm) -> TeamEntry:
        fields = form.cleaned_data
        return services.change_entry(
            row, row=given, product=fields["product"], by=person(request), why=fields["why"], seen=number
        )

    return _saved(request, team, {**context, "seen": number}, change, KEPT, row.case_id)


def _initial(says: Entry) -> dict[str, Any]:
    same = ("name", "weight", "object", "title", "meaning", "next", "source", "product", "column", "operator", "value")
    sources = dict.fromkeys(("program", "output", "table"), says.told_by)
    return {key: getattr(says, key) for key in same} | sources | {"commands": "\n".join(says.commands)}


@require_GET
@team_access(Role.VIEWER)
def look(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """Where the latest version of an entry would speak, among the cases that the reader may see."""
    row = get_object_or_404(services.shown_to(person(request), team), pk=entry_id)
    says = entry_of_version(services.latest_of(row))
    context = {"team": team, "entry": row, "says": says}
    seen = preview(person(request), team, says, case_id=row.case_id)
    return render(request, "learning/look.html", {**context, "preview": seen, "section": "teams"})
