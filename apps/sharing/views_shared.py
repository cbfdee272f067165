"""What a link opens: the pages for whoever holds it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from apps.cases.models import Note
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from apps.diagnosis.pages.timeline.untimed import untimed
from apps.diagnosis.values import AnyDiagnosis
from apps.sharing.access import closed, gate, gate_access, link_access
from apps.sharing.masking import Shown, masked, shown
from apps.sharing.models import ShareLink
from apps.sharing.parts import PARTS
from apps.sharing.services import note_view
from apps.sharing.visits import begin_visit, is_right_password, is_visited
from apps.web.errors import DomainError

PASSWORD_CHARS = 200


def address_of(token: str, view: str) -> str:
    """The address of a shared page with the view that was shared; `tab` in it names the page."""
    query = QueryDict(view, mutable=True)
    tab = str(query.pop("tab", [""])[0])
    address = reverse("sharing:part", args=[token, tab]) if tab in PARTS else reverse("sharing:page", args=[token])
    return f"{address}?{query.urlencode()}" if query else address


def token_in(request: HttpRequest) -> str:
    """The decorator has turned it into a link; the page's own addresses need it once more."""
    match = request.resolver_match
    return str(match.kwargs["token"]) if match else ""


@require_POST
@gate_access
def unlock(request: HttpRequest, link: ShareLink) -> HttpResponseBase:
    """The form in front of a link: its password, or the click that takes an opening."""
    token = token_in(request)
    if not is_right_password(request, link, request.POST.get("password", "")[:PASSWORD_CHARS]):
        return gate(request, link, error="This is not the password of the link.", status=422)
    if not is_visited(request, link) and not begin_visit(request, link):
        return closed(request)
    return redirect(address_of(token, link.view))


@require_GET
@link_access
def page(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """The case: timeline, findings with their lines, tunings; what its level does not give is not there."""
    token = token_in(request)
    view = shown(link, token)
    note_view(link, request, "timeline")
    context = {
        **head_context(link, view, token, ""),
        **masked(view),
        "first": lanes(view, request.GET or QueryDict(link.view)),
        "lanes_url": reverse("sharing:timeline_json", args=[token]),
        "untimed": untimed(view.diagnosis, view.line_url) if view.diagnosis else None,
    }
    return render(request, "sharing/page.html", context)


def head_context(link: ShareLink, view: Shown, token: str, current: str) -> dict[str, Any]:
    """What stands above every shared page."""
    return {"ends_at": link.ends_at, "level": view.level, "tabs": tabs(view, token, current)}


def lanes(view: Shown, query: QueryDict) -> dict[str, Any] | None:
    """The lanes of the case as its level shows it; notes stand in them for colleagues."""
    diagnosis = view.diagnosis
    if diagnosis is None:
        return None
    notes = Note.objects.filter(case=view.case).pinned_to_moments() if view.level.shows_raw else Note.objects.none()
    return timeline(view.case, diagnosis, window_from(query, diagnosis), line_url=view.line_url, notes=notes)


@require_GET
@link_access
def part(request: HttpRequest, link: ShareLink, name: str) -> HttpResponse:
    """Another page of the case, as its link allows."""
    if name not in PARTS:
        raise Http404
    token = token_in(request)
    view = shown(link, token)
    note_view(link, request, name)
    context = {
        **head_context(link, view, token, name),
        **masked(view),
        **_rows(view, view.diagnosis, name, request.GET),
        "part": PARTS[name].template,
        "heading": PARTS[name].label,
    }
    return render(request, "sharing/part.html", context)


def _rows(view: Shown, diagnosis: AnyDiagnosis | None, name: str, query: QueryDict) -> dict[str, Any]:
    return PARTS[name].context(view, diagnosis, query) if diagnosis else {}


def tabs(view: Shown, token: str, current: str) -> list[dict[str, Any]]:
    """Pages that the level has."""
    pages = [("", "Timeline", reverse("sharing:page", args=[token]))]
    pages += [(name, one.label, reverse("sharing:part", args=[token, name])) for name, one in PARTS.items()]
    if view.level.shows_raw:
        pages += [(name, name.capitalize(), reverse(f"sharing:{name}", args=[token])) for name in ("files", "notes")]
    return [{"url": url, "label": label, "is_current": name == current} for name, label, url in pages]


@require_GET
@link_access
def timeline_json(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """Lanes of a window, for the shared page."""
    found = lanes(shown(link, token_in(request)), request.GET)
    if found is None:
        raise DomainError("Nothing of this case is read yet.", status=404)
    return JsonResponse(found)
