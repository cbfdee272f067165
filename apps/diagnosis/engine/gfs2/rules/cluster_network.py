"""Rules on the network between the nodes: replies of the lock manager that do not come, its connections, errors of
cards, round trips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, by_node, refs
from apps.diagnosis.engine.core.facts.records import Records, grouped, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.dlm import AWAITING_REPLY
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.records import Counter
from parsers.records.locks import DlmLock
from parsers.records.waits import Stack

SECOND: Final = 1_000_000
REQUESTS_SHOWN: Final = 20
CARDS: Final = metric("card-counters")
ROUND_TRIPS: Final = metric("lock-round-trips")
UNANSWERED: Final = metric("requests-without-reply")
TRIPS_OF_GLOCKS: Final = metric("round-trips-of-a-glock")
LINE_SHOWN: Final = 120
LOCK_KINDS: Final = ("inode", "rgrp", "iopen", "flock", "quota")
_ERRORS: Final = re.compile(r"(?i)(?:err|drop|overrun|missed|discard|crc|no_buffer|fifo)")
_PACKETS: Final = ("RX packets", "TX packets", "rx_packets", "tx_packets")
_SENDING: Final = ("dlm_lowcomms_get_buffer", "send_to_sock", "process_send_sockets", "dlm_send")


@dataclass(frozen=True, slots=True)
class ReplyWords:
    """peer: id of the node asked; lkb: id of the lock; seconds: from the first to the last capture that shows the
    request. requests: how many are open, where a tool counts them only.
    """

    node: str | None
    peer: int | None
    resource: str | None
    seconds: float | None
    captures: int
    lkb: int | None
    requests: float | None = None


@rule("NW-01", needs=(Records, Events), words=ReplyWords)
def dlm_no_reply(records: Records, events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: a lock request hangs, and nobody holds the lock.

    Reasoning: the same request of the lock manager waits for another node's reply in two captures or more; glocktop
    says it of a lock, or counts such requests. Seen once it is ordinary traffic.
    Source: debugfs of the DLM, file ``_waiters``; glocktop(8).
    """
    found = [*_listed(records, limits), *_for_locks(events, limits)]
    yield from found or _counted(records, limits)


def _listed(records: Records, limits: Limits) -> Iterator[Seen]:
    """Requests by the tables of the lock manager."""
    requests = records.meant(DlmLock, AWAITING_REPLY, pl.col("lkb").is_not_null())
    open_ones = grouped(requests, lambda one: (one.node, one.lockspace, one.lkb, one.resource, one.master)).values()
    again = [found for found in open_ones if _captures(found) >= limits.captures]
    for found in (again or list(open_ones))[:REQUESTS_SHOWN]:
        one, times = found[0], sorted(moment.at for moment in found if moment.at is not None)
        seconds = (times[-1] - times[0]) / SECOND if times and again else None
        words = ReplyWords(one.node, one.master, _resource(one.resource), seconds, _captures(found), one.lkb)
        yield _unanswered(words, [moment.ref for moment in found[:6]], times, limits)


def _captures(found: Sequence[DlmLock]) -> int:
    return len({(one.artifact, one.at) for one in found})


def _resource(name: str | None) -> str | None:
    """A resource in words: the glock that it is, else its name."""
    glock = glock_of(name) if name else None
    return f"glock {glock}" if glock else name or None


def _unanswered(words: ReplyWords, lines: Sequence[Ref], times: Sequence[int | None], limits: Limits) -> Seen:
    return Seen(
        level=_reply_level(words, limits),
        words=words,
        lines=lines,
        nodes=(words.node,),
        times=times,
        borne_by=(words.captures, 1),
        parts=("one_side",),
        weight=words.seconds or 1.0,
    )


def _reply_level(words: ReplyWords, limits: Limits) -> str:
    if words.captures < limits.captures:
        return "once"
    if words.requests is not None:
        return "counted"
    return "long" if words.seconds is not None and words.seconds > limits.critical_s else "short"


def _span_s(times: Sequence[int]) -> float | None:
    """From the first to the last of several moments, in s."""
    return (max(times) - min(times)) / SECOND if len(times) > 1 else None


