"""What to collect and what to do next where storage is measured, suspected or cleared by somebody's word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.claims import Claims
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.core.words.steps import lacking, step
from apps.diagnosis.engine.storage.copy_runs import CopyRuns
from apps.diagnosis.engine.storage.disk_loads import DiskLoads
from apps.diagnosis.engine.storage.disk_paths import DiskPaths

SLOW_CLIENT: Final = "slow-client"
PATHS: Final = "lost-paths"
CARD: Final = "speed-of-the-card"
PDISK: Final = "paths-of-the-pdisk"
_PORT: Final = re.compile(r"\b[\w.-]{1,40}/\d{1,3}\b")
"""A port of InfiniBand, which no Ethernet tool shows."""
STEPS: Final = (
    (frozenset(("ST-05",)), PATHS),
    (frozenset(("ST-11",)), "full-file-system"),
    (frozenset(("ST-12", "ST-17")), "memory-users"),
    (frozenset(("ST-16", "ST-23")), "disks-of-the-host"),
    (frozenset(("ST-24",)), "interrupts-of-the-host"),
    (frozenset(("ST-43",)), "processors-of-the-host"),
    (frozenset(("ST-50",)), "callers-of-the-lock"),
    (frozenset(("ST-26",)), "clock-of-the-host"),
    (frozenset(("ST-04", "ST-10", "ST-13", "ST-27", "ST-31")), "array-figures"),
    (frozenset(("ST-25",)), "slow-calls"),
    (frozenset(("ST-18",)), "stuck-commands"),
    (frozenset(("ST-19", "ST-22")), "waiting-tasks"),
    (frozenset(("ST-21",)), "tasks-of-the-host"),
    (frozenset(("ST-20", "ST-33")), "lost-packets"),
    (frozenset(("ST-28",)), "restarts-of-the-host"),
    (frozenset(("ST-29", "ST-42")), "paths-of-the-others"),
    (frozenset(("ST-41",)), "mtu-of-the-others"),
    (frozenset(("ST-44",)), CARD),
    (frozenset(("ST-67",)), "carrier-of-the-card"),
    (frozenset(("ST-80",)), "reserved-disk"),
    (frozenset(("ST-69",)), PDISK),
    (frozenset(("ST-45",)), "mounts-of-the-others"),
    (frozenset(("ST-49",)), "copies-of-the-disk"),
    (frozenset(("ST-14", "ST-32")), "slow-run"),
    (frozenset(("ST-15",)), SLOW_CLIENT),
    (frozenset(("ST-03",)), "layers-by-dd"),
)
"""Steps in their order, each with the rules whose findings it follows from."""
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
    for about, key in STEPS:
        if not refs.keys() & about:
            continue
        if key == PATHS and refs["ST-05"].severity != "info":
            layers = case.get(DiskPaths).lossy_layers
            keys = [f"{PATHS}-{layer}" for layer in layers] or ["paths-that-came-back"]
            yield from (step(one, about=about) for one in keys)
        elif key == CARD and _PORT.search(refs["ST-44"].title) is not None:
            yield step("speed-of-the-port", about=about)
        elif key == PDISK and refs["ST-69"].severity == "low":
            continue  # less memory, or fewer servers
        elif key == SLOW_CLIENT and refs["ST-15"].severity == "low":
            continue  # runs at two times, or against two file systems: no node is the slow one
        elif key != PATHS and (key != "layers-by-dd" or case.get(CopyRuns).all):
            yield step(key, about=about)
