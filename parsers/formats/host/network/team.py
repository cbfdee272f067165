"""``teamdctl TEAM state``: a team of interfaces, the links that its daemon watches, and the one in use.

    setup:
      runner: activebackup
    ports:
      eno1
        link watches:
          link summary: up
          instance[link_watch_0]:
            name: ethtool
            link: up
            down count: 0
    runner:
      active port: eno1

Yields ``Interface`` for each port, and an ``Event`` for one that is down, as for a bond. What each watch of a port says
is summed up above it. Source: teamdctl(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.network.bonding import put_part, put_whole
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_RUNNERS: Final = r"runner: (?:activebackup|lacp|roundrobin|loadbalance|broadcast|random)\s{0,8}$"
_NAMES: Final = re.compile(r"[A-Za-z][\w \[\]]{1,40}:(?: [\w./:, -]{1,80})?$")
_SUMMARY: Final = re.compile(r"link summary: (?P<state>up|down)$")
_PORT: Final = re.compile(r"[A-Za-z][\w.:@-]{0,39}$")


def _owns(text: str, before: str) -> bool:
    line = text.strip()
    return _NAMES.match(line) is not None or _PORT.match(line) is not None


@parser(
    "teamdctl_state",
    version=2,
    product="",
    claims=rf"{_RUNNERS}|link watches:\s{{0,8}}$",
    owns=_owns,
    commands=("teamdctl",),
    places=r"\bteamdctl\b[^|]{0,80}\bstate\b(?! dump)",
)
def teamdctl_state(section: OpenSection, out: Output) -> None:
    """One port after the other."""
    port, last = "", 0
    for line in section:
        text = line.text.strip()
        if (match := _SUMMARY.match(text)) is not None and port:
            put_part(section, line.number, port, match["state"])
        elif _PORT.match(text) is not None:
            port = text
            out.frame()
        else:
            out.everyday()
        last = line.number
    put_whole(section, last, None)
