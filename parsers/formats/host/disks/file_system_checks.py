"""Checks of local file systems: ``e2fsck``, ``xfs_repair``, ``btrfs check`` and ``fsck.bcachefs``.

    e2fsck 1.46.5 (30-Dec-2021)                             Phase 2 - using internal log
    pots: recovering journal                                bad primary superblock - bad CRC in superblock !!!
    Inode 4711 has illegal block(s).  Clear? yes            ERROR: errors found in fs roots
    pots: ***** FILE SYSTEM WAS MODIFIED *****              found 8123 bytes used, no error found
    pots: clean, 81/2048 files, 912/8192 blocks             Error in recovery: journal replay failed (-5)

Yields ``Event``: damage that is left, damage that was repaired, and a check that refused to begin or gave up, about the
device of the command or the name in front of the line; ``StorageState`` of a file system that was found whole. No
times. Source: e2fsck(8), xfs_repair(8), btrfs-check(8) and the manual of bcachefs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Event
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.messages.catalogue import Weight
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.tables.rows import Make
    from parsers.text import Line

_TOOLS: Final = (
    "e2fsck",
    "fsck",
    "fsck.ext2",
    "fsck.ext3",
    "fsck.ext4",
    "xfs_repair",
    "xfs_check",
    "fsck.xfs",
    "btrfsck",
    "fsck.bcachefs",
    "bcachefs",
    "btrfs",
)
_KEPT: Final = 400
_NAME: Final = r"(?P<name>[\w/.:+-]{1,120})"


def _device(section: OpenSection) -> str | None:
    """What is checked, as the check says or as the command does: the last word of it that is a path."""
    if (device := section.state.get("device")) is not None:
        return str(device)
    command = section.command
    words = reversed(command.args) if command is not None else ()
    return next((word for word in words if word.startswith("/")), None)


def _event(kind: str, weight: Weight) -> Make:
    def put(section: OpenSection, line: Line, match: re.Match[str]) -> None:
        about = match.groupdict().get("name") or _device(section)
        text = line.text.strip()[:_KEPT]
        section.add(
            Event, line.number, source="check of a file system", kind=kind, about=about, weight=weight, text=text
        )

    return put


def _named(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["device"] = match["device"]


def _clean(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="check of a file system",
        sort="volume",
        name=match.groupdict().get("name") or _device(section),
        state="clean",
        standing="healthy",
    )


_DAMAGED: Final = _event("file-system-damaged", "disaster")
_REPAIRED: Final = _event("file-system-repaired", "trouble")
_REFUSED: Final = _event("file-system-not-checked", "trouble")
_ROWS: Final = Rows(
    heading("version", r"(?:e2fsck|fsck\.\w{3,8}|fsck) \d{1,2}\.\d{1,3}\b", r"fsck from util-linux \d"),
    Row("clean", rf"{_NAME}: clean, \d{{1,15}}/\d{{1,15}} files, \d{{1,15}}/\d{{1,15}} blocks", _clean),
    Row("sums", rf"{_NAME}: \d{{1,15}}/\d{{1,15}} files \([\d.]{{1,6}}% non-contiguous\)", fate=Fate.EVERYDAY),
    Row("replayed", rf"{_NAME}: recovering journal$", fate=Fate.EVERYDAY),
    Row("errors left", rf"{_NAME}: \*{{5,12}} WARNING: Filesystem still has errors \*{{5,12}}", _DAMAGED),
    Row("by hand", rf"{_NAME}: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY", _DAMAGED),
    Row("modified", rf"{_NAME}: \*{{5}} FILE SYSTEM WAS MODIFIED \*{{5}}", _REPAIRED),
    Row(
        "journal that was given up",
        r"(?:\*\*\* )?(?:ext[34] )?journal has been deleted\b[^\n]{0,80}"
        r"|Superblock has an invalid journal\b[^\n]{0,60}",
        _REPAIRED,
    ),
    everyday("answer", r"(?:Clear|Fix|Recreate|Abort|Ignore error)(?:<[yn]>)?\? {1,4}(?:yes|no)$", opens=False),
    Row("has errors", rf"{_NAME} contains a file system with errors, check forced", _REPAIRED),
    Row(
        "journal that is broken",
        r"JBD2: (?:Invalid checksum|Error \S{1,6}|journal checksum error)[^\n]{0,200}",
        _DAMAGED,
    ),
    Row(
        "refused",
        r"(?:(?:e2fsck|fsck\.\w{3,8}): (?:Bad magic number in super-?block|Cannot continue|Superblock invalid"
        r"|The superblock could not be read|unable to set superblock flags|Input/output error)"
        r"|ERROR: The filesystem has valuable metadata changes in a log"
        r"|(?:fatal error -- |Sorry, could not find valid secondary superblock|couldn't initialize XFS library))",
        _REFUSED,
    ),
    Row(
        "answered",
        r"[A-Z][^\n?]{6,300}[.)']\s{0,4}(?:Clear|Fix|Relocate|Recreate|Ignore error|Force rewrite|Salvage|Expand"
        r"|Optimize|Connect to /lost\+found|Clear inode|Delete file|Abort|Allocate|Split|Truncate)(?: inode)?"
        r"(?:<[yn]>)?\? {1,4}(?:yes|no|cancelled!)?",
        fate=Fate.EVERYDAY,
    ),
    heading("pass", r"Pass \d[A-D]?: (?:Checking|Rescanning|Optimizing|Duplicating|Cloning|Reconciling|Shuffling)"),
    heading("phase", r"Phase \d - (?:find|using|scan|check|rebuild|reset|traverse|verify|for each|zero)[^\n]{0,80}"),
    Row(
        "superblock of XFS",
        r"(?:bad primary superblock|Metadata corruption detected at \S|Metadata CRC error detected at \S"
        r"|would have (?:reset|cleared|rebuilt|corrected|junked)|corrupt (?:dinode|inode|block|dir))[^\n]{0,200}",
        _DAMAGED,
    ),
    Row("named by btrfs", r"Checking filesystem on (?P<device>/\S{1,200})$", _named, fate=Fate.FRAME),
    Row("sum that is wrong", r"mirror \d{1,3} bytenr \d{1,20} csum 0x[0-9a-f]{8,64} expected csum 0x", _DAMAGED),
    everyday(
        "words of btrfs",
        r"(?:Opening filesystem to check|\[\d{1,2}/\d{1,2}\] checking |UUID: [0-9a-f]{8}-|Fixed \d{1,9} roots"
        r"|No device size related problem|enabling repair mode|Starting repair)[^\n]{0,120}",
        opens=False,
    ),
    Row(
        "errors of btrfs",
        r"ERROR: errors found in (?:extent|fs roots|root refs|csum tree|free space)[^\n]{0,80}",
        _DAMAGED,
    ),
    Row("found errors", r"found \d{1,18} bytes used,? ?error\(s\) found$", _DAMAGED),
    Row("found none", r"found \d{1,18} bytes used,? ?no error found$", _clean),
    Row(
        "bcachefs gave up",
        r"(?:Error in recovery: [^\n]{3,120}|error starting filesystem\b[^\n]{0,120}|emergency read only$"
        r"|unable to write journal to sufficient devices$)",
        _DAMAGED,
        opens=False,
    ),
    everyday(
        "words of bcachefs",
        r"(?:journal read done|dropped unflushed entries|starting (?:mark and sweep|fsck)|mounted with opts"
        r"|recovering from (?:clean|unclean) shutdown|Unable to allocate journal write|going read-write)[^\n]{0,300}",
        opens=False,
    ),
)


@parser(
    "file_system_checks", version=2, product="", rows=_ROWS, commands=_TOOLS, places=r"\b(?:e2fsck|xfs_repair|fsck)\b"
)
def file_system_checks(section: OpenSection, out: Output) -> None:
    """What a check of a file system found."""
    _ROWS.read(section, out, "no line of a check")
