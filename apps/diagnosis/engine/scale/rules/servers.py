"""Rules on NSD servers: slow as a whole (SC-02), first for all disks (SC-17), short of threads (SC-23)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, node_words, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Group
from apps.diagnosis.engine.scale.evidence import dumps_part, lines_of, nodes_of, span_of, zone_of
from apps.diagnosis.engine.scale.fullest import fullest_dumps
from apps.diagnosis.engine.scale.history import median_of, milliseconds, requests_in, span_of_requests
from apps.diagnosis.engine.scale.io import Requests
from apps.diagnosis.engine.scale.settings import Held, shell_word
from parsers.records import Event

BUFFERS_SHORT: Final = ("nsd-buffers-short",)
DEFAULT_SHARE: Final = 30.0
THREADS: Final = "nsdMaxWorkerThreads"
ORDERS_SHOWN: Final = 4
ONLINE: Final = "5.0.0"
_SAID: Final = pl.concat_str(pl.col("reason").fill_null(""), pl.col("aux").fill_null(""), separator=" ")
_IN_IO: Final = pl.col("thread").fill_null("").str.starts_with("NSDThread") & _SAID.str.contains("I/O completion", literal=True)


@rule("SC-02")
def nsd_server_slow(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: many clients wait for NSD I/O, and many disks look slow.

    Reasoning: the chains of several clients end at several disks of one server; what these share is the server.
    Source: IBM Spectrum Scale performance talk (categories of waiters); that a shared part is the likelier cause is derived.
    """
    named: set[str] = set()
    if facts.scale.any:
        for server, ends in _servers(facts):
            made = _by_waits(facts, server, ends, limits)
            if made is not None:
                named.add(server)
                yield made
    yield from _by_history(facts, named, limits)


def _servers(facts: CaseFacts) -> list[tuple[str, list[Behind]]]:
    found: dict[str, list[Behind]] = defaultdict(list)
    for behind in facts.scale.chains.behind:
        if behind.end.kind == "disk" and behind.end.node is not None:
            found[behind.end.node].append(behind)
    return sorted(found.items())


def _by_waits(facts: CaseFacts, server: str, ends: list[Behind], limits: Limits) -> Draft | None:
    groups = list({id(group): group for behind in ends for group in behind.groups}.values())
    waits, total = sum(group.waits for group in groups), sum(group.waits for group in facts.scale.chains.groups)
    clients = tuple(node for node in nodes_of(groups) if node != server)
    if len(ends) < limits.disks or len(clients) < limits.clients or waits < limits.share * total:
        return None
    own = [group for group in groups if group.to.place == "disk"]
    victims = [group for group in groups if group.to.place != "disk"]
    harmed = max((group.longest_s for group in victims), default=0.0)
    rows = facts.scale_tables.io.served_by(server)
    history = f" Its I/O history: {plural(requests_in(rows), 'request')}, {milliseconds(median_of(rows))} at the median." if rows else ""
    evidence = lines_of(own, victims)
    start, end = span_of(groups)
    return Draft(
        severity="high" if harmed > limits.severe_s else "medium",
        evidence=evidence,
        words={
            "server": server,
            "disks": plural(len(ends), "disk"),
            "names": listed(behind.end.what for behind in ends),
            "waits": plural(waits, "wait"),
            "nodes": plural(len(nodes_of(groups)), "node"),
            "askers": plural(len(clients), "node"),
            "longest": seconds(max(group.longest_s for group in groups)),
            "history": history,
        },
        nodes=nodes_of(groups),
        start=start,
        end=end,
        zone_min=zone_of(groups),
        figures=(
            Figure("Slow disks of the server", len(ends), "", limits.words("disks")),
            Figure("Waits behind them", waits),
            Figure("Longest wait of others", round(harmed, 4), "s", limits.words("severe_s")),
        ),
        parts=(evidence_part(len(evidence), len(clients)), dumps_part(own)),
        causes=("SC-01",),
        weight=float(waits) + max(group.longest_s for group in groups),
    )


