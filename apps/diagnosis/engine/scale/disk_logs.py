"""Which disk threads wait for, where the waits do not name it and a log of that time does."""

from __future__ import annotations

from typing import Final

from apps.diagnosis.engine.scale.evidence import span_of
from apps.diagnosis.engine.scale.groups import Behind
from apps.diagnosis.engine.scale.symptoms import DISKS, KERNEL_ERRORS, Symptom, Symptoms

_NO_NSD: Final = ("sr", "fd", "loop", "zram")
"""Beginnings of block devices that bear no NSD."""


def by_its_log(symptoms: Symptoms, behind: Behind, slack_s: float) -> Symptom | None:
    """The line that tells the one disk that the node's log names at the time of the waits: as failed, else as lost or
    slow, else as one with errors of the kernel.
    """
    start, end = span_of(behind.groups)
    near = [
        one
        for one in symptoms.events((*DISKS, *KERNEL_ERRORS))
        if one.about
        and one.node in (None, behind.end.node)
        and one.is_near(start, end, round(slack_s * 1e6))
        and not one.about.startswith(_NO_NSD)
    ]
    by_kind = [[one for one in near if one.kind == kind] for kind in (*DISKS, *KERNEL_ERRORS)]
    return next((found[0] for found in by_kind if len({one.about for one in found}) == 1), None)
