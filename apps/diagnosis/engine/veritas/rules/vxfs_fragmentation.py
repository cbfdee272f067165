"""Rule on fragmentation of VxFS (R19): extents, directories, and file systems that are only full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.storage.disk_requests import Traces
from apps.diagnosis.engine.veritas.fragmentation import FragmentationReports, Report, State

SEVERITY: Final[dict[State, Severity]] = {
    "bad": "medium", "extend_first": "medium", "full": "medium", "nearly_full": "low", "moderate": "low",
}  # fmt: skip
TUNING: Final[dict[State, str]] = {
    "bad": "extent-reorganization", "extend_first": "extend-file-system", "full": "extend-file-system", "nearly_full": "extend-file-system",
}  # fmt: skip


@rule("R19")
def fragmentation(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writes of large files, or any allocation, get slower over months.

    Reasoning: free space in small extents, by the report of the file system; a full one is told apart from a fragmented one.
    Source: VxFS administration guides and fsadm_vxfs(1M).
    """
    for scope, reports in _by_mount(facts.get(FragmentationReports).extents).items():
        last = reports[-1]
        state = last.state(limits)
        if state in SEVERITY:
            yield _extents(facts, scope, reports, state, limits)
        elif (index := _worst_index(last, limits)) is not None:
            yield _indices(scope, last, index, limits)
    for scope, reports in _by_mount(facts.get(FragmentationReports).directories).items():
        if (draft := _directories(scope, reports[-1], limits)) is not None:
            yield draft


def _by_mount(reports: Sequence[Report]) -> dict[str | None, list[Report]]:
    found: dict[str | None, list[Report]] = {}
    for report in reports:
        found.setdefault(report.scope, []).append(report)
    return found


def _name(scope: str | None) -> str:
    return scope or "a file system whose mount is not shown"


def _share(value: float | None) -> str:
    return "not shown" if value is None else f"{value:.2f} %"


def _extents(facts: CaseFacts, scope: str | None, reports: Sequence[Report], state: State, limits: Limits) -> Draft:
    last = reports[-1]
    tuning = TUNING.get(state)
    small, medium, large = last.below(8), last.below(64), last.large_share
    factors = (
        ("Free space in extents below 8 blocks", small, "bad_below_8"),
        ("Free space in extents below 64 blocks", medium, "bad_below_64"),
        ("Free in extents of 64 blocks and more, of the file system", large, "large_share"),
        ("Free share of the file system", last.free_share, "full_free"),
    )
    evidence = last.lines()
    return Draft(
        severity="high" if state == "bad" and _explains_requests(facts, reports) else SEVERITY[state],
        variant=state,
        evidence=evidence,
        words={
            "scope": _name(scope),
            "small": _share(small),
            "medium": _share(medium),
            "third": _third(last),
            "free": _share(last.free_share),
            "cut": _cut(last),
            "history": _history(reports),
        },
        nodes=(last.node,) if last.node else (),
        start=last.at,
        end=last.at,
        zone_min=last.zone_min,
        figures=tuple(Figure(name, round(value, 3), "%", limits.words(key)) for name, value, key in factors if value is not None),
        parts=(evidence_part(len(evidence), 1), _completeness(last)),
        tunings=(tuning,) if tuning else (),
        advice=(Advice(tuning, scope),) if tuning else (),
    )


def _explains_requests(facts: CaseFacts, reports: Sequence[Report]) -> bool:
    """Requests are broken up, their flags show no other way of I/O, and one mount only is reported."""
    found = facts.get(Traces).all
    sizes = {trace.size for trace in found}
    modes = {trace.flags & 0x30 for trace in found if trace.flags is not None}
    return len(sizes) > 1 and len(modes) == 1 and len({report.scope for report in reports}) == 1


def _third(report: Report) -> str:
    if report.large_share is None:
        return " The third factor, free extents of 64 blocks and more against the whole size, is unknown: the size is not in these files."
    return f" Free extents of 64 blocks and more make up {report.large_share:.2f} % of the whole file system."


def _cut(report: Report) -> str:
    if not report.is_cut:
        return ""
    total = report.figure("total free blocks")
    beside = f" of {count(total)}" if total is not None else ""
    return f" The table of free extents adds up to {count(report.table_blocks)} blocks{beside}: rows are missing, the printed shares count."


def _history(reports: Sequence[Report]) -> str:
    """The first report against the last, with a leading blank."""
    first, last = reports[0].below(64), reports[-1].below(64)
    if len(reports) < 2 or first is None or last is None:
        return ""
    word = "same" if abs(first - last) < 1 else "better" if last < first else "worse"
    return f" In the first report {first:.2f} % lay in extents below 64 blocks, in the last {last:.2f} %: {word}."


def _completeness(report: Report) -> Part:
    if report.large_share is None:
        return Part("completeness", 0.8, "the size of the file system is not shown: one factor of three is unknown")
    return Part("completeness", 0.9 if report.is_cut else 1.0, "all three factors are known")


def _worst_index(report: Report, limits: Limits) -> tuple[str, float] | None:
    """The higher one of the two indices, where it is above the limit."""
    found = [(name, value) for name in ("free space fragmentation index", "file fragmentation index") if (value := report.figure(name))]
    worst = max(found, key=lambda pair: pair[1], default=None)
    return worst if worst is not None and worst[1] > limits.index_medium else None


def _indices(scope: str | None, report: Report, index: tuple[str, float], limits: Limits) -> Draft:
    name, value = index
    evidence = tuple(dict.fromkeys((report.ref, report.figures[name][1])))
    tuning = "free-space-defragmentation" if name.startswith("free") else "extent-reorganization"
    return Draft(
        severity="low",
        variant="index",
        evidence=evidence,
        words={"scope": _name(scope), "name": name, "value": count(value), "level": "high" if value > limits.index_high else "raised"},
        nodes=(report.node,) if report.node else (),
        start=report.at,
        end=report.at,
        zone_min=report.zone_min,
        figures=(Figure(name.capitalize(), value, "", limits.words("index_medium")),),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.7, "no limit of the manufacturer for the index is known")),
        tunings=(tuning,),
        advice=(Advice(tuning, scope),),
        basis="proposed",
    )


def _directories(scope: str | None, report: Report, limits: Limits) -> Draft | None:
    """Directories that could shrink."""
    total, less = report.figure("total blocks"), report.figure("blocks to reduce")
    dirs = report.figure("dirs to reduce") or 0
    if not total or less is None or (not dirs and not less):
        return None
    share = 100 * less / total
    much = share > limits.directory_share
    evidence = tuple(dict.fromkeys((report.ref, report.figures["blocks to reduce"][1])))
    return Draft(
        severity="low" if much else "info",
        variant="directories",
        evidence=evidence,
        words={
            "scope": _name(scope), "dirs": count(dirs), "less": count(less), "total": count(total), "share": f"{share:.1f}",
            "worth": "Reorganising the directories is worth an idle hour" if much else "Reorganising the directories is optional",
        },
        nodes=(report.node,) if report.node else (),
        start=report.at,
        end=report.at,
        zone_min=report.zone_min,
        figures=(
            Figure("Directory blocks that could go", round(share, 1), "%", limits.words("directory_share")),
            Figure("Directories that could shrink", dirs),
        ),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 1.0, "the report is whole")),
        tunings=("directory-reorganization",) if much else (),
        advice=(Advice("directory-reorganization", scope),) if much else (),
        basis="proposed",
    )  # fmt: skip
