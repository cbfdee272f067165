"""Addresses of webhooks, below the page of their team."""

from __future__ import annotations

from django.urls import path

from apps.webhooks import views

app_name = "webhooks"

urlpatterns = [
    path("<slug:slug>/webhooks/", views.webhooks, name="list"),
    path("<slug:slug>/webhooks/<int:webhook_id>/test/", views.test, name="test"),
    path("<slug:slug>/webhooks/<int:webhook_id>/remove/", views.remove, name="remove"),
]
