"""Files by which a host sets up its cards at the start: ``ifcfg-*``, ``*.nmconnection``, ``/etc/network/interfaces``.

    DEVICE=eno1               [connection]                    iface bond0 inet static
    MASTER=bond0              interface-name=eno1                 bond-slaves eno1 eno2
    SLAVE=yes                 master=bond0                        mtu 9000
    MTU=9000

Yields ``Setting`` of what such a file sets: the cards of a bond, with the bond as scope, and the MTU of a card. All
else is everyday. Source: the manual pages of the network scripts, nm-settings-keyfile(5), interfaces(5), ifenslave.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_SOURCE: Final = "network file"
_CARD: Final = r"[A-Za-z][\w.@-]{0,31}"
_PLACE: Final = r"/ifcfg-[\w.@-]{1,40}|\.nmconnection\b|\betc/network/interfaces\b"
_IN_NAME: Final = re.compile(rf"/ifcfg-(?P<card>{_CARD}?)(?:\.txt)?(?:\s|$)")
_PAIR: Final = re.compile(
    r"(?P<name>[A-Za-z][\w.-]{1,60})\s{0,4}=\s{0,4}(?P<quote>[\"']?)(?P<value>[^\"'\n]{0,300}?)(?P=quote)(?:\s{1,8}#.{0,200})?$"
)
_WORDS: Final = re.compile(
    r"(?P<name>iface|auto|allow-\w{3,20}|mapping|source(?:-directory)?|address|netmask|gateway|network|broadcast|mtu"
    r"|bond[-_](?:slaves|master|ports|mode|miimon|primary|\w[\w-]{2,30})|vlan[-_]\w[\w-]{2,30}|hwaddress"
    r"|dns-\w{3,20}|(?:pre-|post-)?(?:up|down)|metric|slaves|bridge_\w{3,20}|ovs_\w{3,20})"
    r"(?:\s{1,20}(?P<value>\S.{0,300}))?$"
)
_TITLE: Final = re.compile(r"\[[a-z][\w.-]{1,40}\]$")
_LISTS: Final = frozenset(("bond-slaves", "bond_slaves", "slaves", "bond-ports"))
_OWN_CARD: Final = frozenset(("DEVICE", "interface-name"))
_MASTERS: Final = frozenset(("MASTER", "master", "controller", "bond-master", "bond_master"))
_NO_CARDS: Final = frozenset(("none", "all"))


def _owns(text: str, before: str) -> bool:
    stripped = text.strip()
    return stripped[:1] == "#" or any(one.match(stripped) for one in (_PAIR, _WORDS, _TITLE))


@parser("card_files", version=1, product="", claims="(?!)", owns=_owns, places=_PLACE)
def card_files(section: OpenSection, out: Output) -> None:
    """Which cards a bond is to have, and the MTU that a card is to have."""
    where = section.command.text if section.command is not None else f"/{section.path}"
    named = _IN_NAME.search(where)
    state = section.state
    state.setdefault("card", named["card"] if named is not None else None)
    for line in section:
        text = line.text.strip()
        match = _PAIR.match(text) or _WORDS.match(text)
        if text[:1] == "#" or match is None:
            out.frame()
            continue
        name, value = match["name"], (match["value"] or "").strip()
        if name in _OWN_CARD and value:
            state["card"] = value
        elif name == "iface" and value:
            state["card"] = value.split()[0]
        before = out.rows
        _put(section, line, name, value)
        if out.rows == before:
            out.everyday()


def _put(section: OpenSection, line: Line, name: str, value: str) -> None:
    card: str | None = section.state["card"]
    if name.lower() == "mtu" and value.isdecimal() and card and value != "0":
        section.add(Setting, line.number, source=_SOURCE, scope=card, name="MTU", value=value)
    elif name in _MASTERS and card and re.fullmatch(_CARD, value):
        section.add(Setting, line.number, source=_SOURCE, scope=value, name="card of the bond", value=card)
    elif name in _LISTS and card:
        for one in value.split():
            if re.fullmatch(_CARD, one) and one not in _NO_CARDS:
                section.add(Setting, line.number, source=_SOURCE, scope=card, name="card of the bond", value=one)
