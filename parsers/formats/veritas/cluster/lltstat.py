"""``lltstat`` of Veritas LLT without an option, and with ``-c``, ``-l`` and ``-p``.

    LLT statistics:                                        LLT configuration information:
        184023     Snd data packets                            node: 3
        11         Snd retransmit data                         checksum level: 10
    LLT errors:                                            LLT link information:
        0          Rcv malformed packet   0                    link 0  igb2 on igb2 hipri
    LLT port information:                                          mtu 1500, sap 0xcafe, addrlen 6
        Port  Usage  Cookie                                        txpkts 40123  txbytes 9932101
        5     gab    0x5                                           latehb 0  badcksum 0  errors 0
              opens:    0 1 2 4
              connects: 0 1

Yields ``Counter`` (packets since LLT started or ``lltstat -z``: cumulative; per link with its tag as scope),
``Setting`` for ``-c`` and the fixed values of a link, ``HeartbeatLink`` for its priority, ``Membership`` for the nodes
that have a port open or are connected to it. Labels that are misspelt by up to two letters get their right name. No
time is printed: it comes from above. Tolerated: one or more pairs a line, cut rows, lost line ends. Source: VCS 6 and 7
administration guides; the layouts of ``-l`` and ``-p`` are recalled.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from parsers.formats.veritas.cluster.llt_words import nearest
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import Counter, NodeAlias, Setting
from parsers.records.states import HeartbeatLink, Membership
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

LABELS: Final = (
    "Snd data packets", "Snd retransmit data", "Snd connect packets", "Snd independent ACKs", "Snd piggyback ACKs",
    "Snd independent NACKs", "Snd piggyback NACKs", "Snd loopback packets", "Rcv data packets", "Rcv out of window",
    "Rcv duplicates",
    "Rcv out of sequence", "Rcv datagrams dropped", "Rcv not connected", "Rcv unconfigured", "Rcv bad dest address",
    "Rcv bad source address", "Rcv bad generation", "Rcv malformed packet", "Snd not connected", "Snd no buffer",
    "Snd error drops",
    "Snd no links up",
)  # fmt: skip
_LABEL: Final = r"(?:[Ss][Nn][Dd]|[Rr][Cc][Vv]) {1,8}[A-Za-z]"
_CLAIMS: Final = rf"(?:LLT (?:statistics|errors):|\d{{1,20}} {{1,40}}{_LABEL})"
_OWNS: Final = re.compile(rf"(?:{_CLAIMS}|\d{{1,20}}$)")
_HEADING = re.compile(r"LLT (?:statistics|errors):")
_PAIR = re.compile(r"(?<!\S)(\d{1,20}) {1,40}((?:[Ss][Nn][Dd]|[Rr][Cc][Vv])(?: {1,3}[A-Za-z]{1,24}){1,6})(?![A-Za-z])")

_CONFIG_CLAIMS: Final = r"(?:LLT configuration information:|checksum level: {0,8}\d)"
_CONFIG_OWNS: Final = rf"{_CONFIG_CLAIMS}|[A-Za-z][A-Za-z() -]{{1,48}} {{0,12}}: {{0,8}}\S"
_CONFIG_ROW = re.compile(r"([A-Za-z][A-Za-z() -]{1,48}?) {0,12}: {0,8}(\S.{0,80})$")

_LINKS_CLAIMS: Final = r"(?:LLT link information:|link {1,4}\d{1,2} {1,8}\S{1,64} on \S{1,64} {1,8}(?:hi|low)pri)"
_LINKS_OWNS: Final = rf"{_LINKS_CLAIMS}|(?:mtu|txpkts|rxpkts|latehb|badcksum|txbytes|rxbytes|errors|sap) {{1,4}}\S"
_LINK = re.compile(r"link {1,4}(\d{1,2}) {1,8}(\S{1,64}) on (\S{1,64}) {1,8}((?:hi|low)pri)")
_LINK_COUNT = re.compile(r"(?<!\S)(txpkts|txbytes|rxpkts|rxbytes|latehb|badcksum|errors) {1,4}(\d{1,20})(?!\S)")
_LINK_VALUE = re.compile(r"(?<!\S)(mtu|sap|broadcast|addrlen) {1,4}([^\s,]{1,64})")

_PORTS_CLAIMS: Final = r"LLT port information:"
_PORTS_OWNS: Final = rf"{_PORTS_CLAIMS}|Port {{1,20}}Usage|\d{{1,2}} {{1,20}}\S{{1,32}} {{1,20}}0x|(?:opens|connects):"
_PORT = re.compile(r"(\d{1,2}) {1,20}(\S{1,32}) {1,20}(0x[0-9A-Fa-f]{1,16})")
_PEERS = re.compile(r"(opens|connects):((?: {1,12}\d{1,3}){0,128})")


@lru_cache(maxsize=512)
def label_of(text: str) -> str:
    """The right name of a printed label."""
    return nearest(" ".join(text.split()), LABELS)


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


@parser("lltstat", version=2, product="veritas", claims=_CLAIMS, owns=_owns, commands=("lltstat",), priority=1)
def lltstat(section: OpenSection, out: Output) -> None:
    """``lltstat``: counters of the node over all links."""
    seen: set[str] = section.state.setdefault("seen", set())
    for line in section:
        text = line.text.strip()
        if is_elision(text) or text.isdecimal():  # a lone 0 stands behind or below rows of the errors
            out.ignore()
            continue
        if text.startswith("LLT statistics") and seen:
            _renew(section.state, seen)
        if pairs := _PAIR.findall(_HEADING.sub(" 0 ", text)):
            _count(section, out, line, [(label_of(label), int(value)) for value, label in pairs], seen)
        elif not _HEADING.match(text):
            out.skip(line, "no count with its label")


def _renew(state: dict[str, object], seen: set[str]) -> None:
    seen.clear()
    state["sample"] = 0
    state["later"] = True


def _count(section: OpenSection, out: Output, line: Line, pairs: list[tuple[str, int]], seen: set[str]) -> None:
    state = section.state
    if not seen.isdisjoint(label for label, _ in pairs):
        _renew(state, seen)
    state["sample"] = state.get("sample") or line.number
    seen.update(label for label, _ in pairs)
    timed = not state.get("later")
    out.extend(
        Counter,
        line=[line.number] * len(pairs),
        node=section.node,
        source="lltstat",
        name=[label for label, _ in pairs],
        kind="cumulative",
        unit="packets",
        value=[value for _, value in pairs],
        at=section.at if timed else None,
        zone_min=section.zone_min if timed else None,
        sample=state["sample"],
        filtered=bool(section.command and section.command.filters),
    )


@parser("lltstat_config", version=2, product="veritas", claims=_CONFIG_CLAIMS, owns=_CONFIG_OWNS, commands=("lltstat",))
def lltstat_config(section: OpenSection, out: Output) -> None:
    """``lltstat -c``: how LLT is configured."""
    found: dict[str, str] = section.state.setdefault("found", {})
    for line in section:
        text = line.text.strip()
        if text.startswith("LLT configuration"):
            found.clear()
        elif row := _CONFIG_ROW.match(text):
            found[row[1]] = row[2]
            if row[1] == "name":
                section.is_on(row[2].split()[0])
            section.add(Setting, line.number, source="lltstat -c", name=row[1], value=row[2])
            if row[1] in ("node", "name") and found.get("node", "").isdecimal() and "name" in found:
                out.add(NodeAlias(line=line.number, node=found["name"].split()[0], alias=found["node"], kind="id"))
        else:
            out.skip(line, "no directive with its value")


@parser("lltstat_links", version=2, product="veritas", claims=_LINKS_CLAIMS, owns=_LINKS_OWNS, commands=("lltstat",))
def lltstat_links(section: OpenSection, out: Output) -> None:
    """``lltstat -l``: links of this node with their counters."""
    for line in section:
        text = line.text.strip()
        if link := _LINK.match(text):
            section.state["link"] = link[2]
            section.add(HeartbeatLink, line.number, source="lltstat -l", link=link[2], priority=link[4])
            section.add(Setting, line.number, scope=link[2], source="lltstat -l", name="device", value=link[3])
        elif not text.startswith("LLT link information"):
            _link_values(section, out, line)


def _link_values(section: OpenSection, out: Output, line: Line) -> None:
    tag = section.state.get("link")
    counts, values = _LINK_COUNT.findall(line.text), _LINK_VALUE.findall(line.text)
    if tag is None or not (counts or values):
        out.skip(line, "values without their link, or cut")
        return
    for name, value in values:
        section.add(Setting, line.number, scope=tag, source="lltstat -l", name=name, value=value)
    if counts:
        out.extend(
            Counter,
            line=[line.number] * len(counts),
            node=section.node,
            scope=tag,
            source="lltstat -l",
            name=[name for name, _ in counts],
            kind="cumulative",
            value=[int(value) for _, value in counts],
            at=section.at,
            zone_min=section.zone_min,
            sample=line.number,
        )


@parser("lltstat_ports", version=2, product="veritas", claims=_PORTS_CLAIMS, owns=_PORTS_OWNS, commands=("lltstat",))
def lltstat_ports(section: OpenSection, out: Output) -> None:
    """``lltstat -p``: ports and the nodes that have them open."""
    for line in section:
        text = line.text.strip()
        if port := _PORT.match(text):
            section.state["port"] = f"LLT port {int(port[1])}"
        elif peers := _PEERS.match(text):
            if "port" not in section.state:
                out.skip(line, "nodes without their port")
                continue
            members = " ".join(peers[2].split())
            section.add(
                Membership,
                line.number,
                source="lltstat -p",
                sort="link port",
                group=section.state["port"],
                members=members,
                state=peers[1],
                standing="normal",
            )
        elif not text.startswith(("LLT port information", "Port")):
            out.skip(line, "no port and no nodes")
