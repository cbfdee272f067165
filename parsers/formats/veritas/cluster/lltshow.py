"""``lltshow -p PORT`` of Veritas LLT: packet rates and latency histograms of one port.

    === LLT port 5:
    txrate=10116/9874/9701 pkts, 3122/3047/2993 KB per s/10s/30s (0.03 Gb/sec)
    txlatency dist (in millisec):
       6120443 (0 ms)     30117 (1 ms)      6809 (2 ms)      1877 (3 ms)
             0 (12ms)         0 (13ms)         0 (14ms)         3 (>=16ms)

Yields ``Counter`` with scope ``LLT port N``. The three rates are averages over the last 1, 10 and 30 s: gauges, pkts/s
and KB/s; ``Gb/sec`` is cut to two decimals and not kept. Histogram cells count packets since LLT or the port started
(cumulative). No time is printed: it comes from ``date`` above; the second and later readings of a port below one such
line have none. The port comes from the heading, else from ``-p``. Rows of the form name=number are kept as gauges.
Tolerated: ``| grep xrate``, rows left out, cut rows. Source: lltshow of Storage Foundation Cluster File System 6 on
Linux.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parsers.headings.transcript import Command
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_CLAIMS: Final = r"(?:=== LLT port \d{1,4}:?|[tr]xrate=\d{1,12}/|[tr]xlatency dist \(in milli)"
_OWNS: Final = re.compile(
    rf"(?:{_CLAIMS}|\d{{1,20}}\s{{1,4}}\(\s?(?:>=)?\s{{0,4}}\d{{1,3}}\s?ms|[A-Za-z][\w.-]{{0,60}}=\S)"
)
_HEADING = re.compile(r"=== LLT port (\d{1,4})")
_NUMBERS: Final = r"(\d{1,12})/(\d{1,12})/(\d{1,12})"
_RATE = re.compile(rf"([tr]xrate)={_NUMBERS} {{1,4}}pkts(?:, {{0,4}}{_NUMBERS} {{1,4}}KB)?")
_LATENCY = re.compile(r"([tr]xlatency) dist")
_CELL = re.compile(r"(?<!\S)(\d{1,20})\s{1,4}\(\s?(>=)?\s{0,4}(\d{1,3})\s{0,4}ms\)")
_NAMED = re.compile(r"(?<!\S)([A-Za-z][\w.-]{0,60})=(-?\d{1,18}(?:\.\d{1,9})?)(?!\S)")
_SPANS_S: Final = (1, 10, 30)


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


class _Reading:
    """One port; a new heading, or a name that was there already, begins the next sample."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self.section = section
        self.out = out
        self.port = _port_of(section.command)
        self.sample = 0
        self.seen: set[str] = set()
        self.timed: set[str | None] = set()
        self.at: int | None = None
        self.direction: str | None = None

    def line(self, line: Line) -> None:
        """Read one line."""
        text = line.text.strip()
        if is_elision(text):
            self.out.ignore()
        elif heading := _HEADING.match(text):
            self._heading(heading[1], line.number)
        elif latency := _LATENCY.match(text):
            self.direction = latency[1]
        elif text.startswith(("txrate=", "rxrate=")):
            self._rate(line, text)
        elif "(" in text:
            self._cells(line, text)
        else:
            self._named(line, text)

    def _heading(self, port: str, number: int) -> None:
        self.port = f"LLT port {port}"
        if self.section.scope is None:
            self.section.speaks_of(scope=self.port)
        self._begin(number)

    def _begin(self, number: int) -> None:
        self.sample, self.direction = number, None
        self.seen.clear()
        self.at = None if self.port in self.timed else self.section.at
        self.timed.add(self.port)

    def _rate(self, line: Line, text: str) -> None:
        match = _RATE.match(text)
        if match is None:
            self.out.skip(line, "a rate row cut or of an unknown layout")
            return
        name = match[1]
        self._put(line.number, [f"{name} pkts {span}s" for span in _SPANS_S], match.groups()[1:4], "pkts/s")
        if match[5] is None:
            self.out.skip(line, "a rate row that is cut behind its packets")
            return
        self._put(line.number, [f"{name} KB {span}s" for span in _SPANS_S], match.groups()[4:7], "KB/s")

    def _cells(self, line: Line, text: str) -> None:
        cells = _CELL.findall(text)
        if self.direction is None or not cells:
            self.out.skip(line, "histogram cells without their heading, or cut")
            return
        names = [f"{self.direction} {from_here}{ms} ms" for _, from_here, ms in cells]
        self._put(line.number, names, [count for count, _, _ in cells], "packets", kind="cumulative")
        if _CELL.sub("", text).strip():
            self.out.skip(line, "a histogram cell is cut")

    def _named(self, line: Line, text: str) -> None:
        pairs = _NAMED.findall(text)
        if pairs:
            self._put(line.number, [name for name, _ in pairs], [value for _, value in pairs], "")
        else:
            self.out.skip(line, "an unknown row of lltshow")

    def _put(self, line: int, names: Sequence[str], values: Sequence[str], unit: str, *, kind: str = "gauge") -> None:
        if not self.sample or not self.seen.isdisjoint(names):
            direction = self.direction
            self._begin(line)
            self.direction = direction
        self.seen.update(names)
        command = self.section.command
        self.out.extend(
            Counter,
            line=[line] * len(names),
            node=self.section.node,
            scope=self.port,
            source="lltshow -p",
            name=names,
            kind=kind,
            unit=unit,
            value=[_number(value) for value in values],
            at=self.at,
            sample=self.sample,
            zone_min=self.section.zone_min if self.at is not None else None,
            filtered=bool(command and command.filters),
        )


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _port_of(command: Command | None) -> str | None:
    if command is None or command.program != "lltshow":
        return None
    words = command.args
    for index, word in enumerate(words):
        number = (
            word[2:]
            if word.startswith("-p") and len(word) > 2
            else words[index + 1]
            if word == "-p" and index + 1 < len(words)
            else ""
        )
        if number.isdecimal() and len(number) <= 4:
            return f"LLT port {int(number)}"
    return None


@parser("lltshow", version=1, product="veritas", claims=_CLAIMS, owns=_owns, commands=("lltshow",))
def lltshow(section: OpenSection, out: Output) -> None:
    """``lltshow -p``: rates and latency histograms of one port."""
    reading: _Reading | None = section.state.get("reading")
    if reading is None:
        reading = section.state["reading"] = _Reading(section, out)
        if reading.port:
            section.speaks_of(scope=reading.port)
    reading.section = section
    for line in section:
        reading.line(line)
