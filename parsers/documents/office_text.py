r"""The words of a document of an office program, as Word, Excel, PowerPoint and LibreOffice pack them.

    <w:p><w:r><w:t>[root@carp1 ~]# gabconfig -a</w:t></w:r></w:p><w:p><w:r><w:t>GAB Port Memberships</w:t></w:r></w:p>

A paragraph is a line, cells of a table stand on one line, two blanks apart. Of a workbook the strings that its cells
share are lines, each once, in the order in which they were entered. Parts that hold no words, such as styles,
relations and themes, are empty. Source: ECMA-376 and OpenDocument 1.2, as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from parsers.documents.rich_text import in_parts

_HEAD: Final = 4_096
_SPACES: Final = (
    b"http://schemas.openxmlformats.org/",
    b"urn:oasis:names:tc:opendocument:",
    b"http://purl.oclc.org/ooxml/",
)
_TOKEN: Final = re.compile(
    rb"<(?P<end>/?)(?P<name>[A-Za-z][\w:-]{0,60})(?P<rest>[^<>]{0,20000}?)(?P<closed>/?)>|(?P<text>[^<]+)"
)
_LINES: Final = frozenset((b"w:p", b"a:p", b"text:p", b"text:h", b"si"))
_WORDS: Final = frozenset((b"w:t", b"a:t", b"t", b"text:p", b"text:h"))
_MARKS: Final = {
    b"w:br": b"\n",
    b"w:cr": b"\n",
    b"a:br": b"\n",
    b"text:line-break": b"\n",
    b"w:tab": b"\t",
    b"text:tab": b"\t",
}
_CELLS: Final = frozenset((b"w:tc", b"a:tc", b"table:table-cell"))
_ROWS: Final = frozenset((b"w:tr", b"a:tr", b"table:table-row"))
_COUNT: Final = re.compile(rb'text:c="(\d{1,3})"')
_GAP: Final = b"  "


def is_office(head: bytes) -> bool:
    """Whether a part of such an archive begins so."""
    begin = head[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    return begin.startswith((b"<?xml", b"<w:", b"<office:", b"<Types", b"<Relationships", b"<sst ")) and any(
        space in begin for space in _SPACES
    )


def office_words(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The words of the text, in UTF-8."""
    return in_parts(chunks, _Reader().read, b">")


class _Reader:
    """Where reading stands: in which words, and in how many rows of tables."""

    def __init__(self) -> None:
        self._words = 0
        self._rows = 0

    def read(self, data: bytes) -> bytes:
        """The words of a part of the text."""
        return b"".join(self._token(match) for match in _TOKEN.finditer(data))

    def _token(self, match: re.Match[bytes]) -> bytes:
        text = match["text"]
        if text is not None:
            return _plain(text) if self._words else b""
        name, is_end, is_whole = match["name"], bool(match["end"]), bool(match["closed"])
        if not is_end and name in _MARKS:
            return _MARKS[name]
        if name == b"text:s":
            count = _COUNT.search(match["rest"])
            return b" " * (int(count[1]) if count is not None else 1)
        if not is_whole:
            step = -1 if is_end else 1
            self._words = max(0, self._words + step * (name in _WORDS))
            self._rows = max(0, self._rows + step * (name in _ROWS))
        return self._end_of(name) if is_end or is_whole else b""

    def _end_of(self, name: bytes) -> bytes:
        """What stands behind a part: rows of a table and paragraphs outside of them are lines."""
        if name in _ROWS or (name in _LINES and not self._rows):
            return b"\n"
        return _GAP if name in _CELLS else b""


def _plain(text: bytes) -> bytes:
    return unescape(text.decode("utf-8", "replace")).encode("utf-8", "replace") if b"&" in text else text
