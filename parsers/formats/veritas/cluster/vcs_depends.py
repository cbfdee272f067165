"""What service groups and resources of VCS depend on: ``hagrp -dep``, ``hares -dep``.

    #Parent      Child       Relationship                 #Group       Parent       Child
    rollsgrp     cvm         online local firm            rollsgrp     rolls_mnt    rolls_dg

Yields ``Setting`` of the parent per dependency. No times. Source: Cluster Server administrator's guide, on
displaying service group and resource dependencies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z][\w.-]{0,126}"


def _depends(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    how = found.groupdict().get("how")
    section.add(
        Setting,
        line.number,
        source="VCS dependencies",
        scope=found["parent"],
        name=f"needs {found['child']}",
        value=how or "online",
    )


_ROWS: Final = Rows(
    heading("headings", r"# ?Parent\s{1,60}Child\s{1,60}Relationship\b", r"# ?Group\s{1,60}Parent\s{1,60}Child\b"),
    Row(
        "groups",
        rf"(?P<parent>{_NAME})\s{{1,80}}(?P<child>{_NAME})\s{{1,80}}(?P<how>(?:online|offline)"
        r"(?: (?:local|global|remote|site))?(?: (?:firm|soft|hard))?)$",
        _depends,
    ),
    Row("resources", rf"{_NAME}\s{{1,80}}(?P<parent>{_NAME})\s{{1,80}}(?P<child>{_NAME})$", _depends, opens=False),
    everyday("none", r"VCS WARNING V-16-1-\d{5} (?:Group|Resource) .{1,200} no dependenc\w{1,4}"),
)


@parser(
    "vcs_depends",
    version=1,
    product="veritas",
    rows=_ROWS,
    commands=("hagrp", "hares"),
    places=r"\bha(?:grp|res)\b.{0,40}-dep\b",
)
def vcs_depends(section: OpenSection, out: Output) -> None:
    """Dependencies of groups and of resources."""
    _ROWS.read(section, out, "no dependency")
