"""What a team knows: its entries, their versions, and the way from a line of a file to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import person, team_access
from apps.accounts.models import Role, Team, User
from apps.cases import storage
from apps.cases.access import case_access
from apps.cases.files.window import LINE_BYTES, FileQuery
from apps.cases.models import Artifact, Case
from apps.cases.page.head import case_head
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.models import Finding
from apps.diagnosis.pages.learning.forms import EntryForm, LineForm
from apps.diagnosis.pages.learning.words import Word, name_for, title_for, words_in, words_of_entry, words_sent
from apps.learning import services
from apps.learning.models import TeamEntry
from apps.web.errors import DomainError
from parsers.log_lines import said_in
from parsers.site_entries import Entry, toml_of

PAGE: Final = 100
CASES_SHOWN: Final = 20
NOT_OF_THE_TEAM: Final = "Only editors of the team {team} say what a line means to it."
NO_LINE: Final = "Choose a line of the file first."


def _reaches(team: Team, role: Role) -> bool:
    return team.role is not None and team.role.reaches(role)


def _entry(request: HttpRequest, team: Team, entry_id: int) -> TeamEntry:
    return get_object_or_404(services.shown_to(person(request), team), pk=entry_id)


@require_GET
@team_access(Role.VIEWER)
def entries(request: HttpRequest, team: Team) -> HttpResponse:
    """All entries of a team but drafts of others."""
    rows = services.shown_to(person(request), team).select_related("author").order_by("state", "name")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    says = services.latest_words(page.object_list)
    context = {
        "team": team,
        "page": page,
        "rows": [{"entry": row, "says": says[row.pk]} for row in page.object_list],
        "may_write": _reaches(team, Role.EDITOR),
        "section": "teams",
    }
    return render(request, "learning/entries.html", context)


@require_GET
@team_access(Role.VIEWER)
def entry(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """One entry: what it fits, what it means, its versions, and the cases in which it speaks."""
    row, user = _entry(request, team, entry_id), person(request)
    versions = list(row.versions.select_related("by").order_by("-number"))
    latest = services.entry_of_version(versions[0])
    owns, writes = _reaches(team, Role.OWNER), _reaches(team, Role.EDITOR)
    spoken = _speaks_in(row, user)
    context = {
        "team": team,
        "entry": row,
        "says": latest,
        "words": words_of_entry(latest),
        "versions": [{"row": one, "file": toml_of([services.entry_of_version(one)])} for one in versions],
        "origin": Case.objects.visible_to(user).live().filter(pk=row.case_id or 0).first(),
        "spoken": spoken[:CASES_SHOWN],
        "spoken_n": len(spoken),
        "may_write": writes,
        "may_propose": writes and row.state == TeamEntry.State.DRAFT,
        "may_rule": owns and row.state == TeamEntry.State.PROPOSED,
        "may_withdraw": row.state != TeamEntry.State.WITHDRAWN and (owns or (writes and row.in_force is None)),
        "section": "teams",
    }
    return render(request, "learning/entry.html", context)


def _speaks_in(row: TeamEntry, user: User) -> list[Finding]:
    """Findings of present diagnoses that rest on the entry, of cases that the person may see, changed last first."""
    visible = Case.objects.visible_to(user).live().filter(team=row.team_id)
    current = F("diagnosis__case__current_diagnosis")
    found = Finding.objects.filter(knowledge__entry=row.pk, diagnosis=current, diagnosis__case__in=visible)
    return list(found.select_related("diagnosis__case").order_by("-diagnosis__case__updated_at", "order"))


@require_http_methods(["GET", "POST"])
@team_access(Role.EDITOR)
def new(request: HttpRequest, team: Team) -> HttpResponse:
    """From a line that is pasted: first the line, then the form that it fills."""
    if request.method == "POST":
        return _sent(request, team, {"team": team, "heading": "What does it mean?", "section": "teams"})
    form = LineForm(request.GET if "line" in request.GET else None)
    if not form.is_valid():
        context = {"team": team, "form": form, "section": "teams"}
        return render(request, "learning/line.html", context, status=422 if form.is_bound else 200)
    context = {"team": team, "heading": "What does it mean?", "section": "teams"}
    return _filled(request, form.cleaned_data["line"], frozenset(), context)


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def means(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """ "This means …" of a line of a file: the form is nearly filled with what the line says."""
    artifact = get_object_or_404(case.artifacts.select_related("duplicate_of"), pk=artifact_id)
    source = artifact.duplicate_of or artifact
    query = FileQuery.from_query(request.GET)
    line = _line(source, query.first) if query.first is not None else ""
    if not line.strip():
        messages.info(request, NO_LINE)
        return redirect("cases:file", case.key, artifact.pk)
    if not services.may_write(person(request), case.team):
        raise DomainError(NOT_OF_THE_TEAM.format(team=case.team.name), status=409)
    crumbs = [{"label": "This means …"}]
    context = {
        "team": case.team,
        "case": case,
        "artifact": artifact,
        "number": query.first,
        "head": case_head(case, current="files", title="This means …", crumbs=crumbs),
    }
    if request.method == "POST":
        return _sent(request, case.team, {**context, "line": line}, case_id=case.pk)
    nodes = {name.lower() for name in _nodes(case)}
    return _filled(request, line, nodes, context)


def _nodes(case: Case) -> list[str]:
    diagnosis = case.current_diagnosis
    rows = diagnosis.summary.get("nodes", ()) if diagnosis is not None else ()
    return [name for row in rows for name in (row["name"], *row.get("aliases", ())) if isinstance(name, str)]


def _line(source: Artifact, number: int) -> str:
    if not source.blob:
        return ""
    with storage.open_file(source.blob) as file:
        raw = TextBlob.open(file).lines(number, 1, line_bytes=LINE_BYTES)
    return raw[0][1].decode("utf-8", "replace") if raw else ""


def _filled(request: HttpRequest, line: str, nodes: set[str] | frozenset[str], context: dict[str, Any]) -> HttpResponse:
    """The form, filled with what a line says."""
    said = said_in(line)
    words = words_in(said.message if said is not None else line, nodes)
    case = context.get("case")
    source = f"{case.key}, {context['artifact'].path.rsplit('/', 1)[-1]}, line {context['number']}" if case else ""
    initial = {
        "program": said.program if said is not None else "",
        "title": title_for(words),
        "name": name_for(words),
        "source": source,
    }
    return _form_page(request, EntryForm(initial=initial), words, {**context, "line": line})


def _form_page(request: HttpRequest, form: EntryForm, words: list[Word], context: dict[str, Any]) -> HttpResponse:
    status = 422 if form.is_bound else 200
    return render(request, "learning/edit.html", {**context, "form": form, "words": words}, status=status)


def _sent(request: HttpRequest, team: Team, context: dict[str, Any], case_id: int | None = None) -> HttpResponse:
    """A new entry, or the form with the reason why it is refused."""

    def add(row: dict[str, Any], form: EntryForm) -> TeamEntry:
        said = form.cleaned_data
        return services.add_entry(
            team, row=row, product=said["product"], by=person(request), why=said["why"], case_id=case_id
        )

    return _saved(
        request, team, context, add, "It is a draft that only you see. Propose it to the team when it is right."
    )


def _saved(
    request: HttpRequest,
    team: Team,
    context: dict[str, Any],
    save: Callable[[dict[str, Any], EntryForm], TeamEntry],
    done: str,
) -> HttpResponse:
    form, words = EntryForm(request.POST), words_sent(request.POST.dict())
    if form.is_valid():
        try:
            row = save(form.row(words), form)
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
    row = _entry(request, team, entry_id)
    context: dict[str, Any] = {"team": team, "entry": row, "heading": row.name, "section": "teams"}
    if request.method == "GET":
        version = services.latest_of(row)
        says = services.entry_of_version(version)
        form = EntryForm(initial=_initial(says))
        return _form_page(request, form, words_of_entry(says), {**context, "seen": row.latest})
    seen = request.POST.get("seen", "")
    number = int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0

    def change(given: dict[str, Any], form: EntryForm) -> TeamEntry:
        said = form.cleaned_data
        return services.change_entry(
            row, row=given, product=said["product"], by=person(request), why=said["why"], seen=number
        )

    done = "The new version is kept. What is in force stays until an owner puts this one there."
    return _saved(request, team, {**context, "seen": number}, change, done)


def _initial(says: Entry) -> dict[str, Any]:
    same = ("name", "weight", "object", "title", "meaning", "next", "source", "product")
    return {key: getattr(says, key) for key in same} | {
        "program": says.told_by,
        "commands": "\n".join(says.commands),
    }


@require_POST
@team_access(Role.EDITOR)
def propose(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    services.propose(_entry(request, team, entry_id), by=person(request))
    messages.success(request, "The team sees it now. An owner puts it in force.")
    return redirect("learning:entry", team.slug, entry_id)


@require_POST
@team_access(Role.OWNER)
def put_in_force(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    services.put_in_force(_entry(request, team, entry_id), by=person(request))
    messages.success(
        request, "It is in force. The cases of the team are judged with it one after the other, old ones too."
    )
    return redirect("learning:entry", team.slug, entry_id)


@require_POST
@team_access(Role.EDITOR)
def withdraw(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    row = _entry(request, team, entry_id)
    services.withdraw(row, by=person(request), why=request.POST.get("why", ""))
    messages.success(request, "It is withdrawn and judges nothing any more. Its versions are kept.")
    return redirect("learning:entry", team.slug, entry_id)
