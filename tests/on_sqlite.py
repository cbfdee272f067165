"""What a module tells that runs in a process of its own, in the embedded shape: settings are read once in
each process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.services import BASE_DIR


def told_by(module: str, folder: Path) -> Any:
    """The JSON that ``python -m module`` prints; its database is in ``folder``."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")} | {
        "LOCKSCOPE_VAR": str(folder)
    }
    done = subprocess.run(
        [sys.executable, "-m", module], cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
