"""Replication of volumes: ``vradmin repstatus``, ``vradmin printrvg``, ``vxrlink stats``, ``vrstat``.

    Secondary:
      Host name:                  tern1
      Data status:                inconsistent
      Replication status:         paused due to network disconnection (dcm resynchronization)
      Logging to:                 DCM (contains 614400 Kbytes) (SRL protection logging)
      Timestamp Information:      behind by 05:18:20 hours

             Messages                              Errors                 Flow Control
         #      Blocks     RT(msec)    Timeout  Stream   Memory    Delays  NW Bytes  NW Delay   Timeout
      1011       20220          3            0       0        0         0    260000         1        10

    Data Status:
     tern1:     behind by 4096000 Kbytes, 71% of SRL, 1:12:33 hours

Yields ``StorageState`` of each secondary: data, replication and log; how far it is behind is a ``Counter`` in seconds.
The primary's volume group is one, too; ``Counter`` of what a link sent. No times. Source: vradmin(1M), vxrlink(1M),
Veritas Volume Replicator administrator's guides.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_BEHIND: Final = re.compile(
    r"behind by (?:(\d{1,5}):(\d\d):(\d\d)|(\d{1,5})\s?h(?:ours?)? (\d{1,2})\s?m\w* (\d{1,2})\s?s)"
)
_FULL: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,3})?) ?% full")
_NEARLY_FULL: Final = 80.0
"""A log of the primary as full as this, in per cent: when it is full, the link goes over to the map of changed regions,
or its writers wait.
"""
_GOOD: Final = {
    "Data status": ("consistent, up-to-date", "consistent, behind", "consistent, up to date", "consistent"),
    "Replication status": ("replicating", "resync in progress", "logging to SRL"),
    "RVG state": ("enabled for I/O",),
}


def _name(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["set"] = match["value"].strip()


def _host_name(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["host"] = match["value"]
    if match["mark"] == "unreachable":
        _link(section, line, "unreachable", "degraded")


def _error(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What ``vradmin`` found wrong in the configuration, of a host."""
    section.state["host"] = match["host"]
    _link(section, line, match["what"].strip().rstrip("."), "degraded")


_RESYNCS = re.compile(r"Replication status: {1,40}resync(?:hronization)? in progress\b")


