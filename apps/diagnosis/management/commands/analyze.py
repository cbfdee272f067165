"""``manage.py analyze PATH...``: read dumps and print the diagnosis, without a database, a server or an account."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISFIFO, S_ISREG
from typing import Any, BinaryIO, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.diagnosis.engine.analysis import Input, analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from apps.diagnosis.engine.report_text import report_text
from parsers.messages.catalogue import entries_in_force, use_entries
from parsers.messages.site_entries import read_folder

GC_ALLOCATIONS = 100_000
"""Reading makes millions of tuples that no cycle holds; looking for cycles after each 700 would take a tenth of the
time.
"""

FOLDER_OF_ENTRIES = "LOCKSCOPE_KNOWLEDGE_DIR"


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

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Wrong arguments are reported in one line."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.error = _refused  # type: ignore[method-assign]  # argparse offers no other way to leave the usage out
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        gc.freeze()  # modules stay until the end
        gc.set_threshold(GC_ALLOCATIONS, 20, 50)
        gc.enable()
        _take_entries(os.environ.get(FOLDER_OF_ENTRIES, ""))
        clock = Clock(_zone(options["tz"]) if options["tz"] is not None else None)
        with tempfile.TemporaryDirectory(prefix="lockscope-") as folder:
            inputs = self._inputs(options["paths"], Path(folder))
            workspace = Path(folder) / "facts"
            report = analyse(inputs, workspace, node=options["node"], clock=clock, summary=options["summary"])
            self._print(report.write() if options["json"] else report_text(report))

    def _print(self, pieces: Iterator[str]) -> None:
        try:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            self.stdout.flush()
        except BrokenPipeError:  # the reader (head, less) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _inputs(self, paths: list[str], folder: Path) -> list[Input]:
        for path in paths:
            _refuse(path, paths)
        inputs: list[Input] = []
        for number, path in enumerate(paths):
            if path == "-":
                inputs.append(_spooled("-", sys.stdin.buffer, folder / f"spool-{number}"))
            elif Path(path).is_fifo():
                with Path(path).open("rb") as pipe:
                    inputs.append(_spooled(path, pipe, folder / f"spool-{number}"))
            else:
                inputs.extend(inputs_of([path]))
        for one in inputs:
            try:
                one.open().close()
            except OSError as error:
                raise CommandError(f"{one.path}: {error.strerror or 'can not be read'}", returncode=2) from None
        return inputs


def _take_entries(folder: str) -> None:
    """Judge with the entries of the site: this command runs without the settings, which know their folder."""
    if not folder or entries_in_force().all:
        return
    entries, refused = read_folder(Path(folder))
    if refused:
        raise CommandError(f"{FOLDER_OF_ENTRIES}: {'; '.join(refused)}", returncode=2)
    use_entries(entries)


def _refused(message: str) -> NoReturn:
    sys.stderr.write(f"analyze: {message}\n")
    raise SystemExit(2)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise CommandError(f"--tz: no zone is named {name}", returncode=2) from None


def _refuse(path: str, paths: list[str]) -> None:
    """End where a path can't be analysed: it is not there, is a device, or is the standard input a second time."""
    if path == "-":
        if paths.count("-") > 1:
            raise CommandError("-: standard input can be read only once", returncode=2)
        return
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = (
            "no such file or folder"
            if isinstance(error, FileNotFoundError)
            else getattr(error, "strerror", None) or "can not be read"
        )
        raise CommandError(f"{path}: {reason}", returncode=2) from None
    if not (S_ISREG(mode) or S_ISDIR(mode) or S_ISFIFO(mode)):
        raise CommandError(f"{path}: neither a file nor a folder", returncode=2)


def _spooled(path: str, stream: BinaryIO, spool: Path) -> Input:
    """A stream that can be read once, kept in a temporary file: findings need a second look at their lines."""
    with spool.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)

    def opened() -> BinaryIO:
        return spool.open("rb")

    return Input(path, opened)
