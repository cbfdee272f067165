"""Whether the clock of a host is kept: ``chronyc``, ``timedatectl``, ``ntpstat``, ``ntpq -p``, ``ntpdc -p`` and the log
of what ``chronyd`` measured (``tracking.log``).

    Reference ID    : 00000000 ()                     System clock synchronized: no
    System time     : 41.220117 seconds slow of NTP time    NTP service: inactive
    Leap status     : Not synchronised                unsynchronised
         remote           refid      st t when poll reach   delay   offset  jitter
    *ntp1.example.n .GPS.            1 u   33   64  377    0.211   -0.034   0.012
    ^? ntp2.example.net              0   8     0     -     +0ns[   +0ns] +/-    0ns        of chronyc sources
    2031-04-01 07:15:57 192.0.2.7  3  -86.702  0.012  9.992e-01 N  1  3.433e-05 -1.655e-04     of tracking.log

Yields ``HealthState`` of the clock: degraded where nothing keeps it or where it is a second or more away from its
servers, else healthy; and ``Setting`` of the other values. Source: chronyc(1), timedatectl(1), ntpstat(8), ntpq(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

AWAY_S: Final = 1.0
RAN_AWAY_S: Final = 0.1
"""Of a clock that was kept before and whose next measurement is this far off."""
_FIGURE: Final = r"[-+]?\d{1,12}(?:[.,]\d{1,9})?"
_OWN_CLOCK: Final = ("7F7F0101", "127.127.1.")
"""The reference of a host that was told to go by its own clock where it reaches no other."""


def _put(section: OpenSection, line: Line, state: str, standing: HealthStanding, source: str) -> None:
    section.add(HealthState, line.number, source=source, component="clock", state=state, standing=standing)


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["name"].strip() == "Reference ID":
        is_own = match["value"].startswith(_OWN_CLOCK)
        if is_own:
            _put(section, line, "follows no other clock", "hint", "chronyc tracking")
        source = "its own clock" if is_own else "another clock"
        section.add(Setting, line.number, source="clock", name="clock source", value=source)
    section.add(Setting, line.number, source="clock", name=match["name"].strip(), value=match["value"].strip())


def _system_time(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    away = float(match["seconds"].replace(",", "."))
    standing: HealthStanding = "degraded" if away >= AWAY_S else "healthy"
    _put(section, line, f"{away:g} s {match['how']} of its servers", standing, "chronyc tracking")


def _leap(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_kept = match["state"].strip() in _KEPT
    if not is_kept and not match["state"].lower().startswith("not"):
        _put(section, line, match["state"].strip(), "unknown", "chronyc tracking")
        return
    _put(
        section,
        line,
        "kept" if is_kept else "not synchronised",
        "healthy" if is_kept else "degraded",
        "chronyc tracking",
    )


def _kept(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_kept = match["state"] == "yes"
    _put(section, line, "kept" if is_kept else "not synchronised", "healthy" if is_kept else "degraded", "timedatectl")


def _source(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A server of chronyd."""
    section.state["shown"] = line
    section.state["chosen"] = section.state.get("chosen", False) or match["state"] == "*"
    away = abs(float(match["offset"])) * _UNITS.get(match["unit"] or "", 0.0)
    if match["state"] == "*" and away >= AWAY_S:
        _put(section, line, f"{away:g} s away from {match['remote']}", "degraded", "chronyc sources")
    elif match["state"] == "*":
        _put(section, line, f"kept by {match['remote']}", "healthy", "chronyc sources")
    elif match["reach"] == "0":
        _put(section, line, f"{match['remote']} does not answer", "hint", "chronyc sources")
    elif match["state"] == "x":
        _put(section, line, f"{match['remote']} disagrees with the other servers", "hint", "chronyc sources")
    else:
        section.add(Setting, line.number, source="clock", name=match["remote"], value=match["offset"] + match["unit"])


