"""Fast reading of long ``vxfsstat`` recordings: samples with the same rows are taken whole; no parser of its own.

A recording prints the same names in the same places again and again. With blanks for digits and signs two samples are
the same bytes, so a sample is known by that skeleton, and only its values are read. Anything else in a sample (a note, a prompt, a
left-out row, a wrapped value) gives another skeleton that does not hold rows alone: then the parser goes on line by line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, repeat
from struct import Struct
from typing import Any, Final

from parsers.formats.vxfsstat_header import Invocation, Stamp, match_stamp
from parsers.formats.vxfsstat_names import differenced, is_gauge, row_source, unit_of
from parsers.output import Output
from parsers.records import Counter
from parsers.sections import OpenSection

_WINDOW: Final = 256 << 10
_BLANKED: Final = bytes(32 if chr(char) in "0123456789-" else char for char in range(256))
_NAME = re.compile(rb"vxi_[a-z0-9_]+")
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
    lines: int
    blank: int
    columns: Struct | None

    def values(self, body: bytes) -> list[int] | None:
        """Values in the order of the names; None where the body is not what the skeleton promised."""
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
class _Run:
    """Samples of one layout, one behind the other."""

    layout: _Layout | None = None
    kinds: list[str] = field(default_factory=list)
    headers: list[int] = field(default_factory=list)
    stamps: list[Stamp] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, header: int, stamp: Stamp, values: list[int]) -> None:
        """Take one more sample."""
        self.headers.append(header)
        self.stamps.append(stamp)
        self.values += values


def _spread(values: list[Any], rows: int) -> list[Any]:
    """Each value once per row of its sample."""
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
    return _Layout(
        words, names, offsets, sources, scoped, [unit_of(n) for n in names], [is_gauge(n) for n in names], len(lines), blank, _columns(body)
    )


def _columns(body: bytes) -> Struct | None:
    """Where the values stand: all between a name and the next one or the end of its line. None where digits may hide elsewhere."""
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


class Bulk:
    """Takes whole samples out of a section."""

    def __init__(self, call: Invocation, levels: dict[str, float]) -> None:
        self._call = call
        self._levels = levels
        self._layouts: dict[bytes, _Layout | None] = {}

    def take(self, section: OpenSection, out: Output, stamp: Stamp, header: int) -> tuple[int, Stamp] | None:
        """Read the samples from the one whose header was just read; the header that is open afterwards, None where nothing was taken."""
        start = header
        while data := section.window(_WINDOW):
            before = header
            stamp, header = self._window(section, out, data, stamp, header)
            if header == before:
                break
        return (header, stamp) if header != start else None

    def _window(self, section: OpenSection, out: Output, data: bytes, stamp: Stamp, header: int) -> tuple[Stamp, int]:
        pos = ignored = 0
        first = header
        run = _Run()
        while (mark := data.find(b" -- ", pos)) >= 0 and (end := data.find(b"\n", mark)) >= 0:
            start = data.rfind(b"\n", pos, mark) + 1 or pos
            body = data[pos:start]
            layout = self._layout(body)
            values = layout.values(body) if layout else None
            following = _plain_stamp(data[start:end])
            if layout is None or values is None or following is None:
                break
            kinds = self._kinds(layout, values, is_delta=stamp.is_delta)
            if layout is not run.layout or kinds != run.kinds:
                self._emit(section, out, run)
                run = _Run(layout, kinds)
            run.add(header, stamp, values)
            self._remember(section, layout, values, stamp, header)
            ignored += layout.blank
            header += layout.lines + 1
            stamp, pos = following, end + 1
        self._emit(section, out, run)
        if pos:
            section.advance(pos, understood=header - first - ignored, ignored=ignored)
        return stamp, header

    def _layout(self, body: bytes) -> _Layout | None:
        skeleton = body.translate(_BLANKED)
        if skeleton not in self._layouts:
            if len(self._layouts) >= _KEPT:
                self._layouts.clear()
            self._layouts[skeleton] = _learn(body, self._call.source)
        return self._layouts[skeleton]

    def _emit(self, section: OpenSection, out: Output, run: _Run) -> None:
        layout, call, samples = run.layout, self._call, len(run.headers)
        if layout is None:
            return
        rows = len(layout.names)
        out.extend(
            Counter, line=[header + offset for header in run.headers for offset in layout.offsets], node=section.node,
            scope=[call.mount if scoped else None for scoped in layout.scoped] * samples, source=layout.sources * samples,
            name=layout.names * samples, kind=run.kinds * samples, unit=layout.units * samples, value=run.values,
            at=_spread([stamp.instant.us for stamp in run.stamps], rows),
            zone_min=_spread([stamp.instant.zone_min for stamp in run.stamps], rows),
            interval_s=_spread([stamp.interval_s for stamp in run.stamps], rows), sample=_spread(run.headers, rows),
            filtered=call.filtered, zero_filter=call.zero_filter,
        )  # fmt: skip

    def _remember(self, section: OpenSection, layout: _Layout, values: list[int], stamp: Stamp, header: int) -> None:
        """The same reading printed again later is a repeat."""
        if stamp.instant.dated:
            section.seen((self._call.mount, stamp.instant.us, stamp.interval_s, tuple(values)), header, header + layout.lines)

    def _kinds(self, layout: _Layout, values: list[int], *, is_delta: bool) -> list[str]:
        counter = "delta" if is_delta else "cumulative"
        if True not in layout.gauges:
            return [counter] * len(values)
        if not is_delta:
            self._levels.update((n, v) for n, v, gauge in zip(layout.names, values, layout.gauges, strict=True) if gauge)
        elif differenced(zip(layout.names, values, strict=True), self._levels):
            return [counter] * len(values)
        return ["gauge" if gauge else counter for gauge in layout.gauges]


def _plain_stamp(line: bytes) -> Stamp | None:
    """A header with nothing in front of it, behind it, or wrong with it."""
    if not line.isascii():
        return None
    text = line.decode("ascii").strip()
    stamp = match_stamp(text)
    return stamp if stamp is not None and stamp.length == len(text) and not stamp.second_clock else None
