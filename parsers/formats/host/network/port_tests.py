"""Whether a port of another host takes a connection: ``nc``, ``ncat``, ``telnet``, and what ``crm`` says of hosts.

    nc: connect to carp2 port 2224 (tcp) failed: Connection refused
    Connection to carp2 (10.20.4.9) 5405 port [tcp/*] succeeded!
    Ncat: No route to host.                                          below ncat -zv carp2 2224
    telnet: connect to address 10.20.4.9: No route to host
    ERROR: cluster.join: host "carp2" is unreachable:

Yields ``HealthState`` of the port of its host: degraded where nothing takes the connection, or where it gets no answer:
a firewall answers ``No route to host`` too, though the host itself answers. Without a host, neither in the line nor in
the command, a line says nothing. No times. Source: nc(1) of OpenBSD, ncat(1), telnet(1); crmsh.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_HOST: Final = r"[A-Za-z0-9][\w.:-]{0,252}"
_WHY: Final = (
    r"(?P<why>Connection refused|Connection timed out|Operation timed out|TIMEOUT|No route to host"
    r"|Network is unreachable|Host is unreachable)"
)
_HEARS_NOBODY: Final = "Connection refused"


def _put(section: OpenSection, line: Line, place: str, why: str | None) -> None:
    state = "takes connections" if why is None else why
    if why is not None:
        state = f"{why}: nothing listens there" if why == _HEARS_NOBODY else f"{why}: away, or a firewall"
    section.add(
        HealthState,
        line.number,
        source="connection test",
        component=place,
        state=state,
        standing="healthy" if why is None else "degraded",
    )


def _named(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    groups = match.groupdict()
    _put(section, line, f"port {match['port']} of {match['host']}", groups.get("why"))


def _of_command(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What the command above wanted: its last words are the host and the port."""
    command = section.command
    words = [one for one in command.args if not one.startswith("-")] if command is not None else []
    if len(words) > 1 and words[-1].isdigit():
        _put(section, line, f"port {words[-1]} of {words[-2]}", match["why"])


def _host(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, f"host {match['host']}", match.groupdict().get("why") or "unreachable")


_ROWS: Final = Rows(
    Row(
        "failed",
        rf"nc: connect to (?P<host>{_HOST})(?: \(\S{{1,60}}\))? port (?P<port>\d{{1,5}}) (?:\((?:tcp|udp)\) )?failed: "
        rf"{_WHY}",
        _named,
    ),
    Row(
        "worked",
        rf"Connection to (?P<host>{_HOST})(?: \(\S{{1,60}}\))? (?P<port>\d{{1,5}}) port "
        r"\[(?:tcp|udp)/[^\]\n]{1,30}\] succeeded!$",
        _named,
    ),
    Row("worked with ncat", rf"Ncat: Connected to (?P<host>{_HOST}):(?P<port>\d{{1,5}})\.$", _named),
    Row("failed with ncat", rf"Ncat: {_WHY}\.$", _of_command),
    Row("telnet", rf"telnet: connect to address (?P<host>{_HOST}): {_WHY}$", _host),
    Row("telnet of Debian", rf"telnet: Unable to connect to remote host: {_WHY}$", _of_command),
    Row(
        "host that crm does not reach",
        rf"(?:ERROR|WARNING): (?:[a-z]{{2,20}}(?:\.[a-z]{{2,20}}){{0,2}}: )?host \"(?P<host>{_HOST})\" is unreachable\b"
        r".{0,60}$",
        _host,
    ),
    Row("release", r"Ncat: Version \d", fate=Fate.FRAME),
    Row(
        "about it",
        r"Ncat: \d{1,9} bytes sent|(?:Trying |Connected to )\S{1,80}\.{1,3}$|Escape character is ",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("port_tests", version=1, product="", rows=_ROWS, commands=("nc", "ncat", "telnet"))
def port_tests(section: OpenSection, out: Output) -> None:
    """Ports of other hosts that somebody tried."""
    _ROWS.read(section, out, "no connection that was tried")
