"""Options and fixtures for all tests."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.db.backends.sqlite3.base import DatabaseWrapper

if TYPE_CHECKING:
    from pytest_django import Settings

    from tests.builders import People

QUICK_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
"""Those of the program are slow on purpose."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the expected output of the parser samples anew"
    )


def pytest_configure() -> None:
    """On SQLite Django empties all tables by DELETE after a test with real transactions; the trail alone
    refuses that.
    """
    operations = DatabaseWrapper.ops_class
    empty = operations.sql_flush

    def without_the_trigger(self: Any, *args: Any, **kwargs: Any) -> list[str]:
        trigger = import_module("apps.audit.migrations.0003_no_deletion_on_sqlite")
        return [trigger.DROP, *empty(self, *args, **kwargs), trigger.CREATE]

    operations.sql_flush = without_the_trigger  # type: ignore[method-assign]
    settings.PASSWORD_HASHERS = [QUICK_HASHER, *settings.PASSWORD_HASHERS]


@pytest.fixture(scope="session")
def django_db_setup(services: None, django_db_setup: None) -> None:
    """The test database, on a server that is started with the first test that needs one."""


@pytest.fixture
def own_hashers(settings: Settings) -> None:
    """Passwords are kept as the program keeps them."""
    settings.PASSWORD_HASHERS = [hasher for hasher in settings.PASSWORD_HASHERS if hasher != QUICK_HASHER]


@pytest.fixture
def folk(db: None) -> People:
    """Alice (owner), Bob (editor on her team), Charlie (a stranger), and their teams."""
    from tests.builders import people  # models can be imported only once the settings are read

    return people()
