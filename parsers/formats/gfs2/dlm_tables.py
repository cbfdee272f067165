"""Machine texts of the lock manager in debugfs: ``<lockspace>_all``, ``<lockspace>_toss``, ``<lockspace>_queued_asts``.

::

    version rsb 1.1 lvb 1.1 lkb 1.1
    rsb 00000000c0ffee01 0 0 0 0 0 0 24 str        2           2c1f0
    lkb 2450009 3 1be0011 0 0 0 10000 2 3 -1 0 0 0 0 981234567000 0

    version 4 rsb 2
    rsb 00000000c0ffee77 0 1 1 1 981234 0 24 str        5           2c1f0

    lkb_id lkb_flags mode flags sb_status sb_flags
    2450009 0 5 1 0 0

Yields ``DlmLock`` for locks (mode numbers as modes), and a ``Counter`` per section for resources without locks and for
callbacks that wait. Time stamps are of a clock that starts with the system and are left out. Tolerated: a heading that
names the columns instead of the version, cut lines, names in hexadecimal. Source: fs/dlm/debug_fs.c.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.gfs2.dlm_names import MESSAGES, MODES, QUEUES, decoded, lockspace_in, resource_name
from parsers.output import Output
from parsers.records import Counter
from parsers.records.locks import DlmLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_POINTER: Final = r"(?:0x)?[0-9a-f]{4,16}"
_ALL_HEAD: Final = r"version rsb \d|rsb ptr nodeid first_lkid"
_ALL_RSB: Final = (
    rf"rsb {_POINTER} -?\d{{1,10}} [0-9a-f]{{1,8}} [0-9a-f]{{1,8}} -?\d{{1,10}} -?\d{{1,10}} \d{{1,10}} "
    r"\d{1,3} (?:str|hex) "
)
_ALL_LKB: Final = (
    r"lkb [0-9a-f]{1,8} -?\d{1,10} [0-9a-f]{1,8} \d{1,10} \d{1,20} [0-9a-f]{1,8} [0-9a-f]{1,8} -?\d{1,2} -?\d{1,3} -?\d"
)
_TOSS_HEAD: Final = r"version 4 rsb \d|ptr nodeid res_master_nodeid|rsb ptr nodeid (?:res_)?master"
_TOSS_RSB: Final = (
    rf"rsb {_POINTER} -?\d{{1,10}} -?\d{{1,10}} -?\d{{1,10}} -?\d{{1,10}} \d{{1,20}} [0-9a-f]{{1,16}} "
    r"\d{1,3} (?:str|hex)"
)
_ASTS_HEAD: Final = r"lkb_id lkb_flags mode flags sb_status sb_flags"
_RSB = re.compile(
    rf"rsb {_POINTER} (?P<node>-?\d{{1,10}}) [0-9a-f]{{1,8}} [0-9a-f]{{1,8}} -?\d{{1,10}} -?\d{{1,10}} "
    r"\d{1,10} \d{1,3} (?P<how>str|hex) (?P<name>.{0,200})$"
)
_LKB = re.compile(
    r"lkb (?P<id>[0-9a-f]{1,8}) (?P<node>-?\d{1,10}) (?P<far>[0-9a-f]{1,8}) (?P<pid>\d{1,10}) \d{1,20} "
    r"[0-9a-f]{1,8} (?P<flags>[0-9a-f]{1,8}) (?P<status>-?\d{1,2}) (?P<held>-?\d{1,3}) "
    r"(?P<asked>-?\d{1,3})(?P<rest>(?: -?\d{1,20}){0,8})$"
)
_AST = re.compile(r"[0-9a-f]{1,8} [0-9a-f]{1,8} -?\d{1,3} [0-9a-f]{1,8} -?\d{1,10} [0-9a-f]{1,8}$")
_WAIT_TYPE: Final = 2


def _space(section: OpenSection) -> str | None:
    space = (lockspace_in(section.command.text) if section.command else None) or lockspace_in(section.path)
    if space is not None and section.scope is None:
        section.speaks_of(scope=space)
    return space


def _count(section: OpenSection, out: Output, line: int, name: str, value: int) -> None:
    section.add(
        Counter,
        line,
        scope=section.scope,
        source="dlm debugfs",
        name=name,
        unit=name.split()[0],
        value=float(value),
        sample=line,
    )


@parser(
    "dlm_all",
    version=1,
    product="gfs2",
    claims=rf"(?:{_ALL_HEAD}|{_ALL_RSB}|{_ALL_LKB})",
    owns=rf"(?:{_ALL_HEAD}|rsb {_POINTER}|lkb [0-9a-f]|lvb \d|(?:lvb|lkb|rsb) (?:len|id|ptr) )",
)
def dlm_all(section: OpenSection, out: Output) -> None:
    """``<lockspace>_all``: resources, value blocks and locks in numbers."""
    space = _space(section)
    for line in section:
        text = line.text.strip()
        if rsb := _RSB.match(text):
            name = decoded(rsb["name"]) if rsb["how"] == "hex" else resource_name(rsb["name"])
            section.state["resource"] = (name, int(rsb["node"]))
            section.state["resources"] = section.state.get("resources", 0) + 1
        elif (lkb := _LKB.match(text)) and "resource" in section.state:
            out.add(_lock(section, line.number, space, lkb))
        elif text.startswith(("lvb", "lkb id ", "rsb ptr ")) or re.match(_ALL_HEAD, text):
            out.ignore()
        else:
            out.skip(line, "the line of a resource or lock is cut or damaged, or its resource is not there")
    if count := section.state.pop("resources", 0):
        _count(section, out, section.line_number, "resources", count)


def _lock(section: OpenSection, line: int, space: str | None, lkb: re.Match[str]) -> DlmLock:
    name, master = section.state["resource"]
    node, rest = int(lkb["node"]), lkb["rest"].split()
    queue = QUEUES.get(int(lkb["status"]))
    message = int(rest[_WAIT_TYPE]) if len(rest) > _WAIT_TYPE else 0
    return DlmLock(
        line=line,
        node=section.node,
        at=section.at,
        zone_min=section.zone_min,
        source="all",
        lockspace=space,
        resource=name,
        lkb=int(lkb["id"], 16),
        remote_lkb=int(lkb["far"], 16) or None,
        master=master if master >= 0 else None,
        owner_node=node if master == 0 else 0,
        pid=int(lkb["pid"]),
        granted=MODES.get(int(lkb["held"])),
        requested=MODES.get(int(lkb["asked"])) if queue in ("waiting", "converting") else None,
        queue=queue,
        flags=MESSAGES.get(message) if message else lkb["flags"],
    )


@parser(
    "dlm_toss",
    version=1,
    product="gfs2",
    claims=rf"(?:{_TOSS_HEAD})",
    owns=rf"(?:{_TOSS_HEAD}|rsb {_POINTER})",
    places=r"dlm/\S{1,130}_toss\b",
)
def dlm_toss(section: OpenSection, out: Output) -> None:
    """``<lockspace>_toss``: resources without locks that are kept for a while; counted."""
    _space(section)
    first = count = 0
    for line in section:
        if re.match(_TOSS_RSB, line.text.strip()):
            first, count = first or line.number, count + 1
        elif re.match(_TOSS_HEAD, line.text.strip()):
            out.ignore()
        else:
            out.skip(line, "the line of a resource is cut or damaged")
    if count:
        _count(section, out, first, "resources without locks", count)


@parser(
    "dlm_queued_asts",
    version=1,
    product="gfs2",
    claims=_ASTS_HEAD,
    owns=rf"(?:{_ASTS_HEAD}|[0-9a-f]{{1,8}} [0-9a-f]{{1,8}} -?\d)",
)
def dlm_queued_asts(section: OpenSection, out: Output) -> None:
    """``<lockspace>_queued_asts``: callbacks that wait to be delivered; counted."""
    _space(section)
    count = 0
    for line in section:
        text = line.text.strip()
        if text.startswith("lkb_id"):
            section.state["head"] = line.number
        elif _AST.match(text):
            count += 1
        else:
            out.skip(line, "the line of a callback is cut or damaged")
    if section.state.get("head"):
        _count(section, out, section.state.pop("head"), "callbacks queued", count)
