"""Replicated block devices of DRBD: ``/proc/drbd``, ``drbdadm status``, ``drbdsetup status`` and ``drbd-overview``.

    version: 8.4.11-1 (api:1/proto:86-101)                    vm0 role:Primary
     0: cs:StandAlone ro:Primary/Unknown ds:UpToDate/DUnknown   r-----      disk:UpToDate
        ns:0 nr:0 dw:81923 dr:2311 al:21 ... oos:81920         yak connection:Connecting
     1:vm0/0  Connected Primary/Secondary UpToDate/UpToDate    ibex role:Secondary
        [=>....] sync'ed: 12.6% (900/1024)M                       replication:SyncTarget peer-disk:Inconsistent

Yields ``StorageState`` of the replication (a link: degraded where the peer is not connected, failed where I/O is
suspended) and of both disks (this node's own is failed where it can't be used: Diskless, Failed), and ``Connection`` of
peers that have a name. A resync is a hint, and so is a node without a disk beside two good copies.
Source: drbdsetup(8), drbd.conf(5) of releases 8.4 and 9, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.records.states import Connection, HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_LINKED: Final = re.compile(
    r"Connected|Established|Off$|StartingSync|WFBitMap|WFSyncUUID|Sync|PausedSync|Ahead|Behind|Verify"
)
_RESYNCS: Final = re.compile(
    r"StartingSync|WFBitMap|WFSyncUUID|SyncSource|SyncTarget|PausedSync|Ahead|Behind|Verify[ST]"
)
_LOST_DISKS: Final = frozenset(("Diskless", "Failed", "Detaching"))
_OLD_DISKS: Final = frozenset(("Inconsistent", "Outdated", "Attaching", "Negotiating", "Consistent"))
ENOUGH_COPIES: Final = 2
_NO_QUORUM: Final = re.compile(r" quorum:no(?: |$)")
_LINK: Final = r"[A-Z][A-Za-z]{2,20}"
_ROLES: Final = r"(?:Primary|Secondary|Unknown)"
_DISK: Final = r"[A-Z][A-Za-z]{4,14}"


def _is_resync(text: str) -> bool:
    return _RESYNCS.match(text) is not None


def is_linked(state: str) -> bool:
    """Whether a connection is there, or was never meant to be."""
    return _LINKED.match(state) is not None


def link_standing(state: str, role: str = "") -> HealthStanding:
    """How replication stands by the state of its connection. A side that writes on alone and connects no more by itself
    has failed.
    """
    if state == "StandAlone" and role == "Primary":
        return "failed"
    return "hint" if _is_resync(state) else "healthy" if is_linked(state) else "degraded"


def disk_standing(state: str, link: str, *, own: bool) -> HealthStanding:
    """How a disk stands; an old one that is being brought up to date is a hint."""
    if state in _LOST_DISKS:
        return "failed" if own else "degraded"
    if state in _OLD_DISKS:
        return "hint" if _is_resync(link) else "degraded"
    return "healthy" if state == "UpToDate" else "unknown"


def _named(match: re.Match[str]) -> str:
    """The resource; the device where none is named (``??not-found??`` where the configuration does not know it)."""
    resource = match["resource"] or ""
    return f"drbd{match['minor']}" if resource.strip("?") in ("", "not-found") else resource


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = _named(match)
    section.state["name"] = name
    link, own, peer = match["link"], match["own"], match["peer"]
    roles = f"{link}, {match['roles']}, {own}/{peer}"
    _put(section, line, "replication link", name, None, roles, link_standing(link, match["roles"].split("/")[0]))
    _put(section, line, "disk", name, None, f"{own} here", disk_standing(own, link, own=True))
    if peer != "DUnknown":  # without a connection nobody knows
        _put(section, line, "disk", name, None, f"{peer} on the peer", disk_standing(peer, link, own=False))


def _unconfigured(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "replication link", _named(match), None, "Unconfigured", "hint")


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A resource of this node, or a peer of it further to the right."""
    if match["link"] is None and _is_resource(section, line):
        _settle(section)
        section.state.update(resource=match["name"], peer=None, link="", role=match["role"])
        frozen = match["suspended"] not in (None, "no")
        state = f"suspended for {match['suspended']}, {match['role']}" if frozen else f"{match['role']} here"
        _put(
            section, line, "replication link", match["name"], None, state, "failed" if frozen else _role(match["role"])
        )
        return
    section.state.update(peer=match["name"], link="")
    state = ", ".join(part for part in (match["link"] or "Connected", match["role"]) if part)
    if match["link"] and not is_linked(match["link"]):
        own, role = section.state.get("resource"), section.state.get("role") or ""
        link_text = f"{match['link']} with {match['name']}{f', {role} here' if role else ''}"
        _put(section, line, "replication link", own, None, link_text, link_standing(match["link"], role))
    section.add(
        Connection,
        line.number,
        source="drbd",
        peer=match["name"],
        link=f"DRBD {section.state.get('resource') or ''}".strip(),
        state=state,
        standing="unknown"
        if (match["link"] and not is_linked(match["link"])) or _role(match["role"]) == "unknown"
        else "up",
    )


