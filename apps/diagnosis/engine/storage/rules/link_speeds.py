"""Rule on cards that run slower than those of that name on other nodes, or than they can (ST-44)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.rules.uneven_nodes import INSIDE
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import HealthState

MOST: Final = 8
OFFERS: Final = ("Supported Speeds", "supported_speeds", "Supported Speed")
OFTEN: Final = 3
RATE: Final = re.compile(r"([\d.]{1,9}) ?(M|G)(?:b/s|b/sec|bps|bit/s|bit|b)\b")
# A port of InfiniBand; ibstat prints its rate without a unit, in Gb/s.
PORT: Final = re.compile(r"[\w.-]{1,40}/\d{1,3}$")
MEGA: Final[Mapping[str, int]] = {"M": 1, "G": 1000}


@dataclass(frozen=True, slots=True)
class SpeedWords:
    """odd: slower nodes, each with its speed in Mb/s; most: of the others; alike: these."""

    card: str
    odd: tuple[tuple[str, float], ...]
    most: float
    alike: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FallenWords:
    """Speeds in Mb/s: as it runs, and the largest that it offers."""

    card: str
    node: str | None
    speed: float
    able: float


@rule("ST-44", needs=(Records, Nodes, Settings), words=(SpeedWords, FallenWords))
def slow_card(records: Records, names: Nodes, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node is slow at everything that another node has a part in, and no packet is lost.

    Reasoning: its card has a link, by a lower speed than the cards of that name on the other nodes, or than a
    hundredth of what it can. Cards of one name may be in different networks: two nodes alone say little, and so do two
    ports of one host that offer the same speeds.
    Source: ethtool(8), ibstat(8), fcinfo(8).
    """
    if not settings.all.height:
        return
    speeds = _speeds(settings, ("Speed", "Rate", "rate", "speed", "Current Speed"))
    named: set[tuple[str | None, str]] = set()
    for card, nodes in sorted(_by_card(speeds, _closed(records, names)).items()):
        if seen := _behind(card, nodes, limits):
            named.update((node, card) for node in seen.nodes)
            yield seen
    yield from _sisters(settings, speeds, {node for node, _ in named})
    for (node, card), (able, line) in _speeds(settings, ("Largest speed",)).items():
        speed, own = speeds.get((node, card), (able, line))
        if (node, card) not in named and INSIDE.match(card) is None and able >= limits.many_times * speed:
            yield Seen(
                level="fallen",
                words=FallenWords(card, node, speed, able),
                lines=(own, line),
                nodes=(node,),
                borne_by=(1, 1),
                parts=("far_end",),
                weight=able / speed,
            )


def _sisters(
    settings: Settings, speeds: Mapping[tuple[str | None, str], tuple[float, Ref]], named: Set[str | None]
) -> Iterator[Seen]:
    """Ports of one host that offer the same speeds, of which one runs by a lower one than the others."""
    offers: tuple[Setting, ...] = settings.shown(None, pl.col("name").is_in(OFFERS) & pl.col("scope").is_not_null())
    alike: dict[tuple[str | None, str], dict[str, tuple[float, Ref]]] = defaultdict(dict)
    for one in offers:
        if one.scope and (shown := speeds.get((one.node, one.scope))) and one.node not in named:
            alike[one.node, " ".join(one.value.split())][one.scope] = shown
    for (node, _), ports in alike.items():
        most = max(speed for speed, _ in ports.values())
        slow = {port: (speed, line) for port, (speed, line) in ports.items() if speed < most}
        others = sorted(ports.keys() - slow.keys())
        if slow and len(slow) <= len(others):
            port, (speed, line) = min(slow.items(), key=lambda item: (item[1][0], item[0]))
            yield Seen(
                level="of_two",
                words=SpeedWords(port, ((node or "", speed),), most, tuple(others)),
                lines=(line, ports[others[0]][1]),
                nodes=(node,),
                borne_by=(len(ports), len(ports)),
                parts=("same_network",),
                weight=most / speed,
            )


def _closed(records: Records, names: Nodes) -> set[tuple[str, str]]:
    """Ports of InfiniBand without a link, whose rate is none."""
    return {
        (names.name(one.node), (one.component or "").removeprefix("port "))
        for one in records.of(HealthState)
        if one.node and one.standing != "healthy"
    }


def _by_card(
    speeds: Mapping[tuple[str | None, str], tuple[float, Ref]], closed: set[tuple[str, str]]
) -> dict[str, dict[str, tuple[float, Ref]]]:
    found: dict[str, dict[str, tuple[float, Ref]]] = defaultdict(dict)
    for (node, card), speed in speeds.items():
        if node and INSIDE.match(card) is None and (node, card) not in closed:
            found[card][node] = speed
    return found


def _behind(card: str, nodes: Mapping[str, tuple[float, Ref]], limits: Limits) -> Seen | None:
    most = max(speed for speed, _ in nodes.values())
    odd = sorted((speed, node) for node, (speed, _) in nodes.items() if speed < most)
    alike = sorted(node for node, (speed, _) in nodes.items() if speed == most)
    if not odd or len(odd) > len(alike):
        return None
    shown = [node for _, node in odd[:MOST]]
    is_far = len(nodes) >= OFTEN or most >= limits.times * odd[0][0]
    return Seen(
        level="of_several" if is_far else "of_two",
        words=SpeedWords(card, tuple((node, speed) for speed, node in odd[:MOST]), most, tuple(alike)),
        lines=[nodes[node][1] for node in (*shown, *alike[:2])],
        nodes=shown,
        borne_by=(len(nodes), len(nodes)),
        parts=("same_network",),
        weight=most / odd[0][0],
    )


def _speeds(settings: Settings, called: tuple[str, ...]) -> dict[tuple[str | None, str], tuple[float, Ref]]:
    """Mb/s by node and card, as shown last."""
    rows: tuple[Setting, ...] = settings.shown(None, pl.col("name").is_in(called) & pl.col("scope").is_not_null())
    found: dict[tuple[str | None, str], tuple[float, Ref]] = {}
    for one in rows:
        if one.scope and (speed := _mbit(one.scope, one.value)):
            found[one.node, one.scope] = speed, one.ref
    return found


def _mbit(card: str, value: str) -> float:
    if match := RATE.match(value):
        return float(match[1]) * MEGA[match[2]]
    return float(value) * MEGA["G"] if PORT.match(card) and value.isdecimal() else 0.0
