"""``manage.py analyze PATH...`` as a command of Django: its help, and options that every command has."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.diagnosis.analyze_call import RefusedError, add_arguments, print_analysis


class Command(BaseCommand):
    """Exit 0: analysed; 2: a path can't be read or the arguments are wrong."""

    help = "Analyse files, folders, archives or '-' (standard input) and print a report, or JSON with --json."
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """As without Django."""
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        self.stdout.ending = ""
        try:
            print_analysis(Namespace(**options), self.stdout)
        except RefusedError as error:
            raise CommandError(str(error), returncode=2) from None
