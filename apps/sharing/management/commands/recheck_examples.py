"""``manage.py recheck_examples``: judge the examples of all teams again, and say which verdicts changed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.learning.models import Example
from apps.sharing.examples import recheck


class Command(BaseCommand):
    """Exit 0: every verdict is as expected; 1: one is not."""

    help = "Judge the kept examples with this release and the entries in force, and name those whose verdict changed."

    def add_arguments(self, parser: CommandParser) -> None:
        """Of one team only."""
        parser.add_argument("--team", help="slug of the team whose examples are looked at; without it all")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it."""
        rows = Example.objects.select_related("team").order_by("team__slug", "pk")
        if options["team"]:
            rows = rows.filter(team__slug=options["team"])
        changed = 0
        for row in rows:
            after = recheck(row)
            if not after.is_as_expected:
                changed += 1
                self.stdout.write(f"{row.team.slug}: expected {row.expected['title']}")
                self.stdout.write(f"{row.team.slug}: found    {after.found['title']}")
        self.stdout.write(f"examples: {len(rows)}; changed: {changed}")
        if changed:
            raise SystemExit(1)
