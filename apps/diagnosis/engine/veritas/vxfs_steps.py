"""What to ask for and what to do next where requests of VxFS are cut up, disks are suspected, or a mount is
fragmented.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import disk_io
from apps.diagnosis.engine.core.words.steps import lacking, step
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.fragmentation import FragmentationReports
from apps.diagnosis.engine.veritas.slow_commands import SlowRuns
from apps.diagnosis.engine.veritas.vxfs_tunables import Tunables
from parsers.records import DiskIo

LATENCY: Final = disk_io("device-latency")


def missing(case: Case, findings: Sequence[Finding]) -> Iterator[Missing]:
    """Latency beside slow commands, and what a comparison of two file systems lacks."""
    refs = {finding.ref for finding in findings}
    if case.get(VeritasFiles).are_there and case.get(SlowRuns).all and not _has_latency(case.store):
        yield lacking("vxfs-latency")
    if "R20" in refs:
        yield from _of_both(case)


def _has_latency(store: Facts) -> bool:
    if not store.has(DiskIo):
        return False
    timed = pl.col("interval_s").is_not_null() | pl.col("per_s")
    return (
        not store.scan(DiskIo)
        .filter(LATENCY.rows & timed & pl.col("mean_ms").is_not_null())
        .head(1)
        .collect()
        .is_empty()
    )


def _of_both(case: Case) -> Iterator[Missing]:
    """Inputs that decide why requests are cut up on one file system only."""
    if len({report.scope for report in case.get(FragmentationReports).extents}) < 2:
        yield lacking("vxfs-both-reports")
    options = case.get(Settings).all.filter((pl.col("name") == "type") & (pl.col("value") == "vxfs"))
    if options["scope"].n_unique() < 2:
        yield lacking("vxfs-both-options")
    if not case.get(Tunables).stripes:
        yield lacking("vxfs-layout")


_STEPS: Final = {
    "R1": "vxfs-cache", "R2": "vxfs-cache", "R19": "vxfs-fragments", "R25": "vxfs-cache", "R27": "vxvm-latency",
    "R31": "vxfs-freeze", "R33": "cfs-replay", "R34": "vvr-state",
}  # fmt: skip
"""What to do about what a rule found, where it is always the same."""


def next_steps(case: Case, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """In the order that the published study suggests; a tunable comes last."""
    weighty = {finding.ref for finding in findings if finding.severity in ("critical", "high", "medium")}
    yield from (step(_STEPS[ref], about=(ref,)) for ref in _STEPS if ref in weighty)
    if "R20" in {finding.ref for finding in findings}:
        keys = ["vxfs-options", "vxfs-trace", "vxfs-reports"]
        if not case.get(Tunables).stripes:
            keys.append("vxfs-stripe")
        yield from (step(key, about=("R20",)) for key in keys)
    for scope in dict.fromkeys(
        report.scope for report in case.get(FragmentationReports).extents if report.state(limits("R19")) == "full"
    ):
        yield step("vxfs-full", about=("R19",), scope=scope or None)
