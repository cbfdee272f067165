"""``ping`` of Windows: how many packets came back, and how long they took; the words differ by language.

    Pinging larch2 [10.20.4.9] with 32 bytes of data:
    Reply from 10.20.4.9: bytes=32 time=2ms TTL=64
    Request timed out.
    Ping statistics for 10.20.4.9:
        Packets: Sent = 4, Received = 2, Lost = 2 (50% loss),
        Minimum = 2ms, Maximum = 1811ms, Average = 906ms

Yields ``Counter`` (gauge) with the target as scope, as ``ping`` of other systems: ``packets sent``, ``packets lost``
(%), ``round trip mean`` and ``round trip most`` (ms). No times. Source: ping of Windows, recalled.
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

_ADDRESS: Final = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}(?::[\da-fA-F]{0,4}){2,8}(?:%\d{1,4})?)"
_NAME: Final = r"[^\d\W][^\d=:,;()<>\[\]]{2,24}"
_WORDS: Final = r"(?:[^\d\s=:<>()\[\]]{1,20} {1,2}){0,4}"
_LATE_MS: Final = 1000


def _begun(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["target"] = match["name"] or match["address"]


def _answer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """One packet by itself counts where it took a second or longer."""
    took = int(match["took"])
    if took >= _LATE_MS:
        _put(section, line, "round trip most", float(took), "ms")


def _sum(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    sent, came = int(match["sent"]), int(match["came"])
    if not sent or came > sent:
        return
    _put(section, line, "packets sent", float(sent), "packets")
    _put(section, line, "packets lost", round(100 * (sent - came) / sent, 1), "%")


def _trips(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "round trip mean", float(match["mean"]), "ms")
    _put(section, line, "round trip most", float(match["most"]), "ms")


def _put(section: OpenSection, line: Line, name: str, value: float, unit: str) -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("target"),
        source="ping",
        name=name,
        kind="gauge",
        value=value,
        unit=unit,
        sample=line.number,
    )


_ROWS: Final = Rows(
    Row(
        "begun",
        rf"{_WORDS}'?[Pp]ing\w{{0,8}}'? {{1,2}}{_WORDS}(?:(?P<name>[A-Za-z0-9][\w.-]{{0,254}}) "
        rf"\[(?P<boxed>{_ADDRESS})\]|(?P<address>{_ADDRESS})) [^\d=:]{{2,20}} \d{{1,6}} [^\d=:]{{3,40}}:$",
        _begun,
        fate=Fate.FRAME,
    ),
    Row(
        "answer",
        rf"{_WORDS}{_ADDRESS}: ?(?:[^\W\d]{{3,10}}=\d{{1,6}} )?[^\W\d]{{3,12}}\s?[=<](?P<took>\d{{1,8}}) ?ms"
        r"(?: TTL=\d{1,3})?$",
        _answer,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "sum of packets",
        rf"{_NAME}: {_NAME} = (?P<sent>\d{{1,9}}), {_NAME} = (?P<came>\d{{1,9}}),(?: {_NAME} = \d{{1,9}}|$)",
        _sum,
    ),
    Row(
        "round trips",
        rf"{_NAME} = {{1,2}}\d{{1,8}} ?ms, {_NAME} = {{1,2}}(?P<most>\d{{1,8}}) ?ms, "
        rf"{_NAME} = {{1,2}}(?P<mean>\d{{1,8}}) ?ms$",
        _trips,
    ),
    Row("rest of a sum", rf"{_NAME} = \d{{1,9}} \(\d", fate=Fate.FRAME, opens=False),
    Row("share that was lost", r"\(\d{1,3} ?% [^\d()]{2,24}\),?$", fate=Fate.FRAME, opens=False),
    Row("caption", rf"[^\d=,\[\]]{{0,40}}[Pp]ing[^\d=,\[\]]{{0,40}} {_ADDRESS}:$", fate=Fate.FRAME, opens=False),
    Row("caption of round trips", r"[^\d=,\[\]]{10,70}[Mm]illi?-?[^\d=,\[\]]{1,16}:$", fate=Fate.FRAME, opens=False),
    Row(
        "no answer",
        rf"(?:{_WORDS}{_ADDRESS}: )?[^\d=:\[\]]{{10,70}}\.$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("ping_windows", version=1, product="", rows=_ROWS)
def ping_windows(section: OpenSection, out: Output) -> None:
    """Packets that came back to a host with Windows."""
    _ROWS.read(section, out, "no figure of ping")
