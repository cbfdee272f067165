"""How fast the files of a case are read, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db.models import Count, Min, Sum
from django.utils import timezone

from apps.cases.models import Artifact, Bundle
from parsers.dataclass import dataclass

LEAST_RATE_S: Final = 0.5
OPEN: Final = ("queued", "reading")


@dataclass(frozen=True, slots=True)
class Tally:
    """Files of one bundle in one state."""

    bundle: int
    state: str
    files: int
    bytes: int
    read_bytes: int
    began: datetime | None

    @property
    def done_bytes(self) -> int:
        """Settled files count whole, also those that were not read."""
        return (
            0 if self.state == "queued" else min(self.bytes, self.read_bytes) if self.state == "reading" else self.bytes
        )


def tallies(case_id: int) -> list[Tally]:
    """Counted by the database: a bundle may hold 200,000 files."""
    rows = Artifact.objects.filter(case=case_id).order_by().values_list("bundle_id", "state")
    return [
        Tally(bundle, state, files, size or 0, read or 0, began)
        for bundle, state, files, size, read, began in rows.annotate(
            n=Count("pk"), whole=Sum("size"), read=Sum("read_bytes"), began=Min("started_at")
        )
    ]


def rate_and_left(case_id: int, counted: Sequence[Tally]) -> tuple[float | None, float | None]:
    """Bytes per second and seconds left, of the bundles in work; what was read days ago says nothing about it."""
    busy = {tally.bundle for tally in counted if tally.state in OPEN}
    batch = [tally for tally in counted if tally.bundle in busy]
    began = min((tally.began for tally in batch if tally.began), default=None)
    if began is None:
        return None, None
    seconds = (timezone.now() - began).total_seconds()
    done = sum(tally.done_bytes for tally in batch)
    if seconds < LEAST_RATE_S or not done:
        return None, None
    rate = done / seconds
    if Bundle.objects.filter(case=case_id).unsettled().exists():
        return rate, None  # how much there is to read is not known yet
    return rate, (sum(tally.bytes for tally in batch) - done) / rate
