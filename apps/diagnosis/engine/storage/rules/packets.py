"""Rule on packets that a host loses or sends again (ST-20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric
from parsers.dataclass import dataclass
from parsers.records import Counter

AGAIN: Final = metric("tcp-sent-again")
SENT: Final = metric("tcp-sent")
CALLED_AGAIN: Final = metric("nfs-calls-sent-again")
CALLED: Final = metric("nfs-calls")
INTERFACES: Final = metric("interface-errors")
RATES: Final = metric("packets-broken-or-dropped-a-second")
DAMAGED: Final = metric("damaged-frames")
WORDS: Final = metric("damaged-words")
ROOM: Final = metric("packets-without-room")
OF_CARD: Final = metric("packets-of-card")
LOST: Final = metric("packets-lost")
UDP_DROPPED: Final = metric("udp-dropped")
UDP_READ: Final = metric("udp-read")
SEGMENTS: Final = ("again", "again_much")
CALLS: Final = ("called", "called_much")


@dataclass(frozen=True, slots=True)
class PacketWords:
    """share: per cent of the packets; peers: hosts to which ping lost packets; again, sent: segments of TCP,
    or calls of NFS; broken, packets: of an interface.
    """

    node: str | None
    share: float
    peers: tuple[str, ...] = ()
    again: float | None = None
    sent: float | None = None
    interface: str = ""
    broken: float | None = None
    packets: float | None = None
    calls: bool = False


@dataclass(frozen=True, slots=True)
class RateWords:
    """how: whether packets came broken, or there was no room for them; rate: at most, each second."""

    node: str | None
    interface: str
    how: Literal["drops", "breaks"]
    rate: float
    samples: int


@rule("ST-20", needs=(Records, Facts), words=(PacketWords, RateWords))
def lost_packets(records: Records, facts: Facts, limits: Limits) -> Iterator[Seen]:
    """Symptom: everything that needs another node is slow now and then, disks and processors have room.

    Reasoning: ping lost packets, TCP sent a share of its segments again, or an interface counts broken ones. TCP and
    interfaces count since boot, and so a past fault may speak; beside texts of LLT its own rule judges the interfaces.
    Source: ping(8), netstat(8), ip-link(8).
    """
    if not records.has(Counter):
        return
    yield from _by_ping(records, limits)
    yield from _by_tcp(records, limits)
    yield from _by_calls(records, limits)
    yield from _by_udp(records, limits)
    if "veritas" not in records_by_product(facts):
        yield from _by_interface(records, limits)
    yield from _by_card(records, limits)
    yield from _by_room(records, limits)
    yield from _by_rate(records, limits)


def _by_rate(records: Records, limits: Limits) -> Iterator[Seen]:
    """Samples in which an interface broke or dropped packets, each second."""
    lost = pl.col("name").str.contains("drop|fifo")
    over = pl.when(lost).then(limits.dropped).otherwise(limits.broken_rate)
    rates = records.meant(Counter, RATES, pl.col("value") >= over, pl.col("scope").is_not_null())
    for (node, interface), found in grouped(rates, _interface).items():
        worst = max(found, key=_value)
        samples = len({one.ref for one in found})
        yield Seen(
            level="rate",
            parts=("samples",),
            words=RateWords(
                node,
                interface,
                "drops" if "drop" in worst.name or "fifo" in worst.name else "breaks",
                _value(worst),
                samples,
            ),
            shown=found,
            most_lines=4,
            borne_by=(samples, 1),
            weight=_value(worst) / 1e6,
        )


def _by_card(records: Records, limits: Limits) -> Iterator[Seen]:
    """Frames that a card itself calls damaged: how many came in all, its driver's counters need not show."""
    yield from _counted_by_card(records, DAMAGED, "damaged", limits.damaged)
    yield from _counted_by_card(records, WORDS, "words", limits.damaged_words)


def _counted_by_card(records: Records, meaning: Meaning, level: str, least: float) -> Iterator[Seen]:
    for (node, interface), found in grouped(records.meant(Counter, meaning, pl.col("value") > 0), _interface).items():
        last = _last(found)
        broken = max(map(_value, last))  # drivers count one frame under several names
        if broken >= least:
            yield Seen(
                level=level,
                parts=("since_boot",),
                words=PacketWords(node, 0.0, interface=interface, broken=broken),
                shown=last,
                most_lines=4,
                borne_by=(len(last), 1),
                weight=broken / 1e9,
            )


def _by_room(records: Records, limits: Limits) -> Iterator[Seen]:
    """Packets that found no buffer, as a share of all that the card received; drivers count one under several names."""
    received = grouped(records.meant(Counter, OF_CARD), lambda one: (one.artifact, *_interface(one)))
    without = records.meant(Counter, ROOM, pl.col("value") > 0)
    for (artifact, node, interface), found in grouped(without, lambda one: (one.artifact, *_interface(one))).items():
        last = _last(found)
        broken = max(map(_value, last))
        packets = max(map(_value, received.get((artifact, node, interface), ())), default=0.0)
        share = 100 * broken / packets if packets else 0.0
        if broken < limits.broken or share < limits.broken_pct:
            continue
        yield Seen(
            level="room_much" if share >= limits.broken_much_pct else "room",
            parts=("since_boot",),
            words=PacketWords(node, share, interface=interface, broken=broken, packets=packets),
            shown=last,
            most_lines=4,
            borne_by=(len(last), 1),
            weight=share,
        )


def _by_ping(records: Records, limits: Limits) -> Iterator[Seen]:
    lost = sorted(records.meant(Counter, LOST, pl.col("value") >= limits.lost_pct), key=_value, reverse=True)
    for node, found in grouped(lost, lambda one: one.node).items():
        worst = _value(found[0])
        yield Seen(
            level="lost",
            parts=("tried",),
            words=PacketWords(node, worst, tuple(dict.fromkeys(one.scope for one in found if one.scope))),
            shown=found,
            most_lines=6,
            borne_by=(len(found), 1),
            weight=worst,
        )


