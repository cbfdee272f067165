"""Why an upload or a file failed: the column on its row, and the sentence that is made from it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError

from apps.cases.models import Failure
from apps.cases.storage.textblob import BadTextBlobError
from apps.ingest import leases
from apps.ingest.reading.workspaces import workspace
from apps.web.away import is_full
from parsers.dataclass import dataclass

logger = logging.getLogger(__name__)

NOT_THE_PARSER = (leases.LeaseLostError, SoftTimeLimitExceeded, BadTextBlobError)
"""Errors while a text is read that say nothing of its parsers."""
OF_READING: Final = {
    Failure.STORAGE: (
        "Its text could not be fetched, or its facts not stored ({detail}). That is tried again by itself; if it fails "
        "again, look at the storage and its free space."
    ),
    Failure.TIME: "Reading took too long ({detail}). Try again, or send it in smaller parts.",
    Failure.LIMIT: "Reading needed too much memory ({detail}). Try again, or send it in smaller parts.",
    Failure.DEFECT: "Reading failed ({detail}): nothing of this file is used. "
    "Ask the administrator to look at the log.",
    Failure.DIED: (
        "The worker died {detail} times on this file; the other files go on. Try again, or send it in smaller parts."
    ),
}
OF_UNPACKING: Final = {
    Failure.STORAGE: (
        "It could not be unpacked ({detail}): the storage did not give it, or did not take its files. "
        "That is tried again by itself; if it fails again, look at the storage and its free space."
    ),
    Failure.TIME: "It could not be unpacked ({detail}): it took too long. Try again, or send it in smaller parts.",
    Failure.LIMIT: "It could not be unpacked ({detail}): it needed too much memory. Send it in smaller parts.",
    Failure.DEFECT: "It could not be unpacked ({detail}). Ask the administrator to look at the log, then try again.",
    Failure.DIED: "The worker died {detail} times while unpacking it. Try again, or send it in smaller parts.",
}
FULL: Final = "the disk is full"


@dataclass(frozen=True, slots=True)
class Failed:
    """``detail``: the class of what was raised, that the disk is full, or how often a worker died."""

    why: Failure
    detail: str

    def of_reading(self) -> dict[str, str]:
        """Columns of the row of a file, or of a window of it."""
        return {"failure": self.why, "message": OF_READING[self.why].format(detail=self.detail)}

    def of_unpacking(self) -> dict[str, str]:
        """Columns of the row of an upload."""
        return {"failure": self.why, "message": OF_UNPACKING[self.why].format(detail=self.detail)}


NOT_FAILED: Final = {"failure": "", "message": ""}


def because_of(error: Exception) -> Failed:
    """A text that is damaged where it is stored stays so: that is no matter of the storage being away."""
    kinds = ((SoftTimeLimitExceeded, Failure.TIME), (MemoryError, Failure.LIMIT), (OSError, Failure.STORAGE))
    why = next((why for kind, why in kinds if isinstance(error, kind)), Failure.DEFECT)
    return Failed(why, FULL if is_full(error) else type(error).__name__)


def died(attempts: int) -> Failed:
    """``attempts`` counts the present one, which is not made any more."""
    return Failed(Failure.DIED, str(attempts - 1))


Fail = Callable[[dict[str, str]], None]


@contextmanager
def _noted(fail: Fail) -> Iterator[None]:
    """``fail`` writes on the row what went wrong. Not of a lost lease, as the row is somebody else's, nor of a database
    that is away.
    """
    try:
        yield
    except (leases.LeaseLostError, OperationalError):
        raise
    except Exception as error:
        # Around one file: its row has to say that it ended, and the other files go on.
        logger.exception("reading failed")
        fail(because_of(error).of_reading())


def worked(attempts: int, fail: Fail, work: Callable[[Path], None]) -> bool:
    """Do the work of a held row, in a folder of its own. True when the row says the outcome; False where its lease was
    lost meanwhile.
    """
    try:
        if leases.is_spent(attempts):
            fail(died(attempts).of_reading())
        else:
            with _noted(fail), workspace("facts-") as folder:
                work(folder)
    except leases.LeaseLostError:
        return False
    return True
