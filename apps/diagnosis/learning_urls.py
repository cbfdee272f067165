"""Addresses of what teams know."""

from __future__ import annotations

from django.urls import path

from apps.diagnosis.pages.learning import views

app_name = "learning"
urlpatterns = [
    path("teams/<slug:slug>/knowledge/", views.entries, name="entries"),
    path("teams/<slug:slug>/knowledge/new/", views.new, name="new"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/", views.entry, name="entry"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/edit/", views.edit, name="edit"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/propose/", views.propose, name="propose"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/in-force/", views.put_in_force, name="put_in_force"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/withdraw/", views.withdraw, name="withdraw"),
    path("cases/<slug:key>/files/<int:artifact_id>/means/", views.means, name="means"),
]
