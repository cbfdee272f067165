"""What an all-clear rests on: the checks that were made on this input and passed, with their figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, cells
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.knowledge import FOLDER
from apps.diagnosis.engine.core.words.metrics import log, metric, stack
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.standings import STATEMENTS, objects_of, standing_of
from apps.diagnosis.engine.core.words.wording import milliseconds, plural, seconds
from parsers.patterns.kept_start import toml
from parsers.records import Counter, DiskIo, Event, Section
from parsers.records.kinds import RECORD_TYPES
from parsers.records.states import Statement
from parsers.records.waits import Stack, Waiter

JUDGED: Final = metric("judged")
LOAD: Final = metric("load-average")
RUNNING: Final = metric("tasks-running")
WANTING: Final = metric("tasks-that-want-a-processor")
IDLE: Final = metric("processors-idle")
CALLS: Final = metric("nfs-call-time")
LISTED: Final = log("listed-events")
BLOCKED: Final = stack("blocked-task-stacks")
HEADLESS: Final = stack("headless-traces")
STATE_SHOWN: Final = 60
HEAD_ABOVE: Final = 60
"""Lines between what made the kernel write a call trace and that trace, at the most: modules, registers, the code."""


@cache
def check_texts() -> dict[str, Any]:
    """The table of ``knowledge/general/checks.toml``."""
    return toml(FOLDER / "general" / "checks.toml")


class Checks:
    """Checks of a case that passed."""

    def __init__(self, store: Facts, records: Records, nodes: Nodes) -> None:
        self._store = store
        self._records = records
        self._nodes = nodes

    def passed(self) -> tuple[str, ...]:
        """Each as a clause with its figure, the most telling first."""
        return (
            *self._waits(),
            *self._standings(),
            *self._rows(),
            *self._disks(),
            *self._calls(),
            *self._counters(),
            *self._logs(),
        )

    def _rows(self) -> Iterator[str]:
        """Kinds of records of which no row is a bad one."""
        for name, text in check_texts()["rows"].items():
            kind = next(kind for kind in RECORD_TYPES if kind.__name__ == name)
            if self._records.has(kind):
                rows = self._records.scan(kind).filter(pl.col(text["column"]).is_not_null())
                one = pl.col(text["column"])
                is_bad = one.is_in(text["bad"]) if "bad" in text else ~one.is_in(text["good"])
                number, bad = rows.select(pl.len().alias("n"), is_bad.sum().alias("bad")).collect().row(0)
                if number and not bad:
                    yield plural(number, text["one"], text["many"])

    def _standings(self) -> Iterator[str]:
        for name, text in check_texts()["records"].items():
            kind = next(kind for kind in STATEMENTS if kind.__name__ == name)
            shown = False
            for group in (text, text.get("else")) if self._records.has(kind) else ():
                things = self._things(kind, group["standings"], text.get("node")) if group is not None else ()
                if group is not None and things and (shown or not self._is_off(kind, group)):
                    shown = True
                    yield plural(len(things), group["one"], group["many"])

    def _is_off(self, kind: type[Statement], group: dict[str, Any]) -> bool:
        """Whether each thing that stands so is off: where none of its kind is in order, that bears no all-clear."""
        if "off" not in group:
            return False
        found = [one for one in self._records.of(kind) if standing_of(one) in group["standings"]]
        return bool(found) and all(str(getattr(one, "state", "")).endswith(group["off"]) for one in found)

    def _things(self, kind: type[Statement], standings: Sequence[str], column: str | None) -> set[Any]:
        """Things of a kind that stand so, each once."""
        passed = (one for one in self._records.of(kind) if standing_of(one) in standings)
        return set(objects_of(passed)) if column is None else self._named(passed, column)

    def _named(self, records: Iterable[Any], column: str) -> set[Any]:
        """Nodes that these records speak of, each once: whoever speaks of it, by its name or its number."""
        return {self._nodes.name(name) for one in records if (name := getattr(one, column)) is not None}

    def _waits(self) -> Iterator[str]:
        text = check_texts()["waits"]
        if self._records.has(Waiter):
            figures = pl.len().alias("n"), pl.col("seconds").max().alias("most")
            number, most = self._records.scan(Waiter).select(figures).collect(engine="streaming").row(0)
            if number and most is not None and most < text["limit_s"]:
                yield f"{plural(number, text['one'], text['many'])}, the longest for {seconds(most)}"
        yield from self._empty_dumps()

    def _empty_dumps(self) -> Iterator[str]:
        """Dumps of waiters of which only the heading stands there: nothing waited."""
        text = check_texts()["empty_dumps"]
        if number := sum(one.empty for one in self._store.formats if one.name in text["formats"]):
            yield plural(number, text["one"], text["many"])

    def _disks(self) -> Iterator[str]:
        if self._records.has(DiskIo):
            rows = self._records.scan(DiskIo).filter(pl.col("mean_ms").is_not_null())
            number, most = rows.select(pl.col("device").n_unique(), pl.col("mean_ms").max()).collect().row(0)
            if number and most is not None and most < check_texts()["disks"]["limit_ms"]:
                yield f"{plural(number, 'disk')}, the slowest {milliseconds(most)}"

    def _calls(self) -> Iterator[str]:
        """Kinds of calls over NFS, where none of them is slow."""
        text = check_texts()["calls"]
        if self._records.has(Counter):
            rows = self._records.frame(CALLS, pl.col("value").is_not_null())
            number, most = rows.select("scope", "name").n_unique() if rows.height else 0, rows["value"].max()
            if number and isinstance(most, float) and most < text["limit_ms"]:
                yield f"{plural(number, text['one'], text['many'])}, {text['slowest']} {milliseconds(most)}"

    def burdened(self) -> str:
        """Over what no all-clear stands though no rule calls it wrong, as a sentence: tasks or requests that queue."""
        return self._queued() or self._crowded() or self._never_idle() or self._strange()

    def _crowded(self) -> str:
        """Far more tasks than most hosts have processors, none of which is idle: a load that is meant, or too much."""
        text = check_texts()["crowded"]
        if not (self._records.has(IDLE) and self._records.has(WANTING)):
            return ""
        by = ("artifact", "node")
        idle = self._records.frame(IDLE).group_by(by).agg(pl.col("value").max().alias("idle"))
        tasks = self._records.frame(WANTING).group_by(by).agg(pl.col("value").median().alias("tasks"))
        rows = tasks.join(idle, on=by, nulls_equal=True)
        rows = rows.filter((pl.col("tasks") >= text["tasks"]) & (pl.col("idle") <= text["idle_pct"]))
        most = rows["tasks"].max()
        return phrase("verdict.crowded", tasks=most) if isinstance(most, float) else ""

    def _queued(self) -> str:
        """A load of which only a small part runs: on Linux what sleeps for a disk, a lock or the network counts too."""
        text = check_texts()["queued"]
        if not (self._records.has(LOAD) and self._records.has(RUNNING)):
            return ""
        by = ("artifact", "node")
        loads = self._records.frame(LOAD).group_by(by).agg(pl.col("value").min().alias("load"))
        found = (
            self._records.frame(RUNNING)
            .group_by(by)
            .agg(pl.col("value").max().alias("running"))
            .join(loads, on=by, nulls_equal=True)
        )
        rows = found.filter((pl.col("load") >= text["load"]) & (pl.col("running") <= text["share"] * pl.col("load")))
        worst = next(rows.sort("load", descending=True).select("load", "running").iter_rows(), None)
        return "" if worst is None else phrase("verdict.queued", load=worst[0], running=int(worst[1]))

    def _strange(self) -> str:
        """States of things whose good states are known: a word that is none of them, and no bad one, may be either."""
        text = check_texts()["strange"]
        for name in text["kinds"]:
            kind = next(kind for kind in STATEMENTS if kind.__name__ == name)
            if self._records.has_any(kind, "standing", ("unknown",)):
                is_strange = (pl.col("standing") == "unknown") & (pl.col("state").str.len_chars() > 0)
                rows = self._records.scan(kind).filter(is_strange)
                if name in text["usual"]:
                    rows = rows.filter(~pl.col("state").str.contains(text["usual"][name]))
                states = rows.select(pl.col("state").unique(maintain_order=True)).collect()["state"].to_list()
                if states:
                    return phrase("verdict.strange", states=len(states), first=str(states[0])[:STATE_SHOWN])
        return ""

    def _never_idle(self) -> str:
        """A disk that was never idle while requests queued before it; how late it answers is for rules to judge."""
        text = check_texts()["burdened"]
        if not self._records.has(DiskIo):
            return ""
        is_burdened = (pl.col("util") >= text["util"]) & (pl.col("queue") >= text["queue"])
        rows = self._records.scan(DiskIo).filter(is_burdened).sort("queue", descending=True).head(1)
        worst = next(rows.select("device", "util", "queue").collect().iter_rows(), None)
        if worst is None:
            return ""
        device, util, queue = worst
        return phrase("verdict.burdened", device=device, util=util, queue=queue)

    def _counters(self) -> Iterator[str]:
        text = check_texts()["counters"]
        if self._records.has(JUDGED):
            few = self._records.few(JUDGED)
            number = self._records.scan(JUDGED).select(pl.len()).collect().item() if few is None else few.height
            if number:
                yield plural(number, text["one"], text["many"])

    def _logs(self) -> Iterator[str]:
        text = check_texts()["logs"]
        if self._records.has(Section):
            number = self._understood_of_logs(text["formats"]) - self._frames() + self._listed()
            if number > text["quoted"] or (number > 0 and not self._is_quotation()):
                yield plural(number, text["one"], text["many"])

    def _understood_of_logs(self, formats: Sequence[str]) -> int:
        """Of logs in which nobody had the kernel list what is blocked: whoever asks for that sees something hang.
        Nor of those with a call trace below no message: nobody can say what made the kernel write it.
        """
        if not self._records.has(Stack):
            return sum(one.own for one in self._store.formats if one.name in formats)
        sections = self._records.scan(Section).filter(pl.col("format").is_in(formats), pl.col("foreign").is_null())
        dumps = pl.concat(
            [
                self._records.frame(BLOCKED).lazy().select("artifact", at_line="line"),
                self._traces_without_a_cause().select("artifact", at_line="line"),
            ]
        )
        inside = pl.col("at_line").is_between(pl.col("line"), pl.col("last_line"))
        dumped = sections.join(dumps, on="artifact").filter(inside).select("artifact", "line").unique()
        kept = sections.join(dumped, on=("artifact", "line"), how="anti")
        return int(kept.select(pl.col("understood").sum()).collect().item())

    def _traces_without_a_cause(self) -> pl.LazyFrame:
        traces = self._records.frame(HEADLESS).lazy().select("artifact", "line").sort("line")
        if not self._records.has(Event):
            return traces
        events = self._records.scan(Event).select("artifact", "line", told_at="line").sort("line")
        above = traces.join_asof(events, on="line", by="artifact", tolerance=HEAD_ABOVE, check_sortedness=False)
        return above.filter(pl.col("told_at").is_null())

    def _is_quotation(self) -> bool:
        """Whether the few lines of logs stand below words of a person, and nobody asked for more: whoever quotes what
        is in order shows neither the rest of the log nor the cluster.
        """
        if (few := self._store.few(Section)) is not None:
            begun, typed = dict[int, int](), set[int]()
            for artifact, line, command in cells(few, "artifact", "line", "command"):
                begun[artifact] = min(line, begun.get(artifact, line))
                if command is not None:
                    typed.add(artifact)
            return not typed and all(line > 1 for line in begun.values())
        files = self._records.scan(Section).group_by("artifact")
        quoting = files.agg((pl.col("line").min() > 1) & pl.col("command").is_null().all())
        return bool(quoting.select(pl.col("line").all()).collect().item())

    def _listed(self) -> int:
        """Events of logs that a monitor lists among other things."""
        return self._records.frame(LISTED).height if self._records.has(Event) else 0

    def _frames(self) -> int:
        """Lines of stacks: they are no messages, and a check of messages passes none of them."""
        if not self._records.has(Stack):
            return 0
        frames = pl.col("frames").str.count_matches(" ", literal=True) + 1
        return int(self._records.scan(Stack).select(frames.sum()).collect().item() or 0)
