"""``vxtunefs`` of Veritas File System: tunables of a mounted file system, shown or set.

    Filesystem i/o parameters for /media
    read_pref_io = 65536
    lazy_isize_enable = 0
    UX:vxfs vxtunefs: INFO: V-3-22525: Parameters successfully set for /media

Yields ``Setting`` with the mount as scope. A row counts as in force; ``vxtunefs -o k=v MOUNT`` at a prompt sets its values only by
the line that confirms it (``set_here``). Sizes are bytes, extent sizes file system blocks. Without a heading (``| grep``) the
mount comes from the command. Time: from above. Tolerated: rows alone, where their names are known; failed calls set nothing.
Source: vxtunefs(1M) of VxFS 4.1 to 7.4.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.vxfsstat_header import normal_mount
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.text import Line, is_elision
from parsers.transcript import Command

_NAMES: Final = (
    r"(?:read|write)_(?:pref_io|nstream|unit_io|ahead|throttle)|pref_strength|buf_breakup_size|discovered_direct_iosz|max_direct_iosz"
    r"|default_indir_size|qio_cache_enable|odm_cache_enable|max_diskq|initial_extent_size|max_seqio_extent_size|max_buf_data_size"
    r"|hsm_write_prealloc|inode_aging_(?:size|count)|fcl_(?:keeptime|maxalloc|winterval|ointerval)|oltp_load|delicache_enable"
    r"|thin_friendly_alloc|dalloc_(?:enable|limit)|lazy_(?:isize_enable|copyonwrite)|pdir_(?:enable|threshold)"
)
_HEADING: Final = r"Filesystem i/o parameters for\s{1,4}\S"
_MESSAGE: Final = r"(?:UX:vxfs )?vxtunefs: [A-Z]{4,8}: V-3-\d"
_CLAIMS: Final = rf"(?:{_HEADING}|{_MESSAGE}|(?:{_NAMES})\s{{0,8}}=\s{{0,8}}-?\d{{1,20}}\s{{0,40}}$)"
_OWNS = re.compile(rf"(?:{_HEADING}|{_MESSAGE}|[a-z][a-z0-9_]{{1,60}}\s{{0,8}}=)")
_MOUNT = re.compile(r"Filesystem i/o parameters for\s{1,4}(\S{1,1024})$")
_ROW = re.compile(r"([a-z][a-z0-9_]{1,60})\s{0,8}=\s{0,8}(-?\d{1,20})$")
_SET: Final = "V-3-22525"
_SET_FOR = re.compile(r"for\s{1,4}(/\S{0,1024})$")
_ASSIGNED = re.compile(r"([a-z][a-z0-9_]{1,60})=(-?\d{1,20}[kmgtKMGT]?)$")


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


class _Call:
    """A ``vxtunefs`` command: what it assigns, and the mount when it names one only."""

    def __init__(self, command: Command | None) -> None:
        self.assigned: list[tuple[str, str]] = []
        self.mount: str | None = None
        words = list(command.args) if command is not None and command.program == "vxtunefs" else []
        mounts: list[str] = []
        while words:
            word = words.pop(0)
            if word in ("-o", "-f"):
                value = words.pop(0) if words else ""
                self._assign(value if word == "-o" else "")
            elif word.startswith("-o"):
                self._assign(word[2:])
            elif word.startswith("/"):
                mounts.append(word)
        if len(mounts) == 1:
            self.mount = normal_mount(mounts[0])

    def _assign(self, text: str) -> None:
        self.assigned += [(match[1], match[2]) for part in text.split(",") if (match := _ASSIGNED.match(part))]


@parser("vxtunefs", version=1, product="veritas", claims=_CLAIMS, owns=_owns, commands=("vxtunefs",))
def vxtunefs(section: OpenSection, out: Output) -> None:
    """``vxtunefs``: tunables in force, and changes that the tool confirmed."""
    call = _Call(section.command)
    mount: str | None = section.state.get("mount", call.mount)
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif heading := _MOUNT.match(text):
            mount = section.state["mount"] = normal_mount(heading[1])
        elif _SET in text:
            _confirmed(section, out, call, line)
        elif match := _ROW.match(text):
            out.add(_setting(section, line, mount, match[1], match[2]))
        elif "vxtunefs:" not in text:
            out.skip(line, "no parameter with a number")
        if mount is not None and section.scope is None:
            section.speaks_of(scope=mount)


def _confirmed(section: OpenSection, out: Output, call: _Call, line: Line) -> None:
    """The tool says that it set what the command asked for."""
    match = _SET_FOR.search(line.text.strip())
    mount = normal_mount(match[1]) if match else call.mount
    if mount is not None and section.scope is None:
        section.speaks_of(scope=mount)
    for name, value in call.assigned:
        out.add(_setting(section, line, mount, name, value, set_here=True))


def _setting(section: OpenSection, line: Line, mount: str | None, name: str, value: str, *, set_here: bool = False) -> Setting:
    return Setting(
        line=line.number, node=section.node, scope=mount, source="vxtunefs", name=name, value=value, at=section.at,
        zone_min=section.zone_min, set_here=set_here,
    )  # fmt: skip
