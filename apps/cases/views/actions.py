"""Changing a case: its names and state, the trash, taking a bundle out."""

from __future__ import annotations

from celery import current_app
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from apps.cases import services
from apps.cases.access import Role, case_access, person
from apps.cases.forms import CaseForm
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.cases.people.members import assign_case

DIAGNOSE = "ingest.diagnose_case"


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
@transaction.atomic
def edit(request: HttpRequest, case: Case) -> HttpResponse:
    rows = Case.objects.select_for_update(no_key=True) if request.method == "POST" else Case.objects.all()
    form = CaseForm(request.POST or None, instance=rows.get(pk=case.pk))
    if form.is_valid():
        values = form.cleaned_data
        by = person(request)
        services.rename_case(case, title=values["title"], customer=values["customer"], ticket=values["ticket"], by=by)
        if (values["state"], values["solution"]) != (case.state, case.solution):
            services.set_state(case, values["state"], by=by, solution=values["solution"])
        assign_case(case, values["assignee"], by=by)
        is_closed_now = values["state"] == Case.State.SOLVED and case.state != Case.State.SOLVED
        asks = is_closed_now and case.current_diagnosis_id is not None
        return redirect("diagnosis:outcome" if asks else "diagnosis:timeline", case.key)
    context = {"case": case, "head": case_head(case, current="timeline"), "form": form}
    return render(request, "cases/edit.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
@case_access(Role.OWNER, while_archived=True)
def trash(request: HttpRequest, case: Case) -> HttpResponse:
    if request.method == "POST":
        services.trash_case(case, by=person(request))
        messages.success(request, f"{case.key} is in the trash.")
        return redirect("cases:trash_list")
    return render(request, "cases/trash_confirm.html", {"case": case, "head": case_head(case, current="timeline")})


@require_http_methods(["GET", "POST"])
@case_access(Role.OWNER, while_archived=True)
def restore(request: HttpRequest, case: Case) -> HttpResponse:
    if request.method == "POST":
        services.restore_case(case, by=person(request))
        messages.success(request, f"{case.key} is back.")
        return redirect("diagnosis:timeline", case.key)
    return render(request, "cases/restore_confirm.html", {"case": case, "head": case_head(case, current="timeline")})


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def bundle_remove(request: HttpRequest, case: Case, bundle_id: int) -> HttpResponse:
    bundle = get_object_or_404(case.bundles, pk=bundle_id)
    if request.method == "POST":
        with transaction.atomic():
            remove_bundle(bundle, by=person(request))
            _diagnose_anew(case)
        messages.success(request, f"{bundle.filename} and what was read from it are gone.")
        return redirect("cases:files", case.key)
    context = {
        "case": case,
        "bundle": bundle,
        "head": case_head(case, current="files"),
        "files": bundle.artifacts.count(),
    }
    return render(request, "cases/bundle_remove.html", context)


def _diagnose_anew(case: Case) -> None:
    """The task is named, not imported: it stands above cases. Where no file is left, nothing may stand on it for a
    moment longer.
    """
    if not case.artifacts.exists():
        services.clear_diagnosis(case.pk)
    transaction.on_commit(lambda: current_app.send_task(DIAGNOSE, args=[case.pk]))
