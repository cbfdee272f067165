"""Making and revoking links, and the shared page itself."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import person
from apps.cases.access import Role, case_access
from apps.cases.head import case_head
from apps.cases.models import Case, Note
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.timeline import timeline, window_from
from apps.sharing.access import link_access
from apps.sharing.forms import LinkForm
from apps.sharing.masking import masked
from apps.sharing.models import ShareLink
from apps.sharing.parts import PARTS
from apps.sharing.services import create_share_link, note_opening, revoke_share_link
from apps.web.errors import DomainError
from apps.web.htmx import render_page

LINKS_SHOWN = 100


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def dialog(request: HttpRequest, case: Case) -> HttpResponse:
    """The links of a case, and the form for one more. A fresh link is shown once."""
    form = LinkForm(request.POST or None, initial={"view": request.GET.get("view", "")[:2000]})
    fresh = None
    if request.method == "POST" and form.is_valid():
        made = create_share_link(case=case, user=person(request), **form.cleaned_data)
        fresh = request.build_absolute_uri(address_of(made.token, made.link.view))
        form = LinkForm(initial={"view": made.link.view})
    context = {
        "case": case,
        "head": case_head(case, current="timeline", title="Share", crumbs=[{"label": "Share"}]),
        "form": form,
        "fresh": fresh,
        "links": case.share_links.select_related("created_by", "revoked_by").order_by("-created_at")[:LINKS_SHOWN],
    }
    status = 422 if form.errors else 200
    response = render_page(request, "sharing/share.html", partial="sharing/_share.html", context=context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def address_of(token: str, view: str) -> str:
    """The address of a shared page with the view that was shared; `tab` in it names the page."""
    query = QueryDict(view, mutable=True)
    tab = str(query.pop("tab", [""])[0])
    address = reverse("sharing:part", args=[token, tab]) if tab in PARTS else reverse("sharing:page", args=[token])
    return f"{address}?{query.urlencode()}" if query else address


@require_POST
@case_access(Role.EDITOR)
def revoke(request: HttpRequest, case: Case, link_id: int) -> HttpResponse:
    """Close a link at once."""
    revoke_share_link(get_object_or_404(case.share_links, pk=link_id), by=person(request))
    return redirect("sharing:dialog", key=case.key)


@require_GET
@link_access
def page(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """The case for whoever holds the link: timeline, findings with their lines, tunings; no raw files, notes or history."""
    note_opening(link, request)
    context = masked(link.case) | {
        "ends_at": link.ends_at,
        "tabs": _tabs(_token(request), ""),
        "first": _lanes(link.case, link.case.current_diagnosis, request.GET or QueryDict(link.view)),
        "lanes_url": reverse("sharing:timeline_json", args=[_token(request)]),
    }
    return render(request, "sharing/page.html", context)


def _token(request: HttpRequest) -> str:
    """The decorator has turned it into a link; the page's own address needs it once more."""
    match = request.resolver_match
    return str(match.kwargs["token"]) if match else ""


def _lanes(case: Case, diagnosis: Diagnosis | None, query: QueryDict) -> dict[str, Any] | None:
    if diagnosis is None:
        return None
    return timeline(case, diagnosis, window_from(query, diagnosis), line_url=lambda artifact, line: None, notes=Note.objects.none())


@require_GET
@link_access
def part(request: HttpRequest, link: ShareLink, name: str) -> HttpResponse:
    """Another page of the case, as its link allows: the same tables without addresses of raw files, downloads and notes."""
    if name not in PARTS:
        raise Http404
    note_opening(link, request)
    diagnosis = link.case.current_diagnosis
    rows = PARTS[name].context(link.case, diagnosis, request.GET) if diagnosis else {}
    context = {
        **masked(link.case),
        **rows,
        "ends_at": link.ends_at,
        "tabs": _tabs(_token(request), name),
        "part": PARTS[name].template,
        "heading": PARTS[name].label,
    }
    return render(request, "sharing/part.html", context)


def _tabs(token: str, current: str) -> list[dict[str, Any]]:
    parts = [(reverse("sharing:part", args=[token, name]), name, one.label) for name, one in PARTS.items()]
    return [
        {"url": url, "label": label, "is_current": name == current}
        for url, name, label in [(reverse("sharing:page", args=[token]), "", "Timeline"), *parts]
    ]


@require_GET
@link_access
def timeline_json(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """Lanes of a window, for the shared page."""
    lanes = _lanes(link.case, link.case.current_diagnosis, request.GET)
    if lanes is None:
        raise DomainError("Nothing of this case is read yet.", status=404)
    return JsonResponse(lanes)
