"""Lock statistics of GFS2 in debugfs: ``glstats`` (a line per glock) and ``sbstats`` (means per type and processor).

::

    G: n:2/1b3a rtt:31872/8121 rttb:4118210/991820 irt:71209/30122 dcnt: 4120 qcnt: 5011

    type            cpu:            0              1
    inode         srttb:        41872          40117
    inode           dlm:         8120           4410

Yields ``Counter``. ``glstats``: sums and means per type (``inode dcnt``), and for the inodes and resource groups with
most requests or the most variable round trip one row per figure, the glock in front of the name (``2/1b3a rttb``).
``sbstats``: means over processors, weighted by their requests; a processor without requests does not count. Times are
nanoseconds of smoothed means; requests count from the mount. No times of day. Tolerated: cut lines. Source: kernel
documentation of gfs2-glocks; fs/gfs2/trace_gfs2.h.
"""

from __future__ import annotations

import re
from heapq import nlargest
from typing import Final

from parsers.formats.gfs2.glock_lines import fs_in_path
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Patience, TextRow, TextStretch

TYPES: Final = {
    0: "reserved", 1: "nondisk", 2: "inode", 3: "rgrp", 4: "meta", 5: "iopen", 6: "flock", 7: "plock", 8: "quota",
    9: "journal",
}  # fmt: skip
BUSY_REQUESTS: Final = 350  # below that many a smoothed mean says little
KEPT: Final = 20
KEPT_BEFORE_SORTING: Final = 5_000
_N: Final = r"-?\d{1,19}"
_LINE: Final = (
    rf"G: n:(\d)/([0-9a-f]{{1,16}}) (rtt:{_N}/{_N} rttb:({_N})/({_N}) irt:{_N}/{_N} dcnt: ?({_N}) qcnt: ?({_N}))"
)
_STRETCH: Final = TextStretch(_LINE)
_ROW = re.compile(_LINE + r"\s{0,8}$", re.ASCII)
_VALUE = re.compile(_N)
_FIGURES: Final = (
    ("rtt", "ns"), ("rttvar", "ns"), ("rttb", "ns"), ("rttbvar", "ns"), ("irt", "ns"), ("irtvar", "ns"),
    ("dcnt", "requests"),
    ("qcnt", "requests"),
)  # fmt: skip
_Busy = tuple[int, str, int, int, str]  # line, glock, requests, variance of the round trip, all figures as printed


class _Stats:
    """Sums per type, and the glocks worth a row of their own."""

    def __init__(self) -> None:
        self.first = 0
        self.sums: dict[str, list[int]] = {}
        self.busy: list[_Busy] = []

    def put(self, first: int, rows: list[TextRow]) -> None:
        """Rows of consecutive lines."""
        self.first = self.first or first
        for number, (kind, glock, figures, round_trip, variance, requests, queued) in enumerate(rows, first):
            dcnt, qcnt = int(requests), int(queued)
            own = self.sums.get(kind)
            if own is None:
                own = self.sums[kind] = [0, 0, 0, 0]
            own[0] += 1
            own[1] += dcnt
            own[2] += qcnt
            own[3] += int(round_trip) * dcnt
            if (dcnt > BUSY_REQUESTS or qcnt > BUSY_REQUESTS) and (kind in "23"):
                self.busy.append((number, f"{kind}/{glock}", dcnt, int(variance), figures))
        if len(self.busy) > KEPT_BEFORE_SORTING:
            self.busy = self.worst()

    def worst(self) -> list[_Busy]:
        """Those with most requests, and those with the most variable round trip, in order of line."""
        most = nlargest(KEPT, self.busy, key=lambda one: (one[2], -one[0]))
        slow = nlargest(KEPT, self.busy, key=lambda one: (one[3], -one[0]))
        return sorted({one[0]: one for one in (*most, *slow)}.values())


