from __future__ import annotations

from django.urls import path

from apps.operations import views

app_name = "operations"

urlpatterns = [
    path("metrics", views.metrics, name="metrics"),
    path("operations/", views.work, name="work"),
    path("operations/retry/", views.retry, name="retry"),
]
