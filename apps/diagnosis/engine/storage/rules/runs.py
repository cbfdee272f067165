"""Rules on commands that were timed: one that once took many times as long (ST-14), and one that is short by its kind
and was not (ST-32).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.records import grouped
from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.core.words.knowledge import Limits, rows_of
from apps.diagnosis.engine.storage.copy_runs import CopyRuns
from parsers.dataclass import dataclass

SHOWN: Final = 3
SHORT: Final = frozenset(rows_of("short_commands")["commands"]["names"])
# Of whole trees: such a run has much to do.
_DEEP: Final = re.compile(r"\s-[A-Za-z]*R|\s--recursive\b")
_TIME: Final = re.compile(r"^(?:\S*/)?timex? (?:-[a-zA-Z]\S* )*")


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


@dataclass(frozen=True, slots=True)
class StoodWords:
    """A command that is short by its kind, and how long the longest run took (s); busy: the processor time of that."""

    command: str
    node: str | None
    seconds: float
    busy: float | None
    runs: int


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


@rule("ST-32", needs=(TimedRuns, CopyRuns), words=StoodWords)
def command_stood(runs: TimedRuns, copies: CopyRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: a listing, or a file that is made, takes a minute; nothing else was sent.

    Reasoning: such a command has hardly anything to do, and used no processor for its time: it waited, for a lock, a
    disk or another node. Source: time(1), dd(1); limits proposed.
    """
    stood = [run for run in runs.all if run.seconds >= limits.least_s and _is_short(run, limits.busy)]
    stood += [
        TimedRun(run.command or "dd", run.seconds, run.node, None, run.ref)
        for run in copies.all
        if run.seconds >= limits.least_s and run.bytes <= limits.bytes
    ]
    for node, own in grouped(stood, lambda run: run.node).items():
        longest = max(own, key=lambda run: run.seconds)
        yield Seen(
            level="long" if longest.seconds >= limits.long_s else "short",
            words=StoodWords(
                command=_plain(longest.command),
                node=node,
                seconds=longest.seconds,
                busy=longest.busy_s,
                runs=len(own),
            ),
            lines=[run.ref for run in own],
            most_lines=4,
            nodes=(node,),
            times=[run.at for run in own],
            borne_by=(len(own), 1),
            parts=("runs",),
            weight=longest.seconds,
        )


def _is_short(run: TimedRun, busy: float) -> bool:
    """Whether a run is of a command that is short by its kind, and waited rather than worked."""
    words = _plain(run.command).split(maxsplit=1)
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name not in SHORT or _DEEP.search(run.command) is not None:
        return False
    return run.busy_s is None or run.busy_s <= busy * run.seconds


def _plain(command: str) -> str:
    """The command behind ``time`` and its options."""
    return _TIME.sub("", command)
