"""Metrics as exporters print them (the text form of Prometheus and OpenMetrics).

    # HELP gpfs_health_status GPFS health status
    # TYPE gpfs_health_status gauge
    gpfs_health_status{component="DISK",entityname="nsd12",status="DEGRADED"} 1
    node_load1 41.2

Yields ``ListedState`` for each series that is 1 and has a label that names a state (``state``, ``peer_disk_state``,
``status``, ``health``, ``availability``): its name is what the labels say that name a thing, its node what a label of a
node says; likewise of one without such a label whose name says that something is up, mounted, quorate or the like: 1 is
good and 0 wrong (of a network port a hint). Every other one is a ``Counter`` (gauge) with the labels as scope: a series
of 0 with a state says that this is not the present one. ``Room`` of each file system with its size and what is left.
Source: the exposition formats of Prometheus, recalled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from parsers.filling import room_standing
from parsers.formats.host.listings.listing import standing_of_word
from parsers.grammars.cells import figure
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import ListedStanding, ListedState, Room
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[a-zA-Z_:][\w:]{1,120}"
_LABEL: Final = r"[a-zA-Z_]\w{0,60}=\"(?:[^\"\\]|\\.){0,300}\""
_VALUE: Final = r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,3})?|Inf|NaN)"
_ONE_LABEL = re.compile(r"([a-zA-Z_]\w{0,60})=\"((?:[^\"\\]|\\.){0,300})\"")
_STATES: Final = ("state", "status", "health", "availability")
"""Names of labels, or the last word of one: ``peer_disk_state``."""
_YES_OR_NO = re.compile(r"(?:^|_)(?:up|mounted|mount_status|quorate|healthy|online|ready)$")
_PORT = re.compile(r"network|interface|port|nic")
_PORT_BEHIND = re.compile(r":\d{1,5}$")
_NODES: Final = ("node", "nodename", "instance", "host", "hostname", "server", "cluster_node")
_OF_NODES = re.compile(r"(?:^|_)nodes?$")
_SIZES = re.compile(r"filesystem_(size|avail)_bytes$")
_WITHOUT_ROOM: Final = frozenset(("squashfs", "iso9660", "efivarfs", "overlay", "ramfs"))
"""Kinds that are full by nature, or show the room of another one."""
_NAMING: Final = frozenset((
    "component", "entityname", "name", "device", "disk", "mount", "mountpoint", "fs", "filesystem", "volume",
    "resource", "interface", "port", "address", "unit", "service", "pool", "target",
))  # fmt: skip


def _series(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    labels = dict(_ONE_LABEL.findall(match["labels"] or ""))
    value = figure(match["value"])
    stated = next((name for name in labels if name.lower().rpartition("_")[2] in _STATES), None)
    if (sized := _SIZES.search(match["name"])) is not None and labels.get("mountpoint"):
        _sized(section, line, sized[1], labels, value)
    if stated is not None and value == 1:
        state = labels.pop(stated).lower()
        _state(section, line, _named(match["name"], labels), state, standing_of_word(state), labels)
    elif stated is None and value in (0, 1) and (verb := _YES_OR_NO.search(match["name"])):
        _yes_or_no(section, line, match["name"], verb[0], labels, is_so=value == 1)
    else:
        _count(section, line, match, labels, value)


def _yes_or_no(
    section: OpenSection, line: Line, series: str, verb: str, labels: dict[str, str], *, is_so: bool
) -> None:
    word = verb.strip("_").replace("mount_status", "mounted")
    name = _named(series.removesuffix(verb) or series, labels)
    wrong: ListedStanding = "hint" if _PORT.search(series) else "wrong"
    _state(section, line, name, word if is_so else f"not {word}", "good" if is_so else wrong, labels)


def _named(series: str, labels: Mapping[str, str]) -> str:
    """What a series is about: the labels that name a thing, else all but that of the node; else the node itself."""
    naming = [text for name, text in labels.items() if name.lower() in _NAMING and text]
    if not naming and _OF_NODES.search(series) and (node := _node_of(labels)) is not None:
        return f"node {node}"
    others = [text for name, text in labels.items() if name.lower() not in _NODES and text]
    if naming or others:
        return " ".join(naming or others)
    return " ".join(filter(None, (series, *labels.values())))


def _node_of(labels: Mapping[str, str]) -> str | None:
    return next((_PORT_BEHIND.sub("", labels[name]) for name in _NODES if labels.get(name)), None)


def _sized(section: OpenSection, line: Line, what: str, labels: Mapping[str, str], value: float | None) -> None:
    """A size of a file system, or what is left of it; with both it is known how full it is."""
    if value is None or labels.get("fstype", "").lower() in _WITHOUT_ROOM:
        return
    sizes: dict[str, dict[str, tuple[int, float]]] = section.state.setdefault("sizes", {})
    node = _node_of(labels) or section.node
    own = sizes.setdefault(f"{node} {labels['mountpoint']}", {})
    own[what] = (line.number, value)
    if "size" not in own or "avail" not in own or own["size"][1] <= 0:
        return
    share = round(100 * (1 - own["avail"][1] / own["size"][1]), 1)
    section.add(
        Room,
        own["avail"][0],
        node=node,
        source="metrics",
        sort="file system",
        name=labels["mountpoint"],
        share=share,
        state=f"{share:g} % full",
        standing=room_standing(share),
    )


def _state(
    section: OpenSection, line: Line, name: str, state: str, standing: ListedStanding, labels: Mapping[str, str]
) -> None:
    node = _node_of(labels)
    section.add(
        ListedState,
        line.number,
        source="metrics",
        name=name,
        state=state,
        standing=standing,
        row=line.text.strip()[:800],
        node=node or section.node,
    )


def _count(section: OpenSection, line: Line, match: re.Match[str], labels: dict[str, str], value: float | None) -> None:
    section.add(
        Counter,
        line.number,
        scope=", ".join(f"{name}={text}" for name, text in labels.items())[:400] or None,
        source="metrics",
        name=match["name"],
        kind="gauge",
        value=value,
        sample=line.number,
    )


_ROWS: Final = Rows(
    Row("about", rf"# (?:HELP|TYPE|UNIT) {_NAME}(?: .{{0,900}})?$", fate=Fate.FRAME),
    Row(
        "series",
        rf"(?P<name>{_NAME})\{{(?P<labels>(?:{_LABEL},?){{0,40}})\}} (?P<value>{_VALUE})(?: \d{{10,16}})?$",
        _series,
    ),
    Row("plain", rf"(?P<name>{_NAME})(?P<labels>) (?P<value>{_VALUE})$", _series, opens=False),
    Row("end", r"# EOF$", fate=Fate.FRAME, opens=False),
)


@parser("metrics_text", version=3, product="", rows=_ROWS)
def metrics_text(section: OpenSection, out: Output) -> None:
    """Series of an exporter, one a line."""
    _ROWS.read(section, out, "no series with its value")
