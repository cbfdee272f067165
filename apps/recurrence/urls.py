from __future__ import annotations

from django.urls import path

from apps.recurrence import views

app_name = "recurrence"
urlpatterns = [path("signatures/<slug:digest>/", views.signature_page, name="signature")]
