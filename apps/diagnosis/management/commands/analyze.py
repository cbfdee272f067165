"""``manage.py analyze PATH...``: read dumps and print the diagnosis, without a database, a server or an account."""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.management.base import BaseCommand, CommandError

from apps.diagnosis.engine.analysis import Input, analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from apps.diagnosis.engine.report_text import report_text


class Command(BaseCommand):
    """Exit 0: analysed; 2: a path can't be read or the arguments are wrong."""

    help = "Analyse files, folders, archives or '-' (standard input) and print a report, or JSON with --json."
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own attribute

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Arguments as documented in the README."""
        parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, archive, or - for standard input")
        parser.add_argument("--json", action="store_true", help="print JSON (lockscope.analysis/1)")
        parser.add_argument("--summary", action="store_true", help="with --json: leave out the long lists")
        parser.add_argument("--node", help="name of the node all inputs come from")
        parser.add_argument("--tz", help="zone of clocks that print none, such as Europe/Berlin")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        try:
            clock = Clock(ZoneInfo(options["tz"]) if options["tz"] else None)
        except (ZoneInfoNotFoundError, ValueError):
            raise CommandError(f"--tz: no zone is named {options['tz']}", returncode=2) from None
        with tempfile.TemporaryDirectory(prefix="lockscope-") as folder:
            inputs = self._inputs(options["paths"], Path(folder))
            workspace = Path(folder) / "facts"
            report = analyse(inputs, workspace, node=options["node"], clock=clock, summary=options["summary"])
            pieces = report.write() if options["json"] else report_text(report)
            for piece in pieces:
                self.stdout.write(piece, ending="")

    def _inputs(self, paths: list[str], folder: Path) -> list[Input]:
        for path in paths:
            if path != "-" and not Path(path).exists():
                raise CommandError(f"{path}: no such file or folder", returncode=2)
        inputs: list[Input] = []
        for path in paths:
            inputs.extend([self._standard_input(folder)] if path == "-" else inputs_of([path]))
        for one in inputs:
            try:
                one.open().close()
            except OSError as error:
                raise CommandError(f"{one.path}: {error.strerror or 'can not be read'}", returncode=2) from None
        return inputs

    def _standard_input(self, folder: Path) -> Input:
        spool = folder / "standard-input"
        with spool.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)

        def opened() -> BinaryIO:
            return spool.open("rb")

        return Input("-", opened)
