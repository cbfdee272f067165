"""Keeping and asking for lines with credentials."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.db import transaction

from apps.audit.services import record
from apps.privacy.credentials import CredentialScan
from apps.privacy.models import Credential

if TYPE_CHECKING:
    from apps.cases.models import Artifact, Case


@transaction.atomic
def note_credentials(artifact: Artifact, scan: CredentialScan) -> None:
    """In place of those of an earlier reading."""
    Credential.objects.filter(artifact=artifact).delete()
    Credential.objects.bulk_create([Credential(artifact=artifact, line=one.line, sort=one.sort) for one in scan.found])
    if scan.count:
        sorts = dict(Counter(one.sort for one in scan.found))
        record("credentials.found", case=artifact.case, path=artifact.path[:200], lines=scan.count, sorts=sorts)


def credentials_n(case: Case) -> int:
    """Lines of all files of a case."""
    return Credential.objects.filter(artifact__case=case).count()
