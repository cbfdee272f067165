"""The health check of a container: ``health.py web``, ``health.py worker`` or ``health.py beat``; status 0 when it is
well.

It imports neither Django nor Celery: it runs every few seconds beside the program that it watches.
"""

from __future__ import annotations

import os
import socket
import sys
import time
import urllib.request
from pathlib import Path

STALE_S = 30
TIMEOUT_S = 4


def web_is_well() -> bool:
    port = os.environ.get("LOCKSCOPE_BIND", "127.0.0.1:8000").rsplit(":", 1)[-1]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/healthz", timeout=TIMEOUT_S) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def is_beating(role: str) -> bool:
    """The process touches its file every few seconds (config/heartbeat.py); the host name keeps containers apart."""
    path = Path(os.environ.get("LOCKSCOPE_VAR", "var")) / "run" / f"{role}-{socket.gethostname()}.alive"
    try:
        return time.time() - path.stat().st_mtime < STALE_S
    except OSError:
        return False


def main(arguments: list[str]) -> int:
    match arguments:
        case ["web"]:
            return 0 if web_is_well() else 1
        case ["worker" | "beat" as role]:
            return 0 if is_beating(role) else 1
        case _:
            sys.stderr.write("usage: health.py web | worker | beat\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
