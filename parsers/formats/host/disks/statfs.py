"""What ``statfs`` says of a file system, as ``fstyp -v``, ``stat -f`` and small programs print it.

    vxfs                                          /gpfs/lund1, mounted on /gpfs/lund1:
    version: 7                                            f_bsize: 16777216
    f_bsize: 8192                                         f_frsize: 16384
    f_blocks: 52428800
    f_bfree: 471860

      File: "/gpfs/lund1"
    Block size: 16777216   Fundamental block size: 16384
    Blocks: Total: 1048576    Free: 821220     Available: 821220

Yields ``Setting`` for each figure, and ``Room`` of the space, as a share that is in use; VxFS makes inodes as it needs
them, so that few free ones say nothing. The mount is that of the line above, else the device of the command. No times.
Tolerated: lines left out, any order. Source: fstyp(1M), statvfs(2), stat(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import Room
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_MOUNTED: Final = r"/\S{0,400}, mounted on /?\S{1,400}:$"
_FIGURE: Final = r"f_[a-z]{3,16}:\s{1,20}\S"
_MOUNT = re.compile(r"(/\S{0,400}), mounted on /?\S{1,400}:$")
_PAIR = re.compile(r"(f_[a-z]{3,16}|version):\s{1,20}(\S{1,200})$")
_OF_STAT: Final = r"File: [\"'\u2018]?/[^\"'\u2019\n]{0,400}[\"'\u2019]?$"
_STAT_SIZES: Final = r"Block size: \d{1,12} {1,20}Fundamental block size: \d{1,12}$"
_STAT_ROOM: Final = r"(?:Blocks|Inodes): Total: \d{1,18} {1,20}Free: \d{1,18}\b"
_STAT_ID: Final = r"ID: [0-9a-f]{1,16} {1,20}Namelen: "
_STAT_PATH = re.compile(r"File: [\"'\u2018]?(/[^\"'\u2019\n]{0,400})")
_SIZES = re.compile(r"Block size: (\d{1,12}) {1,20}Fundamental block size: (\d{1,12})$")
_BLOCKS = re.compile(r"Blocks: Total: (\d{1,18}) {1,20}Free: (\d{1,18})\b")
_TYPE = re.compile(r"(?:vxfs|hfs|ufs|jfs2?|ext[234])$")


@parser(
    "statfs_sizes",
    version=4,
    product="",
    claims=rf"{_MOUNTED}|{_FIGURE}|{_STAT_SIZES}",
    owns=rf"{_MOUNTED}|f_[a-z]{{3,16}}:|version: \d|{_TYPE.pattern}|{_OF_STAT}|{_STAT_ID}|{_STAT_SIZES}|{_STAT_ROOM}",
    commands=("fstyp", "stat"),
    places=r"\bfstyp\b|\bstat (?:-L )?-f\b",
)
def statfs_sizes(section: OpenSection, out: Output) -> None:
    """``fstyp -v`` and prints of statfs: sizes and room of file systems."""
    scope: str | None = section.state.get("scope") or _device(section)
    values: dict[str, float] = section.state.setdefault("values", {})
    for line in section:
        text = line.text.strip()
        if mount := _MOUNT.match(text):
            scope = section.state["scope"] = mount[1]
            section.speaks_of(scope=scope)
            values.clear()
        elif pair := _PAIR.match(text):
            section.add(Setting, line.number, scope=scope, source="statfs", name=pair[1], value=pair[2])
            if is_whole(pair[2]):
                values[pair[1]] = float(pair[2])
            if pair[1] in ("f_blocks", "f_bfree") and values.get("f_blocks") and "f_bfree" in values:
                _put(section, line.number, scope, values["f_blocks"], values["f_bfree"])
        elif named := _STAT_PATH.match(text):
            scope = section.state["scope"] = named[1]
            out.frame()
        elif _of_stat(section, line.number, scope, text):
            pass
        elif _TYPE.match(text) or text.startswith(("ID: ", "Inodes: ", "Blocks: ")):
            out.frame()
        else:
            out.skip(line, "no size of statfs")


def _of_stat(section: OpenSection, line: int, scope: str | None, text: str) -> bool:
    """A line of figures of ``stat -f``."""
    if sizes := _SIZES.match(text):
        for name, value in (("f_bsize", sizes[1]), ("f_frsize", sizes[2])):
            section.add(Setting, line, scope=scope, source="statfs", name=name, value=value)
        return True
    if (blocks := _BLOCKS.match(text)) and float(blocks[1]):
        _put(section, line, scope, float(blocks[1]), float(blocks[2]))
        return True
    return False


def _device(section: OpenSection) -> str | None:
    args = section.command.args if section.command is not None else ()
    return next((one for one in reversed(args) if one.startswith("/")), None)


def _put(section: OpenSection, line: int, name: str | None, size: float, free: float) -> None:
    left = round(100 * min(free, size) / size, 3)
    section.add(
        Room,
        line,
        source="statfs",
        name=name,
        share=round(100 - left, 1),
        left=left,
        state=f"{100 - left:.1f} % full, {free:.0f} of {size:.0f} blocks left",
        standing=room_standing(100 - left),
    )
