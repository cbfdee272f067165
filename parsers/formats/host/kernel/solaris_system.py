"""``/etc/system`` of Solaris: what its kernel and its modules are set to at the next start.

    * tunables of the volume manager
    set vxio:vol_maxio=4096
    set maxphys=1048576
    forceload: drv/vxio

Yields ``Setting`` with the module in front of the name, as written; a value that is set twice is as the last line says.
Modules that are loaded by force are everyday. Lines of the kernel alone (``set maxphys``) look like those of a shell:
they are read where the file is known by its name, or beside others. Source: system(4) of Solaris.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_VALUE: Final = (
    r"\s{0,8}=\s{0,8}(?P<value>~?-?(?:0x[0-9A-Fa-f]{1,16}|\d{1,20})|\"[^\"]{0,120}\")\s{0,8}(?:[*#].{0,200})?$"
)


def _set(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="/etc/system", name=match["name"], value=match["value"].strip('"'))


_ROWS: Final = Rows(
    Row("value of a module", rf"set\s{{1,8}}(?P<name>[a-z]\w{{0,40}}:\w{{1,80}}){_VALUE}", _set),
    Row("value of the kernel", rf"set\s{{1,8}}(?P<name>[A-Za-z_]\w{{0,80}}){_VALUE}", _set, opens=False),
    everyday("modules", r"forceload:\s{0,8}(?:drv|sys|fs|misc|strmod|sched|exec)/\w"),
    everyday("places", r"(?:exclude|moddir|rootdev|rootfs):", opens=False),
    everyday("comment", r"\*", opens=False),
)


@parser("solaris_system", version=1, product="", rows=_ROWS, places=r"(?:^|[\s/!_])etc[/_]system(?:\.txt|\.out)?$")
def solaris_system(section: OpenSection, out: Output) -> None:
    """Values, modules and comments."""
    _ROWS.read(section, out, "no value of the kernel")
