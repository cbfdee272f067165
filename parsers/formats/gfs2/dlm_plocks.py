"""POSIX locks that the cluster keeps: ``dlm_tool plocks <lockspace>``, ``group_tool dump plocks <fs>``.

::

    2893 WR 0-0 nodeid 2 pid 7312 owner ffff8803f2a1c400 rown 0
    2893 WR 0-0 nodeid 4 pid 991 owner ffff88021c2b1400 rown 0 WAITING
    51201 rown 2 unused_ms 4120

Yields ``PosixLock``. The inode is decimal; 9223372036854775807 is the end of the file; ``rown`` -1 is not decided, 0
shared by several nodes or ownership off. A file without locks is a row without mode. No times. Tolerated: cut lines.
Source: dlm_controld of dlm 4.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.gfs2.dlm_names import lockspace_in
from parsers.output import Output
from parsers.records.locks import PosixLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_OWNS: Final = r"\d{1,20} (?:(?:WR|RD) \d{1,20}-|rown -?\d)"
_LOCK = re.compile(
    r"(?P<inode>\d{1,18}) (?P<mode>WR|RD) (?P<start>\d{1,19})-(?P<end>\d{1,19}) nodeid (?P<node>\d{1,10}) "
    r"pid (?P<pid>\d{1,10}) owner (?P<owner>[0-9a-f]{1,16}) rown (?P<rown>-?\d{1,10})(?: "
    r"(?P<state>WAITING|PENDING))?$"
)
_UNUSED = re.compile(r"(?P<inode>\d{1,18}) rown (?P<rown>-?\d{1,10}) unused_ms \d{1,18}$")
_STATES: Final = frozenset(("WAITING", "PENDING"))
_WRAP_COLUMNS: Final = 55
_MODES: Final = {"WR": "write", "RD": "read"}


@parser(
    "dlm_plocks",
    version=2,
    product="gfs2",
    claims=r"\d{1,20} (?:(?:WR|RD) \d{1,20}-\d{1,20} nodeid \d|rown -?\d{1,10} unused_ms \d)",
    owns=_OWNS,
    commands=("dlm_tool", "group_tool"),
)
def dlm_plocks(section: OpenSection, out: Output) -> None:
    """``dlm_tool plocks``: POSIX locks held and waited for."""
    fs = (lockspace_in(section.command.text) if section.command else None) or lockspace_in(section.path)
    if fs is not None and section.scope is None:
        section.speaks_of(scope=fs)
    for line in section:
        text = _whole(section, line.text.strip())
        if lock := _LOCK.match(text):
            section.add(
                PosixLock,
                line.number,
                source="plocks",
                fs=fs,
                inode=int(lock["inode"]),
                mode=_MODES[lock["mode"]],
                start=_byte(lock["start"]),
                end=_byte(lock["end"]),
                owner_node=int(lock["node"]),
                pid=int(lock["pid"]),
                owner=lock["owner"],
                waiting=lock["state"] is not None,
                owning_node=int(lock["rown"]),
            )
        elif unused := _UNUSED.match(text):
            section.add(
                PosixLock,
                line.number,
                source="plocks",
                fs=fs,
                inode=int(unused["inode"]),
                owning_node=int(unused["rown"]),
            )
        else:
            out.skip(line, "the line of a POSIX lock is cut or damaged")


def _whole(section: OpenSection, text: str) -> str:
    """The line with its last word, where a mail left that to the next line: without it a lock that is waited for reads
    like one held.
    """
    below = section.peek() if len(text) >= _WRAP_COLUMNS else None
    if below is None or below.text.strip() not in _STATES:
        return text
    section.beyond()
    return f"{text} {below.text.strip()}"


def _byte(text: str) -> int:
    """A position in a file; never more than fits into a signed number of 64 bits."""
    return min(int(text), 2**63 - 1)
