"""Rules of a packet filter that shut the ports of a cluster: ``iptables -S``, ``-L`` and ``iptables-save``, ``nft``.

    -A INPUT -p udp -m multiport --dports 5405,5407 -j REJECT          [12:720] -A INPUT -p udp --dport 5405 -j DROP
    Chain INPUT (policy ACCEPT)
    target     prot opt source               destination
    DROP       udp  --  anywhere             anywhere             udp dpt:5405
    table inet filter {
            chain input {
                    udp dport { 5404-5406 } counter packets 812 bytes 91204 drop

Yields ``HealthState`` of a port by which the nodes of a cluster speak to each other where a rule drops or refuses what
comes for it from anywhere or from one host: degraded, or a hint where its own count says that it met nothing so far. A
rule for one interface or for a network, and one below another that lets packets for that port in, keep strangers out:
they are everyday rows, like all others. No times. Source: iptables(8), iptables-extensions(8), nft(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

SOURCE: Final = "packet filter"
_PORTS: Final = (
    ("udp", 5404, 5412, "corosync"),
    ("tcp sctp", 21064, 21064, "the distributed lock manager"),
    ("tcp", 3121, 3121, "remote nodes of Pacemaker"),
    ("tcp", 5403, 5403, "the quorum device"),
    ("tcp", 1191, 1191, "Spectrum Scale"),
    ("tcp", 7777, 7777, "OCFS2"),
    ("tcp", 24007, 24008, "Gluster's daemons"),
    ("tcp", 6789, 6789, "the monitors of Ceph"),
    ("tcp", 3300, 3300, "the monitors of Ceph"),
    ("tcp", 7788, 7799, "DRBD"),
    ("tcp", 4379, 4379, "CTDB"),
)
_SAVED: Final = r"(?:\[\d{1,18}:\d{1,18}\] )?-[AI] [A-Za-z][\w.-]{0,63} (?:\d{1,5} )?(?:-|! )"
_CHAIN: Final = r"Chain [\w.-]{1,64} \((?:policy [A-Z]{4,8}|\d{1,4} references)\b"
_LISTED: Final = (
    r"(?:\d{1,4}\s{1,8})?(?:\d{1,18}[KMG]?\s{1,8}\d{1,18}[KMG]?\s{1,8})?(?:ACCEPT|DROP|REJECT|LOG|RETURN)\s{1,12}"
    r"(?:all|tcp|udp|icmp|sctp|\d{1,3})\s{1,8}(?:--|-f|!f)\s"
)
_TABLE: Final = r"table (?:ip6?|inet|arp|bridge|netdev) [\w.-]{1,64} \{"
_POLICY: Final = r"-P (?:INPUT|OUTPUT|FORWARD) (?:ACCEPT|DROP)$"
_BARE: Final = r"(?:tcp|udp|sctp) dport [\d{][^\n]{0,300}\b(?:drop|reject|accept)\b"
_INSIDE: Final = (
    r"(?:chain [\w.-]{1,64} \{|type (?:filter|nat|route) hook [a-z]{4,12} |\}$"
    r"|[^\n]{0,300}\b(?:accept|drop|reject)(?: with [^\n]{1,80}| comment [^\n]{1,120})?$)"
)
_FRAMES: Final = (
    r"(?:-[PN] [\w.-]{1,64}(?: (?:ACCEPT|DROP|-))?$|\*(?:filter|nat|mangle|raw|security)$"
    r"|:[\w.-]{1,64} (?:ACCEPT|DROP|-) \["
    r"|COMMIT$|(?:num\s{1,8})?(?:pkts\s{1,12}bytes\s{1,8})?target\s{1,12}prot\s{1,6}opt\s)"
)
_IS_LISTED = re.compile(_LISTED)
_COUNT: Final = re.compile(
    r"^\[(\d{1,18}):|\bcounter packets (\d{1,18})"
    r"|^(?:\d{1,4}\s{1,8})?(\d{1,18}[KMG]?)\s{1,8}\d{1,18}[KMG]?\s"
)
_CHAIN_NAME: Final = re.compile(r"-[AI] ([\w.-]{1,64})|Chain ([\w.-]{1,64}) \(|chain ([\w.-]{1,64}) \{")
_PROTOCOL: Final = re.compile(r"(?:-p |\b(?:meta l4proto |ip protocol )?)(tcp|udp|sctp)\b")
_DPORTS: Final = re.compile(r"(?:--dports? |\bdpts?:|\bdports |\bdport )(!? ?(?:\{ ?[\d, -]{1,300}\}|[\d:,-]{1,300}))")
_SPAN: Final = re.compile(r"(\d{1,5})(?:[:-](\d{1,5}))?")
_TARGET: Final = re.compile(r"(?:-j |\b)(ACCEPT|DROP|REJECT|accept|drop|reject)\b")
_NARROW: Final = re.compile(
    r"-[io] (?!lo\b)\S|! -|\b[io]ifname |(?:-s |-d |\b[sd]addr )(?:\S{1,45}/(?!32\b|128\b)\d|!|@|\{)"
    r"|--ctstate ESTABLISHED"
    r"|\bct state established|\bstate (?:RELATED,)?ESTABLISHED|--src-range|match-set"
)
"""Of some packets only: of an interface, of a network, or of connections that there are."""
_FROM: Final = re.compile(r"(?:-s |\bsaddr )(\d[\d.]{6,14}|[0-9a-f:]{3,39})(?:/32|/128)?(?=\s)")
_HOST: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|[A-Za-z][\w.-]{0,252}")
_OF_NO_ONE_ELSE: Final = re.compile(r"-i lo\b|iifname \"?lo\"?(?:\s|$)|(?i:established)|\slo\s{1,16}\*\s")
"""Of what the host says to itself, and of connections that there are: no rule that lets a new one in."""
_ANYWHERE: Final = ("anywhere", "0.0.0.0/0", "::/0")


@dataclass(frozen=True, slots=True)
class _Rule:
    """protocol: empty for all. spans: ports, empty for all. of: the host that it is about. is_narrow: of a network."""

    chain: str
    target: str
    protocol: str
    spans: tuple[tuple[int, int], ...]
    of: str
    is_narrow: bool
    met: bool


@parser(
    "firewall",
    version=1,
    product="",
    claims=rf"(?:{_SAVED}|{_POLICY}|{_CHAIN}|{_TABLE}|{_BARE})",
    owns=rf"(?:{_SAVED}|{_CHAIN}|{_TABLE}|{_LISTED}|{_FRAMES}|{_INSIDE})",
    priority=-40,
    commands=("iptables", "ip6tables", "iptables-save", "ip6tables-save", "nft"),
)
def firewall(section: OpenSection, out: Output) -> None:
    """Rules, in their order."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if (named := _CHAIN_NAME.search(text)) is not None:
            state["chain"] = named[1] or named[2] or named[3]
        rule = _rule(text, state.get("chain", ""))
        if rule is None or not _judge(section, line, rule):
            out.everyday()


