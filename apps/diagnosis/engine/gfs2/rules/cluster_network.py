"""Rules on the network between the nodes: replies of the lock manager that do not come, its connections, errors of
cards, round trips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.events import Events, by_node, refs
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records, groups
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.gfs2.dlm import AWAITING_REPLY
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.records import Counter
from parsers.wait_records import Stack

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
    rows = records.frame(AWAITING_REPLY, pl.col("lkb").is_not_null())
    if rows.is_empty():
        return
    capture = pl.struct("artifact", pl.col("at").fill_null(-1)).n_unique()
    held = rows.group_by("node", "lockspace", "lkb", "resource", "master", maintain_order=True).agg(
        captures=capture, first=pl.col("at").min(), last=pl.col("at").max(), artifact="artifact", line="line"
    )
    again = held.filter(pl.col("captures") >= limits.captures)
    for row in (again if again.height else held).head(REQUESTS_SHOWN).iter_rows(named=True):
        seconds = (row["last"] - row["first"]) / SECOND if row["first"] is not None and again.height else None
        words = ReplyWords(row["node"], row["master"], _resource(row["resource"]), seconds, row["captures"], row["lkb"])
        places = [Ref(a, line) for a, line in list(zip(row["artifact"], row["line"], strict=True))[:6]]
        yield _unanswered(words, places, (row["first"], row["last"]), limits)


def _resource(name: str | None) -> str | None:
    """A resource in words: the glock that it is, else its name."""
    glock = glock_of(name) if name else None
    return f"glock {glock}" if glock else name or None


def _unanswered(words: ReplyWords, lines: Sequence[Ref], times: Sequence[int | None], limits: Limits) -> Seen:
    is_long = words.seconds is not None and words.seconds > limits.critical_s
    return Seen(
        level="once" if words.captures < limits.captures else "long" if is_long else "short",
        words=words,
        lines=lines,
        nodes=(words.node,),
        times=times,
        borne_by=(words.captures, 1),
        parts=("one_side",),
        weight=words.seconds or 1.0,
    )


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
            words = ReplyWords(_text(node), None, glock, seconds, captures, None)
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
                _text(node),
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
            yield _pressure(
                PressureWords(_text(node), str(scope), tuple(full["value"].to_list()[:6]), None, full.height), full
            )
    for node, some in by_node(records.frame(Stack, pl.col("frames").str.contains("|".join(_SENDING)))):
        if some.height >= limits.stacks:
            yield _pressure(PressureWords(node, None, (), some.height, some.height), some)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


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
    rows = records.frame(CARDS, pl.col("scope").is_not_null() & (pl.col("scope") != "lo"))
    for (node, scope, source), some in groups(rows, "node", "scope", "source"):
        seen = _card(_text(node), str(scope), str(source), some, limits)
        if seen is not None:
            yield seen


def _card(node: str | None, scope: str, source: str, rows: pl.DataFrame, limits: Limits) -> Seen | None:
    """First against last reading of one card by one tool."""
    grown = dict(_grown(rows))
    packets = sum(grown[name][0] for name in _PACKETS if name in grown)
    wrong = {
        name: entry for name, entry in grown.items() if _ERRORS.search(name) and entry[0] > 0 and name not in _PACKETS
    }
    # an overrun is counted among the errors too: the largest one stands for the card
    if not wrong or packets <= 0:
        return None
    worst = max(wrong, key=lambda name: wrong[name][0])
    errors, *lines = wrong[worst]
    share = 100 * errors / packets
    if share <= limits.medium_pct:
        return None
    return Seen(
        level="many" if share > limits.high_pct else "some",
        words=CardWords(node, scope, worst, errors, share, source, ((worst, errors),)),
        lines=lines,
        nodes=(node,),
        borne_by=(2, 1),
        parts=("use",),
        tunings=None if "overrun" in worst.lower() or "drop" in worst.lower() else (),
        weight=share,
    )


def _grown(rows: pl.DataFrame) -> Iterator[tuple[str, tuple[float, Ref, Ref]]]:
    """By how much each counter grew, with its first and last line; one that fell was reset."""
    for (name,), some in groups(rows, "name"):
        first, last = some.row(0, named=True), some.row(-1, named=True)
        if (
            some.height > 1
            and last["value"] is not None
            and first["value"] is not None
            and last["value"] >= first["value"]
        ):
            places = Ref(first["artifact"], first["line"]), Ref(last["artifact"], last["line"])
            yield str(name), (last["value"] - first["value"], *places)


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
    rows = records.frame(ROUND_TRIPS)
    for (node, scope), some in groups(rows, "node", "scope"):
        for kind in LOCK_KINDS:
            seen = _round_trip(_text(node), _text(scope) or None, kind, some, limits)
            if seen is not None:
                yield seen
    figures = records.frame(TRIPS_OF_GLOCKS, pl.col("value").is_not_null())
    for (node, scope), some in groups(figures, "node", "scope"):
        slow = list(_slow_glocks(_text(node), _text(scope) or None, some, limits))
        yield from sorted(slow, key=lambda seen: -seen.weight)[: int(limits.glocks)]


def _slow_glocks(node: str | None, fs: str | None, rows: pl.DataFrame, limits: Limits) -> Iterator[Seen]:
    """Glocks whose blocking requests take long, and of which more are made from one look to the next; where there is
    one look, a hint.
    """
    figures: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in rows.iter_rows(named=True):
        glock, _, figure = row["name"].partition(" ")
        figures.setdefault(glock, {}).setdefault(figure, []).append(row)
    for glock, own in figures.items():
        requests, trips = own.get("dcnt", []), own.get("rttb", [])
        grows = len(requests) < 2 or requests[-1]["value"] > requests[0]["value"]
        if requests and trips and grows and _ms(trips[-1]) > limits.srttb_low_ms:
            yield _slow_glock(node, glock, fs, own, limits)


def _slow_glock(
    node: str | None, glock: str, fs: str | None, own: dict[str, list[dict[str, Any]]], limits: Limits
) -> Seen:
    requests, last, free = own["dcnt"], own["rttb"][-1], own.get("rtt")
    ms, free_ms = _ms(last), _ms(free[-1]) if free else None
    more = int(requests[-1]["value"] - requests[0]["value"]) if len(requests) > 1 else None
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
            total=int(requests[-1]["value"]),
        ),
        lines=[Ref(row["artifact"], row["line"]) for row in (*requests[:1], last)],
        nodes=(node,),
        times=(requests[0]["at"], last["at"]),
        zone_min=last["zone_min"],
        borne_by=(len(requests), 1),
        parts=("mean",),
        weight=ms / 1000,
    )


def _waiting(requests: Sequence[dict[str, Any]], ms: float) -> float | None:
    """How many requests waited at any time between the first look and the last, on average; None without two times."""
    first, last = requests[0], requests[-1]
    if first["at"] is None or last["at"] is None or last["at"] <= first["at"]:
        return None
    return float((last["value"] - first["value"]) * ms * 1000 / (last["at"] - first["at"]))


def _blocking_level(ms: float, limits: Limits) -> str:
    bands = ((limits.srttb_high_ms, "blocked_long"), (limits.srttb_medium_ms, "blocked"))
    return next((level for band, level in bands if ms > band), "blocked_short")


def _round_trip(node: str | None, scope: str | None, kind: str, rows: pl.DataFrame, limits: Limits) -> Seen | None:
    own = rows.filter(pl.col("name").str.starts_with(f"{kind} ") & pl.col("value").is_not_null())
    last = {row["name"]: row for row in own.iter_rows(named=True)}
    requests = rows.filter(pl.col("name") == f"{kind} dlm")["value"].drop_nulls()
    if not requests.len() or requests.max() == 0 or (requests.len() > 1 and requests.max() == requests.min()):
        return None
    free, blocking = last.get(f"{kind} srtt"), last.get(f"{kind} srttb")
    free_ms, blocking_ms = _ms(free), _ms(blocking)
    if free is not None and free_ms > limits.srtt_low_ms:
        level = "network_slow" if free_ms > limits.srtt_medium_ms else "network"
        return _trip(level, TripWords(node, kind, scope, free_ms, None), free, free_ms)
    if (
        blocking is not None and requests.len() > 1 and blocking_ms > limits.srttb_low_ms
    ):  # the request counter must grow
        return _trip(
            _blocking_level(blocking_ms, limits), TripWords(node, kind, scope, None, blocking_ms), blocking, blocking_ms
        )
    return None


def _ms(row: dict[str, Any] | None) -> float:
    return row["value"] / 1e6 if row else 0.0


def _trip(level: str, words: TripWords, row: dict[str, Any], ms: float) -> Seen:
    place = Ref(row["artifact"], row["line"])
    return Seen(
        level=level,
        words=words,
        lines=(place,),
        nodes=(words.node,),
        times=(row["at"],),
        borne_by=(1, 1),
        parts=("mean",),
        weight=ms / 1000,
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
            words=ConnectionWords(_text(node), str(peer), some.height, burst, error),
            lines=refs(some)[:6],
            nodes=(_text(node),),
            times=(times[0], times[-1]),
            borne_by=(some.height, 1),
            parts=("one_side",),
            weight=1.0,
        )


def _burst(times: list[int], least: int, within_s: float) -> int | None:
    """When so many messages began to stand within the window."""
    return next((a for a, b in zip(times, times[least - 1 :], strict=False) if b - a <= within_s * SECOND), None)
