"""Many waiters at once: whole windows of plain lines to columns, with the same rows as the line loop gives.

One pattern takes a window apart, one tuple per line, so that no byte is passed over; its last alternative takes every line
that is no plain waiter. A text behind the thread's name is read once, by the very function that the line loop uses, and
remembered without its addresses; what differs in any way from how the line loop reads it goes the slow way, line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import compress, repeat
from typing import Final

from parsers.clock import Instant, find_instant, time_of_day
from parsers.formats.scale_detail import MEMO_KEPT, Shape
from parsers.formats.scale_line import read_waiter
from parsers.formats.scale_rows import Rows, place
from parsers.formats.scale_waiters_window import Window
from parsers.formats.scale_wrap import continues, joined
from parsers.output import Output
from parsers.records import DAY_US
from parsers.sections import OpenSection
from parsers.text import make_line
from parsers.transcript import Mark

BULK_AFTER_WAITERS: Final = 2_000
SMALLEST_WINDOW: Final = 8 << 10
LARGEST_WINDOW: Final = 64 << 10
LONGEST_PAUSE: Final = 256
LONGEST_TAIL: Final = 1_000
QUARTER_DAY_S: Final = 21_600
QUARTER_DAY_US: Final = DAY_US // 4

# Ends of lines that differ from one waiter to the next, written so plainly that nothing else in the line depends on them.
_TARGET = re.compile(rb"((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?: <(c[0-9]{1,6}n[0-9]{1,6})>)?")
_DISK = re.compile(rb"([A-Za-z][\w-]{0,60}[0-9])")
_COLLECTION = re.compile(
    rb"### BEGIN DATA COLLECTION (\d{4}/\d\d/\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d) ([a-z][A-Za-z0-9_.-]{0,126}) ###\n"
)

_Key = tuple[bytes, bytes, bytes]
_SLOW: Final = 0
_UNPREFIXED: Final = (None,)
_HEX: Final = repeat(16)


class Bulk:
    """Reads plain stretches of a section, and over the structural lines between dumps into the next ones."""

    def __init__(self, section: OpenSection, out: Output, rows: Rows, style: str) -> None:
        self._section = section
        self._out = out
        self._rows = rows
        self._style = style
        self._memo = rows.shapes.memos[style]
        self._size = SMALLEST_WINDOW
        self._pause = 1
        self._wait = 0
        self._bases: dict[tuple[object, ...], Shape] = rows.shapes.bases[style]
        self._days: dict[bytes, int | None] = {}
        self._tods: dict[bytes, int] = {}
        self._marks: dict[bytes, Mark] = {}
        self._instant = Instant(0)
        self._pending: list[tuple[Mark, int]] = []
        self._pending_blanks = 0
        self._span: tuple[int, int] | None = None

    def is_worth_a_try(self) -> bool:
        """Not in small texts, where a copy of earlier lines is to be noticed, and not while it keeps failing."""
        if self._rows.shapes.waiters < BULK_AFTER_WAITERS:
            return False
        self._wait -= 1
        return self._wait < 0

    def run(self, flush: Callable[[], None]) -> None:
        """Read on while lines are plain; ``flush`` ends the waiter that the line loop holds open."""
        taken, go_on = 0, True
        self._rows.begin()
        while go_on and (data := self._section.window(self._size)):
            window = Window(data, self._section.line_number, self._style)
            if not taken:
                if window.other[0]:
                    break  # it may go on with the waiter that is open
                flush()
            used, go_on = self._window(window)
            taken += used
            self._resize(used, window.lines)
            go_on = go_on and used > 0
        self._pause = 1 if taken > 50 else min(self._pause * 2, LONGEST_PAUSE)
        self._wait = 0 if taken > 50 else self._pause

    def _resize(self, used: int, lines: int) -> None:
        if used * 4 > lines * 3:
            self._size = min(self._size * 2, LARGEST_WINDOW)
        elif used * 4 < lines:
            self._size = max(self._size // 2, SMALLEST_WINDOW)

    def _window(self, window: Window) -> tuple[int, bool]:
        """Read one window: how many lines, and whether to go on. Its last waiter stays: it may be wrapped into the next window."""
        self._pending, self._pending_blanks = [], 0
        at, go_on = 0, True
        for other in [index for index, raw in enumerate(window.other) if raw]:
            if other >= at:
                at, go_on = self._stretch(window, at, other)
                if not go_on:
                    break
        else:
            last = max(at, window.lines - 1)
            at = self._waiters(window, at, last)
            go_on = at == last
        if self._pending:
            at = self._pending[0][1] - window.first - 1
        if at:
            size = window.offset(at)
            self._section.move(size, at, window.text_before(size))
        self._fill(window)
        self._rows.drain()
        return at, go_on

    def _stretch(self, window: Window, at: int, other: int) -> tuple[int, bool]:
        """Waiters from ``at`` up to a line of another sort, and that line. Where reading ended, and whether to go on."""
        raw = window.other[other]
        mark = self._marks.get(raw) or self._mark(window, other, raw)
        if mark is not None:
            if at < other and (end := self._waiters(window, at, other)) < other:
                return end, False
            self._pending.append((mark, window.first + other + 1))
            return other + 1, True
        if raw.isspace():
            return self._blank(window, at, other)
        last = max(at, other - 1)
        if (end := self._waiters(window, at, last)) < last:
            return end, False
        end = self._wrapped(window, last, other) if last < other else last
        return end, end > last

    def _blank(self, window: Window, at: int, blank: int) -> tuple[int, bool]:
        if self._parts_waiter(window, blank):
            return (self._waiters(window, at, blank - 1), False) if blank > at else (at, False)
        if (end := self._waiters(window, at, blank)) < blank:
            return end, False
        if self._pending:
            self._pending_blanks += 1  # counts only once a waiter follows
        else:
            self._section.book(ignored=1)
        return blank + 1, True

    def _parts_waiter(self, window: Window, blank: int) -> bool:
        """Whether the line below a blank one may be the rest of the waiter above it: the line loop must see to that."""
        if blank == 0 or window.other[blank - 1]:
            return False
        if blank + 1 == window.lines:
            return True
        raw = window.other[blank + 1]
        return bool(raw) and not raw.isspace() and self._mark(window, blank + 1, raw) is None

    def _mark(self, window: Window, index: int, raw: bytes) -> Mark | None:
        """What a line tells if it is structural; banners, which repeat, are remembered."""
        if (match := _COLLECTION.fullmatch(raw)) and (day := self._day(match[1])) is not None:
            us = day + self._tod(match[2])
            if self._instant.us != us:
                self._instant = Instant(us)
            return Mark(match[3].decode(), "header", self._instant)
        mark = None if raw.isspace() else self._section.mark_of(make_line(window.first + index + 1, raw[:-1]))
        if mark is not None and mark.instant is None and len(self._marks) < 1_000:
            self._marks[raw] = mark
        return mark

    def _day(self, text: bytes) -> int | None:
        if text not in self._days:
            found = find_instant(f"{text.decode()} 00:00:00")
            self._days[text] = found[0].us if found and len(self._days) < 10_000 else None
        return self._days[text]

    def _tod(self, text: bytes) -> int:
        found = self._tods.get(text)
        if found is None:
            found = self._tods[text] = time_of_day(text.decode()) or 0
        return found

    def _cross(self, window: Window, at: int) -> None:
        """A waiter follows structural lines: its section ends, another begins."""
        if self._rows.held:
            self._fill(window)
        self._rows.settle()
        self._section.cross(self._pending, window.first + at + 1, blanks=self._pending_blanks)
        self._pending, self._pending_blanks = [], 0
        self._rows.begin()

    # waiters

    def _waiters(self, window: Window, at: int, last: int) -> int:
        """Put out plain waiters; where that ended."""
        while at < last:
            if self._pending:
                self._cross(window, at)
            shapes = self._shapes(window, at, last)
            end = at + len(shapes)
            self._plain(window, at, end, shapes)
            if end < last:
                if not self._single(window, end):
                    return end
                end += 1
            at = end
        return at

    def _shapes(self, window: Window, at: int, last: int) -> list[int]:
        """Numbers of the shapes of lines, up to one that is to be read the slow way."""
        keys = zip(window.tail[at:last], window.head[at:last], window.ignored[at:last], strict=True)
        try:
            return list(map(self._memo.__getitem__, keys))
        except KeyError:
            return self._learn(window, at, last)

    def _learn(self, window: Window, at: int, last: int) -> list[int]:
        shapes: list[int] = []
        for index in range(at, last):
            key = (window.tail[index], window.head[index], window.ignored[index])
            shape = self._memo.get(key)
            if shape is None:
                shape = self._read(window, index, key)
                if shape == _SLOW:
                    break
                if len(self._memo) >= MEMO_KEPT:
                    self._memo.clear()
                self._memo[key] = shape
            shapes.append(shape)
        return shapes

    def _read(self, window: Window, index: int, key: _Key) -> int:
        """The shape of a line; what only names another node or disk than one before is not read again."""
        tail, head, ignored = key
        start, found = _named_at_end(tail)
        base = (ignored, head, start, found.re is _TARGET, found.lastindex) if found else key
        shape = self._bases.get(base)
        if shape is None:
            shape = self._read_line(window, index)
            if shape is None:
                return _SLOW
            if len(self._bases) >= MEMO_KEPT:
                self._bases.clear()
            self._bases[base] = shape
        elif found:
            shape = _named(shape, found)
        return self._rows.shapes.number(shape, window.first + index + 1, self._out)

    def _read_line(self, window: Window, index: int) -> Shape | None:
        """Read one line as the line loop does; None unless all else agrees with what the pattern took from it."""
        line = window.raw(index)
        if len(window.tail[index]) + len(window.head[index]) > LONGEST_TAIL or not self._section.owns(line, ""):
            return None
        waiter = read_waiter(line.text)
        if waiter is None or waiter.style != self._style or not window.agrees(index, waiter):
            return None
        return waiter.shape

    def _single(self, window: Window, index: int) -> bool:
        """One line the slow way."""
        line = window.raw(index)
        waiter = read_waiter(line.text) if self._section.owns(line, "") else None
        if waiter is None:
            return False
        self._fill(window)
        self._section.book(understood=1, last_line=line.number)
        self._rows.add(line.number, waiter)
        return True

    def _wrapped(self, window: Window, start: int, other: int) -> int:
        """A waiter with the lines that go on with it; its end, or ``start`` when the line loop must see to it."""
        above = window.raw(start)
        text, index = above.text, other
        while index < window.lines and (raw := window.other[index]) and not raw.isspace():
            line = make_line(window.first + index + 1, raw[:-1])
            if not self._section.owns(line, above.text):
                break
            if not continues(text, line.text):
                return start
            text, above, index = joined(text, above, line), line, index + 1
        waiter = read_waiter(text) if other < index < window.lines else None
        if waiter is None:
            return start
        self._fill(window)
        if self._pending:
            self._cross(window, start)
        self._section.book(understood=index - start, last_line=window.first + index)
        self._rows.add(window.first + start + 1, waiter)
        return index

    def _plain(self, window: Window, at: int, last: int, shapes: list[int]) -> None:
        """Columns of plain lines, whose shapes are known."""
        if at == last:
            return
        rows, count = self._rows, last - at
        dump = rows.at
        since: list[int] | list[None] = [None] * count
        if self._style == "new":
            tods = self._starts(window.since[at:last])
            if rows.decide(tods[0], window.ages[at]).held:
                room = rows.hold()
                if room < count:
                    self._plain(window, at, at + room, shapes[:room])
                    self._plain(window, at + room, last, shapes[room:])
                    return
                dump, since = None, tods
            else:
                since = _placed(tods, window.ages[at:last], dump)
        columns = rows.columns
        columns["node"].extend(self._nodes(window, at, last))
        columns["at"].extend([dump] * count)
        columns["zone_min"].extend([rows.zone_min] * count)
        columns["since"].extend(since)
        columns["shape"].extend(shapes)
        self._span = (at if self._span is None else self._span[0], last)
        rows.shapes.waiters += count
        self._section.book(understood=count, records=count, last_line=window.first + last)
        if rows.held and rows.hold() <= 0:
            self._fill(window)
            rows.drain()

    def _fill(self, window: Window) -> None:
        """The columns that need no section, for all plain lines since the last time at once; other lines have no age."""
        if self._span is None:
            return
        (start, end), self._span = self._span, None
        plain = window.seconds[start:end]
        columns = self._rows.columns
        columns["line"].extend(compress(range(window.first + start + 1, window.first + end + 1), plain))
        columns["seconds"].extend(compress(window.ages[start:end], plain))
        columns["wait_address"].extend([int(text, 16) if text else None for text in compress(window.lock[start:end], plain)])
        count = len(columns["line"]) - len(columns["address"])
        columns["address"].extend(map(int, compress(window.address[start:end], plain), _HEX) if window.address else [None] * count)
        columns["thread_id"].extend(map(int, compress(window.thread_id[start:end], plain)) if window.thread_id else [None] * count)

    def _starts(self, texts: tuple[bytes, ...]) -> list[int]:
        try:
            return [self._tods[text] for text in texts]
        except KeyError:
            return [self._tod(text) for text in texts]

    def _nodes(self, window: Window, at: int, last: int) -> list[str | None]:
        node = self._rows.node
        if not window.prefixed:
            self._rows.prefixed(_UNPREFIXED)
            return [node] * (last - at)
        names = [name.decode() if name else None for name in window.node[at:last]]
        self._rows.prefixed(names)
        return [name or node for name in names]


def _named_at_end(tail: bytes) -> tuple[bytes, re.Match[bytes] | None]:
    """A tail without the node or disk at its end, and that name, if it is the only one and plain."""
    start, node, name = tail.rpartition(b" on node ")
    if node:
        return start, None if b" on node " in start else _TARGET.fullmatch(name)
    start, disk, name = tail.rpartition(b" on disk ")
    return start, _DISK.fullmatch(name) if disk and b" on disk " not in start else None


def _named(shape: Shape, found: re.Match[bytes]) -> Shape:
    """A shape with the node or the disk of another line."""
    name = found[1].decode()
    if found.re is _DISK:
        return shape._replace(object=name)
    return shape._replace(target=name, target_index=found[2].decode() if found[2] else None)


def _placed(tods: list[int], seconds: list[float], at: int | None) -> list[int]:
    """Starts with their dates; at once where all waits are short and none began before midnight."""
    if at is None or at < DAY_US:
        return tods
    clock = at % DAY_US
    if max(seconds) < QUARTER_DAY_S and max(tods) - clock <= QUARTER_DAY_US and clock - min(tods) <= QUARTER_DAY_US:
        day = at - clock
        return [day + tod for tod in tods]
    return [place(tod, at - round(age * 1e6)) for tod, age in zip(tods, seconds, strict=True)]
