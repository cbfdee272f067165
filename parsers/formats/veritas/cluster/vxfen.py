"""I/O fencing of Veritas: ``vxfenadm -d`` (mode and state of each node), ``vxfenadm -g`` and ``-s`` (keys on the
disks), ``vxfenconfig -l`` (the coordination points).

    I/O Fencing Cluster Information:                    Reading SCSI Registration Keys...
    ================================
     Fencing Protocol Version: 201                      Device Name: /dev/rdsk/c4t0d1s2
     Fencing Mode: SCSI3                                Total Number Of Keys: 2
     Fencing SCSI3 Disk Policy: dmp                     key[0]:
     Cluster Members:                                     [Numeric Format]:  86,70,48,57,69,48,48,49
            * 0 (carp1)                                   [Character Format]: VF09E001
              1 (carp2)                                   [Node Format]: Cluster ID: 2529 Node ID: 1 Node Name: carp2
     RFSM State Information:
            node   0 in state  8 (running)

    I/O Fencing Configuration Information:
     Count                : 3
     /dev/vx/rdmp/reed_4        201         64    30000000AB10F9C6         dmp

Yields ``Setting`` (mode, policy, protocol version), ``NodeAlias`` (number and name of each member; the own is marked),
``FencingSwitch`` of the mode, ``ClusterMember`` for the state of a node by its number, with a ``Membership`` that waits
where the driver is between its start and running; ``FencingKeys`` with the nodes that hold a key on a device (name,
else number, else the key as printed) and how many keys it has. A driver that holds no coordination point waits
(``Membership``). No times. Tolerated: blocks alone, the older
``Key Value [Character Format]: A-------``, cut blocks. Source: the layouts are recalled of VCS 5 to 8; vxfenadm(1M) was
not at hand.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import ClusterMember, FencingKeys, FencingSwitch, ListedState, Membership, NodeStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_STATE: Final = r"node {1,8}\d{1,5} in state {1,8}-?\d{1,5} \("
_FIELD: Final = r"(?:Fencing [A-Z][\w /]{2,60}|I/O Fencing Mode|Disk Policy) ?: {1,8}\S"
_KEY: Final = r"(?:Key Value )?\[(?:Numeric|Character|Node) Format\] ?:"
CLAIM: Final = (
    rf"(?:I/O Fencing C(?:luster|onfiguration) Information|{_FIELD}|RFSM State Information|{_STATE}"
    rf"|Reading SCSI Re\w{{3,12}} Keys|Device Name: {{1,8}}/dev/|Total Number [Oo]f Keys: |{_KEY})"
)
_IS_STATE: Final = r"(?!(?:running|replaying|starting|initial|joining|leaving|waiting|not registered)\))"
_MEMBER: Final = rf"\*? ?\d{{1,5}} \({_IS_STATE}{_NAME}\)$"
_OWNS: Final = (
    rf"(?:{CLAIM}|={{8,80}}$|Cluster Members:|{_MEMBER}|Device Name: |Total Number [Oo]f Keys: |[Kk]ey "
    r"?\[\d{1,4}\]:|No keys|Error: |Single Disk Flag {1,40}: |Count {1,40}: {1,8}\d|Disk List$|Disk Name {1,60}Major"
    r"|/dev/\S{1,200} {1,40}\d{1,6} {1,40}\d{1,9} )"
)
_SETTING = re.compile(r"(?:I/O )?((?:Fencing )?[A-Z][\w /]{2,60}?) ?: {1,8}(\S.{0,80})$")
_MEMBER_ROW = re.compile(rf"(\*)? ?(\d{{1,5}}) \({_IS_STATE}({_NAME})\)$")
_STATE_ROW = re.compile(r"node {1,8}(\d{1,5}) in state {1,8}(-?\d{1,5}) \(([^)]{1,60})\)")
_DEVICE = re.compile(r"Device Name: {1,8}(\S{1,200})$")
_TOTAL = re.compile(r"Total Number [Oo]f Keys: {1,8}(\d{1,6})$")
_CHARACTER = re.compile(r"(?:Key Value )?\[Character Format\] ?: {0,8}(\S.{0,40})$")
_NODE = re.compile(
    rf"\[Node Format\] ?: {{0,8}}Cluster ID: {{1,8}}(\S{{1,20}}) {{1,8}}Node ID: {{1,8}}(\d{{1,5}})"
    rf"(?: {{1,8}}Node Name: {{1,8}}({_NAME}))?"
)
_COUNT = re.compile(r"Count {1,40}: {1,8}(\d{1,5})$")
_POINT: Final = r"/dev/\S{1,200} {1,40}\d{1,6} {1,40}\d{1,9} {1,40}\S{1,80}(?: {1,40}\S{1,40})?$"
_SILENT = re.compile(
    rf"I/O Fencing Configuration Information|Single Disk Flag {{1,40}}: |Disk List$|Disk Name {{1,60}}Major|{_POINT}"
    r"|I/O Fencing Cluster Information|={8,80}$|Cluster Members:|RFSM State|Reading SCSI|[Kk]ey ?\[\d{1,4}\]:"
    r"|(?:Key Value )?\[Numeric Format\]"
)
_NOBODY: Final = "unknown"
"""The node of a key that is none of this cluster."""
KEYS_MOST: Final = 512
_CLUSTERS: Final = 8
_NO_MODE: Final = frozenset(("disabled", "none", "off"))


class _Keys:
    """The keys of one device; the node is told by a line below the key itself."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section, self._out = section, out
        self._device: str | None = None
        self._line = 0
        self._total: str | None = None
        self._held: list[str] = []
        self._nodes = 0
        self._clusters: dict[str, None] = {}
        self._named: set[tuple[str, str]] = section.state.setdefault("named", set())

    def take(self, number: int, text: str) -> bool:
        """A line that tells of a device or a key on it."""
        if match := _DEVICE.match(text):
            self.close()
            self._device, self._line = match[1], number
        elif match := _TOTAL.match(text):
            self._total = match[1]
        elif match := _NODE.match(text):
            self._held[-1:] = [match[3] or match[2]]
            self._nodes = min(self._nodes + 1, KEYS_MOST)
            self._clusters[match[1]] = None
            is_new = (match[3] or _NOBODY) != _NOBODY and (match[3], match[2]) not in self._named
            if is_new and len(self._named) < KEYS_MOST:
                self._named.add((match[3], match[2]))
                self._out.add(NodeAlias(line=number, node=match[3], alias=match[2], kind="id"))
        elif match := _CHARACTER.match(text):
            self._line = self._line or number
            self._held = [*self._held, match[1].strip().replace(" ", "_")][:KEYS_MOST]
        else:
            return False
        return True

    def close(self) -> None:
        """The device is over. Without a name above it, and a key, there is nothing to tell, nor where the text ends
        before the last key: who holds none can't be seen then.
        """
        is_cut = bool(self._held) and (
            len(self._held) < min(int(self._total or 0), KEYS_MOST) or 0 < self._nodes < len(self._held)
        )
        if not is_cut and (self._device is not None or self._held):
            total = self._total if self._total is not None else str(len(self._held)) if self._held else None
            state = None if total is None else "1 key" if total == "1" else f"{total} keys"
            section = self._section
            section.add(
                FencingKeys,
                self._line,
                source="vxfenadm keys",
                device=self._device,
                holders=" ".join(dict.fromkeys(self._held)),
                clusters=" ".join(list(self._clusters)[:_CLUSTERS]),
                count=None if total is None else int(total),
                state=state,
            )
        self._device, self._line, self._total, self._held, self._clusters = None, 0, None, [], {}
        self._nodes = 0


