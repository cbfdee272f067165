"""Resources of the lock manager with their queues: ``/sys/kernel/debug/dlm/<lockspace>`` and ``dlm_tool lockdebug``.

::

    Resource 00000000c0ffee01 Name (len=24) "       2           2c1f0"       Resource len 24  "       2           2c1f0"
    Master Copy                                                              Master
    Granted Queue                                                            Granted
    02450009 PR Remote:   3 01be0011                                         02450009 PR     Remote:   3 01be0011
    Conversion Queue                                                         Convert
    Waiting Queue                                                            Waiting
    0245000c -- (EX) Remote:   2 01be0033                                    0245000c -- (EX) Remote:   2 01be0033 time
    0000009871234567 ...

Yields ``DlmLock``; for what waits for a reply (``wait_type:``, ``wait``, *Expecting reply*) the message stands in
``flags``; of ``lockdebug -s`` one ``Counter`` per figure. The number behind *Remote* is the owner, behind *Master* the
master. ``time`` is a point of a clock that starts with the system, no age. No times. Tolerated: sections left out, cut
lines, value blocks, recovery states, RHEL 4. Source: fs/dlm/debug_fs.c; dlm_tool of dlm 4.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import MESSAGES, decoded, lockspace_in, resource_name
from parsers.output import Output
from parsers.records import Counter
from parsers.records.locks import DlmLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_RESOURCE: Final = r"Resource (?:(?:0x)?[0-9a-fA-F]{4,16} Name \(len=\d{1,3}\) |len {1,2}\d{1,3} {1,2})[\"0-9a-f]"
_NAMED = re.compile(
    r"Resource (?:(?:0x)?[0-9a-fA-F]{4,16} Name \(len=\d{1,3}\) |len {1,2}\d{1,3} {1,2})"
    r"(?:\"(?P<name>[^\"]{0,80})\"?|(?P<hex>[0-9a-f ]{1,200}))"
)
_MASTER = re.compile(
    r"(?:Local Copy, Master is node (?P<far>-?\d{1,10})|Master(?:: ?(?P<short>-?\d{1,10}))?(?: |$)|Master Copy)"
)
_QUEUES: Final = {
    "Granted Queue": "granted", "Conversion Queue": "converting", "Waiting Queue": "waiting", "Lookup Queue": "",
    "Granted": "granted", "Convert": "converting", "Waiting": "waiting", "Lookup": "",
}  # fmt: skip
_LOCK = re.compile(
    r"(?P<id>[0-9a-f]{8}) (?P<held>--|IV|NL|CR|CW|PR|PW|EX)(?: {1,8}\((?P<asked>--|IV|NL|CR|CW|PR|PW|EX)\))?"
    r"(?: {1,8}(?P<side>Remote|Master): {1,8}(?P<node>\d{1,10})(?: (?P<far>[0-9a-f]{8}))?)?(?P<rest>(?: .{0,300})?)$"
)
_WAIT = re.compile(r"(?:wait_type: |\bwait )(?P<type>\d{1,2})\b")
_FLAGS = re.compile(r"\bflags (?P<wanted>[0-9a-f]{8}) (?P<own>[0-9a-f]{8})\b")
_PID = re.compile(r"\bpid (?P<pid>\d{1,10})\b")
_REPLY = re.compile(
    r"nodeid (?P<node>\d{1,10}) msg (?P<message>[\w -]{1,30}?) lkid (?P<id>[0-9a-f]{1,8})(?: resource "
    r"\"(?P<name>[^\"]{0,80})\"?)?"
)
_PLAIN: Final = (
    r"LVB:|Recovery|Looking up master|Invalid master|Expecting reply|no locks|Toss|LQ:|\(parent "
    r"|Dir(?::|$)|Root list|Recover list"
)
_STATS: Final = (
    r"(?:rsb|lkb) {0,3}$|(?:active|master|remote master|lookup master|with lvb|with no locks|nodeid "
    r"error|inactive|total|granted|convert|waiting|local copy|master copy|process copy|rsb lookup|wait "
    r"message|expect reply) {1,40}\d{1,12}$"
)
_STAT = re.compile(r"(?P<name>[a-z][a-z ]{1,30}?) {1,40}(?P<value>\d{1,12})$")
_ROW: Final = r"[0-9a-f]{8} (?:--|IV|NL|CR|CW|PR|PW|EX)(?: |$)"
_QUEUE: Final = r"(?:Granted|Conversion|Waiting|Lookup) Queue$|(?:Granted|Convert|Waiting|Lookup)$"
_REPLY_ROW: Final = r"nodeid \d{1,10} msg \w"
_SIDE: Final = r"Master(?:[: ]|$)|Local Copy"


@dataclass(slots=True)
class _Resource:
    """The resource whose locks are being read."""

    name: str | None = None
    master: int | None = None
    queue: str | None = None
    table: str = ""


@parser(
    "dlm_resources",
    version=1,
    product="gfs2",
    claims=rf"(?:{_RESOURCE}|{_REPLY_ROW})",
    owns=rf"(?:{_RESOURCE}|{_REPLY_ROW}|{_ROW}|{_QUEUE}|{_SIDE}|{_PLAIN}|{_STATS}|[0-9a-f]{{8}} )",
    commands=("dlm_tool",),
)
def dlm_resources(section: OpenSection, out: Output) -> None:
    """Resources with their granted, converting and waiting locks."""
    space = (lockspace_in(section.command.text) if section.command else None) or lockspace_in(section.path)
    if space is not None and section.scope is None:
        section.speaks_of(scope=space)
    at: _Resource = section.state.setdefault("at", _Resource())
    for line in section:
        text = line.text.strip()
        if named := _NAMED.match(text):
            name = resource_name(named["name"]) if named["name"] is not None else decoded(named["hex"].strip())
            at.name, at.master, at.queue = name, None, None
        elif text in _QUEUES:
            at.queue = _QUEUES[text] or None
        elif (side := _MASTER.match(text)) and at.name is not None:
            far = side["far"] or side["short"]
            at.master = int(far) if far is not None else 0
        elif lock := _LOCK.match(text):
            _add_lock(section, out, line, at, space, lock)
        else:
            _other(section, out, line, at, space)


def _add_lock(
    section: OpenSection, out: Output, line: Line, at: _Resource, space: str | None, lock: re.Match[str]
) -> None:
    if at.name is None:
        out.skip(line, "the resource of this lock is not there")
        return
    rest = lock["rest"]
    wait, flags, pid = _WAIT.search(rest), _FLAGS.search(rest), _PID.search(rest)
    remote = lock["side"] == "Remote"
    master = int(lock["node"]) if lock["side"] == "Master" else 0 if remote else at.master
    message = MESSAGES.get(int(wait["type"])) if wait and int(wait["type"]) else None
    section.add(
        DlmLock,
        line.number,
        source="resources",
        lockspace=space,
        resource=at.name,
        lkb=int(lock["id"], 16),
        remote_lkb=int(lock["far"], 16) if lock["far"] else None,
        master=master,
        owner_node=int(lock["node"]) if remote else 0,
        pid=int(pid["pid"]) if pid else None,
        granted=_mode(lock["held"]),
        requested=_mode(lock["asked"]) if at.queue != "granted" else None,
        queue=at.queue,
        flags=message or (flags["own"] if flags else None),
    )


def _mode(text: str | None) -> str | None:
    return text if text not in (None, "--", "IV") else None


def _other(section: OpenSection, out: Output, line: Line, at: _Resource, space: str | None) -> None:
    """Requests without reply, the figures of ``-s``, and what says nothing about a lock."""
    text = line.text.strip()
    if reply := _REPLY.match(text):
        section.add(
            DlmLock,
            line.number,
            source="waiters",
            lockspace=space,
            resource=resource_name(reply["name"]) if reply["name"] is not None else None,
            lkb=int(reply["id"], 16),
            master=int(reply["node"]),
            owner_node=0,
            flags=reply["message"],
        )
    elif text in ("rsb", "lkb"):
        at.table = text
    elif at.table and (stat := _STAT.match(text)):
        section.add(
            Counter,
            line.number,
            scope=space,
            source="dlm_tool lockdebug",
            name=f"{at.table} {stat['name'].strip()}",
            value=float(stat["value"]),
            sample=line.number,
        )
    elif re.match(_PLAIN, text):
        out.ignore()
    else:
        out.skip(line, "no resource, queue or lock")
