"""What to collect and what to do next where storage is measured, suspected or cleared by somebody's word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.claims import Claims
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.core.steps import lacking, step
from apps.diagnosis.engine.storage.copy_runs import CopyRuns
from apps.diagnosis.engine.storage.disk_loads import DiskLoads
from apps.diagnosis.engine.storage.disk_paths import DiskPaths

_STORAGE: Final = re.compile(r"\b(?:san|arrays?|luns?|raid|multipath)\b", re.IGNORECASE)


def missing(case: Case) -> Iterator[Missing]:
    """Measurements of storage where people only talk of it, and of the bad time where only dd was run."""
    if case.get(DiskLoads).measured:
        return
    stated = next((claim for claim in case.get(Claims).all if _STORAGE.search(claim.text)), None)
    if case.get(CopyRuns).all:
        yield lacking("disks-beside-dd")
    elif stated is not None:
        yield lacking("disks-stated", speaker=stated.speaker)


def next_steps(case: Case, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """The layers one by one, where the runs of dd leave it open; the paths first where some are lost."""
    refs = {finding.ref: finding for finding in reversed(findings)}  # of each rule the gravest
    if "ST-05" in refs and refs["ST-05"].severity != "info":
        yield from (step(f"lost-paths-{layer}") for layer in case.get(DiskPaths).lossy_layers)
    if "ST-11" in refs:
        yield step("full-file-system")
    if refs.keys() & {"ST-12", "ST-17"}:
        yield step("memory-users")
    if refs.keys() & {"ST-16", "ST-23"}:
        yield step("disks-of-the-host")
    if "ST-24" in refs:
        yield step("interrupts-of-the-host")
    if "ST-26" in refs:
        yield step("clock-of-the-host")
    if refs.keys() & {"ST-04", "ST-10", "ST-13", "ST-27"}:
        yield step("array-figures")
    if "ST-25" in refs:
        yield step("slow-calls")
    if "ST-18" in refs:
        yield step("stuck-commands")
    if refs.keys() & {"ST-19", "ST-22"}:
        yield step("waiting-tasks")
    if "ST-21" in refs:
        yield step("tasks-of-the-host")
    if "ST-20" in refs:
        yield step("lost-packets")
    if "ST-14" in refs:
        yield step("slow-run")
    if "ST-03" in refs and case.get(CopyRuns).all:
        yield step("layers-by-dd")
