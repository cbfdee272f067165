"""Reading gives way to pages also where Linux shares the cores between sessions and heeds niceness only
inside of each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import HANGS_S

ENABLED = Path("/proc/sys/kernel/sched_autogroup_enabled")
IS_ON = ENABLED.exists() and ENABLED.read_text().strip() == "1"
pytestmark = pytest.mark.skipif(not IS_ON, reason="this kernel does not share cores between sessions")
TELL = """
import django
django.setup()
from config.celery import AUTOGROUP, give_way_to_pages
give_way_to_pages()
print(AUTOGROUP.read_text())
"""


def session_of_a_worker(*, leads: bool) -> str:
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "LOCKSCOPE_WORKER_NICE": "10"}
    command = [sys.executable, "-c", TELL] if leads else ["sh", "-c", '"$0" -c "$1"; true', sys.executable, TELL]
    return subprocess.run(
        command, env=env, start_new_session=True, capture_output=True, text=True, check=True, timeout=HANGS_S
    ).stdout


def test_the_session_that_a_worker_leads_gives_way() -> None:
    assert session_of_a_worker(leads=True).strip().endswith("nice 10")


def test_the_session_of_others_is_left_alone() -> None:
    assert session_of_a_worker(leads=False).strip().endswith("nice 0")
