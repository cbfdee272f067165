"""Rules on runs of ``dd``: is the device slow, or the file system? Rates are computed again from bytes and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from apps.diagnosis.engine.core.facts.records import grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.storage.copy_runs import CopyRun, CopyRuns
from parsers.dataclass import dataclass

Made = tuple[str, str | None]  # a file system and its lock protocol


def _direct(runs: Sequence[CopyRun]) -> list[CopyRun]:
    return [run for run in runs if run.raw and run.cache == "direct" and not run.mounted]


def _mean(runs: Sequence[CopyRun]) -> float:
    return sum(run.rate for run in runs) / len(runs)


def _rates(runs: Sequence[CopyRun]) -> tuple[float, ...]:
    return tuple(run.rate for run in runs)


def _sure(runs: Sequence[CopyRun]) -> str:
    """Repeated runs make a ratio surer; a run that only a sentence ties to its device makes it less so."""
    return "bound" if any(run.bound for run in runs) else "many" if len(runs) >= 4 else "few"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheWords:
    """Rates in MB/s; drops and spread in per cent of the mean direct rate and of the fastest buffered run. runs: of
    both kinds.
    """

    device: str
    direct: tuple[float, ...]
    buffered: tuple[float, ...]
    mean: float
    drop: float
    drops: tuple[float, ...]
    several: bool
    spread: float
    runs: int


@rule("ST-01", needs=(CopyRuns,), words=CacheWords)
def page_cache_cost(copies: CopyRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: writing to a device through the page cache is slower than past it.

    Reasoning: a direct and a buffered run on the same device and node; the drop of each, of their mean, and their
    spread. Source: Red Hat article 627823.
    """
    for device, runs in copies.by_device:
        direct = _direct(runs)
        buffered = [run for run in runs if run.raw and run.cache == "buffered" and not run.mounted]
        if not direct or not buffered:
            continue
        base, rates = _mean(direct), _rates(buffered)
        drop = 100 * (1 - _mean(buffered) / base)
        both = [*direct, *buffered]
        yield Seen(
            level="large" if drop > limits.large_drop else "unusual" if drop > limits.usual_drop else "usual",
            words=CacheWords(
                device=device,
                direct=_rates(direct),
                buffered=rates,
                mean=_mean(buffered),
                drop=drop,
                drops=tuple(100 * (1 - rate / base) for rate in rates),
                several=len(rates) > 1,
                spread=100 * (1 - min(rates) / max(rates)),
                runs=len(both),
            ),
            lines=[run.ref for run in both],
            borne_by=(len(both), 1),
            nodes={run.node for run in runs},
            parts=(_sure(both),),
            weight=2.0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWords:
    """Rates in MB/s. other, another: up to two other devices in the same text, with how many times as much they did."""

    device: str
    rate: float
    rates: tuple[float, ...]
    other: float | None
    other_times: float | None
    another: float | None
    another_times: float | None


@rule("ST-02", needs=(CopyRuns,), words=RawWords)
def slow_raw_device(copies: CopyRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: a sequential write to the raw device, past the page cache, is the upper limit of every file system on
    it.

    Reasoning: beside another device measured in the same way where there is one. No rate is slow for every device.
    Source: Red Hat article 627823.
    """
    for device, runs in copies.by_device:
        direct = _direct(runs)
        if not direct:
            continue
        rate = _mean(direct)
        alike = [
            run
            for run in copies.all
            if run.raw and run.cache == "direct" and run.ref.artifact == direct[0].ref.artifact
        ]
        others = [run for run in alike if run.elsewhere or run.device != device][:2]
        other, another, *_ = (*_rates(others), None, None)
        shared = "mpath" in device or "multipath" in device
        yield Seen(
            level="slow" if shared and rate < limits.shared_mb_s else "measured",
            words=RawWords(
                device=device,
                rate=rate,
                rates=_rates(direct),
                other=other,
                other_times=other and other / rate,
                another=another,
                another_times=another and another / rate,
            ),
            lines=[run.ref for run in (*direct, *others)],
            borne_by=(len(direct), 1),
            nodes={run.node for run in direct},
            parts=("expected",),
            weight=1.5,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareWords:
    """Shares in per cent of the mean direct rate, by file system and protocol; those of GFS2 have a limit. Rates are in
    MB/s.

    beside, its_share: the first of GFS2 against the fastest local one. local, alone, locking: what the local one, GFS2
    without and with ``lock_dlm`` show, and the per cent that they reach of the step before.
    """

    device: str
    shares: tuple[tuple[str, float], ...]
    of_gfs2: tuple[tuple[str, float], ...]
    of_others: tuple[tuple[str, float], ...]
    written: tuple[tuple[str, float], ...]
    direct: tuple[float, ...]
    mean: float
    runs: int
    gfs2: str | None = None
    beside: str | None = None
    its_share: float | None = None
    less: float | None = None
    local: Literal["held-back", "free"] | None = None
    local_share: float | None = None
    alone: Literal["layout", "sound"] | None = None
    alone_share: float | None = None
    locking: Literal["costs", "cheap", "open"] | None = None
    locking_share: float | None = None


@rule("ST-03", needs=(CopyRuns,), words=ShareWords)
def fs_overhead(copies: CopyRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: a file system writes slower than its device.

    Reasoning: runs that flush at their end against the direct rate of the same device; a local file system beside GFS2
    tells whose share it is. Source: Red Hat article 627823.
    """
    for device, runs in copies.by_device:
        direct = _direct(runs)
        written = [run for run in runs if run.fs and run.cache in ("fsync", "direct")]
        if direct and written:
            yield _overhead(device, direct, written, limits)


def _label(made: Made) -> str:
    return f"{made[0]} {made[1]}" if made[1] else made[0]


def _overhead(device: str, direct: Sequence[CopyRun], written: Sequence[CopyRun], limits: Limits) -> Seen:
    groups = grouped(written, lambda run: (run.fs or "", run.protocol))
    shares = {made: 100 * _mean(some) / _mean(direct) for made, some in groups.items()}
    both = [*direct, *written]
    own = [share for made, share in shares.items() if made[0] == "gfs2" and made[1] != "lock_dlm"]
    return Seen(
        level="low" if own and min(own) < limits.normal_share else "measured",
        words=ShareWords(
            device=device,
            shares=tuple((_label(made), share) for made, share in shares.items()),
            of_gfs2=_of_raw(shares, gfs2=True),
            of_others=_of_raw(shares, gfs2=False),
            written=tuple((run.fs or "", run.rate) for run in written),
            direct=_rates(direct),
            mean=_mean(direct),
            runs=len(both),
            **_compared(shares, limits),
        ),
        lines=[run.ref for run in both],
        borne_by=(len(both), 1),
        nodes={run.node for run in written},
        parts=(_sure(both),),
        weight=3.0,
    )


def _of_raw(shares: dict[Made, float], *, gfs2: bool) -> tuple[tuple[str, float], ...]:
    """Shares of the raw device, of GFS2 or of all others."""
    return tuple(
        (phrase("copy-shares.of-raw", made=_label(made)), share)
        for made, share in shares.items()
        if (made[0] == "gfs2") is gfs2
    )


def _compared(shares: dict[Made, float], limits: Limits) -> dict[str, Any]:
    """The steps of the decision between storage and file system, as far as these runs carry."""
    clustered = {made: share for made, share in shares.items() if made[0] == "gfs2"}
    local = {made: share for made, share in shares.items() if made[0] not in ("gfs2", "gfs", "ocfs2")}
    alone = min((share for made, share in clustered.items() if made[1] == "lock_nolock"), default=None)
    shared = min((share for made, share in clustered.items() if made[1] == "lock_dlm"), default=None)
    return _with_local(clustered, local, alone, limits) | _with_locking(
        alone, shared, limits, is_clustered=bool(clustered)
    )


def _with_local(
    clustered: dict[Made, float], local: dict[Made, float], alone: float | None, limits: Limits
) -> dict[str, Any]:
    """The fastest local file system against the device, and GFS2 against it."""
    if not local:
        return {}
    beside, best = max(local.items(), key=lambda item: item[1])
    found: dict[str, Any] = {"local": "held-back" if best < limits.local_share else "free", "local_share": best}
    if clustered:
        made, share = next(iter(clustered.items()))
        of_local = 100 * share / best
        found |= {"gfs2": _label(made), "beside": _label(beside), "its_share": of_local, "less": 100 - of_local}
    if alone is not None:
        ratio = 100 * alone / best
        found |= {"alone": "layout" if ratio < limits.local_share else "sound", "alone_share": ratio}
    return found


def _with_locking(alone: float | None, shared: float | None, limits: Limits, *, is_clustered: bool) -> dict[str, Any]:
    """GFS2 with the locks of a cluster against GFS2 without."""
    if shared is None or alone is None:
        return {"locking": "open"} if is_clustered else {}
    ratio = 100 * shared / alone
    return {"locking": "costs" if ratio < limits.dlm_share else "cheap", "locking_share": ratio}


@dataclass(frozen=True, slots=True)
class RunWords:
    """A run: its rate in MB/s, what it wrote to, and why it is comparable with no other."""

    rate: float
    seconds: float
    target: str | None
    reasons: tuple[str, ...]


@rule("ST-06", needs=(CopyRuns,), words=RunWords)
def invalid_benchmark(copies: CopyRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: a run of dd is compared with others although it measured something else.

    Reasoning: no flush and no direct run beside it, a mounted device, a run of a few seconds, cut records, no command
    line. Source: dd(1); limits proposed.
    """
    paired = {
        run.ref
        for _, runs in copies.by_device
        if _direct(runs)
        for run in runs
        if run.raw and run.cache in ("direct", "buffered")
    }
    for run in copies.all:
        if reasons := tuple(_reasons(run, run.ref in paired, limits)):
            yield Seen(
                level="alone",
                words=RunWords(run.rate, run.seconds, run.target, reasons),
                lines=(run.ref,),
                borne_by=(1, 1),
                nodes=(run.node,),
                parts=("command",),
            )


def _reasons(run: CopyRun, paired: bool, limits: Limits) -> Iterator[str]:
    if run.command is None and not run.bound:
        yield phrase("copy-flaws.command")
    if run.cache == "buffered" and not paired and run.command is not None:
        yield phrase("copy-flaws.cache")
    if run.mounted:
        yield phrase("copy-flaws.mounted")
    if run.seconds < limits.least_s:
        yield phrase("copy-flaws.short", seconds=run.seconds)
    if run.partial > 0:
        yield phrase("copy-flaws.partial")
    if run.mismatch is not None and run.mismatch > limits.mismatch:
        yield phrase("copy-flaws.rate", mismatch=run.mismatch)
