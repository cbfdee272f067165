"""Many lines of one plain form at once: whole windows of bytes to rows, with the same rows as a line loop gives. No
parser.
"""

from __future__ import annotations

import re
from typing import Final, Generic, TypeVar

from parsers.sections import OpenSection

WINDOW_BYTES: Final = 256 << 10
SHORTEST_LOOK: Final = 4 << 10
LEAST_BYTES: Final = 64 << 10  # less is read line by line, so that a page printed twice is seen to be that
RETRY_MOST: Final = 256
_BYTES_GROUP = re.compile(rb"(?<!\\)\((?!\?)")
_TEXT_GROUP = re.compile(r"(?<!\\)\((?!\?)")

AnyText = TypeVar("AnyText", str, bytes)
Row = tuple[bytes, ...]
TextRow = tuple[str, ...]


class _Runs(Generic[AnyText]):
    """Takes runs of lines that fit a pattern whole, from the front of what is unread.

    The pattern has two groups or more. It must allow no character that cleaning, a note or a mark could change, and no
    line that could be a prompt.
    """

    def __init__(self, line: re.Pattern[AnyText], run: re.Pattern[AnyText], newline: AnyText) -> None:
        self._line: re.Pattern[AnyText] = line
        self._run: re.Pattern[AnyText] = run
        self._newline: AnyText = newline

        self._look = SHORTEST_LOOK

    def _take(self, section: OpenSection, data: AnyText) -> tuple[int, list[tuple[AnyText, ...]]]:
        """Rows of the lines at the front of ``data`` that fit. It is looked at further each time that all of
        it fitted.
        """
        first = section.line_number + 1
        run = self._run.match(data)
        if run is None:
            self._look = SHORTEST_LOOK
            return first, []
        is_whole = run.end() > data.rfind(self._newline)
        self._look = min(self._look * 4, WINDOW_BYTES) if is_whole else max(self._look // 4, SHORTEST_LOOK)
        rows: list[tuple[AnyText, ...]] = self._line.findall(data, 0, run.end())
        section.take(len(rows), size=run.end())
        return first, rows

    def _front(self, section: OpenSection) -> bytes:
        """What is to be looked at; nothing where little is left."""
        data = section.window(max(LEAST_BYTES, self._look))
        return data[: self._look] if len(data) >= LEAST_BYTES else b""


class Stretch(_Runs[bytes]):
    """Rows of bytes."""

    def __init__(self, line: bytes) -> None:
        run = rb"(?:" + _BYTES_GROUP.sub(b"(?:", line) + rb"\n)++"
        super().__init__(re.compile(rb"^" + line + rb"\n", re.MULTILINE), re.compile(run), b"\n")

    def take(self, section: OpenSection) -> tuple[int, list[Row]]:
        """Number of the first line, and the groups of each line; no rows where the next line has another form."""
        return self._take(section, self._front(section))


class TextStretch(_Runs[str]):
    """Rows of text, for lines of ASCII characters only: what is kept needs no decoding one by one."""

    def __init__(self, line: str) -> None:
        run = "(?:" + _TEXT_GROUP.sub("(?:", line) + "\n)++"
        super().__init__(re.compile("^" + line + "\n", re.MULTILINE | re.ASCII), re.compile(run, re.ASCII), "\n")

    def take(self, section: OpenSection) -> tuple[int, list[TextRow]]:
        """Number of the first line, and the groups of each line; no rows where the next line has another form."""
        return self._take(section, self._front(section).decode("latin-1"))  # a character is a byte


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
