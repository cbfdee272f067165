"""``fstyp -v``: what the superblock of a file system says of its room.

    vxfs
    version: 7
    f_bsize: 8192
    f_frsize: 8192
    f_blocks: 52428800
    f_bfree: 471860
    f_files: 500211
    f_ffree: 21004

Yields ``Room`` of the space, as a share that is in use, and ``Setting`` for each figure; VxFS makes inodes as it needs
them, so that few free ones say nothing. The device is that of the command. No times. Tolerated: lines left out, any
order. Source: fstyp(1M), statvfs(2).
"""

from __future__ import annotations

from typing import Final

from parsers.filling import room_standing
from parsers.key_values import KeyValues
from parsers.output import Output
from parsers.records import Room, Setting
from parsers.registry import parser
from parsers.sections import OpenSection

_LIST: Final = KeyValues(
    r"f_[a-z]{3,10}", "version", sign=r":\s{0,20}", caption=r"(?:vxfs|hfs|ufs)$", claimed_by=(r"f_[a-z]{3,10}",)
)


@parser("fstyp", version=1, product="", claims=_LIST.claims, owns=_LIST.owns, commands=("fstyp",))
def fstyp(section: OpenSection, out: Output) -> None:
    """``fstyp -v``: room of a file system by its superblock."""
    args = section.command.args if section.command is not None else ()
    device = next((one for one in reversed(args) if one.startswith("/")), None)
    values: dict[str, float] = section.state.setdefault("values", {})
    for pair in _LIST.pairs(section, out, "no figure of a superblock"):
        section.add(Setting, pair.line, source="fstyp -v", scope=device, name=pair.name, value=pair.value)
        if pair.value.isdigit() and len(pair.value) < 19:
            values[pair.name] = float(pair.value)
        if pair.name in ("f_blocks", "f_bfree") and values.get("f_blocks") and "f_bfree" in values:
            _put(section, pair.line, device, values["f_blocks"], values["f_bfree"])


def _put(section: OpenSection, line: int, device: str | None, size: float, free: float) -> None:
    left = round(100 * min(free, size) / size, 3)
    section.add(
        Room,
        line,
        source="fstyp -v",
        name=device,
        share=round(100 - left, 1),
        left=left,
        state=f"{100 - left:.1f} % full, {free:.0f} of {size:.0f} blocks left",
        standing=room_standing(100 - left),
    )
