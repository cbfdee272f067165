"""Telling people that their upload has been read, or cannot be: once nothing more will change in its case."""

from __future__ import annotations

from contextlib import suppress

from django.db.models import Q
from django.utils import timezone

from apps.cases.models import Artifact, Bundle
from apps.cases.people.notify import tell_failed, tell_read
from apps.diagnosis.pages.live.watching import watching
from apps.ingest.leases import LeaseLostError
from apps.ingest.live import case_locked_first
from apps.ingest.scheduling import diagnoses

ENDED = (Bundle.State.EXPANDED, Bundle.State.FAILED)


def tell_settled(case_id: int) -> None:
    """Nothing while files wait or a diagnosis is still to come. Sample cases are nobody's news."""
    untold = Bundle.objects.filter(case=case_id, case__is_sample=False, told_at__isnull=True, state__in=ENDED)
    if not untold.exists() or not diagnoses.is_settled(case_id) or diagnoses.is_awaited(case_id):
        return
    live = watching(case_id)
    is_sampled = live is not None and not live.is_silent
    for bundle in untold.select_related("case__assignee", "case__created_by", "uploaded_by").order_by("pk"):
        with suppress(LeaseLostError), case_locked_first(case_id):
            bundle.told_at = timezone.now()
            if untold.filter(pk=bundle.pk).update(told_at=bundle.told_at):
                if _is_anything_read(bundle):
                    tell_read(bundle, is_sampled=is_sampled)
                else:
                    tell_failed(bundle)


def _is_anything_read(bundle: Bundle) -> bool:
    """An archive that opens and holds nothing to read is none that was read. Copies count: they were read in their
    other place.
    """
    read = Q(state__in=(Artifact.State.PARSED, Artifact.State.PARTLY)) | Q(duplicate_of__isnull=False)
    return bundle.state != Bundle.State.FAILED and bundle.artifacts.filter(read).exists()
