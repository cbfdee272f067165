"""Rule on system calls on files that a trace shows to be slow (ST-25)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.records import Measurement

TRACE: Final = "strace"


@dataclass(frozen=True, slots=True)
class CallWords:
    """Slow calls on one node: the slowest, its path, and how long all of them took together (s)."""

    node: str | None
    calls: int
    names: tuple[str, ...]
    slowest: str
    longest: float
    together: float
    path: str | None


@rule("ST-25", needs=(Records,), words=CallWords)
def slow_calls(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a program stands still on a file system and uses no processor time.

    Reasoning: single calls on files, such as stat or getdents, took a second or longer. Source: strace(1), truss(1);
    limits proposed.
    """
    by_node = defaultdict[str | None, list[Measurement]](list)
    for one in records.of(Measurement):
        if one.tool == TRACE and one.value is not None and one.value >= limits.slow_s * 1000:
            by_node[one.node].append(one)
    for node, calls in by_node.items():
        ordered = sorted(calls, key=lambda one: -(one.value or 0.0))
        worst = (ordered[0].value or 0.0) / 1000
        yield Seen(
            level="slow" if len(calls) >= limits.calls or worst >= limits.long_s else "once",
            words=CallWords(
                node=node,
                calls=len(calls),
                names=tuple(dict.fromkeys(one.what for one in ordered)),
                slowest=ordered[0].what,
                longest=worst,
                together=sum(one.value or 0.0 for one in calls) / 1000,
                path=ordered[0].scope,
            ),
            lines=[one.ref for one in ordered],
            most_lines=6,
            borne_by=(len(calls), 1),
            nodes=(node,),
            times=[one.at for one in ordered],
            zone_min=ordered[0].zone_min,
            harm="waited",
            parts=("traced",),
            weight=worst,
        )
