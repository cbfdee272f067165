"""Checks of Spectrum Scale that answer part by part: ``mmuserauth service check``, ``mmcallhome test connection``.

    Userauth file check on node: carp3
            Checking nsswitch file: OK
    AD domain controllers status
            NETLOGON connection: BAD
            Domain join status: OK
    Service 'gpfs-winbind' status: OK

    Testing direct connection...
     Edge_SP_Config_1: FAILED

Yields ``HealthState``, one for each part. No times. Tolerated: parts left out, unknown parts of the form
``Name_1: OK`` below the title of the connection test. Source: IBM Storage Scale documentation, mmuserauth and
mmcallhome commands; the layout is recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {"ok": "healthy", "passed": "healthy", "valid": "healthy"}
_ANSWER: Final = r"(?P<state>OK|PASSED|VALID|BAD|FAILED|ERROR|INVALID|UNREACHABLE|NOT REACHABLE)"


def _node(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.is_on(found["node"])


def _part(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, found["part"], found["state"])


def _connection(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, f"call home connection {found['part']}", found["state"])


def _put(section: OpenSection, line: Line, part: str, state: str) -> None:
    section.add(
        HealthState,
        line.number,
        source="mm check",
        component=" ".join(part.split()),
        state=state,
        standing=_STANDINGS.get(state.lower(), "degraded"),
    )


_ROWS: Final = Rows(
    Row("title", r"Userauth file check on node: (?P<node>[A-Za-z0-9][\w.-]{0,252})$", _node, Fate.FRAME),
    Row("servers", r"(?:LDAP servers|AD domain controllers|Keystone|NIS servers?) status$", fate=Fate.FRAME),
    Row("test", r"Starting connectivity test between the call home node and IBM\b", fate=Fate.FRAME),
    Row("node of the test", r"Call home node: (?P<node>[A-Za-z0-9][\w.-]{0,252})$", _node, Fate.FRAME),
    Row("direct", r"Testing (?:direct|proxy) connection\.{0,3}$", fate=Fate.FRAME),
    Row("moment", r"(?:Starting|End) time: [A-Z][a-z]{2} [A-Z][a-z]{2}\b.{4,60}$", fate=Fate.FRAME, opens=False),
    Row("file", rf"Checking (?P<part>[\w.-]{{2,40}} (?:file|files|service)): {_ANSWER}$", _part),
    Row("server", rf"(?P<part>LDAP server \S{{1,253}}) {{0,4}}: {_ANSWER}$", _part),
    Row(
        "domain",
        rf"(?P<part>NETLOGON connection|(?:Domain join|Machine password|Trust secret) status): {_ANSWER}$",
        _part,
    ),
    Row("service", rf"(?P<part>Service '[\w@.-]{{2,60}}') status: {_ANSWER}$", _part),
    Row("connection", rf"(?P<part>(?:Edge|ECC|ESS|SP|ECuRep)_\w{{1,60}}): {_ANSWER}$", _connection),
)


@parser("scale_checks", version=1, product="spectrum-scale", rows=_ROWS, commands=("mmuserauth", "mmcallhome"))
def scale_checks(section: OpenSection, out: Output) -> None:
    """Checks with an answer for each part."""
    _ROWS.read(section, out, "no part with its answer")