def _role(role: str | None) -> HealthStanding:
    return "healthy" if role in (None, "", "Primary", "Secondary", "Unknown") else "unknown"


def _is_resource(section: OpenSection, line: Line) -> bool:
    """The first row, or one as far to the left; where the indents are lost, one below the disk of a peer."""
    state, indent = section.state, _indent(line)
    if "base" not in state:
        state.update(base=indent, has_indents=False, below_peer=False)
        return True
    if indent > state["base"]:
        return False
    return bool(state["has_indents"] or state["below_peer"])


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _own_disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state.get("resource")
    section.state.update(has_indents=_indent(line) > section.state.get("base", 0), below_peer=False)
    is_meant = " client:yes" in match[0]
    _copy(section, line, name, f"{match['state']} here", match["state"], "", own=True, is_meant=is_meant)
    if _NO_QUORUM.search(match[0]) is not None:
        role = section.state.get("role") or ""
        standing: HealthStanding = "failed" if role == "Primary" else "degraded"
        _put(section, line, "replication link", name, None, f"no quorum{f', {role} here' if role else ''}", standing)


def _peer_disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    link, disk = match["link"] or "", match["disk"]
    section.state.update(link=link, below_peer=True)
    name, peer = section.state.get("resource"), section.state.get("peer") or "a peer"
    if _is_resync(link):
        _put(section, line, "replication link", name, None, f"{link} with {peer}", "hint")
    is_meant = " peer-client:yes" in match[0]
    _copy(section, line, name, f"{disk} on {peer}", disk, link, own=False, is_meant=is_meant)


def _copy(
    section: OpenSection, line: Line, name: str | None, state: str, disk: str, link: str, *, own: bool, is_meant: bool
) -> None:
    """One copy of a resource. Of a node without a disk the other copies tell how it stands: they come below."""
    if disk == "UpToDate":
        section.state["copies"] = section.state.get("copies", 0) + 1
    if disk != "Diskless":
        _put(section, line, "disk", name, None, state, disk_standing(disk, link, own=own))
    elif is_meant:
        _put(section, line, "disk", name, None, f"{state}, as set up", "hint")
    else:
        _put(section, line, "disk", name, None, state, "hint")
        section.state.setdefault("diskless", []).append((line, name, state, own))


def _settle(section: OpenSection) -> None:
    """Nodes without a disk: beside enough good copies they are clients or keep the quorum, which is what was said of
    them so far; with fewer they are a lack, and with none left nobody can read.
    """
    copies, diskless = section.state.pop("copies", 0), section.state.pop("diskless", ())
    for line, name, state, own in diskless if copies < ENOUGH_COPIES else ():
        _put(section, line, "disk", name, None, state, "failed" if own and not copies else "degraded")


