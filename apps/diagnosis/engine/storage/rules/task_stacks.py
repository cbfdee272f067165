"""Rule on the stacks of tasks that somebody took, or had the kernel list, because they hang (ST-19)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import stack
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.phrases import phrases
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.records import Stack

TAKEN: Final = stack("task-stacks")
LISTED: Final = stack("blocked-task-stacks")
ASLEEP: Final = "D"
LOOKED_AT: Final = 12  # frames from the innermost one: what stands further out called for it


@dataclass(frozen=True, slots=True)
class TaskWords:
    """what: that the tasks wait for, the most frequent first; functions: by which it is known."""

    node: str | None
    tasks: int
    what: tuple[str, ...]
    functions: tuple[str, ...]
    pids: tuple[str, ...]


@rule("ST-19", needs=(Records,), words=TaskWords)
def waiting_tasks(records: Records, _limits: Limits) -> Iterator[Seen]:
    """Symptom: a program does not answer, and somebody looked where it stands in the kernel.

    Reasoning: its innermost frames are those of a wait for a lock, a server or a disk. For how long is not in a stack.
    The kernel lists whatever sleeps at that moment: there a place that any code may stand in is everyday.
    Source: proc(5), /proc/PID/stack; the kernel's admin-guide on sysrq.
    """
    if not records.has(Stack):
        return
    found: dict[str | None, dict[str, list[tuple[str, dict[str, Any]]]]] = defaultdict(lambda: defaultdict(list))
    for task, (what, function) in _tasks(records):
        found[task["node"]][what].append((function, task))
    for node, waits in found.items():
        by_number = sorted(waits.items(), key=lambda one: (-len(one[1]), one[0]))
        tasks = [one for _, some in by_number for one in some]
        yield Seen(
            level="seen",
            parts=("no_age",),
            words=TaskWords(
                node=node,
                tasks=len(tasks),
                what=tuple(what for what, _ in by_number),
                functions=tuple(dict.fromkeys(function for function, _ in tasks)),
                pids=tuple(dict.fromkeys(str(task["pid"]) for _, task in tasks if task["pid"] is not None)),
            ),
            lines=[Ref(task["artifact"], task["line"]) for _, task in tasks],
            most_lines=6,
            borne_by=(len(tasks), 1),
            nodes=(node,),
            times=[task["at"] for _, task in tasks],
            zone_min=tasks[0][1]["zone_min"],
            weight=float(len(tasks)),
        )


def _tasks(records: Records) -> Iterator[tuple[dict[str, Any], tuple[str, str]]]:
    """Tasks that wait, each with what for and in which function; one that was listed twice counts once."""
    for task in records.frame(TAKEN).iter_rows(named=True):
        if (wait := _wait(task["frames"].split(), ("kernel-waits", "kernel-waits-of-any"))) is not None:
            yield task, wait
    seen = set[tuple[str | None, int | None]]()
    for task in records.frame(LISTED).iter_rows(named=True):
        if task["state"] != ASLEEP or (task["node"], task["pid"]) in seen:
            continue
        if (wait := _wait(task["frames"].split(), ("kernel-waits",))) is not None:
            seen.add((task["node"], task["pid"]))
            yield task, wait


def _wait(frames: list[str], groups: tuple[str, ...]) -> tuple[str, str] | None:
    """What the innermost known function waits for, and the function. A place that says whose lock it is goes before
    one that any code may stand in. None also for a thread that waits for work.
    """
    if any(function.startswith(tuple(phrases("kernel-idle"))) for function in frames):
        return None
    for group in groups:
        for function in frames[:LOOKED_AT]:
            for prefix, what in phrases(group).items():
                if function.startswith(prefix):
                    return what, function
    return None
