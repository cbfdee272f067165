"""What a module tells that runs in a process of its own, in the embedded shape: settings are read once in
each process.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.services import BASE_DIR, RUNNING, STATIC_ROOT, collect_static, keep_migrations, kept_migrations

NAME = "lockscope.sqlite3"


def output_of(module: str, folder: Path) -> Any:
    """The JSON that ``python -m module`` prints; its database is in ``folder``."""
    put_migrated(folder)
    env = environment(folder)
    done = subprocess.run(
        [sys.executable, "-m", module], cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def put_migrated(folder: Path) -> None:
    """A database in the folder on which all migrations have run: a copy of the one that the first such test makes."""
    made = Path(os.environ[RUNNING]) / "migrated"
    made.mkdir(exist_ok=True)
    with (made / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "whole").exists():
            _migrate(made)
            (made / "whole").touch()
    shutil.copy(made / NAME, folder)


def _migrate(made: Path) -> None:
    kept = kept_migrations("sqlite3")
    if kept.exists():
        shutil.copy(kept, made / NAME)
        return
    _begin_on_nothing(made)
    keep_migrations(kept, (made / NAME).read_bytes())


def _begin_on_nothing(folder: Path) -> None:
    """As the first start of the program does, up to where its web server and worker would start."""
    collect_static()
    env = environment(folder) | {"LOCKSCOPE_STATIC_ROOT": str(STATIC_ROOT)}
    start = [sys.executable, str(BASE_DIR / "scripts" / "prepare.py")]
    done = subprocess.run(start, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ready\n"), done.stderr


def environment(folder: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")}
    return own | {"LOCKSCOPE_VAR": str(folder)}
