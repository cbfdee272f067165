"""Watches in which order rows of a case are locked: whoever locks more than one of them locks the case before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from django.db import connection, models
from django.db.backends.base.base import BaseDatabaseWrapper

from apps.cases.models import Case

WRITES: Final = re.compile(r'(UPDATE|DELETE FROM|INSERT INTO|SELECT .*? FROM) "(\w+)"', re.DOTALL)
CASE: Final = Case._meta.db_table


def tables(*, pointing: bool) -> frozenset[str]:
    """Of rows that go with a case; or of those that point into one, some of which stay."""
    found, todo = {CASE}, [Case]
    while todo:
        for one in todo.pop()._meta.get_fields(include_hidden=True):
            if isinstance(one, models.ManyToOneRel) and (pointing or one.on_delete is models.CASCADE):
                model: Any = one.related_model
                if model._meta.db_table not in found and one.on_delete is models.CASCADE:
                    todo.append(model)
                found.add(model._meta.db_table)
    return frozenset(found)


class Watched:
    """One transaction after the other, over one connection. A row that is inserted counts as one: at the end of its
    transaction the rows that it points to are locked.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._inside, self._pointing = tables(pointing=False), tables(pointing=True)
        self.end()

    def end(self) -> None:
        self._rows: dict[str, int] = {}
        self._statements: list[str] = []
        self._has_case = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        done = execute(sql, params, many, context)
        found = WRITES.match(sql)
        if found and not (sql.startswith("SELECT") and " FOR " not in sql):
            is_insert = sql.startswith("INSERT")
            if found[2] in (self._pointing if is_insert else self._inside):
                self._note(found[2], 1 if is_insert else max(context["cursor"].rowcount, 0), sql)
        if not context["connection"].in_atomic_block:
            self.end()
        return done

    def _note(self, table: str, rows: int, sql: str) -> None:
        if (table == CASE and not self._rows and rows) or sql.endswith("SKIP LOCKED"):  # which waits for nobody
            self._has_case = True
        elif rows:
            # The same row may be looked up and then changed.
            self._rows[table] = max(self._rows.get(table, 0), rows)
            self._statements.append(sql[:300])
        if sum(self._rows.values()) > 1 and not self._has_case:
            self.faults.append("\n  then ".join(self._statements))
            self._has_case = True  # said once


@contextmanager
def order_of_locks_watched() -> Iterator[Watched]:
    """Over the connection of this thread."""
    watched = Watched()
    with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(watched):
        for name in ("commit", "rollback"):
            patch.setattr(BaseDatabaseWrapper, name, _ending(getattr(BaseDatabaseWrapper, name), watched))
        yield watched


def _ending(before: Callable[[Any], None], watched: Watched) -> Callable[[Any], None]:
    def ended(self: Any) -> None:
        watched.end()
        before(self)

    return ended
