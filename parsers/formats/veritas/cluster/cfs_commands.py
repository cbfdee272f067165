"""What ``cfsmount`` and ``cfsumount`` say of each node: cluster mounts that came up or were taken away.

    crane1# cfsmount /srv/pots
      Mounting...
      [/dev/vx/dsk/potdg/pots] mounted successfully at /srv/pots on crane1

Yields ``ServiceState`` for a mount that came up; one that was taken away on purpose is none. What failed is a message
with a code. No times. Source: cfsmount(1M), cfsumount(1M) of Storage Foundation Cluster File System; the layout is
recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ServiceState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}"


def _mounted(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        ServiceState,
        line.number,
        source="cfsmount",
        sort="mount",
        group=found["mount"],
        on=found["node"] or section.node,
        state="mounted",
        standing="online",
    )


_ROWS: Final = Rows(
    Row("step", r"(?:Mounting|Unmounting)\.{3}$", fate=Fate.FRAME),
    Row(
        "mounted",
        rf"\[?/dev/vx/dsk/\S{{1,300}}?\]? mounted successfully at (?P<mount>/\S{{0,400}})(?: on (?P<node>{_NODE}))?$",
        _mounted,
    ),
    everyday("taken away", rf"\[?/\S{{0,400}}?\]? (?:got )?successfully unmounted from {_NODE}$"),
)


@parser("cfs_commands", version=1, product="veritas", rows=_ROWS, commands=("cfsmount", "cfsumount"))
def cfs_commands(section: OpenSection, out: Output) -> None:
    """Cluster mounts that came up, by node."""
    _ROWS.read(section, out, "no mount with its node")
