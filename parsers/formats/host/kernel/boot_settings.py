"""With which parameters the boot loader is to start the kernel: ``/etc/default/grub`` and ``grubby --info``.

    GRUB_CMDLINE_LINUX="crashkernel=256M transparent_hugepage=never"
    args="ro crashkernel=256M transparent_hugepage=never"

Yields ``Setting`` with the parameters as one value; all else is everyday. Source: the manual of GRUB, grubby(8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


def _parameters(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if value := " ".join(match["value"].split()):
        section.add(Setting, line.number, source="grub", name="start of the kernel", value=value)


_ROWS: Final = Rows(
    Row(
        "parameters of the kernel",
        r"GRUB_CMDLINE_LINUX(?:_DEFAULT)?=[\"'](?P<value>[^\"'\n]{0,2000})[\"']$",
        _parameters,
        fate=Fate.EVERYDAY,
    ),
    everyday("setting of the boot loader", r"GRUB_[A-Z][A-Z_]{3,40}=\S"),
    Row("parameters of an entry", r"args=\"(?P<value>ro [^\"\n]{0,2000})\"$", _parameters, fate=Fate.EVERYDAY),
    everyday(
        "entry of the boot loader",
        r"(?:index=\d{1,3}|kernel=\"/boot/\S{1,200}\"|initrd=\"/boot/\S{1,200}\"|root=\"\S{1,200}\"|id=\"\S{1,200}\""
        r"|title=\"[^\"\n]{1,200}\")$",
        opens=False,
    ),
)


@parser("boot_settings", version=1, product="", rows=_ROWS, commands=("grubby",), places=r"\bgrubby\b")
def boot_settings(section: OpenSection, out: Output) -> None:
    """Parameters of the kernel for its next start."""
    _ROWS.read(section, out, "no setting of the boot loader")
