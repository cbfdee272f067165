"""``clustat``: members, quorum and services of a cluster of RHEL 5 and 6, as one node sees it.

    Cluster Status for pond @ Tue Mar  4 03:12:10 2031
    Member Status: Inquorate

     Member Name                             ID   Status
     ------ ----                             ---- ------
     kite1                                       1 Online, Local, rgmanager
     kite2                                       2 Offline

     Service Name                   Owner (Last)                   State
     ------- ----                   ----- ------                   -----
     service:mail                   (kite2)                        failed

Yields ``Quorum``, ``ClusterMember``, ``NodeAlias`` for ids, ``ServiceState``. The time of capture is that of the first
line, without a zone. Tolerated: rows left out, blanks collapsed, rows
broken off by a mail program. Source: clustat(8) of rgmanager.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import NodeAlias
from parsers.records.states import ClusterMember, NodeStanding, Quorum, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.:/-]{0,126}"
_QUORUM = re.compile(r"Member Status: (?P<state>Quorate|Inquorate)\b(?:,.{0,80})?")
_MEMBER = re.compile(
    rf"(?P<name>{_NAME})\s{{1,80}}(?P<id>\d{{1,6}})\s{{1,8}}(?P<state>(?:Online|Offline|Estranged)(?:,.{{0,120}})?)$"
)
_DISK = re.compile(r"/dev/\S{1,120}\s{1,80}0\s{1,8}(?P<state>\S.{0,80})$")
_SERVICE = re.compile(
    rf"(?P<name>(?:service|vm):{_NAME})\s{{1,80}}(?P<owner>\(?{_NAME}\)?|none|\(none\))\s{{1,80}}"
    r"(?P<state>[a-z]{4,20}(?: \(.{1,80}\))?)(?: \[.{0,40}\])?$"
)
_HEADS: Final = (
    r"(?:Cluster Status for \S|Member Status: (?:Quorate|Inquorate)|Member Name\s{1,80}ID\s{1,8}Status"
    r"|Service Name\s{1,80}Owner)"
)
_OWNS: Final = (
    rf"{_HEADS}|-{{4,}}|{_NAME}\s{{1,80}}\d{{1,6}}\s{{1,8}}(?:Online|Offline|Estranged)\b|/dev/\S{{1,120}}\s{{1,80}}0\s"
    r"|(?:service|vm):\S"
)
_SERVICES: Final[dict[str, ServiceStanding]] = {
    "started": "online", "starting": "changing", "stopping": "changing", "recovering": "changing",
    "recoverable": "faulted", "failed": "faulted", "stopped": "offline", "disabled": "disabled", "frozen": "unknown",
}  # fmt: skip


_OF_OWNER: Final = frozenset(("started", "failed", "recoverable"))
"""States that hold for the node that has the service, or had it last."""
_OWNED = re.compile(_OWNS)
_CUT = re.compile(
    rf"(?:(?:service|vm):{_NAME}(?:\s{{1,80}}\(?{_NAME}\)?)?"
    rf"|{_NAME}\s{{1,80}}\d{{1,6}}\s{{1,8}}(?:Online|Offline|Estranged)(?:,.{{0,80}})?,)$"
)
"""Rows that a mail program broke off."""
_FRAMES = re.compile(rf"{_HEADS}|[- ]{{4,}}$|(?:\(Last\)\s{{1,80}}|Owner \(Last\)\s{{1,80}})?State$")


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    return bool(body) and (
        _OWNED.match(body) is not None or _FRAMES.match(body) is not None or _CUT.match(before.strip()) is not None
    )


@parser("clustat", version=6, product="gfs2", claims=_HEADS, owns=_owns, commands=("clustat",), priority=1)
def clustat(section: OpenSection, out: Output) -> None:
    """``clustat``: quorum, members, services. The member that is marked as local is the node that printed it."""
    table = _Table(section, out)
    begun = ""
    for line in section:
        text = f"{begun} {line.text.strip()}".strip()
        begun = ""
        if match := _QUORUM.match(text):
            table.end()
            table.quorum = (line.number, match["state"])
        elif _CUT.match(text):
            begun = text
        elif match := _MEMBER.match(text):
            table.members.append((line, match))
        elif match := _SERVICE.match(text):
            table.end()
            _service(section, line, match)
        elif _FRAMES.match(text) or _DISK.match(text):
            out.frame()
        else:
            out.skip(line, "no member and no service")
    table.end()


class _Table:
    """What one look shows, until all of it is there: which member printed it stands in the middle."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self.quorum: tuple[int, str] | None = None
        self.members: list[tuple[Line, re.Match[str]]] = []

    def end(self) -> None:
        """Puts it out."""
        local = next((match["name"] for _, match in self.members if "Local" in match["state"]), None)
        if local is not None:
            self._section.is_on(local, renames=True)
        for line, match in self.members:
            _member(self._section, self._out, line, match)
        if self.quorum is not None:
            number, state = self.quorum
            self._section.add(Quorum, number, source="clustat", state=state, quorate=state == "Quorate")
        self.quorum, self.members = None, []


def _member(section: OpenSection, out: Output, line: Line, match: re.Match[str]) -> None:
    out.add(NodeAlias(line=line.number, node=match["name"], alias=match["id"], kind="id"))
    state = match["state"]
    standing: NodeStanding = (
        "unclean" if state.startswith("Estranged") else "up" if state.startswith("Online") else "down"
    )
    section.add(
        ClusterMember,
        line.number,
        source="clustat",
        member=match["name"],
        layer="membership",
        state=state,
        standing=standing,
    )


def _service(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    owner = match["owner"].strip("()")
    state = match["state"]
    section.add(
        ServiceState,
        line.number,
        source="clustat",
        sort="group",
        group=match["name"],
        on=owner if owner != "none" and state.split(" ")[0] in _OF_OWNER else None,
        state=state,
        standing=_SERVICES.get(state.split(" ")[0], "unknown"),
    )
