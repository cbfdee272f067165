"""``sinfo -R`` of Slurm: nodes that take no jobs, and why.

    REASON               USER      TIMESTAMP           NODELIST
    NHC: check_fs_mount: root      2028-11-12T10:03:11 oat[07-09]
    Not responding       slurm     2028-11-12T10:05:11 oat12
    firmware update      mona      2028-11-10T08:00:00 oat20

Yields ``ListedState`` per row: wrong where a check or the scheduler itself took them out, a hint where a person did.
Reasons are cut to the width of the column. Source: sinfo(1) of Slurm.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows
from parsers.times.clock import find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_BY_ITSELF = re.compile(
    r"(?i)NHC\b|check_\w|not responding|kill task failed|(?:prolog|epilog|batch job complete|duplicate jobid|low )"
    r"|unexpectedly rebooted|\b(?:fail(?:ed|ure)?|errors?|unreachable|not mounted|down)\b"
)
"""What the scheduler or a check writes; people write of faults too."""


def _node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    reason = found["reason"].strip().rstrip(":")
    instant = find_instant(found["when"].replace("T", " "))
    section.add(
        ListedState,
        line.number,
        at=instant[0].us if instant else None,
        source="sinfo -R",
        name=f"nodes {found['nodes']}" if re.search(r"[\[,]", found["nodes"]) else f"node {found['nodes']}",
        state=f"taken out: {reason}",
        standing="wrong" if _BY_ITSELF.search(reason) else "hint",
        row=line.text.strip(),
    )


_ROWS: Final = Rows(
    Row("heading", r"REASON {2,40}USER {1,40}TIMESTAMP {2,40}NODELIST$", fate=Fate.FRAME),
    Row(
        "node",
        r"(?P<reason>\S[^\n]{0,80}?) {1,40}(?P<user>[A-Za-z_][\w.-]{0,40}(?:\(\d{1,8}\))?) {1,40}"
        r"(?P<when>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) {1,40}(?P<nodes>[A-Za-z][\w.,\[\]-]{1,800})$",
        _node,
        opens=False,
    ),
)


@parser("drained_nodes", version=1, product="", rows=_ROWS, commands=("sinfo",), places=r"\bsinfo {1,4}-R\b")
def drained_nodes(section: OpenSection, out: Output) -> None:
    """Nodes that were taken out, with their reasons."""
    _ROWS.read(section, out, "no node with the reason why it takes no jobs")
