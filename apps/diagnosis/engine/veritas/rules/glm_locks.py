"""Rules on stuck locks of the Group Lock Manager (R23), and on an inode that several nodes want exclusively (R32)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import NEAR_US, Ref, comparable
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.storage.disk_latency import Device, DiskTimes
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits, Stuck
from parsers.dataclass import dataclass

MOST_LOCKS: Final = 5
EXCLUSIVE: Final = "EX"


@dataclass(frozen=True, slots=True)
class StuckWords:
    """object, inode, fileset: the lock. length_s: how long it is known to be stuck, delay_s: how long one dump watches.

    one: a single node holds it or waits for it. more: other locks that are stuck. disk: the slow one of a holder,
    worst_ms: how slow.
    """

    object: str
    inode: int | None
    fileset: int | None
    holders: tuple[str, ...]
    one_holder: bool
    mode: str
    waiters: tuple[str, ...]
    one_waiter: bool
    twice: bool
    delay_s: float
    length_s: float
    waits: int
    dumps: int
    more: int
    disk: str
    worst_ms: float
    circle: tuple[str, ...]


@rule("R23", needs=(GlmWaits, DiskTimes), words=StuckWords)
def stuck_lock(waits: GlmWaits, times: DiskTimes, limits: Limits) -> Iterator[Seen]:
    """Symptom: accesses to one file or directory hang on one node or several.

    Reasoning: glmdump prints a lock only when it did not move over its delay and somebody waits for it.
    Source: glmdump(1M).
    """
    latest = {lock.object: lock for lock in waits.printed if not lock.is_cached}
    if not latest:
        return
    slow = [one for one in times.devices(limits_of("R27")) if one.slow and not one.since_start]
    for lock in sorted(latest.values(), key=lambda lock: (-waits.seconds(lock), -lock.waits, lock.line))[:MOST_LOCKS]:
        yield _stuck(waits, lock, _slow_disk(slow, waits.same(lock) or [lock]), len(latest) - 1, limits)


def _stuck(waits: GlmWaits, lock: Stuck, disk: Device | None, more: int, limits: Limits) -> Seen:
    length = waits.seconds(lock)
    apart = length - waits.delay_s  # between the first and the last dump that shows it so
    dumps = waits.same(lock)
    words = StuckWords(
        object=lock.object,
        inode=lock.inode,
        fileset=lock.fileset,
        holders=tuple(lock.holding),
        one_holder=len(lock.holding) < 2,
        mode="/".join(sorted({mode for _, mode in lock.holders})),
        waiters=tuple(lock.waiting),
        one_waiter=len(lock.waiting) < 2,
        twice=apart > 0,
        delay_s=waits.delay_s,
        length_s=length,
        waits=lock.waits,
        dumps=len(dumps) or 1,
        more=more,
        disk=disk.device if disk else "",
        worst_ms=disk.worst_ms if disk else 0.0,
        circle=next((names for names in waits.circles if lock.object in names), ()),
    )
    return Seen(
        level="critical" if apart > limits.critical_s else "stuck",
        words=words,
        lines=[*_lines(dumps[0] if dumps else lock), *_lines(lock), *(disk.refs[:2] if disk else ())],
        nodes=(*lock.holding, *lock.waiting),
        times=[one.at for one in dumps],
        zone_min=lock.zone_min,
        parts=() if words.twice else ("one_dump",),
        weight=length + lock.waits,
    )


def _slow_disk(slow: Sequence[Device], dumps: Sequence[Stuck]) -> Device | None:
    """The slowest disk under load of a node that holds the lock, about the time of the dumps: a holder that waits for
    it keeps the lock.
    """
    holding = {node for lock in dumps for node in lock.holding}
    near = [one for one in slow if one.node in holding and any(_is_near(one.at, lock.at) for lock in dumps)]
    return max(near, key=lambda one: one.worst_ms, default=None)


def _is_near(one: int | None, other: int | None) -> bool:
    return one is None or other is None or (comparable(one, other) and abs(one - other) <= NEAR_US)


def _lines(lock: Stuck) -> list[Ref]:
    return [Ref(lock.artifact, lock.line), *list(lock.holders.values())[:2], *list(lock.waiters.values())[:2]]


@dataclass(frozen=True, slots=True)
class HotWords:
    """Nodes that want an inode exclusively."""

    waiters: tuple[str, ...]
    inode: int
    nodes: int


@rule("R32", needs=(GlmWaits,), words=HotWords)
def hot_directory(waits: GlmWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: creating files in one directory is slow on every node.

    Reasoning: several exclusive waiters on one inode; that it is a directory must be shown elsewhere, so this is a hint
    only. Source: recalled.
    """
    found: set[int] = set()
    for lock in waits.printed:
        exclusive = tuple(sorted({node for node, mode in lock.waiters if mode == EXCLUSIVE}))
        if lock.inode is None or lock.inode in found or len(exclusive) < 2:
            continue
        found.add(lock.inode)
        yield Seen(
            level="hint",
            words=HotWords(exclusive, lock.inode, len(exclusive)),
            lines=[
                Ref(lock.artifact, lock.line),
                *(ref for (_, mode), ref in lock.waiters.items() if mode == EXCLUSIVE),
            ],
            nodes=exclusive,
            times=[one.at for one in waits.same(lock) or [lock]],
            parts=("not_shown",),
        )
