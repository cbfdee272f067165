"""``/proc/net/bonding/BOND``: a bond and the interfaces that are its parts, also called slaves or ports.

    Ethernet Channel Bonding Driver: v5.15.0
    Bonding Mode: fault-tolerance (active-backup)
    Currently Active Slave: eno1
    MII Status: up
    Slave Interface: eno1
    MII Status: up
    Link Failure Count: 3

Yields ``Interface`` for the bond and each part, ``Setting`` of its mode and its parts, and an ``Event`` for a part
whose link is down, was lost thousands of times, or hundreds of times where another part hardly lost its own, or is
outside of the aggregate in use, and for a bond that has no active part, no partner or no channel (LACP). Other counts
and addresses are everyday. The file does not name its bond: that is in the command or in the path. Source: the kernel's
documentation of bonding.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.grammars.cells import is_whole
from parsers.messages.catalogue import find
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import Interface, LinkStanding, ListedState
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.text import Line

_TITLE: Final = r"Ethernet Channel Bonding Driver: v"
_PART: Final = r"(?:Slave|Port) Interface: "
_NAMES: Final = (
    r"Bonding Mode|Transmit Hash Policy|Primary(?: (?:Slave|Port))?|Currently Active (?:Slave|Port)"
    r"|MII (?:Status|Polling Interval \(ms\))|(?:Up|Down|Peer Notification) Delay \(ms\)"
    r"|ARP (?:Polling Interval|IP target)\S{0,20}.{0,20}|NS IPv6 target.{0,20}|Speed|Duplex|Link Failure Count"
    r"|Permanent HW addr|(?:Slave|Port) queue ID|Aggregator ID|(?:Actor|Partner) (?:Churn(?:ed)? (?:State|Count)|Key"
    r"|Mac Address)|LACP (?:rate|active)|Min links|Aggregator selection policy \(ad_select\)"
    r"|System (?:priority|MAC address)|Number of ports|Active Aggregator Info|details (?:actor|partner) lacp pdu"
    r"|system (?:priority|mac address)|port (?:key|priority|number|state)|oper key"
)
_LINE: Final = re.compile(rf"(?P<name>{_PART[:-2]}|{_NAMES}):\s{{0,20}}(?P<value>.{{0,200}})$")
_NO_GROUP: Final = re.compile(r"bond (?P<bond>[\w.-]{1,40}) has no active aggregator")
_OF_BOND: Final = re.compile(r"/bonding/(?P<bond>[\w.-]{1,40})$")
_SPEED: Final = re.compile(r"(\d{1,7}) ?Mbps$")
_DOWN: Final = re.compile(r"down|going (?:down|back)|fail|backup")
_DIGITS: Final = 3
_MANY_LOSSES: Final = 100
"""Proposed, like the next: a switch that is restarted now and then takes the link of every part a few times."""
_TIMES: Final = 20
_OF_WHOLE: Final = ("Currently Active Slave", "Currently Active Port", "Partner Mac Address")


@parser(
    "bonding",
    version=8,
    product="",
    claims=rf"{_TITLE}|{_PART}\S",
    owns=rf"{_TITLE}|{_PART}\S|802\.3ad info$|(?:{_NAMES}):|{_NO_GROUP.pattern.replace('?P<bond>', '?:')}",
    places=r"/proc/net/bonding/",
)
def bonding(section: OpenSection, out: Output) -> None:
    """A bond, then its parts."""
    bond = _bond(section)
    part: str | None = None
    in_use = ""
    is_up = False
    last = 0
    for line in section:
        match = _LINE.match(line.text.strip())
        if match is None:
            _without_group(section, out, line)
            continue
        name, value = match["name"], match["value"].strip()
        if name in ("Slave Interface", "Port Interface"):
            part = value
            out.frame()
        elif name == "MII Status":
            is_up = value == "up"
            if part is None:
                _state(section, line.number, bond, value)
                section.state["whole"] = value
            else:
                put_part(section, line.number, part, value)
        elif name == "Aggregator ID" and part is None:
            in_use = value
            out.frame()
        elif is_up and (name == "Aggregator ID" or value == "churned"):
            _note_channel(section, line, str(part), value, in_use)
            out.everyday()
        elif name == "Link Failure Count" or (part is None and name in _OF_WHOLE):
            _note_losses(section, line.number, part, value)
            _tell(section, line.number, f"{_whole(bond) if part is None else f'part {part}'}: {line.text.strip()}")
            out.everyday()
        else:
            _note(section, line.number, part, bond, name, value)
            out.everyday()
        last = line.number
    _tell_slow(section, bond)
    _tell_losing(section)
    _tell_apart(section)
    put_whole(section, last, bond)


def _note(section: OpenSection, line: int, part: str | None, bond: str | None, name: str, value: str) -> None:
    """The mode of a bond, and the speed of one of its parts."""
    if name == "Bonding Mode":
        section.add(Setting, line, scope=bond, source="bonding", name="bond mode", value=value)
    elif name == "Speed" and part is not None and (speed := _SPEED.match(value)):
        section.state.setdefault("speeds", {})[part] = int(speed[1]), line


def _tell_slow(section: OpenSection, bond: str | None) -> None:
    """Parts of one bond with different speeds: the slower one is no part of its channel, or holds the others up."""
    speeds: dict[str, tuple[int, int]] = section.state.pop("speeds", {})
    most = max((speed for speed, _ in speeds.values()), default=0)
    for part, (speed, line) in speeds.items():
        if speed < most:
            section.add(
                ListedState,
                line,
                source="bonding",
                name=part,
                state=f"{speed} Mbps, another part of the bond has {most} Mbps",
                standing="wrong",
                row=f"{_whole(bond)}: {part} at {speed} Mbps of {most} Mbps",
            )


def _note_losses(section: OpenSection, line: int, part: str | None, value: str) -> None:
    if part is not None and is_whole(value, _DIGITS):
        section.state.setdefault("losses", {})[part] = int(value), line


def _tell_losing(section: OpenSection) -> None:
    """A part that lost its link hundreds of times and another one hardly ever; thousands are told alone."""
    losses: dict[str, tuple[int, int]] = section.state.pop("losses", {})
    least = min((count for count, _ in losses.values()), default=0)
    for part, (count, line) in losses.items():
        if count >= _MANY_LOSSES and count >= _TIMES * least:
            _tell(section, line, f"part {part}: Link Failure Count: {count}, another part has {least}")


def _note_channel(section: OpenSection, line: Line, part: str, value: str, in_use: str) -> None:
    """The channel of a part whose link is up, or that it is in step with no partner."""
    if value == "churned" or (value == "N/A" and not section.state.get("without")):
        _tell(section, line.number, f"part {part}: {line.text.strip()}")
    elif in_use and value not in (in_use, "N/A"):
        _tell(section, line.number, f"part {part}: {line.text.strip()}, in use is {in_use}")
    elif not in_use and value != "N/A":
        section.state.setdefault("channels", {})[part] = value, line.number


def _tell_apart(section: OpenSection) -> None:
    """Where the channel in use is not shown: a part that is in another one than the first does not carry its share."""
    channels: dict[str, tuple[str, int]] = section.state.pop("channels", {})
    first = next((channel for channel, _ in channels.values()), "")
    for part, (channel, line) in channels.items():
        if channel != first:
            _tell(section, line, f"part {part}: Aggregator ID: {channel}, the first part has {first}")


def _without_group(section: OpenSection, out: Output, line: Line) -> None:
    """A line without a value: a heading, or that no link of the bond could be put into a channel."""
    if (match := _NO_GROUP.match(line.text.strip())) is not None:
        _tell(section, line.number, f"{_whole(match['bond'])}: no active aggregator")
        section.state["without"] = True
    out.frame()


def _bond(section: OpenSection) -> str | None:
    """The bond whose file this is, as far as the command or the path tells."""
    typed = section.command.args if section.command is not None else ()
    for place in (*typed, section.path or ""):
        if (found := _OF_BOND.search(place)) is not None:
            return found["bond"]
    return None


def _whole(bond: str | None) -> str:
    return f"bond {bond or 'without a name'}"


def put_part(section: OpenSection, line: int, part: str, state: str) -> None:
    """How a card of a bond or a team stands; one that is down is told."""
    _state(section, line, part, state)
    section.state.setdefault("parts", {})[part] = state
    if state != "up":
        tell_part(section, line, part, state)


def tell_part(section: OpenSection, line: int, part: str, state: str) -> None:
    """A card that its bond misses."""
    _tell(section, line, f"part {part}: link {state}")


def put_whole(section: OpenSection, line: int, bond: str | None) -> None:
    """Below all parts of a bond or a team: whether all are down, or it is down itself over one that is up; where one is
    shown the others may be cut off.
    """
    parts: dict[str, str] = section.state.pop("parts", {})
    if parts:
        section.add(Setting, line, scope=bond, source="bonding", name="cards of the bond", value=str(len(parts)))
        for part in parts:
            section.add(Setting, line, scope=bond, source="bonding", name="card in the bond", value=part)
    is_down = section.state.pop("whole", "up") == "down"
    if len(parts) > (0 if is_down else 1) and set(parts.values()) == {"down"}:
        tell_none(section, line, bond, len(parts))
    elif is_down:
        tell_over(section, line, bond, sum(state == "up" for state in parts.values()))


def tell_none(section: OpenSection, line: int, bond: str | None, parts: int) -> None:
    """A bond of which no card is up."""
    _tell(section, line, f"{_whole(bond)}: none of {parts} parts is up")


def tell_over(section: OpenSection, line: int, bond: str | None, up: int, *, is_bond: bool = True) -> None:
    """A bond, a team or a bridge that is down by itself. up: how many cards below it are up."""
    whole = _whole(bond) if is_bond else f"bridge or team {bond}"
    _tell(section, line, f"{whole}: down over {up} parts that are up")


def _state(section: OpenSection, line: int, name: str | None, state: str) -> None:
    standing: LinkStanding = "up" if state == "up" else "down" if _DOWN.match(state) else "unknown"
    section.add(Interface, line, source="bonding", name=name, state=state, standing=standing)


def _tell(section: OpenSection, line: int, text: str) -> None:
    found = find("bonding", text)
    if found is not None:
        add_message(section, line, found, source="bonding", text=text)
