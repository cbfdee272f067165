"""``manage.py check_integrity``: prove that rows and stored files belong together."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from apps.operations.integrity import faults, remove


class Command(BaseCommand):
    """Exit 0: nothing is wrong; 1: something is, or was until it was removed."""

    help = "Check that every row has its files, every stored file its row, and that nothing is stuck."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One switch."""
        parser.add_argument("--remove-orphans", action="store_true", help="delete stored files that no row names")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print each fault in a line, then how many of each kind there are."""
        found: Counter[str] = Counter()
        for fault in faults():
            found[fault.kind] += 1
            is_removed = fault.kind == "orphan" and options["remove_orphans"]
            if is_removed:
                remove(fault)
            self.stdout.write(f"{fault.kind:8} {fault.about}: {fault.detail}{', removed' if is_removed else ''}")
        if not found:
            self.stdout.write("rows and stored files belong together")
            return
        self.stdout.write(", ".join(f"{number} {kind}" for kind, number in sorted(found.items())))
        sys.exit(1)
