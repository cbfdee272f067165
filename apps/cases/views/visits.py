"""An administrator from outside says why before reading a case."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.cases.access import Role, case_access, case_of_others, person
from apps.cases.forms import ReasonForm
from apps.cases.models import Case
from apps.cases.people.visits import VISIT_MINUTES, begin_visit, end_visit


@never_cache
@require_http_methods(["GET", "POST"])
@case_of_others
def visit(request: HttpRequest, case: Case) -> HttpResponse:
    """The page tells the key and the team; title and customer are the case's own."""
    user = person(request)
    if case.is_trashed or Case.objects.visible_to(user).filter(pk=case.pk).exists():
        raise Http404  # on the case: there is nothing to ask
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        begin_visit(case, by=user, reason=form.cleaned_data["reason"], request=request)
        return redirect(_page_wanted(request, case))
    context = {"case": case, "form": form, "minutes": VISIT_MINUTES, "next": _page_wanted(request, case)}
    return render(request, "cases/visit.html", context, status=422 if form.is_bound else 200)


def _page_wanted(request: HttpRequest, case: Case) -> str:
    target = request.POST.get("next") or request.GET.get("next") or ""
    own = f"/cases/{case.key}/" in target
    is_safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if own and is_safe else reverse("diagnosis:timeline", args=[case.key])


@require_POST
@case_access(Role.VIEWER, while_archived=True)
def visit_end(request: HttpRequest, case: Case) -> HttpResponse:
    if case.visit is None:
        raise Http404
    end_visit(case.visit)
    return redirect("cases:list")
