"""I/O history of Spectrum Scale: ``mmdiag --iohist``, ``mmdiag --iohist verbose``, ``mmfsadm dump iohist``, and pastes of them.

    === mmdiag: iohist ===
    I/O history:
     I/O start time RW    Buf type disk:sectorNum     nSec  time ms      Type  Device/NSD ID        NSD node
    --------------- -- ----------- ----------------- -----  -------      ---- ------------------ -----------
    09:12:44.107812  W        data    3:13762240        64    0.757       cli  0A14030B:5E4C4BB8   10.20.3.11
    09:12:44.108101  R       inode   12:96898064         8    6.437       srv               dm-3

    I/O start time RW    Buf type disk:sectorNum  nSec  time ms  tag1  tag2           Disk UID typ  NSD node   context   thread
    09:12:44.107812  W data 3:13762240 64 0,757 31507 7864 0A14030B:5E4C4BB8 cli 10.20.3.11 MBHandler AioWorkerThread

Yields ``DiskIo``, a row per request (count 1): start as time of day of that node, dated where the dump is; bytes from sectors of 512; milliseconds.
The layout follows from what stands behind the time: two numbers (tags), or the type. Tolerated: no header, cut ids and threads, a letter O for a
digit 0 in ids, decimal commas, tabs, an empty NSD node, node prefixes, rows that a mail parted. Source: IBM Storage Scale documentation, mmdiag; releases 3.4 to 5.2.
"""  # noqa: E501  the sample shows lines as long as they are printed

from __future__ import annotations

import operator
import re
from typing import Any, Final

from parsers.dataclass import dataclass
from parsers.headings.transcript import match_mark
from parsers.lookup import claimed
from parsers.output import Output
from parsers.records import DAY_US, DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Patience, Row, Stretch
from parsers.text import Line
from parsers.times.clock import Instant, time_of_day

SECTOR_BYTES: Final = 512
SOURCE: Final = "iohist"
_LATE_US: Final = 3_600_000_000
_NODE: Final = r"(?:[A-Za-z0-9][\w.-]{0,252}:[ \t]{1,4})?"
_START: Final = (
    r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d[.,]\d{6}[ \t]{1,9}[RW][ \t]{1,24}[A-Za-z][\w-]{0,30}[ "
    r"\t]{1,24}-?\d{1,9}:\d{1,18}"
)
_HEADER: Final = r"I/O start time[ \t]{1,8}RW\b"
CLAIM: Final = rf"{_NODE}(?:I/O history:|{_HEADER}|{_START}[ \t])"
_OWNS = re.compile(rf"{CLAIM}|-{{9,20}}[ \t]{{1,4}}-|{_NODE}{_START}$")
_ROW = re.compile(
    r"(?:(?P<node>[A-Za-z0-9][\w.-]{0,252}): {1,4})? {0,24}(?P<time>\d\d:\d\d:\d\d)[.,](?P<us>\d{6}) {1,40}(?P<op>[RW])"
    r" {1,40}(?P<buf>[A-Za-z][\w-]{0,30}) {1,40}(?P<disk>-?\d{1,9}):(?P<sector>\d{1,18}) {1,40}(?P<nsec>\d{1,9})"
    r" {1,40}(?P<ms>\d{1,12}[.,]\d{1,6})(?: {1,40}(?P<rest>\S.{0,400}))?$"
)
_TITLE = re.compile(rf"{_NODE}(?:I/O history:|I/O start time|-{{9}})")
_WRAPPED_TITLE = re.compile(
    r"[\w/ ]{0,40}\b(?:NSD node|NSD ID|context|thread)[\w/ ]{0,40}$|-{1,20}(?: {1,8}-{1,20}){0,8}$"
)
_WRAP_COLUMNS: Final = 70
_TERMINAL: Final = 80
_REST_WORDS: Final = 7
_UID = re.compile(r"[0-9A-FOa-fo]{8}:[0-9A-FOa-fo]{3,8}$")
_INTEGER = re.compile(r"-?\d{1,18}$")
_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}$|(?=[^:]{0,4}:[^:]{0,4}:)[0-9A-Fa-f:.]{3,45}$")
_TYPE = re.compile(r"[a-z]{2,6}\d?$")
_HEAD_ALONE = re.compile(rf"{_START} {{1,40}}\d{{1,9}}$")
_TIMED = re.compile(r"\d{1,12}[.,]\d{1,6}(?: {1,40}\S|$)")
_OPS: Final = {"R": "read", "W": "write"}
_ZERO: Final = str.maketrans("Oo", "00")

