from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "apps.web"

    def ready(self) -> None:
        """Make Celery's application the current one, so that `delay` in a view reaches our broker."""
        from config import celery  # noqa: F401 - it reads the settings, which are complete only now
