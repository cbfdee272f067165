"""From raw bytes to numbered lines: encodings, line ends, over-long lines, and what a line loses before it is read.

``blocks`` is the one place that decides what a line is: everything behind it (parsers, the line index of a stored
text, the file viewer) counts ``\\n`` only. CR LF, a lone CR and ``<br>`` are line ends too; UTF-16 becomes UTF-8, and
a mail's quoted-printable and base64 what they stand for.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Final, Protocol

from parsers.dataclass import dataclass
from parsers.ledger import Fate
from parsers.mail_parts import is_encoded, plain
from parsers.quoted_printable import decoded, is_quoted_printable
from parsers.rich_text import is_rich_text, worded
from parsers.visible_ends import has_visible_ends, without_visible_ends

BLOCK_BYTES: Final = 4 << 20
LINE_BYTES: Final = 1 << 20
LONGEST_FENCED: Final = 4_000
LONGEST_TYPED: Final = 4_000
"""Characters of a line on which corrections are looked for."""


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
    those of the text that was decoded, and other ones than those of the file.
    """

    count: int = 0
    lost_bytes: int = 0
    first_line: int = 0
    recounted: bool = False


@dataclass(slots=True)  # not frozen: one is made for each line, and that would take three times as long
class Line:
    """A line as the parsers see it. ``raw`` is the customer's text; ``text`` is without marks that are not data.

    stamp, host: moment and node that a tool printed in front of the line (see ``parsers.prefixes``). fate: of a part
    of a flattened line that no parser is to see (see ``parsers.flattened``). lines: of the text, of which it was put
    together (see ``parsers.wrapped``).
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
    for chunk in _without_breaks(_unix_line_ends(_utf8(stream, block_bytes, long)), long):
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
        first = first.removeprefix(codecs.BOM_UTF8)
        chunks: Iterator[bytes] = chain((first,), iter(lambda: stream.read(size), b""))
        if is_encoded(first):
            chunks = _converted(plain, chunks, long)
            first = next(chunks, b"")
            chunks = chain((first,), chunks)
        yield from _plain_words(first, chunks, long)
        return
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
    if has_visible_ends(first):
        return without_visible_ends(chunks)
    return _converted(decoded, chunks, long) if is_quoted_printable(first) else chunks


def _converted(
    convert: Callable[[Iterator[bytes]], Iterator[bytes]], chunks: Iterator[bytes], long: LongLines
) -> Iterator[bytes]:
    """Chunks of a text as it was meant; whether it has other lines than the file is noted."""
    lines = 0

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


def _unix_line_ends(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """CR LF and lone CR become LF, also where a chunk ends between the two; so does CR CR LF, as a recorded session and
    a file that was converted twice have it.
    """
    held = b""
    for fresh in chunks:
        chunk = held + fresh
        held = b""
        if b"\r" in chunk:
            if chunk.endswith(b"\r"):
                kept = chunk.rstrip(b"\r")
                chunk, held = kept, chunk[len(kept) :]
            chunk = chunk.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if chunk:
            yield chunk
    if held:
        yield b"\n" * len(held)


CELL: Final = "  \u2060"
"""Between the cells of a row: two blanks, and a sign without a width that no text has itself."""
_BREAK: Final = re.compile(
    rb"<(?:br|BR) ?/?>\n?"
    rb"|(?<=[^\n>])(?:</(?:b|strong|span|code)>){0,3}</(?:p|div|pre|li)>"
    rb"(?=[ \t]{0,8}<(?:p|div|pre|h[1-6]|ul|table|ac:structured-macro)\b)"
    rb"|(?<=</code>)(?=<pre[ >])|(?<=</strong>)(?=<pre[ >])|(?<=</b>)(?=<pre[ >])"
    rb"|(?<=</h[1-6]>)(?=[ \t]{0,8}<(?:p|div|pre|h[1-6]|ul|table|ac:structured-macro)\b)"
    rb"|<ac:parameter ac:name=\"(?:language|theme|linenumbers|collapse|firstline)\">[^<]{0,80}(?:</ac:parameter>)"
    rb"|</ac:parameter>(?=<)|<ac:plain-text-body><!\[CDATA\[|\]\]></ac:plain-text-body>(?:</ac:structured-macro>)?"
)
"""Also between two parts of a page that stand on one line."""
_STYLES: Final = re.compile(rb"<style\b[^<>]{0,200}>(?:[^<]|<(?!/style)){0,200000}+</style>")
_LONGEST_BREAK: Final = 7
_TAGS: Final = re.compile(rb"<(?:br|BR|style|/?ac:|t[dh]|T[DH]|/p|/div|/h[1-6]|/li)")
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
            chunk = _lines_of_page(chunk, long, has_cells=has_tags and any(mark in chunk for mark in _CELLS))
        if chunk:
            yield chunk
    if held:
        yield _BREAK.sub(b"\n", held)


def _lines_of_page(chunk: bytes, long: LongLines, *, has_cells: bool) -> bytes:
    """Lines as a page shows them, without its styles."""
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


def looks_binary(head: bytes) -> bool:
    """Whether the first kilobytes hold more control bytes than any console log: a picture, a core, a device image."""
    sample = head[:8192]
    if not sample or _encoding(head) is not None:
        return False
    control = sum(sample.count(bytes([c])) for c in range(1, 32) if c not in (7, 8, 9, 10, 12, 13, 27))
    return control > len(sample) * 0.04 or sample.count(0) > len(sample) * 0.3


_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]{0,24}[ -/]{0,2}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78cDEHMNOZ])"
)
_SHOWN_CODES = re.compile(
    r"(?:#033|\^\[)(?:\[[0-9;?]{0,24}[A-Za-z]|\][^\^#]{0,256}(?:\^G|#007)|[()][A-Z0-9]|[=>])|\^\[$|#015$"
)
"""Terminal codes in letters, as an editor shows them and a system log stores them."""
SHOWN_CODES: Final = (b"#033[", b"^[[", b"#011")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]")
_TYPED = re.compile(r"(?P<back>\x08)|\x1b\[(?P<count>\d{0,4})(?P<move>[CDKP@])|\x1b\[[0-9;?]{0,24}[A-Za-z]")
_QUOTE = re.compile(r"(?:[ \t]{0,2}>){1,12}[ \t]?")
_TAG = re.compile(
    r"<title>[^<>]{0,200}</title>|</?(?:b|i|u|em|strong|font|span|p|br|pre|code|div|samp|tt|kbd|html|head|body|ul|ol|li"
    r"|section|article|table|thead|tbody|tr|th|td|details|(?:o|ac|ri):[a-z-]{1,40})(?: [^<>]{0,200})?/?>"
    r"|<!\[CDATA\[|\]\]>",
    re.IGNORECASE,
)
# Elements of a tool that end in themselves are no words of a heading.
_WEB_HEADING = re.compile(
    r"<(?P<of>h[1-6]|summary)(?: [^<>]{0,200})?>(?P<text>(?:(?!(?<!<br)(?<!<br )/>)[^\n]){1,200}?)</(?P=of)>",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"[ \t]{0,40}<(?P<of>[A-Za-z][\w.-]{0,40})"
    r"(?: (?P<named>[\w.:-]{1,40})=(?P<quote>[\"'])(?P<value>[^<>\"']{1,300})(?P=quote))?"
    r" ?>(?:(?P<text>[^<>]{1,300})</(?P=of)>)?(?:<!\[CDATA\[)?$"
)
_OF_NODES: Final = frozenset(("node", "host", "hostname", "nodename", "server", "machine"))
_OF_COMMANDS: Final = frozenset(("command", "cmd", "commandline", "output"))
_NAMING: Final = frozenset(("name", "hostname", "host", "node", "id"))
_TYPED_AS: Final = frozenset(("line", "command", "cmd", "name"))
_WIKI_HEADING = re.compile(r"h[1-6]\. \*?(?P<text>[A-Za-z][\w.-]{1,126}(?:: ?[\w/][^|{}\n]{1,200}?)?)\*?[ \t]{0,8}$")
"""A heading of a tracker that is one word, or has a command behind it."""
_FENCED = re.compile(
    r"(?P<open>`{3}(?=[^`\s])|\[code(?:=\w{1,16})?\]|\{code(?::[^{}\n]{1,120})?\}|\{noformat(?::[^{}\n]{1,120})?\})?"
    r"(?P<text>.*?)(?P<end>`{3}|\[/code\]|\{code\}|\{noformat\})?$",
    re.IGNORECASE,
)
_NAMED_FENCE = re.compile(r"[\[{]/?(?i:code|noformat)")
_BULLETIN = re.compile(r"\[/?(?:b|i|u|tt|color|size|font|url)(?:=[^\[\]]{1,60})?\]", re.IGNORECASE)
"""Marks of a forum around words of a line."""
_LANGUAGE = re.compile(
    r"`{3}(?:ba|z|k|c)?sh$|`{3}(?:console|text|txt|log|plain|plaintext|shell|output|terminal|none|yaml|json|xml)$"
)
"""A mark that says in which language the lines below it are."""
_TYPED_AT = re.compile(r"\*?(?P<name>[A-Za-z][\w.-]{1,126})\*?: ?\{\{(?P<command>[^{}]{2,300})\}\}$")
"""A node and its command, as people mark them in a tracker."""
_SPAN = re.compile(r"(?P<bar>`{1,2})(?P<text>[^`]{2,2000})(?P=bar)$")
_DASHED = re.compile(r"(?<=\s)[\u2013\u2014](?=[a-z][a-z-])")
_PLAIN: Final = {
    0xA0: " ", 0x2007: " ", 0x202F: " ", 0x3000: " ", 0x201C: '"', 0x201D: '"', 0x201E: '"', 0x2018: "'", 0x2019: "'",
    0x2013: "-", 0x2014: "-", 0x2010: "-", 0x2011: "-", 0x2212: "-",
}  # fmt: skip
"""What a rich text makes of blanks, quotes and dashes."""
_ESCAPED = re.compile(r"\\([_*\[\]#~`])")
_NOTE = re.compile(r"<{2,12}[ \t]*|[ \t]<-{1,40}[ \t]*|[ \t]<={2,40}[ \t]*")
_BOX: Final = "\u2502\u2503\u2551 "  # a terminal multiplexer's frame
_BARS: Final = frozenset(_BOX.strip())


_PRIORITY = re.compile(
    r"<\d{1,3}>(?:1 (?P<at>\d{4}-\S{10,40}) (?P<host>\S{1,255}) (?P<program>\S{1,48}) (?P<pid>\S{1,128}) \S{1,32}"
    r" (?:-|\[.{0,400}?\])(?: |$)|(?=[A-Z][a-z]{2} |\d{4}-|\[))"
)


def _without_priority(text: str) -> str:
    """A line of syslog without its priority, as relays and ``dmesg -r`` print it; one of RFC 5424 as a
    journal would.
    """
    match = _PRIORITY.match(text)
    if match is None or match["at"] is None:
        return text[match.end() :] if match else text
    pid = "" if match["pid"] == "-" else f"[{match['pid']}]"
    return f"{match['at']} {match['host']} {match['program']}{pid}: {text[match.end() :]}"


_EPOCHS: Final = ("1", "[1")
_EPOCH = re.compile(
    r"\[?(?P<seconds>1\d{9})(?:\.(?P<fraction>\d{1,6})\d{0,3})?\]? {1,2}"
    r"(?P<rest>(?:[A-Za-z][\w.-]{0,126} )?[A-Za-z][\w./@-]{0,63}(?:\[\d{1,10}\])?: \S)"
)


def _with_date(text: str) -> str:
    """A message of a log with a date where seconds since 1970 stand in front of it."""
    match = _EPOCH.match(text)
    if match is None:
        return text
    at = datetime.fromtimestamp(int(match["seconds"]), UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{at}.{(match['fraction'] or '0'):0<6}+00:00 {text[match.start('rest') :]}"


def clean(raw: str) -> tuple[str, int]:
    """Text without terminal codes, entities, web marks and quote marks; and how often it was quoted."""
    text = raw if raw.isascii() else _plain(raw)
    if "\x08" in text:
        text = _as_shown(text)
    if "\x1b" in text or "#0" in text or "^[" in text:
        text = _without_codes(text)
    if not text.isprintable():
        text = _CONTROL.sub("", text.replace("\t", "        ") if "\t" in text else text)
    if "&" in text and ";" in text:
        text = html.unescape(text).replace("\xa0", " ")
    if "<" in text and ">" in text:
        text = _without_tags(_without_priority(text))
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if text[-1:] in _FENCE_ENDS or text[:1] in _FENCE_STARTS:
        text = _without_fence(text)
    if text[:2].startswith(_EPOCHS):
        text = _with_date(text)
    if text[2:4] == ". " and (headed := _WIKI_HEADING.match(text)):
        text = f"=== {headed['text']} ==="
    quote = 0
    if text[:3].lstrip(" ").startswith(">") and (match := _QUOTE.match(text)):
        quote = match[0].count(">")
        text = text[match.end() :]
    return text.rstrip(), quote


def _without_codes(text: str) -> str:
    """A line without codes of a terminal, also where they stand in letters."""
    text = _ANSI.sub("", text)
    return _SHOWN_CODES.sub("", text).replace("#011", "        ") if "#0" in text or "^[" in text else text


def _without_tags(text: str) -> str:
    """A heading of a web page becomes one between marks, an element that tells a node or a command a line of its own
    words.
    """
    if "</" in text and ("</h" in text or "</H" in text or "</s" in text):
        text = _WEB_HEADING.sub(r"=== \g<text> ===", text)
    if (element := _ELEMENT.match(text)) is not None and (told := _told_by(element)):
        return told
    return _TAG.sub("", text)


def _told_by(element: re.Match[str]) -> str:
    """What an element with one attribute, or with a text alone, tells of what stands below: ``<node name="carp1">``."""
    of, named, said = element["of"].lower(), element["named"], element["text"]
    if (named is None) == (said is None):
        return ""
    value = html.unescape(element["value"] or said).strip()
    if of in _OF_NODES and (named is None or named.lower() in _NAMING):
        return f"Host: {value}"
    if of in _OF_COMMANDS and (named is None or named.lower() in _TYPED_AS):
        return f"Command: {value}"
    return ""


_FENCE_STARTS: Final = frozenset("`[{")
_FENCE_ENDS: Final = frozenset("`]}")


def _without_fence(text: str) -> str:
    """A line without the mark of a quoted output that stands on it with the first or the last of the output."""
    if text[-2:] == "}}" and (typed := _TYPED_AT.match(text.strip())) is not None:
        return f"{typed['name']}: {typed['command']}"
    if "`" not in text and "[/" not in text and _NAMED_FENCE.search(text) is None:
        return text
    body = text.strip()
    if "[/" in text:
        text = _BULLETIN.sub("", text)
        body = text.strip()
    if len(body) > LONGEST_FENCED or _LANGUAGE.match(body) is not None:
        return text
    if (span := _SPAN.match(body)) is not None:
        return span["text"]
    match = _FENCED.match(body)
    if match is None or not match["text"].strip() or not (match["open"] or match["end"]):
        return text
    return match["text"] if match["open"] else text[: text.rfind(match["end"])]


def _as_shown(text: str) -> str:
    """What a terminal shows of a line that was typed with corrections, or printed twice over itself."""
    shown: list[str] = []
    place, begin = 0, 0
    for match in _TYPED.finditer(text[:LONGEST_TYPED]):
        place = _put(shown, place, text[begin : match.start()])
        begin = match.end()
        count = min(int(match["count"] or 1), LONGEST_TYPED)
        if match["back"] or match["move"] == "D":
            place = max(place - (1 if match["back"] else count), 0)
        elif match["move"] == "C":
            place = min(place + count, len(shown))
        elif match["move"] == "P":
            del shown[place : place + count]
        elif match["move"] == "@":
            shown[place:place] = " " * min(count, LONGEST_TYPED - len(shown))
        elif match["move"] == "K":
            del shown[place:]
    _put(shown, place, text[begin:])
    return "".join(shown)


def _put(shown: list[str], place: int, text: str) -> int:
    """Letters on a line from a place on; what stands there is gone. The place behind them."""
    shown[place : place + len(text)] = text
    return place + len(text)


def _plain(text: str) -> str:
    """Blanks, quotes and dashes as they are typed, and no frame of a terminal multiplexer around the line."""
    text = _DASHED.sub("--", text).translate(_PLAIN)
    if text[:1] in _BARS:
        return text.strip(_BOX)
    return text.rstrip(_BOX) if text[-1:] in _BARS else text


def split_note(text: str) -> tuple[str, str]:
    """Cut off what a person wrote behind the data: ``<<< ...`` or an arrow. Numbers in it are never data."""
    if "<" not in text or (match := _NOTE.search(text)) is None:
        return text, ""
    if match.start() == 0 and text.endswith(">>"):
        return text, ""  # marks on both sides are those of a heading
    return text[: match.start()].rstrip(), text[match.end() :].strip()


def make_line(number: int, raw_bytes: bytes) -> Line:
    """Decode one line of a block; bytes that are no UTF-8 become a replacement mark."""
    raw = _decoded(raw_bytes)
    text, quote = clean(raw)
    body, note = split_note(text)
    if body[3:6] == "   " and (stamp := _WIDE_STAMP.match(body)) is not None:
        body = f"{stamp['month']} {stamp['day']:>2} {body[stamp.end() :]}"  # a tab, or a column that somebody aligned
    return Line(number, raw, body, note, quote)


_WIDE_STAMP: Final = re.compile(
    r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {3,12}(?P<day>[ \d]?\d) {1,12}(?=\d\d:\d\d:\d\d\b)"
)


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


def is_elision(text: str) -> bool:
    """Three or more dots, or a mark for left-out output, alone on the line."""
    stripped = text.strip()
    if not stripped or stripped[0] not in ".\u2026<[":
        return False
    return (set(stripped) <= {".", "\u2026"} and (len(stripped) > 2 or "\u2026" in stripped)) or stripped.lower() in (
        "<snip>",
        "[snip]",
    )


_PAGER = re.compile(
    r"Page \d{1,5} (?:of|/) \d{1,5}$"
    r"|--More--[ \t]?(?:\(\d{1,3}%\))?$|\(END\)$|lines \d{1,7}-\d{1,7}(?:/\d{1,7})?(?: \d{1,3}%| \(END\))?$"
)


_IDLE_PROMPT = re.compile(
    r"(?:\[[A-Za-z_][\w.-]{0,64}@[^\s\]]{1,128}(?: [^\]]{0,200})?\] ?[#$%]|-?(?:bash|sh|ksh)-[\d.]{1,8}[#$]"
    r"|[A-Za-z_][\w.-]{0,32}@[A-Za-z][\w.-]{0,126} ?(?::[^\s#$>]{0,200} ?|[~/][^\s#$>]{0,200} ?)?[#$>]"
    r"|[A-Za-z][\w.-]{0,126}(?:: ?[~/][^\s#$]{0,200} ?|: ?)?[#$]|\^[CDZ])$"
)


def is_pager(text: str) -> bool:
    """What ``more`` and ``less`` leave in a copied screen."""
    return text[:1] in ("-", "(", "l", "P") and len(text) < 60 and _PAGER.match(text.strip()) is not None


def is_left_on_screen(text: str) -> bool:
    """What a copied screen holds besides commands and their output: a prompt at which nothing was typed, the key that
    ended a command, what a pager, the journal, a playbook or a mail says of itself.
    """
    stripped = text.rstrip()
    is_idle = (
        stripped[-1:] in ("#", "$", "%", ">", "C", "D", "Z")
        and len(stripped) < 400
        and _IDLE_PROMPT.match(stripped.lstrip()) is not None
    )
    is_recap = text[-1:].isdigit() and " ok=" in text and _RECAP.match(text) is not None
    is_recap = is_recap or text.startswith(_OF_MAILS)
    return is_idle or is_recap or is_pager(text) or (text.startswith("-- ") and _OF_JOURNAL.match(stripped) is not None)


_OF_MAILS: Final = (
    "MIME-Version: ",
    "Content-Type: ",
    "Content-Transfer-Encoding: ",
    "Content-Disposition: ",
    "Content-Language: ",
    "Content-ID: ",
    "Message-ID: ",
    "Accept-Language: ",
    "In-Reply-To: ",
    "References: ",
    "Return-Path: ",
    "Thread-Topic: ",
    "Thread-Index: ",
    "X-Mailer: ",
    "X-MS-",
    "This is a multi-part message in MIME format",
)
"""What a mail says of its own parts."""
_RECAP = re.compile(r"[\w.-]{1,127} {1,60}: ok=\d{1,6} {1,8}changed=\d{1,6}(?: {1,8}[a-z]{4,12}=\d{1,6}){1,8}$")
"""How a playbook ended on a node."""
_OF_JOURNAL = re.compile(
    r"-- (?:(?:Logs begin|Journal begins) at (?!.{10,80}, ends? at ).{10,160}|No entries|Reboot|Boot [0-9a-f]{32}) --$"
)


_WORD = re.compile(
    r"(?<![^\s(\[\"'\u201c*])[A-Za-z\u00c0-\u024f][a-z\u00df-\u00ff]{0,24}(?:[-'\u2019][a-z\u00df-\u00ff]{1,20}){0,3}"
    r"(?=[.,;:!?)\]\"'\u201d*]{0,3}(?:\s|$))"
)
_GAP = re.compile(r" {2,400}")


# Figures, their units and the signs of a sum: in a whole sentence they speak neither for prose nor against it. A
# message has its time.
_FIGURE = re.compile(
    r"(?<!\S)[(~<>]{0,2}(?:\d[\d.,]{0,15}(?:[-/]\d[\d.,]{0,15})?[a-zA-Z%/]{0,8}|[*/+=\u00d7x-]"
    r"|[kKMGT]?i?[bB](?:/s)?)[).,;:]{0,3}(?!\S)"
)
_WHOLE = re.compile(r"[A-Z](?!.{0,60}\d\d:\d\d)[^|{}\[\]]{20,399}[a-z%)/]\.$")


_ADDRESSED: Final = (",", "!", "?")
_SALUTE = re.compile(r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{1,24}(?: [A-Za-z\u00c0-\u024f]{1,24}\.?){0,5} ?[,!?]{1,3}$")
"""How a letter begins and ends, or a short question: nothing that a tool prints."""


_CLOSING = re.compile(
    r"(?:(?:beste?|kind|warm|many|viele|freundliche|mit (?:freundlichen|besten)|sch\u00f6ne) )?"
    r"(?:regards|thanks|thank you|thx|cheers|greetings|mfg|vg|danke"
    r"|yours (?:faithfully|sincerely|truly)|(?:faithfully|sincerely|truly)(?: yours)?,? ?(?:etc\.?)?"
    r"|gr(?:uss|u\u00df|\u00fc\u00dfen?|\u00fcssen?|uessen?)|cordialement|merci|saludos|gracias|saluti)"
    r"(?: (?:a lot|in advance|much|again|everyone|all))?"
    r"(?:[,!. ]{1,3}[a-z][\w.-]{0,24}(?: [a-z][\w.-]{0,24})?)?[,!.]?$",
    re.IGNORECASE,
)
"""The last words of a letter, with a name behind them or without."""


def is_closing(text: str) -> bool:
    """Whether a line holds the last words of a letter: below them stands a name."""
    return len(text) < LONGEST_POST and _CLOSING.match(text.strip()) is not None


_ASKED = re.compile(
    r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff']{1,24}(?: [A-Za-z\u00c0-\u024f']{1,24}){0,7}[?!.]{1,3} {1,2}(?=\S)"
)
"""A short sentence in front of them."""
_FENCE = re.compile(
    r"(?:`{3,8}|~{3,8})[a-z]{0,16}$|\[/?(?:code|quote|pre)\]$|</?(?:pre|code|blockquote)>$"
    r"|\{(?:code|noformat|quote|panel)(?::[^{}]{0,200})?\}$",
    re.IGNORECASE,
)
"""A mark of Markdown, of a forum, of a tracker or of HTML before and behind a quoted output."""


def is_fence(text: str) -> bool:
    """A mark of Markdown, of a forum or of HTML before and behind a quoted output."""
    return _FENCE.match(text.strip()) is not None


_FOREIGN = re.compile(r"[\u0370-\u05ff\u0600-\u06ff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_FOREIGN_LETTERS: Final = 8


def _is_foreign_prose(head: str) -> bool:
    """A sentence in letters that are not Latin: many of them, and no columns."""
    foreign = len(_FOREIGN.findall(head))
    return foreign >= _FOREIGN_LETTERS and 5 * foreign >= 2 * sum(map(str.isalpha, head)) and _GAP.search(head) is None


def is_prose(text: str) -> bool:
    """A sentence of a person: mostly plain words, hardly any columns, no address. A row of a table is none, even if it
    holds words only.
    """
    head = text[:400].strip()
    if "0x" in head:
        return False
    if head[-1:] in _ADDRESSED and _SALUTE.match(head):
        return True
    if _CLOSING.match(head) or ((asked := _ASKED.match(head)) and _CLOSING.match(head, asked.end())):
        return True
    if not head.isascii() and _is_foreign_prose(head):
        return True
    words, parts = len(_WORD.findall(head)), len(head.split())
    if 3 * words < 2 * parts and _WHOLE.match(head):
        parts -= len(_FIGURE.findall(head))
    return words >= 4 and 3 * words >= 2 * parts and 5 * len(_GAP.findall(head)) <= words


_CAPTION = re.compile(
    r"(?:\((?=[^()]{6,80}\)$)[A-Z][a-z]{1,24}(?: [A-Za-z][a-z]{0,24}){1,8}\)"
    r"|[A-Z\u00c0-\u00de][A-Za-z'\u2019\u00df-\u00ff]{0,24}(?: [A-Za-z\u00c0-\u024f][\w'\u2019-]{0,24}){2,9} ?:)$"
)


def is_caption(text: str) -> bool:
    """What people write above an output: a few words and a colon, or in brackets. It holds no figure and no value."""
    head = text.strip()
    return (head[-1:] == ":" or head[:1] == "(") and len(head) < 120 and _CAPTION.match(head) is not None


_LONE_NAME = re.compile(r"[A-Za-z0-9][\w.-]{1,62}:[ \t]*$")


def is_lone_name(text: str) -> bool:
    """A word with its colon: above all output the name of a node whose first line is empty. Within one it may be what
    is left of a cut line.
    """
    return len(text) < 120 and _LONE_NAME.match(text) is not None


_RECORDED: Final = (
    "Script started on ",
    "Script done on ",
    "Script started, ",
    "Script done, ",
    "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log ",
)
_SESSION = re.compile(
    r"(?:logout|(?:Shared )?[Cc]onnection to [\w.:-]{1,128} closed\.|Last login: [A-Z][a-z]{2} .{8,120})\s{0,4}$"
)
"""What a session on another host prints as it begins and ends."""
_HEADING = re.compile(r"(?:#{2,6} [^\s#]|# [A-Z])")
_FIRST_OF_HEADINGS: Final = frozenset("hGHPRTSFdni-+")
_HEADING_OF_TOOL = re.compile(
    r"h[1-6]\. [A-Z][^|{}]{1,120}$"
    r"|(?:PLAY|TASK|PLAY RECAP|GATHERING FACTS|HANDLER|RUNNING HANDLER)(?: \[[^\n]{0,200}\])? \*{2,200}$"
    r"|Started on [\w.-]{1,127}\.\.\.$|(?:Successful|Failed) on \d{1,6} targets?: \S{1,2000}$"
    r"|Ran on \d{1,6} targets? in [\d.]{1,12} (?:sec|min)"
    r"|diff --git \S{1,400} \S{1,400}$|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}(?: \d{6})?$|new file mode \d{6}$"
    r"|(?:--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null))\S{0,400}$"
)
"""Of a tracker, of a playbook or a plan that runs its steps, of a difference between files."""
LONGEST_POST: Final = 160
PERSON: Final = r"[A-Z\u00c0-\u00de][\w.'\u2019-]{1,30}(?:,? [A-Z\u00c0-\u00de][\w.'\u2019-]{0,30}){1,3}"
POST_TIME: Final = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_POST = re.compile(
    rf"\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{2,4}},? {POST_TIME}(?: -| \||,)? {PERSON} \([A-Z][A-Za-z ]{{3,30}}\)$"
    rf"|\[?{POST_TIME}\]? {PERSON}$|{PERSON} {{1,4}}\[?(?:(?:[Tt]oday|[Yy]esterday)(?: at)? )?{POST_TIME}\]?$"
    rf"|{PERSON} (?:added a comment|commented|wrote)(?: -| on|,)? .{{0,10}}\d{{1,4}}[-./ ].{{4,24}}$"
)
"""Who wrote what follows, and when: in the history of a ticket, or in a chat."""


def is_heading(text: str) -> bool:
    """A heading of Markdown, as slides and articles have them, or the frame of a recorded session: no setting and no
    table.
    """
    is_of_tool = text[:1] in _FIRST_OF_HEADINGS and _HEADING_OF_TOOL.match(text) is not None
    is_of_tool = is_of_tool or (len(text) < LONGEST_POST and _POST.match(text) is not None)
    if text.startswith(_RECORDED) or _SESSION.match(text) or is_of_tool:
        return True
    match = _HEADING.match(text)
    words = text[match.end() - 1 :].split() if match else []
    if text.startswith("##") and len(words) == 1:
        return words[0].isalpha() and len(words[0]) > 3
    return (
        len(words) > 1
        and sum(any(c.isalpha() for c in word) and "=" not in word for word in words) >= 0.6 * len(words)
        and not text[-1].isdigit()
    )


_SHAPE = re.compile(r"0x[0-9A-Fa-f]+|\d[\d.,:]*|[0-9a-f]{8,}")


def line_shape(text: str) -> str:
    """The line with numbers and addresses blanked, at most 160 characters: what lines not understood are grouped by."""
    return _SHAPE.sub("#", text[:400].strip())[:160]


Owns = Callable[[str, str], bool]
