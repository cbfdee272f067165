"""Commits within the transaction of a test, which is rolled back at its end: many times faster than emptying all
tables.

What waits for a commit runs when the outermost block ends that the tested code opened, as it would with real commits.
Not for tests in which another thread, connection or process has to see the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.db.transaction import Atomic


@contextmanager
def within_the_test() -> Iterator[None]:
    """The depth of blocks at the beginning is that of the test itself."""
    depth, leave, queue = len(connection.savepoint_ids), Atomic.__exit__, connection.on_commit

    def run_what_waits() -> None:
        while connection.run_on_commit and len(connection.savepoint_ids) == depth and connection.in_atomic_block:
            waiting = connection.run_on_commit.pop(0)
            waiting[1]()

    def leave_and_run(block: Atomic, *error: Any) -> None:
        leave(block, *error)
        if error[0] is None:
            run_what_waits()

    def queue_and_run(function: Callable[[], object], robust: bool = False) -> None:
        queue(function, robust)
        run_what_waits()

    with patch.object(Atomic, "__exit__", leave_and_run), patch.object(connection, "on_commit", queue_and_run):
        yield
