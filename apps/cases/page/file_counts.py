"""How many files and bundles a case has, and how far they are: one question for each table, however much of it a page
shows.
"""

from __future__ import annotations

from django.db.models import Count, Q

from apps.cases.models import UNPACKING, UNSETTLED, Bundle, Case
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    files: int
    """Texts that are not the same as another one of the case."""
    bundles: int
    different_bundles: int
    """Unpacked, and not the same bytes as another one."""
    is_open: bool
    """Something is still to be unpacked or read."""


def tally_of(case: Case) -> Tally:
    own = Q(duplicate_of__isnull=True)
    files = case.artifacts.aggregate(
        files=Count("pk", filter=own), unsettled=Count("pk", filter=Q(state__in=UNSETTLED))
    )
    bundles = case.bundles.aggregate(
        bundles=Count("pk"),
        different=Count("pk", filter=own & Q(state=Bundle.State.EXPANDED)),
        unsettled=Count("pk", filter=Q(state__in=UNPACKING)),
    )
    return Tally(
        files["files"], bundles["bundles"], bundles["different"], bool(files["unsettled"] or bundles["unsettled"])
    )
