"""What ``crm report`` puts around the files of nodes: who belongs to it, what it checked, for whom.

    pike-01 pike-02                          members.txt
    Checking /var/lib/pacemaker/cib          permissions.txt
    Diff corosync.conf... OK                 analysis.txt
    Platform: Linux                          sysinfo.txt
    By: report -f "2031-04-03 00:00:00"      description.txt

Known by the names of its files. Yields ``Setting`` for the name of the release and for the members that a node names,
``Version`` of the kernel, and ``Event`` for what the report found itself: files of nodes that differ, core files,
owners and permissions, nodes that did not answer. Source: crm(8) of crmsh, crm_report of pacemaker, and hb_report of
cluster-glue, as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parsers.output import Output
from parsers.records import Event, Setting, Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line


def _release(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="sysinfo.txt", name="PRETTY_NAME", value=match["value"].strip())


def _kernel(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Version, line.number, product="kernel", version=match["value"])


def _members(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    names = ",".join(sorted(match["members"].split()))
    section.add(Setting, line.number, source="members.txt", name="members of the report", value=names)


def _found(kind: str) -> Callable[[OpenSection, Line, re.Match[str]], None]:
    def put(section: OpenSection, line: Line, match: re.Match[str]) -> None:
        named = match.groupdict()
        section.add(
            Event,
            line.number,
            node=named.get("node") or section.node,
            source="crm_report",
            kind=kind,
            about=named.get("about"),
            text=line.text.strip()[:400],
        )

    return put


_HOST: Final = r"(?P<node>[A-Za-z][\w.-]{0,62})"
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
    Row("kernel", r"Kernel release: (?P<value>\S{1,120})$", _kernel, opens=False),
    everyday("the host", r"(?:Platform|Architecture): \S.{0,200}$", opens=False),
    Row(
        "files that differ",
        rf"Diff (?P<about>[\w.-]{{1,60}})\.\.\.(?:\s{{1,4}}(?!OK$|no )(?:{_HOST}/\S{{1,80}} )?\S.{{0,80}})?$",
        _found("report-differs"),
    ),
    Row(
        "core files",
        rf"(?=(?:WARN(?:ING)?: )?core ?(?:dumps?|files?) found |[\w.-]{{1,63}}:/\S{{0,200}}\bcores?\b)"
        rf"(?:(?:WARN(?:ING)?: )?core ?(?:dumps?|files?) found (?:at|on) )?{_HOST}:(?:/\S{{1,400}}(?: \S.{{0,80}})?)?$",
        _found("report-core"),
        opens=False,
    ),
    Row(
        "permissions",
        rf"(?:{_HOST}: )?wrong permissions or ownership for (?P<about>/[^\s:]{{1,200}}):?",
        _found("report-permissions"),
        opens=False,
    ),
    Row(
        "node that did not answer",
        rf"(?:ERROR|WARN(?:ING)?): {_HOST}: (?:could not (?:connect|be reached)|no route|unreachable).{{0,120}}$",
        _found("report-unreachable"),
        opens=False,
    ),
    everyday(
        "nodes that answered", r"(?:Checking cluster nodes for connectivity: )?\d{1,4} of \d{1,4} nodes \w{3,12}$"
    ),
    everyday("a check without a finding", r"Checking [\w /]{3,60}: (?:none|OK|no problems?)$", opens=False),
    everyday("a difference", r"(?:[-+] ?\S.{0,200}|@@ .{1,80})$", opens=False),
    Row(
        "members",
        r"(?P<members>(?!Diff |Check)[A-Za-z][\w.-]{0,62}(?: [A-Za-z][\w.-]{0,62}){0,63})$",
        _members,
        opens=False,
    ),
)


@parser(
    "crm_report",
    version=2,
    product="gfs2",
    rows=_ROWS,
    places=r"(?:^|/)(?:members|permissions|analysis|description|sysinfo)\.txt$",
    priority=-2,
)
def crm_report(section: OpenSection, out: Output) -> None:
    """What a report says of itself."""
    _ROWS.read(section, out, "no line of the report itself")
