"""``ioping``: how long single small requests to a file system or a disk took.

    4 KiB <<< /srv/jars (gfs2 /dev/dm-4 1.95 TiB): request=3 time=845.3 ms
    --- /srv/jars (gfs2 /dev/dm-4 1.95 TiB) ioping statistics ---
    5 requests completed in 9.02 s, 20 KiB read, 0 iops, 2.22 KiB/s
    min/avg/max/mdev = 845.3 ms / 1.80 s / 3.20 s / 840.2 ms

Yields ``DiskIo`` of the device, or of the place where no device is shown, from the sum of a run. Its first request,
which warms up, is not in it. No times. Source: ioping(1), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_UNIT_MS: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "hour": 3_600_000.0}
_TIME: Final = r"\d{1,9}(?:\.\d{1,6})? (?:ns|us|ms|s|min|hour)"
_PLACE: Final = r"(?P<place>/[^\s()]{0,250}) \((?:block device|[\w.]{2,20}) ?(?P<device>/dev/\S{1,120})?[^()]{0,60}\)"
_LEAST: Final = 3
"""Requests below which a run says nothing of a disk."""


def _ms(text: str) -> float:
    figure, unit = text.split(" ")
    return float(figure) * _UNIT_MS[unit]


def _title(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["device"] = match["device"] or match["place"]


def _count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["count"], section.state["seconds"] = int(match["count"]), _ms(match["took"]) / 1000


def _sum(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = section.state
    count = state.pop("count", None)
    if count is None or count >= _LEAST:
        _put(section, line.number, _ms(match["mean"]), _ms(match["most"]), count)


def _put(section: OpenSection, line: int, mean_ms: float, max_ms: float, count: int | None) -> None:
    seconds: float | None = section.state.pop("seconds", None)
    section.add(
        DiskIo,
        line,
        source="ioping",
        device=section.state.get("device"),
        count=count / seconds if count and seconds else None,
        per_s=True,
        interval_s=seconds,
        mean_ms=round(mean_ms, 4),
        max_ms=round(max_ms, 4),
    )


_ROWS: Final = Rows(
    # What stands behind the three marks of a request is taken for somebody's remark.
    Row("request", r"\d{1,9}(?:\.\d{1,3})? [KMGT]?i?B(?: <<<| >>>|$)", fate=Fate.EVERYDAY, opens=False),
    Row("title", rf"--- {_PLACE} ioping statistics ---$", _title, fate=Fate.FRAME),
    Row(
        "count",
        rf"(?P<count>\d{{1,9}}) requests completed in (?P<took>{_TIME})\b",
        _count,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("all", r"generated \d{1,9} requests in \d", fate=Fate.EVERYDAY, opens=False),
    Row(
        "sum",
        rf"min/avg/max/mdev = {_TIME} / (?P<mean>{_TIME}) / (?P<most>{_TIME}) / {_TIME}$",
        _sum,
    ),
)


@parser("ioping", version=1, product="storage", rows=_ROWS, commands=("ioping",), places=r"\bioping\b")
def ioping(section: OpenSection, out: Output) -> None:
    """Requests one by one, and what sums them up."""
    _ROWS.read(section, out, "no request of ioping")
