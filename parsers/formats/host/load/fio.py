"""``fio``: text of releases 2 and 3, people's short quotes of it, ``--output-format=json`` and ``terse``.

    rnd-write: (groupid=0, jobs=1): err= 0: pid=16109: Sat Jun 24 12:07:54 2031
      write: IOPS=6144, BW=192MiB/s (201MB/s)(8192MiB/42667msec); 0 zone resets
        clat (usec): min=402, max=71213, avg=958.21, stdev=101.11
    Run status group 0 (all jobs):
      WRITE: bw=192MiB/s (201MB/s), 192MiB/s-192MiB/s (201MB/s-201MB/s), io=8192MiB (8590MB), run=42667-42667msec
    Disk stats (read/write):
        sda: ios=12210/12402, merge=18/97, ticks=5120/611870, in_queue=616990, util=100.00%

Yields ``Measurement``: bandwidth in MiB/s (the binary figure that is printed, other sizes of unit converted), requests
per second, mean and longest completion time and that of all but one in a thousand in ms, and how many requests were
kept open (``iodepth``); ``DiskIo`` of the disks below. Time: of the job line, local. Source: fio
documentation, HOWTO (output).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.grammars.json_walk import LINE, Opened, Walk, figure
from parsers.output import Output
from parsers.records import DiskIo, Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant, find_instant

TOOL: Final = "fio"
_NUMBER: Final = r"\d{1,15}(?:[.,]\d{1,9})?"
_NAME: Final = r"[^\s:][^:\n]{0,120}"
_STATUS: Final = r"(?:READ|WRITE|TRIM|MIXED): {1,4}(?:bw|io)=\d"
_JOB: Final = rf"{_NAME}: \(groupid=\d{{1,9}}, jobs=\d{{1,9}}\): err="
_PLAN: Final = rf"{_NAME}: \(g=\d{{1,9}}\): rw="
_OP: Final = r"(?:read|write|trim|mixed) ?: {1,4}(?:IOPS|io)="
_DISK: Final = r"[\w!/.-]{1,120}: ios=\d"
_HEADS: Final = (
    r"Run status group \d{1,9}|Disk stats \(read/write\)|fio-\d{1,3}\.\d|Jobs: \d{1,9} \(f=\d|Starting "
    r"\d{1,9} (?:process|thread)"
)
_TERSE: Final = r"3;fio-\d{1,2}\.\d[^;\s]{0,20};[^;\n]{0,200};\d{1,6};\d{1,6};(?:[^;\n]{0,60};){80,140}[^;\n]{0,200}$"
"""Results on one line, parted by semicolons."""
_CLAIM: Final = rf"{_TERSE}|{_STATUS}|{_JOB}|{_PLAN}|{_OP}|{_HEADS}|{_DISK}{{1,15}}/\d{{1,15}}, "
_INNER: Final = (
    r"(?:slat|clat|lat|bw|iops|cpu|sync) {0,16}[(:]|clat percentiles|\| {0,6}\d{1,2}\.\d|lat "
    r"\([mun]sec\)|IO depths|submit|complete|issued|latency {0,16}:|Laying out|\.\.\.$|zone resets|clat "
    r"prio|high prio"
)
_LINE_OWNS: Final = rf"{_CLAIM}|{_INNER}"

_BW = re.compile(rf"\b(?:bw|BW|aggrb)={{1}} ?({_NUMBER})([kKMGT]?)(i?)B/s")
_OPERATION = re.compile(r"(READ|WRITE|TRIM|MIXED|read|write|trim|mixed) ?:")
_IOPS = re.compile(rf"\b(?:IOPS|iops)= ?({_NUMBER})([kKMG]?)")
_LATENCY = re.compile(rf"(clat|lat) \(([mun])sec\) ?: ?(?:[^\n]{{0,80}}?)avg= ?({_NUMBER})")
_LONGEST = re.compile(rf"\bmax= ?({_NUMBER})([kKMG]?)")
_SHARES = re.compile(r"(?:clat )?percentiles \(([mun])sec\)")
_THOUSANDTH = re.compile(r"\b99\.9\d{0,4}th=\[(?:>=)? {0,12}(\d{1,15})\]")
_DEPTH = re.compile(r"\biodepth=(\d{1,6})\b")
_IS_TERSE = re.compile(_TERSE)
_TERSE_JOB: Final = 2
_TERSE_OPERATIONS: Final = {"read": 5, "write": 46}
"""Where the figures of an operation begin: KiB, KiB/s, requests per second, ms; then times in microseconds."""
_TERSE_LONGEST: Final = 9
_TERSE_MEAN: Final = 10
_TERSE_THOUSANDTH: Final = 26
_DISK_ROW = re.compile(
    r"([\w!/.-]{1,120}): ios=(\d{1,15})/(\d{1,15}),(?: sectors=(\d{1,18})/(\d{1,18}),)?[^\n"
    r"]{0,80}?ticks=(\d{1,18})/(\d{1,18})"
)
_UTIL = re.compile(rf"util= ?({_NUMBER})%")
_KIB: Final = {"": 1 / (1 << 20), "k": 1 / 1024, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0 * 1024}
_TENS: Final = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_MS: Final = {"m": 1.0, "u": 1e-3, "n": 1e-6}


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def mib_per_s(value: float, size: str, *, is_binary: bool) -> float:
    """A printed bandwidth in MiB/s: what it says where it is in MiB/s already."""
    return value * _KIB[size] if is_binary else value * _TENS[size] / (1 << 20)


class _Results:
    """Figures of one section on their way out."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._job = ""
        self._operation = ""
        self._share_unit = ""
        self._instant: Instant | None = None

    def measured(self, line: int, what: str, value: float, unit: str) -> None:
        section = self._section
        at, zone = (self._instant.us, self._instant.zone_min) if self._instant else (section.at, section.zone_min)
        command = section.command.text if section.command and TOOL in section.command.text else None
        section.add(
            Measurement,
            line,
            tool=TOOL,
            what=what,
            value=value,
            unit=unit,
            command=command,
            at=at,
            zone_min=zone,
        )

    def job(self, text: str) -> None:
        """``name: (groupid=0, jobs=1): err= 0: pid=16109: DATE``."""
        self._job = text.partition(": (groupid=")[0].strip()
        if found := find_instant(text):
            self._instant = found[0]
            self._section.stamp(found[0])

    def rate(self, line: int, text: str) -> bool:
        """Bandwidth of a group, or bandwidth and requests of a job."""
        operation, bandwidth = _OPERATION.match(text), _BW.search(text)
        if operation is None:
            return False
        self._operation = operation[1]
        name = operation[1] if operation[1].isupper() or not self._job else f"{self._job} {operation[1]}"
        if bandwidth:
            binary = (
                bool(bandwidth[3]) or "aggrb" in bandwidth[0] or "io=" in text[: bandwidth.start()]
            )  # fio 2: KB is 1024 bytes
            self.measured(
                line, f"{name} bw", round(mib_per_s(_number(bandwidth[1]), bandwidth[2], is_binary=binary), 6), "MiB/s"
            )
        if requests := _IOPS.search(text):
            self.measured(line, f"{name} iops", _number(requests[1]) * _TENS[requests[2]], "1/s")
        return bool(bandwidth or requests)

    def latency(self, line: int, text: str) -> bool:
        """Mean completion time of the job above."""
        match = _LATENCY.match(text)
        if match is None:
            return False
        if match[1] == "clat":
            self.measured(line, f"{self._of()} clat mean", round(_number(match[3]) * _MS[match[2]], 6), "ms")
            if longest := _LONGEST.search(text):
                most = _number(longest[1]) * _TENS[longest[2]] * _MS[match[2]]
                self.measured(line, f"{self._of()} clat max", round(most, 6), "ms")
        return True

    def _of(self) -> str:
        return f"{self._job} {self._operation}".strip() or "job"

    def share(self, line: int, text: str) -> bool:
        """Completion time of all but one request in a thousand, below the heading that tells the unit."""
        if (heading := _SHARES.match(text)) is not None:
            self._share_unit = heading[1]
            return False
        found = _THOUSANDTH.search(text) if self._share_unit else None
        if found is not None:
            self.measured(line, f"{self._of()} clat p99.9", round(float(found[1]) * _MS[self._share_unit], 6), "ms")
            self._share_unit = ""
        return found is not None

    def terse(self, line: int, text: str) -> bool:
        """A job on one line: of an operation that did nothing all figures are 0."""
        if _IS_TERSE.match(text) is None:
            return False
        cells = text.split(";")
        for operation, begin in _TERSE_OPERATIONS.items():
            name, cell = f"{cells[_TERSE_JOB]} {operation}".strip(), cells[begin:]
            thousandth = cell[_TERSE_THOUSANDTH].rpartition("=")[2]
            if rate := figure(cell[1]):
                self.measured(line, f"{name} bw", round(rate / 1024, 6), "MiB/s")
            if requests := figure(cell[2]):
                self.measured(line, f"{name} iops", requests, "1/s")
            took = {"mean": cell[_TERSE_MEAN], "max": cell[_TERSE_LONGEST], "p99.9": thousandth}
            for what, text_of in took.items():
                if value := figure(text_of):
                    self.measured(line, f"{name} clat {what}", round(value / 1e3, 6), "ms")
        return True

    def plan(self, line: int, text: str) -> bool:
        """How many requests a job keeps open."""
        if (found := _DEPTH.search(text)) is not None:
            self.measured(line, "iodepth", float(found[1]), "")
        return found is not None

    def disk(self, line: int, text: str) -> bool:
        """A disk below the file: reads and writes."""
        match, util = _DISK_ROW.match(text), _UTIL.search(text)
        if match is None:
            return False
        share = _number(util[1]) if util else None
        for op, count, sectors, ticks in (
            ("read", match[2], match[4], match[6]),
            ("write", match[3], match[5], match[7]),
        ):
            requests = float(count)
            self._out.add(
                DiskIo(
                    line=line,
                    node=self._section.node,
                    at=self._instant.us if self._instant else self._section.at,
                    source=TOOL,
                    device=match[1],
                    op=op,
                    count=requests,
                    bytes=float(sectors) * 512 if sectors else None,
                    mean_ms=round(float(ticks) / requests, 6) if requests else None,
                    util=share,
                )
            )
        return True


