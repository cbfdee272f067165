"""Print the address that the provider of single sign-on sends people back to."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.accounts.sso_address import callback_path


class Command(BaseCommand):
    help = "Print the callback address to register with the OpenID Connect provider."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.OIDC.is_on:
            raise CommandError("LOCKSCOPE_OIDC_ISSUER is not set.")
        self.stdout.write(f"{settings.BASE_URL}{callback_path()}")
