"""Addresses of the diagnosis pages."""

from __future__ import annotations

from django.urls import path

from apps.diagnosis import views

app_name = "diagnosis"
urlpatterns = [
    path("cases/<slug:key>/", views.timeline_page, name="timeline"),
    path("cases/<slug:key>/timeline.json", views.timeline_json, name="timeline_json"),
    path("cases/<slug:key>/evidence/", views.evidence, name="evidence"),
    path("cases/<slug:key>/state/", views.state, name="state"),
    path("cases/<slug:key>/waiters/", views.waiters_page, name="waiters"),
    path("cases/<slug:key>/waiters.csv", views.waiters_csv, name="waiters_csv"),
]
