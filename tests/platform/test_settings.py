"""The settings as a start reads them: in a process of their own, with exactly the environment given.

Each of these is a fork of one that has imported what the settings import and nothing of them.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]
SERVER = {
    "LOCKSCOPE_DB_HOST": "postgres",
    "LOCKSCOPE_SECRET_KEY": "kJ8s0dLq2Zx7Wm4Tn1Vb6Yc3Rf9Pg5Hu0Ia",
    "LOCKSCOPE_BASE_URL": "https://lockscope.acme.test/support",
    "LOCKSCOPE_BROKER_URL": "redis://redis/0",
    "LOCKSCOPE_CACHE_URL": "redis://redis/1",
}


STARTS = """
import json, os, sys, traceback
import django.core.exceptions, django_stubs_ext.patch, structlog

def start(expression, environment):
    os.environ.clear()
    os.environ.update(environment)
    try:
        from config import settings as s
        return [0, json.dumps(eval(expression), default=str)]
    except BaseException:
        return [1, traceback.format_exc()]

for line in sys.stdin:
    came, goes = os.pipe()
    if not os.fork():
        with open(goes, "w") as out:
            json.dump(start(*json.loads(line)), out)
        os._exit(0)
    os.close(goes)
    with open(came) as answer:
        print(answer.read(), flush=True)
    os.wait()
"""
Read = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def starts() -> Iterator[subprocess.Popen[str]]:
    environment = {"PATH": os.environ["PATH"]}
    with subprocess.Popen(
        [sys.executable, "-c", STARTS],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.communicate()


@pytest.fixture
def read_settings(starts: subprocess.Popen[str], tmp_path: Path) -> Read:
    """What a start with some settings tells, or how it fails."""

    def read(expression: str, **environment: str) -> tuple[int, str]:
        given = {"PATH": os.environ["PATH"], "LOCKSCOPE_VAR": str(tmp_path / "var"), **environment}
        assert starts.stdin is not None
        assert starts.stdout is not None
        starts.stdin.write(f"{json.dumps([expression, given])}\n")
        starts.stdin.flush()
        code, printed = json.loads(starts.stdout.readline())
        return code, printed

    return read


@pytest.fixture
def value_of(read_settings: Read) -> Callable[..., object]:
    def value(expression: str, **environment: str) -> object:
        code, printed = read_settings(expression, **environment)
        assert code == 0, printed
        return json.loads(printed)

    return value


def test_without_an_environment_it_is_embedded(value_of: Callable[..., object]) -> None:
    expression = (
        "[s.EMBEDDED, s.DATABASES['default']['ENGINE'], s.DATABASES['default']['OPTIONS']['transaction_mode'], s.DEBUG]"
    )
    assert value_of(expression) == [True, "django.db.backends.sqlite3", "IMMEDIATE", False]


def test_the_embedded_key_is_made_once_and_read_by_its_owner_only(
    value_of: Callable[..., object], tmp_path: Path
) -> None:
    first, second = value_of("s.SECRET_KEY"), value_of("s.SECRET_KEY")
    assert first == second
    assert stat.S_IMODE((tmp_path / "var" / "secret_key").stat().st_mode) == 0o600


def test_a_database_host_makes_it_a_server_with_secure_cookies(value_of: Callable[..., object]) -> None:
    expression = (
        "[s.EMBEDDED, s.DATABASES['default']['ENGINE'], s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, "
        "s.FORCE_SCRIPT_NAME]"
    )
    assert value_of(expression, **SERVER) == [False, "django.db.backends.postgresql", True, True, "/support"]
    assert value_of("[s.ALLOWED_HOSTS[0], s.CSRF_TRUSTED_ORIGINS]", **SERVER) == [
        "lockscope.acme.test",
        ["https://lockscope.acme.test"],
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOCKSCOPE_SECRET_KEY", ""),
        ("LOCKSCOPE_SECRET_KEY", "change-me-0123456789-0123456789-abcdef"),
        ("LOCKSCOPE_DEBUG", "true"),
        ("LOCKSCOPE_ALLOWED_HOSTS", "*"),
        ("LOCKSCOPE_ALLOWED_HOSTS", "a.test,*.test"),
        ("LOCKSCOPE_BASE_URL", ""),
        ("LOCKSCOPE_BASE_URL", "lockscope.acme.test"),
        ("LOCKSCOPE_BASE_URL", "http://lockscope.acme.test"),
        ("LOCKSCOPE_ALLOWED_HOSTS", ".acme.test"),
        ("LOCKSCOPE_ALLOWED_HOSTS", "lockscope.acme.test,.acme.test"),
        ("LOCKSCOPE_BROKER_URL", ""),
        ("LOCKSCOPE_CACHE_URL", ""),
        ("LOCKSCOPE_DB_PORT", "high"),
        ("LOCKSCOPE_LOG_LEVEL", "LOUD"),
    ],
)
def test_t31_a_server_refuses_to_start_with(read_settings: Read, name: str, value: str) -> None:
    code, printed = read_settings("1", **{**SERVER, name: value})
    assert code != 0
    assert name in printed.splitlines()[-1]


def test_a_start_says_in_one_line_which_variable_is_wrong(tmp_path: Path) -> None:
    given = {"PATH": os.environ["PATH"], "LOCKSCOPE_VAR": str(tmp_path / "var"), "LOCKSCOPE_LEASE_S": "soon"}
    done = subprocess.run(
        [sys.executable, "scripts/prepare.py"], cwd=ROOT, env=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "LOCKSCOPE_LEASE_S must be a whole number\n")


def test_t31_debug_is_allowed_for_one_engineer(value_of: Callable[..., object]) -> None:
    assert value_of("s.DEBUG", LOCKSCOPE_DEBUG="on") is True


def test_t32_tasks_are_json_only_and_come_back_after_the_longest_one() -> None:
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_ACKS_LATE
    assert settings.CELERY_TASK_REJECT_ON_WORKER_LOST
    assert settings.CELERY_WORKER_PREFETCH_MULTIPLIER == 1
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] > settings.LIMITS.task_hard_s


def test_every_setting_has_its_line_in_the_example() -> None:
    read = {
        name for path in [*ROOT.glob("config/*.py"), *ROOT.glob("scripts/*.py")] for name in variables(path.read_text())
    }
    compose = set(re.findall(r"\$\{(LOCKSCOPE_[A-Z0-9_]+)", (ROOT / "docker-compose.yml").read_text()))
    explained = set(re.findall(r"^(LOCKSCOPE_[A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert explained == read | compose


def variables(source: str) -> set[str]:
    return {name for name in re.findall(r'"(LOCKSCOPE_[A-Z0-9_]+)"', source) if not name.startswith("LOCKSCOPE_TEST")}


def test_the_example_holds_no_secret() -> None:
    for line in (ROOT / ".env.example").read_text().splitlines():
        if re.match(r"LOCKSCOPE_\w*(SECRET|PASSWORD)\w*=", line):
            assert line.endswith("="), line
