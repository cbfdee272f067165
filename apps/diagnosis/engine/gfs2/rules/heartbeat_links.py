"""Rule on the links over which Corosync hears other nodes (NW-17)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import HeartbeatLink

SHOWN: Final = 6
_TO: Final = " to node "


@dataclass(frozen=True, slots=True)
class UnheardWords:
    """A node, whom it does not hear as it should, over how many of how many links; link: the one that fails for
    all, or those that are down.
    """

    node: str | None
    peers: tuple[str, ...]
    link: str
    down: int
    links: int


@rule("NW-17", needs=(Records, Nodes), words=UnheardWords)
def unheard(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: nodes come and go, or one is gone, and each of its links is listed for itself.

    Reasoning: a peer that is heard over none of its links is gone or cut off, one that is heard over some has lost its
    spare; a link that reaches no peer at all is broken on the node's own side.
    Source: corosync-cfgtool(8), knet of corosync 3.
    """
    rows = [one for one in records.of(HeartbeatLink) if one.protocol == "totem" and _TO in (one.link or "")]
    for (_artifact, node), own in grouped(rows, lambda one: (one.artifact, one.node)).items():
        ways = list({(_peer(one), _number(one)): one for one in own}.values())
        for seen in list(_of_node(node, ways))[:SHOWN]:
            words: UnheardWords = seen.words
            peers = tuple(names.name(peer) for peer in words.peers)
            yield replace(seen, words=replace(words, peers=peers))


def _of_node(node: str | None, ways: list[HeartbeatLink]) -> Iterator[Seen]:
    """Peers that are heard over no link first; then links that reach nobody; then peers over fewer links.

    ways: each link to each peer once, as the last look has it.
    """
    links = len({_number(one) for one in ways})
    cut_off = _all_down(ways, _peer)
    if cut_off:
        lines = [one for own in cut_off.values() for one in own]
        yield _seen("none", lines, UnheardWords(node, tuple(cut_off), "", 0, links))
    heard = [one for one in ways if _peer(one) not in cut_off]
    broken = _all_down(heard, _number) if links > 1 else {}
    for number, own in broken.items():
        yield _seen("link", own, UnheardWords(node, tuple(map(_peer, own)), number, 1, links))
    down = [one for one in heard if one.standing == "down" and _number(one) not in broken]
    for peer, own in grouped(down, _peer).items() if links > 1 else ():
        yield _seen("fewer", own, UnheardWords(node, (peer,), ", ".join(map(_number, own)), len(own), links))


def _all_down(ways: list[HeartbeatLink], of: Callable[[HeartbeatLink], str]) -> dict[str, list[HeartbeatLink]]:
    """By peer or by link those of which two ways or more are listed, and none is up."""
    found = grouped(ways, of).items()
    return {name: own for name, own in found if len(own) > 1 and all(one.standing == "down" for one in own)}


def _seen(level: str, lines: list[HeartbeatLink], words: UnheardWords) -> Seen:
    return Seen(
        level=level,
        words=words,
        shown=lines,
        most_lines=SHOWN,
        borne_by=(len(lines), 1),
        parts=("listed",),
        weight=float(len(lines)),
    )


def _peer(one: HeartbeatLink) -> str:
    return (one.link or "").partition(_TO)[2]


def _number(one: HeartbeatLink) -> str:
    return (one.link or "").partition(_TO)[0]
