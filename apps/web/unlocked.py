"""Rows of many cases at once, without waiting for anybody: who waits while it holds others could wait for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import models, transaction

Row = TypeVar("Row", bound=models.Model)


@contextmanager
def nobody_waited_for(rows: models.QuerySet[Row]) -> Iterator[models.QuerySet[Row]]:
    """Those of them that nobody else has locked, in a transaction; the others have their turn another time."""
    with transaction.atomic():
        free = rows.select_for_update(skip_locked=True).order_by("pk")
        yield rows.model._default_manager.filter(pk__in=list(free.values_list("pk", flat=True)))
