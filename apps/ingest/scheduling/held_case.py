"""A diagnosis under the lease of its case: one at a time, and one that fails says so instead of being tried
for ever.
"""

from __future__ import annotations

import logging
import time

from django.db import OperationalError

from apps.cases.models import Case
from apps.cases.services import CaseGoneError
from apps.diagnosis.services import diagnose_case
from apps.ingest import leases
from apps.ingest.live import IS_LIVE
from apps.ingest.models import CaseReading
from apps.ingest.scheduling import diagnoses, speed

logger = logging.getLogger(__name__)

WORKER_DIED = "its worker died {n} times"


def diagnose_held_case(case_id: int) -> bool:
    """True when a diagnosis was made, or found impossible, now; False when another task is at it or it was done
    already.
    """
    begun = diagnoses.begin(case_id)
    if begun is None:
        return False
    holder, name = begun
    began, of_bytes = time.monotonic(), sum(tally.done_bytes for tally in speed.tallies(case_id))
    try:
        error = _diagnose(case_id, holder)
        diagnoses.note_end(case_id, holder, name, error=error, took_s=time.monotonic() - began, of_bytes=of_bytes)
    except leases.LeaseLostError:
        return False
    return True


def _diagnose(case_id: int, holder: str) -> str:
    """The class of the error; empty when all went well."""
    rows = CaseReading.objects.filter(IS_LIVE, case=case_id)
    attempts = rows.values_list("attempts", flat=True).first()
    if attempts is None:
        raise leases.LeaseLostError
    if leases.is_spent(attempts):
        return WORKER_DIED.format(n=attempts - 1)
    with leases.renewed(rows, holder) as check:
        try:
            diagnose_case(case_id, check=check)
        except (leases.LeaseLostError, OperationalError):
            raise
        except (Case.DoesNotExist, CaseGoneError):
            raise leases.LeaseLostError from None  # removed meanwhile
        except Exception as error:
            # Around one case, as around one file: the row has to say that it ended, or it would be swept up again for
            # ever.
            logger.exception("a case could not be diagnosed")
            return type(error).__name__
    return ""
