"""Rules on what stood still for a moment and is quick else: round trips of packets (ST-33), a disk in one sample
(ST-31), a disk whose requests are sent again and again (ST-85).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.storage.disk_loads import KEYS, DiskLoads
from apps.diagnosis.engine.storage.slow_disks import SlowDisks
from parsers.dataclass import dataclass
from parsers.records import Counter

LONGEST: Final = metric("round-trip-longest")
RETRIED: Final = ("solaris-transport-retried",)
MINUTE_US: Final = 60_000_000


@dataclass(frozen=True, slots=True)
class TripWords:
    """The longest round trip of packets to a host, in ms, and how many tries are that long."""

    node: str | None
    peer: str | None
    longest_ms: float
    tries: int


@dataclass(frozen=True, slots=True)
class MomentWords:
    """Mean wait in the worst sample and the median over the others of the device, in ms; at: when it was."""

    device: str
    node: str | None
    wait_ms: float
    usual_ms: float
    samples: int
    at: int | None


@rule("ST-33", needs=(Records,), words=TripWords)
def late_packets(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: everything that needs another node stops for a moment, and no packet is lost.

    Reasoning: an echo of a host in the same room comes back within a millisecond. Where one takes a second, heartbeats
    and messages between daemons do so too: a queue on the way, or a host that gets no turn. Source: ping(8); limits
    proposed.
    """
    if not records.has(Counter):
        return
    late = records.frame(LONGEST, pl.col("value") >= limits.long_ms)
    for (node, peer), found in groups(late.sort("artifact", "line"), "node", "scope"):
        worst = found.sort("value", descending=True).row(0, named=True)
        yield Seen(
            level="severe" if worst["value"] >= limits.severe_ms else "late",
            words=TripWords(node=node, peer=peer, longest_ms=worst["value"], tries=found.height),
            lines=[Ref(artifact, line) for artifact, line in found.select("artifact", "line").head(4).iter_rows()],
            nodes=(node,),
            times=found["at"].drop_nulls().to_list(),
            borne_by=(found.height, 1),
            parts=("tried",),
            weight=worst["value"] / 1000,
        )


@rule("ST-31", needs=(DiskLoads, SlowDisks), words=MomentWords)
def stood_for_a_moment(loads: DiskLoads, disks: SlowDisks, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs stop for some seconds now and then; on average the disk is quick.

    Reasoning: in one sample the mean of all requests is seconds, in the others milliseconds. A load that lasts is told
    by ST-04; a moment is a path that fails over, a retry or reset, or an array that is busy with itself.
    Source: iostat(1), sar(1); limits proposed.
    """
    if not loads.measured:
        return
    known = {(one.artifact, one.node, one.device) for one in disks.all}
    usual = pl.col("mean_ms").median().over(KEYS)
    late = loads.samples.with_columns(usual=usual, looks=pl.len().over(KEYS)).filter(
        (pl.col("mean_ms") >= limits.long_ms)
        & (pl.col("mean_ms") >= limits.times * pl.col("usual"))
        & (pl.col("looks") >= limits.samples)
    )
    found = [(key, rows) for key, rows in groups(late, *KEYS) if key not in known]
    for (artifact, node, device), rows in found[: int(limits.most)]:
        worst = rows.sort("mean_ms", descending=True).row(0, named=True)
        yield Seen(
            level="severe" if worst["mean_ms"] >= limits.severe_ms or rows.height >= limits.samples else "late",
            words=MomentWords(
                device=device,
                node=node,
                wait_ms=worst["mean_ms"],
                usual_ms=worst["usual"],
                samples=rows.height,
                at=worst["at"],
            ),
            lines=[Ref(artifact, line) for line in rows["line"].head(4)],
            nodes=(node,),
            times=rows["at"].drop_nulls().to_list(),
            zone_min=worst["zone_min"],
            borne_by=(rows.height, 1),
            parts=("samples",),
            weight=worst["mean_ms"] / 1000,
        )


@dataclass(frozen=True, slots=True)
class RetryWords:
    """In how many minutes of how long a time requests to a disk were sent again."""

    node: str | None
    disk: str
    times: int
    minutes: float


@rule("ST-85", needs=(Events,), words=RetryWords)
def sent_again(events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs stop for a minute now and then, and no request fails.

    Reasoning: the driver sends a request again that its path did not carry. One such time is everyday, as a switch that
    starts; several within an hour, of one disk and minutes apart, are a path or an array that drops requests.
    Source: sd(7D), ssd(7D) of Solaris; limits proposed.
    """
    found: dict[tuple[str | None, str], dict[int, Ref]] = {}
    for line in events.lines(*RETRIED):
        if line.about and line.at is not None:
            found.setdefault((line.node, line.about), {}).setdefault(line.at // MINUTE_US, line.ref)
    for (node, disk), minutes in found.items():
        close = _closest(sorted(minutes), int(limits.within_min))
        if len(close) >= limits.minutes:
            yield Seen(
                level="again",
                words=RetryWords(node, disk, len(close), float(close[-1] - close[0] + 1)),
                lines=[minutes[minute] for minute in close],
                most_lines=4,
                nodes=(node,),
                times=[minute * MINUTE_US for minute in close],
                borne_by=(len(close), 1),
                weight=float(len(close)),
            )


def _closest(minutes: list[int], within: int) -> list[int]:
    """The most of them that lie so close together."""
    best: list[int] = []
    begin = 0
    for end, minute in enumerate(minutes):
        while minute - minutes[begin] > within:
            begin += 1
        if end + 1 - begin > len(best):
            best = minutes[begin : end + 1]
    return best
