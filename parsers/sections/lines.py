"""Lines out of blocks of bytes: one by one with a step back, or whole stretches for bulk parsers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Final, TypeVar

from parsers.documents.line_marks import quote_marks, shows_codes
from parsers.enclosed.opened import Enclosed
from parsers.layouts.comments import FIRST, Comments
from parsers.layouts.flattened import Flattened, Look, Trial
from parsers.layouts.interleaved import MOST_CHARACTERS, MOST_LINES, apart
from parsers.layouts.local_forms import ALL_ENGLISH, LocalForms
from parsers.layouts.plain_shapes import QUOTES, PlainShapes, add_for_all, bare, elsewhere
from parsers.layouts.prefixes import Prefixes
from parsers.layouts.wrapped import STRETCH_BYTES, Wrapped
from parsers.layouts.wrapped import Trial as WrapTrial
from parsers.ledger import Ledger
from parsers.text import Block, Line, make_line

T = TypeVar("T")

SHORTEST_FLAT: Final = 40
"""Characters of a line that can hold a prompt and its output."""

MOST_AT_THE_END: Final = 16_384
"""Bytes of a text that are looked at again where its last line has no end."""


_MAY_CHANGE: Final = re.compile(rb"[^\t -~]|[&\\%]|#0|\^\[")
"""Letters that cleaning may turn into others."""
_QUOTING: Final = "".join(sorted(FIRST)).encode()
_OPENS: Final = re.compile(rb"[ \t]*[<`\[{]|[^\n]*(?:</|\]>)")
"""A line that may begin otherwise without marks of the web or of a fence."""


Known = dict[bytes, Callable[[str], bool] | None]
"""By the key of a plain line what tells of one like it whether it goes on with a section."""
KEYED_BYTES: Final = 8 << 10
"""Of lines whose keys are made at once."""


class _Keys:
    """What the next lines may be known by to be plain."""

    def __init__(self) -> None:
        self._data = b""
        self._end = 0
        self._found: dict[int, bytes] = {}
        """By the place where a line begins."""

    def at(self, data: bytes, begin: int) -> bytes:
        """The key of the line at a place; nothing at the end of the data, where it may have no end."""
        if data is not self._data or begin >= self._end:
            self._data, self._end = data, data.rfind(b"\n", begin, begin + KEYED_BYTES) + 1
            lines = data[begin : self._end].split(b"\n")[:-1]
            places = accumulate(map(len, lines), lambda place, length: place + length + 1, initial=begin)
            self._found = dict(zip(places, PlainShapes.keys_of(lines), strict=False))
        return self._found.get(begin, b"")


class LineSource:
    """Lines out of blocks, with one step back, and whole stretches of bytes for bulk parsers."""

    def __init__(
        self,
        source: Iterable[Block],
        above: int = 0,
        ledger: Ledger | None = None,
        trial: Trial | None = None,
        wrap_trial: WrapTrial | None = None,
    ) -> None:
        """``above``: so many lines of the text stand above the first block. ``ledger``: it has to know which lines are
        parts of one. ``trial``: says what would be read of the parts of a line.
        """
        self._ledger = ledger or Ledger()
        self._flattened = Flattened(trial)
        self._looks_for_parts = trial is not None
        self._looked_below = False
        """Whether the lines below the last one were looked at to tell what it is."""
        self._wrapped = Wrapped(self._trial_in_english(wrap_trial) if wrap_trial is not None else None)
        self._looked_to = 0
        """Number of the last line of which it is known whether it was broken."""
        self._blocks = iter(source)
        self._coming: Block | None = None
        self._failed: Exception | None = None
        self.is_broken = False
        """Whether the stream of the text raised an error: no parser is to blame for it."""
        self.blocks = 0
        """Blocks begun."""
        self.before_block = 0
        """Lines above the block that was begun last: the one that is being read, or the one put at its end."""
        self._data = b""
        self._shows_codes = False
        self._end_before = b""
        """The end of the block above."""
        self._pos = 0
        self._before = 0
        self.prefixes = Prefixes()
        self.forms: LocalForms = ALL_ENGLISH
        self._comments = Comments(self._english)
        self._wrapped.english = self._english
        self.is_prefixed = False
        """Whether something was taken off in front of the last line: then its neighbours are not to be read
        as bytes.
        """
        self.number = above
        """Of the line that was given last; where lines are given in another order, one less than that of the next."""
        self._again: tuple[Line, int, bool] | None = None
        """The line that was pushed back, where it ends, and whether something was taken off in front of it."""
        self._last: tuple[Line, int, bool] | None = None
        self._held: Sequence[Line] = ()
        self._at = 0
        self._last_held = 0
        self._is_joined = False
        """Whether lines are held that were put together."""
        self._is_opened = False
        """Whether lines are held that stood in others."""
        self.has_joined = False
        """Whether any were: which ones depends on where looking at the text began."""
        self._plain = PlainShapes()
        self.enclosed: Enclosed | None = None
        """Takes lines out of cells, fields and strings, where they are looked for."""
        self._ordinary = 0
        """Number of the last line that was looked at and holds no other ones."""
        self._begun_part = 0
        """Number of the line whose parts are given."""
        self._keys = _Keys()
        self.key = b""
        """What the last line is known by to be plain; nothing where it is not."""

    def next(self) -> Line | None:
        """The next line, or None at the end of the text. Lines of several nodes that came mixed up are put together by
        node.
        """
        self.key = b""
        if self._at < len(self._held):
            return self._next_held()
        self._held, self._is_joined, self._is_opened = (), False, False
        self._ledger.end_parts()
        key = self._plain_key()
        if key and (self._plain.has(key) or self._is_plain_elsewhere(key)):
            self.key = b"" if key[0] == QUOTES else key  # whose it is depends on the lines around
            return self._as_it_stands()
        self._looked_below = False
        if self.enclosed is not None and self._fill() and self._open(self.enclosed):
            return self._next_held()
        if self.number >= self._looked_to and self._wrapped.looks and self._fill() and self._join():
            return self._next_held()
        line = self._read()
        if line is not None and not line.host and (parts := self._parts(line)):
            self._held, self._at, self._last_held = self._peeled_parts(line, parts), 0, line.number
            self.is_prefixed = True
            self._ledger.begin_parts()
            return self._next_held()
        if line is None or not line.host:
            if key and line is not None and not self.is_prefixed and self.prefixes.is_plain:
                self._add_plain(key, line)
            return line
        self._hold(line)
        return self._next_held()

    def _plain_key(self) -> bytes:
        """What the next line may be known by to be plain; nothing where it is to be looked at."""
        if self._pos >= len(self._data) or self.forms is not ALL_ENGLISH:
            return b""
        if self.number >= self._looked_to and self._wrapped.looks:
            return b""
        if (self.enclosed is not None and self.enclosed.is_inside) or self._comments.is_inside(self.number + 1):
            return b""
        end = self._data.find(b"\n", self._pos)
        end = len(self._data) if end < 0 else end
        return self._plain.key_of(self._data, self._pos, end, self.prefixes.state)

    def _is_plain_elsewhere(self, key: bytes) -> bool:
        """Whether a line like the next one is plain in another text, where that holds for all."""
        look = elsewhere(key, self.prefixes.state_of_all) if self._looks_for_parts and self.number else None
        if look is None or not self._flattened.takes_over(look):
            return False
        self._plain.keep(key)
        return True

    def _add_plain(self, key: bytes, line: Line) -> None:
        """A line was looked at in every way, and is plain: in all texts where its lines around did not decide."""
        if not self._plain.add(key, line, self._data[self._before : self._pos].rstrip(b"\n")):
            return
        look = self._flattened.look if len(line.text) >= SHORTEST_FLAT else Look()
        if self.prefixes.is_plain_anywhere and self._looks_for_parts and look is not None and not self._looked_below:
            add_for_all(key, self.prefixes.state_of_all, look)

    def run(self, known: Known) -> Iterator[Line]:
        """The next lines as long as they are plain and known by their keys, each taken when it is given: who takes
        others in between ends the run.
        """
        plain = self._plain
        if not known or self._at < len(self._held) or self.forms is not ALL_ENGLISH:
            return
        if (self.enclosed is not None and self.enclosed.is_inside) or self._comments.is_inside(self.number + 1):
            return
        end = self._looked_to if self._wrapped.looks else sys.maxsize
        if self.number >= end or not plain.knows(self.prefixes.state):
            return
        self._held, self._is_joined, self._is_opened = (), False, False
        self._ledger.end_parts()
        while self.number < end:
            key = self._keys.at(self._data, self._pos)
            if (tells := known.get(key)) is None or not plain.goes_by(key):
                return
            self.key, line = key, self._as_it_stands()
            if not tells(line.text.lstrip()):
                self.push_back()
                return
            yield line
            if not self._is_behind(line):
                return

    @property
    def spot(self) -> tuple[int, int]:
        """Where the next line stands: its number less one, and its place in the block."""
        return self.number, self._pos

    def known(self, rows: Mapping[bytes, T]) -> tuple[T, str] | None:
        """What is known of the next line by its key, where it is plain, and its text. It is not taken."""
        plain = self._plain
        if self._pos >= len(self._data) or self._at < len(self._held) or self.forms is not ALL_ENGLISH:
            return None
        if self.number >= self._looked_to and self._wrapped.looks:
            return None
        if (self.enclosed is not None and self.enclosed.is_inside) or self._comments.is_inside(self.number + 1):
            return None
        key = self._keys.at(self._data, self._pos)
        row = rows.get(key)
        if row is None or not plain.knows(self.prefixes.state) or not plain.goes_by(key):
            return None
        self._held, self._is_joined, self._is_opened = (), False, False
        self._ledger.end_parts()
        self._again, self.is_prefixed = None, False
        return row, self._data[self._pos : self._data.find(b"\n", self._pos)].decode("ascii").rstrip()

    def _is_behind(self, line: Line) -> bool:
        """Whether a line is still the last one that was taken."""
        return not self._held and self._last is not None and self._last[0] is line and self._pos == self._last[1]

    def _as_it_stands(self) -> Line:
        """The next line, of which is known that it is plain."""
        end = self._data.find(b"\n", self._pos)
        end = len(self._data) if end < 0 else end
        raw = self._data[self._pos : end].decode("ascii")
        self.number += 1
        if raw[0] == ">":
            text, quote = bare(raw)
            line = Line(self.number, raw, text, quote=quote)
        else:
            line = Line(self.number, raw, raw.rstrip())
        self._again, self.is_prefixed = None, False
        self._before, self._pos = self._pos, end + 1
        self._last = (line, self._pos, False)
        return line

    def look_at(self, line: Line) -> Look | None:
        """What looking at the line that was given last came to, where it stands in the text as it is and nothing was
        taken off it; None elsewhere.
        """
        is_as_it_stands = not self.is_prefixed and self._last is not None and self._last[0] is line
        if not is_as_it_stands or line.text != line.raw or line.note or line.fate is not None:
            return None
        return self._flattened.look if len(line.text) >= SHORTEST_FLAT else Look()

    def goes_on_alike(self, looks: Sequence[Look]) -> int:
        """How many of the next lines may be taken without looking at each, where somebody claims them all and looking
        at others of their shapes came to these looks. They are not broken; that is known of whole stretches only.
        """
        is_inside = self.enclosed is not None and self.enclosed.is_inside
        is_inside = is_inside or self._comments.is_inside(self.number + 1)
        if self._at < len(self._held) or is_inside or self.forms is not ALL_ENGLISH:
            return 0
        count = self._unbroken(len(looks))
        for look in looks[:count]:
            self._flattened.counts(look)
        return count

    def _unbroken(self, count: int) -> int:
        """How many of so many lines, which all begin by themselves, need not be looked at together."""
        if not self._wrapped.looks:
            return count
        at = self._pos
        for _ in range(self.number, self._looked_to):
            at = self._data.find(b"\n", at) + 1
        known = max(self._looked_to, self.number)
        while known < self.number + count and len(self._data) - at >= STRETCH_BYTES:
            lines = self._wrapped.stretch(self._data, at)
            if known + len(lines) > self.number + count:
                break
            known, at = known + len(lines), at + sum(map(len, lines)) + len(lines)
        self._looked_to = max(known, self._looked_to)
        return min(count, known - self.number)

    @property
    def is_structure(self) -> Callable[[str], bool]:
        """Whether a line is a heading of the text: none of them is put behind another line."""
        return self._wrapped.is_structure

    @is_structure.setter
    def is_structure(self, tells: Callable[[str], bool]) -> None:
        self._wrapped.is_structure = tells

    def _open(self, enclosed: Enclosed) -> bool:
        """Hold the lines that stand in cells, fields or strings of the next ones."""
        if self._ordinary == self.number + 1:
            return False  # it was pushed back
        end = self._data.find(b"\n", self._pos)
        first = self._data[self._pos : len(self._data) if end < 0 else end].decode("utf-8", "replace")
        marks = quote_marks(first)
        below = partial(self._quoted_below, marks) if marks else self._lines_below
        count, found = enclosed.take(self.number + 1, first[len(marks) :], below)
        if not count:
            self._ordinary = self.number + 1
            return False
        for _ in range(count):
            end = self._data.find(b"\n", self._pos)
            self._pos = len(self._data) if end < 0 else end + 1
        peeled = ((line, line if line.fate else self._in_english(self.prefixes.peel(line))) for line in found)
        self._held = [
            replace(bare, host=bare.host or line.host, stamp=bare.stamp or line.stamp) for line, bare in peeled
        ]
        self._at, self._last_held, self._begun_part = 0, self.number + count, 0
        self._again = None
        self.is_prefixed = self.has_joined = self._is_opened = True
        return True

    def _lines_below(self) -> Iterator[str]:
        """Lines that are not read yet, as they stand."""
        self._looked_below = True
        begin = 0
        while self._pos + begin < len(self._data) or (self.ahead() and self._appended()):
            end = self._data.find(b"\n", self._pos + begin)
            end = len(self._data) if end < 0 else end
            yield self._data[self._pos + begin : end].decode("utf-8", "replace")
            begin = end + 1 - self._pos

    def _quoted_below(self, marks: str) -> Iterator[str]:
        """Those of a quotation without its marks: it ends where they do."""
        bare = marks.rstrip()
        for line in self._lines_below():
            if not line.startswith(bare):
                return
            yield line.removeprefix(marks) if line.startswith(marks) else line.removeprefix(bare)

    def _appended(self) -> bool:
        self._append()
        return True

    def _join(self) -> bool:
        """Hold the lines of the next stretch where some of them were broken, and are to be put together."""
        while self.left < STRETCH_BYTES and self.ahead():
            self._append()
        lines = self._wrapped.stretch(self._data, self._pos)
        self._looked_to = self.number + len(lines)
        found = self._wrapped.joined(self.number + 1, lines)
        if not found:
            return False
        self._held = [self._in_english(self.prefixes.peel(line)) for line in found]
        self._at, self._last_held = 0, self.number + len(lines)
        self._pos = min(self._pos + sum(map(len, lines)) + len(lines), len(self._data))
        self._again = None
        self.is_prefixed = self._is_joined = self.has_joined = True
        return True

    def _parts(self, line: Line) -> list[Line]:
        """The parts of a line that holds a whole output; a few letters decide for nearly all lines."""
        text = line.text
        if len(text) < SHORTEST_FLAT and line.number > 1:
            return []
        return self._flattened.parts(line)

    def _peeled_parts(self, line: Line, parts: list[Line]) -> list[Line]:
        """Lines of a string may have stamps, bars or names in front as those of a text have."""
        if "\\n" not in line.text:
            return parts
        return [self._peeled_part(part) for part in parts]

    def _peeled_part(self, part: Line) -> Line:
        if part.fate is not None:
            return part
        bare = self._in_english(self.prefixes.peel(part))
        return replace(bare, host=bare.host or part.host, stamp=bare.stamp or part.stamp)

    @property
    def place(self) -> tuple[int, int]:
        """Where reading stands: no two places are equal, also where several lines have one number."""
        return self.number, self._at if self._held else 0

    def _hold(self, line: Line) -> None:
        """Read on as long as lines have a node in front of them."""
        held, size = [line], len(line.raw)
        while len(held) < MOST_LINES and size < MOST_CHARACTERS and (line_below := self._read_ahead()) is not None:
            if not line_below.host:
                self._pos = self._before
                self.number -= 1
                break
            held.append(line_below)
            size += len(line_below.raw)
        self._held, self._at, self._last_held = apart(held), 0, held[-1].number
        self.is_prefixed = True

    def _read_ahead(self) -> Line | None:
        """A broken stream ends it: that is told when the lines above are given."""
        return self._read() if self._pos < len(self._data) or self.ahead() else None

    def _next_held(self) -> Line:
        line = self._held[self._at]
        if self._is_joined:
            self._ledger.begin_parts(line.lines)
        elif self._is_opened and line.number != self._begun_part:
            self._ledger.begin_parts()
            self._begun_part = line.number
        self._at += 1
        self._count_held()
        return line

    def _count_held(self) -> None:
        self.number = self._held[self._at].number - 1 if self._at < len(self._held) else self._last_held

    def _read(self) -> Line | None:
        """One line out of the blocks."""
        if not self._fill():
            return None
        if self._again is not None:
            line, end, self.is_prefixed = self._again
            self._last, self._again = self._again, None
            self._before, self._pos = self._pos, end
            self.number += 1
            return line
        end = self._data.find(b"\n", self._pos)
        end = len(self._data) if end < 0 else end
        made = make_line(self.number + 1, self._data[self._pos : end])
        is_open = made.text and made.text[0] in FIRST
        if is_open:
            text_above = partial(_above, self._data, self._pos)
            line = self.prefixes.peel(self._comments.bare(made, self._below(self._data, end + 1), text_above))
        else:
            line = self.prefixes.peel(made)
        line = self._in_english(line)
        self.is_prefixed = line is not made
        self._before, self._pos = self._pos, end + 1
        self.number += 1
        self._last = (line, self._pos, self.is_prefixed)
        return line

    def may_show_below(self, letters: bytes) -> bool:
        """Whether the text of the line that ``peek`` would give may hold some letters of ASCII: by its bytes, so that
        few lines are looked at twice.
        """
        if self._at < len(self._held):
            return True
        line = self._bytes_below()
        return letters in line or _MAY_CHANGE.search(line) is not None

    def quote_below(self) -> int:
        """How often the line that ``peek`` would give is quoted; most lines are known by their bytes to be not."""
        line = self._bytes_below() if self._at >= len(self._held) else b">"
        may_begin = line[:1] in _QUOTING or b">" in line[:3] or (b">" in line and _OPENS.match(line) is not None)
        if not may_begin and _MAY_CHANGE.search(line) is None:
            return 0
        below = self.peek()
        return below.quote if below is not None else 0

    def _bytes_below(self) -> bytes:
        data, begin = (self._data, self._pos) if self._pos < len(self._data) else (self.ahead(), 0)
        end = data.find(b"\n", begin)
        return data[begin : len(data) if end < 0 else end]

    def peek(self, *, past_blank: bool = False) -> Line | None:
        """The line that ``next`` would give, or the one below it where that is blank; the one that it gave last can
        still be pushed back.
        """
        if self._at < len(self._held):
            return self._held[self._at]
        data, begin = (self._data, self._pos) if self._pos < len(self._data) else (self.ahead(), 0)
        if not data:
            return None
        end = data.find(b"\n", begin)
        number = self.number + 1
        if past_blank and 0 <= end < len(data) - 1 and not data[begin:end].strip():
            number, begin = number + 1, end + 1
            end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        made = make_line(number, data[begin:end])
        if made.text and made.text[0] in FIRST:
            made = self._comments.peeked(made, self._below(data, end + 1), partial(_above, data, begin))
        return self._in_english(self.prefixes.peeled(made))

    def _trial_in_english(self, trial: WrapTrial) -> WrapTrial:
        """A trial knows nothing of the language of the text that its lines stand in."""
        return lambda lines: trial(lines if self.forms is ALL_ENGLISH else [self.forms.english(line) for line in lines])

    def _english(self, text: str) -> str:
        return self.forms.english(text)

    def _in_english(self, line: Line) -> Line:
        if self.forms is ALL_ENGLISH or (text := self.forms.english(line.text)) == line.text:
            return line
        return replace(line, text=text)

    def _below(self, data: bytes, begin: int) -> Iterator[Line]:
        """Lines of a block from a place on, as they stand; they are not read by this."""
        while begin < len(data):
            end = data.find(b"\n", begin)
            end = len(data) if end < 0 else end
            yield make_line(self.number + 1, data[begin:end])
            begin = end + 1

    def push_back(self) -> None:
        """Undo the last ``next``."""
        if self._held:
            self._at -= 1
            self._count_held()
            return
        self._pos = self._before
        self.number -= 1
        self._again = self._last

    def window(self, limit: int, *, is_opening: bool = False) -> bytes:
        """Unread whole lines, about ``limit`` bytes of them; empty at the end of the text, where lines are held that
        were read, and where terminal codes stand in letters in the block.
        """
        if self._at < len(self._held) or not self._fill():
            return b""
        self._ledger.end_parts()
        if self._pos + limit >= len(self._data):
            data = self._data[self._pos :] if self._pos else self._data
        else:
            end = self._data.find(b"\n", self._pos + limit)
            data = self._data[self._pos : len(self._data) if end < 0 else end + 1]
        return b"" if self._shows_codes and not is_opening else data

    @property
    def ends_open(self) -> bool:
        """Whether the line that was read last has no end: at the end of a text that was cut, or written so."""
        return bool(self._data) and self._pos >= len(self._data) and not self._data.endswith(b"\n")

    def last_lines(self, count: int) -> list[str]:
        """The last lines that were read, as they stand in the text."""
        end = self._end_before + self._data[-MOST_AT_THE_END:]
        return [make_line(0, line).text for line in end.split(b"\n")[-count:]]

    @property
    def left(self) -> int:
        """Bytes of the block that are not read."""
        return len(self._data) - self._pos

    def advance(self, size: int, lines: int) -> None:
        """Count ``size`` bytes of a window, which are ``lines`` whole lines, as read."""
        self._pos += size
        self.number += lines
        self._again = None

    def ahead(self) -> bytes:
        """The block behind the one that is being read, which stays unread; empty where none follows."""
        if self._at < len(self._held):
            return b""
        if self._coming is None and self._failed is None:
            self._fetch()
        return self._coming.data if self._coming is not None else b""

    def _fetch(self) -> None:
        try:
            self._coming = next(self._blocks, None)
        except Exception as error:  # noqa: BLE001  a broken stream: told when reading gets there
            self._failed = error

    def _append(self) -> None:
        """Put the block behind the one that is being read at its end: lines of both are looked at together."""
        block, self._coming = self._coming, None
        if block is None:
            return
        self._end_before = (self._end_before + self._data[: self._pos])[-MOST_AT_THE_END:]
        if self._again is not None:
            line, end, is_prefixed = self._again
            self._again = (line, end - self._pos, is_prefixed)
        below = self._data[self._pos :]
        self._data, self._pos, self._before = below + block.data, 0, 0
        self.blocks, self.before_block = self.blocks + 1, self.number + below.count(b"\n")

    def _fill(self) -> bool:
        while self._pos >= len(self._data):
            if self._coming is None and self._failed is None:
                self._fetch()
            if self._coming is None and self._failed is not None:
                self.is_broken = True
                raise self._failed
            block, self._coming = self._coming, None
            if block is None:
                return False
            self._end_before = self._data[-MOST_AT_THE_END:]
            self._data, self._pos = block.data, 0
            self._shows_codes = shows_codes(block.data)
            self.blocks, self.before_block = self.blocks + 1, self.number
        return True


def _above(data: bytes, begin: int) -> str:
    """The line of a block that stands above a place."""
    end = max(begin - 1, 0)
    return make_line(0, data[data.rfind(b"\n", 0, end) + 1 : end]).text
