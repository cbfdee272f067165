"""Rule on packets that a host loses or sends again (ST-20)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import Meaning, metric
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.core.records import Records, groups
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.core.store import Facts
from parsers.dataclass import dataclass
from parsers.records import Counter

AGAIN: Final = metric("tcp-sent-again")
SENT: Final = metric("tcp-sent")
CALLED_AGAIN: Final = metric("nfs-calls-sent-again")
CALLED: Final = metric("nfs-calls")
INTERFACES: Final = metric("interface-errors")
RATES: Final = metric("packets-broken-or-dropped-a-second")
DAMAGED: Final = metric("damaged-frames")
ROOM: Final = metric("packets-without-room")
OF_CARD: Final = metric("packets-of-card")
LOST: Final = metric("packets-lost")


@dataclass(frozen=True, slots=True)
class PacketWords:
    """share: per cent of the packets; peers: hosts to which ping lost packets; again, sent: segments of TCP;
    broken, packets: of an interface.
    """

    node: str | None
    share: float
    peers: tuple[str, ...] = ()
    again: float | None = None
    sent: float | None = None
    interface: str = ""
    broken: float | None = None
    packets: float | None = None


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
    interfaces count since boot, and so a past fault may speak; beside dumps of a cluster file system its own rules
    judge the interfaces. Source: ping(8), netstat(8), ip-link(8).
    """
    if not records.has(Counter):
        return
    yield from _by_ping(records, limits)
    yield from _by_tcp(records, limits)
    yield from _by_calls(records, limits)
    if not records_by_product(facts).keys() - {"storage"}:
        yield from _by_interface(records, limits)
    yield from _by_card(records, limits)
    yield from _by_room(records, limits)
    yield from _by_rate(records, limits)


def _by_rate(records: Records, limits: Limits) -> Iterator[Seen]:
    """Samples in which an interface broke or dropped packets, each second."""
    lost = pl.col("name").str.contains("drop|fifo")
    over = pl.when(lost).then(limits.dropped).otherwise(limits.broken_rate)
    rows = records.frame(RATES, pl.col("value") >= over, pl.col("scope").is_not_null())
    for (node, interface), frame in groups(rows, "node", "scope"):
        worst = frame.sort("value", descending=True).row(0, named=True)
        yield Seen(
            level="rate",
            parts=("samples",),
            words=RateWords(
                None if node is None else str(node),
                str(interface),
                "drops" if "drop" in worst["name"] or "fifo" in worst["name"] else "breaks",
                worst["value"],
                frame["line"].n_unique(),
            ),
            lines=[Ref(one["artifact"], one["line"]) for one in frame.unique("line", maintain_order=True).to_dicts()],
            most_lines=4,
            nodes=(None if node is None else str(node),),
            times=frame["at"].to_list(),
            borne_by=(frame["line"].n_unique(), 1),
            weight=worst["value"] / 1e6,
        )


def _by_card(records: Records, limits: Limits) -> Iterator[Seen]:
    """Frames that a card itself calls damaged: how many came in all, its driver's counters need not show."""
    rows = records.frame(DAMAGED, pl.col("value") > 0)
    for (node, interface), frame in groups(rows, "node", "scope"):
        last = frame.unique("name", keep="last", maintain_order=True)
        broken = max(last["value"].to_list(), default=0.0)  # drivers count one frame under several names
        if broken >= limits.damaged:
            yield Seen(
                level="damaged",
                parts=("since_boot",),
                words=PacketWords(
                    None if node is None else str(node), 0.0, interface=str(interface or ""), broken=broken
                ),
                lines=[Ref(one["artifact"], one["line"]) for one in last.iter_rows(named=True)],
                most_lines=4,
                nodes=(None if node is None else str(node),),
                times=last["at"].to_list(),
                borne_by=(last.height, 1),
                weight=broken / 1e9,
            )


