"""A window of a file's lines as the page shows them; what its address asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.http import QueryDict

from apps.cases.files.marks import LineMark
from apps.cases.storage.textblob import Found, TextBlob
from parsers.dataclass import dataclass

WINDOW: Final = 400
MOST_LINES: Final = 2400
LINE_BYTES: Final = 4096
HITS: Final = 1000
SEARCH_BYTES: Final = 256 << 20
NEEDLE_CHARS: Final = 200
LARGEST: Final = 10**15
RANGE: Final = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15}))?")

# What would turn text around or do something in a terminal is shown as a sign, never obeyed.
SIGNS: Final = (
    {code: 0x2400 + code for code in range(32) if code != 9}
    | {0x7F: 0x2421}
    | dict.fromkeys((0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
)


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    is_hit: bool = False


@dataclass(frozen=True, slots=True)
class ViewLine:
    number: int
    pieces: list[Piece]
    severity: str
    badge: str
    is_chosen: bool
    is_not_understood: bool
    is_cut: bool


@dataclass(frozen=True, slots=True)
class FileQuery:
    """The address of a file page: a chosen range, or where the window starts; and what is searched for."""

    first: int | None = None
    last: int | None = None
    start: int | None = None
    count: int = WINDOW
    needle: str = ""
    is_case_kept: bool = False
    search_from: int = 1

    @classmethod
    def from_query(cls, query: QueryDict) -> FileQuery:
        match = RANGE.fullmatch(query.get("line", ""))
        first = int(match[1]) or None if match else None
        last = max(first, int(match[2] or first)) if match and first else None
        return cls(
            first=first,
            last=last,
            start=_number(query, "start"),
            count=min(_number(query, "count") or WINDOW, MOST_LINES),
            needle=query.get("q", "")[:NEEDLE_CHARS].strip("\r\n\0"),
            is_case_kept=query.get("case") == "1",
            search_from=_number(query, "search_from") or 1,
        )

    def at(self, line: int) -> FileQuery:
        """The same with one line chosen: what a search leads to."""
        return replace(self, first=line, last=line)

    @property
    def range_text(self) -> str:
        if self.first is None or self.last is None:
            return ""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def window_start(self, lines_total: int) -> int:
        """A chosen line stands in the middle; near the end the window is still full."""
        wanted = self.first - WINDOW // 2 if self.first is not None else self.start or 1
        return max(1, min(wanted, lines_total - (WINDOW if self.start is None else 1) + 1))

    def holds(self, line: int) -> bool:
        return self.first is not None and self.last is not None and self.first <= line <= self.last


def _number(query: QueryDict, name: str) -> int | None:
    text = query.get(name, "")
    return min(int(text), LARGEST) or None if text.isascii() and text.isdigit() and len(text) <= 18 else None


def search(blob: TextBlob, query: FileQuery) -> Found | None:
    if not query.needle:
        return None
    return blob.search(
        query.needle.encode("utf-8", "replace"),
        query.search_from,
        HITS,
        ignore_case=not query.is_case_kept,
        max_bytes=SEARCH_BYTES,
    )


def view_lines(
    lines: Sequence[tuple[int, bytes]], query: FileQuery, marks: Mapping[int, LineMark], not_understood: set[int]
) -> list[ViewLine]:
    pattern = needle_pattern(query.needle, is_case_kept=query.is_case_kept)
    shown = []
    for number, raw in lines:
        mark = marks.get(number, LineMark("", ""))
        text = raw.decode("utf-8", "replace").translate(SIGNS)
        shown.append(
            ViewLine(
                number=number,
                pieces=pieces_of(text, pattern),
                severity=mark.severity,
                badge=mark.badge,
                is_chosen=query.holds(number),
                is_not_understood=number in not_understood,
                is_cut=len(raw) >= LINE_BYTES,
            )
        )
    return shown


def needle_pattern(needle: str, *, is_case_kept: bool) -> re.Pattern[str] | None:
    """Letters beyond ASCII are compared as they are, as the search over the bytes does."""
    return re.compile(re.escape(needle), re.ASCII if is_case_kept else re.ASCII | re.IGNORECASE) if needle else None


def pieces_of(text: str, pattern: re.Pattern[str] | None) -> list[Piece]:
    if pattern is None:
        return [Piece(text)]
    pieces, at = [], 0
    for match in pattern.finditer(text):
        pieces += [Piece(text[at : match.start()]), Piece(match[0], is_hit=True)]
        at = match.end()
    return [piece for piece in [*pieces, Piece(text[at:])] if piece.text]
