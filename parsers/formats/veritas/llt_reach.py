"""Whether a node answers over LLT (``lltping``) or an adapter over its link (``dlpiping``).

    bash-3.00# lltping -c 2
    Node 2 is alive
    lltping: no response from node 3
    02:08:20:E7:0B:B2 is alive

Yields ``ClusterMember`` of the heartbeat, named by the id that LLT knows a node by, and ``HeartbeatLink`` for an
adapter. Round trips are everyday. No times. Tolerated: the name of the tool in front, a link behind the node. Source:
lltping(1M) of Cluster Server 7.4.3 (a node that answers); the words for one that does not are recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ClusterMember, HeartbeatLink
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TOOL: Final = r"(?:(?:lltping|dlpiping): {1,4})?"
_NODE: Final = r"[Nn]ode {1,4}(?P<node>\w[\w.-]{0,80}?)"
_LINK: Final = r"(?:,? {1,4}(?:on |over )?link {1,4}(?P<link>[\w:/-]{1,40}?))?"
_ADDRESS: Final = r"(?P<address>(?:[0-9A-Fa-f]{1,2}:){5}[0-9A-Fa-f]{1,2})"
_OTHER: Final = _ADDRESS.replace("P<address>", "P<other>")
_SILENT: Final = r"(?:is )?(?:not (?:alive|responding|functioning|reachable)|dead|down)"


def _node(section: OpenSection, line: Line, found: re.Match[str], *, answers: bool) -> None:
    link = f", link {found['link']}" if found["link"] else ""
    section.add(
        ClusterMember,
        line.number,
        source="lltping",
        member=found["node"],
        layer="heartbeat",
        state=f"answers over LLT{link}" if answers else f"no answer over LLT{link}",
        standing="up" if answers else "down",
    )


def _alive(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _node(section, line, found, answers=True)


def _silent(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _node(section, line, found, answers=False)


def _adapter(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        HeartbeatLink,
        line.number,
        source="dlpiping",
        address=found["address"],
        state="alive",
        standing="up",
    )


def _adapter_silent(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        HeartbeatLink,
        line.number,
        source="dlpiping",
        link=found["address"] or found["other"],
        address=found["address"] or found["other"],
        state="no answer",
        standing="down",
    )


_ROWS: Final = Rows(
    Row("node that answers", rf"{_TOOL}{_NODE}{_LINK} is alive\.?$", _alive),
    Row("node that is silent", rf"{_TOOL}{_NODE}{_LINK} {_SILENT}\.?$", _silent, opens=False),
    Row("silent node of the tool", rf"lltping: {{1,4}}{_NODE}{_LINK} {_SILENT}\.?$", _silent),
    Row(
        "no response",
        rf"(?:lltping: {{1,4}})?[Nn]o (?:response|reply|answer) (?:received )?from (?:LLT )?{_NODE}{_LINK}\.?$",
        _silent,
        opens=False,
    ),
    Row(
        "no response, by the tool",
        rf"lltping: {{1,4}}[Nn]o (?:response|reply|answer) (?:received )?from (?:LLT )?{_NODE}{_LINK}\.?$",
        _silent,
    ),
    Row("adapter that answers", rf"{_TOOL}{_ADDRESS} is alive\.?$", _adapter),
    Row(
        "adapter that is silent",
        rf"{_TOOL}(?:[Nn]o (?:response|reply|answer) from {_ADDRESS}|{_OTHER} {_SILENT})\.?$",
        _adapter_silent,
        opens=False,
    ),
    Row(
        "round trips",
        r"(?:RTT|rtt|[Rr]ound.trip|Average|Maximum|Minimum)\b[^\n]{1,120}$|\d{1,6} packets? sent\b[^\n]{0,80}$"
        r"|(?:lltping|dlpiping): {1,4}(?:sending|pinging|connecting)\b[^\n]{1,80}$"
        r"|seq(?:uence)? ?[#=:]? ?\d[^\n]{0,80}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser(
    "llt_reach",
    version=1,
    product="veritas",
    rows=_ROWS,
    commands=("lltping", "dlpiping"),
    places=r"\b(?:lltping|dlpiping)\b",
)
def llt_reach(section: OpenSection, out: Output) -> None:
    """Nodes and adapters that answer, and those that do not."""
    _ROWS.read(section, out, "no node or adapter that was asked")
