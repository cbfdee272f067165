"""Work that stands still or failed, for the administrator: rows by number and case, never a customer's text."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from apps.cases.models import Artifact, Bundle
from apps.ingest import tasks
from parsers.dataclass import dataclass

SHOWN = 100
FAILED_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Row:
    """One bundle or file. ``what``: waiting | working | worker gone | failed."""

    kind: str
    pk: int
    case_key: str
    what: str
    size: int
    since: datetime | None
    attempts: int
    message: str

    @property
    def may_retry(self) -> bool:
        """Whether a button may start it again."""
        return self.what == "failed"


def open_work() -> list[Row]:
    """What is waiting, being worked on, or failed within a week; the worst first."""
    since = timezone.now() - FAILED_FOR
    bundles = Bundle.objects.filter(Q(state__in=("received", "expanding")) | Q(state="failed", uploaded_at__gte=since))
    files = Artifact.objects.filter(
        Q(state__in=("queued", "reading")) | Q(state="failed", bundle__uploaded_at__gte=since)
    )
    rows = [_bundle(one) for one in bundles.select_related("case").order_by("uploaded_at")[:SHOWN]]
    rows += [_file(one) for one in files.select_related("case").order_by("pk")[:SHOWN]]
    order = ("worker gone", "failed", "working", "waiting")
    return sorted(rows, key=lambda row: (order.index(row.what), row.since is None, row.since or since))[:SHOWN]


def _bundle(one: Bundle) -> Row:
    what = _what(one.state, waiting=Bundle.State.RECEIVED, lease_until=one.lease_until)
    return Row("bundle", one.pk, one.case.key, what, one.size, one.uploaded_at, one.attempts, one.message)


def _file(one: Artifact) -> Row:
    what = _what(one.state, waiting=Artifact.State.QUEUED, lease_until=one.lease_until)
    return Row("file", one.pk, one.case.key, what, one.size, one.started_at, one.attempts, one.message)


def _what(state: str, *, waiting: str, lease_until: datetime | None) -> str:
    if state == "failed":
        return "failed"
    if state == waiting:
        return "waiting"
    return "worker gone" if lease_until is not None and lease_until < timezone.now() else "working"


def retry(kind: str, pk: int) -> bool:
    """Start one failed row again. False where it is not among those that failed."""
    if kind == "bundle":
        bundle = Bundle.objects.filter(pk=pk).first()
        return bundle is not None and tasks.retry_bundle(bundle)
    artifact = Artifact.objects.filter(pk=pk).first()
    return artifact is not None and tasks.retry_artifact(artifact)
