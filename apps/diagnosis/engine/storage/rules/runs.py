"""Rule on one command that was timed several times and once took many times as long (ST-14)."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.core.store import Facts
from parsers.dataclass import dataclass

SHOWN = 3


@dataclass(frozen=True, slots=True)
class RunWords:
    """The slowest and the fastest run of a command, in seconds. elsewhere: they ran on two nodes that are known."""

    command: str
    node: str | None
    seconds: float
    fastest_node: str | None
    fastest_s: float
    times: float
    elsewhere: bool


@rule("ST-14", needs=(TimedRuns, Facts), words=RunWords)
def slower_run(runs: TimedRuns, facts: Facts, limits: Limits) -> Iterator[Seen]:
    """Symptom: the same command takes a moment on one node, or at one time, and minutes on another.

    Reasoning: nothing but the node or the time differs, so the command itself is not the reason; the first run on a
    node also pays for what is not cached yet. Where dumps of a cluster file system came with it, the runs are evidence
    for the rules on those. Source: time(1); limits proposed.
    """
    if records_by_product(facts).keys() - {"storage"}:
        return
    by_command: dict[str, list[TimedRun]] = {}
    for run in runs.all:
        if run.command and run.seconds > 0:
            by_command.setdefault(run.command, []).append(run)
    slow = [
        (max(own, key=lambda run: run.seconds), min(own, key=lambda run: run.seconds)) for own in by_command.values()
    ]
    slow = [pair for pair in slow if pair[0].seconds >= max(limits.least_s, limits.factor * pair[1].seconds)]
    for slowest, fastest in sorted(slow, key=lambda pair: -pair[0].seconds)[:SHOWN]:
        elsewhere = None not in (slowest.node, fastest.node) and slowest.node != fastest.node
        yield Seen(
            level="long" if slowest.seconds >= limits.long_s else "short",
            words=RunWords(
                command=slowest.command.removeprefix("time "),
                node=slowest.node,
                seconds=slowest.seconds,
                fastest_node=fastest.node,
                fastest_s=fastest.seconds,
                times=slowest.seconds / fastest.seconds,
                elsewhere=elsewhere,
            ),
            lines=[slowest.ref, fastest.ref],
            nodes=(slowest.node, fastest.node),
            times=[run.at for run in (slowest, fastest)],
            borne_by=(2, 2 if elsewhere else 1),
            parts=("nodes" if elsewhere else "times",),
            weight=slowest.seconds,
        )
