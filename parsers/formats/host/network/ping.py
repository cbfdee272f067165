"""``ping``: how many packets came back, and how long they took.

    PING carp2 (10.20.4.9) 56(84) bytes of data.
    64 bytes from carp2 (10.20.4.9): icmp_seq=1 ttl=64 time=0.212 ms
    --- carp2 ping statistics ---
    100 packets transmitted, 71 received, +2 errors, 29% packet loss, time 101231ms
    rtt min/avg/max/mdev = 0.212/18.401/912.222/60.120 ms
    round-trip (ms)  min/avg/max = 0/0/2                                                Solaris, AIX, HP-UX
    --- carp2 ping-Statistik ---                                                        in other languages too
    [1594978465.914536] no answer yet for icmp_seq=4                                    -O and -D
    PING carp2 (10.20.4.9) 8972(9000) bytes of data.                                    -M do -s 8972
    ping: local error: message too long, mtu=1500

Yields ``Counter`` (gauge) with the target as scope: ``packets sent``, ``packets lost`` (%), ``round trip mean`` and
``round trip most`` (ms). Packets one by one are everyday, save
those that took a second or longer; ``Event`` of packets that were too large for the way, which are not lost. No
times. Source: ping(8) of iputils, Solaris and AIX.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter, Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_TARGET: Final = (
    r"-{2,4}\s{0,8}(?:\S{1,255}\s{1,8}(?:ping6?|PING)(?:\s{1,8}[Ss]tatistics|-Statistik(?:en)?)"
    r"|(?:[Ee]stad[ií]sticas|[Ss]tatistiques|[Ss]tatistiche|[Ee]stat[ií]sticas) (?:de|di) ping "
    r"(?:(?:para|hacia|do|per|pour|a) )?\S{1,255})"
    r"\s{0,8}-{2,4}"
)
_OF_PACKETS: Final = (
    r"(?:packets\s{1,8}transmitted|Pakete übertragen|paquets transmis|paquetes transmitidos|pacotes transmitidos"
    r"|pacchetti trasmessi)"
)
"""As iputils says it in the languages of its users."""
_SENT: Final = rf"\d{{1,9}}\s{{1,8}}{_OF_PACKETS}, "
_REPLY: Final = r"\d{1,6}\s{1,8}bytes\s{1,8}from\s{1,8}\S{1,255}(?:\s{1,8}\(\S{1,60}\))?: "
_TRIPS: Final = r"(?:rtt|round-trip)(?:\s{1,8}\(ms\))?\s{1,8}min/avg/max"
_BEGUN: Final = r"PING6?\s{1,8}\S{1,255}(?:\s{1,8}\(\S{1,60}\))?[: ]|PING6\(\d{1,6}=|PATTERN: 0x[\da-f]{1,64}$"
_STAMP: Final = r"\[\d{9,10}\.\d{1,9}\]\s{1,4}"
_CLAIMS: Final = rf"(?:{_TARGET}|{_SENT}|{_BEGUN})"
_OF_ONE: Final = (
    rf"(?:{_STAMP})?(?:{_REPLY}|\d{{1,6}} bytes from \S{{1,255}}, icmp_seq=\d|no answer yet for icmp_seq|From \S)"
    r"|Request timeout for icmp_seq"
)
"""What is said of one packet, by Linux, BSD and macOS."""
_TO = re.compile(r"PING6? ([A-Za-z0-9][\w.:-]{0,254}?)(?::| \()")
_NAMED = re.compile(
    r"-{2,4} ?(?:\w{9,14} (?:de|di) ping (?:(?:para|hacia|do|per|pour|a) )?)?(\S{1,255})(?: (?:ping6?|PING)| ?-{2,4}$)"
)
_LOST = re.compile(
    rf"(\d{{1,9}}) {_OF_PACKETS}, (\d{{1,9}}) (?:packets |pacotes )?[^\W\d]{{5,12}}.{{0,60}}?"
    r"(\d{1,3}(?:[.,]\d{1,6})?) ?%"
)
_TIMES = re.compile(r"= {0,2}(\d{1,9}(?:[.,]\d{1,6})?)/(\d{1,9}(?:[.,]\d{1,6})?)/(\d{1,9}(?:[.,]\d{1,6})?)(?![.,]\d)")
_LATE = re.compile(r" bytes from .{1,400}[ =]([1-9]\d{3,8}(?:[.,]\d{1,6})?) ?ms\b")
"""One packet that took a second or longer; where somebody ended ping, nothing sums it up."""
_TOO_LARGE = re.compile(
    r"(?:ping6?: (?:local error: |sendmsg: |sendto: )?[Mm]essage too long(?:, mtu[=:] ?(?P<own>\d{2,5}))?"
    r"|From \S{1,255}(?: \(\S{1,60}\))? icmp_seq=\d{1,9} (?:Frag needed and DF set|Packet too big)[^(\n]{0,20}"
    r"\(mtu ?= ?(?P<way>\d{2,5})\))"
)
_SIZE = re.compile(r"\d{1,5}\((\d{1,5})\) bytes of data")
_OWNS: Final = rf"(?:{_CLAIMS}|{_OF_ONE}|{_TRIPS}|ping6?: (?:local error: |sendmsg: |sendto: )?[Mm]essage too long)"


@parser("ping", version=2, product="", claims=_CLAIMS, owns=_OWNS, commands=("ping", "ping6"))
def ping(section: OpenSection, out: Output) -> None:
    """Packets that came back from a host."""
    for line in section:
        text = " ".join(line.text.split())
        if begun := _TO.match(text):
            size = _SIZE.search(text)
            section.state.update(target=begun[1], size=size[1] if size else "", too_large=False)
            out.everyday()
        elif (large := _TOO_LARGE.match(text)) is not None:
            _too_large(section, out, line.number, large["own"] or large["way"], text)
        elif named := _NAMED.match(text):
            section.state["target"] = named[1]
            out.frame()
        elif lost := _LOST.match(text):
            _put(section, line.number, "packets sent", float(lost[1]), "packets")
            if not section.state.get("too_large"):
                _put(section, line.number, "packets lost", float(lost[3].replace(",", ".")), "%")
        elif re.match(_TRIPS, text) and (times := _TIMES.search(text)) is not None:
            _put(section, line.number, "round trip mean", float(times[2].replace(",", ".")), "ms")
            _put(section, line.number, "round trip most", float(times[3].replace(",", ".")), "ms")
        elif late := _LATE.search(text):
            _put(section, line.number, "round trip most", float(late[1].replace(",", ".")), "ms")
        elif re.match(rf"{_OF_ONE}|{_BEGUN}", text):
            out.everyday()
        else:
            out.skip(line, "no figure of ping")


def _too_large(section: OpenSection, out: Output, line: int, mtu: str | None, text: str) -> None:
    """Packets that were not to be cut and do not fit: once for a run."""
    if section.state.get("too_large"):
        out.everyday()
        return
    section.state["too_large"] = True
    size, target = section.state.get("size"), section.state.get("target") or "a host"
    packets = f"{size} bytes to {target}" if size else f"to {target}"
    section.add(
        Event,
        line,
        source="ping",
        kind="packets-too-large",
        about=f"{packets} (MTU {mtu})" if mtu else packets,
        text=text,
    )


def _put(section: OpenSection, line: int, name: str, value: float, unit: str) -> None:
    section.add(
        Counter,
        line,
        scope=section.state.get("target"),
        source="ping",
        name=name,
        kind="gauge",
        value=value,
        unit=unit,
        sample=line,
    )
