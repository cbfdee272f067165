"""Counters of the Scale daemon: ``mmpmon`` with ``fs_io_s``, ``io_s``, ``rhist``, for programs and for people.

    _fs_io_s_ _n_ 10.30.0.106 _nn_ lund6 _rc_ 0 _t_ 1767592800 _tu_ 53212 _cl_ lund.lab _fs_ fs1 _d_ 4 _br_ 512 _bw_ 9

    mmpmon node 10.30.0.106 name lund6 fs_io_s OK
    cluster:        lund.lab
    filesystem:     fs1
    timestamp:      1767592800/53212
    bytes read:           512

    mmpmon node 10.30.0.106 name lund6 rhist s OK read timestamp 1767592800/93804
    size range 65536 to 131071 count 32640
      latency range       0.0  to        1.0  count  25684

Yields ``Counter``: cumulative since the daemon started or since a reset; names are those of the long form, also for the
keys of the short one; unknown keys keep their own. The scope is the file system, and of a histogram read or write with
the range of sizes. The node is that of the line, the time is UTC. Tolerated: left-out lines, further keys. Source: IBM
Storage Scale documentation, "Monitoring I/O performance with the mmpmon command".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.grammars.cells import is_whole
from parsers.ledger import Fate
from parsers.records import Counter, NodeAlias
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_KEYS: Final = {
    "d": "disks", "br": "bytes read", "bw": "bytes written", "oc": "opens", "cc": "closes", "rdc": "reads",
    "wc": "writes", "dir": "readdir", "iu": "inode updates",
}  # fmt: skip
_PLACES: Final = frozenset(("n", "nn", "rc", "t", "tu", "cl", "fs", "req", "response", "begin"))
_WAYS: Final = {"r": "read", "w": "write"}
_BYTES: Final = "bytes"
_PAIR = re.compile(r"(?:^| )_([A-Za-z]\w{0,20})_ {1,4}([^_\s]\S{0,200})")
_LONG_NAMES: Final = r"disks|bytes (?:read|written)|opens|closes|reads|writes|readdir|inode updates"
_NODE: Final = r"mmpmon node (?P<address>\S{1,64}) name (?P<name>[A-Za-z0-9][\w.-]{0,252}) "


def _counter(section: OpenSection, line: Line, name: str, value: float) -> None:
    state = section.state
    section.add(
        Counter,
        line.number,
        node=state.get("pmon_node") or section.node,
        scope=state.get("pmon_scope"),
        source=f"mmpmon {state.get('pmon_request', '')}".strip(),
        name=name,
        kind="cumulative",
        unit="B" if name.startswith(_BYTES) else "",
        value=value,
        at=state.get("pmon_at"),
        zone_min=0 if state.get("pmon_at") is not None else None,
        sample=state.get("pmon_line", line.number),
    )


def _begin(
    section: OpenSection, line: Line, request: str, address: str | None, name: str | None, *, moment: str | None = None
) -> None:
    state = section.state
    state.update(pmon_request=request, pmon_node=name, pmon_scope=None, pmon_line=line.number, pmon_at=_at(moment))
    if name and address:
        section.add(NodeAlias, line.number, node=name, alias=address, kind="address")


def _at(seconds: str | None, micro: str | None = None) -> int | None:
    if seconds is None or not is_whole(seconds, 10):
        return None
    rest = int(micro) if micro is not None and is_whole(micro, 6) else 0
    return int(seconds) * 1_000_000 + rest


def _short(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    pairs: dict[str, str] = dict(_PAIR.findall(found["rest"]))
    _begin(section, line, found["request"], pairs.get("n"), pairs.get("nn"))
    section.state.update(pmon_at=_at(pairs.get("t"), pairs.get("tu")), pmon_scope=pairs.get("fs"))
    section.state["pmon_way"] = _WAYS.get(pairs.get("k", ""), "")
    for key, text in pairs.items():
        if key not in _PLACES and (value := _value(text)) is not None:
            _counter(section, line, _KEYS[key] if key in _KEYS else str(key), value)


def _value(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?\d{1,20}(?:\.\d{1,9})?", text) else None


def _long(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _begin(section, line, found["request"], found["address"], found["name"], moment=found["moment"])
    section.state["pmon_way"] = found["op"] or found["way"] or ""


def _place(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["pmon_scope"] = found["fs"]


def _moment(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["pmon_at"] = _at(found["seconds"], found["micro"])


def _named(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _counter(section, line, found["name"], float(found["value"]))


def _sizes(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state["pmon_scope"] = f"{section.state.get('pmon_way', '')} {found['low']} to {found['high']} B".strip()
    _counter(section, line, "requests", float(found["count"]))


def _latencies(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _counter(section, line, f"requests of {found['low']} to {found['high']} ms", float(found["count"]))


_SIZES: Final = r"{1,20}(?P<low>\d{1,18}) {1,20}(?:to {1,20})?(?P<high>\d{1,18})"
_TIMES: Final = r"{1,20}(?P<low>[\d.]{1,18}) {1,20}(?:to {1,20})?(?P<high>[\d.]{1,18})"
_COUNT: Final = r"(?P<count>\d{1,18})"
_ROWS: Final = Rows(
    Row(
        "short",
        r"_(?P<request>(?!rpc|mmpmon|response)[a-z]\w{1,30}?)_ {1,4}(?P<rest>_n_ {1,4}\S.{0,3900})$",
        _short,
    ),
    Row("sizes, short", rf"_R_ {_SIZES} {{1,4}}_NR_ {{1,4}}{_COUNT}", _sizes),
    Row("latencies, short", rf"_L_ {_TIMES} {{1,4}}_NR_ {{1,4}}{_COUNT}", _latencies),
    Row("end of a histogram", r"_end_$", fate=Fate.FRAME, opens=False),
    Row(
        "request",
        rf"{_NODE}(?P<request>[a-z_]{{2,20}})(?: (?P<way>[a-z]))?\b[^\n]{{0,40}}?(?:OK|status \d{{1,4}}|lv \d|on|off|$)"
        r"(?: (?:(?P<op>read|write) )?timestamp (?P<moment>\d{9,10})/\d{1,6})?[^\n]{0,80}$",
        _long,
        Fate.FRAME,
    ),
    Row("file system", r"(?:filesystem|file system): {1,40}(?P<fs>\S{1,200})$", _place, Fate.FRAME, opens=False),
    Row("cluster", r"cluster: {1,40}\S{1,253}$", fate=Fate.FRAME, opens=False),
    Row("time", r"timestamp: {1,40}(?P<seconds>\d{9,10})/(?P<micro>\d{1,6})$", _moment, Fate.FRAME, opens=False),
    Row("named", rf"(?P<name>{_LONG_NAMES}): {{1,60}}(?P<value>\d{{1,20}})$", _named, opens=False),
    Row("sizes", rf"size range {_SIZES} {{1,20}}count {{1,20}}{_COUNT}", _sizes),
    Row("latencies", rf"latency range {_TIMES} {{1,20}}count {{1,20}}{_COUNT}", _latencies),
    Row("nothing", r"no file systems mounted$|histogram (?:for |is |facility )", fate=Fate.EVERYDAY, opens=False),
)  # fmt: skip


@parser("scale_mmpmon", version=1, product="spectrum-scale", rows=_ROWS, commands=("mmpmon",))
def scale_mmpmon(section: OpenSection, out: Output) -> None:
    """``mmpmon``: what a node read and wrote."""
    _ROWS.read(section, out, "no counter of mmpmon")
