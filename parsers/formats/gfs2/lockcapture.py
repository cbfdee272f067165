"""What gfs2_lockcapture writes about the host: ``hostinformation.txt``, ``gfs2_lockcapture.log``,
``ps_hALo-tid.s.cmd``.

::

    HOSTNAME=carp1.lab                              4471 D    tar -cf /backup/projects.tar /srv/projects
    TIMESTAMP=2026-03-04 10:11:12                      1 Ss   /usr/lib/systemd/systemd --system
    UNAMEA=Linux carp1.lab 4.18.0-553.el8.x86_64 #1 SMP ...
    NODE_NAME=carp1
    NODE_ID=1                                       (0: could not be found out)

Yields ``NodeAlias`` for node name and id, ``Version`` for the kernel, ``Setting`` for the rest, ``Stack`` without
frames for every thread of the list (source ``process list``): a holder that is not among them has ended. The time of
the run is the wall clock of the host without a zone, and holds for the file itself. Tolerated: cut lines.
Source: gfs2_lockcapture of gfs2-utils.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import NodeAlias, Setting, Version
from parsers.records.waits import Stack
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import read_table
from parsers.times.clock import parse_instant

_KEYS: Final = r"(?:HOSTNAME|TIMESTAMP|UNAMEA|UPTIME|NODE_NAME|NODE_ID)"
_PAIR = re.compile(rf"(?P<key>{_KEYS})=(?P<value>.{{0,400}})$")
_KERNEL = re.compile(r"Linux \S{1,128} (?P<release>\d{1,3}\.\d{1,3}\S{0,80})")
_TASK = re.compile(
    r" {0,10}(?P<tid>\d{1,10}) {1,6}(?P<state>[RSDTtZXIPKW])[<NLsl+]{0,5} {1,8}(?P<command>\S.{0,4000})$"
)
_CLAIMED_TASK: Final = (
    r"\d{1,10} {1,6}[RSDTtZXI][<NLsl+]{0,5} {1,8}(?:/usr/lib/systemd/systemd|/sbin/init|init \[|\[kthreadd\]|\[kworker)"
)


@parser(
    "gfs2_lockcapture",
    version=1,
    product="gfs2",
    claims=r"(?:HOSTNAME=\S|TIMESTAMP=\d{4}-|NODE_NAME=\S|NODE_ID=\d|UNAMEA=Linux )",
    owns=rf"{_KEYS}=",
)
def gfs2_lockcapture(section: OpenSection, out: Output) -> None:
    """``hostinformation.txt``: names of the host, its id in the cluster, its kernel, when the run was taken."""
    found: dict[str, tuple[int, str]] = {}
    for line in section:
        match = _PAIR.match(line.text.strip())
        if match is None:
            out.skip(line, "no name with a value")
        elif match["value"].strip():
            found[match["key"]] = (line.number, match["value"].strip())
    name = found.get("HOSTNAME") or found.get("NODE_NAME")
    if name is not None:
        section.speaks_of(node=name[1], basis="content")
    if "TIMESTAMP" in found and (instant := parse_instant(found["TIMESTAMP"][1])) is not None:
        section.stamp(instant)
    _tell(section, out, found)


def _tell(section: OpenSection, out: Output, found: dict[str, tuple[int, str]]) -> None:
    for key, (line, value) in found.items():
        if key in ("NODE_NAME", "NODE_ID") and section.node is not None and value not in ("0", section.node):
            section.add(NodeAlias, line, alias=value, kind="id" if key == "NODE_ID" else "name")
        kernel = _KERNEL.match(value) if key == "UNAMEA" else None
        if kernel is not None:
            section.add(Version, line, product="kernel", version=kernel["release"])
        section.add(Setting, line, source="hostinformation", name=key, value=value)


@parser(
    "gfs2_ps",
    version=1,
    product="gfs2",
    claims=_CLAIMED_TASK,
    owns=r"\d{1,10} {1,6}[RSDTtZXIPKW][<NLsl+]{0,5} {1,8}\S",
    places=r"ps_hALo-tid\.s\.cmd|ps -?hALo tid,s,cmd",
    commands=("ps",),
    priority=-1,
)
def gfs2_ps(section: OpenSection, out: Output) -> None:
    """``ps hALo tid,s,cmd``: every thread with its state."""

    def feed(number: int, text: str) -> bool:
        match = _TASK.match(text)
        if match is None:
            return False
        section.add(
            Stack,
            number,
            source="process list",
            task=match["command"].split()[0],
            pid=int(match["tid"]),
            state=match["state"],
        )
        return True

    read_table(section, out, feed, "no thread with its state")
