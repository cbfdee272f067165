from __future__ import annotations

from django.apps import AppConfig


class RecurrenceConfig(AppConfig):
    name = "apps.recurrence"
