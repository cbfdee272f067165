"""Rule on single requests of an I/O history that took many times as long as the rest (SC-42)."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.history import DiskHistories
from apps.diagnosis.engine.scale.io import SERVED, LateRequests, ScaleIo
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LateWords:
    """Requests of a node, so many of them late; the longest and the median of all in ms. disk: where there is one."""

    node: str | None
    disk: str
    disks: int
    late: int
    requests: int
    longest_ms: float
    median_ms: float


@rule("SC-42", needs=(ScaleIo, DiskHistories), words=LateWords)
def late_requests(io: ScaleIo, histories: DiskHistories, limits: Limits) -> Iterator[Seen]:
    """Symptom: now and then something takes seconds that takes milliseconds else.

    Reasoning: a few requests of a history took many times the median of all, so neither the load nor the disk as a
    whole explains them; or requests took seconds throughout, which no load explains. Where a disk or a server is slow
    beside others, SC-01 says it. Source: gpfsug and developerWorks threads on outliers in ``mmdiag --iohist``; limits
    proposed.
    """
    slow = {(node, disk) for node, disk, _ in histories.slow}
    slow |= {(client, disk) for client, _, disk, _ in histories.slow_for_clients}
    behind_servers = {client for client, _, _, _ in histories.slow_servers}
    late = [
        one
        for one in io.late(limits.late_ms, limits.times, limits.whatever_ms)
        if one.node not in behind_servers and not all((one.node, disk) in slow for disk in one.disks or ("",))
    ]
    yield from (_seen(one, limits) for one in late[: int(limits.most)])


def _seen(one: LateRequests, limits: Limits) -> Seen:
    is_throughout = one.longest_ms < limits.times * one.median_ms
    is_lasting = is_throughout or one.late >= limits.requests or one.longest_ms >= limits.severe_ms
    return Seen(
        level="late" if is_lasting else "once",
        variant="throughout" if is_throughout else "served" if one.where in SERVED else "",
        words=LateWords(
            node=one.node,
            disk=one.disks[0] if len(one.disks) == 1 else "",
            disks=len(one.disks),
            late=one.late,
            requests=one.requests,
            longest_ms=one.longest_ms,
            median_ms=one.median_ms,
        ),
        lines=one.refs,
        most_lines=4,
        nodes=(one.node,),
        times=(one.first, one.last),
        borne_by=(one.late, 1),
        parts=("history",),
        weight=one.longest_ms / 1000,
    )
