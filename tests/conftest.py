"""Options and fixtures for all tests."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from django.db.backends.sqlite3.base import DatabaseWrapper

if TYPE_CHECKING:
    from tests.builders import People


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected output of the parser samples anew")


def pytest_configure() -> None:
    """On SQLite Django empties all tables by DELETE after a test with real transactions; the trail alone refuses that."""
    operations = DatabaseWrapper.ops_class
    empty = operations.sql_flush

    def without_the_trigger(self: Any, *args: Any, **kwargs: Any) -> list[str]:
        trigger = import_module("apps.audit.migrations.0003_no_deletion_on_sqlite")
        return [trigger.DROP, *empty(self, *args, **kwargs), trigger.CREATE]

    operations.sql_flush = without_the_trigger  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def django_db_setup(services: None, django_db_setup: None) -> None:
    """The test database, on a server that is started with the first test that needs one."""


@pytest.fixture
def folk(db: None) -> People:
    """Alice (owner), Bob (editor on her team), Charlie (a stranger), and their teams."""
    from tests.builders import people  # models can be imported only once the settings are read

    return people()
