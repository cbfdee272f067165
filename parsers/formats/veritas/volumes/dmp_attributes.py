"""``vxdmpadm getattr`` of Veritas Dynamic Multi-Pathing: attributes of enclosures, arrays and types of arrays.

    heron1# vxdmpadm getattr enclosure reed0 iopolicy
    ENCLR_NAME     DEFAULT        CURRENT
    ============================================
    reed0          MinimumQ       Round-Robin

Yields ``Setting`` with the enclosure as scope and the attribute of the command as name (``iopolicy`` where no command
is shown), with its default. No times. Tolerated: the names of arrays and of their types in the first column. Source:
vxdmpadm(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_HEAD: Final = r"(?:ENCLR_NAME|ARRAY_NAME|ARRAY_TYPE)\s{1,40}DEFAULT\s{1,40}CURRENT\s{0,8}$"
_RULE: Final = re.compile(r"={10,200}$")
_VALUE: Final = r"[\w./:-]{1,60}(?:\[[\w, =-]{1,60}\]|\([\w, =-]{1,60}\))?"
_ROW = re.compile(rf"(?P<of>[\w./:-]{{1,120}})\s{{1,60}}(?P<default>{_VALUE})\s{{1,60}}(?P<value>{_VALUE})$")
_ATTRIBUTE: Final = re.compile(r"getattr\b.{0,200}?\b(?P<name>[a-z][a-z_]{2,40})\s{0,8}$")
_USUAL: Final = "iopolicy"


@parser(
    "dmp_attributes",
    version=1,
    product="veritas",
    claims=_HEAD,
    owns=rf"(?:{_HEAD}|={{10,200}}$|[\w./:-]{{1,120}}\s{{1,60}}{_VALUE}\s{{1,60}}{_VALUE}$)",
)
def dmp_attributes(section: OpenSection, out: Output) -> None:
    """A row for each enclosure."""
    typed = section.command.text if section.command is not None else ""
    named = _ATTRIBUTE.search(re.split(r"[|;&]", typed[typed.find("getattr") :])[0].strip("\"' "))
    for line in section:
        text = line.text.strip()
        if _RULE.match(text) or re.match(_HEAD, text):
            out.frame()
        elif row := _ROW.match(text):
            section.add(
                Setting,
                line.number,
                scope=row["of"],
                source="vxdmpadm getattr",
                name=named["name"] if named is not None else _USUAL,
                value=row["value"],
                default=row["default"],
            )
        else:
            out.skip(line, "no enclosure with its values")
