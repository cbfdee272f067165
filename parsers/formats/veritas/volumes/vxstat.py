"""``vxstat`` and ``vxdmpadm iostat show`` of Veritas Volume Manager: I/O of volumes, disks and paths.

                          OPERATIONS          BLOCKS        AVG TIME(ms)
    TYP  NAME          READ     WRITE      READ     WRITE    READ  WRITE
    Wed Sep 17 08:12:05 2025
    vol  rolls         3184        12    790000        96    41.5    3.0

                       OPERATIONS            BLOCKS         AVG TIME(ms)
    PATHNAME        READS     WRITES      READS    WRITES    READS    WRITES
    sdc              8852          0       8852         0     0.02      0.00

Yields ``DiskIo``, a row for reads and one for writes. Blocks are sectors of 512 bytes; a size with a letter is what the
letter says. With ``-i N`` (``interval=N``) the first block counts since the start and has no interval, each later one
the interval. Without the command the dates above the blocks give the interval. In a shared disk group the figures add
up all nodes, unless ``-n``. A mean over no operation is unknown. Rows of a cut layout are skipped. Tables of failures
(``-ff``, ``-f fc``: ``CORRECTED``, ``UNCORRECTED`` and ``FAILED``, two columns each) give a ``StorageState`` for each
row. Source: vxstat(1M), vxdmpadm(1M); the layouts of the paths and of ``-f`` are recalled.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.headings.transcript import Command
from parsers.output import Output
from parsers.records import DAY_US, DiskIo
from parsers.records.states import StorageSort, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_HEAD: Final = r"OPERATIONS(?:\(op/s\))?\s{1,40}(?:BLOCKS|BYTES|KBYTES)\s{1,40}AVG TIME ?\(ms\)"
_TYPES: Final = (
    r"TYP\s{1,40}NAME\s{1,40}READ\s|PATHNAME\s{1,40}READS\s|(?:DMPNODENAME|ENCLRNAME|CTLRNAME|PORTID)\s{1,40}READS\s"
)
_FIGURE: Final = r"\d{1,20}(?:\.\d{1,6})?[kmgKMG]?"
_VXSTAT_ROW: Final = (
    rf"(?:vol|pl|sd|dm|co|ssb|sv|dco)\s{{1,20}}\S{{1,200}}(?:\s{{1,40}}{_FIGURE}){{4}}\s{{1,40}}\d{{1,9}}\.\d{{1,6}}\s"
)
_PATH_ROW: Final = (
    rf"\S{{1,200}}(?:\s{{1,40}}{_FIGURE}){{4}}\s{{1,40}}\d{{1,9}}\.\d{{1,6}}\s{{1,40}}\d{{1,9}}\.\d{{1,6}}\s{{0,40}}$"
)
_CPU: Final = r"cpu usage = \d"
_GROUP: Final = r"(?:(?:UN)?CORRECTED|FAILED|ATOMIC COPIES|VERIFIED|READ ?-?WRITEBACKS?)"
_LOST: Final = ("FAILED", "UNCORRECTED")
_FAILED: Final = (
    rf"{_GROUP}(?:\s{{1,40}}{_GROUP}){{0,3}}\s{{0,40}}$"
    r"|TYP\s{1,40}NAME(?:\s{1,40}READS\s{1,40}WRITES){1,4}\s{0,40}$"
)
_COUNTS: Final = r"(?:vol|pl|sd|dm)\s{1,20}\S{1,200}(?:\s{1,40}\d{1,18}\s{1,40}\d{1,18}){1,4}\s{0,40}$"
_CLAIMS: Final = rf"(?:{_HEAD}|{_TYPES}|{_FAILED}|{_COUNTS}|{_VXSTAT_ROW}|{_CPU})"
_OWNS: Final = rf"(?:{_CLAIMS}|{_PATH_ROW}|(?:vol|pl|sd|dm|co)\s)"
_ROW = re.compile(
    rf"(?:(vol|pl|sd|dm|co|ssb|sv|dco)\s{{1,20}})?(\S{{1,200}})((?:\s{{1,40}}{_FIGURE}){{4}})\s{{1,40}}(\d"
    r"{1,9}\.\d{1,6})\s{1,40}(\d{1,9}\.\d{1,6})"
    r"(?:\s{1,40}(\d{1,18})\s{1,40}(\d{1,18}))?\s{0,40}$"
)
_COUNTED_ROW = re.compile(_COUNTS)
_INTERVAL = re.compile(r"(?:\s-\w{0,8}i\s{0,4}|\binterval=)(\d{1,6}(?:\.\d{1,3})?)\b")
_LETTERS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SECTOR: Final = 512
_MOST_DEVICES: Final = 100_000


@dataclass(slots=True)
class _Run:
    """One run of the command over all its dated blocks."""

    place: tuple[int, str | None]
    """Line of the prompt, and node."""
    interval_s: float | None
    blocks: int = 0
    block_line: int = 0
    at: int | None = None
    gap_s: float | None = None
    seen: set[str] = field(default_factory=set)
    groups: list[str] = field(default_factory=list)
    """Pairs of columns in a table of failures."""

    def turn(self, at: int | None, line: int, device: str) -> None:
        """A row of a device: another block begins where the device was there already, or at another time."""
        if self.blocks and ((device not in self.seen and at == self.at) or len(self.seen) > _MOST_DEVICES):
            self.seen.add(device)
            return
        if self.at is not None and at is not None and at > self.at and (at >= DAY_US) == (self.at >= DAY_US):
            self.gap_s = (at - self.at) / 1e6
        self.seen = {device}
        self.blocks += 1
        self.block_line, self.at = line, at

    @property
    def length_s(self) -> float | None:
        """Seconds that the present block counts; None for the first one."""
        return None if self.blocks <= 1 else self.interval_s or self.gap_s


def _interval(command: Command | None) -> float | None:
    match = _INTERVAL.search(command.text) if command is not None else None
    return float(match[1]) if match and float(match[1]) > 0 else None


@parser("vxstat", version=7, product="veritas", claims=_CLAIMS, owns=_OWNS, commands=("vxstat", "vxdmpadm"))
def vxstat(section: OpenSection, out: Output) -> None:
    """``vxstat``, ``vxdmpadm iostat show``: operations, blocks and mean times of volumes, disks and paths."""
    run: _Run | None = out.interned.get("vxstat")
    place = (section.prompt_line, section.node)
    if run is None or run.place != place:
        run = out.interned["vxstat"] = _Run(place, _interval(section.command))
    unit = section.state.get("unit", _SECTOR)
    for line in section:
        text = line.text.strip()
        if (match := _ROW.match(text)) and (match[6] is None or section.state.get("failed")):
            _add(section, out, line, match, run, unit)
            if match[6] is not None:
                _failures(section, line, match[1], match[2], int(match[6]), int(match[7]))
        elif re.match(_HEAD, text):
            section.state["failed"] = "FAILED" in text
            unit = section.state["unit"] = 1 if " BYTES" in text else 1024 if "KBYTES" in text else _SECTOR
        elif not _failed_alone(section, run, line, text) and not re.match(f"{_TYPES}|{_CPU}", text):
            out.skip(line, "no operations, blocks and times")


def _add(section: OpenSection, out: Output, line: Line, match: re.Match[str], run: _Run, unit: int) -> None:
    device = match[2]
    run.turn(section.at, line.number, f"{match[1]} {device}")
    source = f"vxstat {match[1]}" if match[1] else "vxdmpadm iostat"
    figures = match[3].split()
    for op, count, size, mean in (
        ("read", figures[0], figures[2], match[4]),
        ("write", figures[1], figures[3], match[5]),
    ):
        operations = _number(count, 1)
        section.add(
            DiskIo,
            line.number,
            source=source,
            device=device,
            op=op,
            count=operations,
            bytes=_number(size, unit),
            mean_ms=float(mean) if operations else None,
            interval_s=run.length_s,
        )


_SORTS: Final[dict[str, StorageSort]] = {"vol": "volume", "pl": "plex", "sd": "subdisk", "dm": "disk"}


def _failed_alone(section: OpenSection, run: _Run, line: Line, text: str) -> bool:
    """A row or a heading of a table that holds failed and corrected operations alone."""
    if re.match(_FAILED, text):
        if not text.startswith("TYP"):
            run.groups = re.findall(_GROUP, text)
        return True
    if _COUNTED_ROW.match(text) is None:
        return False
    sort, name, *figures = text.split()
    groups = run.groups or ["FAILED"]
    if len(figures) != 2 * len(groups):
        return False
    counts = {group: (int(figures[2 * place]), int(figures[2 * place + 1])) for place, group in enumerate(groups)}
    lost = [counts[group] for group in _LOST if group in counts]
    reads, writes = max((one[0] for one in lost), default=0), max((one[1] for one in lost), default=0)
    if reads or writes or not any(counts.get("CORRECTED", (0,))):
        _failures(section, line, sort, name, reads, writes, tells=bool(lost))
    else:
        reads, writes = counts["CORRECTED"]
        _state(section, line, sort, name, f"{reads} corrected reads, {writes} corrected writes", "degraded")
    return True


def _failures(
    section: OpenSection, line: Line, sort: str | None, name: str, reads: int, writes: int, *, tells: bool = False
) -> None:
    """Operations that failed, of ``vxstat -ff``; where the table tells of nothing else, also that none did."""
    if reads or writes:
        standing: StorageStanding = "failing" if sort == "vol" else "degraded"
        _state(section, line, sort, name, f"{reads} failed reads, {writes} failed writes", standing)
    elif tells:
        _state(section, line, sort, name, "no failed reads, no failed writes", "healthy")


def _state(
    section: OpenSection, line: Line, sort: str | None, name: str, state: str, standing: StorageStanding
) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxstat -f",
        sort=_SORTS.get(sort or "", "disk"),
        name=name,
        state=state,
        standing=standing,
    )


def _number(text: str, unit: int) -> float:
    letter = text[-1].lower()
    return float(text[:-1]) * _LETTERS[letter] if letter in _LETTERS else float(text) * unit
