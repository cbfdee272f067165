"""Fragmentation reports of VxFS: ``fsadm -E``, ``fsadm -D``, ``df -o s``.

    Extent Fragmentation Report                                           Directory Fragmentation Report
            Total    Average      Average     Total                                  Dirs      Total    Immed   Immeds
            ...
            Files    File Blks    # Extents   Free Blks                              Searched  Blocks   Dirs    to Add
            ...
             6127         204           1      158902                        total      41287     7548   35102       0
             ...
        % Free blocks in extents smaller than  8 blks: 0.69
        Free Extents By Size
               1:        212            2:        175

Yields ``Counter`` gauges with the mount as scope and one ``sample`` per report: names as printed, ``free extents of
64`` for the table, which may be flattened onto one line. Blocks are file system blocks (1 to 8 KB). Mount: from the
command; time: from above. Rows of a file set are kept apart from ``total`` by name. After ``-d`` the report is titled
``Directory Reorganization Statistics``. Tolerated: cut tables. Source: fsadm_vxfs(1M) and df_vxfs(1M) of VxFS 3.5 to
7.4; figures that wrap over two lines of a title are read by their order.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.paths import normal_mount
from parsers.headings.transcript import Command
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_TITLE: Final = r"(?:File System )?Extent Fragmentation (?:Report|Statistics)|Free Extents [Bb]y Size"
_INDEX: Final = r"(?:Free Space|File) Fragmentation Index\s{0,40}:\s{0,40}\d"
_PERCENT: Final = r"%\s{1,8}(?:Free blocks in extents smaller than|blks allocated to extents)\s{1,8}\d"
_BUCKETS: Final = r"# ?Files Fragmented by Fragmentation Index"
_CELLS: Final = r"\d{1,12}:\s{1,40}\d{1,18}(?=\s|$)"
_OF_MOUNT: Final = r"/\S{0,1023}\s{1,80}\(/dev/vx/\S{1,1000}\s{0,8}\)\s{0,4}:"
_EXTENT_CLAIM: Final = rf"(?:{_TITLE}|{_INDEX}|{_PERCENT}|{_BUCKETS}|{_OF_MOUNT})"
_EXTENT_HEAD: Final = r"Total\s{1,40}Average\s|Files\s{1,40}File Blks\s|0\s{1,40}1-25\s|blocks used for indirects:"
_EXTENT_OWNS = re.compile(rf"(?:{_EXTENT_CLAIM}|{_EXTENT_HEAD}|{_CELLS}|(?:\d{{1,18}}\s{{1,40}}){{3,4}}\d{{1,18}}$)")
_INDEX_ROW = re.compile(r"(Free Space|File) Fragmentation Index\s{0,40}:\s{0,40}(\d{1,3})\b")
_PERCENT_ROW = re.compile(
    r"%\s{1,8}(Free blocks in extents smaller than|blks allocated to extents)\s{1,8}(\d{1,9})\s{1,4}blks( "
    r"or larger)?\s{0,4}:\s{0,40}(\d{1,3}(?:[.,]\d{1,6})?)"
)
_MOUNT_LINE = re.compile(r"(/\S{0,1023})\s{1,80}\(/dev/vx/")
_FLATTENED_FOUR = re.compile(r"Free Blks((?:\s{1,40}\d{1,18}){4})(?=\s|$)")
_INDIRECT = re.compile(r"blocks used for indirects:\s{0,40}(\d{1,18})")
_CELL = re.compile(r"(\d{1,12}):\s{1,40}(\d{1,18})(?=\s|$)")
_NUMBERS = re.compile(r"\d{1,18}")
_FOUR: Final = (
    ("total files", ""),
    ("average file blocks", "blocks"),
    ("average extents", ""),
    ("total free blocks", "blocks"),
)
_BUCKET_NAMES: Final = ("0", "1-25", "26-50", "51-75", "76-100")

_DIRECTORY_TITLE: Final = r"Directory (?:Fragmentation Report|Reorganization Statistics)"
_DIRECTORY_ROW: Final = r"(?:total|fset\s{1,8}\d{1,6}|au\s{1,8}\d{1,9})(?:\s{1,40}\d{1,18}){3,9}\s{0,8}$"
_DIRECTORY_HEAD: Final = r"Dirs\s{1,40}(?:Total|Dirs)\b|Searched\s{1,40}(?:Blocks|Changed)\b"
_DIRECTORY_CLAIM: Final = (
    rf"(?:{_DIRECTORY_TITLE}|(?:total|fset\s{{1,8}}\d{{1,6}})(?:\s{{1,40}}\d{{1,18}}){{6,8}}\s{{0,8}}$)"
)
_DIRECTORY_OWNS: Final = rf"(?:{_DIRECTORY_CLAIM}|{_DIRECTORY_HEAD}|{_DIRECTORY_ROW})"
_REPORT_COLUMNS: Final = (
    "dirs searched",
    "total blocks",
    "immed dirs",
    "immeds to add",
    "dirs to reduce",
    "blocks to reduce",
)
_STATISTICS_COLUMNS: Final = (
    "dirs searched", "dirs changed", "total ioctls", "failed ioctls", "blocks reduced", "blocks changed",
    "immeds added",
)  # fmt: skip


class _Report:
    """One report: where it begins, whose mount it is."""

    def __init__(self, section: OpenSection, source: str) -> None:
        self.section = section
        self.mount = mount_of(section.command)
        self.source = source
        self.start = 0
        if self.mount is not None:
            section.speaks_of(scope=self.mount)

    def of_mount(self, mount: str) -> None:
        """The report itself names its mount."""
        self.mount = normal_mount(mount)
        self.section.speaks_of(scope=self.mount)

    def begin(self, line: int) -> None:
        """Another report begins."""
        self.start = line

    def add(self, out: Output, line: int, name: str, value: float, unit: str = "") -> None:
        """One figure of the report."""
        section = self.section
        section.add(
            Counter,
            line,
            scope=self.mount,
            source=self.source,
            name=name,
            unit=unit,
            value=value,
            sample=self.start or line,
        )


def mount_of(command: Command | None) -> str | None:
    """The mount that ``fsadm -E /mnt`` or ``df -o s /mnt`` names, where it is one only."""
    if command is None or command.program not in ("fsadm", "df", "fsadm_vxfs", "df_vxfs"):
        return None
    mounts = [word.rstrip(";&") for word in command.args if word.startswith("/")]
    return normal_mount(mounts[0]) if len(mounts) == 1 else None


def _extent_owns(text: str, before: str) -> bool:
    return _EXTENT_OWNS.match(text.lstrip()) is not None


@parser(
    "fsadm_extents",
    version=1,
    product="veritas",
    claims=_EXTENT_CLAIM,
    owns=_extent_owns,
    commands=("fsadm", "fsadm_vxfs"),
)
def fsadm_extents(section: OpenSection, out: Output) -> None:
    """``fsadm -E`` and ``df -o s``: how free space and files are cut up."""
    report: _Report = section.state.setdefault("report", _Report(section, "fsadm -E"))
    report.section = section
    before = ""
    for line in section:
        text = line.text.strip()
        titled = re.match(_TITLE, text) is not None
        if found := _MOUNT_LINE.match(text):
            report.of_mount(found[1])
            titled = True
        if (titled and not text.startswith("Free Extents")) or not report.start:
            report.begin(line.number)
        if (
            not _extent_row(report, out, line.number, text, before)
            and not titled
            and not re.match(f"{_EXTENT_HEAD}|{_BUCKETS}", text)
        ):
            out.skip(line, "no figure of the extent report")
        before = text


def _extent_row(report: _Report, out: Output, line: int, text: str, before: str) -> bool:
    """Figures of a line, which may be a whole report flattened onto it; whether there were any."""
    records = out.rows
    for match in _INDEX_ROW.finditer(text):
        report.add(out, line, f"{match[1].lower()} fragmentation index", int(match[2]))
    for match in _PERCENT_ROW.finditer(text):
        kind = (
            "free blocks in extents smaller than"
            if match[1].startswith("Free")
            else "blocks allocated to extents of at least"
        )
        report.add(out, line, f"{kind} {match[2]}", float(match[4].replace(",", ".")), "%")
    for match in _INDIRECT.finditer(text):
        report.add(out, line, "blocks used for indirects", int(match[1]), "blocks")
    for match in _FLATTENED_FOUR.finditer(text):
        _four(report, out, line, [int(number) for number in match[1].split()])
    for size, count in _CELL.findall(text):
        report.add(out, line, f"free extents of {int(size)}", int(count))
    return out.rows > records or _numbers(report, out, line, text, before)


def _four(report: _Report, out: Output, line: int, numbers: list[int]) -> None:
    for (name, unit), number in zip(_FOUR, numbers, strict=True):
        report.add(out, line, name, number, unit)


def _numbers(report: _Report, out: Output, line: int, text: str, before: str) -> bool:
    """The row of four below its heading, or the row of five buckets below theirs."""
    numbers = [int(number) for number in _NUMBERS.findall(text)] if re.fullmatch(r"[\d\s]{1,200}", text) else []
    if len(numbers) == 4:
        _four(report, out, line, numbers)
    elif len(numbers) == 5 and "1-25" in before:
        for bucket, number in zip(_BUCKET_NAMES, numbers, strict=True):
            report.add(out, line, f"files with index {bucket}", number)
    else:
        return False
    return True


@parser("fsadm_directories", version=1, product="veritas", claims=_DIRECTORY_CLAIM, owns=_DIRECTORY_OWNS)
def fsadm_directories(section: OpenSection, out: Output) -> None:
    """``fsadm -D``: how much directories could shrink; what ``-d`` did."""
    report: _Report = section.state.setdefault("report", _Report(section, "fsadm -D"))
    report.section = section
    for line in section:
        text = line.text.strip()
        if re.match(_DIRECTORY_TITLE, text):
            report.begin(line.number)
            section.state["columns"] = _STATISTICS_COLUMNS if "Reorganization" in text else _REPORT_COLUMNS
        elif re.match(_DIRECTORY_ROW, text):
            _directory_row(report, out, line.number, text, section.state.get("columns", _REPORT_COLUMNS))
        elif not re.match(_DIRECTORY_HEAD, text):
            out.skip(line, "no figures of the directory report")


def _directory_row(report: _Report, out: Output, line: int, text: str, columns: tuple[str, ...]) -> None:
    words = text.split()
    label = "" if words[0] == "total" else f"{words[0]} {words[1]} "
    for name, number in zip(columns, words[1 if not label else 2 :], strict=False):
        report.add(out, line, label + name, int(number), "blocks" if "blocks" in name else "")
