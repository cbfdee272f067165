"""The command line of each service of docker-compose.yml, run as it stands there: with the variables that the file
passes on, their defaults, and the health check that the file asks. No container: places and ports are those of here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection

from apps.accounts.models import User
from tests.chaos.installation import Installation, free_port
from tests.patience import HANGS_S
from tests.services import BASE_DIR

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the server shape"),
]
COMPOSE: dict[str, Any] = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
OF_IMAGE = re.search(r"^CMD (\[.+\])$", (BASE_DIR / "Dockerfile").read_text(), re.MULTILINE)
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
HERE = ("LOCKSCOPE_DB_HOST", "LOCKSCOPE_DB_NAME", "LOCKSCOPE_DB_USER", "LOCKSCOPE_DB_PASSWORD", "LOCKSCOPE_BROKER_URL",
        "LOCKSCOPE_CACHE_URL", "LOCKSCOPE_SECRET_KEY", "LOCKSCOPE_BASE_URL")  # fmt: skip
"""What a person sets, or what leads to the servers of the test."""
PROGRAMS = ("web", "worker", "worker-small", "beat")


def filled(text: str, given: dict[str, str]) -> str:
    """As compose fills in variables; ``$$`` is a dollar sign."""
    whole = VARIABLE.sub(lambda match: given.get(match[1]) or (match[3] if match[2] == "-" else ""), str(text))
    return whole.replace("$$", "$")


def environment(service: str, lockscope: Installation, port: int) -> dict[str, str]:
    given = {name: lockscope.env.get(name, "") for name in HERE} | {"LOCKSCOPE_ADMIN_USER": "chief"}
    passed = {name: filled(value, given) for name, value in COMPOSE["services"][service]["environment"].items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")}
    places = {
        "LOCKSCOPE_VAR": lockscope.env["LOCKSCOPE_VAR"],
        "LOCKSCOPE_STATIC_ROOT": str(BASE_DIR / "var" / "test-static"),
        "LOCKSCOPE_BIND": f"127.0.0.1:{port}",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    return kept | passed | {name: lockscope.env[name] for name in HERE if name in lockscope.env} | places


def command(service: str, lockscope: Installation) -> list[str]:
    assert OF_IMAGE is not None
    words = COMPOSE["services"][service].get("command") or yaml.safe_load(OF_IMAGE[1])
    return [filled(word, {}).replace("/tmp/", f"{lockscope.folder}/") for word in words]


def health(service: str, env: dict[str, str]) -> int:
    command = COMPOSE["services"][service]["healthcheck"]["test"]
    assert command[0] == "CMD"
    return subprocess.run(command[1:], cwd=BASE_DIR, env=env, capture_output=True, check=False).returncode


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def composed(lockscope: Installation, port: int) -> Iterator[Installation]:
    """The programs of the file in the place of those of the other tests."""
    for name in ("web", "worker"):
        lockscope.kill(name)
    for name in ("migrate", *PROGRAMS):
        env = environment(name, lockscope, port)
        started = lockscope.start(name, command(name, lockscope), env=env)
        if name == "migrate":
            assert started.wait(HANGS_S) == 0, lockscope.log
            lockscope.running.pop(name)
    yield lockscope
    for name in PROGRAMS:
        lockscope.kill(name)
    lockscope.start_web()
    lockscope.start_worker()


def test_migrate_makes_the_first_administrator_of_an_empty_installation_only(composed: Installation) -> None:
    assert not User.objects.filter(username="chief").exists()  # there are people already


@pytest.mark.parametrize("service", PROGRAMS)
def test_each_program_runs_and_is_well_by_its_own_check(composed: Installation, port: int, service: str) -> None:
    env = environment(service, composed, port)
    composed.until(lambda: health(service, env) == 0)
    assert composed.running[service].poll() is None


def test_what_is_sent_is_read_by_them(composed: Installation, port: int) -> None:
    from tests.ingest.material import tar, waiters

    composed.port = port
    vars(composed).pop("alice", None)
    case = composed.case("By compose")
    composed.upload(case, tar({"n1/waiters.txt": waiters("oulu-n1"), "n2/waiters.txt": waiters("oulu-n2")}))
    composed.the_case_is_whole(case, 2)


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="needs a redis-server")
def test_redis_asks_for_the_password_and_answers_its_check(composed: Installation, tmp_path: Path) -> None:
    service = COMPOSE["services"]["redis"]
    redis_port = free_port()
    words = [filled(word, {}) for word in service["command"]]
    words[-1] = words[-1].replace("requirepass", f"port {redis_port}\\nbind 127.0.0.1\\ndir {tmp_path}\\nrequirepass")
    env = {"PATH": os.environ["PATH"], "REDIS_PASSWORD": "heron4711"}
    composed.start("redis of compose", words, env=env)
    try:
        command = filled(service["healthcheck"]["test"][1], {}).replace("redis-cli", f"redis-cli -p {redis_port}")

        def is_well(password: str) -> bool:
            given = {"PATH": os.environ["PATH"], "REDIS_PASSWORD": password}
            return subprocess.run(["sh", "-c", command], env=given, capture_output=True, check=False).returncode == 0

        composed.until(lambda: is_well("heron4711"))
        assert not is_well("wrong")
    finally:
        composed.kill("redis of compose")