def _for_locks(events: Events, limits: Limits) -> Iterator[Seen]:
    """Locks of which a tool says in two reports that they wait for the network."""
    for (node, about), rows in groups(events.of(("dlm-comm-wait",)), "node", "about"):
        times = rows["at"].drop_nulls()
        captures = rows.select("artifact", "at").n_unique()
        if captures >= limits.captures:
            seconds = _span_s(times.to_list())
            glock = f"glock {about}" if about else None
            words = ReplyWords(node, None, glock, seconds, captures, None)
            yield _unanswered(words, refs(rows)[:6], times.to_list(), limits)


def _counted(records: Records, limits: Limits) -> Iterator[Seen]:
    """Requests without a reply that a tool counts in each of several reports."""
    rows = records.frame(UNANSWERED)
    for (node,), some in groups(rows, "node"):
        open_ones = some.filter(pl.col("value") > 0)
        if open_ones.height >= limits.captures and open_ones.height == some.height:
            times = open_ones["at"].drop_nulls()
            seconds = _span_s(times.to_list())
            words = ReplyWords(
                node,
                None,
                None,
                seconds,
                open_ones.height,
                None,
                min(open_ones["value"].drop_nulls().to_list(), default=0.0),
            )
            yield _unanswered(words, refs(open_ones)[:6], times.to_list(), limits)


@dataclass(frozen=True, slots=True)
class PressureWords:
    """scope and queue: messages in the send queue of a connection, capture by capture; tasks that stand in functions
    that send.
    """

    node: str | None
    scope: str | None
    queue: tuple[float, ...]
    tasks: int | None
    seen: int


