"""Temporary folders of running tasks; those of killed workers are removed by the sweeper."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

logger = logging.getLogger(__name__)

PREFIXES = ("facts-", "views-")
UPLOAD_MARK = ".upload"  # in the names of files that Django receives an upload in
UPLOAD_LIMIT_S = 24 * 3600


@contextmanager
def workspace(prefix: str) -> Iterator[Path]:
    """A folder that is gone afterwards."""
    folder = Path(mkdtemp(prefix=prefix, dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """What is older than any task may run, and uploads that ended a day ago without being taken."""
    now = time.time()
    task_s = settings.LIMITS.task_hard_s + 600
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*"):
        with suppress(OSError):  # gone by itself meanwhile
            age_s = now - path.stat().st_mtime
            if path.name.startswith(PREFIXES) and age_s > task_s:
                shutil.rmtree(path, ignore_errors=True)
                logger.warning("the workspace of a task that was killed is removed")
            elif UPLOAD_MARK in path.name and age_s > UPLOAD_LIMIT_S:
                path.unlink()
