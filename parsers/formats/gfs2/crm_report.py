"""What ``crm report`` puts around the files of nodes: who belongs to it, what it checked, for whom.

    pike-01 pike-02                          members.txt
    Checking /var/lib/pacemaker/cib          permissions.txt
    Diff corosync.conf... OK                 analysis.txt
    Platform: Linux                          sysinfo.txt
    By: report -f "2031-04-03 00:00:00"      description.txt

Known by the names of its files. Yields ``Setting`` for the name of the release; nothing else of it is judged: a
difference and a wrong permission stand in lines of their own, which are none of these. Source: crm(8) of crmsh, and
hb_report of cluster-glue, as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line


def _release(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="sysinfo.txt", name="PRETTY_NAME", value=match["value"].strip())


_ROWS: Final = Rows(
    Row("name of the release", r"Distribution: (?:description: )?(?P<value>\S.{0,120})$", _release),
    everyday(
        "check of the report",
        r"Diff [\w.-]{1,60}\.\.\. (?:OK|no \S{1,200} :/)$",
        r"(?:Check|Checking) problems with (?:core dumps|cluster processes|PE files)\b",
        r"Checking (?:logs for patterns|problems with [a-z ]{3,60})\b",
        r"Checking /var/lib/\S{1,200}$",
    ),
    everyday(
        "what the report is about",
        r"Please edit this template and describe the issue/problem you encountered\.",
        r"By: (?:crm )?report .{0,200}$",
        r"Subject: \[short problem description\]$",
        r"Severity: \[choose one\]",
        r"Component: \[choose one\]",
        r"Detailed description:$",
    ),
    heading("heading of the host", r"#{3,8}(?:System info|Cluster info|Cluster related packages)\b.{0,80}$"),
    everyday(
        "the host",
        r"(?:Platform|Kernel release|Architecture): \S.{0,200}$",
        opens=False,
    ),
    everyday("members", r"[A-Za-z][\w.-]{0,62}(?: [A-Za-z][\w.-]{0,62}){0,63}$", opens=False),
)


@parser(
    "crm_report",
    version=1,
    product="gfs2",
    rows=_ROWS,
    places=r"(?:^|/)(?:members|permissions|analysis|description|sysinfo)\.txt$",
    priority=-2,
)
def crm_report(section: OpenSection, out: Output) -> None:
    """What a report says of itself."""
    _ROWS.read(section, out, "no line of the report itself")