@parser("fio", version=2, product="", claims=_CLAIM, owns=_LINE_OWNS, commands=("fio",))
def fio(section: OpenSection, out: Output) -> None:
    """Results as text; progress, depths and percentiles are passed over."""
    results = _Results(section, out)
    takers = (results.terse, results.rate, results.latency, results.disk, results.share)
    must, job, disk, plan = re.compile(_STATUS), re.compile(_JOB), re.compile(_DISK), re.compile(_PLAN)
    for line in section:
        text = line.text.strip()
        if job.match(text):
            results.job(text)
        elif any(take(line.number, text) for take in takers) or (plan.match(text) and results.plan(line.number, text)):
            continue
        elif must.match(text) or disk.match(text):
            out.skip(line, "no bandwidth with its unit")
        else:
            out.ignore()


@parser(
    "fio_json",
    version=2,
    product="",
    claims=r'"fio version" {0,4}:|\{ {0,4}"fio version" {0,4}:',
    owns=LINE,
    commands=("fio",),
    priority=1,
)
def fio_json(section: OpenSection, out: Output) -> None:
    """Results as JSON."""
    results, walk = _Results(section, out), Walk()
    for line in section:
        for closed in walk.feed(line.text, line.number):
            _object(results, walk, closed, section, out)


def _object(results: _Results, walk: Walk, closed: Opened, section: OpenSection, out: Output) -> None:
    values, name = closed.values, walk.outer("jobname")
    job = f"{name} " if isinstance(name, str) else ""
    if closed.key in ("read", "write", "trim") and "jobs" in walk.path:
        if rate := figure(values.get("bw")):
            results.measured(closed.line, f"{job}{closed.key} bw", round(rate / 1024, 6), "MiB/s")
        if requests := figure(values.get("iops")):
            results.measured(closed.line, f"{job}{closed.key} iops", requests, "1/s")
    elif closed.key in ("clat_ns", "percentile"):
        _times(results, walk, closed, job)
    elif closed.key in ("job options", "global options") and (depth := figure(values.get("iodepth"))):
        results.measured(closed.line, "iodepth", depth, "")
    elif closed.key == "disk_util" and isinstance(values.get("name"), str):
        out.add(
            DiskIo(
                line=closed.line,
                node=section.node,
                at=section.at,
                source=TOOL,
                device=str(values["name"]),
                util=figure(values.get("util")),
            )
        )


def _times(results: _Results, walk: Walk, closed: Opened, job: str) -> None:
    """Completion times of an operation, in nanoseconds: mean and longest, and below them the shares."""
    operation = next((key for key in reversed(walk.path) if key in ("read", "write", "trim")), "")
    is_share = closed.key == "percentile"
    if is_share and "clat_ns" not in walk.path:
        return
    names = {"99.900000": "p99.9"} if is_share else {"mean": "mean", "max": "max"}
    for key, name in names.items():
        if value := figure(closed.values.get(key)):
            results.measured(closed.line, f"{job}{operation} clat {name}", round(value / 1e6, 6), "ms")
