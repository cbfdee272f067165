"""Rules on what stands below the file system: LVM locks, suspended devices (RC-04), fencing that needs the lost storage
(RC-05).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.gfs2.cluster import Cluster
from apps.diagnosis.engine.gfs2.fencing import settles
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.locks import DlmLock

SHOWN: Final = 3
DEVICE_STATE: Final = setting("device-mapper-state")
STORAGE_AGENTS: Final = re.compile(r"\b(?:fence_scsi|fence_mpath|fence_sbd|sbd)\b")
STORAGE_LOST: Final = (
    "paths-remaining",
    "reservation-conflict",
    "path-offline",
    "rport-lost",
    "thin-pool-full",
    "io-error",
    "buffer-error",
)
FENCE_DEVICE: Final = "resource type"
_LVM_SPACE: Final = r"^(?:clvmd|lvm_)"
_LVM_COMMAND = re.compile(
    r"(?:^|/)(?:lvm|lvcreate|lvremove|lvextend|lvchange|lvconvert|vgchange|vgscan|vgs|lvs|pvs|pvscan|pvmove|dmsetup)$"
)


@dataclass(frozen=True, slots=True)
class LvmWords:
    """name: lock space, device or command; resource and pid of the lock or process; captures that show it; age_s: for
    how long at least.
    """

    what: Literal["lock", "device", "command"]
    node: str | None
    name: str | None
    resource: str | None
    pid: int | None
    captures: int
    age_s: float | None


@rule("RC-04", needs=(Records, Cluster), words=LvmWords)
def lvm_lock(records: Records, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: I/O of a file system hangs while a snapshot or an LVM command runs.

    Reasoning: a lock of clvmd or lvmlockd waits, a device stays suspended, or an LVM command sleeps, in two captures.
    Source: names of the lock spaces; the rest is recalled.
    """
    yield from _lvm_waits(records, limits)
    yield from _suspended(cluster, limits)
    yield from _lvm_commands(cluster)


def _lvm_waits(records: Records, limits: Limits) -> Iterator[Seen]:
    if not records.has(DlmLock):
        return
    waits = pl.col("queue").is_in(["waiting", "converting"]) & (pl.col("age_s") >= limits.wait_s)
    rows = records.frame(DlmLock, pl.col("lockspace").str.contains(_LVM_SPACE) & waits)
    for row in rows.top_k(1, by="age_s").iter_rows(named=True) if rows.height else ():
        words = LvmWords("lock", row["node"], row["lockspace"], row["resource"], row["pid"], 1, row["age_s"])
        yield _lvm(words, [Ref(row["artifact"], row["line"])], is_long=row["age_s"] >= limits.critical_s)


def _lvm(words: LvmWords, lines: Sequence[Ref], *, is_long: bool) -> Seen:
    return Seen(
        level=f"{words.what}_long" if is_long else words.what,
        words=words,
        lines=lines,
        nodes=(words.node,),
        borne_by=(len(lines), 1),
        parts=(words.what,),
        harm="stands",
        weight=words.age_s or 0.0,
    )


def _suspended(cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    by_device: dict[tuple[str | None, str | None], list[Setting]] = defaultdict(list)
    for value in cluster.values(("State",), DEVICE_STATE):
        by_device[value.node, value.scope].append(value)
    for (node, device), own in by_device.items():
        held = [value for value in own if value.value.upper() == "SUSPENDED"]
        if own[-1].value.upper() == "SUSPENDED" and len(held) > 1:
            age = _span_s([value.at for value in held])
            words = LvmWords("device", node, device or "?", None, None, len(held), age)
            yield _lvm(words, [value.ref for value in held[:4]], is_long=(age or 0.0) >= limits.critical_s)


def _span_s(times: Sequence[int | None]) -> float | None:
    """From the first to the last known time, in s; None where that is none."""
    known = [at for at in times if at is not None]
    return (max(known) - min(known)) / 1e6 or None if known else None


def _lvm_commands(cluster: Cluster) -> Iterator[Seen]:
    seen: dict[tuple[str | None, int | None, str], list[tuple[int | None, Ref]]] = defaultdict(list)
    for task in cluster.tasks:
        if task.state.startswith("D") and _LVM_COMMAND.search(task.name):
            seen[task.node, task.pid, task.name].append((task.at, task.ref))
    for (node, pid, name), sights in list(seen.items())[:SHOWN]:
        if len({(at, ref.artifact) for at, ref in sights}) > 1:
            age = _span_s([at for at, _ in sights])
            words = LvmWords("command", node, name.rsplit("/", 1)[-1], None, pid, len(sights), age)
            yield _lvm(words, [ref for _, ref in sights[:4]], is_long=False)


@dataclass(frozen=True, slots=True)
class FenceWords:
    """victim: the node's name or id; result of the agent; first: what the storage log reports about it first,
    and when.
    """

    victim: str | None
    at: int | None
    agents: tuple[str, ...]
    result: float | None
    first_about: str | None
    first_kind: str
    first_at: int | None


@rule("RC-05", needs=(Events, Cluster), words=FenceWords)
def fence_fails_with_storage(events: Events, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: recovery never ends after the storage of a node was lost.

    Reasoning: the fence agent works through the storage that failed at that time.
    Source: fencing log, storage log; agents and their link are recalled.
    """
    lines = events.lines("fence-request", "fence-result", "fence-no-actor", "fence-failed", "fence-agent-failed")
    agents = _agents(lines, cluster)
    failed = [line for line in lines if line.kind == "fence-failed" or line.value not in (None, 0)]
    lost = [line for line in events.lines(*STORAGE_LOST) if line.kind != "paths-remaining" or line.value == 0]
    if not agents:
        return
    for line in failed[:SHOWN]:
        near = [one for one in lost if _are_near(one.at, line.at, limits.window_s)]
        if near and not any(settles(result, line) for result in lines if result.kind == "fence-result"):
            yield _fence_storage(line, near, agents)


def _agents(lines: Iterable[LogLine], cluster: Cluster) -> tuple[str, ...]:
    """Agents that fence through storage: of the logs, and of the devices that are set up."""
    devices = [value.value for value in cluster.values((FENCE_DEVICE,)) if "class=stonith" in value.value]
    texts = [*(f"{line.about} {line.text}" for line in lines), *devices]
    return tuple(sorted({m[0] for text in texts if (m := STORAGE_AGENTS.search(text))}))


def _are_near(one: int | None, other: int | None, within_s: float) -> bool:
    return one is not None and other is not None and abs(one - other) <= within_s * 1e6


def _fence_storage(line: LogLine, near: Sequence[LogLine], agents: tuple[str, ...]) -> Seen:
    first = near[0]
    return Seen(
        level="lost",
        words=FenceWords(line.about, line.at, agents, line.value, first.about, first.kind, first.at),
        lines=(line.ref, *(one.ref for one in near[:4])),
        nodes=(line.node,),
        times=(line.at, *(one.at for one in near)),
        zone_min=line.zone_min,
        parts=("device",),
        causes=("RC-02",),
        harm="recovery",
        weight=1e8,
    )
