"""Where a reader lands who has sent files: the page of the reading, which becomes the case with its verdict."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from apps.cases.models import Artifact, BundleQuerySet, Case

GOES_ON: Final = "case"


def url(case: Case) -> str:
    """The page of the reading, with the diagnosis that was there before the files; asked for before they are queued."""
    query = {"then": GOES_ON} | ({"known": case.current_diagnosis_id} if case.current_diagnosis_id else {})
    return f"{reverse('ingest:add', args=[case.key])}?{urlencode(query)}"


def kept(query: QueryDict) -> str:
    """What the reading asks again with, as a query: the state of the files shown, and where to go."""
    return urlencode([(name, query[name][:40]) for name in ("state", "then", "known") if query.get(name)])


def is_due(case: Case, query: QueryDict) -> bool:
    """Whether there is a verdict on all that was sent. Who sent what could not be read stays, where the reason is."""
    diagnosis = case.current_diagnosis
    if query.get("then") != GOES_ON or diagnosis is None or diagnosis.partial:
        return False
    if str(diagnosis.pk) == query.get("known", ""):
        return False
    return Artifact.objects.filter(bundle__in=_bundles_since(case, query.get("known", "")), records__gt=0).exists()


def _bundles_since(case: Case, known: str) -> BundleQuerySet:
    """Those that came after the diagnosis that was there before the files: the last of many may be a copy of another
    one, of which nothing is read.
    """
    bundles: BundleQuerySet = case.bundles.all()
    before = (
        case.diagnoses.filter(pk=int(known)).values_list("created_at", flat=True).first() if known.isdecimal() else None
    )
    return bundles if before is None else bundles.filter(uploaded_at__gt=before)
