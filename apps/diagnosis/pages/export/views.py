"""What leaves a case as a file: Markdown, JSON, one HTML file; and the page to print."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from apps.audit.services import record
from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.diagnosis.engine.core.collecting import scripts
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.export.report import as_json, markdown, report_context
from apps.diagnosis.pages.export.two_page_report import brief_context
from apps.diagnosis.pages.timeline.views import NOT_READ_YET
from apps.web.errors import DomainError

CSS: Final = Path(settings.BASE_DIR) / "static" / "css"
PARTS: Final = ("page", "badge", "chip", "card", "table", "verdict", "finding", "tuning", "command", "report", "print")
SHEETS: Final = ("tokens.css", "base.css", *(f"components/{name}.css" for name in PARTS))
COPY_BUTTON: Final = re.compile(r'<button class="copy"[^>]*>.*?</button>', re.DOTALL)
STYLES_HERE: Final = "<!-- styles -->"


def _diagnosis(case: Case) -> Diagnosis:
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    return case.current_diagnosis


def _download(response: HttpResponse, case: Case, kind: str, request: HttpRequest) -> HttpResponse:
    """As a file, with an entry in the history of the case."""
    response["Content-Disposition"] = f'attachment; filename="{case.key}.{kind}"'
    record("case.exported", case=case, request=request, kind=kind)
    return response


def _markdown(request: HttpRequest, case: Case) -> HttpResponse:
    text = markdown(case, _diagnosis(case))
    return _download(HttpResponse(text, content_type="text/markdown; charset=utf-8"), case, "md", request)


def _json(request: HttpRequest, case: Case) -> HttpResponse:
    found = as_json(case, _diagnosis(case))
    return _download(JsonResponse(found, json_dumps_params={"ensure_ascii": False, "indent": 1}), case, "json", request)


def _html(request: HttpRequest, case: Case) -> HttpResponse:
    """One file with its styles in it: no script, no address, nothing is fetched when it is opened."""
    page: str = render_to_string("diagnosis/report_file.html", report_context(case, _diagnosis(case)))
    page = COPY_BUTTON.sub("", page)  # without a script it would do nothing
    response = HttpResponse(
        page.replace(STYLES_HERE, f"<style>{styles()}</style>", 1), content_type="text/html; charset=utf-8"
    )
    return _download(response, case, "html", request)


EXPORTS: Final[dict[str, Callable[[HttpRequest, Case], HttpResponse]]] = {"md": _markdown, "json": _json, "html": _html}
"""By the ending of the file, for pages and programs."""


@require_GET
@case_access(Role.VIEWER)
def export_markdown(request: HttpRequest, case: Case) -> HttpResponse:
    """For the ticket."""
    return _markdown(request, case)


@require_GET
@case_access(Role.VIEWER)
def export_json(request: HttpRequest, case: Case) -> HttpResponse:
    """For programs."""
    return _json(request, case)


@require_GET
@case_access(Role.VIEWER)
def export_html(request: HttpRequest, case: Case) -> HttpResponse:
    """To carry along."""
    return _html(request, case)


@require_GET
@case_access(Role.VIEWER)
def report_page(request: HttpRequest, case: Case) -> HttpResponse:
    """To read or to print: two pages, or all of it with ``?whole=1``."""
    is_whole = request.GET.get("whole") == "1"
    if case.current_diagnosis is None:
        return render(request, "diagnosis/report.html", {"case": case}, status=404)
    context = (report_context if is_whole else brief_context)(case, _diagnosis(case))
    return render(request, "diagnosis/report.html", {**context, "is_whole": is_whole})


@require_GET
@case_access(Role.VIEWER)
def collect_script(request: HttpRequest, case: Case, product: str) -> HttpResponse:
    """What is missing, as a script to run on the nodes."""
    diagnosis = _diagnosis(case)
    script = next(
        (one for one in scripts(diagnosis.products, diagnosis.summary.get("missing", ())) if one.product == product),
        None,
    )
    if script is None:
        raise Http404
    response = HttpResponse(script.text, content_type="text/x-shellscript; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="collect-{product}.sh"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def styles() -> str:
    """The style sheets of the report, without comments."""
    text = "\n".join((CSS / name).read_text(encoding="utf-8") for name in SHEETS)
    return re.sub(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", "", text)
