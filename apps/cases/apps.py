from __future__ import annotations

from django.apps import AppConfig


class CasesConfig(AppConfig):
    name = "apps.cases"