def _synced(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state.get("name") or section.state.get("resource")
    _put(section, line, "replication link", name, None, match["what"].strip(), "hint")


_PROC: Final = Rows(
    Row("version", r"version: \d{1,2}\.\d{1,2}\.\d\S{0,20} \(api:\d", fate=Fate.FRAME),
    Row("build", r"(?:GIT-hash|srcversion): ?\S", fate=Fate.FRAME, opens=False),
    Row(
        "device",
        rf"(?P<minor>\d{{1,4}}):(?:(?P<resource>[\w./?-]{{1,60}}))?\s{{1,8}}(?:cs:)?(?P<link>{_LINK})(?:\(\S{{1,20}}\))?"
        rf"\s{{1,8}}(?:(?:ro|st):)?(?P<roles>{_ROLES}/{_ROLES})\s{{1,8}}(?:ds:)?(?P<own>{_DISK})/(?P<peer>{_DISK})(?:\s|$)",
        _device,
    ),
    Row(
        "unconfigured",
        r"(?P<minor>\d{1,4}):(?:(?P<resource>[\w./?-]{1,60}))?\s{1,8}(?:cs:)?Unconfigured\b",
        _unconfigured,
    ),
    Row("traffic", r"ns:\d{1,20} nr:\d{1,20} dw:\d", fate=Fate.FRAME, opens=False),
    Row("progress", r"\[[=>.]{3,80}\]\s{1,8}(?P<what>(?:sync'ed|verified):.{0,120})$", _synced, opens=False),
    Row("finish", r"finish: \S{1,20} speed: ", fate=Fate.FRAME, opens=False),
)


@parser("drbd", version=1, product="storage", rows=_PROC, commands=("drbd-overview",))
def drbd(section: OpenSection, out: Output) -> None:
    """``/proc/drbd`` and ``drbd-overview``: one line for each device."""
    _PROC.read(section, out, "no device of DRBD")


_STATUS: Final = Rows(
    Row(
        "own disk",
        rf"(?:volume:\d{{1,5}} )?(?:minor:\d{{1,5}} )?disk:(?P<state>{_DISK})(?: [\w-]{{2,20}}:\S{{1,40}}){{0,12}}$",
        _own_disk,
        opens=False,
    ),
    Row(
        "peer disk",
        rf"(?:volume:\d{{1,5}} )?(?:replication:(?P<link>{_LINK}) )?peer-disk:(?P<disk>{_DISK})"
        r"(?: [\w-]{2,20}:\S{1,40}){0,12}$",
        _peer_disk,
        opens=False,
    ),
    Row(
        "resource or peer",
        r"(?P<name>[\w.-]{1,60})(?: node-id:\d{1,3})?(?= (?:connection|role):[A-Z])"
        rf"(?: connection:(?P<link>{_LINK}))?(?: role:(?P<role>{_ROLES}))?(?: suspended:(?P<suspended>[\w,-]{{1,30}}))?"
        r"(?: [\w-]{2,20}:\S{1,40}){0,4}$",
        _node,
    ),
    Row("figures", r"[a-z][a-z-]{1,20}:\S{1,40}(?: [a-z][a-z-]{1,20}:\S{1,40}){0,12}$", fate=Fate.FRAME, opens=False),
)


@parser("drbd_status", version=1, product="storage", rows=_STATUS, commands=("drbdadm", "drbdsetup"))
def drbd_status(section: OpenSection, out: Output) -> None:
    """``drbdadm status``: a resource, its own disk, and each peer with its disk."""
    _STATUS.read(section, out, "no state of DRBD")
    _settle(section)


def _put(
    section: OpenSection, line: Line, sort: str, name: str | None, of: str | None, state: str, standing: HealthStanding
) -> None:
    section.add(
        StorageState,
        line.number,
        source="drbd",
        sort="disk" if sort == "disk" else "replication link",
        name=name,
        of=of,
        state=state,
        standing=standing,
    )


_KEPT: Final = 400


def _refusal(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    kind = "drbd-change-refused" if match["change"] else "drbd-command-failed"
    section.add(Event, line.number, source="drbdadm", kind=kind, about=match["name"], text=line.text.strip()[:_KEPT])


_ANSWERS: Final = Rows(
    Row(
        "refusal",
        r"(?P<name>[\w.-]{1,80}(?:/\d{1,5})?): "
        r"(?:Failure: \(\d{1,5}\) |(?P<change>State change failed: \(-?\d{1,5}\) ))\S",
        _refusal,
    ),
    Row("words of the kernel", r"additional info from kernel:$", fate=Fate.FRAME, opens=False),
    Row("which they are", r"unknown (?:minor|resource|connection|volume)\b", fate=Fate.FRAME, opens=False),
    Row(
        "command that ended so",
        r"Command '(?:/\S{1,40}/)?drbd(?:setup|meta|adm)(?:-\d\d)? .{1,2000}' terminated with exit code [1-9]",
        fate=Fate.FRAME,
    ),
    Row(
        "releases",
        r"DRBD module version: \S|userland version: \S|(?:preferably )?kernel and userland versions should match",
        fate=Fate.FRAME,
    ),
)


@parser("drbd_refusals", version=1, product="storage", rows=_ANSWERS)
def drbd_refusals(section: OpenSection, out: Output) -> None:
    """What ``drbdadm`` and ``drbdsetup`` say of a command that was refused."""
    _ANSWERS.read(section, out, "no answer of drbdadm")


def _event(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A replica, a link or a disk as ``drbdsetup events2`` tells of it."""
    keys = dict(_KEY.findall(match["keys"]))
    name, peer = keys.get("name"), keys.get("conn-name", "a peer")
    if "connection" in keys:
        _put(
            section,
            line,
            "replication link",
            name,
            None,
            f"{keys['connection']} with {peer}",
            link_standing(keys["connection"]),
        )
    elif "disk" in keys:
        _put(section, line, "disk", name, None, f"{keys['disk']} here", disk_standing(keys["disk"], "", own=True))
    elif keys.get("suspended", "no") != "no":
        _put(section, line, "replication link", name, None, f"suspended for {keys['suspended']}", "failed")


def _words(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The answer of ``drbdadm cstate``, ``dstate`` and ``role``, which names nothing."""
    if (link := match["link"]) is not None:
        _put(section, line, "replication link", None, None, link, link_standing(link))
    elif (own := match["own"]) is not None:
        peer = match["peer"]
        _put(section, line, "disk", None, None, f"{own} here", disk_standing(own, "", own=True))
        if peer != "DUnknown":
            _put(section, line, "disk", None, None, f"{peer} on the peer", disk_standing(peer, "", own=False))


_KEY = re.compile(r"(?<!\S)([a-z-]{2,20}):(\S{1,120})")
_EVENTS: Final = Rows(
    Row(
        "event",
        r"(?:\d{4}-\d\d-\d\dT\S{8,24} )?(?:exists|change|create) (?:resource|connection|device|peer-device|path) "
        r"(?P<keys>name:\S{1,120} .{2,400})$",
        _event,
        fate=Fate.EVERYDAY,
    ),
    everyday("end of the list", r"exists -$", opens=False),
)
_WORD: Final = Rows(
    Row(
        "answer",
        r"(?:(?P<link>StandAlone|Connected|Connecting|WFConnection|Disconnecting|Unconnected|Timeout|BrokenPipe"
        r"|NetworkFailure|ProtocolError|TearDown|Sync(?:Source|Target)|PausedSync[ST]|Ahead|Behind|Verify[ST])"
        rf"|(?P<roles>{_ROLES}(?:/{_ROLES})?)|(?P<own>{_DISK})/(?P<peer>{_DISK}))$",
        _words,
        fate=Fate.EVERYDAY,
        opens=False,
    )
)


@parser("drbd_events", version=1, product="storage", rows=_EVENTS)
def drbd_events(section: OpenSection, out: Output) -> None:
    """``drbdsetup events2``: links and disks as they stand or change."""
    _EVENTS.read(section, out, "no event of DRBD")


@parser(
    "drbd_words",
    version=1,
    product="storage",
    claims=r"(?!)",
    owns=_WORD.owns,
    places=r"\bdrbdadm (?:-\S{1,20} )?(?:cstate|dstate|role)\b",
)
def drbd_words(section: OpenSection, out: Output) -> None:
    """``drbdadm cstate``, ``dstate`` and ``role``: one word each."""
    _WORD.read(section, out, "no state of DRBD")
