"""Each table of a case as CSV."""

from __future__ import annotations

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.diagnosis.pages.export.tables import TABLES, csv_table
from apps.diagnosis.pages.timeline.views import NOT_READ_YET
from apps.web.csv_files import csv_response
from apps.web.errors import DomainError


@require_GET
@case_access(Role.VIEWER)
def table_csv(request: HttpRequest, case: Case, name: str) -> StreamingHttpResponse:
    """A table by its name."""
    if name not in TABLES:
        raise Http404
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    return csv_response(csv_table(case.current_diagnosis, name), f"{case.key}-{name}.csv")
