"""``manage.py check_knowledge FOLDER``: whether the entries of a folder can be used, without a database or a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from parsers.messages.site_entries import read_folder


class Command(BaseCommand):
    """Exit 0: every entry can be used; 1: one is refused; 2: there is no such folder."""

    help = "Check the entries (*.toml) of a folder of knowledge, and say why one is refused."
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """The folder."""
        parser.add_argument("folder", metavar="FOLDER", help="folder with the files of entries")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        folder = Path(options["folder"])
        if not folder.is_dir():
            raise CommandError(f"{folder}: no such folder", returncode=2)
        entries, refused = read_folder(folder)
        for reason in refused:
            self.stdout.write(reason)
        self.stdout.write(f"entries that can be used: {len(entries.all)}; refused: {len(refused)}")
        if entries.version:
            self.stdout.write(f"version {entries.version}")
        if refused:
            raise SystemExit(1)
