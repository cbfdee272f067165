"""How long teams keep their cases, and the proofs of what was removed."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from apps.accounts.access import person, signed_in
from apps.audit.services import record
from apps.cases.lifetime.retention import DAYS_MOST, canonical, due_cases, set_retention, teams_run_by
from apps.privacy.models import RemovalProof

PROOFS_SHOWN: Final = 200


class RetentionForm(forms.Form):
    team = forms.SlugField()
    days = forms.IntegerField(required=False, min_value=1, max_value=DAYS_MOST)


@require_http_methods(["GET", "POST"])
@signed_in
def retention(request: HttpRequest) -> HttpResponse:
    """Owners see their teams, administrators all; for everybody else there is no such page."""
    user = person(request)
    teams = teams_run_by(user)
    if not teams:
        raise Http404
    form = RetentionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = next((one for one in teams if one.slug == form.cleaned_data["team"]), None)
        if team is None:
            raise Http404
        set_retention(team, form.cleaned_data["days"], by=user)
        messages.success(request, f"{team.name} is saved.")
        return redirect("cases:retention")
    proofs = RemovalProof.objects.filter(team__in=teams).select_related("team").order_by("-removed_at")[:PROOFS_SHOWN]
    context: dict[str, Any] = {
        "teams": [_row(team) for team in teams],
        "proofs": proofs,
        "days_most": DAYS_MOST,
        "form": form,
    }
    return render(request, "cases/retention.html", context, status=422 if form.errors else 200)


def _row(team: Any) -> dict[str, Any]:
    rule = getattr(team, "retention", None)
    due = due_cases(rule) if rule else None
    return {
        "team": team,
        "days": rule.days if rule else None,
        "due_n": due.not_held().count() if due is not None else 0,
        "held_n": due.filter(held_at__isnull=False).count() if due is not None else 0,
    }


@require_GET
@signed_in
def proof(request: HttpRequest, proof_id: int) -> HttpResponse:
    """The report as it was hashed."""
    found = RemovalProof.objects.filter(pk=proof_id, team__in=teams_run_by(person(request))).first()
    if found is None:
        raise Http404
    record("retention.proof_downloaded", request=request, proof=found.pk, case_key=found.case_key)
    response = HttpResponse(canonical(found.report), content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="removal-{found.case_key}.json"'
    response.headers["X-Report-SHA256"] = found.sha256
    return response
