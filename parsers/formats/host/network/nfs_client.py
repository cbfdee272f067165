"""What an NFS client counts: ``nfsiostat`` and ``nfsstat``.

    fs1:/gpfs/data mounted on /mnt/data:
               ops/s       rpc bklog
             118.402          34.120
    read:              ops/s     kB/s    kB/op    retrans    avg RTT (ms)   avg exe (ms)
                      52.110 6670.080  128.000   31 (4.2%)       2841.201       9120.410
    Client rpc stats:
    calls      retrans    authrefrsh
    8812345    412334     8812401

Yields ``Counter``: of ``nfsiostat`` a gauge for each figure of ``read`` and ``write`` with the mount as scope, names as
in the heading behind the operation; of ``nfsstat`` cumulative ones with client or server as scope. Without an interval
the figures of ``nfsiostat`` are those since the mount. Tolerated: collapsed columns, tables of single operations, which
are everyday rows. Source: nfsiostat(8), nfsstat(8).
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
