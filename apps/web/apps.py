from __future__ import annotations

from django.apps import AppConfig

from config.places import make_places


class WebConfig(AppConfig):
    name = "apps.web"

    def ready(self) -> None:
        """Whatever runs here has its directories, and `delay` in a view reaches our broker: Celery's application is the
        current one.
        """
        from config import celery  # noqa: F401 - it reads the settings, which are complete only now

        make_places()
