"""``iperf3`` and ``iperf``: how much data went over a connection, interval by interval.

    [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
    [  5]   0.00-1.00   sec  1.09 GBytes  9.38 Gbits/sec    0    324 KBytes
    [  5]   1.00-2.00   sec  0.00 Bytes   0.00 bits/sec     2   1.41 KBytes

Yields ``HealthState`` of the connection once its rows end: degraded where nothing went in a third of the intervals or
more, or in three in a row, and where a fiftieth of what went was sent again; healthy where something went in all
intervals. A low rate alone is not judged: how fast the network may be is not printed. Source: iperf3(1), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line

_ROW_START: Final = r"\[\s{0,12}(?P<id>\d{1,3}|SUM)\](?:\[[TR]X-[CS]\])?\s{1,8}"
_IN_A_ROW: Final = 3
_PART: Final = 3
_LEAST: Final = 3
"""Intervals below which a run says nothing."""
_LONGEST: Final = 5.0
"""Seconds of an interval; a longer one is the sum of a run."""
_UNITS: Final = {"": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3, "T": 1e6}
_HOST = re.compile(r"\biperf3?\b.{0,80}? (?:-c|--client)[ =](?P<peer>[\w.:-]{1,255})")
_AGAIN = re.compile(r"bits/sec\s{1,12}(?P<again>\d{1,9})\s{1,20}sender\b")
_SEGMENT: Final = 1448
"""Bytes of a segment in a frame of 1500: with larger ones more was sent again than this says."""
_LOSSY: Final = 2.0
"""Per cent of what went that was sent again: far beyond what a full queue at the start costs."""
_FAST: Final = 900.0
"""Mbit/s from which on no link of a gigabit is the narrow place."""


def _interval(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    rate = float(match["rate"].replace(",", ".")) * _UNITS[(match["unit"] or "").upper()]
    rates: list[tuple[float, int]] = section.state.setdefault("rates", [])
    if "%)" in line.text:  # packets of UDP, which nobody sends again
        return
    seconds = float(match["end"]) - float(match["start"])
    if seconds > _LONGEST and (again := _AGAIN.search(line.text)) is not None and rate > 0:
        share = 100 * int(again["again"]) * _SEGMENT / (rate * seconds * 1e6 / 8)
        if share >= _LOSSY:
            section.add(
                HealthState,
                line.number,
                source="iperf",
                component=f"TCP test to {section.state.get('peer') or 'a host'}",
                state=f"{again['again']} segments sent again ({share:.0f} %), {rate:.0f} Mbit/s",
                standing="degraded",
            )
    if seconds <= _LONGEST and match["id"] != "SUM" and not match["omitted"]:
        rates.append((rate, line.number))


def _peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["peer"] = match["peer"]


def _judge(section: OpenSection) -> None:
    rates: list[tuple[float, int]] = section.state.pop("rates", [])
    if len(rates) < _LEAST:
        return
    still = [line for rate, line in rates if rate <= 0]
    most = run = 0
    for rate, _ in rates:
        run = run + 1 if rate <= 0 else 0
        most = max(most, run)
    mean = sum(rate for rate, _ in rates) / len(rates)
    is_still = most >= _IN_A_ROW or _PART * len(still) >= len(rates)
    if not is_still and (still or mean < _FAST):
        return
    state = f"nothing went in {len(still)} of {len(rates)} intervals" if is_still else f"{mean:.0f} Mbit/s on average"
    section.add(
        HealthState,
        still[0] if still else rates[-1][1],
        source="iperf",
        component=f"TCP test to {section.state.get('peer') or 'a host'}",
        state=state,
        standing="degraded" if is_still else "healthy",
    )


_ROWS: Final = Rows(
    Row("target", r"Connecting to host (?P<peer>[\w.:-]{1,255}), port \d", _peer, fate=Fate.FRAME),
    Row("client", r"Client connecting to (?P<peer>[\w.:-]{1,255}), TCP port \d", _peer, fate=Fate.FRAME),
    Row(
        "ends",
        r"\[\s{0,12}\d{1,3}\]\s{1,8}local \S{1,64} port \d{1,5} connected (?:to|with) (?P<peer>[\w.:]{2,64}) port",
        _peer,
        fate=Fate.FRAME,
    ),
    heading("heading", r"\[\s{0,12}ID\](?:\[Role\])?\s{1,8}Interval\s{1,24}Transfer\s{1,24}(?:Bitrate|Bandwidth)"),
    Row(
        "interval",
        rf"{_ROW_START}(?P<start>\d{{1,6}}\.\d{{1,4}})\s{{0,2}}-\s{{0,2}}(?P<end>\d{{1,6}}\.\d{{1,4}})\s{{1,14}}sec\s{{1,16}}"
        r"\d{1,6}(?:[.,]\d{1,3})?\s{1,12}[KMGT]?Bytes\s{1,16}(?P<rate>\d{1,6}(?:[.,]\d{1,3})?)\s{1,12}(?P<unit>[KMGT]?)bits/sec"
        r"(?:\s{1,40}[^\n(]{0,120})?(?P<omitted>\(omitted\))?",
        _interval,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "rest",
        r"iperf Done\.",
        r"iperf \d",
        r"Server listening on",
        r"Accepted connection",
        r"-[ -]{10,80}$",
        r"Reverse mode",
        r"TCP window size:",
        r"TCP MSS:",
        r"(?:Time|Cookie|Starting Test): ",
        r"Test Complete|CPU Utilization|snd_tcp|rcv_tcp",
        opens=False,
    ),
)


@parser("iperf", version=2, product="", rows=_ROWS, commands=("iperf3", "iperf", "iperf3.exe"))
def iperf(section: OpenSection, out: Output) -> None:
    """What went over a connection in a test."""
    if section.command is not None and (host := _HOST.search(section.command.text)) is not None:
        section.state.setdefault("peer", host["peer"])
    _ROWS.read(section, out, "no interval of a test")
    _judge(section)
