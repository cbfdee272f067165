"""Figures for Prometheus, asked of the database each time: web nodes keep none, so any of them may be asked.

No name of a customer, case or file is in them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, F, Min, Q, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.models import ReadingBatch, ReadingWindow
from apps.web import health

WINDOW = timedelta(minutes=10)
DAY = timedelta(days=1)


def text() -> bytes:
    """All figures in the text format of Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    return generate_latest(registry)


class Figures(Collector):
    """What tells whether the program keeps up."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One family after the other."""
        now = timezone.now()
        yield from _work(now)
        yield from _reading(now)
        yield from _failures(now)
        yield _value(
            "cases",
            "Cases that are neither in the trash nor archived.",
            Case.objects.filter(trashed_at=None, archived_at=None).count(),
        )
        usage = shutil.disk_usage(settings.VAR_DIR)
        yield _value("disk_free_bytes", "Free bytes where temporary files lie.", usage.free)
        ready = GaugeMetricFamily(
            "lockscope_ready", "Whether a part that the program needs answers (1) or not (0).", labels=["part"]
        )
        for part, answers in health.readiness().items():
            ready.add_metric([part], float(answers))
        yield ready


def _work(now: datetime) -> Iterator[GaugeMetricFamily]:
    """What waits and for how long, by stage."""
    waiting = GaugeMetricFamily("lockscope_waiting", "Rows that wait for a worker.", labels=["stage"])
    oldest = GaugeMetricFamily(
        "lockscope_oldest_waiting_seconds", "How long the oldest of them has waited.", labels=["stage"]
    )
    leases = GaugeMetricFamily(
        "lockscope_expired_leases", "Rows whose worker is gone and that nobody took up yet.", labels=["stage"]
    )
    bundles = Bundle.objects.filter(state=Bundle.State.RECEIVED).aggregate(n=Count("pk"), first=Min("uploaded_at"))
    files = Artifact.objects.filter(state=Artifact.State.QUEUED).aggregate(
        n=Count("pk"), first=Min("bundle__uploaded_at")
    )
    for stage, found in (("unpack", bundles), ("read", files)):
        waiting.add_metric([stage], found["n"])
        oldest.add_metric([stage], (now - found["first"]).total_seconds() if found["first"] else 0)
    late = Q(lease_until__lt=now)
    leases.add_metric(["unpack"], Bundle.objects.filter(late, state=Bundle.State.EXPANDING).count())
    windows = ReadingWindow.objects.filter(late, state=ReadingWindow.State.READING).count()
    batches = ReadingBatch.objects.filter(late, state=ReadingBatch.State.READING).count()
    leases.add_metric(["read"], batches + windows + Artifact.objects.filter(late, state=Artifact.State.READING).count())
    yield from (waiting, oldest, leases)


def _reading(now: datetime) -> Iterator[GaugeMetricFamily]:
    done = Artifact.objects.filter(finished_at__gte=now - WINDOW, started_at__isnull=False)
    figures = done.aggregate(n=Count("pk"), bytes=Sum("size"), busy=Sum(F("finished_at") - F("started_at")))
    yield _value("read_files_10m", "Files read in the last ten minutes.", figures["n"])
    yield _value("read_bytes_10m", "Their bytes of text.", figures["bytes"] or 0)
    busy = figures["busy"]
    yield _value("read_busy_seconds_10m", "Seconds that workers spent on them.", busy.total_seconds() if busy else 0)


def _failures(now: datetime) -> Iterator[GaugeMetricFamily]:
    failed = GaugeMetricFamily(
        "lockscope_failed_files_1d", "Files that could not be read in the last day, by format.", labels=["format"]
    )
    counts: dict[str, int] = {}
    for formats in Artifact.objects.filter(state=Artifact.State.FAILED, finished_at__gte=now - DAY).values_list(
        "formats", flat=True
    )[:10_000]:
        for name in formats or ["none"]:
            counts[str(name)] = counts.get(str(name), 0) + 1
    for name, number in sorted(counts.items()):
        failed.add_metric([name], number)
    yield failed
    bundles = Bundle.objects.filter(state=Bundle.State.FAILED, uploaded_at__gte=now - DAY).count()
    yield _value("failed_bundles_1d", "Bundles of the last day that could not be unpacked.", bundles)


def _value(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"lockscope_{name}", meaning)
    family.add_metric([], value)
    return family
