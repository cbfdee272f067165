"""Rows of the inode report (``vxfsstat -i``, also what is printed without an option) and the buffer report (``-b``).

    Lookup, DNLC & Directory Cache Statistics
        41207 total lookups             0.00% fast lookup
    inode cache statistics
       281604 inodes current    296110 peak               300032 maximum
        41733 lookups           100.00% hit rate
          517 sec recycle age [not limited by maximum]
    buffer cache statistics
        52736 Kbyte current    281600 maximum

A number stands before its label. Titles tell the two ``lookups`` and ``recycle age`` apart. A rate over nothing has no
value: where the count beside it is 0 the value is None. No parser of its own: ``vxfsstat`` reads these rows, since both
reports share one header.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass

TITLE: Final = r"(?:Lookup, DNLC (?:&|and) Directory Cache Statistics|(?:inode|buffer) cache statistics)"
ROW: Final = (
    r"\d{1,20}\s{1,8}(?:maximum entries in dnlc|total (?:lookups|dnlc lookup|enter|dircache setup|directory scan)"
    r"|inodes (?:current|alloced)|lookups\s{1,20}[\d.]{1,12}%|sec (?:recycle|free) age|Kbyte current)"
)
_TITLES = re.compile(rf"({TITLE})", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,9})?%?$")
NOT_LIMITED: Final = "recycle age not limited by maximum"


@dataclass(frozen=True, slots=True)
class _Label:
    """What a label means in one report. ``of`` names the count that a rate is taken over."""

    name: str
    unit: str = ""
    gauge: bool = False
    of: str | None = None


def _rate(name: str, of: str, unit: str = "%") -> _Label:
    return _Label(name, unit, True, of)


_INODE: Final = {
    "maximum entries in dnlc": _Label("maximum entries in dnlc", "entries", True),
    "total lookups": _Label("total lookups"),
    "fast lookup": _rate("fast lookup", "total lookups"),
    "total dnlc lookup": _Label("total dnlc lookup"),
    "dnlc hit rate": _rate("dnlc hit rate", "total dnlc lookup"),
    "total enter": _Label("total enter"),
    "hit per enter": _rate("hit per enter", "total enter", ""),
    "total dircache setup": _Label("total dircache setup"),
    "calls per setup": _rate("calls per setup", "total dircache setup", ""),
    "total directory scan": _Label("total directory scan"),
    "fast directory scan": _rate("fast directory scan", "total directory scan"),
    "inodes current": _Label("inodes current", "inodes", True),
    "peak": _Label("inodes peak", "inodes", True),
    "maximum": _Label("inodes maximum", "inodes", True),
    "lookups": _Label("lookups"),
    "hit rate": _rate("hit rate", "lookups"),
    "inodes alloced": _Label("inodes alloced", "inodes"),
    "freed": _Label("inodes freed", "inodes"),
    "sec recycle age": _Label("recycle age", "s", True),
    "sec free age": _Label("free age", "s", True),
}
_BUFFER: Final = {
    "Kbyte current": _Label("Kbyte current", "Kbyte", True),
    "maximum": _Label("Kbyte maximum", "Kbyte", True),
    "lookups": _Label("lookups"),
    "hit rate": _rate("hit rate", "lookups"),
    "sec recycle age": _Label("recycle age", "s", True),
}
_REPORTS: Final = {"vxfsstat -i": _INODE, "vxfsstat -b": _BUFFER}


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of the report; ``gauge`` is False for what a delta sample differences."""

    source: str
    name: str
    unit: str
    gauge: bool
    value: float | None


class ReportReader:
    """Reads rows one after the other; remembers which title stands above and the counts that rates are taken over."""

    def __init__(self) -> None:
        self._source: str | None = None
        self._counts: dict[tuple[str, str], float] = {}

    def new_sample(self) -> None:
        """Another sample begins."""
        self._source = None
        self._counts = {}

    def read(self, text: str) -> tuple[list[Cell], bool]:
        """Cells of a line, which may be a whole report flattened onto it; and whether all of it was understood."""
        cells: list[Cell] = []
        whole = True
        for part in _TITLES.split(text):
            if _TITLES.fullmatch(part):
                self._source = "vxfsstat -b" if part.lower().startswith("buffer") else "vxfsstat -i"
            elif part.strip():
                whole = self._rows(part, cells) and whole
        return cells, whole

    def _rows(self, text: str, cells: list[Cell]) -> bool:
        whole = True
        for number, label in _numbered(text):
            remark = label.partition("[")
            words = remark[0].strip()
            known = self._known(words)
            if not number or known is None or self._source is None:
                whole = False
                continue
            cells.append(self._cell(number, known))
            if known.name == "recycle age":
                cells.append(Cell(self._source, NOT_LIMITED, "", True, int("not limited" in remark[2])))
        return whole

    def _known(self, label: str) -> _Label | None:
        """The meaning of a label; one that only one report prints tells which report this is."""
        inode, buffer = _INODE.get(label), _BUFFER.get(label)
        if inode is not None and buffer is None:
            self._source = "vxfsstat -i"
        elif buffer is not None and inode is None:
            self._source = "vxfsstat -b"
        return _REPORTS[self._source].get(label) if self._source else None

    def _cell(self, number: str, label: _Label) -> Cell:
        source = self._source or ""
        value: float | None = int(number) if number.isdigit() else float(number.rstrip("%"))
        if label.of is not None and not self._counts.get((source, label.of)):
            value = None
        elif value is not None:
            self._counts[source, label.name] = value
        return Cell(source, label.name, label.unit, label.gauge, value)


