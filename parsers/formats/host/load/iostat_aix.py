"""``iostat`` of AIX: how busy each disk was; with ``-D`` also how long its reads and writes took, in blocks or (``-l``)
in one line a disk.

    Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn
    hdisk4          98.1    9120.0     402.1      40120     51120
    hdisk4         xfer:  %tm_act      bps      tps      bread      bwrtn
                           98.1     9.1M    402.1       4.0M       5.1M
                   read:      rps  avgserv  minserv  maxserv   timeouts      fails
                            201.0     88.1      0.2      1.2S          0          0

Yields ``DiskIo``: rates, the share of time busy, and where they are printed the mean and the longest service time of
reads and writes (of both together the mean of them) and the time in the queue, in ms (``S`` is seconds); ``Counter`` of
timeouts, failures and how often a second its queue was full, ``StorageState`` where there were timeouts or failures.
The first report tells about the time since boot: its source says so. Tables of terminals and processors are read over.
Tolerated: cells with one blank between, a time behind each row (``-T``), cut rows. Source: iostat of the AIX commands
reference, recalled.
"""

from __future__ import annotations

import re
from typing import Any, Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, DiskIo
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_KIB: Final = 1024.0
_FIGURE: Final = r"\d{1,12}(?:[.,]\d{1,6})?[KMGTS]?"
_NAME: Final = r"[A-Za-z][\w./-]{1,64}"
_SHORT: Final = r"Disks?:\s{1,40}% ?tm_act\s{1,20}[KMG]?bps\s{1,20}tps\s"
_LONG: Final = r"Disks?:\s{1,60}xfers?\s{1,60}read\s"
_BLOCK: Final = rf"{_NAME}\s{{1,40}}xfer:\s{{1,12}}%tm_act\s{{1,12}}bps\s"
_SYSTEM: Final = r"System configuration: lcpu=\d{1,5} .{0,60}drives=\d"
_TERMINAL: Final = r"tty:\s{1,20}tin\s{1,20}tout\s"
_CLAIMS: Final = rf"(?:{_SHORT}|{_LONG}|{_BLOCK}|{_SYSTEM}|{_TERMINAL})"
_OWNS: Final = (
    rf"(?:{_CLAIMS}|(?:read|write|queue):\s{{1,20}}[a-z]|(?:{_NAME}\s{{1,40}})?{_FIGURE}(?:\s{{1,20}}{_FIGURE}){{3,30}}"
    r"(?:\s{1,20}\d\d:\d\d:\d\d)?\s{0,8}$|[- ]{20,240}$|%tm\s{1,12}bps\s|act\s{1,60}serv\s)"
)
_BLOCK_ROW = re.compile(_BLOCK)
_PART = re.compile(r"(?P<part>read|write|queue):\s{1,20}(?P<names>[a-z].{0,120})$")
_VALUE = re.compile(rf"{_FIGURE}$")
_UNITS: Final = {"K": _KIB, "M": _KIB**2, "G": _KIB**3, "T": _KIB**4}
_COLUMNS: Final = (
    "%tm_act", "bps", "tps", "bread", "bwrtn", "rps", "read avg", "read min", "read max", "read timeouts", "read fails",
    "wps", "write avg", "write min", "write max", "write timeouts", "write fails", "avgtime", "mintime", "maxtime",
    "avgwqsz", "avgsqsz", "sqfull",
)  # fmt: skip
"""Of ``-D -l``, whose heading is printed in two lines."""
_PARTS: Final = {
    "rps": "rps", "wps": "wps", "avgserv": "avg", "minserv": "min", "maxserv": "max", "timeouts": "timeouts",
    "fails": "fails",
}  # fmt: skip


def _number(text: str) -> float | None:
    """A count or a size in bytes."""
    if _VALUE.match(text) is None:
        return None
    return float(text.rstrip("KMGTS").replace(",", ".")) * _UNITS.get(text[-1], 1.0)


def _milliseconds(text: str) -> float | None:
    value = _number(text)
    return None if value is None else value * (1000.0 if text.endswith("S") else 1.0)


def _mean_ms(row: dict[str, str]) -> float | None:
    """Of reads and writes together."""
    parts = [
        (_number(row.get(rate, "")), _milliseconds(row.get(mean, "")))
        for rate, mean in (("rps", "read avg"), ("wps", "write avg"))
    ]
    known = [(rate, mean) for rate, mean in parts if rate is not None and mean is not None]
    total = sum(rate for rate, _ in known)
    return round(sum(rate * mean for rate, mean in known) / total, 3) if total > 0 else None


