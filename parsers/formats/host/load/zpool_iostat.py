"""``zpool iostat -l``: how long requests to a pool of ZFS and to its disks take.

                  capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  scrub
    pool        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write   wait
    ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
    larder       983G  2.67T      4     91   267K  3.24M    6ms   49ms    4ms    2ms    1us   47ms    1ms    4ms      -
      sdv           -      -      4     91   267K  3.24M    6ms  912ms    4ms  880ms    1us      -    1ms    4ms      -

Yields ``DiskIo`` of reads and of writes, each with its rate, and of the slower of them for the device: of a disk the
time that it took itself (``disk_wait``), of the pool the time that its callers waited (``total_wait``), which the
queues of ZFS are part of; groups of disks are everyday rows. The first report of a pool counts since it was imported,
unless ``-y`` left it out. Without ``-l`` the rows hold no times and are everyday. No times of its own. Source:
zpool-iostat(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

SOURCE: Final = "zpool iostat"
SINCE: Final = "zpool iostat (since import)"
_GROUPS: Final = r"capacity\s{1,20}operations\s{1,20}bandwidth(?:\s{1,20}[a-z_]{4,16}){0,12}$"
_NAMES: Final = r"(?:pool|vdev|name)\s{1,250}alloc\s{1,20}free(?:\s{1,20}(?:read|write|wait|pend|activ)){2,40}$"
_CELL: Final = r"(?:-|\d{1,20}(?:\.\d{1,3})?(?:[KMGTPE]|ns|us|ms|s)?)"
_ROW: Final = rf"[\w/][\w./:@,-]{{0,250}}(?:\s{{1,250}}{_CELL}){{6,40}}$"
_RULER: Final = r"-{2,250}(?:\s{1,4}-{2,20}){4,40}$"
_GROUP: Final = re.compile(
    r"(?:mirror|raidz\d?|draid\d?\S{0,40}|replacing|spare|log|indirect)-\d{1,6}|logs|cache|special|dedup|spares"
)
_MS: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "": 1e-6}
"""Bare figures of ``-p`` are nanoseconds."""
_TIME: Final = re.compile(r"(\d{1,20}(?:\.\d{1,3})?)(ns|us|ms|s|)")
_SCALES: Final = {unit: 1024.0**power for power, unit in enumerate("KMGTPE", 1)}
_LEAST: Final = 2
"""Cells of each group at the least, all groups and the name taken together: the last groups have one each."""
_OPERATIONS: Final = 1
_BANDWIDTH: Final = 2
_WIDTH: Final = 2
_FIRST: Final = 1


@parser(
    "zpool_iostat",
    version=1,
    product="storage",
    claims=rf"(?:{_GROUPS}|{_NAMES})",
    owns=rf"(?:{_GROUPS}|{_NAMES}|{_ROW}|{_RULER})",
    priority=2,
)
def zpool_iostat(section: OpenSection, out: Output) -> None:
    """Rows of pools and of their disks."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if re.match(_GROUPS, text):
            state["groups"] = text.split()
            out.frame()
        elif re.match(_NAMES, text) or re.match(_RULER, text):
            out.frame()
        elif re.match(_ROW, text) is None:
            out.skip(line, "no row of a pool or a disk")
        elif len(cells := text.split()) < _LEAST * len(state.get("groups", ())):
            out.skip(line, "a row that was cut")
        elif not _put(section, line, cells):
            out.everyday()


def _put(section: OpenSection, line: Line, cells: list[str]) -> bool:
    """Whether the row tells a time."""
    state, name = section.state, cells[0]
    groups = state.get("groups", [])
    if "total_wait" not in groups or _GROUP.fullmatch(name):
        return False
    is_pool = cells[1] != "-" and (line.text[:1].strip() != "" or "pool" not in state)
    if is_pool:
        seen = state.setdefault("seen", set())
        state.update(pool=name, source=SOURCE if name in seen or _is_from_now(section) else SINCE)
        seen.add(name)
    wanted = groups.index("total_wait" if is_pool or "disk_wait" not in groups else "disk_wait")
    found = list(_times(cells, wanted))
    if found:
        found.insert(0, ("", *max(found, key=lambda one: one[3])[1:]))
    for op, count, size, mean_ms in found:
        section.add(
            DiskIo,
            line.number,
            source=state.get("source", SINCE),
            device=name if is_pool or "pool" not in state else f"{name} of {state['pool']}",
            op=op,
            count=count,
            per_s=True,
            bytes=size,
            mean_ms=round(mean_ms, 6),
        )
    return bool(found)


def _times(cells: list[str], wanted: int) -> Iterator[tuple[str, float | None, float | None, float]]:
    """Of reads and of writes the requests, the bytes and the mean time in ms, by the number of the group of columns."""
    for offset, op in enumerate(("read", "write")):
        at = _FIRST + _WIDTH * wanted + offset
        mean_ms = _ms(cells[at]) if at < len(cells) else None
        if mean_ms is not None:
            count, size = (_count(cells[_FIRST + _WIDTH * group + offset]) for group in (_OPERATIONS, _BANDWIDTH))
            yield op, count, size, mean_ms


def _is_from_now(section: OpenSection) -> bool:
    """Whether the command left out the report on the time since the import."""
    words = section.command.args if section.command is not None else ()
    return any(re.fullmatch(r"-[A-Za-z]{0,12}y[A-Za-z]{0,12}", word) for word in words)


def _ms(cell: str) -> float | None:
    match = _TIME.fullmatch(cell)
    return None if match is None else float(match[1]) * _MS[match[2]]


def _count(cell: str) -> float | None:
    value = figure(cell.rstrip("KMGTPE"))
    return None if value is None else value * _SCALES.get(cell[-1:], 1.0)
