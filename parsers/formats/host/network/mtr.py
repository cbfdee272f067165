"""``mtr --report``: how many packets each hop on the way to a host answered, and how long that took.

    Start: 2024-03-05T10:15:07+0100
    HOST: carp1                       Loss%   Snt   Last   Avg  Best  Wrst StDev
      1.|-- 10.20.4.1                  0.0%    50    0.4   0.5   0.3   1.9   0.2
      2.|-- ???                       100.0    50    0.0   0.0   0.0   0.0   0.0
      3.|-- carp2                      8.0%    50    9.2   9.6   9.1  45.0   3.2

Yields ``Counter`` (gauge) with the last hop as scope: ``packets lost`` (%) and ``round trip most`` (ms). What a hop on
the way did not answer counts for nothing where the packets behind it arrive, for routers answer such packets when they
have time; a last hop without a name is no host that one could say something about. No times. Tolerated: lines of
several answerers of one hop, columns that lost their blanks. Source: mtr(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_HEADING: Final = (
    r"(?:HOST: \S{1,255}|Host|My traceroute.{0,60}|\S{1,255})?\s{1,80}Loss ?%?\s{1,12}Snt\s{1,12}Last\s{1,12}"
)
_CLAIMS: Final = rf"{_HEADING}Avg\b"
_BOX: Final = r"[|`'\s]{0,3}-{0,2}"
_HOP: Final = (
    rf"\|?\s{{0,4}}\d{{1,3}}\.\s?{_BOX}\s{{0,4}}(?P<host>\?{{3}}|\S{{1,255}})\s{{1,80}}(?P<lost>\d{{1,3}}(?:\.\d{{1,2}})?)%?"
    r"\s{1,12}(?P<sent>\d{1,9})\s{1,12}(?P<last>\d{1,7}(?:\.\d)?)\s{1,12}(?P<mean>\d{1,7}(?:\.\d)?)"
    r"\s{1,12}(?P<best>\d{1,7}(?:\.\d)?)\s{1,12}(?P<most>\d{1,7}(?:\.\d?)?)(?:\s{1,12}\d{1,7}(?:\.\d?)?)?$"
)
_AROUND: Final = r"Start: \S|Keys: |(?:Packets\s{1,40}Pings)$|_\|\s|\|\s{1,8}\|"
"""What stands above the heading, and hops that answered nothing at all."""
_AGAIN: Final = r"(?:\d{1,3}\.\s{0,4})?\(?waiting for reply\)?$"
_CUT: Final = r"\d{1,3}\.\s?[|`]?-{0,2}\s{0,4}\S"
"""A hop that lost some of its columns: with it the end of the way is not known."""
_STARTS: Final = re.compile(rf"(?:{_CLAIMS}|{_AROUND}|{_AGAIN})")
_ROW: Final = re.compile(_HOP)
_OWNS: Final = rf"(?:{_CLAIMS}|{_HOP}|{_AROUND}|{_AGAIN}|{_CUT})"
_FROM: Final = re.compile(r"HOST: ([A-Za-z0-9][\w.-]{0,127}) ")
_NOBODY: Final = "???"


@parser("mtr", version=1, product="", claims=_CLAIMS, owns=_OWNS, commands=("mtr",))
def mtr(section: OpenSection, out: Output) -> None:
    """Packets that came back from the end of a way."""
    last: tuple[int, re.Match[str]] | None = None
    for line in section:
        text = " ".join(line.text.split())
        if (hop := _ROW.match(text)) is not None:
            last = line.number, hop
            out.everyday()
        elif _STARTS.match(text if text[:1] != "L" else f" {text}") is not None:
            _put(section, last)
            last = None
            if (host := _FROM.match(text)) is not None:
                section.state["from"] = host[1]
            out.frame()
        else:
            last = None
            out.skip(line, "no hop of a way")
    _put(section, last)


def _put(section: OpenSection, last: tuple[int, re.Match[str]] | None) -> None:
    """What the end of a way says."""
    if last is None or last[1]["host"] == _NOBODY:
        return
    number, hop = last
    for name, value, unit in (("packets lost", hop["lost"], "%"), ("round trip most", hop["most"], "ms")):
        section.add(
            Counter,
            number,
            node=section.state.get("from") or section.node,
            scope=hop["host"],
            source="mtr",
            name=name,
            kind="gauge",
            value=float(value),
            unit=unit,
            sample=number,
        )