@rule("NW-02", needs=(Records,), words=PressureWords)
def lowcomms_backpressure(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: the lock manager's messages to a node pile up.

    Reasoning: its send queue is not empty in two captures, or several tasks stand in the functions that send.
    Source: debugfs of the DLM; limits proposed.
    """
    queues = records.frame(Counter, pl.col("name") == "send_queue_cnt")
    for (node, scope), some in groups(queues, "node", "scope"):
        full = some.filter(pl.col("value") > 0)
        if full.height >= limits.captures and full.height == some.height:
            yield _pressure(PressureWords(node, scope, tuple(full["value"].to_list()[:6]), None, full.height), full)
    for node, some in by_node(records.frame(Stack, pl.col("frames").str.contains("|".join(_SENDING)))):
        if some.height >= limits.stacks:
            yield _pressure(PressureWords(node, None, (), some.height, some.height), some)


def _pressure(words: PressureWords, rows: pl.DataFrame) -> Seen:
    return Seen(
        level="seen",
        words=words,
        lines=refs(rows)[:6],
        nodes=(words.node,),
        borne_by=(rows.height, 1),
        parts=("drains",),
        weight=1.0,
    )


@dataclass(frozen=True, slots=True)
class CardWords:
    """name: the counter that grew most; share: of the packets of the same time; counted: the counter and by
    how much.
    """

    node: str | None
    interface: str
    name: str
    errors: float
    share_pct: float
    source: str
    counted: tuple[tuple[str, float], ...]


@rule("NW-08", needs=(Records,), words=CardWords)
def nic_errors(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: packets get lost at a card.

    Reasoning: errors, drops and overruns that grow between two captures, against the packets of the same time. One
    capture counts since boot. Source: ip-link(8), netstat(8), ethtool(8); limits proposed.
    """
    rows = records.meant(Counter, CARDS, pl.col("scope").is_not_null() & (pl.col("scope") != "lo"))
    for (node, scope, source), some in grouped(rows, lambda one: (one.node, one.scope or "", one.source)).items():
        seen = _card(node, scope, source, some, limits)
        if seen is not None:
            yield seen


def _card(node: str | None, scope: str, source: str, rows: Sequence[Counter], limits: Limits) -> Seen | None:
    """First against last reading of one card by one tool."""
    grown = {name: growth for name, found in grouped(rows, lambda one: one.name).items() if (growth := _growth(found))}
    packets = sum(grown[name].by for name in _PACKETS if name in grown)
    wrong = {name: one for name, one in grown.items() if _ERRORS.search(name) and one.by > 0 and name not in _PACKETS}
    # an overrun is counted among the errors too: the largest one stands for the card
    if not wrong or packets <= 0:
        return None
    worst, errors = max(wrong.items(), key=lambda one: one[1].by)
    share = 100 * errors.by / packets
    if share <= limits.medium_pct:
        return None
    return Seen(
        level="many" if share > limits.high_pct else "some",
        words=CardWords(node, scope, worst, errors.by, share, source, ((worst, errors.by),)),
        lines=errors.lines,
        nodes=(node,),
        borne_by=(2, 1),
        parts=("use",),
        tunings=None if "overrun" in worst.lower() or "drop" in worst.lower() else (),
        weight=share,
    )


class _Growth(NamedTuple):
    """By how much a counter grew, with its first and last line."""

    by: float
    lines: tuple[Ref, Ref]


def _growth(found: Sequence[Counter]) -> _Growth | None:
    """None of one that fell: it was reset."""
    first, last = found[0], found[-1]
    if len(found) < 2 or first.value is None or last.value is None or last.value < first.value:
        return None
    return _Growth(last.value - first.value, (first.ref, last.ref))


@dataclass(frozen=True, slots=True)
class TripWords:
    """kind of the locks; free_ms or blocking_ms: mean round trip of requests that can't block, or that may."""

    node: str | None
    kind: str
    fs: str | None
    free_ms: float | None
    blocking_ms: float | None


@dataclass(frozen=True, slots=True)
class GlockTripWords:
    """blocking_ms, free_ms: mean round trips of one glock's requests that may block, and that can't; quick: the
    latter are. waiting: how many requests waited at any time, on average. more: requests
    between two looks; total: those counted so far.
    """

    node: str | None
    glock: str
    fs: str | None
    blocking_ms: float
    free_ms: float | None
    quick: bool
    waiting: float | None
    more: int | None
    total: int


@rule("NW-09", needs=(Records,), words=(TripWords, GlockTripWords))
def lock_round_trip(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: every request to the lock manager takes long.

    Reasoning: round trips of requests that can't block (srtt) show the network or a busy peer; those that may block
    (srttb) include the wait for other nodes. Both are means weighted by the number of requests. Source: kernel
    documentation of GFS2 glocks; limits proposed.
    """
    for (node, scope), found in grouped(records.meant(Counter, ROUND_TRIPS), lambda one: (one.node, one.scope)).items():
        for kind in LOCK_KINDS:
            seen = _round_trip(node, scope or None, kind, found, limits)
            if seen is not None:
                yield seen
    figures = records.meant(Counter, TRIPS_OF_GLOCKS, pl.col("value").is_not_null())
    for (node, scope), found in grouped(figures, lambda one: (one.node, one.scope)).items():
        slow = list(_slow_glocks(node, scope or None, found, limits))
        yield from sorted(slow, key=lambda seen: -seen.weight)[: int(limits.glocks)]


def _slow_glocks(node: str | None, fs: str | None, found: Sequence[Counter], limits: Limits) -> Iterator[Seen]:
    """Glocks whose blocking requests take long, and of which more are made from one look to the next; where there is
    one look, a hint.
    """
    for glock, figures in grouped(found, lambda one: one.name.partition(" ")[0]).items():
        own = grouped(figures, lambda one: one.name.partition(" ")[2])
        requests, trips = own.get("dcnt", []), own.get("rttb", [])
        grows = len(requests) < 2 or _value(requests[-1]) > _value(requests[0])
        if requests and trips and grows and _ms(trips[-1]) > limits.srttb_low_ms:
            yield _slow_glock(node, glock, fs, own, limits)


def _slow_glock(
    node: str | None, glock: str, fs: str | None, own: Mapping[str, Sequence[Counter]], limits: Limits
) -> Seen:
    requests, last, free = own["dcnt"], own["rttb"][-1], own.get("rtt")
    ms, free_ms = _ms(last), _ms(free[-1]) if free and _value(free[-1]) else None  # 0: none was measured
    more = int(_value(requests[-1]) - _value(requests[0])) if len(requests) > 1 else None
    waiting = _waiting(requests, ms)
    level = "once" if more is None else _blocking_level(ms, limits)
    return Seen(
        level="always" if waiting is not None and waiting >= limits.always else level,
        variant="glock",
        words=GlockTripWords(
            node=node,
            glock=glock,
            fs=fs,
            blocking_ms=ms,
            free_ms=free_ms,
            quick=free_ms is not None and free_ms <= limits.srtt_low_ms,
            waiting=waiting,
            more=more,
            total=int(_value(requests[-1])),
        ),
        lines=(requests[0].ref, last.ref),
        nodes=(node,),
        times=(requests[0].at, last.at),
        zone_min=last.zone_min,
        borne_by=(len(requests), 1),
        parts=("mean",),
        weight=ms / 1000,
    )


def _waiting(requests: Sequence[Counter], ms: float) -> float | None:
    """How many requests waited at any time between the first look and the last, on average; None without two times."""
    first, last = requests[0], requests[-1]
    if first.at is None or last.at is None or last.at <= first.at:
        return None
    return (_value(last) - _value(first)) * ms * 1000 / (last.at - first.at)


def _blocking_level(ms: float, limits: Limits) -> str:
    bands = ((limits.srttb_high_ms, "blocked_long"), (limits.srttb_medium_ms, "blocked"))
    return next((level for band, level in bands if ms > band), "blocked_short")


def _round_trip(
    node: str | None, scope: str | None, kind: str, found: Sequence[Counter], limits: Limits
) -> Seen | None:
    own = [one for one in found if one.name.startswith(f"{kind} ") and one.value is not None]
    requests = [_value(one) for one in own if one.name == f"{kind} dlm"]
    if not requests or max(requests) == 0 or (len(requests) > 1 and max(requests) == min(requests)):
        return None
    last = {one.name: one for one in own}
    free, blocking = last.get(f"{kind} srtt"), last.get(f"{kind} srttb")
    if free is not None and _ms(free) > limits.srtt_low_ms:
        level = "network_slow" if _ms(free) > limits.srtt_medium_ms else "network"
        return _trip(level, TripWords(node, kind, scope, _ms(free), None), free)
    # the request counter must grow
    if blocking is not None and len(requests) > 1 and _ms(blocking) > limits.srttb_low_ms:
        level = _blocking_level(_ms(blocking), limits)
        return _trip(level, TripWords(node, kind, scope, None, _ms(blocking)), blocking)
    return None


def _value(one: Counter) -> float:
    return one.value or 0.0


def _ms(one: Counter) -> float:
    return _value(one) / 1e6


def _trip(level: str, words: TripWords, one: Counter) -> Seen:
    return Seen(
        level=level,
        words=words,
        lines=(one.ref,),
        nodes=(words.node,),
        times=(one.at,),
        borne_by=(1, 1),
        parts=("mean",),
        weight=_ms(one) / 1000,
    )


@dataclass(frozen=True, slots=True)
class ConnectionWords:
    """peer: the other node as the log names it; since: when the messages began to crowd; error: what the lock manager
    itself says of the connection.
    """

    node: str | None
    peer: str
    messages: int
    since: int
    error: str | None


@rule("NW-10", needs=(Events,), words=ConnectionWords)
def dlm_connection_blocked(events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: the membership is fine, and the lock manager can't reach a member.

    Reasoning: it connects to or closes the connection with the same node again and again, without a change of the
    membership at that time. Source: messages of the DLM; counts proposed.
    """
    rows = events.of(("dlm-connecting", "dlm-connection-closed", "dlm-connection-error"))
    if rows.is_empty():
        return
    changes = events.of(("totem-membership", "totem-token-lost"))["at"].drop_nulls().to_list()
    for (node, peer), some in groups(rows, "node", "about"):
        times = sorted(some["at"].drop_nulls().to_list())
        burst = _burst(times, int(limits.messages), limits.within_s)
        if (
            burst is None
            or peer is None
            or any(abs(other - burst) <= 2 * limits.within_s * SECOND for other in changes)
        ):
            continue
        errors = some.filter(pl.col("kind") == "dlm-connection-error")
        error = str(errors["text"][0])[:LINE_SHOWN] if errors.height else None
        yield Seen(
            level="blocked" if error is None else "refused",
            words=ConnectionWords(node, peer, some.height, burst, error),
            lines=refs(some)[:6],
            nodes=(node,),
            times=(times[0], times[-1]),
            borne_by=(some.height, 1),
            parts=("one_side",),
            weight=1.0,
        )


def _burst(times: list[int], least: int, within_s: float) -> int | None:
    """When so many messages began to stand within the window."""
    return next((a for a, b in zip(times, times[least - 1 :], strict=False) if b - a <= within_s * SECOND), None)