class _Reader:
    """Rows below their headings, of one run of the tool."""

    def __init__(self, section: OpenSection) -> None:
        self.section = section
        self.table = ""
        self.device = ""
        self.columns: list[str] = []
        self.cells: dict[str, str] = {}
        self.reports: dict[str, int] = {}
        """Rows of each device so far: the first is of the time since boot."""
        self.first_line = 0

    def feed(self, line: Line) -> Fate | None:
        """The fate of a line; None where it is no row of the table that is open."""
        text = line.text.strip()
        words = text.split()
        if re.match(_SHORT, text):
            self.table = "short"
        elif re.match(_LONG, text):
            self.table = "long"
        elif _BLOCK_ROW.match(text):
            self.close()
            self.table, self.device, self.first_line, self.columns = "block", words[0], line.number, words[2:]
        elif (part := _PART.match(text)) is not None and self.table == "block":
            names = part["names"].split()
            self.columns = [
                name
                if part["part"] == "queue" or name in ("rps", "wps")
                else f"{part['part']} {_PARTS.get(name, name)}"
                for name in names
            ]
        else:
            return self._row(line, words)
        return Fate.FRAME

    def _row(self, line: Line, words: list[str]) -> Fate | None:
        if words[0] in ("System", "tty:"):
            self.table = ""
            return Fate.FRAME
        if words[-1].count(":") == 2:
            words = words[:-1]
        if self.table == "block" and _VALUE.match(words[0]):
            self.cells.update(zip(self.columns, words, strict=False))
            return Fate.FACT
        if self.table == "short" and len(words) == 6 and not _VALUE.match(words[0]):
            self._put(line.number, words[0], dict(zip(("%tm_act", "kbps", "tps"), words[1:], strict=False)))
            return Fate.FACT
        if self.table == "long" and len(words) == len(_COLUMNS) + 1:
            self._put(line.number, words[0], dict(zip(_COLUMNS, words[1:], strict=True)))
            return Fate.FACT
        is_frame = words[0] in ("%tm", "act") or not any(map(str.isalnum, line.text))
        return Fate.FRAME if is_frame else Fate.ASIDE if self.table == "" else None

    def close(self) -> None:
        """A block of ``-D`` is whole."""
        cells, self.cells = self.cells, {}
        if cells:
            self._put(self.first_line, self.device, cells)

    def _put(self, number: int, device: str, row: dict[str, str]) -> None:
        is_first = self.reports.get(device, 0) == 0
        self.reports[device] = self.reports.get(device, 0) + 1
        tool = "iostat -D" if "rps" in row or "wps" in row else "iostat"
        source = f"{tool} (since boot)" if is_first else tool
        size = _number(row.get("bps", ""))
        kib = _number(row.get("kbps", ""))
        shared: dict[str, Any] = {
            "source": source,
            "device": device,
            "per_s": True,
            "interval_s": None if is_first else _interval(self.section),
        }
        waiting = [_number(row.get(name, "")) for name in ("avgwqsz", "avgsqsz")]
        self.section.add(
            DiskIo,
            number,
            **shared,
            count=_number(row.get("tps", "")),
            bytes=kib * _KIB if kib is not None else size,
            mean_ms=_mean_ms(row),
            util=_number(row.get("%tm_act", "")),
            queue_ms=_milliseconds(row.get("avgtime", "")),
            queue=None if None in waiting else sum(one or 0.0 for one in waiting),
        )
        for op, rate, moved in (("read", "rps", "bread"), ("write", "wps", "bwrtn")):
            if rate in row:
                self.section.add(
                    DiskIo,
                    number,
                    **shared,
                    op=op,
                    count=_number(row[rate]),
                    bytes=_number(row.get(moved, "")),
                    mean_ms=_milliseconds(row.get(f"{op} avg", "")),
                    max_ms=_milliseconds(row.get(f"{op} max", "")),
                )
                for name in ("timeouts", "fails"):
                    self._count(number, device, source, f"{op} {name}", row)
        self._count(number, device, source, "sqfull", row)
        self._errors(number, device, row)

    def _errors(self, number: int, device: str, row: dict[str, str]) -> None:
        """Requests that nobody answered or that failed: a disk in order has none."""
        counts = {
            f"{op} {name}": int(_number(row.get(f"{op} {name}", "")) or 0)
            for name in ("timeouts", "fails")
            for op in ("read", "write")
        }
        if text := ", ".join(f"{count} {name}" for name, count in counts.items() if count):
            self.section.add(
                StorageState,
                number,
                source="iostat -D",
                sort="disk",
                name=device,
                state=text,
                standing="degraded" if any(counts[name] for name in counts if name.endswith("fails")) else "hint",
            )

    def _count(self, number: int, device: str, source: str, name: str, row: dict[str, str]) -> None:
        if (value := _number(row.get(name, ""))) is not None:
            self.section.add(Counter, number, scope=device, source=source, name=name, kind="gauge", value=value)


def _interval(section: OpenSection) -> float | None:
    command = section.command
    found = [word for word in command.args if word.isdigit()] if command is not None else []
    return float(found[0]) if found and len(found[0]) < 6 and found[0] != "0" else None


@parser("iostat_aix", version=2, product="storage", claims=_CLAIMS, owns=_OWNS, commands=("iostat",), priority=1)
def iostat_aix(section: OpenSection, out: Output) -> None:
    """``iostat`` of AIX: short, in blocks and in long lines."""
    reader = section.state.setdefault("reader", _Reader(section))
    reader.section = section
    for line in section:
        if (fate := reader.feed(line)) is None:
            out.skip(line, "no row of a table of iostat")
        elif fate is not Fate.FACT:
            out.ledger.change(1, fate)
    reader.close()
