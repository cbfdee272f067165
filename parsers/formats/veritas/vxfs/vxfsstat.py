"""``vxfsstat`` of Veritas File System: counters of a node (``-v``), of a cluster mount (``-s``), inode and buffer
caches (``-i``, ``-b``).

    gannet1# vxfsstat -s -t 10 /media/
    09:14:05.833 Thu 21 Mar 2024 09:14:05 AM CET -- delta (10.000 sec sample)
    vxi_hlockgrant                    0    vxi_hlockrevoke               38117
    vxi_masterless_locks              2    vxi_normalize_locks
          0

Yields ``Counter``. Counters of an absolute sample are cumulative, of a delta sample the difference over ``interval_s``;
levels and ages are gauges in both. ``at`` is the end of the interval, in the zone printed. ``-s`` speaks of one mount,
the others of the node. Without a header (``| grep``) the first reading is cumulative at the time known from above;
later ones have no time.

Tolerated: rows filtered or left out (said in ``filtered`` and ``zero_filter``), values wrapped to the next line, any
number of pairs per line, whole samples flattened onto one line, a cut or damaged header (its rows are skipped), names
never seen before. Source: vxfsstat(1M) of VxFS 4.1 to 7.4; layouts of Linux, Solaris and HP-UX.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.veritas.vxfs import vxfsstat_inode
from parsers.formats.veritas.vxfs.vxfsstat_bulk import Bulk
from parsers.formats.veritas.vxfs.vxfsstat_header import HEADER, Stamp, looks_like_stamp, match_stamp, parse_invocation
from parsers.formats.veritas.vxfs.vxfsstat_names import differenced, is_gauge, row_source, unit_of
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.prose.claims import REMARK
from parsers.records import DAY_US, Claim, Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_PAIRS: Final = r"vxi_[a-z0-9_]{1,60}\s{1,400}(?:\|\s{0,20})?-?\d"
_PAIR = re.compile(r"(?<!\S)(vxi_[a-z0-9_]{1,60})\s{1,400}(-?\d{1,20})(?!\S)")
_NAME = re.compile(r"vxi_[a-z0-9_]{1,60}")
_OWNED = re.compile(rf"(?:{_PAIRS}|vxi_[a-z0-9_]{{1,60}}$|{HEADER}|(?i:{vxfsstat_inode.TITLE})|{vxfsstat_inode.ROW})")
_HEADER_REST = re.compile(
    r"-- (?:absolute|delta\b)|\d sec sample\)|\d:\d\d:\d\d\S{0,6} .{1,60} --"
)  # what is left of a damaged header
_CLAIMED = re.compile(r"(?<![\w.])(\d{3,15})(?![\w.%])")
_BULK_FROM: Final = (
    12  # a recording, no article: below it every line is seen one by one, so that repeated pages are found
)


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNED.match(text.lstrip()) is not None or _HEADER_REST.search(text[:200]) is not None


@dataclass(slots=True)
class _Sample:
    """Rows since a header, or since a reading without one began."""

    line: int
    at: int | None
    zone_min: int | None = None
    interval_s: float | None = None
    is_delta: bool = False
    elided: bool = False
    lines: list[int] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    gauges: list[bool] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)


class _Reading:
    """What is known while a section is read; lives in its state, so that a stray line does not end a sample."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self.section = section
        self.out = out
        self.call = parse_invocation(section.command)
        self.report = vxfsstat_inode.ReportReader()
        self.sample: _Sample | None = None
        self.lost_header = False
        self.samples = 0
        self.levels: dict[str, float] = {}
        self.clock_warned = False
        self.bulk = Bulk(self.call, self.levels)

    def line(self, line: Line) -> None:
        """Read one line."""
        text = line.text.strip()
        if is_elision(text):
            self.out.ignore()
            if self.sample is not None:
                self.sample.elided = True
        elif looks_like_stamp(text) or ("vxi_" not in text and _HEADER_REST.search(text[:200])):
            self._header(line, text)
        else:
            self._rows(line, text)
            if line.note:
                self._note(line)

    def _note(self, line: Line) -> None:
        """Figures that somebody wrote behind a row: a claim about it, never data."""
        for match in _CLAIMED.finditer(line.note[:400]):
            self.out.add(
                Claim(line=line.number, speaker="author", what=REMARK, value=float(match[1]), text=line.note[:400])
            )

    def flush(self, end: int | None = None) -> None:
        """Hand over the rows gathered; the sample goes on if more rows follow. ``end`` is its last line where the next
        header is known.
        """
        sample = self.sample
        if sample is None or not sample.names:
            return
        kinds = self._kinds(sample)
        call = self.call
        scoped = [call.mount if source == "vxfsstat -s" else None for source in sample.sources]
        self.out.extend(
            Counter,
            line=sample.lines,
            node=self.section.node,
            scope=scoped,
            source=sample.sources,
            name=sample.names,
            kind=kinds,
            unit=sample.units,
            value=sample.values,
            at=sample.at,
            zone_min=sample.zone_min,
            interval_s=sample.interval_s,
            sample=sample.line,
            filtered=call.filtered or sample.elided,
            zero_filter=call.zero_filter and not sample.elided,
        )
        if sample.at is not None and sample.at >= DAY_US:
            last = end or sample.lines[-1] if self.samples > _BULK_FROM else None
            self.section.seen((call.mount, sample.at, sample.interval_s, tuple(sample.values)), sample.line, last)
        for column in (sample.lines, sample.sources, sample.names, sample.values, sample.units, sample.gauges):
            column.clear()

    # headers

    def _header(self, line: Line, text: str) -> None:
        stamp = match_stamp(text)
        self.flush(line.number - 1)
        if stamp is None:
            self.sample, self.lost_header = None, True
            self.out.skip(line, "the sample header is damaged: its rows can't be read")
            return
        self._begin(line.number, stamp)
        rest = text[stamp.length :].strip()
        if rest:
            self._flattened(line, rest)
        elif self.samples > _BULK_FROM and self.sample is not None and not self.lost_header:
            self._take_bulk(line, stamp)

    def _begin(self, line: int, stamp: Stamp) -> None:
        self.lost_header = False
        self.samples += 1
        self.report.new_sample()
        self.sample = _Sample(line, stamp.instant.us, stamp.instant.zone_min, stamp.interval_s, stamp.is_delta)
        if stamp.instant.dated or self.section.at is None:
            self.section.stamp(stamp.instant)
        if stamp.second_clock and not self.clock_warned:
            self.clock_warned = True
            self.out.problem(
                line,
                f"The sample header gives two times that differ: the leading clock is used, not {stamp.second_clock}.",
            )

    def _flattened(self, line: Line, rest: str) -> None:
        """A sample copied onto one line; another header may follow on the same line."""
        start = 0
        for match in _INNER_HEADER.finditer(rest):
            self._rows(line, rest[start : match.start()])
            self.flush()
            if (stamp := match_stamp(rest[match.start() :])) is not None:
                self._begin(line.number, stamp)
                start = match.start() + stamp.length
        self._rows(line, rest[start:])

    def _take_bulk(self, line: Line, stamp: Stamp) -> None:
        """Whole samples at once, as long as they hold nothing but rows."""
        last = self.bulk.take(self.section, self.out, stamp, line.number)
        if last is not None:
            header_line, stamp = last
            self._begin(header_line, stamp)

    # rows

    def _rows(self, line: Line, text: str) -> None:
        if self.lost_header:
            self.out.skip(line, "its sample header is damaged")
            return
        if "vxi_" in text:
            self._pairs(line, text.replace("|", " ").replace("**", ""))
            return
        cells, whole = self.report.read(text)
        for cell in cells:
            self._put(line.number, cell.source, cell.name, cell.value, cell.unit, gauge=cell.gauge)
        if not whole:
            self.out.skip(line, "a row of the cache report with an unknown label")

    def _pairs(self, line: Line, text: str) -> None:
        for name, value in _PAIR.findall(text):
            self._counter(line.number, name, value)
        rest = _PAIR.sub("", text).strip()
        if rest and not self._wrapped(line.number, text, rest):
            self.out.skip(line, "part of the row is no pair of a name and a value")

    def _wrapped(self, number: int, text: str, rest: str) -> bool:
        """A row that ends in a bare name, with the value alone on the next line that is not blank."""
        if _NAME.fullmatch(rest) is None or not text.endswith(rest):
            return False
        following = self.section.peek()
        if following is not None and not following.text.strip():
            self.section.beyond()
            self.out.ignore()
            following = self.section.peek()
        digits = following.text.strip() if following is not None else ""
        if not digits.isdecimal() or not digits.isascii() or len(digits) > 20:
            return False
        self.section.beyond()
        self._counter(number, rest, digits)
        return True

    def _counter(self, line: int, name: str, digits: str) -> None:
        self._put(line, self.call.source or row_source(name), name, int(digits), unit_of(name), gauge=is_gauge(name))

    def _put(self, line: int, source: str, name: str, value: float | None, unit: str, *, gauge: bool) -> None:
        sample = self._sample_for(line, source, name)
        sample.seen.add((source, name))
        sample.lines.append(line)
        sample.sources.append(source)
        sample.names.append(name)
        sample.values.append(value)
        sample.units.append(unit)
        sample.gauges.append(gauge)

    def _sample_for(self, line: int, source: str, name: str) -> _Sample:
        """The open sample, or a new one where none is open or the name was there already: its header is not in the
        text.
        """
        if self.sample is not None and (source, name) not in self.sample.seen:
            return self.sample
        first = self.sample is None
        was_delta = self.sample is not None and (self.sample.is_delta or (self.call.repeats and not self.call.absolute))
        self.flush()
        self.sample = _Sample(line, self.section.at if first else None, self.section.zone_min, is_delta=was_delta)
        self.sample.elided = first and self.section.elided
        return self.sample

    def _kinds(self, sample: _Sample) -> list[str]:
        if not any(sample.gauges):
            return ["delta" if sample.is_delta else "cumulative"] * len(sample.names)
        if not sample.is_delta:
            self.levels.update(
                (n, v)
                for n, v, gauge in zip(sample.names, sample.values, sample.gauges, strict=True)
                if gauge and v is not None
            )
            return ["gauge" if gauge else "cumulative" for gauge in sample.gauges]
        changed = differenced(zip(sample.names, sample.values, strict=True), self.levels)
        return [
            "gauge" if gauge and not (changed and name.startswith("vxi_")) else "delta"
            for name, gauge in zip(sample.names, sample.gauges, strict=True)
        ]


_INNER_HEADER = re.compile(HEADER)


@parser(
    "vxfsstat",
    version=3,
    product="veritas",
    claims=rf"(?:{_PAIRS}|{HEADER}|(?i:{vxfsstat_inode.TITLE})|{vxfsstat_inode.ROW})",
    owns=_owns,
    commands=("vxfsstat",),
)
def vxfsstat(section: OpenSection, out: Output) -> None:
    """``vxfsstat -s``, ``-v``, ``-i``, ``-b``: absolute and delta samples."""
    reading: _Reading | None = section.state.get("reading")
    if reading is None:
        reading = section.state["reading"] = _Reading(section, out)
        if "s" in reading.call.reports and reading.call.mount:
            section.speaks_of(scope=reading.call.mount)
    reading.section = section
    for line in section:
        reading.line(line)
    reading.flush()
