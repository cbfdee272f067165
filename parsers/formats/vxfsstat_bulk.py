"""Fast reading of long ``vxfsstat`` recordings: samples with the same rows are taken whole; no parser of its own.

A recording prints the same names in the same places again and again. Without digits, blanks and signs two samples are
the same bytes, so a sample is known by that skeleton, and only its values are read. Anything else in a sample (a note, a prompt, a
left-out row, a wrapped value) gives another skeleton that does not hold rows alone: then the parser goes on line by line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parsers.formats.vxfsstat_header import Invocation, Stamp, match_stamp
from parsers.formats.vxfsstat_names import differenced, is_gauge, row_source, unit_of
from parsers.output import Output
from parsers.records import Counter
from parsers.sections import OpenSection

_WINDOW: Final = 1 << 20
_VALUE_BYTES: Final = b" \t0123456789-"
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

    def values(self, body: bytes) -> list[float] | None:
        """Values in the order of the names; None where the body is not what the skeleton promised."""
        words = body.split()
        if words[::2] != self.words or len(words) != 2 * len(self.words):
            return None
        try:
            return [*map(float, words[1::2])]
        except ValueError:
            return None


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
    return _Layout(words, names, offsets, sources, scoped, [unit_of(n) for n in names], [is_gauge(n) for n in names], len(lines), blank)


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
        while (mark := data.find(b" -- ", pos)) >= 0 and (end := data.find(b"\n", mark)) >= 0:
            start = data.rfind(b"\n", pos, mark) + 1 or pos
            body = data[pos:start]
            layout = self._layout(body)
            values = layout.values(body) if layout else None
            following = _plain_stamp(data[start:end])
            if layout is None or values is None or following is None:
                break
            self._emit(section, out, layout, values, stamp, header)
            ignored += layout.blank
            header += layout.lines + 1
            stamp, pos = following, end + 1
        if pos:
            section.advance(pos, understood=header - first - ignored, ignored=ignored)
        return stamp, header

    def _layout(self, body: bytes) -> _Layout | None:
        skeleton = body.translate(None, _VALUE_BYTES)
        if skeleton not in self._layouts:
            if len(self._layouts) >= _KEPT:
                self._layouts.clear()
            self._layouts[skeleton] = _learn(body, self._call.source)
        return self._layouts[skeleton]

    def _emit(self, section: OpenSection, out: Output, layout: _Layout, values: list[float], stamp: Stamp, header: int) -> None:
        call, instant = self._call, stamp.instant
        out.extend(
            Counter, line=[header + offset for offset in layout.offsets], node=section.node,
            scope=[call.mount if scoped else None for scoped in layout.scoped], source=layout.sources, name=layout.names,
            kind=self._kinds(layout, values, is_delta=stamp.is_delta), unit=layout.units, value=values, at=instant.us,
            zone_min=instant.zone_min, interval_s=stamp.interval_s, sample=header, filtered=call.filtered, zero_filter=call.zero_filter,
        )  # fmt: skip
        if instant.dated:
            section.seen((call.mount, instant.us, stamp.interval_s, tuple(values)), header, header + layout.lines)

    def _kinds(self, layout: _Layout, values: list[float], *, is_delta: bool) -> list[str]:
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
