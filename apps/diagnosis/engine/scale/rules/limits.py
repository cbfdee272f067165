"""Rules on limits of mmfsd that are reached: threads that read ahead (SC-37), transfers and connections of a pair (SC-38)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.model import Advice, Figure, Ref
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import plural, seconds
from apps.diagnosis.engine.scale.evidence import lines_of, nodes_of, span_of, zone_of
from apps.diagnosis.engine.scale.fullest import fullest_dumps
from apps.diagnosis.engine.scale.settings import shell_word

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.scale.chains import Group

PREFETCH: Final = "prefetchThreads"
WORKERS: Final = "workerThreads"
ONE_SETTING_SINCE: Final = "5.0.0"
RDMAS: Final = "verbsRdmasPerNode"
CONNECTIONS: Final = "maxTcpConnsPerNodeConn"
SEVERAL_SINCE: Final = "5.1.0"
_AHEAD_OR_BEHIND: Final = pl.col("thread").fill_null("").str.contains(r"^(?:Prefetch|Writebehind)Worker")
RDMA_LIMIT, SEND_TURN = "scale-R02", "scale-W07"


@rule("SC-37")
def prefetch_threads(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: reading ahead and writing behind do not keep up, while single requests are quick.

    Reasoning: as many prefetch and write-behind threads wait in one dump as the node may have by its own configuration.
    Source: names of the settings from IBM documentation; that one follows from the other since 5.0 is recalled.
    """
    settings = facts.scale_tables.settings
    for row in fullest_dumps(facts, PREFETCH, _AHEAD_OR_BEHIND):
        allowed, held = settings.number(PREFETCH, row["node"]), settings.of_node(PREFETCH, row["node"])
        if not allowed or held is None or row["waits"] < limits.near * allowed:
            continue
        advice = _more_threads(facts, row["node"], allowed)
        yield draft(
            "low", [Ref(row["artifact"], row["line"]), held.ref],
            {"node": row["node"], "waits": plural(row["waits"], "thread"), "allowed": f"{allowed:.0f}"},
            nodes=(row["node"],), times=(row["at"],), advice=advice, tunings=tuple(one.tuning for one in advice),
            lacks="how quick single requests are, and whether the processors idle, decides whether more threads help",
            figures=(Figure("Threads that wait", row["waits"], "", f"limit {limits.near * allowed:.0f}"),),
            weight=float(row["waits"]),
        )  # fmt: skip


def _more_threads(facts: CaseFacts, node: str, allowed: float) -> tuple[Advice, ...]:
    """From 5.0 on the number follows from workerThreads; which of the two is meant needs the release, and the value in force."""
    settings = facts.scale_tables.settings
    modern = settings.reaches(ONE_SETTING_SINCE, node)
    if modern is None:
        return ()
    now = settings.number(WORKERS, node) if modern else allowed
    words = (("nodes", shell_word(node)), ("value", f"{2 * (now or 0):.0f}"), ("before", f"{now or 0:.0f}"))
    return (Advice("workerthreads" if modern else "prefetchthreads", None, words),) if now else ()


@rule("SC-38")
def pair_limits(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: transfers between two nodes queue although the link is not full.

    Reasoning: threads wait for a turn on the connection, or because as many RDMA transfers are under way as it may have.
    Source: IBM Spectrum Scale performance talk (turn on the connection); the limit of RDMA transfers is recalled.
    """
    if not facts.scale.any:
        return
    for kind, variant in ((SEND_TURN, ""), (RDMA_LIMIT, "rdma")):
        groups = [g for g in facts.scale.chains.groups if g.text.at(g.longest_s).kind_id == kind]
        if sum(group.waits for group in groups) >= limits.waits:
            yield _pair(facts, groups, variant, limits)


def _pair(facts: CaseFacts, groups: list[Group], variant: str, limits: Limits) -> Draft:
    longest, waits = max(group.longest_s for group in groups), sum(group.waits for group in groups)
    nodes = nodes_of(groups)
    advice = _rdma_advice(facts, nodes) if variant else _connection_advice(facts, nodes)
    start, end = span_of(groups)
    return draft(
        "medium" if longest >= limits.severe_s else "low", lines_of(groups, most=6),
        {"nodes": ", ".join(nodes) or "nodes not named", "waits": plural(waits, "wait"), "longest": seconds(longest)},
        variant=variant, nodes=nodes, times=(start, end), zone_min=zone_of(groups), advice=advice,
        tunings=tuple(one.tuning for one in advice), lacks="whether the link itself is full is not in the files",
        basis="recalled" if variant else None, weight=longest,
        figures=(Figure("Waits", waits, "", limits.words("waits")), Figure("Longest", round(longest, 4), "s", limits.words("severe_s"))),
    )  # fmt: skip


def _rdma_advice(facts: CaseFacts, nodes: tuple[str, ...]) -> tuple[Advice, ...]:
    """Twice the value in force, where it is shown."""
    now = {node: value for node in nodes if (value := facts.scale_tables.settings.number(RDMAS, node))}
    if not now:
        return ()
    value = max(now.values())
    words = (("nodes", shell_word(",".join(sorted(now)))), ("value", f"{2 * value:.0f}"), ("before", f"{value:.0f}"))
    return (Advice("verbsrdmaspernode", None, words),)


def _connection_advice(facts: CaseFacts, nodes: tuple[str, ...]) -> tuple[Advice, ...]:
    """Only where every node is shown to run 5.1 or later, and one connection carries all."""
    settings = facts.scale_tables.settings
    everywhere = settings.minimum is not None and settings.minimum[0] >= (5, 1)
    value = settings.number(CONNECTIONS, nodes[0] if nodes else None)
    if settings.minimum is not None and not everywhere:
        unfit = f"minReleaseLevel is {'.'.join(map(str, settings.minimum[0]))}, and all nodes need 5.1"
        return (Advice("maxtcpconnspernodeconn", None, (("value", "2"), ("before", f"{value or 1:.0f}")), unfit=unfit),)
    if not everywhere or value is None or value > 1:
        return ()
    return (Advice("maxtcpconnspernodeconn", None, (("value", "2"), ("before", f"{value:.0f}"))),)
