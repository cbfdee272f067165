"""Which part is away or full: each has its sentence, and says what to do."""

from __future__ import annotations

import errno
import sqlite3
import sys
from unittest.mock import patch

import psycopg
import pytest
from django.db import OperationalError
from django.test import RequestFactory
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import ConnectionError as RedisAwayError
from redis.exceptions import OutOfMemoryError, ResponseError

from apps.web import away, views


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


def sqlite_full() -> Exception:
    """As SQLite itself raises it."""
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE a (b)")
        made.execute("PRAGMA max_page_count = 2")
        try:
            for _ in range(9):
                made.execute("INSERT INTO a VALUES (zeroblob(4000))")
        except sqlite3.OperationalError as error:
            return error
    raise AssertionError


CASES = [
    (caused(OperationalError("x"), psycopg.OperationalError("gone")), "database", "cannot be reached"),
    (caused(OperationalError("x"), psycopg.errors.DiskFull("could not extend file")), "database_full", "on its disk"),
    (caused(OperationalError("x"), sqlite_full()), "database_full", "on its disk"),
    (caused(OperationalError("x"), sqlite3.OperationalError("locked")), "database", "cannot be reached"),
    (RedisAwayError("x"), "queue", "cannot be reached"),
    (caused(BrokerError("x"), RedisAwayError("x")), "queue", "cannot be reached"),
    (ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), "queue_full", "its memory"),
    (caused(BrokerError("x"), OutOfMemoryError("OOM command not allowed")), "queue_full", "its memory"),
    (ResponseError("WRONGTYPE"), "queue", "cannot be reached"),
    (OSError(errno.ENOSPC, "x"), "storage_full", "empty the trash"),
    (caused(RuntimeError("x"), OSError(errno.EDQUOT, "x")), "storage_full", "empty the trash"),
    (FileNotFoundError("x"), "", ""),
    (ValueError("no space left on device"), "", ""),
]


@pytest.mark.parametrize(("error", "part", "words"), CASES, ids=[f"{part} {n}" for n, (_, part, _) in enumerate(CASES)])
def test_the_part_is_named_with_what_to_do(error: Exception, part: str, words: str) -> None:
    assert away.part_away(error) == part
    for accept in ("text/html", "application/json"):
        with patch.object(sys, "exception", return_value=error):
            answer = views.server_error(RequestFactory().get("/", headers={"Accept": accept}))
        assert answer.status_code == (503 if part else 500)
        assert (words in answer.content.decode(), "Retry-After" in answer) == (True, bool(part))
