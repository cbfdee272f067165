"""``manage.py check_audit``: prove that no event of the trail was changed or taken out."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.audit import chain
from apps.audit.triggers import missing


class Command(BaseCommand):
    """Exit 0: all is as it was written; 1: something is not."""

    help = "Check the hashes of the audit trail, and print its last place, to be kept out of this installation's reach."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What an earlier run printed."""
        parser.add_argument("--since", metavar="PLACE:DIGEST", default="", help="as an earlier run printed it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print each fault in a line, then the last place."""
        found = [*(f"the trigger {name} is gone" for name in missing()), *chain.faults()]
        place, _, digest = options["since"].partition(":")
        if options["since"]:
            if not (place.isascii() and place.isdigit() and len(place) < 19):
                raise CommandError("--since has the form PLACE:DIGEST")
            if not chain.holds(int(place), digest):
                found.append(f"place {place} is not as it was noted: events were taken out or the chain was rebuilt")
        chain.extend()
        for fault in found:
            self.stdout.write(fault)
        position, digest = chain.head()
        self.stdout.write(f"{position}:{digest}")
        if found:
            sys.exit(1)