def _listed_host(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["host"] = match["value"]


def _side(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["host"] = section.state["paused"] = section.state["resyncs"] = None


def _host(section: OpenSection) -> str | None:
    """The side that the lines speak of."""
    return section.state.get("host") or section.node


def _link(section: OpenSection, line: Line, state: str, standing: HealthStanding) -> None:
    section.add(
        StorageState,
        line.number,
        source="vradmin repstatus",
        sort="replication link",
        name=_host(section) or section.state.get("set"),
        of=section.state.get("set") if _host(section) else None,
        state=state,
        standing=standing,
    )


def _status(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    key, value = match["key"], match["value"].strip()
    good = any(value.startswith(words) for words in _GOOD[key])
    failed = value.startswith(("inconsistent", "disabled", "failed"))
    if key == "Data status":
        section.state["resyncs"] = _is_resynchronised(section)
    is_quiet = value.startswith(("needs", "N/A")) or (section.state.get("resyncs") and key != "RVG state")
    standing: HealthStanding = "healthy" if good else "hint" if is_quiet else "failed" if failed else "degraded"
    _link(section, line, f"{key.lower()} {value}", standing)
    if key == "Replication status" and standing != "healthy":
        section.state["paused"] = value


def _is_resynchronised(section: OpenSection) -> bool:
    """Whether the other side is being made alike: until then its data are of two moments, as they have to be."""
    below = section.peek()
    return below is not None and _RESYNCS.match(below.text.strip()) is not None


def _logging(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    value = match["value"].strip()
    standing: HealthStanding = "healthy"
    full = _FULL.search(value) if value.startswith("SRL") else None
    if value.startswith("DCM"):
        standing = "hint" if section.state.get("resyncs") else "degraded"
    elif full is not None and float(full[1]) >= _NEARLY_FULL:
        standing = "degraded"
    if full is not None:
        _used(section, line, float(full[1]))
    _link(section, line, f"logging to {value}", standing)


def _used(section: OpenSection, line: Line, share: float) -> None:
    """Of the log of the primary, as it stands beside a secondary; ``vxrlink status`` says the same of the link."""
    section.add(
        Counter,
        line.number,
        scope=section.state.get("set") or _host(section),
        source="vradmin repstatus",
        name="log used",
        unit="%",
        value=share,
    )


def _behind(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    found = _BEHIND.search(match["value"])
    hours, minutes, seconds = (
        (int(part) for part in found.groups() if part is not None) if found is not None else (0, 0, 0)
    )
    section.add(
        Counter,
        line.number,
        scope=_host(section),
        source="vradmin repstatus",
        name="behind",
        unit="s",
        value=float(3600 * hours + 60 * minutes + seconds),
    )
    if found is not None and section.state.get("paused"):  # a link that works may be behind by its writes on the way
        _link(section, line, match["value"].strip(), "degraded")


def _listed_link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A link of ``printrvg``: detached is one that sends nothing until it is attached again."""
    is_off = match["detached"] == "on"
    section.add(
        StorageState,
        line.number,
        source="vradmin printrvg",
        sort="replication link",
        name=match["name"],
        of=section.state.get("set"),
        state="detached" if is_off else "attached",
        standing="degraded" if is_off else "healthy",
    )


_REPSTATUS: Final = Rows(
    Row(
        "link",
        r"name=(?P<name>[\w.-]{1,120}), detached=(?P<detached>on|off)(?:, \w{1,30}=[^\s,]{1,60}){0,8},?$",
        _listed_link,
    ),
    Row(
        "host of a list",
        r"(?P<key>HostName): {1,40}(?P<value>[\w.-]{1,127})(?: {1,40}<localhost>)?$",
        _listed_host,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "more of a link",
        r"(?:synchronous|latencyprot|srlprot|bandwidth_limit)=\S{1,60}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "property of a list",
        r"(?:RvgName|DgName|datavol_cnt|vset_cnt|srl|RLinks):(?: {1,40}\S{0,120})?$",
        fate=Fate.EVERYDAY,
    ),
    Row("set", r"(?P<key>Replicated Data Set): {1,40}(?P<value>\S.{0,120})$", _name, fate=Fate.FRAME),
    Row("side", r"(?:Primary|Secondary|Bunker)(?: \([^)]{1,40}\))?:$", _side, fate=Fate.FRAME, opens=False),
    Row(
        "host",
        r"Host name: {1,40}(?P<value>[^\s<]{1,127})(?: {1,40}<(?P<mark>[a-z]{1,20})>)?$",
        _host_name,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "error",
        r"(?P<host>[A-Za-z0-9][\w.-]{0,126}): {1,40}(?P<what>(?:Pri or Sec|Primary|Secondary|R[Ll][Ii][Nn][Kk]s?|RVG"
        r"|Disk group|Data volumes?|vradmind)\s.{0,100}\b(?:not?|missing|mismatch\w*|differ\w*|fail\w*|errors?"
        r"|unreachable)\b.{0,100})$",
        _error,
        opens=False,
    ),
    Row("group", r"(?P<key>RVG name): {1,40}(?P<value>\S.{0,120})$", _name, fate=Fate.FRAME),
    Row("status", r"(?P<key>Data status|Replication status|RVG state): {1,40}(?P<value>\S.{0,200})$", _status),
    Row("logging", r"Logging to: {1,40}(?P<value>\S.{0,200})$", _logging, opens=False),
    Row("age", r"Timestamp Information: {1,40}(?P<value>\S.{0,200})$", _behind, opens=False),
    Row(
        "property",
        r"(?:DG name|Data volumes|vset components|[vV][sS]ets|SRL name|SRL size|Total "
        r"secondaries|Current mode(?!:\s{1,40}(?:enforcing|permissive)$)"
        r"|Configured mode|Last Update on|Config Errors|RDS|Secondary delay|Rlink (?:from|to)"
        r"|(?:Latency|SRL) protection|Bandwidth [Ll]imit|Compression|Checksum|Protocol|Packet size|Heartbeat|Logowner"
        r"|Remote host|Tunables?)\b[\w ()]{0,40}: {0,40}.{0,200}$",
        fate=Fate.EVERYDAY,
    ),
)


@parser("vradmin", version=10, product="veritas", rows=_REPSTATUS, commands=("vradmin",))
def vradmin(section: OpenSection, out: Output) -> None:
    """``vradmin repstatus`` and ``printrvg``: how replication stands on each side."""
    _REPSTATUS.read(section, out, "no property of a replicated data set")


_COUNTS: Final = ("messages", "blocks", "round trip", "timeouts", "stream errors", "memory errors", "delays")
_MANY: Final = 0.1
_FEW: Final = 20
"""A link on which a tenth of the messages, and no less than so many, ran into a timeout or broke off does not carry
what is written.
"""


def _sent(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A row of what a link sent: the first one counts from its start."""
    command = section.command
    link = section.state.get("link") or (command.args[-1] if command is not None and command.args else None)
    figures = dict(zip(_COUNTS, map(float, match["counts"].split()), strict=False))
    for name, value in figures.items():
        section.add(
            Counter,
            line.number,
            scope=link,
            source="vxrlink stats",
            name=name,
            kind="gauge" if name == "round trip" else "delta",
            unit="ms" if name == "round trip" else "",
            value=value,
            sample=line.number,
        )
    timeouts, broken = figures["timeouts"], figures["stream errors"]
    if timeouts + broken < max(_FEW, _MANY * figures["messages"]):
        return
    section.add(
        StorageState,
        line.number,
        source="vxrlink stats",
        sort="replication link",
        name=link,
        state=f"{figures['messages']:.0f} messages, with {timeouts:.0f} timeouts and {broken:.0f} stream errors",
        standing="degraded",
    )


def _linked(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["link"] = match["link"]


def _data(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """How the data of a host stand; a link that works may be behind by its writes on the way."""
    words = match["words"].strip().rstrip(".")
    is_bad = words.startswith(("inconsistent", "needs", "stale")) or "disconnect" in words
    section.add(
        StorageState,
        line.number,
        source="vrstat",
        sort="replication link",
        name=match["host"],
        of=section.state.get("set"),
        state=words,
        standing="degraded" if is_bad else "hint" if "behind" in words else "healthy",
    )
    if used := _OF_LOG.search(words):
        section.add(
            Counter,
            line.number,
            scope=match["host"],
            source="vradmin repstatus",
            name="log used",
            unit="%",
            value=float(used[1]),
        )


_OF_LOG: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,3})?) ?% (?:of|on) (?:the )?SRL\b")
_ROW_OF_COUNTS: Final = Row("counts", r"(?P<counts>\d{1,15}(?:\s{1,24}\d{1,15}){8,9})$", _sent, opens=False)
_STATS: Final = Rows(
    Row("heading", r"Messages\s{1,60}Errors\s{1,60}Flow Control$", fate=Fate.FRAME),
    Row("ruler", r"-{3,40}(?:\s{1,60}-{3,60}){2}$", fate=Fate.FRAME, opens=False),
    Row("names", r"#\s{1,20}Blocks\s{1,20}RT\(msec\)\s{1,20}Timeout\s", fate=Fate.FRAME),
    _ROW_OF_COUNTS,
    Row("link", r"(?:[Tt]o )?\s{0,40}(?P<link>[\w.-]{1,120}):$", _linked, fate=Fate.FRAME, opens=False),
    Row("set", r"Replicated Data Set (?P<value>[\w.-]{1,120}):$", _name, fate=Fate.FRAME),
    Row("data", r"Data ?Status:$", fate=Fate.FRAME),
    Row(
        "data of a host",
        r"(?P<host>[\w.-]{1,120}):\s{1,60}(?P<words>(?:up[ -]to[ -]date|(?:in)?consistent|behind|needs|stale)\b"
        r".{0,200})$",
        _data,
        opens=False,
    ),
    Row(
        "figures of the host",
        r"(?:Network [Ss]tatistics:|Bandwidth Utilization |(?:VOL)?(?:Non-)?[Mm]emory[ -]pool\b).{0,200}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser(
    "vxrlink_stats",
    version=2,
    product="veritas",
    rows=_STATS,
    commands=("vxrlink", "vrstat"),
    places=r"\b(?:vrstat|vxrlink)\b",
)
def vxrlink_stats(section: OpenSection, out: Output) -> None:
    """``vxrlink stats`` and ``vrstat``: messages, errors and delays of a replication link."""
    _STATS.read(section, out, "no counts of a replication link")
