"""Workers are forked from a process that has imported everything: a thread that an import starts is not in them, and
whoever waits for it waits for ever (the pool of Polars does).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORTS = """
import os
import numpy, polars
own = len(os.listdir("/proc/self/task"))
from config.celery import app, import_before_forking
app.loader.import_default_modules()
import apps.diagnosis.services, apps.ingest.tasks
import_before_forking()
from parsers.patterns import kept_start
assert kept_start._now == []
print(len(os.listdir("/proc/self/task")) - own)
"""
"""Those that the libraries start themselves are ready to be forked."""


def test_importing_the_tasks_starts_no_further_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "0"
