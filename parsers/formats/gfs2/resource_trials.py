"""What an agent of Pacemaker did when somebody ran it by hand: ``pcs resource debug-start`` and its kin, ``crm_resource
--force-stop``.

    Operation stop for pondfs (ocf:heartbeat:Filesystem) returned: 'error' (1)
     >  stderr: ocf-exit-reason:Couldn't unmount /srv/pond; trying cleanup with KILL
    Operation force-check for pondfs (ocf:heartbeat:Filesystem) returned 0 (ok)
    Failcounts for resource 'pondfs'                                        pcs resource failcount show
      carp2: INFINITY

Yields ``Event`` for an operation that failed, and where failures are so many that a node may not run it any more; a
resource that a check finds stopped, or promoted, is everyday, and so are the agent's own words around it. No times.
Tolerated: the words of all releases, lines left out. Source: pcs and Pacemaker source, tools/crm_resource_runtime.c.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_KEPT: Final = 400
_STOPPED: Final = (7, 8)
"""Not running, and running promoted: what a check may find."""


def _ended(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    code = int(match["code"] or match["number"])
    is_check = match["verb"].removeprefix("force-") in ("monitor", "check")
    if code == 0 or (is_check and code in _STOPPED):
        return
    text = line.text.strip()[:_KEPT]
    section.add(
        Event,
        line.number,
        source="resource agent",
        kind="resource-failed",
        about=match["name"],
        weight="trouble",
        text=text,
    )


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(resource=match["name"], counted_on=match["node"])


def _banned(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A node that may not run it any more: it failed there until the cluster gave up."""
    section.add(
        Event,
        line.number,
        node=match["node"] or section.state.get("counted_on") or section.node,
        source="resource agent",
        kind="resource-failed",
        about=section.state.get("resource"),
        weight="trouble",
        text=line.text.strip()[:_KEPT],
    )


_ROWS: Final = Rows(
    Row(
        "failures",
        r"Failcounts for (?:resource )?'?(?P<name>[\w.:-]{1,128}?)'?"
        r"(?: on (?:node )?'?(?P<node>[\w.-]{1,127}?)'?)?:?$",
        _counted,
        fate=Fate.FRAME,
    ),
    Row("given up", r"(?P<node>[\w.-]{1,127}): (?:INFINITY|1000000)$", _banned, opens=False),
    everyday("counted", r"[\w.-]{1,127}: \d{1,6}$", r"No failcounts\b.{0,200}", opens=False),
    everyday("why", r"Resource [\w.:-]{1,128} is (?:not )?running(?: on host [\w.-]{1,127})?$"),
    Row(
        "operation",
        r"Operation (?P<verb>(?:force-)?[a-z][a-z-]{2,20}) for (?P<name>[\w.:-]{1,128}) "
        r"\((?:ocf|lsb|systemd|stonith|service)"
        r":[\w.:@-]{1,120}\) returned:? (?:'[a-z ]{2,40}' \((?P<code>\d{1,3})\)|(?P<number>\d{1,3})\b.{0,300})",
        _ended,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "reason", r"(?:>\s{1,4}(?:stderr|stdout): )?ocf-exit-reason:.{1,400}", r">\s{1,4}(?:stderr|stdout): .{0,400}"
    ),
    everyday(
        "words of an agent",
        r"(?:INFO|DEBUG|WARNING|ERROR): .{1,400}$",
        r"u?mount: /\S{1,200}: .{1,200}$",
        r"crm_resource: Error performing operation: .{1,100}$",
        opens=False,
    ),
)


@parser(
    "resource_trials",
    version=2,
    product="gfs2",
    rows=_ROWS,
    places=(
        r"\b(?:pcs resource (?:debug-(?:start|stop|monitor|promote|demote)|failcount)|crm_resource\b.{0,200}--force-)"
    ),
)
def resource_trials(section: OpenSection, out: Output) -> None:
    """Operations of a resource, what its agent said, and how often it failed."""
    _ROWS.read(section, out, "no word of an agent")
