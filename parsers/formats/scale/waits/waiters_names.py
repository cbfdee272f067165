"""What differs between dumps that are alike otherwise: the node or disk that a waiter names last, for how long it is
delayed, and the head of a collection.
"""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.formats.scale.waits.detail import Shape, number
from parsers.headings.transcript import Mark
from parsers.times.clock import Instant, find_instant, time_of_day

# Ends of lines that differ from one waiter to the next, written so plainly that nothing else in the line depends on
# them.
TARGET = re.compile(r"((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?: <(c[0-9]{1,6}n[0-9]{1,6})>)?")
_DISK = re.compile(r"([A-Za-z][0-9A-Za-z_-]{0,60}[0-9])")
_DELAY = re.compile(r"([0-9]{1,12}\.[0-9]{1,12})")
_DELAYED = (": delaying for ", " more seconds, ")
"""What stands around the time for which a thread is delayed on purpose, which is another one each time."""
_OTHER_DELAYS = ("delay", "sleeping for")


def named_at_end(end: str) -> tuple[str, re.Match[str] | None]:
    """The end of a line without the node or disk that it names last, and that name, if it is the only one and plain;
    where it names none, the line without the time for which it is delayed, and that time.
    """
    start, node, name = end.rpartition(" on node ")
    if node:
        return start, None if " on node " in start else TARGET.fullmatch(name)
    start, disk, name = end.rpartition(" on disk ")
    if disk:
        return start, _DISK.fullmatch(name) if " on disk " not in start else None
    thread, delayed, behind = end.partition(_DELAYED[0])
    time, more, reason = behind.partition(_DELAYED[1])
    if not (delayed and more) or any(words in part for words in _OTHER_DELAYS for part in (thread, reason)):
        return start, None
    return f"{thread}{delayed}{more}{reason}", _DELAY.fullmatch(time)


def named(shape: Shape, found: re.Match[str]) -> Shape:
    """A shape with the node, the disk or the delay of another line."""
    name = found[1]
    if found.re is _DELAY:
        return shape._replace(delay_s=number(name))
    if found.re is _DISK:
        return shape._replace(object=name)
    return shape._replace(target=name, target_index=found[2] or None)


_COLLECTION = re.compile(
    rb"### BEGIN DATA COLLECTION (\d{4}/\d\d/\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d) "
    rb"([a-z][A-Za-z0-9_.-]{0,126}) ###\n"
)


def collection(raw: bytes) -> Mark | None:
    """``### BEGIN DATA COLLECTION 2026/05/01 09:00:20 nsd00.cl.example.com ###``: node and clock of what follows."""
    match = _COLLECTION.fullmatch(raw)
    if match is None:
        return None
    day, time, node = match.groups()
    instant = _instant(day, time)
    return None if instant is None else Mark(_decoded(node), "header", instant)


@lru_cache(maxsize=10_000)
def _instant(day: bytes, time: bytes) -> Instant | None:
    """Of one second all nodes of a cluster print their dumps."""
    midnight = _day(day)
    return None if midnight is None else Instant(midnight + (time_of_day(time.decode()) or 0))


@lru_cache(maxsize=10_000)
def _day(text: bytes) -> int | None:
    found = find_instant(f"{text.decode()} 00:00:00")
    return found[0].us if found else None


@lru_cache(maxsize=10_000)
def _decoded(name: bytes) -> str:
    return name.decode()
