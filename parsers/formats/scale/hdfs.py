"""Daemons of HDFS Transparency: ``mmhdfs hdfs status``.

    lund03: datanode is not running.
    lund04: datanode pid is 45223
    namenode: lund01: namenode is not running.

Yields ``ListedState`` per daemon and node. No times. Source: IBM Storage Scale documentation, mmhdfs command; layout
recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_DAEMON: Final = r"(?i:(?:secondary )?name ?node|data ?node|journal ?node|zkfc)"


def _daemon(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    is_gone = found["gone"] is not None
    what, state = found["what"].lower(), "not running" if is_gone else found["role"] or "running"
    if found["role"]:
        section.state.setdefault("roles", {})[found["node"]] = found["role"], line.number
    section.add(
        ListedState,
        line.number,
        node=found["node"],
        source="mmhdfs",
        name=what,
        state=state,
        standing="wrong" if is_gone else "good",
        row=f"{what} of {found['node']}: {state}",
    )


_ROWS: Final = Rows(
    Row(
        "daemon",
        rf"(?:{_DAEMON}: {{1,4}})?(?P<node>{_NODE}): {{1,4}}(?P<what>{_DAEMON}) "
        r"(?:(?P<gone>(?:is )?not running|is dead|is stopped)|pid is \d{1,9}(?:, state (?:is )?"
        r"(?P<role>active|standby))?|(?:is )?running\b[^\n]{0,60})\.?$",
        _daemon,
    ),
    Row("none", rf"{_NODE}: {{1,4}}This node is not a {_DAEMON}\.?$", fate=Fate.EVERYDAY),
)


@parser("scale_hdfs", version=2, product="spectrum-scale", rows=_ROWS, commands=("mmhdfs",))
def scale_hdfs(section: OpenSection, out: Output) -> None:
    """Which daemons of HDFS Transparency run where."""
    _ROWS.read(section, out, "no daemon with its state")
    roles: dict[str, tuple[str, int]] = section.state.pop("roles", {})
    if len(roles) > 1 and all(role == "standby" for role, _ in roles.values()):
        section.add(
            ListedState,
            min(line for _, line in roles.values()),
            source="mmhdfs",
            name="namenode",
            state="standby on all nodes, none is active",
            standing="wrong",
            row=f"namenode of {', '.join(sorted(roles))}: standby",
        )
