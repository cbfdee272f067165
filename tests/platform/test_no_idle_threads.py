"""Libraries that would start threads for work that nobody gives them are told so before they are imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "OPENBLAS_NUM_THREADS"
COUNTS = "import config, numpy, os; print(len(os.listdir('/proc/self/task')), os.environ['OPENBLAS_NUM_THREADS'])"


def run(arguments: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """In a process that has no settings of the one that tests."""
    environment = {name: value for name, value in os.environ.items() if name != NAME} | more
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)


def test_linear_algebra_has_no_threads() -> None:
    assert run(["-c", COUNTS]).stdout.split() == ["1", "1"]


def test_who_asks_for_threads_gets_them() -> None:
    assert run(["-c", COUNTS], **{NAME: "2"}).stdout.split()[1] == "2"


@pytest.mark.parametrize("command", ["analyze", "shell"])
def test_the_command_line_says_so_before_it_imports_numpy(command: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing\n")
    arguments = {"analyze": [str(tmp_path / "text")], "shell": ["-c", "import numpy"]}[command]
    done = run(["-X", "importtime", "manage.py", command, *arguments])
    imported = re.findall(r"\| +(\S+)$", done.stderr, re.MULTILINE)
    assert imported.index("config") < imported.index("numpy")