def _stat(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_kept = match["state"].startswith("synch")
    _put(section, line, "kept" if is_kept else "not synchronised", "healthy" if is_kept else "degraded", "ntpstat")


def _peer_in_seconds(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A peer of ``ntpdc``, whose figures are seconds."""
    section.state.update(shown=line, source="ntpdc")
    section.state["chosen"] = section.state.get("chosen", False) or match["mark"] == "*" or match["reach"] != "0"
    away = abs(float(match["offset"].replace(",", ".")))
    if match["mark"] == "*" and away >= AWAY_S:
        _put(section, line, f"{away:g} s away from {match['remote']}", "degraded", "ntpdc")
    elif match["mark"] == "*":
        _put(section, line, f"kept by {match['remote']}", "healthy", "ntpdc")
    else:
        section.add(Setting, line.number, source="clock", name=match["remote"], value=match["offset"])


def _peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    chosen = match["mark"] in ("*", "o")
    section.state.update(shown=line, source="ntpq -p")
    section.state["chosen"] = section.state.get("chosen", False) or chosen or match["reach"] != "0"
    offset_s = abs(float(match["offset"].replace(",", "."))) / 1000
    if chosen and offset_s >= AWAY_S:
        _put(section, line, f"{offset_s:g} s away from {match['remote']}", "degraded", "ntpq -p")
    elif chosen:
        _put(section, line, f"kept by {match['remote']}", "healthy", "ntpq -p")
    elif match["reach"] == "0":
        _put(section, line, f"{match['remote']} does not answer", "hint", "ntpq -p")
    else:
        section.add(Setting, line.number, source="clock", name=match["remote"], value=match["offset"])


def _dead(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    standing: HealthStanding = "degraded" if match[0].startswith("506") else "hint"
    _put(section, line, "the daemon that keeps it does not answer", standing, "chronyc")


def _measured(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """How far the clock was off when chronyd compared it; one that was set at its start may be far off once."""
    away = abs(float(match["offset"]))
    before: float | None = section.state.get("away")
    section.state["away"] = away
    if before is not None and before < RAN_AWAY_S <= away:
        _put(
            section,
            line,
            f"{away:g} s away from {match['remote']}, {before:g} s when last compared",
            "degraded",
            "chrony",
        )
    elif away >= AWAY_S and match["remote"] != _NOBODY and before is not None:
        _put(section, line, f"{away:g} s away from {match['remote']}", "degraded", "chrony")
    else:
        section.add(Setting, line.number, source="clock", name=match["remote"], value=match["offset"])


_NOBODY: Final = "0.0.0.0"  # noqa: S104  # the address that chronyd logs where it has no server
_KEPT: Final = ("Normal", "Insert second", "Delete second")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_TRACKING: Final = r"Stratum|Ref time \(UTC\)|Last offset|RMS offset|Frequency|Residual freq|Skew|Root delay"
_ROWS: Final = Rows(
    Row(
        "system time",
        rf"System time\s{{1,24}}: (?P<seconds>{_FIGURE}) seconds (?P<how>slow|fast) of NTP time$",
        _system_time,
    ),
    Row("leap status", r"Leap status\s{1,24}: (?P<state>\S.{2,40})$", _leap),
    Row(
        "tracking",
        rf"(?P<name>(?:{_TRACKING}|Root dispersion|Update interval)\s{{0,24}}): (?P<value>\S.{{0,120}})$",
        _value,
        opens=False,
    ),
    Row("reference", r"(?P<name>Reference ID)\s{1,24}: (?P<value>\S.{0,120})$", _value),
    Row("kept", r"(?:System clock|NTP) synchronized: (?P<state>yes|no)$", _kept),
    Row(
        "timedatectl",
        r"(?P<name>Universal time|RTC time|Time zone|NTP enabled|NTP service|Network time on|RTC in local TZ"
        r"|DST active|(?:Last|Next) DST change|systemd-timesyncd\.service active)\s{0,12}: (?P<value>\S.{0,160})$",
        _value,
        opens=False,
    ),
    Row("its other side", r"[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]{2,6}$", fate=Fate.FRAME, opens=False),
    Row("local time", r"(?P<name>Local time): (?P<value>[A-Z]\w\w \d{4}-\d\d-\d\d \S.{0,60})$", _value),
    Row(
        "ntpstat",
        r"(?P<state>unsynchronised|synchronised to \S.{2,160})$",
        _stat,
    ),
    Row(
        "of ntpstat",
        r"(?P<name>time correct to within|polling server every) (?P<value>\d{1,9} (?:ms|s))$|time server re-?starting$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "heading",
        r"remote\s{1,30}refid\s{1,30}st\s{1,8}t\s{1,8}when\s{1,8}poll\s{1,8}reach\s{1,16}delay\s{1,16}offset\s{1,16}"
        r"(?:jitter|disp)",
        fate=Fate.FRAME,
    ),
    Row(
        "heading of sources",
        r"(?:\d{1,3} (?:Number of sources = \d|Sources\b.{0,40}$)"
        r"|(?:210 )?(?:MS|M S) {1,3}Name/IP address\s{1,40}Stratum\s)",
        fate=Fate.FRAME,
    ),
    Row(
        "key of sources",
        r"(?:\.-{1,3} Source mode  '\^'|/ \.-|\|\s{0,4}/\s{1,20}'x'|\|\|\s{1,80}(?:\.-|Reach|Log2|\\|\|))",
        fate=Fate.FRAME,
    ),
    Row(
        "source",
        r"[\^=#](?P<state>[*+?x~-]) {1,3}(?P<remote>[\w.:-]{1,60})\s{1,40}\d{1,2}\s{1,12}\d{1,3}\s{1,12}"
        r"(?P<reach>\d{1,3})\s{1,12}(?:-|\d{1,6}[mhdy]?)\s{1,12}(?P<offset>[+-]?\d{1,9})(?P<unit>[num]?s)\[",
        _source,
    ),
    Row(
        "no daemon",
        r"506 Cannot talk to daemon$|ntp(?:q|dc): read: Connection refused$|ntp[dq]c?: [\w.]{1,60} timed out",
        _dead,
    ),
    Row(
        "heading of ntpdc",
        r"remote\s{1,30}local\s{1,30}st\s{1,8}poll\s{1,8}reach\s{1,16}delay\s{1,16}offset\s{1,16}disp$",
        fate=Fate.FRAME,
    ),
    Row(
        "peer of ntpdc",
        r"(?P<mark>[*=+^~-])(?P<remote>[\w.:-]{2,60})\s{1,30}[\w.:-]{2,60}\s{1,16}\d{1,2}\s{1,12}\d{1,6}\s{1,12}"
        rf"(?P<reach>\d{{1,3}})\s{{1,16}}{_FIGURE}\s{{1,16}}(?P<offset>{_FIGURE})\s{{1,16}}{_FIGURE}$",
        _peer_in_seconds,
        opens=False,
    ),
    Row(
        "heading of tracking.log",
        r"Date \(UTC\) Time\s{1,12}IP Address\s{1,12}St\s{1,8}Freq ppm\s{1,8}Skew ppm\s{1,12}Offset",
        fate=Fate.FRAME,
    ),
    Row(
        "measured",
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?P<remote>[\w.:-]{2,60})\s{1,30}\d{1,2}\s{1,12}-?\d{1,7}\.\d{3}\s{1,12}"
        r"-?\d{1,7}\.\d{3}\s{1,12}(?P<offset>-?\d\.\d{3}e[-+]\d\d) [N+?-]\s",
        _measured,
        opens=False,
    ),
    Row("ruler", r"={20,120}$", fate=Fate.FRAME, opens=False),
    Row(
        "peer",
        rf"(?P<mark>[*#o+x.-]?) ?(?P<remote>[\w.:-]{{2,60}})\s{{1,30}}(?P<refid>\S{{1,40}})\s{{1,16}}\d{{1,2}}\s{{1,8}}"
        rf"[a-zA-Z]\s{{1,12}}\S{{1,8}}\s{{1,12}}\d{{1,6}}\s{{1,12}}(?P<reach>\d{{1,3}})\s{{1,16}}{_FIGURE}\s{{1,16}}"
        rf"(?P<offset>{_FIGURE})\s{{1,16}}{_FIGURE}$",
        _peer,
        opens=False,
    ),
)


@parser(
    "time_sync",
    version=4,
    product="",
    rows=_ROWS,
    commands=("chronyc", "timedatectl", "ntpstat", "ntpq", "ntpdc"),
    priority=-1,
)
def time_sync(section: OpenSection, out: Output) -> None:
    """What keeps the clock of a host, and how well."""
    _ROWS.read(section, out, "no value of a clock")
    last = section.state.pop("shown", None)
    if last is not None and not section.state.pop("chosen", False):  # none of the servers that it shows
        _put(section, last, "no server is chosen", "degraded", section.state.get("source", "chronyc sources"))
