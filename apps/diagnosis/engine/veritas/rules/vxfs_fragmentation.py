"""Rule on fragmentation of VxFS (R19): extents, directories, and file systems that are only full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.disk_requests import MODE, Traces
from apps.diagnosis.engine.veritas.fragmentation import FREE_INDEX, INDICES, FragmentationReports, Report, State
from parsers.dataclass import dataclass

JUDGED: Final[tuple[State, ...]] = ("bad", "extend_first", "full", "nearly_full", "moderate")
Course = Literal["same", "better", "worse"]


@dataclass(frozen=True, slots=True)
class CutWords:
    """Per cent of free space below 8 and 64 blocks, of the file system in large extents and free; blocks and numbers of
    directories.

    sized: large is known. table, total: free blocks as the table adds up, and as printed. first, last: below 64 blocks
    over time.
    """

    scope: str | None
    small: float | None = None
    medium: float | None = None
    large: float | None = None
    sized: bool = False
    free: float | None = None
    is_cut: bool = False
    table: float = 0.0
    total: float | None = None
    course: Course | None = None
    first: float = 0.0
    last: float = 0.0
    name: str = ""
    value: float = 0.0
    index: tuple[tuple[str, float], ...] = ()
    is_high: bool = False
    dirs: float | None = None
    less: float = 0.0
    blocks: float = 0.0
    share: float | None = None
    much: bool = False


@rule("R19", needs=(FragmentationReports, Traces), words=CutWords)
def fragmentation(found: FragmentationReports, traces: Traces, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes of large files, or any allocation, get slower over months.

    Reasoning: free space in small extents, by the report of the file system; a full one is told apart from a fragmented
    one. Source: VxFS administration guides and fsadm_vxfs(1M).
    """
    for reports in _by_mount(found.extents):
        last = reports[-1]
        state = last.state(limits)
        if state in JUDGED:
            requests = state == "bad" and _explains_requests(traces, reports)
            yield _extents(reports, "bad_requests" if requests else state)
        elif (index := _worst_index(last, limits)) is not None:
            yield _indices(last, *index, limits)
    for reports in _by_mount(found.directories):
        yield from _directories(reports[-1], limits)


def _by_mount(reports: Sequence[Report]) -> list[list[Report]]:
    found: dict[str | None, list[Report]] = {}
    for report in reports:
        found.setdefault(report.scope, []).append(report)
    return list(found.values())


def _extents(reports: Sequence[Report], level: str) -> Seen:
    last, lines = reports[-1], reports[-1].lines()
    first_below, last_below = reports[0].below(64), last.below(64)
    words = CutWords(
        scope=last.scope,
        small=last.below(8),
        medium=last_below,
        large=last.large_share,
        sized=last.large_share is not None,
        free=last.free_share,
        is_cut=last.is_cut,
        table=last.table_blocks,
        total=last.figure("total free blocks"),
        course=_course(reports, first_below, last_below),
        first=first_below or 0.0,
        last=last_below or 0.0,
    )
    return Seen(
        level=level,
        words=words,
        lines=lines,
        nodes=(last.node,),
        times=(last.at,),
        zone_min=last.zone_min,
        borne_by=(len(lines), 1),
        parts=("no_size",) if not words.sized else ("cut",) if last.is_cut else ("whole",),
        applies_to=(last.scope,),
    )


def _course(reports: Sequence[Report], first: float | None, last: float | None) -> Course | None:
    """The first report against the last."""
    if len(reports) < 2 or first is None or last is None:
        return None
    return "same" if abs(first - last) < 1 else "better" if last < first else "worse"


def _explains_requests(traces: Traces, reports: Sequence[Report]) -> bool:
    """Requests are broken up, their flags show no other way of I/O, and one mount only is reported."""
    sizes = {trace.size for trace in traces.all}
    modes = {trace.flags & MODE for trace in traces.all if trace.flags is not None}
    return len(sizes) > 1 and len(modes) == 1 and len({report.scope for report in reports}) == 1


def _worst_index(report: Report, limits: Limits) -> tuple[str, float] | None:
    """The higher one of the two indices, where it is above the limit."""
    found = [(name, value) for name in INDICES if (value := report.figure(name))]
    worst = max(found, key=lambda pair: pair[1], default=None)
    return worst if worst is not None and worst[1] > limits.index_medium else None


def _indices(report: Report, name: str, value: float, limits: Limits) -> Seen:
    lines = tuple(dict.fromkeys((report.ref, report.figures[name][1])))
    index = ((name.capitalize(), value),)
    return Seen(
        level="index_free" if name == FREE_INDEX else "index_file",
        words=CutWords(report.scope, name=name, value=value, index=index, is_high=value > limits.index_high),
        lines=lines,
        nodes=(report.node,),
        times=(report.at,),
        zone_min=report.zone_min,
        borne_by=(len(lines), 1),
        parts=("index",),
        applies_to=(report.scope,),
    )


def _directories(report: Report, limits: Limits) -> Iterator[Seen]:
    """Directories that could shrink."""
    total, less = report.figure("total blocks"), report.figure("blocks to reduce")
    dirs = report.figure("dirs to reduce") or 0
    if not total or less is None or (not dirs and not less):
        return
    share = 100 * less / total
    much = share > limits.directory_share
    lines = tuple(dict.fromkeys((report.ref, report.figures["blocks to reduce"][1])))
    yield Seen(
        level="directories_much" if much else "directories",
        words=CutWords(report.scope, dirs=dirs, less=less, blocks=total, share=share, much=much),
        lines=lines,
        nodes=(report.node,),
        times=(report.at,),
        zone_min=report.zone_min,
        borne_by=(len(lines), 1),
        parts=("directories",),
        applies_to=(report.scope,),
    )
