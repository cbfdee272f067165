"""Addresses of uploading."""

from __future__ import annotations

from django.urls import path

from apps.ingest import uploads_tus, views

app_name = "ingest"
urlpatterns = [
    path("upload/", views.upload, name="upload"),
    path("upload/known/", views.known, name="known"),
    path("upload/resumable/", uploads_tus.resumable, name="resumable"),
    path("upload/resumable/<str:name>/", uploads_tus.resumable_one, name="resumable_one"),
    path("upload/resumable/<str:name>/discard/", views.discard, name="discard"),
    path("cases/<slug:key>/upload/", views.add, name="add"),
    path("cases/<slug:key>/upload/state/", views.reading, name="reading"),
    path("cases/<slug:key>/upload/retry/<int:artifact_id>/", views.retry, name="retry"),
    path("cases/<slug:key>/upload/unpack/<int:bundle_id>/", views.unpack_again, name="unpack_again"),
    path("cases/<slug:key>/files/<int:artifact_id>/reparse/", views.reparse_file, name="reparse_file"),
    path("cases/<slug:key>/reparse/", views.reparse_case, name="reparse_case"),
    path("cases/<slug:key>/upload/diagnose/", views.diagnose_again, name="diagnose_again"),
]
