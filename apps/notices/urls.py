"""Addresses of what a person chooses to be told; the list itself belongs to the cases."""

from __future__ import annotations

from django.urls import path

from apps.notices import views

app_name = "notices"

urlpatterns = [
    path("notices/settings/", views.choices, name="settings"),
]
