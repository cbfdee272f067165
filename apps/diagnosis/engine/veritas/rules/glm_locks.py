"""Rules on stuck locks of the Group Lock Manager (R23), and on an inode that several nodes want exclusively (R32)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, Ref, comparable
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.storage.disk_latency import Device, DiskTimes
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits, Stuck

MOST_LOCKS = 5
NEAR_US = 600_000_000


@rule("R23")
def stuck_lock(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: accesses to one file or directory hang on one node or several.

    Reasoning: glmdump prints a lock only when it did not move over its delay and somebody waits for it.
    Source: glmdump(1M).
    """
    waits = facts.get(GlmWaits)
    latest: dict[str, Stuck] = {}
    for lock in waits.printed:
        latest[lock.object] = lock
    for lock in sorted(latest.values(), key=lambda lock: (-waits.seconds(lock), -lock.waits, lock.line))[:MOST_LOCKS]:
        yield _stuck(facts, lock, len(latest), limits)


def _stuck(facts: CaseFacts, lock: Stuck, total: int, limits: Limits) -> Draft:
    waits = facts.get(GlmWaits)
    length = waits.seconds(lock)
    apart = length - waits.delay_s  # between the first and the last dump that shows it so
    dumps = waits.same(lock)
    circle = next((names for names in waits.circles if lock.object in names), ())
    disk = _slow_disk(facts, dumps or [lock])
    others = f"{plural(total - 1, 'more lock is', 'more locks are')} stuck. " if total > 1 else ""
    return draft(
        "critical" if apart > limits.critical_s else "high",
        [*_lines(dumps[0] if dumps else lock), *_lines(lock), *(disk.refs[:2] if disk else ())],
        {
            "what": _what(lock),
            "holder": listed(lock.holding) or "A node that the dump does not show",
            "holds": "holds" if len(lock.holding) < 2 else "hold",
            "waits": "waits" if len(lock.waiting) < 2 else "wait",
            "mode": "/".join(sorted({mode for _, mode in lock.holders})),
            "waiter": listed(lock.waiting) or "somebody",
            "delay": seconds(length) if apart > 0 else f"{waits.delay_s:g} s",
            "count_words": others,
            "inode": f"Find its name with ncheck or find MOUNT -inum {lock.inode} (file set {lock.fileset})." if lock.inode else "",
            "disk": f" Its own disk may hold it up: {disk.device} answered in {disk.worst_ms:.1f} ms there at that time." if disk else "",
            "behind": f"; {disk.device} there answers in {disk.worst_ms:.1f} ms" if disk else "",
            "circle": f" {listed(circle, 8)} wait for each other in a circle; threads are not shown, so it may still dissolve."
            if circle
            else "",
        },
        nodes=[*lock.holding, *lock.waiting],
        times=[one.at for one in dumps],
        zone_min=lock.zone_min,
        figures=[
            Figure("Stuck for at least", round(length, 1), "s"),
            Figure("Waiters", lock.waits),
            Figure("Dumps that show it", len(dumps) or 1),
        ],
        lacks="" if apart > 0 else "one dump: a second one a minute later would show whether it ever moves",
        weight=length + lock.waits,
    )


def _slow_disk(facts: CaseFacts, dumps: Sequence[Stuck]) -> Device | None:
    """The slowest disk under load of a node that holds the lock, about the time of the dumps: a holder that waits for it keeps the lock."""
    holding = {node for lock in dumps for node in lock.holding}
    slow = [one for one in facts.get(DiskTimes).devices(limits_of("R27")) if one.node in holding and one.slow and not one.since_start]
    near = [one for one in slow if any(_is_near(one.at, lock.at) for lock in dumps)]
    return max(near, key=lambda one: one.worst_ms, default=None)


def _is_near(one: int | None, other: int | None) -> bool:
    return one is None or other is None or (comparable(one, other) and abs(one - other) <= NEAR_US)


def _what(lock: Stuck) -> str:
    return f"the lock of inode {lock.inode}" if lock.inode else f"lock {lock.object}"


def _lines(lock: Stuck) -> list[Ref]:
    return [Ref(lock.artifact, lock.line), *list(lock.holders.values())[:2], *list(lock.waiters.values())[:2]]


@rule("R32")
def hot_directory(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: creating files in one directory is slow on every node.

    Reasoning: several exclusive waiters on one inode; that it is a directory must be shown elsewhere, so this is a hint only.
    Source: recalled.
    """
    seen: set[int] = set()
    for lock in facts.get(GlmWaits).printed:
        exclusive = sorted({node for node, mode in lock.waiters if mode == "EX"})
        if lock.inode is None or lock.inode in seen or len(exclusive) < 2:
            continue
        seen.add(lock.inode)
        yield _hint(facts.get(GlmWaits).same(lock) or [lock], lock, exclusive)


def _hint(dumps: Sequence[Stuck], lock: Stuck, exclusive: Sequence[str]) -> Draft:
    refs = [ref for (_, mode), ref in lock.waiters.items() if mode == "EX"]
    return draft(
        "info",
        [Ref(lock.artifact, lock.line), *refs],
        {"waiters": listed(exclusive), "scope": "the file system", "inode": lock.inode},
        nodes=exclusive,
        times=[one.at for one in dumps],
        figures=[Figure("Nodes that want it exclusively", len(exclusive))],
        lacks="whether the inode is a directory is not shown",
    )
