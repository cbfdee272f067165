"""``sysctl``: parameters of the kernel as they are in force.

    vm.dirty_background_ratio = 10
    net.ipv4.tcp_rmem = 4096	131072	6291456
    kern.maxfiles: 12328                                                                      BSD

Yields ``Setting`` for each parameter of memory (``vm.``), by its name; all others are everyday, and so are those of a
file that sets them at the next start. No times. Source: sysctl(8) of procps and of BSD.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_KEY: Final = r"[a-zA-Z0-9_][\w./:@%*-]{0,160}"
_NO_LOG: Final = r"(?!\w{4,8}\.(?:emerg|panic|alert|crit|err(?:or)?|warn(?:ing)?|notice|info|debug): )"
"""Who wrote a message and its level, which a relay of system logs puts in front, are no parameter."""
_FILES: Final = re.compile(r"(?:^|/)sysctl(?:\.d/|\.conf$)")


def _parameter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if _FILES.search(section.path) is None:
        section.add(Setting, line.number, source="sysctl", name=match["name"], value=match["value"].strip())


_ROWS: Final = Rows(
    Row("memory", r"(?P<name>vm\.[a-z]\w{1,60}) {0,4}= {0,4}(?P<value>\S.{0,200})$", _parameter, fate=Fate.EVERYDAY),
    Row(
        "parameter",
        rf"(?:abi|crypto|debug|dev|fs|fscache|kernel|lnet|net|sunrpc|user|vm|xen)\.{_KEY} {{0,4}}=(?: |$)",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "parameter of BSD",
        rf"{_NO_LOG}(?:debug|dev|hw|kern|kstat|machdep|net|security|user|vfs|vm)\.{_KEY}(?:: |:$| {{0,4}}= )",
        fate=Fate.EVERYDAY,
    ),
)


@parser("sysctl", version=1, product="", rows=_ROWS, commands=("sysctl",))
def sysctl(section: OpenSection, out: Output) -> None:
    """``sysctl``: a parameter a line."""
    _ROWS.read(section, out, "no parameter of the kernel")