def _numbered(text: str) -> list[tuple[str, str]]:
    """``12 lookups 100.00% hit rate`` as [("12", "lookups"), ("100.00%", "hit rate")]; a label in front has
    no number.
    """
    found: list[tuple[str, list[str]]] = []
    for word in text.split():
        if _NUMBER.match(word):
            found.append((word, []))
        elif found:
            found[-1][1].append(word)
        else:
            found.append(("", [word]))
    return [(number, " ".join(words)) for number, words in found]


@dataclass(frozen=True, slots=True)
class Report:
    """How the reports of a recording that differ in their digits alone are read at once.

    pattern: the whole report, with a group for each number. cells, lines: what is read, and in which line of the report
    each stands. rates: of each cell its group, 0 where its value is that of the cell; and of a rate the place of the
    count that it is taken over, -1 where that is not there.
    """

    pattern: re.Pattern[bytes]
    cells: list[Cell]
    lines: list[int]
    rates: list[tuple[int, int | None]]

    def values(self, body: bytes) -> list[float | None] | None:
        """In the order of the cells; None where the report is another one."""
        match = self.pattern.match(body)
        if match is None:
            return None
        found: list[float | None] = []
        for (group, count), cell in zip(self.rates, self.cells, strict=True):
            if not group:
                found.append(cell.value)
            elif count is not None and (count < 0 or not found[count]):
                found.append(None)
            else:
                number = match[group]
                found.append(int(number) if number.isdigit() else float(number.rstrip(b"%")))
        return found


def learn_report(body: bytes) -> Report | None:
    """How a report like this one is read; None where it holds anything but whole rows and titles of their own."""
    reader = ReportReader()
    tokens: list[bytes] = []
    rows: list[tuple[int, list[Cell]]] = []
    for number, line in enumerate(body.decode("ascii").split("\n")[:-1], 1):
        text = line.strip()
        is_title = _TITLES.fullmatch(text) is not None
        found, is_whole = reader.read(text)
        if not is_whole or (text and _OWN.match(text) is None) or (not is_title and _TITLES.search(text)):
            return None
        tokens += [_token(word, is_title=is_title) for word in text.split()]
        rows.append((number, found))
    cells = [cell for _, found in rows for cell in found]
    rates = _rates(cells)
    pattern = re.compile(rb"\s*" + rb"\s+".join(tokens) + rb"\s*\Z")
    if not cells or rates is None or pattern.groups != sum(group > 0 for group, _ in rates):
        return None
    return Report(pattern, cells, [number for number, found in rows for _ in found], rates)


def _rates(cells: list[Cell]) -> list[tuple[int, int | None]] | None:
    """Where the number of each cell stands and the count that it is taken over; None where one is there twice."""
    labels = {(source, label.name): label for source, known in _REPORTS.items() for label in known.values()}
    places: dict[tuple[str, str], int] = {}
    rates: list[tuple[int, int | None]] = []
    group = 0
    for place, cell in enumerate(cells):
        label = labels.get((cell.source, cell.name))
        if places.setdefault((cell.source, cell.name), place) != place:
            return None
        group += label is not None
        of = label.of if label is not None else None
        rates.append((group if label is not None else 0, None if of is None else places.get((cell.source, of), -1)))
    return rates


def _token(word: str, *, is_title: bool) -> bytes:
    """A word of a report in a pattern; digits of a number do not matter."""
    if is_title or not _NUMBER.match(word):
        return re.escape(word.encode("ascii"))
    fraction = rb"\.\d{1,9}" if "." in word else b""
    return rb"(\d{1,20}%s%s)" % (fraction, b"%" if word.endswith("%") else b"")


_OWN = re.compile(rf"(?:(?i:{TITLE})$|{ROW})")
