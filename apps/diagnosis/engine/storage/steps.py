"""What to ask for and what to do next where storage is measured, suspected or cleared by somebody's word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.claims import Claims
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_STORAGE: Final = re.compile(r"\b(?:san|arrays?|luns?|raid|multipath)\b", re.IGNORECASE)
_AT_THE_TIME: Final = ("iostat -xt 5 24", "sar -d -p", "multipath -ll", "multipathd show config", "dmesg -T")


def missing(case: CaseFacts) -> Iterator[Missing]:
    """Measurements of storage where people only talk of it, and of the bad time where only dd was run."""
    stated = next((claim for claim in case.get(Claims).all if _STORAGE.search(claim.text)), None)
    if stated is not None and not case.disks.measured and not case.copies:
        yield Missing(
            what="how the disks answer at the bad time",
            why=f"storage is only spoken of ({stated.speaker or 'a person'}); a word is no measurement",
            node=None,
            commands=_AT_THE_TIME,
        )
    if case.copies and not case.disks.measured:
        yield Missing(
            what="how the disks answered when it was slow",
            why="runs of dd show one sequential stream at another time; a lost path or a slow array of that hour is not in them",
            node=None,
            commands=_AT_THE_TIME,
        )


def next_steps(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """The layers one by one, where the runs of dd leave it open; the paths first where some are lost."""
    refs = {finding.ref: finding for finding in findings}
    if "ST-05" in refs and refs["ST-05"].severity != "info":
        yield NextStep(
            why="Bring the lost paths back, and save the logs of this time first.", commands=("multipath -ll", "multipathd show paths")
        )
    if "ST-04" in refs or "ST-10" in refs:
        yield NextStep(
            why="Compare with what the array says of that LUN and time: latency, cache, rebuild, replication.",
            commands=("iostat -xt 5 24",),
        )
    if case.copies and "ST-03" in refs:
        yield NextStep(
            why="Test the other layers in the same way (logical volume, map, one path), on a spare LUN: dd to a device erases it.",
            commands=("lsblk -s", "filefrag FILE"),
        )
