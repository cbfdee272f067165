"""Everyday lines of a system log by the shapes of whole lines, all digits alike: in a window of bytes they are found in
one go, and only the others are looked at. No parser.

A shape is kept of lines of one host. Where its name holds digits it stands in such a line once, so that counting it
tells whether all lines of a stretch are of that host.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Final, NamedTuple

from parsers.formats.host.logs.log_heads import STAMP
from parsers.formats.host.logs.log_reader import LogReader
from parsers.formats.host.logs.quiet_lines import LONGEST, MOST
from parsers.patterns.digits import ALL_ALIKE

DULL: Final = 1
"""Of programs that tell nothing here."""
QUIET: Final = 2
"""Of others, one like it was read and gave nothing."""
MOSTLY: Final = 0.7
OF_MANY: Final = 16
"""Of so many new lines of a window that is mostly known the shape of one is kept: many hold what never comes again."""
_HEAD: Final = re.compile(
    STAMP.encode() + rb" ([A-Za-z0-9][\w.-]{0,127}+) ([A-Za-z_][\w./@-]{0,63}+)(?:\[\d{1,9}+\])?: "
)
_DIGIT: Final = re.compile(rb"\d")


Doubts = Callable[[list[bytes]], set[int]]


class Run(NamedTuple):
    """Lines whose shapes are known."""

    end: int
    lines: int
    dull: int
    quiet: tuple[int, int] | None
    """How many lines there are up to the last one of a program that is listened to, and where that begins."""
    ends_dull: bool


def _unknown(_: bytes) -> None:
    return None


class KnownLines:
    """The lines of a window that ends with a whole one."""

    def __init__(self, data: bytes, reader: LogReader, unlike: tuple[bytes, ...], doubts: Doubts) -> None:
        """``unlike``: what no line may hold whose shape is kept, for it tells one digit from another. ``doubts``: which
        of many lines are perhaps not dull.
        """
        self._data = data
        self._reader = reader
        self._unlike = unlike
        self._kept = reader.quiet.whole
        self._host = b" " + reader.quiet.host + b" "
        self._shapes = (data if self._is_of_many() else data.translate(ALL_ALIKE)).split(b"\n")[:-1]
        self._kinds = list(map(self._kept.get if self._is_of_one_host() else _unknown, self._shapes))
        self._lengths = list(accumulate(map(len, self._shapes), initial=0))
        new = [number for number, kind in enumerate(self._kinds) if kind is None]
        self.is_mostly_known = len(new) <= (1 - MOSTLY) * len(self._kinds)
        if self.is_mostly_known:
            new = self._tell(new, doubts)
        self._new = [*new, len(self._kinds)]
        self._number = self._at_new = self._limit = 0

    def _tell(self, new: list[int], doubts: Doubts) -> list[int]:
        """Which of some lines are to be looked at; the others are dull, and their host stands in them once."""
        lines = [self._data[self._begin(number) : self._begin(number + 1)] for number in new]
        left, host = doubts(lines), self._host
        again = []
        for at, (number, line) in enumerate(zip(new, lines, strict=True)):
            if at in left or line.count(host) != 1:
                again.append(number)
            else:
                self._kinds[number] = DULL
                if number % OF_MANY == 0:
                    self._keep(number, DULL)
        return again

    def _begin(self, number: int) -> int:
        return self._lengths[number] + number

    def _go_to(self, at: int) -> int:
        """The number of the line that begins at a place behind all that was asked for."""
        while self._begin(self._number) < at:
            self._number += 1
        while self._new[self._at_new] < self._number:
            self._at_new += 1
        return self._number

    def limit(self, at: int) -> int:
        """Where the lines end that are to be looked at together: before the next one that is known."""
        if at >= self._limit:
            number, last = self._go_to(at), self._at_new
            while last + 1 < len(self._new) and self._new[last] == number:
                number, last = number + 1, last + 1
            self._limit = self._begin(number if number > self._number else number + 1)
        return self._limit

    def run(self, at: int) -> Run | None:
        """The lines from a place on of which each is known, if any is, and if all are of the host of the log."""
        number = self._go_to(at)
        end = self._new[self._at_new]
        if end == number or not self._is_of_one_host():
            return None
        quiet = self._kinds[number:end].count(QUIET)
        if quiet and not self._reader.may_pass(self._host[1:-1]):
            end, quiet = self._kinds.index(QUIET, number), 0
        if end == number or self._data.count(self._host, at, self._begin(end)) != end - number:
            return None
        last = end - 1
        while quiet and self._kinds[last] != QUIET:
            last -= 1
        self._number = end
        return Run(
            self._begin(end),
            end - number,
            end - number - quiet,
            (last + 1 - number, self._begin(last)) if quiet else None,
            ends_dull=self._kinds[end - 1] == DULL,
        )

    def _is_of_many(self) -> bool:
        """Whether the log is that of several hosts."""
        return self._reader.is_mixed or len(self._reader.hosts) > 1

    def _is_of_one_host(self) -> bool:
        """Whether all of the log so far is of the host whose lines are known."""
        reader = self._reader
        is_known = reader.last_us is not None and not self._is_of_many()
        return is_known and self._host[1:-1].decode("ascii") in reader.hosts

    def learn(self, begin: int, end: int, kind: int) -> None:
        """Lines that were looked at said nothing: keep their shapes."""
        reader, quiet = self._reader, self._reader.quiet
        if self._is_of_many() or not reader.hosts:
            return
        quiet.host = quiet.host or next(iter(reader.hosts)).encode("ascii", "replace")
        number = self._go_to(begin)
        while number < len(self._kinds) and self._begin(number) < end:
            if self._kinds[number] is None:
                self._keep(number, kind)
            number += 1

    def _keep(self, number: int, kind: int) -> None:
        """The shape of a line, where all lines of the host that are like it say nothing either."""
        shape, host = self._shapes[number], self._reader.quiet.host
        if len(shape) > LONGEST or any(words in shape for words in self._unlike):
            return
        head = _HEAD.match(self._data, self._begin(number))
        if (
            head is not None
            and head[1] == host
            and _DIGIT.search(head[2]) is None
            and shape.count(b" " + host.translate(ALL_ALIKE) + b" ") == 1
        ):
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[shape] = kind
