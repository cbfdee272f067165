"""Rule on the links over which Corosync hears other nodes (NW-17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.records import Records, grouped
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.dataclass import dataclass
from parsers.state_records import HeartbeatLink

SHOWN: Final = 6
_TO: Final = " to node "


@dataclass(frozen=True, slots=True)
class UnheardWords:
    """A node, whom it does not hear as it should, over how many of how many links; link: the one that fails for all."""

    node: str | None
    peers: tuple[str, ...]
    link: str
    down: int
    links: int


@rule("NW-17", needs=(Records,), words=UnheardWords)
def unheard(records: Records, _: Limits) -> Iterator[Seen]:
    """Symptom: nodes come and go, or one is gone, and each of its links is listed for itself.

    Reasoning: a peer that is heard over none of its links is gone or cut off, one that is heard over some has lost its
    spare; a link that reaches no peer at all is broken on the node's own side.
    Source: corosync-cfgtool(8), knet of corosync 3.
    """
    rows = [one for one in records.of(HeartbeatLink) if one.protocol == "totem" and _TO in (one.link or "")]
    for (_, node), own in grouped(rows, lambda one: (one.artifact, one.node)).items():
        last = {(_peer(one), _number(one)): one for one in own}
        peers = {peer: [one for (of, _), one in last.items() if of == peer] for peer, _ in last}
        links = {number: [one for (_, of), one in last.items() if of == number] for _, number in last}
        yield from list(_of_node(node, peers, links))[:SHOWN]


def _of_node(
    node: str | None, peers: Mapping[str, list[HeartbeatLink]], links: Mapping[str, list[HeartbeatLink]]
) -> Iterator[Seen]:
    """Peers that are heard over no link first; then links that reach nobody; then peers over fewer links."""
    cut_off = {peer: own for peer, own in peers.items() if len(own) > 1 and _are_down(own)}
    if cut_off:
        lines = [one for own in cut_off.values() for one in own]
        yield _seen("none", lines, UnheardWords(node, tuple(cut_off), "", 0, len(links)))
    heard = {number: [one for one in own if _peer(one) not in cut_off] for number, own in links.items()}
    broken = {number: own for number, own in heard.items() if len(links) > 1 < len(own) and _are_down(own)}
    for number, own in broken.items():
        yield _seen("link", own, UnheardWords(node, tuple(map(_peer, own)), number, 1, len(links)))
    left = [one for number, own in heard.items() if number not in broken for one in own]
    for peer, down in grouped((one for one in left if one.standing == "down"), _peer).items():
        if len(peers[peer]) > 1:
            yield _seen("fewer", down, UnheardWords(node, (peer,), "", len(down), len(peers[peer])))


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


def _are_down(own: list[HeartbeatLink]) -> bool:
    return all(one.standing == "down" for one in own)


def _peer(one: HeartbeatLink) -> str:
    return (one.link or "").partition(_TO)[2]


def _number(one: HeartbeatLink) -> str:
    return (one.link or "").partition(_TO)[0]
