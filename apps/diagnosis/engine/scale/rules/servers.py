"""Rules on NSD servers: slow as a whole (SC-02), first for all disks (SC-17), short of threads (SC-23)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, refs
from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.evidence import (
    dumps_of,
    lines_of,
    longest_of,
    nodes_of,
    repeated,
    span_of,
    waits_in,
    zone_of,
)
from apps.diagnosis.engine.scale.fullest import FullestDumps
from apps.diagnosis.engine.scale.groups import Behind, Group
from apps.diagnosis.engine.scale.history import median_of, requests_in, span_of_requests
from apps.diagnosis.engine.scale.io import Requests, ScaleIo
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import Held, ScaleSettings, shell_word
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

BUFFERS_SHORT: Final = ("nsd-buffers-short",)
THREADS: Final = "nsdMaxWorkerThreads"
BUFFERS: Final = "nsdBufSpace"
POOL: Final = "pagepool"
ORDERS_SHOWN: Final = 4
ONLINE_SINCE: Final = "5.0.0"
_WORDING: Final = pl.concat_str(pl.col("reason").fill_null(""), pl.col("aux").fill_null(""), separator=" ")
_IN_IO: Final = pl.col("thread").fill_null("").str.starts_with("NSDThread") & _WORDING.str.contains(
    "I/O completion", literal=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerWords:
    """disks, names: those with waits behind them; devices: those in the histories of clients. served: requests of the
    server's history.

    Times in s, medians in ms.
    """

    server: str
    disks: int | None = None
    names: tuple[str, ...] = ()
    waits: int | None = None
    nodes: int = 0
    clients: int = 0
    longest: float = 0.0
    longest_behind: float | None = None
    dumps: int = 0
    served: int = 0
    served_median: float = 0.0
    askers: tuple[str, ...] = ()
    devices: int = 0
    median: float | None = None
    others_median: float | None = None
    requests: int | None = None


@rule("SC-02", needs=(ScaleWaits, ScaleIo), words=ServerWords)
def nsd_server_slow(waits: ScaleWaits, io: ScaleIo, limits: Limits) -> Iterator[Seen]:
    """Symptom: many clients wait for NSD I/O, and many disks look slow.

    Reasoning: the chains of several clients end at several disks of one server; what these share is the server.
    Source: IBM Spectrum Scale performance talk (categories of waiters); that a shared part is the likelier cause is
    derived.
    """
    named: set[str] = set()
    total = waits_in(waits.groups)
    for server, ends in _servers(waits):
        groups = list({id(group): group for behind in ends for group in behind.groups}.values())
        clients = tuple(node for node in nodes_of(groups) if node != server)
        if len(ends) >= limits.disks and len(clients) >= limits.clients and waits_in(groups) >= limits.share * total:
            named.add(server)
            yield _by_waits(io.served_by(server), server, ends, groups, clients, limits)
    yield from _by_history(io.by_server, named)


def _servers(waits: ScaleWaits) -> list[tuple[str, list[Behind]]]:
    found: dict[str, list[Behind]] = defaultdict(list)
    for behind in waits.behind:
        if behind.end.kind == "disk" and behind.end.node is not None:
            found[behind.end.node].append(behind)
    return sorted(found.items())


def _by_waits(
    served: tuple[Requests, ...],
    server: str,
    ends: list[Behind],
    groups: list[Group],
    clients: tuple[str, ...],
    limits: Limits,
) -> Seen:
    own = [group for group in groups if group.to.place == "disk"]
    victims = [group for group in groups if group.to.place != "disk"]
    lines = lines_of(own, victims)
    return Seen(
        level="high" if longest_of(victims) > limits.severe_s else "medium",
        words=ServerWords(
            server=server,
            disks=len(ends),
            names=tuple(behind.end.what for behind in ends),
            waits=waits_in(groups),
            nodes=len(nodes_of(groups)),
            clients=len(clients),
            longest=longest_of(groups),
            longest_behind=longest_of(victims),
            dumps=dumps_of(own),
            served=requests_in(served),
            served_median=median_of(served),
        ),
        lines=lines,
        nodes=nodes_of(groups),
        times=span_of(groups),
        zone_min=zone_of(groups),
        borne_by=(len(lines), len(clients)),
        parts=(repeated(own),),
        causes=("SC-01",),
        weight=float(waits_in(groups)) + longest_of(groups),
    )


def _by_history(requests_of: dict[str, list[Requests]], named: set[str]) -> Iterator[Seen]:
    """Client histories: one server slow on all of its disks, the others not."""
    bounds = limits_of("scale-history")
    for server, rows in sorted(requests_of.items()):
        others = [one for name, own in requests_of.items() if name != server for one in own]
        median, rest = median_of(rows), median_of(others)
        enough = min(requests_in(rows), requests_in(others)) >= bounds.requests
        if server in named or not enough or median < max(bounds.slow_ms, bounds.ratio * rest):
            continue
        by_disk: dict[str | None, list[Requests]] = defaultdict(list)
        for one in rows:
            by_disk[one.device].append(one)
        if len(by_disk) < 2 or any(median_of(own) < bounds.slow_ms for own in by_disk.values()):
            continue
        askers = nodes_in(rows)
        yield Seen(
            level="history",
            words=ServerWords(
                server=server,
                askers=askers,
                devices=len(by_disk),
                median=median,
                others_median=rest,
                requests=requests_in(rows),
            ),
            lines=[one.ref for one in sorted(rows, key=lambda one: -one.longest_ms)[:3]],
            nodes=(*askers, server),
            times=span_of_requests(rows),
            parts=("clients_only",),
            weight=median / 1000,
        )


@dataclass(frozen=True, slots=True)
class OrderWords:
    """own: waits for disks that end at the server; share: of all waits for disks."""

    server: str
    nsds: int
    others: tuple[str, ...]
    waits: int
    own: int
    share: float
    percent: float


@rule("SC-17", needs=(ScaleNsds, ScaleWaits, ScaleSettings), words=OrderWords)
def nsd_order(nsds: ScaleNsds, waits: ScaleWaits, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: one NSD server is busy while the others idle.

    Reasoning: mmlsnsd names one server first for every disk, and the waits for disks are waits for that node.
    Source: IBM Storage Scale documentation: suboptimal performance due to improper mapping of the NSDs to the NSD
    servers.
    """
    served = {name: found for name, found in nsds.servers.items() if len(found[0]) > 1}
    first = {servers[0] for servers, _ in served.values()}
    if len(served) < limits.nsds or len(first) != 1:
        return
    [server] = first
    disk_waits = [group for group in waits.groups if group.awaited.sort in ("nsd", "disk")]
    own = [group for group in disk_waits if _server_of(group) == server]
    total, there = waits_in(disk_waits), waits_in(own)
    if not there or there < limits.share * total:
        return
    others = tuple(sorted({name for servers, _ in served.values() for name in servers[1:]}))
    yield Seen(
        level="first",
        words=OrderWords(server, len(served), others, total, there, there / total, 100 * there / total),
        lines=[*(ref for _, ref in list(served.values())[:3]), *lines_of(own, most=4)],
        nodes=(server, *nodes_of(own)),
        times=span_of(own),
        zone_min=zone_of(own),
        advice=_orders(served, is_online=settings.reaches(ONLINE_SINCE, None)),
    )


