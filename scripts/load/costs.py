"""What one page costs: processor time of the web process and of the database for each kind of page, one request after
the other.

Under load the waiting depends on the machine; this does not, so it is the figure to reckon a larger machine with.
"""

from __future__ import annotations

import http.client
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

REQUESTS: Final = 50
TICKS: Final = os.sysconf("SC_CLK_TCK")
HTMX: Final = {"HX-Request": "true"}
"""A part of a page that the browser asks for by itself."""
Kind = tuple[str, str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Cost:
    name: str
    first_ms: float
    web_ms: float
    database_ms: float
    wall_ms: float
    """The median."""
    kib: float


def kinds(case: str) -> list[Kind]:
    """Pages that people open, then the requests of their browsers while a case is being read."""
    pages = ("waiters", "graph", "files", "locks", "settings", "history", "notes")
    return [
        ("cases", "/", {}),
        ("search", "/search/?q=waiters", {}),
        ("case timeline", f"/cases/{case}/", {}),
        *((f"case {name}", f"/cases/{case}/{name}/", {}) for name in pages),
        ("polled: state of a case", f"/cases/{case}/state/", HTMX),
        ("polled: list of files", f"/cases/{case}/files/", HTMX),
        ("asked: lanes of a window", f"/cases/{case}/timeline.json", {}),
    ]


def costs(port: int, given: dict[str, Any], web: Sequence[int], database: int) -> list[Cost]:
    """Of each kind, spread over the cases. ``web`` are the processes that answer, ``database`` the parent of
    PostgreSQL's.
    """
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    cookies = {"Cookie": f"{given['session_cookie']}={given['sessions'][0]}; {given['csrf_cookie']}={'k' * 32}"}
    ask(client, "/search/?q=warm", cookies)  # what is loaded with the very first page is no cost of any
    found = []
    for number, (name, _, headers) in enumerate(kinds("")):
        addresses = [kinds(case)[number][1] for case in given["cases"]]
        found.append(_cost(name, client, addresses, {**cookies, **headers}, web, database))
    client.close()
    return found


def _cost(
    name: str,
    client: http.client.HTTPConnection,
    addresses: list[str],
    headers: dict[str, str],
    web: Sequence[int],
    database: int,
) -> Cost:
    """First each address once, which is what nobody has read yet costs; then as often as is measured."""
    begun = cpu_s(web)
    for address in addresses:
        ask(client, address, headers)
    first_ms = (cpu_s(web) - begun) * 1000 / len(addresses)
    before = cpu_s(web), database_s(database)
    times, size = [], 0
    for number in range(REQUESTS):
        started = time.perf_counter()
        size += ask(client, addresses[number % len(addresses)], headers)
        times.append(time.perf_counter() - started)
    web_ms, database_ms = ((cpu_s(web) - before[0]) * 1000, (database_s(database) - before[1]) * 1000)
    wall_ms = sorted(times)[REQUESTS // 2] * 1000
    return Cost(name, first_ms, web_ms / REQUESTS, database_ms / REQUESTS, wall_ms, size / 1024 / REQUESTS)


def ask(client: http.client.HTTPConnection, address: str, headers: dict[str, str]) -> int:
    """Bytes of the answer; anything but a page ends the measurement."""
    client.request("GET", address, headers={"Accept": "text/html", **headers})
    answer = client.getresponse()
    body = answer.read()
    if answer.status not in {200, 286}:
        sys.exit(f"{address} answered {answer.status}")
    return len(body)


def database_s(parent: int) -> float:
    """Of all its processes, those that ended too: a connection is closed after a minute, and its process with it."""
    return cpu_s(children(parent)) + (fields(parent)[13] + fields(parent)[14]) / TICKS


def cpu_s(processes: Iterable[int]) -> float:
    """Seconds of processor time, of all threads, those that ended too."""
    return sum(_ticks(pid) for pid in processes) / TICKS


def _ticks(pid: int) -> int:
    try:
        return fields(pid)[11] + fields(pid)[12]
    except FileNotFoundError:  # it ended
        return 0


def fields(pid: int) -> list[int]:
    """Of /proc/PID/stat behind name and state: 11 and 12 are the ticks of its own, 13 and 14 those of children that
    ended.
    """
    _, _, rest = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")
    return [0, *(int(field) for field in rest.split()[1:])]


def children(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        found += [int(pid) for pid in task.read_text(encoding="ascii").split()]
    return found
