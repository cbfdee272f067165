"""Plan of Pacemaker's scheduler: what ``crm_simulate`` prints besides the state of the cluster.

    Transition Summary:
      * Fence (reboot) kite3 'peer is no longer part of the cluster'
      * Start      pool_fs     (                   kite1 )
    Executing Cluster Transition:
      * Resource action: pool_fs         monitor on kite2
      * Fencing kite3 (reboot)

Yields ``Event`` for a node that is to be fenced; what is to be started, moved or stopped is a plan and no state, and so
is a node that a fence device is to let in again. No times. Source: crm_simulate(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_PLANNED: Final = (
    r"Start|Stop|Move|Migrate|Recover|Restart|Promote|Demote|Leave|Reload|Shutdown|Re-promote|Cancel|Delete|Unfence"
)


def _fence(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Event,
        line.number,
        node=section.node,
        source="crm_simulate",
        kind="node-unclean",
        about=match["node"],
        text=line.text.strip()[:400],
    )


_ROWS: Final = Rows(
    Row(
        "titles",
        r"(?:Transition Summary|Executing [Cc]luster [Tt]ransition|Revised [Cc]luster [Ss]tatus):$",
        fate=Fate.FRAME,
    ),
    Row("let in again", rf"(?:\* )?Fence \((?:on|unfence)\) {_NAME}", fate=Fate.EVERYDAY),
    Row("fence", rf"(?:\* )?Fence \(\w{{2,12}}\) (?P<node>{_NAME})", _fence),
    Row("fencing", rf"(?:\* )?Fencing {_NAME} \(\w{{2,12}}\)$", fate=Fate.EVERYDAY),
    Row("action", r"(?:\* )?(?:Resource|Pseudo|Cluster|Fencing) action:\s{1,20}\S", fate=Fate.EVERYDAY),
    Row("planned", rf"(?:\* )?(?:{_PLANNED})\s{{1,20}}[\w.:-]{{1,160}}\s{{1,60}}\(\s", fate=Fate.EVERYDAY),
    Row(
        "remark",
        r"\d{1,6} of \d{1,6} resource instances DISABLED|(?:\* )?Using the original execution date|(?:\* )?Setting \w",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("crm_simulate", version=2, product="gfs2", rows=_ROWS, commands=("crm_simulate",))
def crm_simulate(section: OpenSection, out: Output) -> None:
    """What the scheduler would do next."""
    _ROWS.read(section, out, "no step of a plan")
