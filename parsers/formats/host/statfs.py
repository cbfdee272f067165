"""What ``statfs`` says of a file system, as ``fstyp -v`` and small programs print it.

    vxfs                                          /gpfs/lund1, mounted on /gpfs/lund1:
    version: 7                                            f_bsize: 16777216
    f_bsize: 8192                                         f_frsize: 16384
    f_blocks: 52428800
    f_bfree: 471860

Yields ``Setting`` for each figure, and ``Room`` of the space, as a share that is in use; VxFS makes inodes as it needs
them, so that few free ones say nothing. The mount is that of the line above, else the device of the command. No times.
Tolerated: lines left out, any order. Source: fstyp(1M), statvfs(2).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.output import Output
from parsers.records import Room, Setting
from parsers.registry import parser
from parsers.sections import OpenSection

_MOUNTED: Final = r"/\S{0,400}, mounted on /?\S{1,400}:$"
_FIGURE: Final = r"f_[a-z]{3,10}:\s{1,20}\S"
_MOUNT = re.compile(r"(/\S{0,400}), mounted on /?\S{1,400}:$")
_PAIR = re.compile(r"(f_[a-z]{3,10}|version):\s{1,20}(\S{1,200})$")
_TYPE = re.compile(r"(?:vxfs|hfs|ufs|jfs2?|ext[234])$")


@parser(
    "statfs_sizes",
    version=2,
    product="",
    claims=rf"{_MOUNTED}|{_FIGURE}",
    owns=rf"{_MOUNTED}|f_[a-z]{{3,10}}:|version: \d|{_TYPE.pattern}",
    commands=("fstyp",),
    places=r"\bfstyp\b",
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
            if pair[2].isdigit() and len(pair[2]) < 19:
                values[pair[1]] = float(pair[2])
            if pair[1] in ("f_blocks", "f_bfree") and values.get("f_blocks") and "f_bfree" in values:
                _put(section, line.number, scope, values["f_blocks"], values["f_bfree"])
        elif _TYPE.match(text):
            out.frame()
        else:
            out.skip(line, "no size of statfs")


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
