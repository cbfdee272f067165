"""What processes hold at a moment: memory, open files, connections."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.cache import cache
from django.db import connection


@dataclass(frozen=True, slots=True)
class Held:
    """By one program with its children; memory is that of each process's own, shared pages divided among those that
    share them.
    """

    mib: float
    files: int
    processes: int


def held(running: Mapping[str, subprocess.Popen[bytes]]) -> dict[str, Held]:
    children = _children()
    return {name: _of_all([process.pid, *_below(process.pid, children)]) for name, process in running.items()}


def connections_held() -> dict[str, int]:
    """Of the queue's server, and of PostgreSQL where that is the database."""
    client: Any = cache._cache.get_client()  # type: ignore[attr-defined]
    found = {"queue": int(client.info("clients")["connected_clients"])}
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            found["database"] = int(cursor.fetchone()[0])
    return found


def _of_all(pids: list[int]) -> Held:
    seen = [(_kib(pid), _files(pid)) for pid in pids if Path(f"/proc/{pid}/smaps_rollup").exists()]
    return Held(round(sum(kib for kib, _ in seen) / 1024, 1), sum(files for _, files in seen), len(seen))


def _kib(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def _files(pid: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after_the_name = path.read_text().rpartition(")")[2].split()
            found.setdefault(int(after_the_name[1]), []).append(int(path.parent.name))
    return found


def _below(pid: int, children: dict[int, list[int]]) -> Iterator[int]:
    for child in children.get(pid, ()):
        yield child
        yield from _below(child, children)
