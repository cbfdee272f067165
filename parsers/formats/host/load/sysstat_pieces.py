"""Pieces of ``sar -d`` and ``iostat -x`` that lost what says what their figures are.

    Average:          sdk     84.20   2210.40   1312.00     41.83     34.90    412.33     11.70     98.51

    Device: sdk                    a field on a line of its own
    r/s: 1.20
    w_await: 988.10
    %util: 99.80

Yields ``DiskIo``. Releases of ``sar`` put the wait at different places: a row is read where requests, queue and wait
fit together at one place alone, for as many wait as come within the time that one takes. Rows that say nothing (an
idle disk) or that fit twice are left. Tolerated: other fields, a comma for the point. Source: sar(1), iostat(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.load.sysstat_tables import figure
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_DISK: Final = (
    r"(?:x?[svh]d[a-z]{1,3}\d{0,3}|dm-\d{1,5}|md\d{1,4}|nvme\d{1,3}n\d{1,4}(?:p\d{1,3})?|dev\d{1,4}-\d{1,6}"
    r"|mpath\w{1,8})"
)
_FIGURE: Final = r"\d{1,9}[.,]\d\d"
_AVERAGE: Final = (
    rf"(?:Average|Durchschn\.?|Moyenne ?|Media):\s{{1,40}}(?P<disk>{_DISK})(?P<figures>(?:\s{{1,40}}{_FIGURE}){{8}})$"
)
_IS_AVERAGE: Final = re.compile(_AVERAGE)
_LAYOUTS: Final = ((4, 5), (5, 6))
"""Where queue and wait stand: with the service time behind the wait, or with what was discarded before."""
_NEAR: Final = 0.15
_LEAST_WAITING: Final = 0.05


def _layout(values: list[float]) -> tuple[int, int] | None:
    """The one layout of which requests, queue and wait fit together."""
    fitting = [
        (queue, wait)
        for queue, wait in _LAYOUTS
        if values[queue] >= _LEAST_WAITING
        and abs(values[0] * values[wait] / 1000 - values[queue]) <= _NEAR * values[queue]
        and values[7] <= 101
    ]
    return fitting[0] if len(fitting) == 1 else None


@parser(
    "sar_averages",
    version=2,
    product="",
    claims=_AVERAGE.replace("?P<disk>", "?:").replace("?P<figures>", "?:"),
    priority=0,
)
def sar_averages(section: OpenSection, out: Output) -> None:
    """Means over a day of single disks."""
    for line in section:
        match = _IS_AVERAGE.match(line.text.strip())
        values = [figure(text) or 0.0 for text in match["figures"].split()] if match else []
        places = _layout(values) if values else None
        if match is None or places is None:
            out.skip(line, "figures of which nobody can tell what they are")
            continue
        section.add(
            DiskIo,
            line.number,
            source="sar -d",
            device=match["disk"],
            op="",
            per_s=True,
            count=values[0],
            mean_ms=values[places[1]],
            queue=values[places[0]],
            util=values[7],
        )


_NAMES: Final = (
    r"[rwdf]/s|tps|[rwd](?:kB|MB|sec)/s|[rwd]rqm/s|%[rwd]rqm|(?:[rwdf]_)?await|(?:[rwd]a)?req-sz|avgrq-sz|a(?:vg)?qu-sz"
    r"|svctm|%util"
)
_OPENS: Final = re.compile(rf"Device\s{{0,8}}[:=]\s{{0,8}}(?:/dev/)?(?P<disk>{_DISK})$")
_VALUE: Final = r"(?P<value>\d{1,12}(?:[.,]\d{1,6})?)(?: ?(?:ms|%))?$"
_FIELD: Final = re.compile(rf"(?P<name>{_NAMES})\s{{0,20}}[:=]\s{{0,20}}{_VALUE}")


def _owns_field(text: str, before: str) -> bool:
    text = text.strip()
    return _OPENS.match(text) is not None or _FIELD.match(text) is not None


@parser(
    "iostat_fields",
    version=2,
    product="",
    claims=_OPENS.pattern.replace("?P<disk>", "?:"),
    owns=_owns_field,
    priority=0,
)
def iostat_fields(section: OpenSection, out: Output) -> None:
    """A disk, and a field on each line below it."""
    disk, begun, held = "", 0, dict[str, float]()
    for line in section:
        text = line.text.strip()
        if (match := _OPENS.match(text)) is not None:
            _put_fields(section, disk, begun, held)
            disk, begun, held = match["disk"], line.number, {}
            out.frame()
        elif (match := _FIELD.match(text)) is not None and disk:
            held[match["name"]] = figure(match["value"]) or 0.0
            out.everyday()
        else:
            out.skip(line, "no field of a disk")
    _put_fields(section, disk, begun, held)


def _put_fields(section: OpenSection, disk: str, line: int, held: dict[str, float]) -> None:
    """Reads and writes together: by how many there are of each, where their waits stand apart."""
    parts = [(held.get(f"{op}/s", 0.0), held[f"{op}_await"]) for op in "rw" if f"{op}_await" in held]
    count = sum(many for many, _ in parts)
    mean = held.get("await", sum(many * wait for many, wait in parts) / count if count else None)
    if mean is not None:
        section.add(
            DiskIo,
            line,
            source="iostat -x",
            device=disk,
            op="",
            per_s=True,
            count=held.get("tps", count),
            mean_ms=mean,
            queue=held.get("aqu-sz", held.get("avgqu-sz")),
            util=held.get("%util"),
        )
