"""Make the first administrator from the environment, where there is no account yet. Runs after each migration of a
server.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.accounts.models import User
from apps.accounts.services import first_user
from apps.web.errors import DomainError


class Command(BaseCommand):
    help = (
        "Make the account LOCKSCOPE_ADMIN_USER with LOCKSCOPE_ADMIN_PASSWORD, if there is none yet and a "
        "password is set."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.FIRST_ADMIN_PASSWORD or User.objects.exists():
            return
        try:
            user = first_user()
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"The administrator {user.get_username()} can sign in.")
