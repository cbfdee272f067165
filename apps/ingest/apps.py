from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register


class IngestConfig(AppConfig):
    name = "apps.ingest"

    def ready(self) -> None:
        """Checks are read once all models are there."""
        from apps.ingest.checks import uploads_can_go_on

        register(uploads_can_go_on)
