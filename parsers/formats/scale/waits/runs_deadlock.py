"""Runs of plain waiters of the deadlock detector: ``Waiting 367.6 sec since 18:19:49, on node lund03, thread 16077
NAME: for ...``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parsers.formats.scale.waits.detail import plain
from parsers.formats.scale.waits.line import ADDRESSED, WaiterLine, only_waiter
from parsers.formats.scale.waits.rows import Rows, WordedRow
from parsers.formats.scale.waits.runs import PLAIN_NODE, Runs
from parsers.output import Output
from parsers.sections.reader import OpenSection

_BEGINS: Final = re.compile(
    rf"{PLAIN_NODE}(?:Waiting \d{{1,12}}(?:\.\d{{1,12}})? sec since \d"
    r"|Effective deadlock detection threshold |Nodes the deadlock waiters depend on)"
)
_ROW: Final = re.compile(
    rf"{PLAIN_NODE}Waiting (\d{{1,12}}\.\d{{1,12}}) sec since ([01]\d|2[0-3]):([0-5]\d):([0-5]\d), "
    r"on node ([\w.-]{1,253}), thread (\d{1,18}) ([ -~]{1,600})\n",
    re.ASCII,
)
_SECOND_US: Final = 1_000_000


class DeadlockRuns:
    """The runs of one section."""

    def __init__(self, section: OpenSection, out: Output, rows: Rows) -> None:
        self._runs = Runs(section, out, rows, _BEGINS)

    def run(self, flush: Callable[[], None]) -> None:
        """Read on while rows are plain."""
        self._runs.run(flush, lambda: _ROW, self._take)

    def _take(self, match: re.Match[str], number: int) -> WordedRow | None:
        own, seconds, hours, minutes, rest_s, node, thread, wait = match.groups()
        lock, key = None, wait
        if "0x" in wait:
            found = ADDRESSED.search(wait)
            if found is None:
                return None
            lock, key = int(found[1], 16), f"{wait[: found.start(1)]}{'|' if found[2] else ''}{wait[found.end() :]}"
        wording = self._runs.wording(("deadlock", key, bool(own)), number, match, _read)
        if wording is None:
            return None
        since = ((int(hours) * 60 + int(minutes)) * 60 + int(rest_s)) * _SECOND_US
        return number, own, node, None, since, float(seconds), None, int(thread), lock, wording.shape


def _read(match: re.Match[str]) -> WaiterLine | None:
    """The first row of a wording, as the line loop reads it."""
    waiter = only_waiter(match[0]) if plain(match[8]) == match[8] else None
    return waiter if waiter is not None and waiter.style == "deadlock" and waiter.on_node == match[6] else None
