"""A file that could not be read: its row says so, and why, and the other files go on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError

from apps.cases.textblob import BadTextBlobError
from apps.ingest import leases
from apps.ingest.reading.workspaces import workspace

logger = logging.getLogger(__name__)

RETRIES_SPENT = "The worker died {n} times on this file; the other files go on. Try again, or send it in smaller parts."
TOO_MUCH = "Reading took too long or too much memory ({error}). Try again, or send it in smaller parts."
NO_STORAGE = "Its text could not be fetched, or what was read not be stored ({error}). Try again; if it fails again, look at free space."
DEFECT = "Reading failed ({error}): nothing of this file is used. Ask the administrator to look at the log."
NOT_THE_PARSER = (leases.LeaseLostError, SoftTimeLimitExceeded, BadTextBlobError)
"""Errors while a text is read that say nothing of its parsers."""


@contextmanager
def _told(fail: Callable[[str], None]) -> Iterator[None]:
    """``fail`` writes on the row what went wrong. Not of a lost lease, as the row is somebody else's, nor of a database that is away."""
    try:
        yield
    except (SoftTimeLimitExceeded, MemoryError) as error:
        logger.exception("reading was given up")
        fail(TOO_MUCH.format(error=type(error).__name__))
    except (OSError, BadTextBlobError) as error:
        logger.exception("reading failed at the storage")
        fail(NO_STORAGE.format(error=type(error).__name__))
    except (leases.LeaseLostError, OperationalError):
        raise
    except Exception as error:
        # Around one file: its row has to say that it ended, and the other files go on.
        logger.exception("reading failed")
        fail(DEFECT.format(error=type(error).__name__))


def worked(attempts: int, fail: Callable[[str], None], work: Callable[[Path], None]) -> bool:
    """Do what a held row asks for, in a folder of its own. True when the row says the outcome; False where its lease was lost meanwhile."""
    try:
        if leases.is_spent(attempts):
            fail(RETRIES_SPENT.format(n=attempts - 1))
        else:
            with _told(fail), workspace("facts-") as folder:
                work(folder)
    except leases.LeaseLostError:
        return False
    return True


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}".rstrip(".") + "."
