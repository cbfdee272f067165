"""Addresses of what teams know."""

from __future__ import annotations

from django.urls import path

from apps.diagnosis.pages.learning import spreading, views, writing

app_name = "learning"
urlpatterns = [
    path("unjudged/", views.nobody_judged, name="unjudged"),
    path("teams/<slug:slug>/knowledge/", views.entries, name="entries"),
    path("teams/<slug:slug>/knowledge/new/", writing.new, name="new"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/", views.entry, name="entry"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/edit/", writing.edit, name="edit"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/look/", writing.look, name="look"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/propose/", views.propose, name="propose"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/in-force/", views.put_in_force, name="put_in_force"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/withdraw/", views.withdraw, name="withdraw"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/offer/", spreading.offer, name="offer"),
    path("teams/<slug:slug>/knowledge/<int:entry_id>/file/", spreading.one_file, name="file"),
    path("teams/<slug:slug>/knowledge/pack/", spreading.pack, name="pack"),
    path("teams/<slug:slug>/knowledge/upload/", spreading.upload, name="upload"),
    path("knowledge/site/", spreading.of_site, name="site"),
    path("knowledge/site/<int:entry_id>/accept/", spreading.accept, name="accept"),
    path("knowledge/site/<int:site_entry_id>/withdraw/", spreading.leave_out, name="leave_out"),
    path("cases/<slug:key>/files/<int:artifact_id>/means/", writing.means, name="means"),
    path("cases/<slug:key>/waits/<slug:token>/means/", writing.means_wait, name="means_wait"),
]
