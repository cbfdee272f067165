"""From raw bytes to numbered lines: encodings, line ends, over-long lines.

``blocks`` is the one place that decides what a line is: everything behind it (parsers, the line index of a stored
text, the file viewer) counts ``\\n`` only. CR LF, a lone CR and ``<br>`` are line ends too; UTF-16 becomes UTF-8, and
a mail's quoted-printable and base64 what they stand for.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, Protocol

from parsers.dataclass import dataclass
from parsers.documents.line_marks import LONGEST_TYPED, clean, split_note
from parsers.documents.mail_parts import is_encoded, plain
from parsers.documents.numbered_lines import is_numbered, without_numbers
from parsers.documents.office_text import is_office, office_words
from parsers.documents.quoted_printable import decoded, is_quoted_printable
from parsers.documents.rich_text import is_rich_text, worded
from parsers.documents.sheet_text import sheet_words
from parsers.documents.ticket_texts import is_ticket, written
from parsers.documents.visible_ends import has_visible_ends, without_visible_ends
from parsers.ledger import Fate
from parsers.times.clock import MONTH

BLOCK_BYTES: Final = 4 << 20
LINE_BYTES: Final = 1 << 20
LONGEST_END: Final = 3
"""CR CR LF, and one more: of a longer run the first ones end lines whatever follows."""


class Readable(Protocol):
    """The one method needed of a stream."""

    def read(self, size: int = ..., /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines: ``data`` ends with a newline, save at the end of the text."""

    data: bytes
    first_line: int


@dataclass(slots=True)
class LongLines:
    """Lines cut at the limit: how many, how many bytes they lost, where the first one stands. recounted: lines are
    those of the text that was decoded, and other ones than those of the file. as_stored: the blocks are the file, byte
    by byte.
    """

    count: int = 0
    lost_bytes: int = 0
    first_line: int = 0
    recounted: bool = False
    as_stored: bool = True


@dataclass(slots=True)  # not frozen: one is made for each line, and that would take three times as long
class Line:
    """A line as the parsers see it. ``raw`` is the customer's text; ``text`` is without marks that are not data.

    stamp, host: moment and node that a tool printed in front of the line (see ``parsers.layouts.prefixes``). fate: of a
    part of a flattened line that no parser is to see (see ``parsers.layouts.flattened``). lines: of the text, of which
    it was put together (see ``parsers.layouts.wrapped``).
    """

    number: int
    raw: str
    text: str
    note: str = ""
    quote: int = 0
    stamp: str = ""
    host: str = ""
    fate: Fate | None = None
    lines: int = 1


def blocks(
    stream: Readable, *, line_bytes: int = LINE_BYTES, block_bytes: int = BLOCK_BYTES, long: LongLines | None = None
) -> Iterator[Block]:
    """Cut a stream into blocks of whole lines of valid line ends; memory stays at about two blocks."""
    long = long if long is not None else LongLines()
    line, carry, dropping = 1, b"", False
    for chunk in _without_breaks(_unix_line_ends(_utf8(stream, block_bytes, long), long), long):
        data = carry + chunk if carry else chunk
        if dropping:
            end = data.find(b"\n")
            long.lost_bytes += len(data) if end < 0 else end
            if end < 0:
                carry = b""
                continue
            data, dropping = data[end:], False
        end = data.rfind(b"\n") + 1
        carry, whole = data[end:], data[:end]
        if whole:
            whole = _cut_long(whole, line_bytes, line, long)
            yield Block(whole, line)
            line += whole.count(b"\n")
        if len(carry) > line_bytes:
            _note_long(long, line, len(carry) - line_bytes)
            yield Block(carry[:line_bytes], line)  # its newline comes with the rest of the line, which is dropped
            carry, dropping = b"", True
    if carry:
        yield Block(carry, line)


def _note_long(long: LongLines, line: int, lost: int) -> None:
    long.first_line = long.first_line or line
    long.as_stored = False
    long.count += 1
    long.lost_bytes += lost


