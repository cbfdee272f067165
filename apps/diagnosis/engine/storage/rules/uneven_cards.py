"""A rule on a card that is down on one node and up on its like (ST-67)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.rules.uneven_nodes import INSIDE
from parsers.dataclass import dataclass
from parsers.records.states import HealthState, Interface

# A port of InfiniBand or RoCE, as its own tool calls it.
PORT: Final = re.compile(r"port (?P<card>[\w.-]{1,40}/\d{1,3})$")
DOWN: Final = re.compile(r"(?:down|polling|disabled|linkdown|no link)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CardWords:
    """address: of the card that is down, where it has one; up: nodes on which the card of that name is up."""

    card: str
    node: str
    address: str | None
    up: tuple[str, ...]


class _Card(NamedTuple):
    standing: str
    address: str | None
    ref: Ref


@rule("ST-67", needs=(Records, Nodes), words=CardWords)
def card_down_on_one(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node reaches the others late or not at all, and its own list shows a port without a cable.

    Reasoning: a card has no carrier on a node, and the card of the same name is up on all others that list it. Of two
    nodes that tells something where they are alike in all their other cards.
    Source: ip-link(8), dladm(8), ibstat(8).
    """
    cards = _cards(records, names)
    is_pair = _are_a_pair(cards, limits)
    for card, nodes in sorted(cards.items()):
        down = {node: rows for node, rows in nodes.items() if _state(rows) == "down"}
        up = {node: rows for node, rows in nodes.items() if _state(rows) == "up"}
        if len(down) != 1 or len(up) + 1 != len(nodes) or len(up) < (1 if is_pair else limits.others):
            continue
        [(node, rows)] = down.items()
        address = next((one.address for one in rows if one.address), None)
        yield Seen(
            level="of_two" if is_pair else "addressed" if address else "bare",
            words=CardWords(card, node, address, tuple(sorted(up))),
            lines=[*(one.ref for one in rows[:2]), *(own[0].ref for _, own in sorted(up.items())[:2])],
            nodes=(node,),
            borne_by=(len(up), len(nodes)),
            weight=float(len(up)),
        )


def _are_a_pair(cards: Mapping[str, Mapping[str, list[_Card]]], limits: Limits) -> bool:
    """Whether just two nodes list cards, one card stands otherwise on one of them, and several are up on both."""
    states = [{node: _state(rows) for node, rows in nodes.items()} for nodes in cards.values()]
    nodes = {node for of_card in states for node in of_card}
    both = [sorted(of_card.values()) for of_card in states if len(of_card) == len(nodes)]
    return len(nodes) == 2 and both.count(["down", "up"]) == 1 and both.count(["up", "up"]) >= limits.beside


def _cards(records: Records, names: Nodes) -> Mapping[str, Mapping[str, list[_Card]]]:
    found = defaultdict[str, dict[str, list[_Card]]](lambda: defaultdict(list))
    for one in records.of(Interface):
        if one.node and one.name and INSIDE.match(one.name) is None:
            found[one.name][names.name(one.node)].append(_Card(one.standing, one.address, one.ref))
    for state in records.of(HealthState):
        if state.node and (port := PORT.match(state.component or "")) is not None:
            standing = "up" if state.standing == "healthy" else "down" if DOWN.match(state.state or "") else "unknown"
            found[port["card"]][names.name(state.node)].append(_Card(standing, None, state.ref))
    return found


def _state(rows: list[_Card]) -> str:
    """As shown last; a further address of a card has no state of its own."""
    return next((one.standing for one in reversed(rows) if one.standing != "unknown"), "unknown")