_BLANK: Final = rb" {1,24}"
_HEAD: Final = (
    rb"(?:([A-Za-z0-9][\w.-]{0,252}): {1,4})? {0,24}((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)\.(\d{6})"
    + _BLANK
    + rb"([RW])"
    + _BLANK
    + rb"([A-Za-z][\w-]{0,30})"
    + _BLANK
    + rb"(-?\d{1,9}):(\d{1,18})"
    + _BLANK
    + rb"(\d{1,9})"
    + _BLANK
    + rb"(\d{1,12}\.\d{1,6})"
    + _BLANK
)
_IP: Final = rb"((?:\d{1,3}\.){3}\d{1,3})"
_PLAIN_UID: Final = rb"([0-9A-F]{8}:[0-9A-F]{8})"
_TAGS_FIRST: Final = (
    _HEAD
    + rb"(-?\d{1,18})"
    + _BLANK
    + rb"(-?\d{1,18})"
    + _BLANK
    + _PLAIN_UID
    + _BLANK
    + rb"([a-z]{3})"
    + _BLANK
    + rb"(?:"
    + _IP
    + _BLANK
    + rb")?([A-Za-z]\w{0,60})"
    + _BLANK
    + rb"([A-Za-z]\w{0,60}) {0,24}"
)
_TYPE_FIRST: Final = (
    _HEAD
    + rb"([a-z]{3})"
    + _BLANK
    + rb"([0-9A-F]{8}:[0-9A-F]{8}|[a-z][\w/-]{0,60})(?:"
    + _BLANK
    + _IP
    + rb")?(?:"
    + _BLANK
    + rb"(-?\d{1,18})"
    + _BLANK
    + rb"(-?\d{1,18})"
    + _BLANK
    + rb"([A-Za-z]\w{0,60})"
    + _BLANK
    + rb"([A-Za-z]\w{0,60}))? {0,24}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What stands behind the time of a request."""

    tag1: int | None = None
    tag2: int | None = None
    where: str | None = None
    device: str | None = None
    peer: str | None = None
    context: str | None = None
    thread: str | None = None


def device_name(text: str) -> str:
    """A disk id in capitals, with zeros where a scan read the letter; a device name as it is."""
    return text.translate(_ZERO).upper() if _UID.match(text) else text


def read_tail(text: str) -> Tail:
    """Columns behind the time, told apart by what they hold."""
    words = text.split()
    tags: list[int] = []
    if len(words) > 1 and _INTEGER.match(words[0]) and _INTEGER.match(words[1]):
        tags, words = [int(words[0]), int(words[1])], words[2:]
        where, device, words = _place(words)
        peer, words = (words[0], words[1:]) if words and _ADDRESS.match(words[0]) else (None, words)
    else:
        where, device, words = _place(words)
        peer, words = (words[0], words[1:]) if words and not _INTEGER.match(words[0]) else (None, words)
        if len(words) > 1 and _INTEGER.match(words[0]) and _INTEGER.match(words[1]):
            tags, words = [int(words[0]), int(words[1])], words[2:]
    words = [*words[:2], "", ""]
    return Tail(
        tag1=tags[0] if tags else None,
        tag2=tags[1] if tags else None,
        where=where,
        device=device,
        peer=None if peer == "-" else peer,
        context=words[0] or None,
        thread=words[1] or None,
    )


def _place(words: list[str]) -> tuple[str | None, str | None, list[str]]:
    """Type and disk in either order, and the words behind them."""
    where = device = None
    while words and (where is None or device is None):
        word = words[0]
        if _UID.match(word) and device is None:
            device = device_name(word)
        elif where is None and _TYPE.match(word):
            where = word
        elif where is not None and device is None and not _INTEGER.match(word) and not _ADDRESS.match(word):
            device = word
        else:
            break
        words = words[1:]
    return where, device, words


def _owns(text: str, before: str) -> bool:
    return _OWNS.match(text.lstrip()) is not None or _wrapped_title(text, before)


def _wrapped_title(text: str, before: str) -> bool:
    """What a terminal of 80 columns left of the titles for the next line."""
    above = before.lstrip()
    return (
        len(before) >= _WRAP_COLUMNS
        and _TITLE.match(above) is not None
        and _WRAPPED_TITLE.match(text.strip()) is not None
    )


class _History:
    """The rows of one section."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        state = section.state
        self._capture: int | None = state.setdefault("capture", section.at)
        self._tods: dict[bytes, int] = {}
        self._names: dict[bytes, str | None] = {b"": None}
        self.tags_first = bool(state.get("tags_first", False))

    def start(self, tod: int) -> int:
        """The time of day with its date, where the dump has one: the last such time before it."""
        capture = self._capture
        if capture is None or capture < DAY_US:
            return tod
        at = capture - capture % DAY_US + tod
        return at - DAY_US if at > capture + _LATE_US else at

    def _stamp(self, us: int) -> None:
        if self._capture is None:
            self._section.stamp(Instant(us, resolution_us=1))

    def add(self, line: int, match: re.Match[str], tod: int) -> None:
        """One request the slow way."""
        tail = read_tail(match["rest"] or "")
        at = self.start(tod + int(match["us"]))
        self._stamp(at)
        if tail.where is not None:
            self.tags_first = self._section.state["tags_first"] = tail.tag1 is not None and not _TYPE.match(
                match["rest"].split()[0]
            )
        ms = float(match["ms"].replace(",", "."))
        self._section.add(
            DiskIo,
            line,
            node=match["node"] or self._section.node,
            at=at,
            source=SOURCE,
            device=tail.device,
            op=_OPS[match["op"]],
            count=1,
            bytes=float(int(match["nsec"]) * SECTOR_BYTES),
            mean_ms=ms,
            what=match["buf"],
            where=tail.where,
            peer=tail.peer,
            disk_number=int(match["disk"]),
            sector=int(match["sector"]),
            tag1=tail.tag1,
            tag2=tail.tag2,
            context=tail.context,
            thread=tail.thread,
        )

    def extend(self, first: int, rows: list[Row], *, is_few: bool = False) -> None:
        """Many requests of one layout. is_few: of each the time tells when the dump was taken."""
        columns = list(zip(*rows, strict=True))
        node, clock, us, op, buf, disk, sector, nsec, ms = columns[:9]
        if self.tags_first:
            tag1, tag2, device, where, peer, context, thread = columns[9:]
        else:
            where, device, peer, tag1, tag2, context, thread = columns[9:]
        at = list(map(operator.add, self._seconds(clock), map(int, us)))
        for us in at if is_few and self._capture is None else (at[0], at[-1]):
            self._stamp(us)
        own = self._section.node
        self._out.extend(
            DiskIo,
            line=range(first, first + len(rows)),
            node=[name or own for name in self._texts(node)] if any(node) else own,
            at=at,
            zone_min=self._section.zone_min,
            source=SOURCE,
            device=self._texts(device),
            op=["read" if one == b"R" else "write" for one in op],
            count=1,
            bytes=_sizes(nsec),
            mean_ms=list(map(float, ms)),
            what=self._texts(buf),
            where=self._texts(where),
            peer=self._texts(peer),
            disk_number=list(map(int, disk)),
            sector=list(map(int, sector)),
            tag1=_numbers(tag1),
            tag2=_numbers(tag2),
            context=self._texts(context),
            thread=self._texts(thread),
        )

    def _seconds(self, texts: tuple[bytes, ...]) -> list[int]:
        tods = self._tods
        if new := set(texts).difference(tods):
            tods |= {text: self.start(time_of_day(text.decode()) or 0) for text in new}  # at most 86 400 of them
        return list(map(tods.__getitem__, texts))

    def _texts(self, texts: tuple[bytes, ...]) -> list[str | None]:
        names = self._names
        if len(names) > 100_000:
            names.clear()
            names[b""] = None
        if new := set(texts).difference(names):
            names |= {text: text.decode() for text in new}
        return list(map(names.__getitem__, texts))


def _sizes(texts: tuple[bytes, ...]) -> list[float]:
    sizes = {text: float(int(text) * SECTOR_BYTES) for text in set(texts)}
    return list(map(sizes.__getitem__, texts))


def _numbers(texts: tuple[bytes, ...]) -> list[Any]:
    return [int(text) if text else None for text in texts] if b"" in texts else list(map(int, texts))


def _with_rest(section: OpenSection, line: Line, text: str) -> re.Match[str] | None:
    """The row with its last columns, where a terminal of 80 columns left them to the next line; a blank at its edge may
    be lost.
    """
    if len(line.raw) < _WRAP_COLUMNS or (below := section.peek()) is None:
        return None
    rest, width = below.text.strip(), len(line.raw)
    if _ADDRESS.match(rest):
        joined = _ROW.match(f"{text} {rest}")
    elif width in (_TERMINAL - 1, _TERMINAL) and _is_rest(rest):
        parted = width < _TERMINAL or line.raw[-1:].isspace() or below.text[:1].isspace()
        joined = _ROW.match(f"{text}{' ' if parted else ''}{rest}")
    else:
        return None
    if joined is not None:
        section.beyond()
    return joined


def _parted(section: OpenSection, text: str) -> re.Match[str] | None:
    """A row that a mail parted in front of its milliseconds."""
    if _HEAD_ALONE.match(text) is None or (below := section.peek()) is None:
        return None
    rest = below.text.strip().replace("\t", " ")
    joined = _ROW.match(f"{text} {rest}") if _TIMED.match(rest) else None
    if joined is not None:
        section.beyond()
    return joined


def _is_rest(text: str) -> bool:
    """Whether words can be the last columns of a row, and no line of their own."""
    return (
        len(text.split()) <= _REST_WORDS
        and _OWNS.match(text) is None
        and claimed(text) is None
        and match_mark(text) is None
    )


@parser(
    "scale_iohist",
    version=4,
    product="spectrum-scale",
    claims=CLAIM,
    owns=_owns,
    commands=("mmdiag", "mmfsadm", "mmdsh"),
)
def scale_iohist(section: OpenSection, out: Output) -> None:
    """``mmdiag --iohist``: the last I/O requests of a node."""
    history, patience, of_few = _History(section, out), Patience(), Patience()
    stretches = {True: Stretch(_TAGS_FIRST), False: Stretch(_TYPE_FIRST)}
    for line in section:
        text = line.text.strip().replace("\t", " ")
        match = _ROW.match(text) or _parted(section, text)
        tod = time_of_day(match["time"]) if match else None
        if match is None or tod is None:
            if _TITLE.match(text) or _WRAPPED_TITLE.match(text):
                out.ignore()
            else:
                out.skip(line, "no request with its time and size")
            continue
        history.add(line.number, _with_rest(section, line, text) or match, tod)
        for first, rows in patience.stretches(section, lambda own: stretches[history.tags_first].take(own)):
            history.extend(first, rows)
        for first, rows in of_few.stretches(section, lambda own: stretches[history.tags_first].take_few(own)):
            history.extend(first, rows, is_few=True)