def _cut_long(data: bytes, line_bytes: int, line: int, long: LongLines) -> bytes:
    """Cut over-long lines inside a block. The common case, none, costs a find per half limit."""
    half = max(1, line_bytes // 2)
    if all(data.find(b"\n", at, at + half) >= 0 for at in range(0, len(data) - half, half)):
        return data
    kept = []
    for number, text in enumerate(data.split(b"\n"), line):
        if len(text) > line_bytes:
            _note_long(long, number, len(text) - line_bytes)
        kept.append(text[:line_bytes])
    return b"\n".join(kept)


def _utf8(stream: Readable, size: int, long: LongLines) -> Iterator[bytes]:
    first = stream.read(size)
    encoding = _encoding(first)
    if encoding is None:
        long.as_stored = not first.startswith(codecs.BOM_UTF8)
        first = first.removeprefix(codecs.BOM_UTF8)
        chunks: Iterator[bytes] = chain((first,), iter(lambda: stream.read(size), b""))
        if is_encoded(first):
            chunks = _converted(plain, chunks, long)
            first = next(chunks, b"")
            chunks = chain((first,), chunks)
        yield from _plain_words(first, chunks, long)
        return
    long.as_stored = False
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    chunk = first
    while chunk:
        yield decoder.decode(chunk).removeprefix("\ufeff").encode("utf-8", "replace")
        chunk = stream.read(size)
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _plain_words(first: bytes, chunks: Iterator[bytes], long: LongLines) -> Iterator[bytes]:
    """The text of some chunks, of which the first is known, without what an editor, a mail or a tool made of it."""
    if is_rich_text(first):
        return _converted(worded, chunks, long)
    if is_office(first):
        return _converted(office_words, chunks, long)
    if is_ticket(first):
        return _converted(written, chunks, long)
    if has_visible_ends(first) or is_numbered(first):
        long.as_stored = False
        return without_visible_ends(chunks) if has_visible_ends(first) else without_numbers(chunks)
    if (words := sheet_words(first)) is not None:
        return _converted(words, chunks, long)
    return _converted(decoded, chunks, long) if is_quoted_printable(first) else chunks


def _converted(
    convert: Callable[[Iterator[bytes]], Iterator[bytes]], chunks: Iterator[bytes], long: LongLines
) -> Iterator[bytes]:
    """Chunks of a text as it was meant; whether it has other lines than the file is noted."""
    lines, long.as_stored = 0, False

    def counted() -> Iterator[bytes]:
        nonlocal lines
        for chunk in chunks:
            lines += chunk.count(b"\n")
            yield chunk

    for chunk in convert(counted()):
        lines -= chunk.count(b"\n")
        yield chunk
    long.recounted = long.recounted or lines != 0


def _encoding(head: bytes) -> str | None:
    """UTF-16 by its mark, or by NUL bytes on one side of nearly every pair."""
    if head.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    sample = head[:4096]
    pairs = len(sample) // 2
    if pairs < 8 or sample.count(0) < pairs * 0.7 or sample.count(0) > pairs * 1.2:
        return None
    odd = sample[1::2].count(0)
    return "utf-16-le" if odd > pairs * 0.9 else "utf-16-be" if sample[0::2].count(0) > pairs * 0.9 else None


def _unix_line_ends(chunks: Iterator[bytes], long: LongLines) -> Iterator[bytes]:
    """CR LF and lone CR become LF, also where a chunk ends between the two; so does CR CR LF, as a recorded session and
    a file that was converted twice have it. Marks of an encoding go.
    """
    held = b""
    for fresh in chunks:
        chunk = held + fresh
        held = b""
        if b"\r" in chunk:
            long.as_stored = False
            if chunk.endswith(b"\r"):
                kept = max(len(chunk.rstrip(b"\r")), len(chunk) - LONGEST_END)
                chunk, held = chunk[:kept], chunk[kept:]
            chunk = chunk.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not chunk.isascii() and codecs.BOM_UTF8 in chunk:
            long.as_stored = False
            chunk = chunk.replace(codecs.BOM_UTF8, b"")  # between files that were put one behind the other
        if chunk:
            yield chunk
    if held:
        yield b"\n" * len(held)


CELL: Final = "  \u2060"
"""Between the cells of a row: two blanks, and a sign without a width that no text has itself."""
_BREAK: Final = re.compile(
    rb"<(?:br|BR) ?/?>\n?"
    rb"|(?<=[^\n>])(?:</(?:b|strong|span|code|tt|em|i|samp|kbd|font)>){0,3}</(?:p|div|pre|li)>"
    rb"(?=[ \t]{0,8}<(?:p|div|pre|h[1-6]|ul|table|ac:structured-macro)\b)"
    rb"|(?<=</code>)(?=<pre[ >])|(?<=</strong>)(?=<pre[ >])|(?<=</b>)(?=<pre[ >])"
    rb"|(?<=</h[1-6]>)(?=[ \t]{0,8}<(?:p|div|pre|h[1-6]|ul|table|ac:structured-macro)\b)"
    rb"|<ac:parameter ac:name=\"(?:language|theme|linenumbers|collapse|firstline)\">[^<]{0,80}(?:</ac:parameter>)"
    rb"|</ac:parameter>(?=<)|<ac:plain-text-body><!\[CDATA\[|\]\]></ac:plain-text-body>(?:</ac:structured-macro>)?"
)
"""Also between two parts of a page that stand on one line."""
_STYLES: Final = re.compile(rb"<style\b[^<>]{0,200}>(?:[^<]|<(?!/style)){0,200000}+</style>")
_LONGEST_BREAK: Final = 7
_TAGS: Final = re.compile(rb"<(?:(?:br|BR)[ />]|style|/?ac:|t[dh]|T[DH]|/p|/div|/h[1-6]|/li)")
"""Of all of them at once: a block is gone through for each search."""
_OBJECTS: Final = re.compile(rb"\s{0,80}(?:\[\s{0,80})?\{\s{0,80}\"[^\"\n]{1,80}\"\s{0,8}:")
"""How a text of JSON begins."""
_BETWEEN_CELLS: Final = re.compile(rb"</t[dh]>\s{0,80}<t[dh](?: [^<>]{0,200})?>", re.IGNORECASE)
_CELL_INSIDE: Final = re.compile(rb"(<t[dh](?: [^<>]{0,200})?>)\s{1,80}|\s{1,80}(?=</t[dh]>)", re.IGNORECASE)
_CELLS: Final = (b"<td", b"<th", b"<TD", b"<TH")
_ROW_END: Final = re.compile(
    rb"(</tr>)(?!(?:</?(?:thead|tbody|tfoot|table|div|body|html)[^<>\n]{0,200}>|[ \t]){0,40}(?:\n|$))", re.IGNORECASE
)
"""Where another row stands behind it on one line."""


def _without_breaks(chunks: Iterator[bytes], long: LongLines) -> Iterator[bytes]:
    """Breaks of a web page are line ends, with the one behind them; also where a chunk ends inside of one. Cells of a
    row of one of its tables stand on one line, two blanks apart.
    """
    held = b""
    is_objects: bool | None = None
    for fresh in chunks:
        chunk = held + fresh if held else fresh
        held = b""
        if is_objects is None:
            is_objects = _OBJECTS.match(chunk) is not None
        if is_objects:
            yield chunk  # parts of a page stand in its strings
            continue
        has_tags = _TAGS.search(chunk) is not None
        if has_tags or b"<" in chunk[-_LONGEST_BREAK:]:
            begin = chunk.rfind(b"<", max(len(chunk) - _LONGEST_BREAK, 0))
            chunk, held = (chunk, b"") if begin < 0 else (chunk[:begin], chunk[begin:])
            if has_tags or b"<pre" in chunk:
                chunk = _lines_of_page(chunk, long, has_cells=has_tags and any(mark in chunk for mark in _CELLS))
        if chunk:
            yield chunk
    if held:
        yield _end_of_page(held, long)


def _end_of_page(held: bytes, long: LongLines) -> bytes:
    """The last letters of a text, which may be a break."""
    shown = _BREAK.sub(b"\n", held)
    long.as_stored = long.as_stored and shown == held
    return shown


def _lines_of_page(chunk: bytes, long: LongLines, *, has_cells: bool) -> bytes:
    """Lines as a page shows them, without its styles."""
    long.as_stored = False
    lines = chunk.count(b"\n")
    if b"<style" in chunk:
        chunk = _STYLES.sub(lambda match: b"\n" * match[0].count(b"\n"), chunk)
    chunk = _BREAK.sub(b"\n", chunk)
    chunk = _rows_on_lines(chunk) if has_cells else chunk
    long.recounted = long.recounted or chunk.count(b"\n") != lines
    return chunk


def _rows_on_lines(chunk: bytes) -> bytes:
    """Rows of a table of a web page, each on a line of its own."""
    chunk = _CELL_INSIDE.sub(rb"\1", chunk)
    return _ROW_END.sub(rb"\1\n", _BETWEEN_CELLS.sub(CELL.encode(), chunk))


def shown_lines(text: str) -> list[str]:
    """Lines of a text, which may be a part of a web page."""
    if "</" in text or "<br" in text:
        text = _lines_of_page(text.encode("utf-8", "replace"), LongLines(), has_cells="<td" in text).decode("utf-8")
        return [clean(line)[0] for line in text.splitlines()]
    return text.splitlines()


_HOLES: Final = re.compile(rb"\x00{64,}")
"""Of a log that was cut off while its program went on writing behind the old end."""
_MOST_HELD_AT: Final = 1 << 20


def looks_binary(head: bytes) -> bool:
    """Whether the first kilobytes hold more control bytes than any console log: a picture, a core, a device image."""
    sample = head[:8192]
    if not sample or _encoding(head) is not None:
        return False
    if _HOLES.search(sample) is not None:
        sample = _HOLES.sub(b"", head[:_MOST_HELD_AT])[:8192]
    control = sum(sample.count(bytes([c])) for c in range(1, 32) if c not in (7, 8, 9, 10, 12, 13, 27))
    return not sample or control > len(sample) * 0.04 or sample.count(0) > len(sample) * 0.3


def make_line(number: int, raw_bytes: bytes) -> Line:
    """Decode one line of a block; bytes that are no UTF-8 become a replacement mark."""
    raw = _decoded(raw_bytes)
    text, quote = clean(raw)
    body, note = split_note(text)
    if body[3:6] == "   " and (stamp := _WIDE_STAMP.match(body)) is not None:
        body = f"{stamp['month']} {stamp['day']:>2} {body[stamp.end() :]}"  # a tab, or a column that somebody aligned
    return Line(number, raw, body, note, quote)


_WIDE_STAMP: Final = re.compile(rf"(?P<month>{MONTH}) {{3,12}}(?P<day>[ \d]?\d) {{1,12}}(?=\d\d:\d\d:\d\d\b)")


def _decoded(data: bytes) -> str:
    """UTF-8; else letters of Western Europe, where a few of them stand among plain ones."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        is_western = len(data) <= LONGEST_TYPED and _NOT_WESTERN.search(data) is None
        few = is_western and 4 * len(_HIGH.findall(data)) <= len(data)
        return data.decode("cp1252" if few else "utf-8", "replace")


_NOT_WESTERN: Final = re.compile(
    rb"[\xc2-\xf4][\x80-\xbf]|[\x00-\x07\x0e-\x1a]|[^\x00-\x7f\x91-\x97\xa0-\xfd]|[\x80-\xff]{4}"
)
"""What is left of letters in UTF-8, or no text at all."""
_HIGH: Final = re.compile(rb"[\x80-\xff]")


Owns = Callable[[str, str], bool]
