"""``manage.py verify REPORT BUNDLE...``: which sentences of an exported report still hold, without a database, a server
or an account.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.diagnosis.engine.analysis import inputs_of
from apps.diagnosis.pages.export.report_reader import NotAReportError, Sentence, sentences
from apps.diagnosis.pages.export.verifying import Verified, verify

REPORT_BYTES: Final = 256 << 20
UNPRINTABLE: Final = "\ufffd"
"""Customers' text does nothing in a terminal."""
WORDS: Final = {"holds": "holds", "fails": "DOES NOT HOLD", "open": "names no line"}


class Command(BaseCommand):
    """Exit 0: every sentence that names lines holds; 1: one does not; 2: the report or the bundle can't be read."""

    help = (
        "Look up every line that an exported report (Markdown, JSON, HTML) names in the bundle, and say "
        "which sentences still hold."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments as documented in the README."""
        parser.add_argument("report", metavar="REPORT", help="a report as exported: .md, .json or .html")
        parser.add_argument(
            "bundles", nargs="+", metavar="BUNDLE", help="file, folder or archive that the report was made from"
        )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Wrong arguments are reported in one line."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.error = _refused  # type: ignore[method-assign]  # argparse offers no other way to leave the usage out
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        report = _read(Path(options["report"]))
        for bundle in options["bundles"]:
            if not (Path(bundle).is_file() or Path(bundle).is_dir()):
                raise CommandError(f"{bundle}: no such file or folder", returncode=2)
        try:
            found = verify(report, inputs_of(options["bundles"]))
        except OSError as error:
            raise CommandError(
                f"{error.filename or 'the bundle'}: {error.strerror or 'can not be read'}", returncode=2
            ) from None
        for line in _printed(found):
            self.stdout.write("".join(sign if sign.isprintable() else UNPRINTABLE for sign in line))
        if any(one.outcome == "fails" for one in found):
            raise SystemExit(1)


def _refused(message: str) -> NoReturn:
    sys.stderr.write(f"verify: {message}\n")
    raise SystemExit(2)


def _read(path: Path) -> list[Sentence]:
    try:
        if path.stat().st_size > REPORT_BYTES:
            raise CommandError(f"{path}: larger than any report", returncode=2)
        return sentences(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or 'can not be read'}", returncode=2) from None
    except NotAReportError as error:
        raise CommandError(f"{path}: {error}", returncode=2) from None


def _printed(found: list[Verified]) -> Iterator[str]:
    for one in found:
        yield f"{WORDS[one.outcome]}: {one.sentence.text}"
        for line in one.lines:
            if line.why:
                yield f"    {line.place}: {line.why}"
    counts = {outcome: sum(one.outcome == outcome for one in found) for outcome in WORDS}
    lines = sum(len(one.lines) for one in found)
    report = (
        f"{counts['holds']} of {len(found)} sentences hold, {counts['fails']} do not, {counts['open']} name no line"
    )
    yield f"{report}; {lines} lines looked up."
