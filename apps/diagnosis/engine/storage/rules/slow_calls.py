"""Rule on calls on files that a trace or the client of a mount shows to be slow (ST-25)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter, Measurement

TRACES: Final = frozenset(("strace", "file latency"))
CALL_TIME: Final = metric("nfs-call-time")
ANSWER_TIME: Final = metric("nfs-answer-time")


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


@dataclass(frozen=True, slots=True)
class MountWords:
    """Calls on an NFS mount: by operation, the longest average and the part of it that the server took (s)."""

    node: str | None
    calls: int
    names: tuple[str, ...]
    longest: float
    mount: str | None
    answer: float | None


@rule("ST-25", needs=(Records,), words=(CallWords, MountWords))
def slow_calls(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a program stands still on a file system and uses no processor time.

    Reasoning: single calls on files, such as stat or getdents, took a second or longer, or those of an NFS mount did so
    on average. Source: strace(1), truss(1), nfsiostat(8); limits proposed.
    """
    yield from _traced(records, limits)
    if records.has(Counter):
        yield from _of_mounts(records, limits)


def _traced(records: Records, limits: Limits) -> Iterator[Seen]:
    slow = (one for one in records.of(Measurement) if one.tool in TRACES and (one.value or 0.0) >= limits.slow_s * 1000)
    for node, calls in grouped(slow, lambda one: one.node).items():
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
            shown=ordered,
            most_lines=6,
            borne_by=(len(calls), 1),
            harm="waited",
            parts=("traced",),
            weight=worst,
        )


def _of_mounts(records: Records, limits: Limits) -> Iterator[Seen]:
    slow = pl.col("value") >= limits.slow_s * 1000
    calls = sorted(records.meant(Counter, CALL_TIME, slow), key=lambda one: -(one.value or 0.0))
    answers = {(one.ref, _operation(one)): value / 1000 for one, value in records.counted(ANSWER_TIME)}
    for (node, mount), found in grouped(calls, lambda one: (one.node, one.scope)).items():
        worst = found[0]
        longest = (worst.value or 0.0) / 1000
        yield Seen(
            level="mount",
            words=MountWords(
                node=node,
                calls=len(found),
                names=tuple(dict.fromkeys(map(_operation, found))),
                longest=longest,
                mount=mount,
                answer=answers.get((worst.ref, _operation(worst))),
            ),
            shown=found,
            most_lines=6,
            borne_by=(len(found), 1),
            harm="mounted",
            parts=("average",),
            weight=longest,
        )


def _operation(one: Counter) -> str:
    return one.name.split()[0]
