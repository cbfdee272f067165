"""Addresses of uploading."""

from __future__ import annotations

from django.urls import path

from apps.ingest.views import pages, tus

app_name = "ingest"
urlpatterns = [
    path("upload/", pages.upload, name="upload"),
    path("upload/sample/", pages.sample, name="sample"),
    path("upload/known/", pages.known, name="known"),
    path("upload/resumable/", tus.resumable, name="resumable"),
    path("upload/resumable/<str:name>/", tus.resumable_one, name="resumable_one"),
    path("upload/resumable/<str:name>/discard/", pages.discard, name="discard"),
    path("cases/<slug:key>/upload/", pages.add, name="add"),
    path("cases/<slug:key>/upload/state/", pages.reading, name="reading"),
    path("cases/<slug:key>/upload/retry/<int:artifact_id>/", pages.retry, name="retry"),
    path("cases/<slug:key>/upload/unpack/<int:bundle_id>/", pages.unpack_again, name="unpack_again"),
    path("cases/<slug:key>/files/<int:artifact_id>/reparse/", pages.reparse_file, name="reparse_file"),
    path("cases/<slug:key>/reparse/", pages.reparse_case, name="reparse_case"),
    path("cases/<slug:key>/upload/diagnose/", pages.diagnose_again, name="diagnose_again"),
]
