"""Saying what a case turned out to be, and the page of what that says of rules and entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from apps.accounts.access import signed_in
from apps.accounts.models import User
from apps.cases.access import Role, case_access, person
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.models import Form
from apps.diagnosis.pages.judging.outcomes import About, choices_of, close_as, latest_outcome, worth_rows
from apps.learning.models import GUESSED, SURE, CaseOutcome, TeamEntry
from apps.web.errors import DomainError

OTHER: Final = "other-"
RIGHT: Final = (CaseOutcome.Found.FINDING, CaseOutcome.Found.HEALTHY)
NOBODY_FOUND: Final = (
    "Kept. No finding names its cause: say here what lines of the case mean, so that the next one is judged."
)


class OutcomeForm(forms.Form):
    """What it was, and how sure that is."""

    found = forms.ChoiceField(widget=forms.RadioSelect, label="What was it?")
    sure = forms.ChoiceField(choices=SURE, widget=forms.RadioSelect, label="How sure is that?")

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["found"]
        if isinstance(field, forms.ChoiceField):
            field.choices = _choices(case)

    def outcome_of(self) -> dict[str, Any]:
        """What ``close_as`` takes."""
        found = str(self.cleaned_data["found"])
        if found.startswith(OTHER):
            return {"found": CaseOutcome.Found.OTHER, "order": int(found.removeprefix(OTHER))}
        return {"found": found, "order": None}


def _choices(case: Case) -> list[tuple[str, str]]:
    diagnosis = case.current_diagnosis
    findings = choices_of(diagnosis) if diagnosis is not None else []
    first = [(CaseOutcome.Found.FINDING.value, findings[0].title)] if findings else []
    others = [(f"{OTHER}{one.order}", one.title) for one in findings[1:]]
    none = "None of these: no finding names the cause" if findings else "Something was wrong that no finding names"
    return [
        *first,
        *others,
        (CaseOutcome.Found.NONE.value, none),
        (CaseOutcome.Found.HEALTHY.value, "Nothing was wrong"),
    ]


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def outcome(request: HttpRequest, case: Case) -> HttpResponse:
    """Asked of whoever closes a case."""
    form = OutcomeForm(request.POST or None, case=case)
    if form.is_valid():
        try:
            row = close_as(case, **form.outcome_of(), sure=form.cleaned_data["sure"], by=person(request))
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            if row.found == CaseOutcome.Found.NONE:
                messages.info(request, NOBODY_FOUND)
                return redirect(f"{reverse('learning:unjudged')}?{urlencode([('case', case.key), ('quiet', '1')])}")
            return redirect("diagnosis:timeline", case.key)
    latest = latest_outcome(case)
    context = {
        "case": case,
        "head": case_head(case, current="", title="Was it right?", crumbs=[{"label": "Was it right?"}]),
        "form": form,
        "latest": latest,
        "may_keep": latest is not None and latest.sure != GUESSED and latest.found in RIGHT,
    }
    return render(request, "diagnosis/outcome.html", context, status=422 if form.is_bound else 200)


@require_GET
@signed_in
def worth(request: HttpRequest) -> HttpResponse:
    """Per rule, entry and form of a verdict: how often it spoke in closed cases, and whether it was right."""
    user = person(request)
    rows = list(worth_rows(user, _titles(user)))
    return render(request, "diagnosis/worth.html", {"rows": rows, "section": "knowledge"})


def _titles(user: User) -> Mapping[tuple[str, str], tuple[str, str]]:
    knowledge = reverse("diagnosis:knowledge")
    titles: dict[tuple[str, str], tuple[str, str]] = {
        (About.RULE, ref): (text.name, f"{knowledge}?part=rules#{ref}") for ref, text in rule_texts().items()
    }
    titles |= {(About.FORM, form): (label, "") for form, label in Form.choices}
    entries = TeamEntry.objects.filter(team__in=user.team_memberships.values("team")).select_related("team")
    for one in entries:
        url = reverse("learning:entry", args=[one.team.slug, one.pk])
        titles[About.ENTRY, str(one.pk)] = (f"{one.name} ({one.team.name})", url)
    return titles
