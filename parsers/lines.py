"""Lines out of blocks of bytes: one by one with a step back, or whole stretches for bulk parsers."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.prefixes import Prefixes
from parsers.text import Block, Line, make_line


class LineSource:
    """Lines out of blocks, with one step back, and whole stretches of bytes for bulk parsers."""

    def __init__(self, source: Iterable[Block], above: int = 0) -> None:
        """``above``: so many lines of the text stand above the first block."""
        self._blocks = iter(source)
        self._coming: Block | None = None
        self._failed: Exception | None = None
        self.blocks = 0
        """Blocks begun."""
        self.before_block = 0
        """Lines above the block that is being read."""
        self._data = b""
        self._pos = 0
        self._before = 0
        self.prefixes = Prefixes()
        self.is_prefixed = False
        """Whether something was taken off in front of the last line: then its neighbours are not to be read as bytes."""
        self.number = above

    def next(self) -> Line | None:
        """The next line, or None at the end of the text."""
        if not self._fill():
            return None
        end = self._data.find(b"\n", self._pos)
        end = len(self._data) if end < 0 else end
        made = make_line(self.number + 1, self._data[self._pos : end])
        line = self.prefixes.peel(made)
        self.is_prefixed = line is not made
        self._before, self._pos = self._pos, end + 1
        self.number += 1
        return line

    def push_back(self) -> None:
        """Undo the last ``next``."""
        self._pos = self._before
        self.number -= 1

    def window(self, limit: int) -> bytes:
        """Unread whole lines, about ``limit`` bytes of them; empty at the end of the text."""
        if not self._fill():
            return b""
        if self._pos + limit >= len(self._data):
            return self._data[self._pos :] if self._pos else self._data
        end = self._data.find(b"\n", self._pos + limit)
        return self._data[self._pos : len(self._data) if end < 0 else end + 1]

    @property
    def left(self) -> int:
        """Bytes of the block that are not read."""
        return len(self._data) - self._pos

    def advance(self, size: int, lines: int) -> None:
        """Count ``size`` bytes of a window, which are ``lines`` whole lines, as read."""
        self._pos += size
        self.number += lines

    def ahead(self) -> bytes:
        """The block behind the one that is being read, which stays unread; empty where none follows."""
        if self._coming is None and self._failed is None:
            try:
                self._coming = next(self._blocks, None)
            except Exception as error:  # noqa: BLE001  a broken stream: told when reading gets there
                self._failed = error
        return self._coming.data if self._coming is not None else b""

    def _fill(self) -> bool:
        while self._pos >= len(self._data):
            if self._coming is None and self._failed is not None:
                raise self._failed
            block, self._coming = self._coming or next(self._blocks, None), None
            if block is None:
                return False
            self._data, self._pos = block.data, 0
            self.blocks, self.before_block = self.blocks + 1, self.number
        return True