def _by_room(records: Records, limits: Limits) -> Iterator[Seen]:
    """Packets that found no buffer, as a share of all that the card received; drivers count one under several names."""
    received: dict[tuple[object, ...], float] = {
        (artifact, node, interface): max(frame["value"].to_list())
        for (artifact, node, interface), frame in groups(records.frame(OF_CARD), "artifact", "node", "scope")
    }
    for key, frame in groups(records.frame(ROOM, pl.col("value") > 0), "artifact", "node", "scope"):
        last = frame.unique("name", keep="last", maintain_order=True)
        broken, packets = max(last["value"].to_list()), received.get(key, 0.0)
        share = 100 * broken / packets if packets else 0.0
        if broken < limits.broken or share < limits.broken_pct:
            continue
        _, node, interface = key
        yield Seen(
            level="room_much" if share >= limits.broken_much_pct else "room",
            parts=("since_boot",),
            words=PacketWords(
                None if node is None else str(node),
                share,
                interface=str(interface or ""),
                broken=broken,
                packets=packets,
            ),
            lines=[Ref(one["artifact"], one["line"]) for one in last.iter_rows(named=True)],
            most_lines=4,
            nodes=(None if node is None else str(node),),
            times=last["at"].to_list(),
            borne_by=(last.height, 1),
            weight=share,
        )


def _by_ping(records: Records, limits: Limits) -> Iterator[Seen]:
    rows = records.frame(LOST, pl.col("value") >= limits.lost_pct).sort("value", descending=True)
    for _, frame in groups(rows, "node"):
        worst = frame.row(0, named=True)
        yield Seen(
            level="lost",
            parts=("tried",),
            words=PacketWords(
                worst["node"], worst["value"], tuple(dict.fromkeys(one for one in frame["scope"] if one))
            ),
            lines=[Ref(one["artifact"], one["line"]) for one in frame.iter_rows(named=True)],
            most_lines=6,
            nodes=(worst["node"],),
            times=frame["at"].to_list(),
            borne_by=(frame.height, 1),
            weight=worst["value"],
        )


def _by_tcp(records: Records, limits: Limits) -> Iterator[Seen]:
    yield from _sent_again(records, limits, AGAIN, SENT, ("again", "again_much"))


def _by_calls(records: Records, limits: Limits) -> Iterator[Seen]:
    """Calls of an NFS client: it waits for a minute before it sends one again over TCP."""
    yield from _sent_again(records, limits, CALLED_AGAIN, CALLED, ("called", "called_much"))


def _sent_again(
    records: Records, limits: Limits, again_of: Meaning, sent_of: Meaning, levels: tuple[str, str]
) -> Iterator[Seen]:
    rows = records.frame(again_of)
    if rows.is_empty():
        return
    sent = {(one["artifact"], one["node"]): one for one in records.frame(sent_of).sort("line").iter_rows(named=True)}
    for again in rows.sort("line").unique(["artifact", "node"], keep="last").iter_rows(named=True):
        whole = sent.get((again["artifact"], again["node"]))
        if whole is None or not whole["value"] or whole["value"] < limits.segments:
            continue
        share = 100 * again["value"] / whole["value"]
        if share < limits.again_pct:
            continue
        yield Seen(
            level=levels[share >= limits.again_much_pct],
            parts=("since_boot",),
            words=PacketWords(again["node"], share, again=again["value"], sent=whole["value"]),
            lines=(Ref(again["artifact"], again["line"]), Ref(whole["artifact"], whole["line"])),
            nodes=(again["node"],),
            times=(again["at"],),
            borne_by=(2, 1),
            weight=share,
        )


def _by_interface(records: Records, limits: Limits) -> Iterator[Seen]:
    rows = records.frame(INTERFACES, pl.col("scope").is_not_null() & (pl.col("scope") != "lo"))
    for (node, interface, _), frame in groups(rows, "node", "scope", "source"):
        last = frame.unique("name", keep="last", maintain_order=True)
        broken, packets = (
            float(last.filter(pl.col("name").str.ends_with(kind))["value"].sum()) for kind in ("errors", "packets")
        )
        share = 100 * broken / packets if packets else 0.0
        if broken < limits.broken or share < limits.broken_pct:
            continue
        errors = last.filter(pl.col("name").str.ends_with("errors") & (pl.col("value") > 0))
        yield Seen(
            level="broken_much" if share >= limits.broken_much_pct else "broken",
            parts=("since_boot",),
            words=PacketWords(
                None if node is None else str(node), share, interface=str(interface), broken=broken, packets=packets
            ),
            lines=[Ref(one["artifact"], one["line"]) for one in errors.iter_rows(named=True)],
            nodes=(None if node is None else str(node),),
            times=errors["at"].to_list(),
            borne_by=(errors.height, 1),
            weight=share,
        )
