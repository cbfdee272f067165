"""Rule on tasks that the kernel calls blocked, or that hold what others want, by what their stacks wait for (GL-17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.blocked import Awaited, Blocked, BlockedTasks
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TaskWords:
    """The task that is blocked for longest, age_s as the kernel prints it; tasks: how many wait for the same; holds: a
    glock that it holds and others wait for; flooded: when a node dropped connections of the lock manager.
    """

    name: str
    pid: int | None
    node: str | None
    age_s: float | None
    tasks: int
    awaited: Awaited
    holds: str | None
    flooded: int | None


@rule("GL-17", needs=(BlockedTasks, Events), words=TaskWords)
def blocked_tasks(blocked: BlockedTasks, events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: the kernel log lists tasks of GFS2 or of its lock manager as blocked.

    Reasoning: the frames of the stack name what is waited for. Source: functions of fs/gfs2 and fs/dlm.
    """
    groups: dict[Awaited, list[Blocked]] = defaultdict(list)
    for one in blocked.all:
        groups[one.awaited].append(one)
    floods = events.lines("dlm-syn-flooding") if "join" in groups else []
    for awaited, group in groups.items():
        yield _seen(awaited, group, floods if awaited == "join" else [], limits)


def _seen(awaited: Awaited, group: Sequence[Blocked], floods: Sequence[LogLine], limits: Limits) -> Seen:
    longest = max(group, key=lambda one: (one.task.seconds or 0.0, one.holds is not None))
    task, age = longest.task, longest.task.seconds
    nodes = tuple(sorted({one.task.node for one in group if one.task.node}))
    return Seen(
        level="long" if age is not None and age >= limits.long_s else "seen",
        words=TaskWords(
            task.name or phrase("unnamed.process"),
            task.pid,
            task.node,
            age,
            len(group),
            awaited,
            longest.holds,
            next((line.at for line in floods if line.at is not None), None),
        ),
        lines=(task.ref, *(one.task.ref for one in group[:5]), *(line.ref for line in floods[:2])),
        nodes=nodes,
        times=(task.at,),
        goes_on=True,
        borne_by=(len(group), max(1, len(nodes))),
        parts=("stacks",),
        causes=("ST-18", "ST-19"),
        weight=0.0 if longest.holds is not None else age or 0.0,  # a holder is named with those behind it
    )
