"""Uploads that take some seconds, file by file, so that something can go wrong meanwhile."""

from __future__ import annotations

from typing import Final

from apps.cases.models import Artifact
from tests.chaos.installation import Installation
from tests.ingest.material import tar, waiters

FILES: Final = 24
LARGE_EVERY: Final = 3
SMALL_LINES, LARGE_LINES = 400, 10_000
"""Those are read together, these one by one."""


def many(files: int = FILES) -> bytes:
    """Work of some seconds: files that are read alone, and between them small ones that share a batch."""
    return tar({f"n{n:03d}/waiters.txt": _text(n, is_large=n % LARGE_EVERY == 0) for n in range(files)})


def _text(number: int, *, is_large: bool) -> bytes:
    return waiters(f"oulu-n{number:03d}", lines=LARGE_LINES if is_large else SMALL_LINES, first=20.0 + number)


def some_are_read(lockscope: Installation, case_id: int, least: int = 3) -> None:
    lockscope.until(lambda: Artifact.objects.filter(case=case_id, state="parsed").count() >= least)
