"""Addresses of sharing: the pages of a case's team, and the shared page under its token."""

from __future__ import annotations

from django.urls import path

from apps.sharing import views

app_name = "sharing"
urlpatterns = [
    path("cases/<slug:key>/share/", views.dialog, name="dialog"),
    path("cases/<slug:key>/share/<int:link_id>/revoke/", views.revoke, name="revoke"),
    path("s/<str:token>/", views.page, name="page"),
    path("s/<str:token>/timeline.json", views.timeline_json, name="timeline_json"),
    path("s/<str:token>/<slug:name>/", views.part, name="part"),
]
