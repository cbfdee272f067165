from __future__ import annotations

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "apps.api"

    def ready(self) -> None:
        """Tokens end with the password of their person."""
        from apps.accounts.services import password_ended
        from apps.api.services import end_tokens

        password_ended.connect(lambda user, **_: end_tokens(user), weak=False)
