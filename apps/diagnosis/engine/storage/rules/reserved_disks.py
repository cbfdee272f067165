"""Rules on how a host of AIX is set up towards its disks: a disk of several hosts that one of them reserves (ST-80),
and adapters and disks whose queues are too short (ST-81).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric, setting
from parsers.dataclass import dataclass
from parsers.records import Counter

OF_CLUSTER: Final = setting("disks-of-a-cluster")
POLICY: Final = setting("reservation-of-a-disk")
SHORT: Final = metric("requests-without-room-in-a-queue")
ALONE: Final = frozenset(("single_path", "PR_exclusive"))
NONE: Final = "no_reserve"
MOST: Final = 6


@dataclass(frozen=True, slots=True)
class ReservedWords:
    """disks: on the node; policy: of the first; of: what it belongs to, empty where only another host shows it free."""

    node: str | None
    disks: tuple[str, ...]
    policy: str
    of: str


@rule("ST-80", needs=(Settings,), words=ReservedWords)
def reserved_disks(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: one node has its disks, the others get I/O errors or reservation conflicts on them.

    Reasoning: the first host that opens a disk of this policy reserves it. The disk belongs to a cluster: it carries a
    name of the cluster file system, its group is open on several hosts, or another host shows it without reservation.
    Source: lsattr and chdev of the AIX commands reference; documentation of Storage Scale on AIX, recalled.
    """
    shown = [one for one in settings.shown(POLICY) if one.scope]
    if not any(one.value in ALONE for one in shown):
        return
    shared = {(one.node, one.scope): (one.value, one.ref) for one in settings.shown(OF_CLUSTER)}
    free = {one.scope for one in shown if one.value == NONE}
    found: dict[str | None, dict[str, tuple[str, tuple[Ref, ...]]]] = defaultdict(dict)
    for one in shown:
        disk = one.scope or ""
        of = shared.get((one.node, disk))
        if one.value in ALONE and (of is not None or disk in free):
            found[one.node][disk] = one.value, (one.ref, *((of[1],) if of else ()))
    for node, disks in sorted(found.items(), key=lambda row: row[0] or ""):
        first = min(disks)
        yield Seen(
            level="of_cluster" if (node, first) in shared else "free_elsewhere",
            words=ReservedWords(
                node, tuple(sorted(disks))[:MOST], disks[first][0], shared.get((node, first), ("",))[0]
            ),
            lines=[ref for _, refs in list(disks.values())[:MOST] for ref in refs],
            nodes=(node,),
            borne_by=(len(disks), 1),
            weight=float(len(disks)),
        )


@dataclass(frozen=True, slots=True)
class ShortWords:
    """device: adapter or disk; count: requests that waited, since it was reset or each second."""

    device: str
    node: str | None
    count: float


@rule("ST-81", needs=(Records,), words=ShortWords)
def short_queues(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: requests wait in the host while the array has time.

    Reasoning: the adapter had no room for a command or for its data, or the queue of the disk was full, so often that
    it is no burst.
    Source: fcstat and iostat of the AIX commands reference, recalled; limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.meant(Counter, SHORT, pl.col("value") > 0, pl.col("scope").is_not_null())
    for (node, device), found in grouped(rows, lambda one: (one.node, one.scope)).items():
        worst = max(found, key=lambda one: one.value or 0.0)
        is_rate = worst.kind != "cumulative"
        count = worst.value or 0.0
        if count < (limits.full_rate if is_rate else limits.waited):
            continue
        yield Seen(
            level="disk" if is_rate else "adapter",
            variant="disk" if is_rate else "",
            words=ShortWords(device or "", node, count),
            shown=(worst,),
            borne_by=(len(found), 1),
            weight=count / 1e6,
        )
