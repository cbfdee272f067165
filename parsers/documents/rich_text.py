r"""The words of a document in Rich Text Format, as WordPad and mail programs save a pasted session.

    {\rtf1\ansi{\fonttbl{\f0 Consolas;}}\f0\fs18
    [root@carp1 ~]# gabconfig -a\par
    GAB Port Memberships\par}

Control words, tables of fonts and pictures go; ``\par`` is the end of a line, and the ends of lines of the file are
none. Empty lines stand for those that hold no words, so that a line keeps its number where the file ends one there too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

MOST_HELD: Final = 8 << 20
"""Bytes without the end of a line, or of another mark, that wait for it."""
MOST_GROUPS: Final = 1_000
_TOKEN: Final = re.compile(
    rb"\\'(?P<letter>[0-9a-fA-F]{2})|\\(?P<word>[a-zA-Z]{1,32})(?P<figure>-?\d{1,10})? ?|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<end>\r?\n)|(?P<text>[^\\{}\r\n]+)"
)
_PRINTED: Final = {
    b"par": b"\n", b"line": b"\n", b"row": b"\n", b"page": b"\n", b"tab": b"\t", b"cell": b"  ", b"endash": b"-",
    b"emdash": b"-", b"lquote": b"'", b"rquote": b"'", b"ldblquote": b'"', b"rdblquote": b'"', b"bullet": b"*",
}  # fmt: skip
_PRINTED_SIGNS: Final = {b"\\": b"\\", b"{": b"{", b"}": b"}", b"~": b" ", b"_": b"-", b"\n": b"\n", b"\r": b"\n"}
_SILENT: Final = frozenset((
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"header", b"footer", b"listtable", b"generator",
    b"object", b"fldinst", b"themedata", b"datastore", b"rsidtbl", b"xmlnstbl",
))  # fmt: skip
"""Groups that hold no words of the text."""


def is_rich_text(head: bytes) -> bool:
    """Whether a text that begins so is in this format."""
    return head.startswith(b"{\\rtf")


def worded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The words of the text, in UTF-8."""
    return in_parts(chunks, _Reader().read, b"\n")


def in_parts(chunks: Iterator[bytes], read: Callable[[bytes], bytes], end_mark: bytes) -> Iterator[bytes]:
    """What is read of the chunks, each up to its last mark; what stands behind it waits for the next."""
    held = b""
    for chunk in chunks:
        data = held + chunk
        end = data.rfind(end_mark) + 1
        if not end and len(data) < MOST_HELD:
            held = data
            continue
        end = end or len(data)
        held = data[end:]
        yield read(data[:end])
    yield read(held)


class _Reader:
    """Where reading stands: in which groups."""

    def __init__(self) -> None:
        self._silent: list[bool] = [False]
        """Of each group that is open, whether it holds no words of the text."""
        self._deeper = 0
        """Open groups inside of so many."""
        self._left_out = 0
        """Letters that stand for one that was told by its number."""
        self._ended = self._put = 0
        """Lines of the file that were read, and lines that were put out."""
        self._is_begun = False

    def read(self, data: bytes) -> bytes:
        """The words of a part of the text."""
        return b"".join(self._token(match) for match in _TOKEN.finditer(data))

    def _token(self, match: re.Match[bytes]) -> bytes:
        if match["end"] is not None:
            return self._end_of_line()
        found = self._words(match)
        if found:
            self._put += found == b"\n"
            self._is_begun = found != b"\n"
        return found

    def _end_of_line(self) -> bytes:
        self._ended += 1
        if self._is_begun or self._put >= self._ended:
            return b""
        lacking, self._put = self._ended - self._put, self._ended
        return b"\n" * lacking

    def _words(self, match: re.Match[bytes]) -> bytes:
        if (brace := match["brace"]) is not None:
            self._group(is_begun=brace == b"{")
            return b""
        if (word := match["word"]) in _SILENT or match["sign"] == b"*":
            self._silent[-1] = True
        if self._silent[-1]:
            return b""
        return self._word(word, match["figure"]) if word is not None else self._letters(match)

    def _group(self, *, is_begun: bool) -> None:
        if is_begun and len(self._silent) < MOST_GROUPS:
            self._silent.append(self._silent[-1])
        elif is_begun or self._deeper:
            self._deeper += 1 if is_begun else -1
        elif len(self._silent) > 1:
            self._silent.pop()

    def _word(self, word: bytes, figure: bytes | None) -> bytes:
        if word == b"u" and figure is not None:
            self._left_out = 1
            return chr(int(figure) % 0x10000).encode("utf-8", "replace")
        return _PRINTED.get(word, b"")

    def _letters(self, match: re.Match[bytes]) -> bytes:
        if match["letter"] is not None:
            found = bytes([int(match["letter"], 16)]).decode("cp1252", "replace").encode()
        elif match["sign"] is not None:
            return _PRINTED_SIGNS.get(match["sign"], b"")
        else:
            found = match["text"].replace(b"\x00", b"")
        left_out, self._left_out = self._left_out, 0
        if not left_out:
            return found
        return b"" if match["letter"] is not None else found[1:]
