"""Rules on limits of mmfsd that are reached: threads that read ahead (SC-37), transfers and connections of a pair
(SC-38).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.evidence import lines_of, longest_of, nodes_of, span_of, waits_in, zone_of
from apps.diagnosis.engine.scale.fullest import FullestDumps
from apps.diagnosis.engine.scale.groups import Group
from apps.diagnosis.engine.scale.settings import ScaleSettings, shell_word
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

PREFETCH: Final = "prefetchThreads"
WORKERS: Final = "workerThreads"
ONE_SETTING_SINCE: Final = "5.0.0"
RDMAS: Final = "verbsRdmasPerNode"
CONNECTIONS: Final = "maxTcpConnsPerNodeConn"
SEVERAL_SINCE: Final = (5, 1)
_AHEAD_OR_BEHIND: Final = pl.col("thread").fill_null("").str.contains(r"^(?:Prefetch|Writebehind)Worker")
NO_HOLDER: Final = "SC-21"
RDMA_LIMIT, SEND_TURN = "scale-R02", "scale-W07"


@dataclass(frozen=True, slots=True)
class AheadWords:
    """waits: threads that read ahead or write behind; near: so many count as all of those allowed."""

    node: str
    waits: int
    allowed: float
    near: float


@rule("SC-37", needs=(FullestDumps, ScaleSettings), words=AheadWords)
def prefetch_threads(dumps: FullestDumps, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: reading ahead and writing behind do not keep up, while single requests are quick.

    Reasoning: as many prefetch and write-behind threads wait in one dump as the node may have by its own configuration.
    Source: names of the settings from IBM documentation; that one follows from the other since 5.0 is recalled.
    """
    for dump in dumps.near(PREFETCH, _AHEAD_OR_BEHIND, limits.near):
        advice = _more_threads(settings, dump.node, dump.allowed)
        yield Seen(
            level="all",
            words=AheadWords(dump.node, dump.waits, dump.allowed, limits.near * dump.allowed),
            lines=(dump.ref, dump.held.ref),
            nodes=(dump.node,),
            times=(dump.at,),
            parts=("help_unknown",),
            tunings=tuple(one.tuning for one in advice),
            advice=advice,
            weight=float(dump.waits),
        )


def _more_threads(settings: ScaleSettings, node: str, allowed: float) -> tuple[Advice, ...]:
    """From 5.0 on the number follows from workerThreads; which of the two is meant needs the release, and the value in
    force.
    """
    modern = settings.reaches(ONE_SETTING_SINCE, node)
    if modern is None:
        return ()
    now = settings.number(WORKERS, node) if modern else allowed
    words = (("nodes", shell_word(node)), ("value", f"{2 * (now or 0):.0f}"), ("before", f"{now or 0:.0f}"))
    return (Advice("workerthreads" if modern else "prefetchthreads", None, words),) if now else ()


@dataclass(frozen=True, slots=True)
class PairWords:
    """peers: nodes at the other end; minimum: minReleaseLevel as numbers with dots."""

    nodes: tuple[str, ...]
    peers: tuple[str, ...]
    waits: int
    longest: float
    minimum: str


@rule("SC-38", needs=(ScaleWaits, ScaleSettings), words=PairWords)
def pair_limits(waits: ScaleWaits, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: transfers between two nodes queue although the link is not full.

    Reasoning: threads wait for a turn on the connection, or because as many RDMA transfers are under way as it may
    have. Source: IBM Spectrum Scale performance talk (turn on the connection); the limit of RDMA transfers is recalled.
    """
    for kind, sort in ((SEND_TURN, "turn"), (RDMA_LIMIT, "rdma")):
        groups = [g for g in waits.groups if g.text.at(g.longest_s).kind_id == kind]
        longest, nodes = longest_of(groups), nodes_of(groups)
        is_stuck = sort == "turn" and longest >= limits.stuck_s
        if waits_in(groups) < limits.waits and not is_stuck:
            continue
        advice = _rdma_advice(settings, nodes) if sort == "rdma" else _connection_advice(settings, nodes)
        minimum = ".".join(map(str, settings.minimum[0])) if settings.minimum else ""
        yield Seen(
            level="stuck" if is_stuck else f"{sort}_long" if longest >= limits.severe_s else sort,
            words=PairWords(nodes, _peers(groups), waits_in(groups), longest, minimum),
            lines=lines_of(groups, most=6),
            nodes=nodes,
            times=span_of(groups),
            zone_min=zone_of(groups),
            parts=("link_unknown",),
            causes=(NO_HOLDER,) if is_stuck and _locks_there(waits, groups) else (),
            tunings=tuple(one.tuning for one in advice),
            advice=advice,
            weight=longest,
        )


def _locks_there(waits: ScaleWaits, groups: Sequence[Group]) -> bool:
    """Whether the locks whose holder is not seen are all on the nodes that get no message out: a thread that waits for
    its turn holds what it took before.
    """
    nodes = {group.node for group in groups}
    return all(behind.end.node in nodes for behind in waits.behind if behind.end.kind == "lock")


def _peers(groups: Sequence[Group]) -> tuple[str, ...]:
    """Nodes at the other end of the connections, as far as the waits name them."""
    return tuple(sorted({peer for g in groups if (peer := g.to.node or g.to.name) and peer != g.node}))


def _rdma_advice(settings: ScaleSettings, nodes: tuple[str, ...]) -> tuple[Advice, ...]:
    """Twice the value in force, where it is shown."""
    now = {node: value for node in nodes if (value := settings.number(RDMAS, node))}
    if not now:
        return ()
    value = max(now.values())
    words = (("nodes", shell_word(",".join(sorted(now)))), ("value", f"{2 * value:.0f}"), ("before", f"{value:.0f}"))
    return (Advice("verbsrdmaspernode", None, words),)


def _connection_advice(settings: ScaleSettings, nodes: tuple[str, ...]) -> tuple[Advice, ...]:
    """Only where every node is shown to run a release that knows it, and one connection carries all."""
    value = settings.number(CONNECTIONS, nodes[0] if nodes else None)
    words = (("value", "2"), ("before", f"{value or 1:.0f}"))
    if settings.minimum is not None and settings.minimum[0] < SEVERAL_SINCE:
        return (Advice("maxtcpconnspernodeconn", None, words, unfit="too_old"),)
    if settings.minimum is None or value is None or value > 1:
        return ()
    return (Advice("maxtcpconnspernodeconn", None, words),)
