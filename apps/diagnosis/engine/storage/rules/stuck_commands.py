"""Rule on commands that end at once by their nature and are there for minutes (ST-18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import stack
from parsers.dataclass import dataclass
from parsers.records.waits import Stack

LISTED: Final = stack("listed-processes")
NAME_ROOM: Final = 32


@dataclass(frozen=True, slots=True)
class StuckWords:
    """names: commands by their age, the oldest first; waits: where in the kernel they stand, as printed; longest: s."""

    node: str | None
    names: tuple[str, ...]
    tasks: int
    longest: float
    waits: tuple[str, ...]


@rule("ST-18", needs=(Records,), words=StuckWords)
def stuck_commands(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a listing, a mount or a check never comes back and can not be interrupted.

    Reasoning: a command that needs seconds has been there for minutes, asleep. Source: ps(1).
    """
    if not records.has(Stack):
        return
    listed = records.meant(Stack, LISTED, pl.col("seconds") >= limits.least_s)
    for node, found in grouped(listed, lambda one: one.node).items():
        tasks = sorted(found, key=lambda one: -(one.seconds or 0.0))
        yield Seen(
            level="stuck",
            harm="stuck",
            parts=("listed",),
            words=StuckWords(
                node=node,
                names=tuple(dict.fromkeys(map(_name, tasks))),
                tasks=len(tasks),
                longest=tasks[0].seconds or 0.0,
                waits=tuple(dict.fromkeys(one.frames for one in tasks if one.frames)),
            ),
            shown=tasks,
            most_lines=6,
            borne_by=(len(tasks), 1),
            weight=float(len(tasks)),
        )


def _name(task: Stack) -> str:
    """Program and first words, without the folder it lies in."""
    program, _, rest = str(task.task).partition(" ")
    return f"{program.rsplit('/', 1)[-1]} {rest}".strip()[:NAME_ROOM]