def _by_history(facts: CaseFacts, named: set[str], limits: Limits) -> Iterator[Draft]:
    """Client histories: one server slow on all of its disks, the others not."""
    asked, bounds = facts.scale_tables.io.asked(), limits_of("scale-history")
    for server, rows in sorted(asked.items()):
        others = [one for name, own in asked.items() if name != server for one in own]
        median, rest = median_of(rows), median_of(others)
        enough = min(requests_in(rows), requests_in(others)) >= bounds.requests
        if server in named or not enough or median < max(bounds.slow_ms, bounds.ratio * rest):
            continue
        by_disk: dict[str | None, list[Requests]] = defaultdict(list)
        for one in rows:
            by_disk[one.device].append(one)
        if len(by_disk) < 2 or any(median_of(own) < bounds.slow_ms for own in by_disk.values()):
            continue
        slowest = sorted(rows, key=lambda one: -one.longest_ms)
        askers = tuple(sorted({one.node for one in rows if one.node}))
        start, end = span_of_requests(rows)
        yield draft(
            "low", [one.ref for one in slowest[:3]],
            {
                "server": server, "median": milliseconds(median), "others": milliseconds(rest), "askers": node_words(askers),
                "count": plural(requests_in(rows), "request"), "disks": plural(len(by_disk), "disk"),
            },
            variant="history", nodes=(*askers, server), times=(start, end), basis="proposed",
            lacks="the history of the server itself, which tells network from disk, is not here",
            figures=(
                Figure("Median to this server", round(median, 3), "ms", bounds.words("slow_ms")),
                Figure("Median to other servers", round(rest, 3), "ms"),
                Figure("Requests", requests_in(rows), "", bounds.words("requests")),
            ),
            weight=median / 1000,
        )  # fmt: skip


