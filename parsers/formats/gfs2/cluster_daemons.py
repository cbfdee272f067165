"""What the older cluster daemons kept in memory (``fence_tool dump``, ``group_tool dump fence``, ``gfs_control dump``),
and the groups of processes of corosync (``corosync-cpgtool``).

    1391612401 fencing node perch3                              Group Name         PID         Node ID
    1391612422 fence perch3 dev 0.0 agent fence_apc result:     dlm:ls:projects
    error from agent                                                          2211           1 (10.1.1.11)
    1391612422 fence perch3 failed

Yields ``Event`` for lines that tell of fencing, at the printed seconds since 1970 (UTC); ``Membership`` of a group with
the ids of its nodes. Tolerated: all other lines of the daemons. Source: fence_tool(8), group_tool(8), gfs_control(8),
corosync-cpgtool(8).
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.host.logs.kernel_log_kinds import UNLISTED, meaning_of
from parsers.output import Output
from parsers.records import Event
from parsers.records.states import Membership
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import Instant

TEXT_KEPT: Final = 400
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,79}"
_TELLING: Final = (
    rf"(?:fenced \d{{1,2}}\.\d|fencing (?:node|deferred)|fence {_NAME} (?:dev|failed|success|overridden)"
    r"|delay post_join_delay|gfs_controld \d{1,2}\.\d|groupd \d{1,2}\.\d|telling cman to|(?:averting|delay) fenc"
    rf"|add_(?:change|member|victim)\b|(?:receive|send)_(?:start|complete|join|victim)\b|victim {_NAME})"
)
_LINE = re.compile(r"(?P<epoch>\d{10}) (?P<text>\S.{0,2000})$")


@parser(
    "fenced_dump",
    version=1,
    product="gfs2",
    claims=rf"\d{{10}} {_TELLING}",
    owns=r"\d{10} \S",
    commands=("fence_tool", "group_tool", "gfs_control"),
    places=r"\b(?:fence_tool|group_tool|gfs_control) dump\b",
)
def fenced_dump(section: OpenSection, out: Output) -> None:
    """Lines of a daemon's memory: what they say of fencing."""
    for line, match in lines_of(section, out, _LINE, "no seconds with a text"):
        found = meaning_of("fenced", match["text"])
        if found is None or found.kind == UNLISTED:
            out.ignore()
            continue
        at = Instant(int(match["epoch"]) * 1_000_000, 0)
        section.stamp(at)
        section.add(
            Event,
            line.number,
            at=at.us,
            zone_min=at.zone_min,
            source="fenced",
            kind=found.kind,
            about=found.about,
            value=found.value,
            weight=found.weight,
            text=match["text"][:TEXT_KEPT],
        )


_HEAD: Final = r"Group Name\s{1,24}PID\s{1,24}Node ID\b"
_GROUP: Final = r"[\w.+-]{1,64}(?::[\w.:+-]{1,120})?(?:\\x00)?\s{0,8}$"
_PROCESS: Final = r"\d{1,10}\s{1,24}\d{1,10} \([^()\s]{1,80}\)\s{0,8}$"
_MEMBER = re.compile(r"(?P<pid>\d{1,10})\s{1,24}(?P<id>\d{1,10}) \((?P<address>[^()\s]{1,80})\)\s{0,8}$")


@dataclass(slots=True)
class _Group:
    line: int
    name: str
    ids: list[str] = field(default_factory=list)


@parser(
    "corosync_groups",
    version=1,
    product="gfs2",
    claims=rf"(?:{_HEAD}|\d{{1,10}}\s{{4,24}}\d{{1,10}} \(\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}}\)\s{{0,8}}$)",
    owns=rf"(?:{_HEAD}|{_GROUP}|{_PROCESS})",
    commands=("corosync-cpgtool",),
    places=r"\bcorosync-cpgtool\b",
)
def corosync_groups(section: OpenSection, out: Output) -> None:
    """Groups of processes that talk to each other over corosync, with the nodes that they run on."""
    held: _Group | None = None
    for line in section:
        text = line.text.strip()
        if re.match(_HEAD, text):
            out.frame()
        elif (member := _MEMBER.match(text)) is not None:
            if held is None:
                out.skip(line, "a process without its group")
            else:
                held.ids.append(member["id"])
        elif re.match(_GROUP, text):
            _put(section, held)
            held = _Group(line.number, text.strip().removesuffix("\\x00"))
        else:
            out.skip(line, "neither a group nor a process")
    _put(section, held)


def _put(section: OpenSection, group: _Group | None) -> None:
    if group is not None:
        section.add(
            Membership,
            group.line,
            source="corosync-cpgtool",
            sort="daemon group",
            group=group.name,
            members=" ".join(group.ids),
        )