def _server_of(group: Group) -> str | None:
    """The node that serves what is waited for."""
    return group.node if group.awaited.sort == "disk" else group.to.node


def _orders(served: dict[str, tuple[tuple[str, ...], Ref]], *, is_online: bool | None) -> tuple[Advice, ...]:
    """Every second disk with its servers the other way round; whether that goes online depends on the release."""
    turned = [
        (name, (*servers[1:], servers[0]))
        for number, (name, (servers, _)) in enumerate(sorted(served.items()))
        if number % 2
    ]
    orders = ";".join(f"{name}:{','.join(servers)}" for name, servers in turned[:ORDERS_SHOWN])
    online = phrase("scale-server-order.online" if is_online else "scale-server-order.offline", since=ONLINE_SINCE)
    return (Advice("nsd-server-order", None, (("orders", shell_word(orders)), ("online", online))),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadWords:
    """near: so many threads count as all of those allowed. times: messages on buffers; share: of the page
    pool, as set.
    """

    server: str
    waits: int | None = None
    threads: float = 0.0
    near: float = 0.0
    requests: int = 0
    median: float | None = None
    times: int | None = None
    share: str | None = None


@rule("SC-23", needs=(Events, FullestDumps, ScaleIo, ScaleSettings), words=ThreadWords)
def nsd_threads(
    events: Events, dumps: FullestDumps, io: ScaleIo, settings: ScaleSettings, limits: Limits
) -> Iterator[Seen]:
    """Symptom: clients wait long for NSD I/O although the server's disks are fast.

    Reasoning: as many NSD threads are in I/O as the server may have, and its own history shows quick requests.
    Source: IBM Spectrum Scale performance talk (NSD workers); defaults from a public question on NSD threads; limits
    proposed.
    """
    yield from _buffers_short(events, settings, limits)
    bounds = limits_of("scale-history")
    for dump in dumps.near(THREADS, _IN_IO, limits.near):
        rows = io.served_by(dump.node)
        if requests_in(rows) < bounds.requests or median_of(rows) > bounds.fast_ms:
            continue
        advised = (
            ("value", f"{2 * dump.allowed:.0f}"),
            ("nodes", shell_word(dump.node)),
            ("before", f"{dump.allowed:.0f}"),
        )
        yield Seen(
            level="threads",
            words=ThreadWords(
                server=dump.node,
                waits=dump.waits,
                threads=dump.allowed,
                near=limits.near * dump.allowed,
                requests=requests_in(rows),
                median=median_of(rows),
            ),
            lines=(dump.ref, dump.held.ref, *(one.ref for one in rows[:3])),
            nodes=(dump.node,),
            times=(dump.at,),
            parts=("clients_elsewhere",),
            advice=(Advice("nsdmaxworkerthreads", None, advised),),
            weight=float(dump.waits),
        )


def _buffers_short(events: Events, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """The log's own words: no space for NSD buffers."""
    for server, rows in events.by_node(BUFFERS_SHORT):
        if server is None:
            continue
        share, pool = settings.of_node(BUFFERS, server), settings.of_node(POOL, server)
        advice = _buffer_advice(settings, server, share, pool, limits)
        yield Seen(
            level="buffers",
            words=ThreadWords(server=server, times=rows.height, share=share.value if share else None),
            lines=[*refs(rows)[:4], *(held.ref for held in (share, pool) if held)],
            nodes=(server,),
            times=rows["at"].to_list(),
            parts=() if pool else ("pool_unknown",),
            tunings=tuple(one.tuning for one in advice),
            advice=advice,
        )


def _buffer_advice(
    settings: ScaleSettings, node: str, share: Held | None, pool: Held | None, limits: Limits
) -> tuple[Advice, ...]:
    """A step more of the page pool for buffers, or twice the page pool where its size is known."""
    now = settings.number(BUFFERS, node) if share else limits.default_percent
    found: list[Advice] = []
    if now is not None and now < limits.most_percent:
        value = min(limits.most_percent, now + limits.step_percent)
        found.append(
            Advice(
                "nsdbufspace", None, (("value", f"{value:.0f}"), ("before", f"{now:.0f}"), ("nodes", shell_word(node)))
            )
        )
    size = settings.number(POOL, node)
    if pool is not None and size:
        words = (("pool", f"{2 * size:.0f}"), ("pool_before", shell_word(pool.value)), ("nodes", shell_word(node)))
        found.append(Advice("pagepool", None, words))
    return tuple(found)
