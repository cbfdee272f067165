"""Tables of how long disks take, by their heading: of any tool, of an export or of a monitor.

    osd  commit_latency(ms)  apply_latency(ms)        time,host,device,read_latency_ms,write_latency_ms
      7                2104               2104        2031-11-30 10:02:00,plover9,sdb,912.5,1201.2
      8                   3                  3        2031-11-30 10:02:00,plover8,sdb,1.5,1.2

    | Volume | IOPS | Avg latency (us) |
    |--------|-----:|-----------------:|
    | home9  |  812 |            91220 |

A heading names a disk or a part of one, and at least one latency with its unit; what parts its cells (blanks, a bar, a
comma, a semicolon, a tab) parts those of the rows, which have as many. Yields ``DiskIo`` for each row, with the rate
where a column tells it, and with the host and the moment of the row: of reads and of writes where they are told apart,
and the slower of them for the device. Longest times and percentiles are no means and are left out. Every reader of a
certain tool goes first. Source: ``ceph osd perf``, arrays and monitors, as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import find_instant

SOURCE: Final = "latency table"
_MS: Final = {"n": 1e-6, "u": 1e-3, "µ": 1e-3, "μ": 1e-3, "m": 1.0, "s": 1e3}
"""By the first letter of a unit."""
_UNIT: Final = r"(?:ns|us(?:ec)?|[µμ]s|ms(?:ec)?|s(?:ec)?)"
_LATENCY: Final = (
    r"(?i:[\w./ -]{0,40}(?<![a-z])(?:lat(?:ency)?|r?_?w?_?await|wait|svctm|serv(?:ice)?[_ ]?time|resp(?:onse)?[_ ]?time"
    r"|rtt|avg[_ ]?time)(?![a-z])[\w./ -]{0,20}?)"
)
_TIMED: Final = rf"{_LATENCY}[ _]?[\[(_ ]{_UNIT}[\])]?"
_THING: Final = (
    r"(?i:(?:device|dev|disk|osd|drive|lun|volume|vol|nsd|path|vdisk|mdisk|pdisk|datastore|brick|target|hdisk)"
    r"(?:[_ ]?(?:name|id))?)"
)
_MARKS: Final = "|;,\t"
_MARK: Final = r"[|;,\t]"
_PARTED: Final = (
    rf"(?=(?:[^\n]{{0,300}}{_MARK})?\s{{0,20}}{_THING}\s{{0,20}}{_MARK})"
    rf"(?=[^\n]{{0,300}}{_MARK}\s{{0,20}}{_TIMED}\s{{0,20}}(?:{_MARK}|$))"
    rf"[#|]?\s{{0,4}}[A-Za-z][^\n]{{3,600}}$"
)
_TIMES: Final = r"(?i:(?:[\w.]{1,20} ){0,2}\w{0,20}(?:lat(?:ency)?|wait|resp(?:onse)?[_ ]time|service[_ ]time)\w{0,16})"
_BLANK: Final = (
    rf"(?=#?\s{{0,4}}(?:[\w/%.-]{{1,30}} {{1,20}}){{0,3}}{_THING} )(?=[^\n|;,\t]{{0,300}} {_TIMES} ?\({_UNIT}\))"
    r"#?\s{0,4}[A-Za-z][^\n|;,\t]{3,400}$"
)
_CLAIMS: Final = rf"(?:{_PARTED}|{_BLANK})"
_HEADING = re.compile(_CLAIMS)
_RULER: Final = r"\|?[\s:|+=-]{3,600}$"
_OWNS: Final = rf"(?:{_CLAIMS}|{_RULER}|[^\n]{{0,600}}\d)"
_LATENCIES: Final = re.compile(_TIMED)
_THINGS: Final = re.compile(_THING)
_OF_UNIT: Final = re.compile(rf"[\[(_ ]({_UNIT})[\])]?$")
_NO_MEAN: Final = re.compile(r"(?i:max|min|worst|best|std|dev(?:iation)?\b|p\d\d|\d\d(?:th|%)|percentile|95|99)")
_READ: Final = re.compile(r"(?i:(?<![a-z])(?:read|rd|r_await|r)(?![a-z]))")
_WRITE: Final = re.compile(r"(?i:(?<![a-z])(?:write|wr|w_await|w|commit)(?![a-z]))")
_RATE: Final = re.compile(r"(?i:(?:total[_ ])?(?:iops|tps|ops/s|io/s|req(?:uests)?/s|ops_per_sec))$")
_HOST: Final = ("host", "hostname", "node", "server")
_MOMENT: Final = ("time", "timestamp", "date", "datetime")
_LONGEST_CELL: Final = 120


@dataclass(frozen=True, slots=True)
class _Heading:
    """Columns by what they hold. times: column, operation and factor to ms."""

    mark: str
    columns: int
    device: int
    sort: str
    host: int | None
    moment: int | None
    rate: int | None
    times: tuple[tuple[int, str, float], ...]


@parser("latency_tables", version=1, product="storage", claims=_CLAIMS, owns=_OWNS, priority=-54)
def latency_tables(section: OpenSection, out: Output) -> None:
    """Rows of disks, each with its mean times."""
    heading: _Heading | None = None
    for line in section:
        text = line.text.strip()
        if _HEADING.match(text):
            heading = _heading(text)
            out.frame()
        elif re.fullmatch(_RULER, text):
            out.frame()
        elif heading is None or len(cells := _cells(text, heading.mark)) != heading.columns:
            out.skip(line, "a row with more or fewer cells than its heading")
        elif not _put(section, line, heading, cells):
            out.skip(line, "a row without a time")


def _heading(text: str) -> _Heading | None:
    plain = text.removeprefix("#").strip()
    mark = max(_MARKS, key=plain.count)
    mark = mark if mark in plain else ""
    names = _cells(plain, mark) if mark else _names(plain)
    plain_names = [name.lower().replace(" ", "_") for name in names]

    def at(among: tuple[str, ...]) -> int | None:
        return next((index for index, name in enumerate(plain_names) if name in among), None)

    device = next((index for index, name in enumerate(names) if _THINGS.fullmatch(name)), None)
    times = tuple(
        (index, _operation(name), _MS[unit[1][0]])
        for index, name in enumerate(names)
        if (unit := _OF_UNIT.search(name)) and _LATENCIES.fullmatch(name) and _NO_MEAN.search(name) is None
    )
    if device is None or not times:
        return None
    rate = next((index for index, name in enumerate(names) if _RATE.fullmatch(name)), None)
    return _Heading(mark, len(names), device, plain_names[device], at(_HOST), at(_MOMENT), rate, times)


def _names(text: str) -> list[str]:
    """The columns of a heading in blanks: parted by two at least, else by one, which may stand before a unit too."""
    wide = re.split(r" {2,}", text)
    return (
        wide if len(wide) > 1 and any(" " in name for name in wide) else re.sub(rf" (?=\({_UNIT}\))", "", text).split()
    )


def _operation(name: str) -> str:
    return "read" if _READ.search(name) else "write" if _WRITE.search(name) else ""


def _cells(text: str, mark: str) -> list[str]:
    if not mark:
        return text.split()
    return [cell.strip().strip('"') for cell in text.strip().removeprefix(mark).removesuffix(mark).split(mark)]


def _put(section: OpenSection, line: Line, heading: _Heading, cells: list[str]) -> bool:
    """Whether the row tells a time."""
    device = cells[heading.device]
    device = f"{heading.sort} {device}" if device.isdecimal() else device
    found = [(op, value * factor) for at, op, factor in heading.times if (value := figure(cells[at])) is not None]
    if not found or not device or len(device) > _LONGEST_CELL:
        return False
    moment = find_instant(cells[heading.moment]) if heading.moment is not None else None
    rate = figure(cells[heading.rate]) if heading.rate is not None else None
    both = max(mean_ms for _, mean_ms in found)
    for op, mean_ms in dict.fromkeys([("", both), *((op, mean_ms) for op, mean_ms in found if op)]):
        section.add(
            DiskIo,
            line.number,
            node=cells[heading.host] if heading.host is not None and cells[heading.host] else section.node,
            at=moment[0].us if moment else section.at,
            zone_min=moment[0].zone_min if moment else section.zone_min,
            source=SOURCE,
            device=device,
            op=op,
            count=rate,
            per_s=rate is not None,
            mean_ms=mean_ms,
        )
    return True
