"""``vxtunefs`` of Veritas File System: tunables of a mounted file system, shown or set; and the file of those set at
each mount.

    Filesystem i/o parameters for /media
    read_pref_io = 65536
    lazy_isize_enable = 0
    UX:vxfs vxtunefs: INFO: V-3-22525: Parameters successfully set for /media

    /dev/vx/dsk/mediadg/media  read_nstream=4,lazy_isize_enable=1          /etc/vx/tunefstab

Yields ``Setting`` with the mount as scope. A row counts as in force; ``vxtunefs -o k=v MOUNT`` at a prompt sets its
values only by the line that confirms it (``set_here``). Sizes are bytes, extent sizes file system blocks. Without a
heading (``| grep``) the mount comes from the command. A heading may name the volume's device instead of the mount: the
scope is what it names. A size may end in k, m, g or t. Rows of tunefstab have source ``tunefstab``: they come into
force at the next mount. Time: from above. Tolerated: rows alone, where their names are known; failed calls set nothing.
Source: vxtunefs(1M) and tunefstab(4) of VxFS 4.1 to 7.4; the order of the fields of tunefstab is recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.paths import normal_mount
from parsers.headings.transcript import Command
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

PARAMETERS: Final = (
    r"(?:read|write)_(?:pref_io|nstream|unit_io|ahead|throttle)|pref_strength|buf_breakup_size"
    r"|discovered_direct_iosz|max_direct_iosz|default_indir_size|qio_cache_enable|odm_cache_enable"
    r"|max_diskq|initial_extent_size|max_seqio_extent_size|max_buf_data_size|hsm_write_prealloc"
    r"|inode_aging_(?:size|count)|fcl_(?:keeptime|maxalloc|winterval|ointerval)|oltp_load"
    r"|delicache_enable|thin_friendly_alloc|dalloc_(?:enable|limit)|lazy_(?:isize_enable|copyonwrite)"
    r"|pdir_(?:enable|threshold)"
)
_VALUE: Final = r"-?\d{1,20}[kmgtKMGT]?"
_HEADING: Final = r"(?:Filesystem|File system) (?:i/o )?(?:tunable )?parameters for\s{1,4}\S"
_MESSAGE: Final = r"(?:UX:vxfs )?vxtunefs: [A-Z]{4,8}: V-3-\d"
_CLAIMS: Final = rf"(?:{_HEADING}|{_MESSAGE}|(?:{PARAMETERS})\s{{0,8}}=\s{{0,8}}{_VALUE}\s{{0,40}}$)"
_OWNS = re.compile(rf"(?:{_HEADING}|{_MESSAGE}|[a-z][a-z0-9_]{{1,60}}\s{{0,8}}=)")
_MOUNT = re.compile(rf"{_HEADING[:-2]}(\S{{1,1024}})$")
_ROW = re.compile(rf"([a-z][a-z0-9_]{{1,60}})\s{{0,8}}=\s{{0,8}}({_VALUE})$")
_SET: Final = "V-3-22525"
_SET_FOR = re.compile(r"for\s{1,4}(/\S{0,1024})$")
_ASSIGNED = re.compile(rf"([a-z][a-z0-9_]{{1,60}})=({_VALUE})$")
_PERSISTED: Final = rf"(?:/\S{{1,1024}}|system[_-]default)\s{{1,80}}(?:{PARAMETERS})=-?\d"
_PERSISTED_ROW = re.compile(r"(/\S{1,1024}|system[_-]default)\s{1,80}(\S.{0,4000})$")


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


@parser("vxtunefs", version=2, product="veritas", claims=_CLAIMS, owns=_owns, commands=("vxtunefs",))
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
            _setting(section, line, mount, match[1], match[2])
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
        _setting(section, line, mount, name, value, set_here=True)


def _setting(
    section: OpenSection, line: Line, mount: str | None, name: str, value: str, *, set_here: bool = False
) -> None:
    section.add(Setting, line.number, scope=mount, source="vxtunefs", name=name, value=value, set_here=set_here)


@parser("tunefstab", version=1, product="veritas", claims=_PERSISTED)
def tunefstab(section: OpenSection, out: Output) -> None:
    """``/etc/vx/tunefstab``: parameters set at each mount, for a volume or a mount point."""
    for line in section:
        match = _PERSISTED_ROW.match(line.text.strip())
        parts = match[2].replace(",", " ").split() if match else []
        pairs = [pair for part in parts if (pair := _ASSIGNED.match(part))]
        for pair in pairs:
            scope = normal_mount(match[1]) if match else None
            section.add(Setting, line.number, scope=scope, source="tunefstab", name=pair[1], value=pair[2])
        if len(pairs) < len(parts) or not parts:
            out.skip(line, "part of the row is no parameter with a number")
