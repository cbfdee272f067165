"""``manage.py restore FOLDER``: what ``manage.py backup`` wrote, into an empty installation."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.operations.backup import BackupError, restore


class Command(BaseCommand):
    """Exit 0: all is back; else nothing is, and it says why."""

    help = "Read a backup back into a new database (after `manage.py migrate`) and an empty storage."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One folder."""
        parser.add_argument("folder", type=Path, help="what manage.py backup wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read it."""
        try:
            made = restore(options["folder"])
        except BackupError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{sum(made['rows'].values())} rows and {made['files']} files are back, as of {made['made_at']}"
        )
