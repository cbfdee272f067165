"""``uname -a``, and ``uname -r`` below its prompt: which system a node runs.

    Linux carp1 4.18.0-372.9.1.el8.x86_64 #1 SMP Tue May 10 14:48:47 UTC 2022 x86_64 x86_64 x86_64 GNU/Linux
    SunOS carp2 5.11 11.4.32.88.3 sun4v sparc sun4v
    AIX carp3 2 7 00F9C0D24C00        HP-UX carp4 B.11.31 U ia64 1234567890 unlimited-user license

Yields ``Version`` of product ``kernel``, and tells the node on which all below was printed. No time is printed: it
comes from above. Tolerated: a cut end, ``uname -snr``. Source: uname(1) of each system.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import NodeAlias, Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_HOST: Final = r"[A-Za-z0-9][\w.-]{0,127}"
HOST_FILE: Final = r"(?:etc/|sos_commands/host/|sos_commands/general/|proc/sys/kernel/)?hostname(?:_-f|\.txt|\.out)?"
_LINUX: Final = rf"Linux {_HOST} \d{{1,2}}\.\d{{1,3}}\.\d{{1,4}}\S{{0,80}}(?: #\d| *$)"
_OTHERS: Final = (
    rf"SunOS (?!Release 5\.\d{{1,3}} Version ){_HOST} 5\.\d|AIX {_HOST} \d \d\b|HP-UX {_HOST} B\.\d\d\.\d\d"
)
_ROW = re.compile(
    rf"(?P<system>Linux|SunOS|AIX|HP-UX) (?P<host>{_HOST}) (?P<release>\S{{1,100}})"
    r"(?: (?P<more>\d{1,2}(?:\.\d{1,5}){0,5})(?= ))?"
)


_RELEASE = re.compile(
    r"(?:(?P<node>[A-Za-z][\w.-]{1,80}): {1,3})?(?P<release>\d{1,2}\.\d{1,3}\.\d{1,4}[-.+\w]{0,100})$"
)
"""With the node in front of it that a remote shell prints."""


_ALONE: Final = _RELEASE.pattern.replace("?P<node>", "?:").replace("?P<release>", "?:")


@parser(
    "uname",
    version=5,
    product="",
    claims=rf"(?:{_LINUX}|{_OTHERS})",
    owns=rf"(?:{_LINUX}|{_OTHERS}|{_ALONE})",
    commands=("uname",),
    places=r"(?:^|[\s/;|&'\"])uname\s{1,4}(?:-r|--kernel-release)['\"\s]{0,4}(?:$|[|;])"
    r"|(?<![A-Za-z0-9])uname_-?r(?:\.txt|\.out)?$",
)
def uname(section: OpenSection, out: Output) -> None:
    """``uname -a``: system, host, release."""
    for line in section:
        if (alone := _RELEASE.match(line.text.strip())) is not None:
            node = alone["node"] or section.node
            section.add(Version, line.number, node=node, product="kernel", version=alone["release"])
            continue
        row = _ROW.match(line.text.strip())
        if row is None:
            out.skip(line, "no system with its release")
            continue
        node = section.node
        if row["host"].split(".", 1)[0] != "localhost":
            node = row["host"]
            section.is_on(node, "header")
        release, more = row["release"], row["more"]
        if more and row["system"] == "AIX":
            release = f"{more}.{release}"
        elif more and row["system"] == "SunOS":  # the update, by which releases of Solaris 11 are told apart
            release = f"{release} {more}"
        version = release if row["system"] == "Linux" else f"{row['system']} {release}"
        section.add(Version, line.number, node=node, product="kernel", version=version)


@parser(
    "hostname",
    version=2,
    product="",
    claims="(?!)",
    owns=rf"{_HOST}\s{{0,8}}$",
    places=rf"(?:^|[/!]){HOST_FILE}$",
)
def hostname(section: OpenSection, out: Output) -> None:
    """The file that holds the name of the host, as collectors take it along: the node of all that lies beside it."""
    for line in section:
        name = line.text.strip()
        if name.split(".", 1)[0].lower() == "localhost":
            out.frame()
            continue
        if section.state.setdefault("name", name) != name:
            out.skip(line, "a host has one name")  # how somebody signs below it
            continue
        section.is_on(name, "header", renames=True)
        section.add(NodeAlias, line.number, node=name, alias=name.split(".", 1)[0], kind="name")
