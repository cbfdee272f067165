"""Saying what one thinks of a finding, or of a kind of waits."""

from __future__ import annotations

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from apps.cases.access import Role, case_access, person
from apps.cases.models import Case
from apps.diagnosis.models import Diagnosis, Judgement
from apps.diagnosis.pages.context import anchor
from apps.diagnosis.pages.judging.judgements import finding_subjects, judge, subject_of
from apps.diagnosis.pages.timeline.views import NOT_READ_YET
from apps.diagnosis.values import findings_of
from apps.web.errors import DomainError

WRONG = "Choose what you say to it, and keep the reason below 2000 characters."


class JudgementForm(forms.Form):
    about = forms.ChoiceField(choices=Judgement.About.choices)
    token = forms.RegexField(r"^[0-9a-f]{24}$")
    word = forms.ChoiceField(choices=Judgement.Word.choices)
    why = forms.CharField(required=False, max_length=2000)


@require_POST
@case_access(Role.EDITOR)
def judge_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Takes the form that stands beside each finding and kind, and leads back to it."""
    if case.is_trashed:
        raise PermissionDenied
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    form = JudgementForm(request.POST)
    if not form.is_valid():
        raise DomainError(WRONG, status=422)
    fields = form.cleaned_data
    subject, title, nodes = subject_of(case.current_diagnosis, fields["about"], fields["token"])
    judge(
        case=case, subject=subject, title=title, nodes=nodes, word=fields["word"], why=fields["why"], by=person(request)
    )
    return redirect(_back(case, case.current_diagnosis, fields["about"], fields["token"]))


def _back(case: Case, diagnosis: Diagnosis, about: str, token: str) -> str:
    if about == Judgement.About.KIND:
        return f"{reverse('diagnosis:waiters', args=[case.key])}#kind-{token}"
    findings = findings_of(diagnosis)
    subjects = finding_subjects(findings)
    found = next(finding for finding in findings if subjects[finding.pk].token == token)
    return f"{reverse('diagnosis:timeline', args=[case.key])}#{anchor(found)}"
