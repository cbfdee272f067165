"""What people say to findings and kinds of waits, for programs."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api import described
from apps.api.access import case_endpoint
from apps.api.serializers import JudgementSerializer
from apps.api.views import live
from apps.api.views_found import diagnosis_of
from apps.cases.models import Case
from apps.diagnosis.models import Judgement
from apps.diagnosis.pages.judging.judgements import Judged, Judgements, judge, subject_of
from apps.web.errors import DomainError


@described.judgements
@case_endpoint(["GET", "POST"])
def judgements(request: Request, case: Case, judged: str) -> Response:
    """GET: what was said, latest first. POST: agree, dispute, set aside (both with a reason), or withdraw what was
    said.
    """
    subject, title, nodes = _subject(case, judged)
    if request.method == "GET":
        return Response({"title": title, "results": JudgementSerializer(Judgements(case).of(subject), many=True).data})
    given = JudgementSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    fields: dict[str, Any] = given.validated_data
    by: Any = request.user
    row = judge(
        case=live(case), subject=subject, title=title, nodes=nodes, word=fields["word"], why=fields["why"], by=by
    )
    return Response(JudgementSerializer(row).data, status=201)


def _subject(case: Case, judged: str) -> Judged:
    """A finding or a kind of waits; what the present diagnosis does not hold is not there."""
    diagnosis = diagnosis_of(case)
    for about in Judgement.About.values:
        try:
            return subject_of(diagnosis, about, judged)
        except DomainError:
            continue
    raise Http404
