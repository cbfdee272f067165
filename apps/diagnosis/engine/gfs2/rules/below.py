"""Rules on what stands below the file system: LVM locks, suspended devices (RC-04), fencing that needs the lost storage (RC-05)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.events import LogLine
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, moment, plural, seconds
from apps.diagnosis.engine.gfs2.cluster import Value, events, tasks, values
from apps.diagnosis.engine.gfs2.fencing import settles
from parsers.records import DlmLock

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SHOWN: Final = 3
STORAGE_AGENTS: Final = re.compile(r"\b(?:fence_scsi|fence_mpath|fence_sbd|sbd)\b")
STORAGE_LOST: Final = ("paths-remaining", "reservation-conflict", "path-offline", "rport-lost", "thin-pool-full", "io-error")
_LVM_SPACE: Final = r"^(?:clvmd|lvm_)"
_LVM_COMMAND = re.compile(
    r"(?:^|/)(?:lvm|lvcreate|lvremove|lvextend|lvchange|lvconvert|vgchange|vgscan|vgs|lvs|pvs|pvscan|pvmove|dmsetup)$"
)


@rule("RC-04")
def lvm_lock(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: I/O of a file system hangs while a snapshot or an LVM command runs.

    Reasoning: a lock of clvmd or lvmlockd waits, a device stays suspended, or an LVM command sleeps, in two captures.
    Source: names of the lock spaces; the rest is recalled.
    """
    yield from _lvm_waits(facts, limits)
    yield from _suspended(facts, limits)
    yield from _lvm_commands(facts)


def _lvm_waits(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    if not facts.facts.has(DlmLock):
        return
    waits = pl.col("queue").is_in(["waiting", "converting"]) & (pl.col("age_s") >= limits.wait_s)
    rows = facts.named(facts.facts.scan(DlmLock).filter(pl.col("lockspace").str.contains(_LVM_SPACE) & waits).collect())
    worst = rows.sort("age_s", descending=True).head(1)
    for row in worst.iter_rows(named=True):
        severity: Severity = "critical" if row["age_s"] >= limits.critical_s else "medium"
        yield _lvm(
            severity, (Ref(row["artifact"], row["line"]),), row["node"],
            f"An LVM lock on {row['node'] or 'a node'} waits in lock space {row['lockspace']} for {seconds(row['age_s'])}",
            f"Resource {row['resource']}, asked by process {row['pid']}.", 0.8, row["age_s"],
        )  # fmt: skip


def _lvm(severity: Severity, refs: tuple[Ref, ...], node: str | None, what: str, evidence: str, sure: float, age: float) -> Draft:
    return Draft(
        severity=severity,
        evidence=refs,
        words={"what": what, "evidence": evidence},
        nodes=(node,) if node else (),
        figures=(Figure("Waits for", round(age, 1), "s"),) if age else (),
        parts=(evidence_part(len(refs), 1), Part("completeness", sure, "which file system stands behind it is not always shown")),
        weight=age,
        harm="what needs it stands still",
    )


def _suspended(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    by_device: dict[tuple[str | None, str | None], list[Value]] = defaultdict(list)
    for value in values(facts, ("State",), ("dmsetup info",)):
        by_device[value.node, value.scope].append(value)
    for (node, device), own in by_device.items():
        held = [value for value in own if value.value.upper() == "SUSPENDED"]
        if own[-1].value.upper() != "SUSPENDED" or len(held) < 2:
            continue
        times = [value.at for value in held if value.at is not None]
        age = (max(times) - min(times)) / 1e6 if times else 0.0
        severity: Severity = "critical" if age >= limits.critical_s else "medium"
        shown = f" for at least {seconds(age)}" if age else ""
        yield _lvm(
            severity, tuple(value.ref for value in held[:4]), node, f"Device {device or '?'} on {node or 'a node'} is suspended{shown}",
            f"Suspended in {plural(len(held), 'capture')}; every file system on it waits.", 0.85, age,
        )  # fmt: skip


def _lvm_commands(facts: CaseFacts) -> Iterator[Draft]:
    seen: dict[tuple[str | None, int | None, str], list[tuple[int | None, Ref]]] = defaultdict(list)
    for task in tasks(facts):
        if task.state.startswith("D") and _LVM_COMMAND.search(task.name):
            seen[task.node, task.pid, task.name].append((task.at, task.ref))
    for (node, pid, name), sights in list(seen.items())[:SHOWN]:
        if len({(at, ref.artifact) for at, ref in sights}) > 1:
            refs = tuple(ref for _, ref in sights[:4])
            times = [at for at, _ in sights if at is not None]
            age = (max(times) - min(times)) / 1e6 if times else 0.0
            yield _lvm(
                "medium", refs, node, f"{name.rsplit('/', 1)[-1]} [{pid}] on {node or 'a node'} does not go on",
                f"It sleeps without interruption in {plural(len(sights), 'capture')}.", 0.6, age,
            )  # fmt: skip


@rule("RC-05")
def fence_fails_with_storage(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: recovery never ends after the storage of a node was lost.

    Reasoning: the fence agent works through the storage that failed at that time.
    Source: fencing log, storage log; agents and their link are recalled.
    """
    lines = events(facts, "fence-request", "fence-result", "fence-no-actor")
    agents = {m[0] for line in lines if (m := STORAGE_AGENTS.search(line.text))}
    failed = [line for line in lines if line.kind == "fence-result" and line.value not in (None, 0)]
    lost = [line for line in events(facts, *STORAGE_LOST) if line.kind != "paths-remaining" or line.value == 0]
    if not agents:
        return
    for line in failed[:SHOWN]:
        near = [one for one in lost if one.at is not None and line.at is not None and abs(one.at - line.at) <= limits.window_s * 1e6]
        if near and not any(settles(result, line) for result in lines if result.kind == "fence-result"):
            yield _fence_storage(line, near, agents)


def _fence_storage(line: LogLine, near: Sequence[LogLine], agents: set[str]) -> Draft:
    refs = (line.ref, *(one.ref for one in near[:4]))
    first = near[0]
    return Draft(
        severity="critical",
        evidence=refs,
        words={
            "node": f"node {line.about}" if line.about else "a node",
            "at": f" at {moment(line.at)}" if line.at is not None else "",
            "evidence": (
                f"{listed(sorted(agents))} gave result {line.value:.0f}; {first.about or 'the storage'} reports {first.kind}"
                f"{f' at {moment(first.at)}' if first.at is not None else ''}."
            ),
        },
        nodes=(line.node,) if line.node else (),
        start=min(one.at for one in (line, *near) if one.at is not None),
        zone_min=line.zone_min,
        parts=(evidence_part(len(refs), 1), Part("completeness", 0.7, "the device of the fence agent is not shown")),
        weight=1e8,
        harm="the recovery of the cluster can't end",
    )
