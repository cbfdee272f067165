"""The windows of a text of waiters, one after the other, and the one behind them made beforehand by a thread.

Windows grow while all of their lines are plain and shrink where few are. Where they are as large as a block of the
text, a thread makes the next one meanwhile: most of that work is done outside the interpreter's lock.
"""

from __future__ import annotations

from threading import Thread
from typing import Final

from parsers.formats.scale.waits.waiters_window import Window
from parsers.output import Output
from parsers.sections.lines import LineSource

SMALLEST_WINDOW: Final = 32 << 10
LARGEST_WINDOW: Final = 4 << 20
AHEAD_FROM: Final = 1 << 20
FEW_LINES: Final = 50
WORTH_LINES: Final = 200
LONGEST_PAUSE: Final = 8_192


class Windows:
    """The windows of one text, over all its sections."""

    def __init__(self) -> None:
        self._size = SMALLEST_WINDOW
        self._whole: Ahead | None = None
        self._coming: Ahead | None = None
        self._is_last = False
        """Whether the window that was opened last ends with its block."""
        self._pause = 1
        self._wait = 0

    @classmethod
    def of(cls, out: Output) -> Windows:
        """Those of the artifact that ``out`` gathers."""
        windows: Windows = out.interned.setdefault("scale_windows", cls())
        return windows

    def is_worth_a_try(self) -> bool:
        """Whether to try at the next line. A window costs as much as reading some hundred lines one by one."""
        self._wait -= 1
        return self._wait < 0

    def gave(self, lines: int) -> None:
        """So many lines were plain in one go: where sections are short the line loop reads on, longer and longer."""
        self._pause = 1 if lines >= WORTH_LINES else min(self._pause * 2, LONGEST_PAUSE)
        self._wait = 0 if lines >= WORTH_LINES else self._pause

    def open(self, source: LineSource) -> tuple[Window, int] | None:
        """The window that begins with the next line, or that holds it, and how many of its lines are read already."""
        if not source.window(1):
            return None
        if self._coming is not None and self._coming.block <= source.blocks:
            self._whole, self._coming = self._coming, None
        is_begun = source.number >= source.before_block
        if is_begun and self._whole is not None and self._whole.block == source.blocks:
            window, skip = self._whole.window, source.number - source.before_block
        else:
            window, skip = Window(source.window(self._size)), 0
            self._whole = self._whole if not is_begun else None
        window.first = source.number - skip
        self._is_last = (is_begun and self._whole is not None) or len(window.data) == source.left
        if self._is_last and self._size >= AHEAD_FROM and self._coming is None and (data := source.ahead()):
            self._coming = Ahead(source.blocks + 1, data)
        return window, skip

    def ends_whole(self) -> bool:
        """Whether a plain waiter stands right below the window that was opened last, so that no line goes on there."""
        if not self._is_last or self._coming is None:
            return False
        below = self._coming.window
        return below.lines > 0 and bool(below.plain[0])

    def used(self, lines: int, of: int) -> None:
        """So many lines of a window were plain: the next one is larger or smaller."""
        if lines * 4 > of * 3:
            self._size = min(self._size * 2, LARGEST_WINDOW)
        elif lines * 4 < of and of > FEW_LINES:
            self._size = max(self._size // 2, SMALLEST_WINDOW)
            self._whole = None


class Ahead:
    """The window of the block to come, made by a thread while the lines above are read. ``block`` is its ordinal in the
    text.
    """

    def __init__(self, block: int, data: bytes) -> None:
        self.block = block
        self._window: Window | None = None
        self._error: Exception | None = None
        self._thread = Thread(target=self._make, args=(data,), daemon=True)
        self._thread.start()

    def _make(self, data: bytes) -> None:
        try:
            self._window = Window(data)
        except Exception as error:  # noqa: BLE001  told to the reader, in its thread
            self._error = error

    @property
    def window(self) -> Window:
        """The window, once it is made."""
        self._thread.join()
        if self._window is None:
            raise self._error or RuntimeError("no window was made")
        return self._window
