"""The files of a case: bundles, what is in them, how far reading them is, what could not be read."""

from __future__ import annotations

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from apps.audit.services import record
from apps.cases import storage
from apps.cases.access import Role, case_access
from apps.cases.files.downloads import as_attachment
from apps.cases.files.rows import list_files
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.web.htmx import render_page


@require_GET
@case_access(Role.VIEWER)
def files(request: HttpRequest, case: Case) -> HttpResponse:
    context = {"case": case, "head": case_head(case, current="files"), "files": list_files(case, request.GET)}
    return render_page(request, "cases/files.html", partial="cases/_files.html", context=context)


@require_GET
@case_access(Role.VIEWER)
def bundle_download(request: HttpRequest, case: Case, bundle_id: int) -> HttpResponseBase:
    bundle = get_object_or_404(case.bundles.select_related("duplicate_of"), pk=bundle_id)
    source = bundle.duplicate_of or bundle
    get_object_or_404(case.bundles.exclude(stored=""), pk=source.pk)
    record("bundle.downloaded", case=case, request=request, filename=bundle.filename)
    return as_attachment(FileResponse(storage.open_file(source.stored)), bundle.filename)
