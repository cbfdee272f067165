"""`manage.py retain`: remove the cases that their teams no longer keep, as the hourly task does."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from apps.cases.lifetime.retention import due_cases, retain
from apps.privacy.models import Retention


class Command(BaseCommand):
    help = (
        "Removes cases that nobody has changed for the days of their team's rule, and prints a line with the "
        "hash of the proof for each."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would go and what a legal hold keeps")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        if options["dry_run"]:
            self._say()
            return
        for proof in retain():
            self.stdout.write(
                f"{proof.case_key} removed, {proof.report['rows_total']} rows, proof {proof.pk} sha256 {proof.sha256}"
            )

    def _say(self) -> None:
        for rule in Retention.objects.select_related("team").order_by("pk"):
            for case in due_cases(rule).order_by("updated_at"):
                self.stdout.write(
                    f"{case.key} of {rule.team.slug}: "
                    f"{'kept by its legal hold' if case.is_held else 'would be removed'}"
                )
