"""Work goes on for cases that are not in the trash: conditions that stand in the same UPDATE as the lease.

Each is an EXISTS and no join: a join would make the UPDATE look for its rows beforehand, and two workers could take
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from apps.cases.models import Artifact, Bundle, Case
from apps.cases.services import CaseGoneError, lock_case
from apps.ingest.leases import LeaseLostError

IS_LIVE: Final = Exists(Case.objects.filter(pk=OuterRef("case_id"), trashed_at__isnull=True))
"""Of uploads, files and readings of cases."""
IS_OF_LIVE: Final = Exists(Artifact.objects.filter(pk=OuterRef("artifact_id"), case__trashed_at__isnull=True))
"""Of windows of a file."""
IS_OF_LIVE_BUNDLE: Final = Exists(Bundle.objects.filter(pk=OuterRef("bundle_id"), case__trashed_at__isnull=True))
"""Of batches of small files."""


def lock_case_first(case_id: int) -> None:
    """Before anything in it is locked: who removes it locks in that order too. A case that is gone has taken the lease
    along.
    """
    try:
        lock_case(case_id)
    except CaseGoneError:
        raise LeaseLostError from None


@contextmanager
def case_locked_first(case_id: int) -> Iterator[None]:
    """A transaction of its own for several rows of a case: who locks one by one in another order would wait for ever
    for who removes it.
    """
    with transaction.atomic():
        lock_case_first(case_id)
        yield
