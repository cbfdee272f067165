"""The pipeline in the test's own process: tasks run where they are queued, in the order of their queueing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from celery import current_app
from django.core.cache import cache
from django.db import connection

from tests import commits
from tests.builders import People
from tests.ingest.broken import broken_parser_registered


@pytest.fixture
def inline(db: None) -> Iterator[None]:
    """With real commits where the test says ``django_db(transaction=True)`` or has a live server, otherwise within its
    transaction.
    """
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    cache.clear()
    with ExitStack() as stack:
        if connection.in_atomic_block:
            stack.enter_context(commits.within_the_test())
        yield
    current_app.conf.update(task_always_eager=False, task_eager_propagates=False)


@pytest.fixture
def staff(inline: None) -> People:
    from tests.builders import people

    return people()


@pytest.fixture
def broken_parser() -> Iterator[str]:
    """A parser that dies on its second line; the first line that it claims, as text."""
    with broken_parser_registered() as claim:
        yield claim


@pytest.fixture(autouse=True)
def empty_storage() -> None:
    """Numbers of cases come again from test to test; what an earlier one stored must not be found under them."""
    from apps.cases import storage

    storage.delete_prefix("cases/")
