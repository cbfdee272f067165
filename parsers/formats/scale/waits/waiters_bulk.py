"""Many waiters at once: whole windows of plain lines to columns, with the same rows as the line loop gives.

A window is taken apart into columns, one row per line, so that no line is passed over; rows that are no plain waiter
are read one by one. A text behind the thread's name is read once, by the very function that the line loop uses, and
remembered without its addresses; what differs in any way from how the line loop reads it goes the slow way, line by
line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

import numpy as np

from parsers.formats.scale.waits.detail import MEMO_KEPT, Shape
from parsers.formats.scale.waits.line import WaiterLine, only_waiter
from parsers.formats.scale.waits.rows import FLUSHED_ROWS, Rows, is_stale
from parsers.formats.scale.waits.waiters_ahead import Windows
from parsers.formats.scale.waits.waiters_names import collection, named, named_at_end
from parsers.formats.scale.waits.waiters_window import Dump, Key, Stretch, Window
from parsers.formats.scale.waits.wrap import continues, joined
from parsers.headings.transcript import Mark
from parsers.lookup import Parser, parsers
from parsers.output import Output
from parsers.sections.reader import OpenSection

LONGEST_TAIL: Final = 1_000
FEW_ROWS: Final = 2_000

_SLOW: Final = 0
_UNREAD: Final = -1
_UNPREFIXED: Final = (None,)


class Bulk:
    """Reads plain stretches of a section, and over the structural lines between dumps into the next ones, also of the
    other style.
    """

    def __init__(self, section: OpenSection, out: Output, rows: Rows) -> None:
        self._section = section
        self._out = out
        self._rows = rows
        self._parsers = (parsers()["scale_waiters_old"], parsers()["scale_waiters_new"])
        self._memo = rows.shapes.memo
        self._windows = Windows.of(out)
        self._bases: dict[tuple[object, ...], Shape] = rows.shapes.bases
        self._marks: dict[bytes, Mark] = {}
        self._pending: list[tuple[Mark, int]] = []
        self._pending_blanks = 0
        self._stretches: list[Stretch] = []
        self._numbers = np.zeros(0, np.int64)
        self._renumbered = False
        self._unread: list[tuple[int, int]] = []
        self._keys: dict[int, Key] = {}
        self._next_unread = 0
        self._read_now: dict[int, int] = {}
        self._taken = 0

    def is_worth_a_try(self) -> bool:
        """Not while it keeps failing."""
        return self._windows.is_worth_a_try()

    def run(self, flush: Callable[[], None]) -> None:
        """Read on while lines are plain; ``flush`` ends the waiter that the line loop holds open."""
        taken, go_on = 0, True
        self._rows.begin()
        while go_on and (found := self._windows.open(self._section.source)):
            window, skip = found
            if taken and skip == window.lines - 1:
                break  # its last waiter: the line loop sees to what is below
            if not taken:
                if not window.plain[skip]:
                    break  # it may go on with the waiter that is open
                flush()
            used, go_on = self._window(window, skip)
            taken += used
            self._windows.used(used, window.lines - skip)
            go_on = go_on and used > 0
        self._windows.gave(taken)

    def _window(self, window: Window, skip: int) -> tuple[int, bool]:
        """Read one window: how many lines, and whether to go on. Its last waiter stays where it may be wrapped into the
        next window.
        """
        self._pending, self._pending_blanks, self._taken = [], 0, skip
        at, go_on = skip, True
        self._begin(window)
        others, place = window.others, bisect_left(window.others, skip)
        while go_on and place < len(others):
            if others[place] < at or (others[place] == at and window.plain[at]):
                place += 1
                continue
            at, place = self._dumps(window, at, place)
            if place < len(others):
                at, go_on = self._stretch(window, at, others[place])
        if go_on:
            is_whole = window.plain[-1] and self._windows.ends_whole()
            last = window.lines if is_whole else max(at, window.lines - 1)
            at = self._waiters(window, at, last)
            go_on = at == last
        if self._pending:
            at = self._pending[0][1] - window.first - 1
        if at > skip:
            self._section.previous = window.text_before(window.offset(at)) or self._section.previous
        self._fill(window)
        self._rows.drain()
        return at - skip, go_on

    def _begin(self, window: Window) -> None:
        """What is known of a window beforehand: the shapes that were read in earlier ones."""
        self._numbers = np.full(window.lines, _UNREAD, np.int64)
        memo = self._memo.get
        self._numbers[list(window.firsts)] = [memo(key, _UNREAD) for key in window.firsts.values()]
        unread = np.flatnonzero((self._numbers[window.same] == _UNREAD) & window.plain)
        self._unread = list(zip(unread.tolist(), window.same[unread].tolist(), strict=True))
        self._keys = window.keys(list(dict.fromkeys(first for _, first in self._unread)))
        self._next_unread = 0
        self._read_now = {}

    def _dumps(self, window: Window, at: int, place: int) -> tuple[int, int]:
        """Whole dumps one after the other, as far as they are plain throughout: structural lines, then waiters of known
        shapes.

        ``place`` is that of the next line of another sort from ``at`` on; where both stand afterwards.
        """
        others = window.others
        found: list[Dump] = []
        marks, begin, behind = list(self._pending), at, place
        if others[place] == at:
            more = self._marks_at(window, place)
            marks, begin, behind = [*marks, *more] if more else [], at + len(more), place + len(more)
        is_simple = not window.nodes and not self._pending_blanks and not self._renumbered
        while (
            is_simple
            and marks
            and behind < len(others)
            and begin < others[behind]
            and not self._is_held(window, marks, begin)
        ):
            end = others[behind]
            following = self._marks_at(window, behind)
            if not following or self._known(window, begin, end) < end - begin:
                break
            found.append(Dump(marks, begin, end))
            at, place = end, behind
            marks, begin, behind = following, end + len(following), behind + len(following)
        if found:
            self._pending = []
            self._put(window, found)
        return at, place

    def _marks_at(self, window: Window, place: int) -> list[tuple[Mark, int]]:
        """Structural lines one below the other; none where another sort of line ends them."""
        others, marks, at = window.others, [], window.others[place]
        known, bytes_of, number, count = self._marks.get, window.bytes_of, window.first + 1, len(others)
        while place < count and others[place] == at:
            raw = bytes_of(at)
            mark = known(raw) or self._mark(window, at, raw)
            if mark is None:
                return []
            marks.append((mark, number + at))
            at, place = at + 1, place + 1
        return marks

    def _is_held(self, window: Window, marks: list[tuple[Mark, int]], begin: int) -> bool:
        """Whether the clock of a dump is to be made out from its waiters, as these marks tell none that fits them."""
        if window.since is None or not window.is_new[begin]:
            return False
        instant = marks[0][0].instant
        if instant is None or (len(marks) > 1 and any(mark.ends or mark.instant for mark, _ in marks[1:])):
            return True
        return is_stale(int(window.since[begin]), float(window.seconds[begin]), instant.us)

    def _put(self, window: Window, found: list[Dump]) -> None:
        """Put out whole dumps."""
        self._rows.settle()
        section = self._section
        *above, (marks, at, end) = found
        if above:
            whole = [(dump.marks, self._parser(window, dump.at), dump.end - dump.at) for dump in above]
            contexts = section.cross_whole(whole, size=self._size(window, above[-1].end))
            self._stretches += [Stretch(dump.at, dump.end, *known) for dump, known in zip(above, contexts, strict=True)]
        section.cross(marks, self._parser(window, at), size=self._size(window, at))
        section.take(end - at, size=self._size(window, end))
        section.promise(end - at)
        self._stretches.append(Stretch(at, end, section.node, section.at, section.zone_min))
        self._rows.shapes.waiters += sum(dump.end - dump.at for dump in found)
        self._rows.begin()

    def _size(self, window: Window, at: int) -> int:
        """Bytes from what was taken last up to a line, which are about to be taken."""
        begin, self._taken = self._taken, at
        return window.offset(at) - window.offset(begin)

    def _stretch(self, window: Window, at: int, other: int) -> tuple[int, bool]:
        """Waiters from ``at`` up to a line of another sort, and that line. Where reading ended, and whether
        to go on.
        """
        if window.plain[other]:
            end = self._waiters(window, at, other)
            return end, end == other
        raw = window.bytes_of(other)
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
            self._section.take(0, size=self._size(window, blank + 1), blank=1)
        return blank + 1, True

    def _parts_waiter(self, window: Window, blank: int) -> bool:
        """Whether the line below a blank one may be the rest of the waiter above it: the line loop must see to that."""
        if blank == 0 or not window.plain[blank - 1]:
            return False
        if blank + 1 == window.lines:
            return True
        raw = window.bytes_of(blank + 1)
        return not window.plain[blank + 1] and not raw.isspace() and self._mark(window, blank + 1, raw) is None

    def _mark(self, window: Window, index: int, raw: bytes) -> Mark | None:
        """What a line tells if it is structural; banners, which repeat, are remembered."""
        if (head := collection(raw)) is not None:
            return head
        mark = None if raw.isspace() else self._section.mark_of(window.raw(index))
        if mark is not None and mark.instant is None and len(self._marks) < 1_000:
            self._marks[raw] = mark
        return mark

    def _cross(self, window: Window, at: int) -> None:
        """A waiter follows structural lines: its section ends, another begins."""
        self._rows.settle()
        self._section.cross(
            self._pending, self._parser(window, at), size=self._size(window, at), blank=self._pending_blanks
        )
        self._pending, self._pending_blanks = [], 0
        self._rows.begin()

    # waiters

    def _parser(self, window: Window, index: int) -> Parser:
        """Whose a plain line is."""
        return self._parsers[int(window.is_new[index])]

    def _waiters(self, window: Window, at: int, last: int) -> int:
        """Put out plain waiters, all of one style; where that ended."""
        while at < last:
            if self._pending:
                self._cross(window, at)
            end = at + self._known(window, at, last)
            self._plain(window, at, end)
            if self._renumbered:
                self._fill(window)
                self._renumbered = False
                self._begin(window)
            elif end < last:
                if not self._single(window, end):
                    return end
                end += 1
            at = end
        return at

    def _known(self, window: Window, at: int, last: int) -> int:
        """How many lines have a shape that is known, up to one that is to be read the slow way. Shapes are read in
        their order.
        """
        unread, place, count = self._unread, self._next_unread, len(self._unread)
        while place < count and unread[place][0] < at:
            place += 1
        known = last
        while place < count and (line := unread[place][0]) < last:
            first = unread[place][1]
            if first not in self._read_now and not self._learn(window, line, first):
                known = line
                break
            if self._read_now[first] == _SLOW:
                known = line
                break
            place += 1
        self._next_unread = place
        return known - at

    def _learn(self, window: Window, line: int, first: int) -> bool:
        """Find the shape of a line that is new in this window. False where numbers begin again: lines above
        keep theirs.
        """
        shape = self._memo.get(window.firsts[first])
        if shape is None:
            shape = self._first(window, line, first)
        if self._renumbered:
            return False
        self._read_now[first] = self._numbers[first] = shape
        return True

    def _first(self, window: Window, index: int, first: int) -> int:
        """The shape of a line that no memory holds."""
        tables = self._rows.shapes.tables
        shape = self._read(window, index, self._keys[first])
        if shape != _SLOW:
            if len(self._memo) >= MEMO_KEPT:
                self._memo.clear()
            self._memo[window.firsts[first]] = shape
        self._renumbered = self._rows.shapes.tables != tables
        return shape

    def _read(self, window: Window, index: int, key: Key) -> int:
        """The shape of a line; what only names another node, disk or delay than one before is not read again."""
        form, head, mid, tail, ignored = key
        end = mid if tail is None else tail
        start, found = named_at_end(end or head)
        base = (
            (form, head if end else "", mid if tail else "", start, found.re.pattern, found.lastindex, ignored)
            if found
            else key
        )
        shape = self._bases.get(base)
        if shape is None:
            shape = self._read_line(window, index, key)
            if shape is None:
                return _SLOW
            if len(self._bases) >= MEMO_KEPT:
                self._bases.clear()
            self._bases[base] = shape
        elif found:
            shape = named(shape, found)
        return self._rows.shapes.number(shape, window.first + index + 1, self._out)

    def _read_line(self, window: Window, index: int, key: Key) -> Shape | None:
        """Read one line as the line loop does; None unless all else agrees with what the columns hold."""
        line = window.raw(index)
        if sum(len(part or "") for part in key[1:4]) > LONGEST_TAIL or not self._section.owns(
            line, "", self._parser(window, index)
        ):
            return None
        waiter = only_waiter(line.text)
        style = "new" if window.is_new[index] else "old"
        if waiter is None or waiter.style != style or not window.agrees(index, waiter):
            return None
        return waiter.shape

    def _single(self, window: Window, index: int) -> bool:
        """One line the slow way."""
        line = window.raw(index)
        waiter = only_waiter(line.text) if self._section.owns(line, "") else None
        if waiter is None:
            return False
        self._section.take(1, size=self._size(window, index + 1))
        self._add(window, line.number, waiter)
        return True

    def _wrapped(self, window: Window, start: int, other: int) -> int:
        """A waiter with the lines that go on with it; its end, or ``start`` when the line loop must see to it."""
        above = window.raw(start)
        text, index = above.text, other
        while index < window.lines and not window.plain[index] and not window.bytes_of(index).isspace():
            line = window.raw(index)
            if not self._section.owns(line, above.text):
                break
            if not continues(text, line.text):
                return start
            text, above, index = joined(text, above, line), line, index + 1
        waiter = only_waiter(text) if other < index < window.lines else None
        if waiter is None:
            return start
        if self._pending:
            self._cross(window, start)
        self._section.take(index - start, size=self._size(window, index))
        self._add(window, window.first + start + 1, waiter)
        return index

    def _add(self, window: Window, line: int, waiter: WaiterLine) -> None:
        """One waiter the slow way; it stands between plain lines until they are put out."""
        is_held = waiter.logged is None and self._rows.decide(waiter.since, waiter.seconds).held
        if is_held or len(self._rows.columns["line"]) + 1 >= FLUSHED_ROWS:
            self._fill(window)
        self._rows.add(line, waiter)

    def _plain(self, window: Window, at: int, last: int) -> None:
        """Plain lines of the open section, whose shapes are known."""
        if at == last:
            return
        rows = self._rows
        since = int(window.since[at]) if window.since is not None and window.is_new[at] else None
        if rows.decide(since, float(window.seconds[at])).held:
            self._held(window, at, last)
        else:
            self._stretches.append(Stretch(at, last, rows.node, rows.at, rows.zone_min))
            rows.prefixed(window.nodes[at:last] if window.nodes else _UNPREFIXED)
        rows.shapes.waiters += last - at
        self._section.take(last - at, size=self._size(window, last))
        self._section.promise(last - at)

    def _held(self, window: Window, at: int, last: int) -> None:
        """Rows whose section's clock is known only at its end: never more of them than there is room for."""
        self._fill(window)
        while at < last:
            room = self._rows.hold()
            end = min(last, at + max(room, 1))
            stretch = Stretch(at, end, self._rows.node, None, self._rows.zone_min)
            if end - at <= FEW_ROWS:
                columns = window.few(stretch, self._numbers)
            else:
                columns = {column.name: column.to_list() for column in window.rows([stretch], self._numbers)}
            for name, values in columns.items():
                self._rows.columns[name].extend(values)
            self._rows.prefixed(window.nodes[at:end] if window.nodes else _UNPREFIXED)
            if self._rows.hold() <= 0:
                self._rows.drain()
            at = end

    def _fill(self, window: Window) -> None:
        """Put out all stretches since the last time at once."""
        stretches, self._stretches = self._stretches, []
        if stretches:
            self._rows.flush_with(window.rows(stretches, self._numbers))
