from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

from apps.diagnosis.site_knowledge import in_force


class DiagnosisConfig(AppConfig):
    name = "apps.diagnosis"

    def ready(self) -> None:
        """What the site knows counts from the first file that is read."""
        if settings.KNOWLEDGE_DIR is not None:
            in_force(settings.KNOWLEDGE_DIR)
