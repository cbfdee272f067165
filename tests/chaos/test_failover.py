"""The database's machine is lost for good, and a standby that had every commit takes over at the same address."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from tests.chaos.installation import Installation
from tests.chaos.work import FILES, many, some_are_read
from tests.services import account_of_postgresql, postgresql_command, postgresql_programs

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="faults of the server shape: PostgreSQL, Redis, several processes"
    ),
]
SOCKET = ".s.PGSQL.5432"


class Standby:
    """Follows the installation's database and confirms each of its commits before the client hears of it."""

    def __init__(self, lockscope: Installation) -> None:
        self._of = lockscope
        self._place = lockscope.folder / "standby"
        self._place.mkdir(mode=0o755)
        self._account = account_of_postgresql()
        self._made()
        command, account = postgresql_command(self._place, keeps=True)
        with (lockscope.folder / "log").open("ab") as log:
            lockscope.running["standby"] = subprocess.Popen(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **account
            )
        with self._primary(lockscope.folder) as primary:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")
            confirmed = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            lockscope.until(lambda: primary.execute(confirmed).fetchone() == (1,))

    def _made(self) -> None:
        if self._account:
            shutil.chown(self._place, "postgres", "postgres")
        copy = [str(postgresql_programs() / "pg_basebackup"), "-h", str(self._of.folder), "-U", "postgres", "-R"]
        subprocess.run(
            [*copy, "-X", "stream", "-c", "fast", "-D", str(self._place / "postgresql")],
            check=True,
            cwd="/",
            **self._account,
        )

    def _primary(self, folder: Path) -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True)

    def take_over(self) -> None:
        """It answers where the other one did."""
        with self._primary(self._place) as standby:
            standby.execute("ALTER SYSTEM RESET synchronous_standby_names")
            standby.execute("SELECT pg_promote()")
            standby.execute("SELECT pg_reload_conf()")
        for name in (SOCKET, f"{SOCKET}.lock"):
            (self._of.folder / name).unlink(missing_ok=True)
        (self._of.folder / SOCKET).symlink_to(self._place / SOCKET)
        self._of.running["database"] = self._of.running.pop("standby")


def test_t45_a_standby_that_takes_over_costs_nothing_but_time(lockscope: Installation, calm: dict[str, Any]) -> None:
    standby = Standby(lockscope)
    case, late = lockscope.case("PostgreSQL fails over"), lockscope.case("Sent to the standby")
    lockscope.upload(case, many())
    some_are_read(lockscope, case.pk)
    lockscope.kill_database()
    answer = lockscope.page(f"/cases/{case.key}/files/")
    assert (answer.status, "The database cannot be reached at the moment" in answer.text) == (503, True)
    standby.take_over()
    connection.close()
    lockscope.upload(late, many(2))
    lockscope.the_case_is_whole(case, FILES)
    lockscope.the_case_is_whole(late, 2)
    assert lockscope.result(case) == calm
    assert lockscope.page(f"/cases/{case.key}/").status == 200
