from __future__ import annotations

from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "apps.learning"
