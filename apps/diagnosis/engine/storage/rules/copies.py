"""Rules on runs of ``dd``: is the device slow, or the file system? Rates are computed anew from bytes and seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed
from apps.diagnosis.engine.storage.copy_runs import CopyRun, CopyRuns

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts


def _by_device(facts: CaseFacts) -> list[tuple[str, list[CopyRun]]]:
    """Runs of each device of each node and text; a run on other hardware belongs to none."""
    groups: dict[tuple[int, str | None, str], list[CopyRun]] = defaultdict(list)
    for run in facts.get(CopyRuns).all:
        if run.device is not None and not run.elsewhere:
            groups[run.ref.artifact, run.node, run.device].append(run)
    return [(key[2], runs) for key, runs in groups.items()]


def _direct(runs: Sequence[CopyRun]) -> list[CopyRun]:
    return [run for run in runs if run.raw and run.cache == "direct" and not run.mounted]


def _mean(runs: Sequence[CopyRun]) -> float:
    return sum(run.rate for run in runs) / len(runs)


def _nodes(runs: Sequence[CopyRun]) -> tuple[str, ...]:
    return tuple(sorted({run.node for run in runs if run.node}))


def _sure(runs: Sequence[CopyRun]) -> Part:
    """Repeated runs make a ratio surer; a run that only a sentence ties to its device makes it less so."""
    if any(run.bound for run in runs):
        return Part("completeness", 0.8, "a run is tied to the device by a sentence only")
    return Part("completeness", 0.95 if len(runs) >= 4 else 0.85, f"{len(runs)} runs with their command lines")


def _rates(runs: Sequence[CopyRun]) -> str:
    return listed([f"{run.rate:.2f}" for run in runs], 6)


def _figures(prefix: str, runs: Sequence[CopyRun]) -> tuple[Figure, ...]:
    return tuple(
        Figure(f"{prefix}{'' if index == 0 else f' {index + 1}'}", round(run.rate, 2), "MB/s") for index, run in enumerate(runs[:4])
    )


def _refs(*runs: Sequence[CopyRun]) -> tuple[Ref, ...]:
    return tuple(run.ref for some in runs for run in some)[:8]


@rule("ST-01")
def page_cache_cost(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writing to a device through the page cache is slower than past it.

    Reasoning: a direct and a buffered run on the same device and node; the drop of each, of their mean, and their spread.
    Source: Red Hat article 627823.
    """
    for device, runs in _by_device(facts):
        direct = _direct(runs)
        buffered = [run for run in runs if run.raw and run.cache == "buffered" and not run.mounted]
        if not direct or not buffered:
            continue
        base = _mean(direct)
        drops = [100 * (1 - run.rate / base) for run in buffered]
        mean_drop = 100 * (1 - _mean(buffered) / base)
        spread = 100 * (1 - min(run.rate for run in buffered) / max(run.rate for run in buffered))
        severity: Severity = "medium" if mean_drop > limits.large_drop else "low" if mean_drop > limits.usual_drop else "info"
        yield Draft(
            severity=severity,
            evidence=_refs(direct, buffered),
            words={
                "device": device,
                "drop": f"{mean_drop:.1f}",
                "drops": listed([f"{drop:.2f} %" for drop in drops], 6),
                "direct": _rates(direct),
                "buffered": _rates(buffered),
                "mean": f"{_mean(buffered):.2f}",
                "mean_drop": f"{mean_drop:.2f}",
                "spread": f" The buffered runs differ by {spread:.1f} %." if len(buffered) > 1 else "",
            },
            nodes=_nodes(runs),
            figures=(
                *(
                    Figure(f"Drop{'' if i == 0 else f' {i + 1}'}", round(drop, 2), "%", limits.words("usual_drop"))
                    for i, drop in enumerate(drops[:4])
                ),
                Figure("Drop of the mean", round(mean_drop, 2), "%"),
                *_figures("Direct", direct),
                *_figures("Buffered", buffered),
            ),
            parts=(evidence_part(len(direct) + len(buffered), 1), _sure([*direct, *buffered])),
            weight=2.0,
        )


