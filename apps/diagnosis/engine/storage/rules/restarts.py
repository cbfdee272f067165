"""Rules on hosts that started: again and again or without having been stopped (ST-28), one alone of many (ST-76)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import SECOND_US, Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import DAY_US, Counter

STARTED: Final = "system-started"
STOPPED: Final = "system-stopped"
CRASHED: Final = "system-crashed"
UP: Final = "system-up"
SHOWN: Final = 5
DAY_S: Final = 86_400
UP_SINCE: Final = metric("up-since")


@dataclass(frozen=True, slots=True)
class RestartWords:
    """starts: how often it started again; abrupt: how often so without having been stopped; since: the first start."""

    node: str | None
    starts: int
    abrupt: int
    since: int | None


@rule("ST-28", needs=(Events,), words=RestartWords)
def restarts(events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node is gone for minutes and comes back, again and again.

    Reasoning: who has a host stopped leaves a line of it: where the log of its programs goes on with a start and has
    none, it lost its power, crashed or was reset. One such end may be a line that was not sent, several are none. A
    kernel's own log never tells how the one before it ended.
    Source: messages of the kernel, of systemd and of rsyslog; last(1).
    """
    by_node: dict[str | None, list[LogLine]] = {}
    for line in events.lines(STARTED, STOPPED, CRASHED, UP):
        if line.at is not None:
            start = line.at - int((line.value or 0) * SECOND_US) if line.kind == UP else line.at
            by_node.setdefault(line.node, []).append(line._replace(at=start))
    for node, lines in by_node.items():
        yield from _of_node(node, sorted(lines, key=lambda line: line.at or 0), limits)


def _of_node(node: str | None, lines: Sequence[LogLine], limits: Limits) -> Iterator[Seen]:
    starts, abrupt = _starts(lines, int(limits.same_s * SECOND_US))
    few = _closest(abrupt, limits.days)
    level = "abrupt" if len(few) >= limits.abrupt else "often"
    if level == "often":
        few = _closest(starts, limits.often_days)
        if len(few) < limits.often:
            level, few = ("once", abrupt[:1]) if abrupt else ("between", _since_a_look(lines, starts))
    if not few:
        return
    times = [line.at for line in few if line.at is not None]
    yield Seen(
        level=level,
        words=RestartWords(node, len(few), sum(line in abrupt for line in few), times[0]),
        lines=[line.ref for line in few][:SHOWN],
        nodes=(node,),
        times=times,
        parts=("logged",),
    )


def _since_a_look(lines: Sequence[LogLine], starts: Sequence[LogLine]) -> list[LogLine]:
    """The start that a look at how long the host is up shows, where an earlier look shows another life of it."""
    looks = [line for line in lines if line.kind == UP]
    return [line for line in starts[-1:] if len(looks) > 1 and line in looks[1:]]


def _starts(lines: Sequence[LogLine], same_us: int) -> tuple[list[LogLine], list[LogLine]]:
    """Starts that followed another life of the host and were not announced, and those of them that would have been."""
    starts: list[LogLine] = []
    abrupt: list[LogLine] = []
    last: int | None = None
    is_stopped, is_full = False, False
    for line in lines:
        at = line.at or 0
        if line.kind == STOPPED:
            is_stopped = True
            continue
        is_marked = line.kind == STARTED and bool(line.value)
        is_full = is_full or is_marked
        if last is not None and at - last < same_us:
            continue  # the journal, the kernel and a list of starts tell of one start
        if (last is not None or is_marked or line.kind == CRASHED) and not is_stopped:
            starts.append(line)
            if is_full or line.kind == CRASHED:
                abrupt.append(line)
        last, is_stopped = at, False
    return starts, abrupt


def _closest(lines: Sequence[LogLine], days: float) -> list[LogLine]:
    """The most of them that lie within so many days."""
    best: list[LogLine] = []
    begin = 0
    for end, line in enumerate(lines):
        while (line.at or 0) - (lines[begin].at or 0) > days * DAY_US:
            begin += 1
        if end + 1 - begin > len(best):
            best = list(lines[begin : end + 1])
    return best


@dataclass(frozen=True, slots=True)
class AloneWords:
    """up: of the node that started, in s; least: of the others, in s."""

    node: str
    up: float
    least: float
    others: int


@rule("ST-76", needs=(Records, Nodes), words=AloneWords)
def one_started(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node was gone while the others went on.

    Reasoning: it has been up for hours at most, and each of the others for days.
    Source: uptime(1); limits proposed.
    """
    first: dict[str, Counter] = {}
    for row in records.meant(Counter, UP_SINCE, pl.col("value").is_not_null()):
        if row.node:
            first.setdefault(names.name(row.node), row)
    order = sorted(first, key=lambda node: first[node].value or 0.0)
    if len(order) <= limits.others:
        return
    up, least = (first[node].value or 0.0 for node in order[:2])
    if up < limits.hours * 3_600 and least >= limits.days * DAY_S:
        yield Seen(
            level="alone",
            words=AloneWords(order[0], up, least, len(order) - 1),
            lines=[first[node].ref for node in order[:3]],
            nodes=(order[0],),
            borne_by=(len(order) - 1, len(order)),
        )
