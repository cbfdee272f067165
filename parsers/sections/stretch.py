"""Many lines of one plain form at once: whole windows of bytes to rows, with the same rows as a line loop gives. No
parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import Final, Generic, NamedTuple, TypeVar

from parsers.layouts.flattened import Look
from parsers.patterns.digits import ALL_ALIKE
from parsers.patterns.kept_start import compiled
from parsers.sections.reader import OpenSection

WINDOW_BYTES: Final = 256 << 10
SHORTEST_LOOK: Final = 4 << 10
LEAST_BYTES: Final = 64 << 10  # less is read line by line, so that a page printed twice is seen to be that
RETRY_MOST: Final = 256
SHAPES_KEPT: Final = 20_000
_BYTES_GROUP = re.compile(rb"(?<!\\)\((?!\?)")
_TEXT_GROUP = re.compile(r"(?<!\\)\((?!\?)")

AnyText = TypeVar("AnyText", str, bytes)
R = TypeVar("R")
Row = tuple[bytes, ...]
TextRow = tuple[str, ...]


class Passed(NamedTuple):
    """Lines of one form of which nearly all were known by their shapes."""

    lines: int
    new: list[tuple[int, bytes, Row]]
    """How many lines stand above it, shape and groups of each line whose shape is not known."""
    first: bytes
    last: bytes
    is_last_new: bool


class _Runs(Generic[AnyText]):
    """Takes runs of lines that fit a pattern whole, from the front of what is unread.

    The pattern has two groups or more. It must allow no character that cleaning, a note or a mark could change, and no
    line that could be a prompt.
    """

    def __init__(
        self,
        line: re.Pattern[AnyText],
        run: re.Pattern[AnyText],
        any_line: re.Pattern[AnyText],
        newline: AnyText,
        text_of: Callable[[AnyText], str],
    ) -> None:
        self._line: re.Pattern[AnyText] = line
        self._run: re.Pattern[AnyText] = run
        self._any: re.Pattern[AnyText] = any_line
        """Of a line that does not fit, all groups are empty."""
        self._newline: AnyText = newline
        self._text_of: Callable[[AnyText], str] = text_of
        self._look = SHORTEST_LOOK

    def _take(self, section: OpenSection, data: AnyText) -> tuple[int, list[tuple[AnyText, ...]]]:
        """Rows of the lines at the front of ``data`` that fit. It is looked at further each time that all of
        it fitted.
        """
        first = section.line_number + 1
        if self._look > SHORTEST_LOOK and (rows := self._all(data)):
            self._look = min(self._look * 4, WINDOW_BYTES)
            section.take(len(rows), size=data.rfind(self._newline) + 1)
            return first, rows
        run = self._run.match(data)
        if run is None:
            self._look = SHORTEST_LOOK
            return first, []
        self._look_on(is_whole=run.end() > data.rfind(self._newline))
        rows = self._line.findall(data, 0, run.end())
        section.take(len(rows), size=run.end())
        return first, rows

    def _look_on(self, *, is_whole: bool) -> None:
        """Further, where all of what was looked at fitted."""
        self._look = min(self._look * 4, WINDOW_BYTES) if is_whole else max(self._look // 4, SHORTEST_LOOK)

    def _all(self, data: AnyText) -> list[tuple[AnyText, ...]]:
        """Rows of all lines where each fits, in one pass; none where one does not, or where that is not plain."""
        if self._line.match(data) is None:
            return []
        rows: list[tuple[AnyText, ...]] = self._any.findall(data)
        return [] if (data[:0],) * self._line.groups in rows else rows

    def _few(self, section: OpenSection, data: AnyText) -> tuple[int, list[tuple[AnyText, ...]]]:
        """Rows where little is left: each line is seen, so that a page printed twice is still seen to be that. The last
        one that fits is left, for the line below it may be its rest.
        """
        source, first = section.source, section.line_number + 1
        run = self._run.match(data) if source.left < LEAST_BYTES and not source.is_prefixed else None
        lines = data[: run.end()].split(self._newline)[:-2] if run is not None else []
        lines = lines[: source.goes_on_alike([Look()] * len(lines))]
        if not lines:
            return first, []
        size = sum(map(len, lines)) + len(lines)
        texts = [self._text_of(line).rstrip() for line in lines]
        section.take(len(lines), size=size, texts=texts)
        return first, self._line.findall(data, 0, size)

    def _front(self, section: OpenSection) -> bytes:
        """What is to be looked at; nothing where little is left."""
        data = section.window(max(LEAST_BYTES, self._look))
        return data[: self._look] if len(data) >= LEAST_BYTES else b""


def _ascii(line: bytes) -> str:
    return line.decode("ascii")


class Stretch(_Runs[bytes]):
    """Rows of bytes."""

    def __init__(self, line: bytes) -> None:
        run = rb"(?:" + _BYTES_GROUP.sub(b"(?:", line) + rb"\n)++"
        one = rb"^" + line + rb"\n"
        any_line = compiled(one + rb"|^[^\n]*\n", re.MULTILINE)
        super().__init__(compiled(one, re.MULTILINE), compiled(run), any_line, b"\n", _ascii)
        self._whole = compiled(line)

    def take(self, section: OpenSection) -> tuple[int, list[Row]]:
        """Number of the first line, and the groups of each line; no rows where the next line has another form."""
        return self._take(section, self._front(section))

    def pass_over(
        self, section: OpenSection, known: Set[bytes], ends: dict[bytes, tuple[int, int]]
    ) -> tuple[int, list[Passed]]:
        """The same for lines that say nothing by the million: those of a known shape (all digits alike) fit, and are
        only counted. The form must tell no digit from another, and have three groups, which are the whole line. ends:
        of other shapes that were seen, where the first two of them end.
        """
        first, data = section.line_number + 1, self._front(section)
        lines = data.split(b"\n")[:-1]
        shapes = data.translate(ALL_ALIKE).split(b"\n")
        count, new = len(lines), list[tuple[int, bytes, Row]]()
        for at in [at for at, shape in enumerate(shapes[:count]) if shape not in known]:
            line, shape = lines[at], shapes[at]
            if (parts := ends.get(shape)) is None:
                if (row := self._whole.fullmatch(line)) is None:
                    count = at
                    break
                if len(ends) >= SHAPES_KEPT:
                    ends.clear()
                parts = ends[shape] = row.end(1), row.end(2)
            first_end, second_end = parts
            new.append((at, shape, (line[:first_end], line[first_end:second_end], line[second_end:])))
        self._look_on(is_whole=0 < count == len(lines))
        if not count:
            return first, []
        section.take(count, size=sum(map(len, lines[:count])) + count)
        return first, [Passed(count, new, lines[0], lines[count - 1], bool(new) and new[-1][0] == count - 1)]

    def take_few(self, section: OpenSection) -> tuple[int, list[Row]]:
        """The same where little is left, of lines that somebody claims: ``_few``."""
        return self._few(section, section.window(LEAST_BYTES))


class TextStretch(_Runs[str]):
    """Rows of text, for lines of ASCII characters only: what is kept needs no decoding one by one."""

    def __init__(self, line: str) -> None:
        run = "(?:" + _TEXT_GROUP.sub("(?:", line) + "\n)++"
        one, flags = "^" + line + "\n", re.MULTILINE | re.ASCII
        any_line = compiled(one + "|^[^\n]*\n", flags)
        super().__init__(compiled(one, flags), compiled(run, re.ASCII), any_line, "\n", str)

    def take(self, section: OpenSection) -> tuple[int, list[TextRow]]:
        """Number of the first line, and the groups of each line; no rows where the next line has another form."""
        return self._take(section, self._front(section).decode("latin-1"))  # a character is a byte

    def take_few(self, section: OpenSection) -> tuple[int, list[TextRow]]:
        """The same where little is left, of lines that somebody claims: ``_few``."""
        return self._few(section, section.window(LEAST_BYTES).decode("latin-1"))


class Patience:
    """When to try a stretch again: at once after one that gave rows, ever later after those that did not."""

    def __init__(self) -> None:
        self._patience = self._wait = 1

    def over(self) -> bool:
        """Count a line; whether it is time for a stretch."""
        self._wait -= 1
        return self._wait <= 0

    def tried(self, *, gave: bool) -> None:
        """What the stretch gave."""
        self._patience = 1 if gave else min(2 * self._patience, RETRY_MOST)
        self._wait = self._patience

    def stretches(
        self, section: OpenSection, take: Callable[[OpenSection], tuple[int, list[R]]]
    ) -> Iterator[tuple[int, list[R]]]:
        """Behind a line: stretches as long as they give rows, each with the number of its first line."""
        while self.over():
            first, rows = take(section)
            self.tried(gave=bool(rows))
            if rows:
                yield first, rows