@parser(
    "gfs2_glstats", version=1, product="gfs2", claims=r"G: {1,2}n:\d{1,2}/[0-9a-fA-F]{1,16} rtt:", owns=r"G: {1,2}n:\d"
)
def gfs2_glstats(section: OpenSection, out: Output) -> None:
    """``glstats``: round trips and requests of every glock."""
    _speak(section)
    stats: _Stats = section.state.setdefault("stats", _Stats())
    patience = Patience()
    for line in section:
        if match := _ROW.match(line.text.strip()):
            stats.put(line.number, [match.groups()])
        else:
            out.skip(line, "the line of a glock is cut or damaged")
        for first, rows in patience.stretches(section, _STRETCH.take):
            stats.put(first, rows)
    for kind, (glocks, dcnt, qcnt, weighted) in sorted(stats.sums.items()):
        name = TYPES.get(int(kind), kind)
        _add(section, out, stats.first, f"{name} glocks", glocks, "glocks", "gauge")
        _add(section, out, stats.first, f"{name} dcnt", dcnt, "requests", "cumulative")
        _add(section, out, stats.first, f"{name} qcnt", qcnt, "requests", "cumulative")
        if dcnt > 0:
            _add(section, out, stats.first, f"{name} rttb", weighted / dcnt, "ns", "gauge")
    for number, glock, _, _, figures in stats.worst():
        for (figure, unit), value in zip(_FIGURES, map(int, _VALUE.findall(figures)), strict=True):
            _add(
                section,
                out,
                number,
                f"{glock} {figure}",
                value,
                unit,
                "gauge" if unit == "ns" else "cumulative",
                sample=stats.first,
            )
    section.state["stats"] = _Stats()


def _speak(section: OpenSection) -> None:
    """The file system that the command or the path names."""
    fs = (_fs_in(section.command.text) if section.command else None) or _fs_in(section.path)
    if fs is not None and section.scope is None:
        section.speaks_of(scope=fs)


_FS = re.compile(r"gfs2[/.](?P<fs>[^/\s'\"|;*]{1,100})[/.](?:glstats|sbstats|lkstats)\b")


def _fs_in(text: str) -> str | None:
    match = _FS.search(text)
    return match["fs"] if match else fs_in_path(text)


def _add(
    section: OpenSection,
    out: Output,
    line: int,
    name: str,
    value: float,
    unit: str,
    kind: str,
    *,
    source: str = "glstats",
    sample: int = 0,
) -> None:
    section.add(
        Counter,
        line,
        scope=section.scope,
        source=source,
        name=name,
        kind=kind,
        unit=unit,
        value=round(float(value), 3),
        sample=sample or line,
    )


_STATS: Final = r"(?:srtt|srttvar|srttb|srttvarb|sirt|sirtvar|dlm|queue)"
_NAMES: Final = "|".join(TYPES.values())
_MEANS = re.compile(rf"(?P<type>{_NAMES}) {{1,20}}(?P<stat>{_STATS}):(?P<values>(?: {{1,20}}-?\d{{1,19}}){{1,4096}})$")
_CPU_HEAD: Final = r"type {4,20}cpu:"


@parser(
    "gfs2_sbstats",
    version=1,
    product="gfs2",
    claims=rf"(?:{_CPU_HEAD}|(?:{_NAMES}) {{1,20}}{_STATS}: {{1,20}}-?\d)",
    owns=rf"(?:{_CPU_HEAD}|(?:{_NAMES}) {{1,20}}[a-z]{{1,8}}:)",
)
def gfs2_sbstats(section: OpenSection, out: Output) -> None:
    """``sbstats``: round trips and requests per type of glock."""
    _speak(section)
    table: dict[str, tuple[int, dict[str, list[int]]]] = {}
    for line in section:
        text = line.text.strip()
        if match := _MEANS.match(text):
            _, rows = table.setdefault(match["type"], (line.number, {}))
            rows[match["stat"]] = [int(one) for one in match["values"].split()]
        elif re.match(_CPU_HEAD, text):
            _add_types(section, out, table)
            table = {}
        else:
            out.skip(line, "no row of lock statistics")
    _add_types(section, out, table)


def _add_types(section: OpenSection, out: Output, table: dict[str, tuple[int, dict[str, list[int]]]]) -> None:
    for kind, (line, rows) in table.items():
        weights = rows.get("dlm", [])
        for stat, values in rows.items():
            if stat in ("dlm", "queue"):
                _add(section, out, line, f"{kind} {stat}", sum(values), "requests", "cumulative", source="sbstats")
            elif total := sum(weights[: len(values)]):
                mean = sum(value * weight for value, weight in zip(values, weights, strict=False)) / total
                _add(section, out, line, f"{kind} {stat}", mean, "ns", "gauge", source="sbstats")
