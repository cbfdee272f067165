"""What ``hastatus`` without options prints: the state of every system, group and resource as it came.

    group           resource             system               message
    --------------- -------------------- -------------------- --------------------
                                         carp1                RUNNING
    mail                                 carp1                OFFLINE|FAULTED
                    mail_mnt             carp1                *** FAULTED ***

Yields ``ClusterMember`` per system, ``ServiceState`` per group and resource; a later row of one thing is its later
state. No times. Tolerated: collapsed blanks, a missing heading. Source: hastatus(1M), as printed.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.cluster.vcs_states import service_standing, system_standing
from parsers.output import Output
from parsers.records.states import ClusterMember, ServiceSort, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Table
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_SYSTEM_STATE: Final = (
    r"(?:RUNNING|EXITED|EXITING|EXITING_FORCIBLY|FAULTED|INITING|LEAVING|UNKNOWN"
    r"|[A-Z]{3,12}[_ ](?:DISCOVER[_ ]WAIT|PEER[_ ]WAIT|ADMIN[_ ]WAIT|BUILD|WAIT)(?:: [a-z][a-z ]{1,60})?)"
)
_WORD: Final = (
    r"(?:ONLINE|OFFLINE|FAULTED|PARTIAL|STARTING|STOPPING|PENDING|STATE UNKNOWN|UNKNOWN|MONITOR TIMEDOUT|ADMIN WAIT"
    r"|ADMIN_WAIT|UNABLE TO OFFLINE|(?i:waiting (?:for|to go) \w{1,24}(?: (?:online|offline))?))"
)
_STATE: Final = (
    rf"(?:\*{{1,3}} ?)?(?:{_SYSTEM_STATE}|{_WORD})"
    rf"(?:(?: ?\*{{1,3}})?(?:\s?\|\s?|\s{{1,3}})(?:\*{{1,3}} ?)?(?:{_WORD}|FAILED|ISTATE|[A-Z_]{{2,20}})){{0,6}}"
    r"(?: ?\*{1,3})?$"
)
_OF_STATES: Final = (
    r"(?:ONLINE|OFFLINE|FAULTED|PARTIAL|STARTING|STOPPING|PENDING|STATE|UNKNOWN|MONITOR|ADMIN|WAITING|UNABLE|TO"
    r"|FOR|GO|STALE|CURRENT|REMOTE|LOCAL|DISCOVER|PEER|waiting)"
)
_SYSTEM: Final = rf"(?!{_OF_STATES}(?:\s|$)){_NAME}"
_ROW: Final = rf"(?:{_SYSTEM}\s{{1,80}}){{1,2}}{_STATE}"
_LIVE: Final = Table(
    Column("group", cell=rf"{_NAME}$", needed=False),
    Column("resource", cell=rf"{_NAME}$"),
    Column("system", cell=rf"{_SYSTEM}$", needed=True),
    Column("message", cell=_STATE, needed=True),
    row=_ROW,
    frame=r"attempting to connect",
)
_COLLAPSED = re.compile(rf"(?:(?P<name>{_NAME})\s{{1,80}})?(?P<system>{_SYSTEM})\s{{1,80}}(?P<state>{_STATE})")
_JOINED = re.compile(r"\s?\*{0,3}\s?\|\s?\*{0,3}\s?|\s{2,3}|\s?\*{1,3}\s?")
_WAITS = re.compile(r"(?<=[A-Z]) (?=(?:ADMIN|DISCOVER|PEER|WAIT|BUILD)\b)")
"""Blanks in the state of a system, which other releases write as one word."""
_RULER = re.compile(r"[-= ]{8,200}$")
_SET_IN: Final = 8
"""Blanks in front of the name of a resource; that of a group has less."""


@parser(
    "vcs_live",
    version=3,
    product="veritas",
    claims=rf"(?:{_LIVE.claims}|attempting to connect\.{{2,8}}(?:connected)?\s{{0,40}}$)",
    owns=_LIVE.owns,
    commands=("hastatus",),
)
def vcs_live(section: OpenSection, out: Output) -> None:
    """States of systems, groups and resources as they came."""
    for line in section:
        text = line.text.rstrip()
        if (spans := _LIVE.heading(text)) is not None:
            section.state["heading"] = spans
        if spans is not None or _RULER.match(text) or text.lstrip().startswith("attempting"):
            out.frame()
        elif not _row(section, line, text):
            out.skip(line, "no system, group or resource with its state")


def _row(section: OpenSection, line: Line, text: str) -> bool:
    fields = _LIVE.cells(text, section.state.get("heading", ())) or {}
    match = _COLLAPSED.match(text.strip())
    if fields:
        group, resource = fields.get("group"), fields.get("resource")
        system, state = fields["system"], fields["message"]
    elif match is None:
        return False
    else:
        is_resource = len(text) - len(text.lstrip()) >= _SET_IN
        name, system, state = match["name"], match["system"], match["state"]
        group, resource = (None, name) if is_resource else (name, None)
    state = _JOINED.sub("|", state.strip("* "))
    if group is None and resource is None:
        state = _WAITS.sub("_", state)
        section.add(
            ClusterMember,
            line.number,
            source="hastatus",
            member=system,
            layer="services",
            state=state,
            standing=system_standing(state),
        )
        return True
    sort: ServiceSort = "group" if resource is None else "resource"
    section.add(
        ServiceState,
        line.number,
        source="hastatus",
        sort=sort,
        on=system,
        state=state,
        group=group,
        resource=resource,
        standing=service_standing(state.upper()),
    )
    return True