@rule("ST-02")
def slow_raw_device(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a sequential write to the raw device, past the page cache, is the upper limit of every file system on it.

    Reasoning: beside another device measured in the same way where there is one. No rate is slow for every device.
    Source: Red Hat article 627823.
    """
    for device, runs in _by_device(facts):
        direct = _direct(runs)
        if not direct:
            continue
        rate = _mean(direct)
        others = [
            run for run in facts.get(CopyRuns).all if run.raw and run.cache == "direct" and run.ref.artifact == direct[0].ref.artifact
        ]
        others = [run for run in others if run.elsewhere or run.device != device]
        shared = "mpath" in device or "multipath" in device
        severity: Severity = "low" if shared and rate < limits.shared_mb_s else "info"
        compared = "".join(f" Another device did {run.rate:.1f} MB/s, {run.rate / rate:.2f} times as much." for run in others[:2])
        yield Draft(
            severity=severity,
            evidence=_refs(direct, others[:2]),
            words={"device": device, "rate": f"{rate:.1f}", "compared": compared},
            nodes=_nodes(direct),
            figures=(
                *_figures("Raw direct", direct),
                *(Figure("Other device, times", round(run.rate / rate, 2)) for run in others[:2]),
            ),
            parts=(evidence_part(len(direct), 1), Part("completeness", 0.8, "what the owner expects of the device is not known")),
            tunings=("block-read-ahead", "io-scheduler") if severity != "info" else (),
            basis="proposed" if severity != "info" else None,
            weight=1.5,
        )


@rule("ST-03")
def fs_overhead(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a file system writes slower than its device.

    Reasoning: runs that flush at their end against the direct rate of the same device; a local file system beside GFS2 tells whose share
    it is.
    Source: Red Hat article 627823.
    """
    for device, runs in _by_device(facts):
        direct = _direct(runs)
        written = [run for run in runs if run.fs and run.cache in ("fsync", "direct")]
        if not direct or not written:
            continue
        base = _mean(direct)
        groups: dict[tuple[str, str | None], list[CopyRun]] = defaultdict(list)
        for run in written:
            groups[run.fs or "", run.protocol].append(run)
        shares = {key: 100 * _mean(some) / base for key, some in groups.items()}
        yield _overhead(device, direct, written, shares, limits)


def _label(key: tuple[str, str | None]) -> str:
    return f"{key[0]} {key[1]}" if key[1] else key[0]


def _overhead(
    device: str, direct: Sequence[CopyRun], written: Sequence[CopyRun], shares: dict[tuple[str, str | None], float], limits: Limits
) -> Draft:
    clustered = {key: share for key, share in shares.items() if key[0] == "gfs2"}
    local = {key: share for key, share in shares.items() if key[0] not in ("gfs2", "gfs", "ocfs2")}
    worst = min((share for key, share in clustered.items() if key[1] != "lock_dlm"), default=None)
    severity: Severity = "low" if worst is not None and worst < limits.normal_share else "info"
    told = listed([f"{_label(key)} {share:.1f} %" for key, share in shares.items()], 6)
    return Draft(
        severity=severity,
        evidence=_refs(direct, written),
        words={
            "device": device,
            "shares": told,
            "rates": listed([f"{run.fs} {run.rate:.2f}" for run in written], 6),
            "direct": f"{_mean(direct):.2f}",
            "beside": _beside(clustered, local),
            "steps": _steps(clustered, local, limits),
        },
        nodes=_nodes(written),
        figures=(
            *(Figure(f"{_label(key)} of the raw rate", round(share, 2), "%", _limit(key, limits)) for key, share in shares.items()),
            *_figures("Raw direct", direct),
        ),
        parts=(evidence_part(len(direct) + len(written), 1), _sure([*direct, *written])),
        basis="proposed" if severity != "info" else None,
        weight=3.0,
    )


def _limit(key: tuple[str, str | None], limits: Limits) -> str:
    return limits.words("normal_share") if key[0] == "gfs2" else ""


def _beside(clustered: dict[tuple[str, str | None], float], local: dict[tuple[str, str | None], float]) -> str:
    """GFS2 against a local file system on the same device."""
    if not clustered or not local:
        return ""
    (name, share), (other, reference) = next(iter(clustered.items())), max(local.items(), key=lambda item: item[1])
    return (
        f" {_label(name)} writes {100 * share / reference:.1f} % of what {_label(other)} does, {100 - 100 * share / reference:.1f} % less."
    )


def _steps(clustered: dict[tuple[str, str | None], float], local: dict[tuple[str, str | None], float], limits: Limits) -> str:
    """The steps of the decision between storage and file system, as far as these runs carry."""
    steps = ["the device is judged by what its owner expects of it"]
    if local:
        reached = max(local.values())
        beyond = "storage or page cache hold it back" if reached < limits.local_share else "not held back by storage beyond the raw rate"
        steps.append(f"a local file system reaches {reached:.1f} % of the raw rate: {beyond}")
    alone = [share for key, share in clustered.items() if key[1] == "lock_nolock"]
    if alone and local:
        ratio = 100 * min(alone) / max(local.values())
        told = "layout or journal" if ratio < limits.local_share else "no defect of GFS2 shown"
        steps.append(f"GFS2 without locking reaches {ratio:.1f} % of it: {told}")
    shared = [share for key, share in clustered.items() if key[1] == "lock_dlm"]
    if shared and alone:
        ratio = 100 * min(shared) / min(alone)
        told = "locking costs" if ratio < limits.dlm_share else "locking costs little"
        steps.append(f"with lock_dlm on one node it reaches {ratio:.1f} % of that: {told}")
    elif clustered:
        steps.append("lock_dlm and several nodes were not tested")
    return f" Step by step: {'; '.join(steps)}."


@rule("ST-06")
def invalid_benchmark(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a run of dd is compared with others although it measured something else.

    Reasoning: no flush and no direct run beside it, a mounted device, a run of a few seconds, cut records, no command line.
    Source: dd(1); limits proposed.
    """
    paired = {run.ref for _, runs in _by_device(facts) if _direct(runs) for run in runs if run.raw and run.cache in ("direct", "buffered")}
    for run in facts.get(CopyRuns).all:
        reasons = _reasons(run, run.ref in paired, limits)
        if reasons:
            yield Draft(
                severity="info",
                evidence=(run.ref,),
                words={"rate": f"{run.rate:.1f}", "reasons": listed(reasons, 6), "target": run.target or "a target that is not shown"},
                nodes=_nodes([run]),
                figures=(Figure("Rate", round(run.rate, 2), "MB/s"), Figure("Duration", run.seconds, "s")),
                parts=(evidence_part(1, 1), Part("completeness", 0.95, "it follows from the command line or its absence")),
            )


def _reasons(run: CopyRun, paired: bool, limits: Limits) -> list[str]:
    checks = (
        (run.command is None and not run.bound, "its command line is missing"),
        (run.cache == "buffered" and not paired and run.command is not None, "it ends in the page cache: neither direct nor flushed"),
        (run.mounted, "the device was mounted"),
        (run.seconds < limits.least_s, f"it took only {run.seconds:g} s"),
        (run.partial > 0, "records were cut short"),
        ((run.mismatch or 0.0) > limits.mismatch, f"the printed rate is {run.mismatch or 0:.0f} % away from bytes and seconds"),
    )
    return [reason for holds, reason in checks if holds]
