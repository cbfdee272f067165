"""Making, looking after and revoking links."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import person, signed_in
from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.diagnosis.pages.reply import reply_text
from apps.privacy.services import credentials_n
from apps.sharing.forms import EndForm, LinkForm, offered_days
from apps.sharing.levels import LEVELS
from apps.sharing.listing import LINKS_SHOWN, OPEN_STATES, link_rows
from apps.sharing.masked import masked_diagnosis
from apps.sharing.models import ShareLink
from apps.sharing.preview import preview
from apps.sharing.services import change_end, create_share_link, plain_query, revoke_all, revoke_share_link
from apps.sharing.views_shared import address_of
from apps.web.errors import DomainError
from apps.web.htmx import render_page


@require_GET
@case_access(Role.VIEWER)
def reply(request: HttpRequest, case: Case) -> HttpResponse:  # noqa: ARG001 - a view
    """The reply to the customer as plain text, with stand-ins for names."""
    diagnosis = masked_diagnosis(case)
    if diagnosis is None:
        raise DomainError("Nothing of this case is read yet.", status=404)
    return HttpResponse(reply_text(diagnosis), content_type="text/plain; charset=utf-8")


@require_http_methods(["GET", "POST"])
@case_access(Role.OWNER)
def dialog(request: HttpRequest, case: Case) -> HttpResponse:
    """The links of a case, and the form for one more. A fresh link is shown once."""
    params = {"view": request.GET.get("view", "")[:2000], "level": _level(request.GET.get("level", ""))}
    form = LinkForm(request.POST or None, initial=params)
    fresh = None
    if request.method == "POST" and form.is_valid():
        made = create_share_link(case=case, user=person(request), **form.cleaned_data)
        fresh = request.build_absolute_uri(address_of(made.token, made.link.view))
        form = LinkForm(initial={"view": plain_query(form.cleaned_data["view"]), "level": made.link.level})
    return _page(request, case, form, fresh=fresh, status=422 if form.errors else 200)


def _level(name: str) -> str:
    return name if name in LEVELS else ShareLink.Level.DEVELOPMENT


def _page(
    request: HttpRequest, case: Case, form: LinkForm, *, fresh: str | None = None, status: int = 200
) -> HttpResponse:
    level = _level(str(form["level"].value() or ""))
    rows = link_rows(ShareLink.objects.filter(case=case))
    context: dict[str, Any] = {
        "case": case,
        "head": case_head(case, current="timeline", title="Share", crumbs=[{"label": "Share"}]),
        "form": form,
        "levels": [{"level": one, "is_on": one.name == level} for one in LEVELS.values()],
        "fresh": fresh,
        "rows": rows,
        "live_n": sum(row.state == "live" for row in rows),
        "days": offered_days(),
        "credentials_n": credentials_n(case),
        "preview": preview(case, LEVELS[level]),
    }
    response = render_page(request, "sharing/share.html", partial="sharing/_share.html", context=context, status=status)
    response["Cache-Control"] = "no-store"
    return response


@require_GET
@case_access(Role.OWNER)
def preview_of(request: HttpRequest, case: Case) -> HttpResponse:
    """Both sides for one level, while the form stands beside."""
    context = {"case": case, "preview": preview(case, LEVELS[_level(request.GET.get("level", ""))])}
    response = render(request, "sharing/_preview.html", context)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@case_access(Role.OWNER, while_archived=True)
def revoke(request: HttpRequest, case: Case, link_id: int) -> HttpResponse:
    """Close a link at once."""
    revoke_share_link(get_object_or_404(case.share_links, pk=link_id), by=person(request))
    return redirect("sharing:dialog", key=case.key)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def revoke_every(request: HttpRequest, case: Case) -> HttpResponse:
    """Close all links of a case at once."""
    revoke_all(case, by=person(request))
    return redirect("sharing:dialog", key=case.key)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def end(request: HttpRequest, case: Case, link_id: int) -> HttpResponse:
    """Another end for a link."""
    form = EndForm(request.POST)
    if not form.is_valid():
        raise DomainError("Choose one of the ends that are offered.", status=422)
    change_end(get_object_or_404(case.share_links, pk=link_id), days=form.cleaned_data["days"], by=person(request))
    return redirect("sharing:dialog", key=case.key)


@require_GET
@signed_in
def own_links(request: HttpRequest) -> HttpResponse:
    """Links that the reader made, over all cases that the reader still may see."""
    user = person(request)
    links = ShareLink.objects.filter(created_by=user, case__in=Case.objects.visible_to(user))
    rows = sorted(link_rows(links), key=lambda row: row.state not in OPEN_STATES)
    live = sum(row.state in OPEN_STATES for row in rows)
    counts = {"live_n": live, "past_n": len(rows) - live, "is_cut": len(rows) == LINKS_SHOWN}
    return render(request, "sharing/links.html", {"rows": rows, **counts, "section": "cases"})