@rule("SC-17")
def nsd_order(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one NSD server is busy while the others idle.

    Reasoning: mmlsnsd names one server first for every disk, and the waits for disks are waits for that node.
    Source: IBM Storage Scale documentation: suboptimal performance due to improper mapping of the NSDs to the NSD servers.
    """
    served = {name: found for name, found in facts.scale_tables.nsds.servers.items() if len(found[0]) > 1}
    first = {servers[0] for servers, _ in served.values()}
    if len(served) < limits.nsds or len(first) != 1 or not facts.scale.any:
        return
    [server] = first
    waits = [group for group in facts.scale.chains.groups if group.want.sort in ("nsd", "disk")]
    own = [group for group in waits if _server_of(group) == server]
    total, there = sum(group.waits for group in waits), sum(group.waits for group in own)
    if not there or there < limits.share * total:
        return
    refs = [ref for _, ref in list(served.values())[:3]]
    start, end = span_of(own)
    yield draft(
        "low", [*refs, *lines_of(own, most=4)],
        {
            "server": server, "nsds": plural(len(served), "NSD"), "share": f"{100 * there / total:.0f} %", "waits": total, "own": there,
            "others": listed(sorted({name for servers, _ in served.values() for name in servers[1:]})),
        },
        nodes=(server, *nodes_of(own)), times=(start, end), zone_min=zone_of(own), advice=_orders(facts, served),
        figures=(
            Figure("NSDs with this server first", len(served), "", limits.words("nsds")),
            Figure("Share of the waits for disks", round(there / total, 3), "", limits.words("share")),
        ),
    )  # fmt: skip


def _server_of(group: Group) -> str | None:
    """The node that serves what is waited for."""
    return group.node if group.want.sort == "disk" else group.to.node


def _orders(facts: CaseFacts, served: dict[str, tuple[tuple[str, ...], Ref]]) -> tuple[Advice, ...]:
    """Every second disk with its servers the other way round; whether that goes online depends on the release."""
    turned = [(name, (*servers[1:], servers[0])) for number, (name, (servers, _)) in enumerate(sorted(served.items())) if number % 2]
    orders = ";".join(f"{name}:{','.join(servers)}" for name, servers in turned[:ORDERS_SHOWN])
    reaches = facts.scale_tables.settings.reaches(ONLINE, None)
    online = (
        "Every node runs 5.0.0 or later here, so it can be done while the file system is mounted"
        if reaches
        else "The release of all nodes is not shown here to be 5.0.0 or later: then the file system must first be unmounted on all nodes"
    )
    return (Advice("nsd-server-order", None, (("orders", shell_word(orders)), ("online", online))),)


@rule("SC-23")
def nsd_threads(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: clients wait long for NSD I/O although the server's disks are fast.

    Reasoning: as many NSD threads are in I/O as the server may have, and its own history shows quick requests.
    Source: IBM Spectrum Scale performance talk (NSD workers); defaults from a public question on NSD threads; limits proposed.
    """
    yield from _buffers_short(facts, limits)
    bounds = limits_of("scale-history")
    for row in fullest_dumps(facts, THREADS, _IN_IO):
        allowed = facts.scale_tables.settings.number(THREADS, row["node"])
        rows = facts.scale_tables.io.served_by(row["node"])
        held = facts.scale_tables.settings.of_node(THREADS, row["node"])
        if not allowed or held is None or row["waits"] < limits.near * allowed:
            continue
        if requests_in(rows) < bounds.requests or median_of(rows) > bounds.fast_ms:
            continue
        evidence = (Ref(row["artifact"], row["line"]), held.ref, *(one.ref for one in rows[:3]))
        yield Draft(
            severity="medium",
            tunings=("nsdmaxworkerthreads",),
            evidence=evidence,
            words={
                "server": row["node"], "waits": plural(row["waits"], "thread"), "threads": f"{allowed:.0f}",
                "count": plural(requests_in(rows), "request"), "median": milliseconds(median_of(rows)),
            },
            nodes=(row["node"],), start=row["at"], end=row["at"],
            figures=(
                Figure("Threads in I/O", row["waits"], "", f"limit {limits.near * allowed:.0f}"),
                Figure("Median of the disks", round(median_of(rows), 3), "ms", bounds.words("fast_ms")),
            ),
            parts=(evidence_part(len(evidence), 1), Part("completeness", 0.9, "whether clients wait at that moment is judged elsewhere")),
            advice=(Advice("nsdmaxworkerthreads", None, _threads_words(row["node"], allowed)),),
            weight=float(row["waits"]),
        )  # fmt: skip


def _buffers_short(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """The log's own words: no space for NSD buffers."""
    rows = facts.named(facts.facts.frame(Event).filter(pl.col("kind").is_in(BUFFERS_SHORT) & pl.col("node").is_not_null()))
    for (node,), own in rows.sort("artifact", "line").group_by("node", maintain_order=True):
        server = str(node)
        share = facts.scale_tables.settings.of_node("nsdBufSpace", server)
        pool = facts.scale_tables.settings.of_node("pagepool", server)
        advice = _buffer_advice(facts, server, share, pool, limits)
        lines = [Ref(artifact, line) for artifact, line in own.select("artifact", "line").head(4).iter_rows()]
        yield draft(
            "medium", [*lines, *(held.ref for held in (share, pool) if held)],
            {"server": server, "times": plural(own.height, "time"), "share": f", {share.value} % here" if share else ", by default 30 %"},
            variant="buffers", nodes=(server,), times=own["at"].to_list(), advice=advice, tunings=tuple(one.tuning for one in advice),
            lacks="" if pool else "the size of the page pool is not shown", basis="stated", figures=(Figure("Messages", own.height),),
        )  # fmt: skip


def _buffer_advice(facts: CaseFacts, node: str, share: Held | None, pool: Held | None, limits: Limits) -> tuple[Advice, ...]:
    """A step more of the page pool for buffers, or twice the page pool where its size is known."""
    now = facts.scale_tables.settings.number("nsdBufSpace", node) if share else DEFAULT_SHARE
    found: list[Advice] = []
    if now is not None and now < limits.most_percent:
        value = min(limits.most_percent, now + limits.step_percent)
        found.append(Advice("nsdbufspace", None, (("value", f"{value:.0f}"), ("before", f"{now:.0f}"), ("nodes", shell_word(node)))))
    size = facts.scale_tables.settings.number("pagepool", node)
    if pool is not None and size:
        words = (("pool", f"{2 * size:.0f}"), ("pool_before", shell_word(pool.value)), ("nodes", shell_word(node)))
        found.append(Advice("pagepool", None, words))
    return tuple(found)


def _threads_words(node: str, allowed: float) -> tuple[tuple[str, str], ...]:
    return (("value", f"{2 * allowed:.0f}"), ("nodes", shell_word(node)), ("before", f"{allowed:.0f}"))
