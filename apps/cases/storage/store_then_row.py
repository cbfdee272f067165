"""First the file, then the row that names it: the one place that removes a stored file because no row was written.

A file goes only where it is certain that no row names it. An error inside the transaction is such a certainty. A COMMIT
without an answer is none: the server may have done it, or may still be doing it. Then the rows are looked at over a new
connection; a row that is there means that all is well, and what cannot be found is left to the sweeper of orphans.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, Self

from django.db import Error, InterfaceError, OperationalError, connection, models, transaction

from apps.cases import storage

logger = logging.getLogger(__name__)

PAUSES_S: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Before each look: a server that restarts is back soon."""

NEVER_IN_DOUBT: Final = "sqlite"
"""No answer can get lost there: a COMMIT that failed was not done."""

SETTLED: Final = timedelta(hours=1)
"""What was stored less than this ago may still get its row."""

Remove = Callable[[str], object]


def remove_stored(name: str) -> None:
    """A file, or all below a prefix with its slash; nothing where nothing was stored."""
    if name.endswith("/"):
        storage.delete_prefix(name)
    elif name:
        storage.delete(name)


def remove_abandoned(folder: str, named: Callable[[], Iterable[str]]) -> None:
    """Prefixes directly below the folder whose process was killed before it wrote a row. ``named`` gives those that
    rows name.

    Rows are looked at last: what was stored before that is named by then, or too young to be removed.
    """
    found = storage.folders(folder)
    for prefix in set(found).difference(named() if found else ()):
        if all(storage.is_older(part, SETTLED) for part in storage.listing(prefix)):
            storage.delete_prefix(prefix)


class Stored:
    """What is stored under ``name`` until ``row`` has written what ``rows`` looks for: the row that names it.

    As a context it covers the storing itself too: an error before the row removes what was stored so far.
    """

    def __init__(self, name: str, rows: models.QuerySet[Any], *, remove: Remove = remove_stored) -> None:
        self.name = name
        self._rows = rows
        self._remove = remove
        self._may_be_named = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._may_be_named:
            self._remove(self.name)

    @contextmanager
    def row(self) -> Iterator[None]:
        """One transaction, in which the row is written. No error where the COMMIT was done and only its answer is
        missing.
        """
        is_written = False
        try:
            with transaction.atomic():
                yield
                is_written = self._may_be_named = True
        except Error as error:
            if not is_written or not self.name or connection.in_atomic_block:
                raise  # rolled back, or not ours to decide: the outer block commits
            found, is_lost = self._is_named(), isinstance(error, OperationalError | InterfaceError)
            self._may_be_named = found is not False or (is_lost and connection.vendor != NEVER_IN_DOUBT)
            if not (found and is_lost):
                raise
            logger.warning("a commit was done though its answer did not come: %s", type(error).__name__)

    def _is_named(self) -> bool | None:
        """Whether a row names it; None where nobody answers."""
        for pause in PAUSES_S:
            time.sleep(pause)
            try:
                return self._rows.all().exists()
            except Error:
                connection.close()
        return None
