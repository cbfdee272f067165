"""Print the path of a link that signs in once. The first time, it makes the local administrator."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.models import User
from apps.accounts.second_factor import remove_second_factors
from apps.accounts.services import SIGN_IN_PATH, first_user, make_sign_in_token
from apps.web.errors import DomainError


class Command(BaseCommand):
    help = "Print the path of a sign-in link that works once, for the first administrator or for --user NAME."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="an existing, active account")
        parser.add_argument(
            "--without-second-factor", action="store_true", help="take the account's second factors away first"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        account = self._account(options["user"])
        if options["without_second_factor"]:
            remove_second_factors(account, by=None)
        token = make_sign_in_token(account)
        self.stdout.write(SIGN_IN_PATH.format(token=token))

    def _account(self, name: str | None) -> User:
        try:
            if name is None:
                return first_user()
            return User.objects.get(username__iexact=name, is_active=True)
        except DomainError as error:
            raise CommandError(error.message) from error
        except User.DoesNotExist:
            raise CommandError("There is no active account with this name.") from None
