"""Fast reading of long ``vxfsstat`` recordings: samples with the same rows are taken whole; no parser of its own.

A recording prints the same names in the same places again and again. With blanks for digits and signs two samples are
the same bytes, so a sample is known by that skeleton, and only its values are read. Anything else in a sample (a note,
a prompt, a left-out row, a wrapped value) gives another skeleton that does not hold rows alone: then the parser goes on
line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from itertools import chain, repeat
from struct import Struct
from typing import Any, Final

from parsers.dataclass import dataclass
from parsers.formats.veritas.vxfs.vxfsstat_header import Invocation, Stamp, match_stamp
from parsers.formats.veritas.vxfs.vxfsstat_inode import Report, learn_report
from parsers.formats.veritas.vxfs.vxfsstat_names import differenced, is_gauge, row_source, unit_of
from parsers.output import Output
from parsers.records import DAY_US, Counter
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant

_WINDOW: Final = 256 << 10
_BLANKED: Final = bytes(32 if chr(char) in "0123456789-" else char for char in range(256))
_NAME = re.compile(rb"vxi_[a-z0-9_]+")
_CLOCK_BYTES: Final = 12
_CLOCK = re.compile(rb"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)\.(\d{3}) ")
_SECOND = re.compile(rb" (\d\d:\d\d:\d\d)(?: ([AP]M))?(?= )")
_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class _Layout:
    """The rows of a sample: names in order and the line of each, counted from the line below the header."""

    words: list[bytes]
    names: list[str]
    offsets: list[int]
    sources: list[str]
    scoped: list[bool]
    units: list[str]
    gauges: list[bool]
    kinds: dict[str, list[str]]
    lines: int
    blank: int
    columns: Struct | None
    report: Report | None = None

    def values(self, body: bytes) -> Sequence[float | None] | None:
        """Values in the order of the names; None where the body is not what the skeleton promised."""
        if self.report is not None:
            return self.report.values(body)
        if self.columns is not None:
            try:
                return [*map(int, self.columns.unpack(body))]
            except ValueError:
                return None
        words = body.split()
        if words[::2] != self.words or len(words) != 2 * len(self.words):
            return None
        try:
            return [*map(int, words[1::2])]
        except ValueError:
            return None


@dataclass(slots=True)
class _Head:
    """A header: its line, the end of its sample, and its length (None: absolute)."""

    line: int
    us: int
    zone_min: int | None
    zone_name: str | None
    interval_s: float | None

    def stamp(self) -> Stamp:
        """What the parser knows a header by."""
        return Stamp(Instant(self.us, self.zone_min, self.zone_name, 1_000), self.interval_s, "", 0)


@dataclass(slots=True)
class _Run:
    """Samples of one layout, one behind the other."""

    layout: _Layout | None = None
    kinds: list[str] = field(default_factory=list)
    heads: list[_Head] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)


def _spread(values: list[Any], rows: int) -> list[Any]:
    """Each value once per row of its sample."""
    if values[1:] == values[:-1]:
        return values[:1] * (rows * len(values))
    return [*chain.from_iterable(repeat(value, rows) for value in values)]


def _learn(body: bytes, source: str | None) -> _Layout | None:
    """The layout of a sample that holds nothing but whole rows and blank lines."""
    words: list[bytes] = []
    offsets: list[int] = []
    blank = 0
    lines = body.split(b"\n")[:-1]
    for offset, line in enumerate(lines, 1):
        row = line.split()
        if len(row) % 2 or not all(name.startswith(b"vxi_") and name.isascii() for name in row[::2]):
            return None
        if not all(value.removeprefix(b"-").isdigit() and len(value) <= 20 for value in row[1::2]):
            return None
        blank += not row
        words += row[::2]
        offsets += [offset] * (len(row) // 2)
    names = [word.decode("ascii") for word in words]
    if not names or len(set(names)) != len(names) or not all(_is_name(name) for name in names):
        return None
    sources = [source or row_source(name) for name in names]
    scoped = [name == "vxfsstat -s" for name in sources]
    units, gauges = [unit_of(name) for name in names], [is_gauge(name) for name in names]
    kinds = {kind: ["gauge" if gauge else kind for gauge in gauges] for kind in ("delta", "cumulative")}
    return _Layout(words, names, offsets, sources, scoped, units, gauges, kinds, len(lines), blank, _columns(body))


def _learn_report(body: bytes) -> _Layout | None:
    """The layout of a sample that holds nothing but a whole report of caches."""
    report = learn_report(body)
    if report is None:
        return None
    cells, blank = report.cells, sum(not line.strip() for line in body.split(b"\n")[:-1])
    gauges = [cell.gauge for cell in cells]
    kinds = {kind: ["gauge" if gauge else kind for gauge in gauges] for kind in ("delta", "cumulative")}
    return _Layout(
        words=[],
        names=[cell.name for cell in cells],
        offsets=report.lines,
        sources=[cell.source for cell in cells],
        scoped=[False] * len(cells),
        units=[cell.unit for cell in cells],
        gauges=gauges,
        kinds=kinds,
        lines=body.count(b"\n"),
        blank=blank,
        columns=None,
        report=report,
    )


def _columns(body: bytes) -> Struct | None:
    """Where the values stand: all between a name and the next one or the end of its line. None where digits may hide
    elsewhere.
    """
    layout: list[str] = []
    for line in body.split(b"\n")[:-1]:
        end = 0
        for match in _NAME.finditer(line):
            layout += [f"{match.start() - end}s"] if end else []
            layout.append(f"{match.end() - match.start()}x")
            end = match.end()
            if any(48 <= char < 58 for char in match[0]):
                return None
        if line and (not end or not line.startswith(b"vxi_")):
            return None
        layout += [f"{len(line) - end}s"] if end else []
        layout.append("x")
    return Struct("".join(layout))


def _is_name(name: str) -> bool:
    return len(name) <= 64 and name.replace("_", "a").isalnum() and name.islower()


class _Headers:
    """Reads headers; those that differ only in their clocks from one read before need no second look at the date."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, _Head]] = {}
        self._second = _CLOCK_BYTES

    def read(self, text: bytes, line: int) -> _Head | None:
        """The header, or None where anything is unusual about it."""
        second = self._second
        known = self._known.get(text[_CLOCK_BYTES:second] + text[second + 8 :])
        clock = _CLOCK.match(text)
        if known is None or clock is None or not _same_time(clock, text, second, known[0]):
            return self._learn(text, line)
        day = known[1]
        hours, minutes, seconds, millis = map(int, clock.groups())
        us = day.us + (((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis) * 1_000
        return _Head(line, us, day.zone_min, day.zone_name, day.interval_s)

    def _learn(self, text: bytes, line: int) -> _Head | None:
        plain = text.decode("ascii", "replace")
        stamp = match_stamp(plain)
        if stamp is None or stamp.length != len(plain) or stamp.second_clock or not text.isascii():
            return None
        instant = stamp.instant
        other = _SECOND.search(text, _CLOCK_BYTES)
        if other is not None and stamp.instant.dated:
            self._second = other.start(1)
            half = {b"AM": 0, b"PM": 12}.get(other[2], -1)
            day = _Head(0, instant.us - instant.us % DAY_US, instant.zone_min, instant.zone_name, stamp.interval_s)
            self._known[text[_CLOCK_BYTES : self._second] + text[self._second + 8 :]] = (half, day)
        return _Head(line, instant.us, instant.zone_min, instant.zone_name, stamp.interval_s)


def _same_time(clock: re.Match[bytes], text: bytes, second: int, half: int) -> bool:
    """Whether both clocks of a header say the same; ``half`` is 0 for AM, 12 for PM, -1 for a clock of 24 hours."""
    if text[2:8] != text[second + 2 : second + 8] or not text[second : second + 2].isdigit():
        return False
    hours = int(text[second : second + 2])
    return int(clock[1]) == (hours if half < 0 else hours % 12 + half)


class Bulk:
    """Takes whole samples out of a section."""

    def __init__(self, call: Invocation, levels: dict[str, float]) -> None:
        self._call = call
        self._levels = levels
        self._layouts: dict[bytes, _Layout | None] = {}
        self._headers = _Headers()

    def take(self, section: OpenSection, out: Output, stamp: Stamp, line: int) -> tuple[int, Stamp] | None:
        """Read the samples from the one whose header was just read; the header that is open afterwards, None where
        nothing was taken.
        """
        head = _Head(line, stamp.instant.us, stamp.instant.zone_min, stamp.instant.zone_name, stamp.interval_s)
        while data := section.window(_WINDOW):
            before = head
            head = self._window(section, out, data, head)
            if head is before:
                break
        return (head.line, head.stamp()) if head.line != line else None

    def _window(self, section: OpenSection, out: Output, data: bytes, head: _Head) -> _Head:
        pos = ignored = 0
        first = head.line
        run = _Run()
        while (mark := data.find(b" -- ", pos)) >= 0 and (end := data.find(b"\n", mark)) >= 0:
            start = data.rfind(b"\n", pos, mark) + 1 or pos
            body = data[pos:start]
            layout = self._layout(body)
            values = layout.values(body) if layout is not None else None
            if (
                layout is None
                or values is None
                or (following := self._headers.read(data[start:end], head.line + layout.lines + 1)) is None
            ):
                break
            kinds = self._kinds(layout, values, is_delta=head.interval_s is not None)
            if layout is not run.layout or kinds is not run.kinds:
                self._emit(section, out, run)
                run = _Run(layout, kinds)
            run.heads.append(head)
            run.values += values
            self._remember(section, layout, values, head)
            ignored += layout.blank
            head, pos = following, end + 1
        self._emit(section, out, run)
        if pos:
            section.take(head.line - first - ignored, size=pos, blank=ignored)
        return head

    def _layout(self, body: bytes) -> _Layout | None:
        skeleton = body.translate(_BLANKED)
        if skeleton not in self._layouts:
            if len(self._layouts) >= _KEPT:
                self._layouts.clear()
            is_report = b"vxi_" not in body and body.isascii()
            self._layouts[skeleton] = _learn_report(body) if is_report else _learn(body, self._call.source)
        return self._layouts[skeleton]

    def _emit(self, section: OpenSection, out: Output, run: _Run) -> None:
        layout, call, samples = run.layout, self._call, len(run.heads)
        if layout is None:
            return
        rows = len(layout.names)
        out.extend(
            Counter,
            line=[head.line + offset for head in run.heads for offset in layout.offsets],
            node=section.node,
            scope=[call.mount if scoped else None for scoped in layout.scoped] * samples,
            source=layout.sources * samples,
            name=layout.names * samples,
            kind=run.kinds * samples,
            unit=layout.units * samples,
            value=run.values,
            at=_spread([head.us for head in run.heads], rows),
            zone_min=_spread([head.zone_min for head in run.heads], rows),
            interval_s=_spread([head.interval_s for head in run.heads], rows),
            sample=_spread([head.line for head in run.heads], rows),
            filtered=call.filtered,
            zero_filter=call.zero_filter,
        )

    def _remember(self, section: OpenSection, layout: _Layout, values: Sequence[float | None], head: _Head) -> None:
        """The same reading printed again later is a repeat."""
        if head.us >= DAY_US:
            section.seen(
                (self._call.mount, head.us, head.interval_s, tuple(values)), head.line, head.line + layout.lines
            )

    def _kinds(self, layout: _Layout, values: Sequence[float | None], *, is_delta: bool) -> list[str]:
        kind = "delta" if is_delta else "cumulative"
        if True in layout.gauges:
            if not is_delta:
                rows = zip(layout.names, values, layout.gauges, strict=True)
                self._levels.update((name, value) for name, value, gauge in rows if gauge and value is not None)
            elif layout.report is None and differenced(zip(layout.names, values, strict=True), self._levels):
                return ["delta"] * len(values)
        return layout.kinds[kind]
