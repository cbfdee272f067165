from __future__ import annotations

from django.urls import path

from apps.web import views

app_name = "web"

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("version", views.version, name="version"),
]
