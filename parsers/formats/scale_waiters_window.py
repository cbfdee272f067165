"""A stretch of waiter text as columns of bytes, one tuple of the pattern for each line."""

from __future__ import annotations

import re
from typing import Final

from parsers.clock import time_of_day
from parsers.formats.scale_line import WaiterLine
from parsers.text import Line, make_line

_SECONDS = rb"([0-9]{1,12}\.[0-9]{1,12})"
_DETAIL = rb"([^:\n]+: (?:on Th(?:Cond|Mutex) 0x)?)(?:(?<=0x)([0-9A-Fa-f]{1,16})(?: \(0x[0-9A-Fa-f]{1,16}\))?)?(.*)\n|(.*\n)"
_PATTERNS: Final = {
    "old": re.compile(rb"(?:0|([A-Za-z0-9][\w.-]{0,252}): {1,2}0)x([0-9A-Fa-f]{1,16}) waiting " + _SECONDS + rb" seconds, " + _DETAIL),
    "new": re.compile(
        rb"(?:W|([A-Za-z0-9][\w.-]{0,252}): {1,2}W)aiting "
        + _SECONDS
        + rb" sec since ((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]), (?:monitored|(ignored)), thread ([0-9]{1,18}) "
        + _DETAIL
    ),
}
_NONE: Final[tuple[bytes, ...]] = ()


class Window:
    """The lines of one window as columns of bytes. ``first`` is the number of the line before its first one."""

    def __init__(self, data: bytes, first: int, style: str) -> None:
        self.data = data
        self.first = first
        columns = list(zip(*_PATTERNS[style].findall(data if data.endswith(b"\n") else data + b"\n"), strict=True))
        self.lines = len(columns[0])
        self.node, self.other = columns[0], columns[-1]
        self.head, self.lock, self.tail = columns[-4:-1]
        self.prefixed = any(self.node)
        self.address, self.since, self.thread_id = _NONE, _NONE, _NONE
        if style == "old":
            self.address, self.seconds = columns[1:3]
            self.ignored = self.head  # no such word in this style: the column only completes the key
        else:
            self.seconds, self.since, self.ignored, self.thread_id = columns[1:5]
        self.ages = [float(text) if text else 0.0 for text in self.seconds]
        self._split: list[bytes] = []

    def raw(self, index: int) -> Line:
        """A line as the line loop would see it."""
        self._split = self._split or self.data.split(b"\n")
        return make_line(self.first + index + 1, self._split[index])

    def agrees(self, index: int, waiter: WaiterLine) -> bool:
        """Whether the line loop reads the same figures from a line as the pattern."""
        lock = self.lock[index]
        same = waiter.seconds == float(self.seconds[index]) and (waiter.node or "").encode() == self.node[index]
        same = same and waiter.detail.wait_address == (int(lock, 16) if lock else None)
        if self.address:
            return same and waiter.address == int(self.address[index], 16) and waiter.since is None and waiter.thread_id is None
        tod = time_of_day(self.since[index].decode())
        return same and waiter.address is None and waiter.since == tod and waiter.thread_id == int(self.thread_id[index])

    def text_before(self, offset: int) -> str:
        """Text of the last line that is not blank above an offset."""
        text = ""
        while offset and not text.strip():
            start = self.data.rfind(b"\n", 0, offset - 1) + 1
            text = make_line(0, self.data[start : offset - 1]).text
            offset = start
        return text

    def offset(self, index: int) -> int:
        """Where a line begins."""
        if index >= self.lines:
            return len(self.data)
        if index == self.lines - 1:
            return self.data.rfind(b"\n", 0, len(self.data) - 1) + 1
        self._split = self._split or self.data.split(b"\n")
        return sum(map(len, self._split[:index])) + index
