"""What to ask for and what to do next where requests of VxFS are cut up, disks are suspected, or a mount is fragmented."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.metrics import disk_io
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.fragmentation import FragmentationReports
from apps.diagnosis.engine.veritas.slow_commands import SlowRuns
from apps.diagnosis.engine.veritas.vxfs_tunables import Tunables
from parsers.records import DiskIo

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

LATENCY: Final = disk_io("device-latency")


def missing(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[Missing]:
    """Latency beside slow commands, and what a comparison of two file systems lacks."""
    refs = {finding.ref for finding in findings}
    if case.get(VeritasFiles).are_there and case.get(SlowRuns).all and not _has_latency(case):
        yield Missing(
            what="latency of the volumes, disks and paths while the command is slow",
            why="a holder of locks that waits for its disk looks like lock contention on the other nodes; no file shows the disks",
            node=None,
            commands=("vxstat -i 5 -c 12 -vd", "vxdmpadm iostat show all interval=5 count=12", "iostat -xt 5 12"),
        )
    if "R20" in refs:
        yield from _of_both(case)


def _has_latency(case: CaseFacts) -> bool:
    if not case.facts.has(DiskIo):
        return False
    timed = pl.col("interval_s").is_not_null() | pl.col("per_s")
    return not case.facts.scan(DiskIo).filter(LATENCY.rows & timed & pl.col("mean_ms").is_not_null()).head(1).collect().is_empty()


def _of_both(case: CaseFacts) -> Iterator[Missing]:
    """Inputs that decide why requests are cut up on one file system only."""
    if len({report.scope for report in case.get(FragmentationReports).extents}) < 2:
        yield Missing(
            what="fragmentation reports of both file systems",
            why="free space in small pieces cuts requests up as well, and no report of both is in these files",
            node=None,
            commands=("fsadm -E MOUNT", "df -k MOUNT"),
        )
    options = case.settings.filter((pl.col("name") == "type") & (pl.col("value") == "vxfs"))
    if options["scope"].n_unique() < 2:
        yield Missing(
            what="mount options of both file systems",
            why="mincache= and convosync= decide whether a large request goes through the cache",
            node=None,
            commands=("mount -v",),
        )
    if not case.get(Tunables).stripes:
        yield Missing(
            what="layout of the volumes",
            why="preferred request size and number of streams should match the stripe, which is not shown",
            node=None,
            commands=("vxprint -ht",),
        )


def next_steps(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """In the order that the published study suggests; a tunable comes last."""
    refs = [finding.ref for finding in findings]
    if "R20" in refs:
        yield NextStep(
            "Compare the mount options of the two file systems, and see who maps the file or has it in the cache.",
            ("mount -v", "fuser -c FILE"),
        )
        yield NextStep("Repeat the copy to a fresh file on both, with a trace.", ("timex cp FILE MOUNT/fresh",))
        yield NextStep("Take a fragmentation report of both; reorganise only on a bad one.", ("fsadm -E MOUNT", "df -k MOUNT"))
        if not case.get(Tunables).stripes:
            yield NextStep(
                "Only then match size and streams of writes to the stripe of the volume; look at max_direct_iosz and vol_maxio too.",
                ("vxprint -ht", "vxtunefs -o write_pref_io=STRIPE_UNIT MOUNT", "vxtunefs -o write_nstream=COLUMNS MOUNT"),
            )
    for scope in dict.fromkeys(report.scope for report in case.get(FragmentationReports).extents if report.state(limits("R19")) == "full"):
        place = shlex.quote(scope) if scope else "MOUNT"
        yield NextStep(
            f"See what fills {scope or 'the file system'} before it is extended: checkpoints count too.",
            (f"fsckptadm list {place}", f"df -k {place}"),
        )