def _by_tcp(records: Records, limits: Limits) -> Iterator[Seen]:
    yield from _sent_again(records, limits, AGAIN, SENT, SEGMENTS)


def _by_calls(records: Records, limits: Limits) -> Iterator[Seen]:
    """Calls of an NFS client: it waits for a minute before it sends one again over TCP."""
    yield from _sent_again(records, limits, CALLED_AGAIN, CALLED, CALLS)


def _by_udp(records: Records, limits: Limits) -> Iterator[Seen]:
    """Packets that arrived and that no program read: counted under two names where its buffer was full."""
    read = grouped(records.meant(Counter, UDP_READ), _of_udp)
    for of, found in grouped(records.meant(Counter, UDP_DROPPED, pl.col("value") > 0), _of_udp).items():
        last = _last(found)
        dropped = max(map(_value, last))
        packets = dropped + max(map(_value, _last(read.get(of, []))), default=0.0)
        share = 100 * dropped / packets
        if of not in read or dropped < limits.broken or share < limits.broken_pct:
            continue
        yield Seen(
            level="udp_much" if share >= limits.broken_much_pct else "udp",
            parts=("since_boot",),
            words=PacketWords(found[0].node, share, broken=dropped, packets=packets),
            shown=[*last, *_last(read[of])],
            most_lines=4,
            borne_by=(len(last), 1),
            weight=share,
        )


def _of_udp(one: Counter) -> tuple[int, str | None, str]:
    """UDP of one look at a host; UDP over IPv6 counts by itself."""
    return one.artifact, one.node, one.scope or ""


def _sent_again(
    records: Records, limits: Limits, again_of: Meaning, sent_of: Meaning, levels: tuple[str, str]
) -> Iterator[Seen]:
    sent_on = grouped(records.meant(Counter, sent_of), _place)
    looks_of: dict[str | int, list[tuple[Counter, Counter]]] = defaultdict(list)
    for place, own in grouped(records.meant(Counter, again_of), _place).items():
        beside = sent_on.get(place, [])
        pairs = zip(own, beside, strict=True) if len(own) == len(beside) else zip(own[-1:], beside[-1:], strict=False)
        looks_of[own[0].node or own[0].artifact] += pairs
    for pairs_of_node in looks_of.values():
        # Counts only grow: of two files without a time the later one has more.
        ordered = sorted(pairs_of_node, key=lambda pair: _value(pair[1]))
        again, sent = [pair[0] for pair in ordered], [pair[1] for pair in ordered]
        share = _share_of(again[-1:], sent[-1:], limits.segments)
        between = _share_of(again, sent, limits.segments_between) if len(again) > 1 else 0.0
        if max(share, between) < limits.again_pct:
            continue
        looks = ((again[0], again[-1]), (sent[0], sent[-1])) if between > share else ((again[-1],), (sent[-1],))
        yield Seen(
            level=levels[max(share, between) >= limits.again_much_pct],
            variant="between" if between > share else "",
            parts=("since_boot",) if share >= between else ("two_looks",),
            words=PacketWords(
                again[0].node, max(share, between), again=_grown(looks[0]), sent=_grown(looks[1]), calls=levels is CALLS
            ),
            lines=[one.ref for pair in looks for one in pair],
            nodes=(again[0].node,),
            times=[one.at for one in looks[0]],
            borne_by=(2, 1),
            weight=max(share, between),
        )


def _place(one: Counter) -> tuple[int, str | None]:
    return one.artifact, one.node


def _share_of(again: Sequence[Counter], sent: Sequence[Counter], least: float) -> float:
    """Per cent of what was sent, since boot by one look and between the first and the last of several."""
    all_sent, sent_again = _grown(sent), _grown(again)
    return 100 * sent_again / all_sent if all_sent >= least and sent_again >= 0 else 0.0


def _grown(looks: Sequence[Counter]) -> float:
    return _value(looks[-1]) - (_value(looks[0]) if len(looks) > 1 else 0.0) if looks else 0.0


def _by_interface(records: Records, limits: Limits) -> Iterator[Seen]:
    rows = records.meant(Counter, INTERFACES, pl.col("scope").is_not_null() & (pl.col("scope") != "lo"))
    for (node, interface, _), found in grouped(rows, lambda one: (*_interface(one), one.source)).items():
        last = _last(found)
        errors = [one for one in last if one.name.endswith("errors") and _value(one) > 0]
        broken = sum(map(_value, errors))
        packets = sum(_value(one) for one in last if one.name.endswith("packets"))
        share = 100 * broken / packets if packets else 0.0
        is_many = broken >= limits.damaged and share >= limits.broken_some_pct
        if broken < limits.broken or (share < limits.broken_pct and not is_many):
            continue
        yield Seen(
            level=_level_of(share, limits),
            parts=("since_boot",),
            words=PacketWords(node, share, interface=interface, broken=broken, packets=packets),
            shown=errors,
            borne_by=(len(errors), 1),
            weight=share,
        )


def _level_of(share: float, limits: Limits) -> str:
    if share >= limits.broken_much_pct:
        return "broken_much"
    return "broken" if share >= limits.broken_pct else "broken_some"


def _value(one: Counter) -> float:
    return one.value or 0.0


def _interface(one: Counter) -> tuple[str | None, str]:
    return one.node, one.scope or ""


def _last(found: list[Counter]) -> list[Counter]:
    """The last look at each counter."""
    return list({one.name: one for one in found}.values())
