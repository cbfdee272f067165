"""Options and fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from django.db.backends.sqlite3.base import DatabaseWrapper
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.services import MIGRATED

if TYPE_CHECKING:
    from pytest_django import Settings

    from tests.builders import People

QUICK_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
"""Those of the program are slow on purpose."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the expected output of the parser samples again"
    )


def pytest_configure() -> None:
    """Django empties all tables after a test with real transactions; the trail alone refuses that."""
    _let_the_trail_be_emptied(DatabaseWrapper, "0003_no_deletion_on_sqlite")
    settings.PASSWORD_HASHERS = [QUICK_HASHER, *settings.PASSWORD_HASHERS]
    if connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED
        _empty_what_holds_rows()
    _look_through_static_files_once()


def _look_through_static_files_once() -> None:
    """Each client of a test makes the middleware again, and WhiteNoise reads the folder of static files for each."""
    scan: Any = WhiteNoiseMiddleware.update_files_dictionary
    found: dict[tuple[str, str], dict[str, Any]] = {}

    def once(self: Any, root: str, prefix: str) -> None:
        if (root, prefix) not in found:
            scan(self, root, prefix)
            found[root, prefix] = dict(self.files)
        self.files.update(found[root, prefix])

    WhiteNoiseMiddleware.update_files_dictionary = once


def _let_the_trail_be_emptied(wrapper: Any, migration: str) -> None:
    operations = wrapper.ops_class
    empty, vendor = operations.sql_flush, wrapper.vendor

    def without_the_trigger(self: Any, *args: Any, **kwargs: Any) -> list[str]:
        trigger = import_module(f"apps.audit.migrations.{migration}")
        drop, create = trigger.DROP, trigger.CREATE
        chosen = (drop, create) if isinstance(drop, str) else (drop[vendor], create[vendor])
        return [chosen[0], *empty(self, *args, **kwargs), chosen[1]]

    operations.sql_flush = without_the_trigger


MADE_WITH_THE_DATABASE = {"django_content_type", "auth_permission"}


def _empty_what_holds_rows() -> None:
    """After a test with real transactions, by PostgreSQL: a TRUNCATE makes new files for each table and index, a
    hundred times what the few rows of a test cost, and Django writes its kinds and permissions again after it.
    """

    def rows_only(self: Any, style: Any, tables: Iterable[str], **how: Any) -> list[str]:
        names = sorted(set(tables) - MADE_WITH_THE_DATABASE)
        holding = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM \"{name}\")" for name in names)  # noqa: S608 - our own names
        with self.connection.cursor() as cursor:
            cursor.execute(holding)
            filled = [name for (name,) in cursor.fetchall()]
        deletions = [f'DELETE FROM "{name}"' for name in filled]  # noqa: S608 - our own names
        # Neither the trigger of the trail nor foreign keys are asked: all of it goes.
        return ["SET LOCAL session_replication_role = replica", *deletions] if filled else []

    operations: Any = PostgresWrapper.ops_class
    operations.sql_flush = rows_only
    command: Any = flush
    command.emit_post_migrate_signal = lambda *_, **__: None


@pytest.fixture(scope="session")
def django_db_setup(services: None, django_db_setup: None) -> None:
    """The test database, on a server that is started with the first test that needs one."""


REAL_COMMITS = {"transactional_db", "live_server", "django_db_reset_sequences"}
"""Fixtures with which a test's rows are there for every connection."""


@pytest.fixture(autouse=True)
def leases_within_the_test(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease is renewed over a connection of its own. Where a test's rows stand in a transaction that is rolled back,
    that one finds none, and work of more than two seconds would be dropped as lost.
    """
    marker = request.node.get_closest_marker("django_db")
    if marker is None and "db" not in request.fixturenames:
        return
    if REAL_COMMITS.isdisjoint(request.fixturenames) and not (marker and marker.kwargs.get("transaction")):
        monkeypatch.setattr("apps.ingest.leases._renew", lambda *until: _stopped(until).wait())


def _stopped(arguments: tuple[Any, ...]) -> Event:
    return next(argument for argument in arguments if isinstance(argument, Event))


@pytest.fixture
def own_hashers(settings: Settings) -> None:
    """Passwords are kept as the program keeps them."""
    settings.PASSWORD_HASHERS = [hasher for hasher in settings.PASSWORD_HASHERS if hasher != QUICK_HASHER]


@pytest.fixture
def folk(db: None) -> People:
    """Alice (owner), Bob (editor on her team), Charlie (a stranger), and their teams."""
    from tests.builders import people  # models can be imported only once the settings are read

    return people()
