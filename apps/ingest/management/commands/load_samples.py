"""``manage.py load_samples``: put the sample cases in, through the same pipeline as any upload."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.accounts.models import Team
from apps.cases.models import Case
from apps.cases.services import create_case
from apps.ingest.samples import SAMPLES
from apps.ingest.scheduling import diagnoses
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads import receive

PAUSE_S = 0.25


class Command(BaseCommand):
    """A sample that is there already, also in the trash, is left as it is."""

    help = "Load the sample cases and wait until they are diagnosed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("--team", default="", help="slug of the team that gets them; default: the first team")
        parser.add_argument(
            "--wait", type=float, default=60.0, metavar="SECONDS", help="how long to wait for the diagnoses"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Store, queue, wait."""
        team = (
            Team.objects.filter(slug=options["team"]).first()
            if options["team"]
            else Team.objects.order_by("pk").first()
        )
        if team is None:
            raise CommandError("There is no such team. Make one first: manage.py sign_in_link makes the team Support.")
        made = [self._load(sample, team) for sample in SAMPLES if not Case.objects.filter(key=sample.key).exists()]
        if not self._settled(made, options["wait"]):
            raise CommandError("The sample cases are stored and still being read; a worker must run for that.")

    def _load(self, sample: Any, team: Team) -> Case:
        case = create_case(team=team, title=sample.title, customer=sample.customer, key=sample.key, is_sample=True)
        queue_bundle(receive.store_bytes(case, sample.build(), filename=sample.filename, user=None))
        return case

    def _settled(self, cases: list[Case], wait_s: float) -> bool:
        end = time.monotonic() + wait_s
        waiting = [case.pk for case in cases]
        while waiting and time.monotonic() < end:
            time.sleep(PAUSE_S)
            waiting = [pk for pk in waiting if diagnoses.is_awaited(pk)]
        return not waiting
