"""Nobody adds rows to what is being removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import models

from apps.cases.models import Case


def stop_writers(case: Case) -> None:
    """After the case itself was locked: its rows to which others point. One that came after those were looked up would
    forbid the removal; as it is, whoever adds one waits, and finds the row gone.
    """
    for rows in _pointed_to(case):
        hold(rows)


def hold(rows: models.QuerySet[Any]) -> None:
    """In the order of their numbers, until the transaction ends."""
    for _ in rows.select_for_update().order_by("pk").values_list("pk").iterator():
        pass


def _pointed_to(case: Case) -> Iterator[models.QuerySet[Any]]:
    for relation in _pointing_to(Case):
        model: Any = relation.related_model
        if relation.on_delete is models.CASCADE and any(_pointing_to(model)):
            yield model._base_manager.filter(**{relation.field.name: case.pk})


def _pointing_to(model: type[models.Model]) -> Iterator[models.ManyToOneRel]:
    for one in model._meta.get_fields(include_hidden=True):
        if isinstance(one, models.ManyToOneRel):
            yield one
