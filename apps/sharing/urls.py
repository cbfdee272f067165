"""Addresses of sharing: the pages of a case's team, and the shared page under its token."""

from __future__ import annotations

from django.urls import path

from apps.sharing import views, views_examples, views_raw, views_shared

app_name = "sharing"
urlpatterns = [
    path("links/", views.own_links, name="links"),
    path("cases/<slug:key>/share/", views.dialog, name="dialog"),
    path("cases/<slug:key>/reply/", views.reply, name="reply"),
    path("cases/<slug:key>/share/preview/", views.preview_of, name="preview"),
    path("cases/<slug:key>/share/revoke/", views.revoke_every, name="revoke_all"),
    path("cases/<slug:key>/share/<int:link_id>/revoke/", views.revoke, name="revoke"),
    path("cases/<slug:key>/share/<int:link_id>/end/", views.end, name="end"),
    path("cases/<slug:key>/example/", views_examples.keep, name="example_keep"),
    path("teams/<slug:slug>/examples/", views_examples.examples, name="examples"),
    path("teams/<slug:slug>/examples/check/", views_examples.check, name="examples_check"),
    path("teams/<slug:slug>/examples/<int:example_id>/remove/", views_examples.remove, name="example_remove"),
    path("s/<str:token>/", views_shared.page, name="page"),
    path("s/<str:token>/unlock/", views_shared.unlock, name="unlock"),
    path("s/<str:token>/timeline.json", views_shared.timeline_json, name="timeline_json"),
    path("s/<str:token>/files/", views_raw.files, name="files"),
    path("s/<str:token>/files/<int:artifact_id>/", views_raw.file, name="file"),
    path("s/<str:token>/files/<int:artifact_id>/lines/", views_raw.file_lines, name="file_lines"),
    path("s/<str:token>/files/<int:artifact_id>/raw/", views_raw.file_raw, name="file_raw"),
    path("s/<str:token>/notes/", views_raw.notes, name="notes"),
    path("s/<str:token>/<slug:name>/", views_shared.part, name="part"),
]
