"""``manage.py try_knowledge FOLDER BUNDLE...``: where the entries of a folder would speak, and what becomes of the
verdicts. Without a database, a server or an account.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.taught import Taught, named_waits
from apps.diagnosis.engine.report import Clock, Report
from parsers.messages.catalogue import use_entries
from parsers.messages.site_entries import KIND_ENDING, Entries, read_folder
from parsers.records import Event

LINES_SHOWN: Final = 3
UNPRINTABLE: Final = "\ufffd"
"""Customers' text does nothing in a terminal."""


class Spoken(NamedTuple):
    """An entry in a bundle: how many lines it fits, and the places of the first of them."""

    name: str
    lines: int
    places: tuple[str, ...]


class Command(BaseCommand):
    """Exit 0: tried; 1: an entry is refused; 2: a path can not be read."""

    help = "Judge bundles without and with the entries of a folder: lines that each entry fits, and both verdicts."
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """The folder and the bundles."""
        parser.add_argument("folder", metavar="FOLDER", help="folder with the files of entries")
        parser.add_argument("bundles", nargs="+", metavar="BUNDLE", help="file, folder or archive")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        for path in (options["folder"], *options["bundles"]):
            if not Path(path).exists():
                raise CommandError(f"{path}: no such file or folder", returncode=2)
        entries, refused = read_folder(Path(options["folder"]))
        if refused:
            raise CommandError("; ".join(refused), returncode=1)
        for bundle in options["bundles"]:
            for line in _tried(bundle, entries):
                self.stdout.write("".join(sign if sign.isprintable() else UNPRINTABLE for sign in line))


def _tried(bundle: str, entries: Entries) -> Iterator[str]:
    yield bundle
    before, _ = _judged(bundle, Entries())
    after, spoken = _judged(bundle, entries)
    for one in spoken:
        more = f" and {one.lines - len(one.places)} more" if one.lines > len(one.places) else ""
        yield f"  {one.name}: lines {one.lines} ({', '.join(one.places)}{more})"
    if not spoken:
        yield "  no entry fits a line"
    yield f"  verdict now:  {before}"
    yield f"  verdict then: {after}" if after != before else "  verdict then: the same"


def _judged(bundle: str, entries: Entries) -> tuple[str, list[Spoken]]:
    kept = use_entries(entries)
    try:
        with tempfile.TemporaryDirectory(prefix="lockscope-") as folder:
            report = analyse(list(inputs_of([bundle])), Path(folder), clock=Clock())
            verdict = report.diagnosis.verdict
            return verdict.title if verdict is not None else "none", list(_spoken(report))
    finally:
        use_entries(kept)


def _spoken(report: Report) -> Iterator[Spoken]:
    yield from _spoken_of_logs(report)
    taught = list(report.case.get(Taught).rows)
    taught += [rows for _, rows in named_waits(report.diagnosis.kinds) if rows is not None]
    for name in dict.fromkeys(one.entry.name for one in taught):
        alike = [one for one in taught if one.entry.name == name]
        places = [(ref.artifact, ref.line) for one in alike for ref in one.refs][:LINES_SHOWN]
        shown = tuple(f"{report.path(artifact)}:{line}" for artifact, line in places)
        yield Spoken(name, sum(one.lines for one in alike), shown)


def _spoken_of_logs(report: Report) -> Iterator[Spoken]:
    records = report.case.get(Records)
    if not records.has(Event):
        return
    rows = records.frame(Event, pl.col("kind").str.ends_with(KIND_ENDING))
    for kind, group in rows.group_by("kind", maintain_order=True):
        first = group.select("artifact", "line").head(LINES_SHOWN).rows()
        places = tuple(f"{report.path(artifact)}:{line}" for artifact, line in first)
        yield Spoken(str(kind[0]).removesuffix(KIND_ENDING), len(group), places)
