"""Attributes of a Spectrum Scale file system, for people: ``mmlsfs``.

    File system attributes for /dev/fs1:
    ====================================
    flag                value                    description
    ------------------- ------------------------ -----------------------------------
     -f                 16384                    Minimum fragment (subblock) size in bytes
     -r                 1                        Default number of data replicas
     -V                 22.00 (5.0.4.0)          Current file system version
                        18.00 (5.0.0.0)          Original file system version
     -Q                 user;group;fileset       Quotas accounting enabled

Yields ``Setting`` (``scope``: the file system, ``name``: the flag, ``note``: its description; a further value of a flag
keeps its name) and ``Version`` (level of the file system). Columns are parted by two blanks or more, words of a value
by one. No times. Source: IBM Storage Scale documentation, mmlsfs.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.tables.tables_disks import FORMAT
from parsers.formats.scale.tables.tables_state import file_system_named
from parsers.output import Output
from parsers.records import Setting, Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_TITLE: Final = r"File system attributes for \S{1,200}:"
_HEAD: Final = r"flag {2,40}value {2,60}description"
_FLAG: Final = r"-(?:[A-Za-z]|-[a-z][a-z0-9A-Z-]{2,60})"
_DESCRIPTION: Final = (
    r"(?:Minimum fragment|Inode size in bytes|Indirect block size|Default (?:number of|quotas|mount "
    r"point)|Maximum number of|Block allocation type|File locking semantics|ACL semantics|Estimated "
    r"(?:average|number)|Block size|Quotas|Current file system version|Original file system "
    r"version|Per-fileset quota|Fileset|DMAPI|File system creation|Fast external|Suppress|Exact "
    r"mtime|Strict|Logfile size|Number of subblocks|Disks in file|Disk storage pools|Automatic "
    r"mount|Additional mount|Mount priority|Write|Encryption|is4KAligned|rapidRepair|HAWC|Highest)"
)
_VALUE: Final = r"\S(?:\S| (?=\S)){0,2000}"
_ROW: Final = rf"{_FLAG} {{1,80}}{_VALUE} {{2,80}}{_DESCRIPTION}"
_CLAIM: Final = rf"{_TITLE}|{_HEAD}|{_ROW}"
_OWNS: Final = rf"{_CLAIM}|-{{8,40}} {{1,4}}-|={{8,200}}$|{_FLAG}(?: {{1,80}}\S|$)|{_VALUE} {{2,80}}{_DESCRIPTION}"
_OF = re.compile(r"File system attributes for (?:/dev/)?(\S{1,200}?):")
_CELLS = re.compile(rf"(?:({_FLAG}) {{1,80}})?({_VALUE})(?: {{2,80}}(\w.{{0,200}}))?$")
_DAY = re.compile(r"([A-Z][a-z]{2} [A-Z][a-z]{2})  (?=\d )")
_ALONE = re.compile(rf"{_FLAG}$")
_TAIL = re.compile(rf" ({_DESCRIPTION}.{{0,200}})$")
_LEVEL = re.compile(r"\d{1,3}\.\d{2} ?\(\d[\d.]{3,20}\)")


@parser("scale_fs", version=1, product="spectrum-scale", claims=_CLAIM, owns=_OWNS, commands=("mmlsfs",))
def scale_fs(section: OpenSection, out: Output) -> None:
    """``mmlsfs``: attributes of a file system."""
    device, state = file_system_named(section), section.state
    state.setdefault("fs", None if device == "all" else device)
    for line in section:
        text = _DAY.sub(r"\1 ", line.text.strip())
        if found := _OF.match(text):
            state["fs"] = found[1]
            section.speaks_of(scope=found[1])
        elif re.match(_HEAD, text) or set(text) <= set("-= "):
            out.ignore()
        elif not _ALONE.match(text) and (row := _CELLS.match(text)) is not None and (row[1] or state.get("flag")):
            flag = state["flag"] = row[1] or state["flag"]
            tail = None if row[3] else _TAIL.search(row[2])
            value, note = (row[2][: tail.start()].strip(), tail[1]) if tail else (row[2], row[3])
            out.add(
                Setting(
                    line=line.number,
                    scope=state["fs"],
                    source="mmlsfs",
                    name=flag,
                    value=value,
                    note=note,
                    at=section.at,
                    zone_min=section.zone_min,
                )
            )
            if flag == "-V" and _LEVEL.match(value) and "riginal" not in (note or ""):
                out.add(
                    Version(
                        line=line.number,
                        at=section.at,
                        zone_min=section.zone_min,
                        product=f"{FORMAT}{state['fs']}",
                        version=value,
                    )
                )
        else:
            out.skip(line, "no flag with its value")
