"""Latencies that tracing tools of the kernel measure: tables of single requests and calls, and histograms.

    TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME      xfsslower, ext4slower, nfsslower, fileslower
    06:31:28 dd             25570  W 131072  38784     303.92 data1
    TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)  biosnoop; iosnoop has LATms
    disk = 'sdc'                                                            biolatency -D; xfsdist: operation = 'read'
         msecs               : count     distribution                       iolatency: >=(ms) .. <(ms) : I/O
            64 -> 127        : 31       |************            |

Yields ``Measurement`` (ms, scope: the file) of each call on files that took a tenth of a second or longer, and of the
longest one where all were quicker; ``DiskIo`` of each disk over the whole table, or over one histogram, whose mean is
that of the middles of its steps. What a histogram is of stands in the title above it or in the command: of others
(run queues, functions) nothing is kept. Source: the manual pages and examples of bcc, bpftrace and perf-tools.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import DiskIo, Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

LEAST_MS: Final = 100.0
MOST_DISKS: Final = 4096
ALL: Final = "all disks"
LEAST_OF_ALL_MS: Final = 20.0
"""A mean of all disks tells of trouble where it is long; where it is short, a slow disk may hide among the others."""
_LATENCY: Final = r"(?:LAT\((?:ms|us)\)|LATms)"
_TABLE: Final = rf"(?:TIME\S{{0,4}} +|STARTs? +ENDs? +)?COMM +[PT]ID +(?:\S+ +){{0,8}}{_LATENCY}(?: +FILENAME| *$)"
_STEPS: Final = r"(?:[num]?secs +: count +distribution|>?=\(ms\) \.\. <\(ms\) +: I/O +\|Distribution)"
_STEP: Final = r"(?P<low>\d{1,20}) +-> +(?P<high>\d{1,20}) +: (?P<count>\d{1,15}) +\|"
_PART: Final = r"(?:Bucket +)?(?:disk|operation|flags?|ptr) = b?'?(?P<name>[^']{1,80}?)'?$"
_TITLE: Final = (
    r"Tracing (?:(?P<disks>block (?:device )?I/O)|(?P<files>\S{1,20} operation latency)|[a-z].{1,80}?"
    r"(?:latency|slower than|distribution|operations?))\b.{0,80}$"
)
_NAMED: Final = re.compile(r"\?P<\w{1,8}>")
_ROW: Final = r"(?:\d\d:\d\d:\d\d|\d{1,9}\.\d{1,9}) +\S{1,32} .{0,40}\d"
_ROW_ALONE: Final = r"\S{1,32} +\d{1,10} +[A-Z]{1,4} +\d{1,4},\d{1,6} +\d"
_END: Final = (
    r"(?:avg = \d{1,18} [num]?secs,.{0,120}|\d\d:\d\d:\d\d:?|\^C"
    r"|\[\.{2,3}\]|\[snip\]|Ending tracing\.{3}|Detaching\.\.\..{0,40})$"
)
_OF_DISKS: Final = re.compile(r"(?:.{0,200}/)?(?:biolatency|iolatency)\b")
_OF_FILES: Final = re.compile(r"(?:.{0,200}/)?(?:xfs|ext4|nfs|btrfs|zfs|f2fs)dist\b")
_FACTORS: Final = {"n": 1e-6, "u": 1e-3, "m": 1.0, ">": 1.0, "=": 1.0, "s": 1e3}
_CALLS: Final = {"R": "read", "W": "write", "S": "fsync", "O": "open", "G": "getattr", "F": "fsync"}
_TOOLS: Final = tuple(
    "biolatency biosnoop iolatency iosnoop xfsslower ext4slower nfsslower btrfsslower zfsslower fileslower xfsdist"
    " ext4dist nfsdist btrfsdist zfsdist runqlat cpudist hardirqs softirqs funclatency".split()
)
_HEADING = re.compile(_TABLE)
_HEADING_OF_STEPS = re.compile(_STEPS)
_STEP_ROW = re.compile(_STEP)
_PART_OF = re.compile(_PART)
_TITLE_OF = re.compile(_TITLE)
_END_OF = re.compile(_END)


@dataclass(slots=True)
class _Disk:
    """Requests of one disk of a table."""

    line: int
    count: int = 0
    ms: float = 0.0
    longest: float = 0.0
    bytes: float = 0.0


@dataclass(slots=True)
class _Histogram:
    """Steps of one histogram. low: where the highest step with a request begins, in ms."""

    line: int
    factor: float
    name: str | None
    count: int = 0
    ms: float = 0.0
    low: float = 0.0
    longest: float = 0.0

    def add(self, low: float, high: float, count: int) -> None:
        """One step."""
        if count:
            self.count += count
            self.ms += count * self.factor * (low + high) / 2
            self.low, self.longest = low * self.factor, high * self.factor


@parser(
    "traced_latency",
    version=1,
    product="",
    claims=_NAMED.sub("?:", rf"(?:{_TABLE}|{_STEPS}|{_TITLE})"),
    owns=_NAMED.sub("?:", rf"(?:{_TABLE}|{_STEPS}|{_STEP}|{_PART}|{_TITLE}|{_ROW}|{_ROW_ALONE}|{_END})"),
    commands=_TOOLS,
)
def traced_latency(section: OpenSection, out: Output) -> None:
    """Rows of requests and calls, and steps of histograms."""
    _Reader(section, out).read()


class _Reader:
    """One section."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        typed = section.command.program if section.command is not None else ""
        self._of = "disks" if _OF_DISKS.match(typed) else "files" if _OF_FILES.match(typed) else ""
        self._part: str | None = None
        self._columns: list[str] = []
        self._steps: _Histogram | None = None
        self._disks: dict[str, _Disk] = {}
        self._span: list[float] = []
        self._longest: Measurement | None = None
        self._has_long = False

    def read(self) -> None:
        """All lines, and what they add up to."""
        for line in self._section:
            self._line(line, line.text.strip())
        self._put_steps()
        self._put_disks()
        if self._longest is not None and not self._has_long:
            self._out.add(self._longest)

    def _line(self, line: Line, text: str) -> None:
        step = _STEP_ROW.match(text)
        if step is not None and self._steps is not None:
            self._steps.add(float(step["low"]), float(step["high"]), int(step["count"]))
            self._out.everyday(1)
            return
        self._put_steps()
        if (title := _TITLE_OF.match(text)) is not None:
            self._of = "disks" if title["disks"] else "files" if title["files"] else ""
        elif (part := _PART_OF.match(text)) is not None:
            self._part = part["name"] if text.startswith(("disk", "Bucket", "operation")) else None
        elif _HEADING_OF_STEPS.match(text):
            self._steps = _Histogram(line.number, _FACTORS[text[0]], self._part)
            self._part = None
        elif _HEADING.match(text):
            self._columns = text.split()
        elif not _END_OF.match(text):
            if not self._row(line, text):
                self._out.skip(line, "no latency under its heading")
            return
        self._out.frame()

    def _row(self, line: Line, text: str) -> bool:
        """Whether a line is a row of the table above."""
        columns = self._columns
        cells = dict(zip(columns, text.split(maxsplit=len(columns) - 1), strict=False)) if columns else {}
        at = next((name for name in columns if name.startswith("LAT")), "")
        ms = figure(cells.get(at, ""))
        pid = cells.get("PID") or cells.get("TID", "")
        if ms is None or len(cells) < len(columns) or not pid.isdigit():
            return False
        ms *= 1e-3 if at == "LAT(us)" else 1.0
        if (name := cells.get("DISK") or cells.get("DEV")) is not None:
            self._request(line, cells, name, ms)
        elif (path := cells.get("FILENAME")) is not None:
            self._call(line, cells.get("T") or cells.get("D", ""), path, pid, ms)
        self._out.everyday(1)
        return True

    def _request(self, line: Line, cells: dict[str, str], name: str, ms: float) -> None:
        if name not in self._disks and len(self._disks) >= MOST_DISKS:
            return
        disk = self._disks.setdefault(name, _Disk(line.number))
        disk.count += 1
        disk.ms += ms
        disk.bytes += figure(cells.get("BYTES", "")) or 0.0
        if ms > disk.longest:
            disk.longest, disk.line = ms, line.number
        if (moment := figure(cells.get("TIME(s)", ""))) is not None:
            self._span = [min([moment, *self._span]), max([moment, *self._span])]

    def _call(self, line: Line, sort: str, path: str, pid: str, ms: float) -> None:
        one = self._measured(line.number, _CALLS.get(sort, "call"), ms, path)
        one.command = f"pid {pid}"
        if ms >= LEAST_MS:
            self._out.add(one)
            self._has_long = True
        elif self._longest is None or ms > (self._longest.value or 0.0):
            self._longest = one

    def _measured(self, line: int, what: str, ms: float, scope: str | None) -> Measurement:
        section = self._section
        return Measurement(
            line=line,
            node=section.node,
            tool="file latency",
            what=what,
            value=round(ms, 3),
            unit="ms",
            at=section.at,
            zone_min=section.zone_min,
            scope=scope,
        )

    def _put_steps(self) -> None:
        steps, self._steps = self._steps, None
        if steps is None or not steps.count:
            return
        if self._of == "disks":
            if steps.name is not None or steps.ms >= LEAST_OF_ALL_MS * steps.count:
                self._put_disk("biolatency", steps.name or ALL, steps, None)
        elif self._of == "files":
            self._out.add(self._measured(steps.line, steps.name or "call", steps.low, None))

    def _put_disks(self) -> None:
        seconds = self._span[1] - self._span[0] if self._span else 0.0
        for name, disk in self._disks.items():
            self._put_disk("biosnoop", name, disk, seconds if seconds >= 1 else None)

    def _put_disk(self, tool: str, name: str, of: _Disk | _Histogram, seconds: float | None) -> None:
        self._section.add(
            DiskIo,
            of.line,
            at=self._section.at,
            zone_min=self._section.zone_min,
            source=tool,
            device=name,
            count=round(of.count / seconds, 3) if seconds else None,
            per_s=seconds is not None,
            bytes=round(of.bytes / seconds, 3) if seconds and isinstance(of, _Disk) and of.bytes else None,
            mean_ms=round(of.ms / of.count, 3),
            max_ms=round(of.longest, 3),
            interval_s=round(seconds, 3) if seconds else None,
        )
