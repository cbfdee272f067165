"""Addresses of the pages of teams."""

from __future__ import annotations

from django.urls import path

from apps.accounts import team_views

app_name = "teams"

urlpatterns = [
    path("", team_views.teams, name="list"),
    path("<slug:slug>/", team_views.team_page, name="team"),
    path("<slug:slug>/rename/", team_views.rename, name="rename"),
    path("<slug:slug>/members/", team_views.member_add, name="member_add"),
    path("<slug:slug>/members/<int:membership_id>/remove/", team_views.member_remove, name="member_remove"),
    path("<slug:slug>/invitations/", team_views.invitation_make, name="invite"),
    path("<slug:slug>/invitations/<int:invitation_id>/withdraw/", team_views.invitation_withdraw, name="withdraw"),
]
