"""``manage.py backup FOLDER``: all rows and stored files, while the program runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.operations.backup import BackupError, backup, remove_unfinished


class Command(BaseCommand):
    """Exit 0: the folder holds all; else it says why, and the folder is gone."""

    help = (
        "Write all rows and stored files into a new folder. It holds customers' data: keep it as well as the originals."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One folder."""
        parser.add_argument("folder", type=Path, help="a folder that is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it."""
        folder: Path = options["folder"]
        try:
            made = backup(folder)
        except BackupError as error:
            raise CommandError(str(error)) from None
        except Exception:
            remove_unfinished(folder)
            raise
        rows = sum(made["rows"].values())
        gone = f"; {made['gone_meanwhile']} files went meanwhile" if made["gone_meanwhile"] else ""
        self.stdout.write(f"{rows} rows and {made['files']} files, {made['bytes']} bytes, in {folder}{gone}")
