"""What an NFS client counts: ``nfsiostat``, ``mountstats`` and ``nfsstat``.

    fs1:/gpfs/data mounted on /mnt/data:
               ops/s       rpc bklog
             118.402          34.120
    read:              ops/s     kB/s    kB/op    retrans    avg RTT (ms)   avg exe (ms)
                      52.110 6670.080  128.000   31 (4.2%)       2841.201       9120.410
    Client rpc stats:
    calls      retrans    authrefrsh
    8812345    412334     8812401
    WRITE:
        22001 ops (38%)   412 retrans (1%)   39 major timeouts
        backlog wait: 2201.1    RTT: 912.4    total execute time: 3120.0 (milliseconds)

Yields ``Counter``: of ``nfsiostat`` and ``mountstats`` a gauge for each figure of an operation with the mount as scope,
names as in the heading of the former behind the operation; of ``nfsstat`` cumulative ones with client or server as
scope. Without an interval the figures are those since the mount. Tolerated: collapsed columns, tables of single
operations, which are everyday rows. Source: nfsiostat(8), mountstats(8), nfsstat(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_AMOUNT: Final = r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,18})(?:\.\d{1,9})?"
_FIGURES: Final = rf"{_AMOUNT}(?: ?\(\d{{1,3}}(?:\.\d{{1,9}})?%\))?"
_NAMES: Final = r"(?:ops?/s|rpc bklog|kB/s|kB/op|retrans|avg RTT \(ms\)|avg exe \(ms\)|avg queue \(ms\)|errors)"
_NAME = re.compile(_NAMES)
_FIGURE = re.compile(rf"({_AMOUNT})(?: ?\((\d{{1,3}}(?:\.\d{{1,9}})?)%\))?")
_MOST: Final = 40


def _mount(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(mount=match["mount"], of="", names=())


def _heading(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(of=match["of"] or "", names=tuple(_NAME.findall(match[0])))


def _count(
    section: OpenSection, line: Line, source: str, name: str, value: str, unit: str, scope: str, sort: str
) -> None:
    section.add(
        Counter,
        line.number,
        scope=scope or None,
        source=source,
        name=name,
        kind=sort,
        unit=unit,
        value=float(value.replace(",", "")),
        sample=line.number,
    )


def _figures(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    names, of = section.state.get("names", ()), section.state.get("of", "")
    found = _FIGURE.findall(match[0])
    if len(found) != len(names):
        return
    for name, (value, share) in zip(names, found, strict=True):
        unit = "ms" if name.endswith("(ms)") else ""
        shown = f"{of} {name.removesuffix(' (ms)')}".strip()
        mount = section.state.get("mount", "")
        _count(section, line, "nfsiostat", shown, value, unit, mount, "gauge")
        if share:
            _count(section, line, "nfsiostat", f"{shown} share", share, "%", mount, "gauge")


_CALLS: Final = Rows(
    Row("mount", r"[\w.:\[\]-]{1,255}:/\S{0,1000} mounted on (?P<mount>/\S{0,1000}):$", _mount, fate=Fate.FRAME),
    Row(
        "heading",
        rf"(?P<of>read|write):\s{{1,40}}(?:{_NAMES}\s{{1,40}}){{1,10}}{_NAMES}$",
        _heading,
        fate=Fate.FRAME,
    ),
    Row("all", rf"(?P<of>)(?:{_NAMES}\s{{1,40}}){{1,10}}{_NAMES}$", _heading, fate=Fate.FRAME, opens=False),
    Row("figures", rf"{_FIGURES}(?:\s{{1,40}}{_FIGURES}){{1,{_MOST}}}$", _figures, opens=False),
)


@parser("nfsiostat", version=1, product="", rows=_CALLS, commands=("nfsiostat",))
def nfsiostat(section: OpenSection, out: Output) -> None:
    """``nfsiostat``: for each mount its reads and writes."""
    _CALLS.read(section, out, "figures without their heading")


def _side(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(side=match["side"].lower(), names=())


def _rpc_heading(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["names"] = tuple(match[0].split())


def _rpc_figures(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    names, found = section.state.get("names", ()), match[0].split()
    if len(found) == len(names):
        for name, value in zip(names, found, strict=True):
            _count(section, line, "nfsstat", name, value, "", section.state.get("side", ""), "cumulative")


_COUNTS: Final = Rows(
    Row("side", r"(?P<side>Client|Server) rpc stats:$", _side, fate=Fate.FRAME),
    Row(
        "names",
        r"calls\s{1,20}(?:retrans|badcalls)(?:\s{1,20}[a-z]\w{1,20}){0,8}$",
        _rpc_heading,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("figures", rf"\d{{1,20}}(?:\s{{1,20}}\d{{1,20}}){{1,{_MOST}}}$", _rpc_figures, opens=False),
    Row(
        "version", r"(?:Client|Server) (?:nfs v\d(?: operations)?|packet stats|reply cache|file handle cache"
        r"|read ahead cache|io stats|thread usage|\w[\w ]{1,30}):$", fate=Fate.FRAME, opens=False,
    ),
    Row(
        "operations",
        r"[a-z][\w-]{1,24}(?:\s{1,24}[a-z][\w-]{1,24}){0,12}$",
        _rpc_heading,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "shares",
        r"\d{1,20}\s{1,24}\d{1,3}%(?:\s{1,24}\d{1,20}\s{1,24}\d{1,3}%){0,12}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)  # fmt: skip


@parser("nfsstat", version=1, product="", rows=_COUNTS, commands=("nfsstat",))
def nfsstat(section: OpenSection, out: Output) -> None:
    """``nfsstat``: calls of a client or a server."""
    _COUNTS.read(section, out, "figures without their names")


def _stats(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(mount=match["mount"], of="")


def _operation(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["of"] = match["of"].lower()


def _operations(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Calls that were sent again, by the share of all of them, and how often an answer never came in time."""
    of, mount = section.state.get("of", ""), section.state.get("mount", "")
    _count(section, line, "nfsiostat", f"{of} retrans", match["again"], "", mount, "gauge")
    if match["share"]:
        _count(section, line, "nfsiostat", f"{of} retrans share", match["share"], "%", mount, "gauge")