@parser("vxfen", version=9, product="veritas", claims=CLAIM, owns=_OWNS, commands=("vxfenadm", "vxfenconfig"))
def vxfen(section: OpenSection, out: Output) -> None:
    """``vxfenadm -d``, ``-g`` and ``-s``: state of I/O fencing, keys on disks."""
    keys = _Keys(section, out)
    for line in section:
        text = line.text.strip()
        if keys.take(line.number, text) or _state(section, out, line.number, text) or _SILENT.match(text):
            continue
        out.skip(line, "no member, state or key of fencing")
    keys.close()


def _standing(state: str) -> NodeStanding:
    """Of the driver's state machine: between its start and running it joins; the words of a failure are recalled."""
    if state == "running":
        return "up"
    return (
        "down" if any(word in state for word in ("abort", "fail", "eject", "error", "disabled", "split")) else "joining"
    )


def _unfinished(section: OpenSection, number: int, member: str, state: str) -> None:
    """A node whose driver still replays or starts: what wants fencing waits for it on all nodes."""
    section.add(
        Membership,
        number,
        source="vxfenadm -d",
        sort="fencing driver",
        group=f"fencing of node {member}",
        state=state,
        standing="waiting",
        waits_for="fencing",
    )


def _states(section: OpenSection, number: int, text: str) -> None:
    """States of nodes, of which a line that lost its ends holds several."""
    for match in _STATE_ROW.finditer(text):
        standing = _standing(match[3].strip())
        section.add(
            ClusterMember,
            number,
            source="vxfenadm -d",
            member=match[1],
            layer="fencing",
            state=match[3].strip(),
            standing=standing,
        )
        if standing == "joining":
            _unfinished(section, number, match[1], match[3].strip())


def _state(section: OpenSection, out: Output, number: int, text: str) -> bool:
    """A line of ``vxfenadm -d``."""
    if _STATE_ROW.match(text):
        _states(section, number, text)
    elif match := _MEMBER_ROW.match(text):
        if match[1]:
            section.is_on(match[3])
        out.add(NodeAlias(line=number, node=match[3], alias=match[2], kind="id"))
    elif re.match(_FIELD, text) and (match := _SETTING.match(text)):
        value = match[2].strip()
        section.add(Setting, number, source="vxfenadm -d", name=match[1], value=value)
        if match[1].endswith("Fencing Mode") or match[1] == "Mode":
            switch: Literal["on", "off"] = "off" if value.lower() in _NO_MODE else "on"
            section.add(FencingSwitch, number, source="vxfenadm -d", state=f"mode {value}", standing=switch)
    elif match := _COUNT.match(text):
        section.add(Setting, number, source="vxfenconfig -l", name="coordination points", value=match[1])
        if int(match[1]) == 0:
            section.add(
                Membership,
                number,
                source="vxfenconfig -l",
                sort="fencing driver",
                group="fencing",
                state="no coordination points",
                standing="waiting",
                waits_for="coordination points",
            )
        elif int(match[1]) % 2 == 0:
            # with which a race between two halves may have no winner
            state = f"{match[1]}, an even number, where it should be odd"
            section.add(
                ListedState,
                number,
                source="vxfenconfig -l",
                name="coordination points",
                state=state,
                standing="wrong",
                row=text,
            )
    else:
        return False
    return True
