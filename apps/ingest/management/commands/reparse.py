"""``manage.py reparse``: read stored texts again after a parser changed, by the tasks that read them first."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count

from apps.cases.models import Artifact, ArtifactQuerySet, Bundle, Case
from apps.ingest.reading.outcomes import parser_version
from apps.ingest.tasks import reparse, unpack_anew

NEVER_READ = "never read"


class Command(BaseCommand):
    """A worker has to run: this only queues."""

    help = "Parse stored texts again with the present parsers: of a case, one file, or everything."

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--case", metavar="KEY", help="all files of one case")
        chosen.add_argument("--artifact", metavar="ID", type=int, help="one file, by the number in its address")
        chosen.add_argument("--all", action="store_true", help="all files of all cases")
        parser.add_argument(
            "--changed", action="store_true", help="only files that were read by other versions of the parsers"
        )
        parser.add_argument(
            "--unpack",
            action="store_true",
            help="walk the stored bundles too, for files that could not be opened before",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be read, and queue nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Say which versions read the files so far, and queue them."""
        files = self._files(options)
        if options["changed"]:
            files = files.exclude(parser_version=parser_version())
        self._print_stamps(files)
        if options["dry_run"]:
            return
        self.stdout.write(f"{_plural(reparse(files), 'file')} queued, to be read by version {parser_version()}")
        if options["unpack"]:
            bundles = Bundle.objects.filter(artifacts__in=self._files(options)).distinct()
            self.stdout.write(f"{_plural(unpack_anew(bundles), 'bundle')} queued to be unpacked again")

    def _files(self, options: dict[str, Any]) -> ArtifactQuerySet:
        files = Artifact.objects.originals().filter(case__trashed_at__isnull=True)
        if options["case"] is not None:
            if not Case.objects.live().filter(key=options["case"]).exists():
                raise CommandError(f"--case: there is no case {options['case']}", returncode=2)
            return files.filter(case__key=options["case"])
        if options["artifact"] is not None:
            found = Artifact.objects.filter(pk=options["artifact"]).first()
            if found is None:
                raise CommandError(f"--artifact: there is no file {options['artifact']}", returncode=2)
            return files.filter(pk=found.duplicate_of_id or found.pk)
        return files

    def _print_stamps(self, files: ArtifactQuerySet) -> None:
        rows = files.exclude(blob="").order_by("case__key", "parser_version").values_list("case__key", "parser_version")
        for key, version, count in rows.annotate(n=Count("pk")):
            state = "as now" if version == parser_version() else f"now {parser_version()}"
            self.stdout.write(f"{key}: {_plural(count, 'file')} read by version {version or NEVER_READ} ({state})")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