def _judge(section: OpenSection, line: Line, rule: _Rule) -> bool:
    """Whether the rule shuts a port of a cluster."""
    allowed: list[_Rule] = section.state.setdefault("allowed", [])
    if rule.target == "ACCEPT":
        allowed.append(rule)
        return False
    if rule.is_narrow or not rule.spans:
        return False
    found = False
    for protocols, low, high, what in _PORTS:
        if rule.protocol and rule.protocol not in protocols.split():
            continue
        shut = next((span for span in rule.spans if span[0] <= high and span[1] >= low), None)
        if shut is None or any(_lets_in(one, rule, low, high) for one in allowed):
            continue
        found = True
        port = max(shut[0], low)
        source = f" from {rule.of}" if rule.of else ""
        verb = "dropped" if rule.target == "DROP" else "refused"
        section.add(
            HealthState,
            line.number,
            source=SOURCE,
            component=f"port {port} of {what}",
            state=f"{verb}{source} by a rule of {rule.chain}" if rule.chain else f"{verb}{source} by a rule",
            standing="degraded" if rule.met else "hint",
        )
    return found


def _lets_in(one: _Rule, rule: _Rule, low: int, high: int) -> bool:
    """Whether an earlier rule of the same chain lets some of these packets in."""
    if one.chain != rule.chain or (one.protocol and rule.protocol and one.protocol != rule.protocol):
        return False
    return not one.spans or any(first <= high and last >= low for first, last in one.spans)


def _rule(text: str, chain: str) -> _Rule | None:
    target = _TARGET.search(text)
    if target is None or text.startswith(("Chain ", "chain ", "-P ", "type ")):
        return None
    if target[1].upper() == "ACCEPT" and _OF_NO_ONE_ELSE.search(text):
        return None
    ports = _DPORTS.search(text)
    if ports is not None and "!" in ports[1]:
        return None
    found = _SPAN.findall(ports[1]) if ports is not None else ()
    spans = tuple((int(first), int(last or first)) for first, last in found)
    protocol, count = _PROTOCOL.search(text), _COUNT.search(text)
    counted = next((one for one in count.groups() if one), "") if count is not None else ""
    of, is_narrow = _of(text)
    return _Rule(
        chain, target[1].upper(), protocol[1] if protocol is not None else "", spans, of, is_narrow, counted != "0"
    )


def _of(text: str) -> tuple[str, bool]:
    """The one host that a rule is about, and whether it is of a network or an interface."""
    if _IS_LISTED.match(text) is None:
        of = _FROM.search(f"{text} ")
        return (of[1] if of is not None else ""), _NARROW.search(text) is not None
    words = re.split(r"\s(?:--|-f|!f)\s", text, maxsplit=1)[-1].split()
    if text[:1].isdigit():  # with counts there are interfaces in front of the source
        if any(word not in ("*", "any") for word in words[:2]):
            return "", True
        words = words[2:]
    source = words[0] if words else _ANYWHERE[0]
    if source in _ANYWHERE:
        return "", False
    is_host = _HOST.fullmatch(source) is not None
    return (source if is_host else ""), not is_host