def _times(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    of, mount = section.state.get("of", ""), section.state.get("mount", "")
    for name, value in (("avg queue", match["queue"]), ("avg RTT", match["rtt"]), ("avg exe", match["exe"])):
        _count(section, line, "nfsiostat", f"{of} {name}", value, "ms", mount, "gauge")


_TIME: Final = r"\d{1,12}(?:\.\d{1,9})?"
_STATS: Final = Rows(
    Row(
        "head of a mount",
        r"Stats for [\w.:\[\]-]{1,255}:/\S{0,1000} mounted on (?P<mount>/\S{0,1000}?):$",
        _stats,
        fate=Fate.FRAME,
    ),
    Row("operation", r"(?P<of>[A-Z][A-Z_]{2,24}):$", _operation, fate=Fate.FRAME, opens=False),
    Row(
        "operations",
        r"\d{1,20} ops \(\d{1,3}%\)\s{1,20}(?P<again>\d{1,20}) (?:retrans|errors)(?: \((?P<share>\d{1,3})%\))?"
        r"(?:\s{1,20}\d{1,20} (?:major timeouts|errors)(?: \(\d{1,3}%\))?){0,2}$",
        _operations,
        opens=False,
    ),
    Row(
        "times",
        rf"backlog wait:\s{{1,20}}(?P<queue>{_TIME})\s{{1,20}}RTT:\s{{1,20}}(?P<rtt>{_TIME})\s{{1,20}}"
        rf"total execute time:\s{{1,20}}(?P<exe>{_TIME}) \(milliseconds\)$",
        _times,
    ),
    Row(
        "other row",
        r"(?:NFS (?:mount options|server capabilities|v\d \w+|byte counts|security flavor|statistics)"
        r"|avg bytes sent per op|(?:applications|client) (?:read|wrote)|RPC statistics"
        r"|(?:Data|Attribute|Directory) cache|Inode|VFS|Open files|\d{1,20} RPC requests|average backlog queue|age)\b"
        r".{0,600}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    also=r"\d{1,20} ops \(|backlog wait:",
)


@parser("mountstats", version=1, product="", rows=_STATS, commands=("mountstats",))
def mountstats(section: OpenSection, out: Output) -> None:
    """``mountstats``: for each mount its operations, since it was mounted."""
    _STATS.read(section, out, "no figure of a mount")
