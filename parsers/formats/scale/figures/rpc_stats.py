"""RPC statistics of the Scale daemon: ``mmpmon`` with the requests ``rpc_s`` and ``rpc_s size``, in its parseable form.

    _mmpmon::rpc_s_ _req_ size _n_ 10.88.3.21 _nn_ cl21 _rc_ 0 _t_ 1467203391  _tu_ 118204
    _rpcSize_ _size_ 1024 _nsecs_ 60
    _stats_ _tmu_ sec _av_ 0.002, _min_ 0.001, _max_ 0.014, _cnt_ 37

Yields ``Counter``: a gauge for average, least, greatest and number of each ``_stats_`` line, named after the object
above it (``size 1024 av``), its scope the node asked about where one is named; ``interval_s`` from ``_nsecs_``. The
node is that of ``_nn_``, the time ``_t_``: UTC. Keys stand between underscores, values follow behind a blank; commas
may trail. Tolerated: lines left out, cut ends. Source: IBM Storage Scale documentation, "Example of mmpmon rpc_s size
request", "Network performance monitoring".
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant

SOURCE: Final = "mmpmon rpc_s"
_HEAD: Final = r"_(?:mmpmon::)?rpc_s_? {1,4}_"
_OBJECT: Final = r"_(?:rpcSize|rpcNode|rpcMsg|rpcObj|rpc|node|size|obj)_ {1,4}\S"
CLAIM: Final = rf"{_HEAD}|_rpc(?:Size|Node|Msg|Obj)_ {{1,4}}\S|_stats_ {{1,4}}_tmu_ {{1,4}}"
_OWNS: Final = rf"{CLAIM}|{_OBJECT}|_stats_ |_(?:response|mmpmon)[\w:]{{0,20}}_? "
_KEY = re.compile(r"(?:^| )(_[A-Za-z][\w:]{0,30}_)(?= |$)")
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,9})?")
_NAMES: Final = {"_av_": "av", "_min_": "min", "_max_": "max", "_cnt_": "cnt"}
_UNITS: Final = {"sec": "s", "msec": "ms", "usec": "us"}
_OBJECTS: Final = {"_size_": "size", "_msg_": "message", "_name_": "", "_nameList_": ""}
_PEERS: Final = frozenset(("_node_", "_rpcNode_"))
YEAR_2000_S: Final = 946_684_800
YEAR_2100_S: Final = 4_102_444_800


@dataclass(slots=True)
class _Above:
    """What the lines above tell about the next figures."""

    node: str | None = None
    at: int | None = None
    name: str = ""
    peer: str | None = None
    interval_s: float | None = None
    line: int = 0


@parser("scale_rpc_stats", version=1, product="spectrum-scale", claims=CLAIM, owns=_OWNS, commands=("mmpmon",))
def scale_rpc_stats(section: OpenSection, out: Output) -> None:
    """``mmpmon rpc_s``: times of RPCs by size, message and node."""
    above: _Above = section.state.setdefault("above", _Above())
    for line in section:
        text = line.text.strip()[:4000]
        fields = _fields(text)
        if re.match(_HEAD, text):
            above = section.state["above"] = _request(section, fields)
        elif "_stats_" in fields:
            _figures(section, out, line.number, fields, above)
        elif fields.keys() & _OBJECTS.keys() or fields.keys() & _PEERS:
            _object(above, fields, line.number)
        elif text.startswith("_re"):
            out.ignore()
        else:
            out.skip(line, "no object or figures of an RPC")


def _fields(text: str) -> dict[str, str]:
    """Keys and what stands behind each, without trailing commas."""
    keys = list(_KEY.finditer(text))
    ends = chain((after.start() for after in keys[1:]), (len(text),))
    return {key[1]: text[key.end() : end].strip().rstrip(",") for key, end in zip(keys, ends, strict=False)}


def _request(section: OpenSection, fields: dict[str, str]) -> _Above:
    node = fields.get("_nn_") or fields.get("_n_") or None
    seconds, micros = _number(fields.get("_t_")), _number(fields.get("_tu_"))
    at = None
    if seconds is not None and YEAR_2000_S <= seconds < YEAR_2100_S:
        at = int(seconds) * 1_000_000 + (int(micros) if micros is not None and 0 <= micros < 1e6 else 0)
        section.stamp(Instant(at, 0))
    if node is not None and section.node is None:
        section.speaks_of(node=node)
    return _Above(node=node, at=at)


def _object(above: _Above, fields: dict[str, str], line: int) -> None:
    """A message size, a message or a node: the figures below are of it."""
    for key, word in _OBJECTS.items():
        if fields.get(key):
            above.name = f"{word} {fields[key].split()[0]}".strip()[:120]
    above.peer = next((fields[key][:253] for key in sorted(_PEERS) if fields.get(key)), above.peer)
    above.interval_s = _number(fields.get("_nsecs_"))
    above.line = line


def _figures(section: OpenSection, out: Output, line: int, fields: dict[str, str], above: _Above) -> None:
    unit = _UNITS.get(fields.get("_tmu_", ""), fields.get("_tmu_", ""))[:20]
    for key, name in _NAMES.items():
        value = _number(fields.get(key))
        if value is not None:
            out.add(
                Counter(
                    line=line,
                    node=above.node or section.node,
                    scope=above.peer,
                    source=SOURCE,
                    name=f"{above.name} {name}".strip(),
                    kind="gauge",
                    unit="" if name == "cnt" else unit,
                    value=value,
                    at=above.at if above.at is not None else section.at,
                    zone_min=0 if above.at is not None else section.zone_min,
                    interval_s=above.interval_s,
                    sample=above.line,
                )
            )


def _number(text: str | None) -> float | None:
    match = _NUMBER.fullmatch(text) if text else None
    return float(match[0]) if match else None
