"""Rule on private links that share a path or differ in their MTU (R36)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.wording import node_words
from apps.diagnosis.engine.veritas.cluster import ClusterFacts, Logged
from apps.diagnosis.engine.veritas.llt_facts import CONFIGURATION, link_names, loses, resent
from parsers.dataclass import dataclass
from parsers.records import Setting

_ABOUT: Final = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
ONE_SILENCE_S: Final = 5.0
UDP: Final = ("/dev/udp", "/dev/udp6", "udp", "udp6")


def _times(rows: Iterable[Logged]) -> list[int | None]:
    return [row.at for row in rows]


@dataclass(frozen=True, slots=True)
class PathWords:
    """times: how often links to a peer were silent in the same second; values: MTU of a link by node; device: of
    several links.
    """

    node: str | None = None
    peer: str = ""
    times: int | None = None
    link: str = ""
    values: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    device: str = ""
    over_udp: int = 0


@rule("R36", needs=(ClusterFacts,), words=PathWords)
def llt_udp_mtu(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: both private links fail together, or large messages are lost.

    Reasoning: LLT over UDP, other MTU on one link, two links on one device, silence on both links in the same second.
    Source: llttab(4), messages of LLT; proposed limits.
    """
    yield from _lost_together(cluster, limits)
    yield from _mtu_apart(cluster)
    yield from _one_device(cluster)
    rows = [row for row in cluster.set_as(CONFIGURATION) if row.name == "link type" and row.value.startswith("udp")]
    if rows:
        words = PathWords(over_udp=len({(row.node, row.scope) for row in rows}))
        yield Seen(level="udp", words=words, lines=[row.ref for row in rows[:4]], nodes=[row.node for row in rows])


def _lost_together(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Two links of one peer with the same figure at the same moment."""
    by_moment: dict[tuple[str | None, str, int, float | None], dict[str, Logged]] = defaultdict(dict)
    for row in cluster.logged("link-inactive", "heartbeat-delayed"):
        about = _ABOUT.search(row.about or "")
        if about and row.at is not None:
            by_moment[row.node, about[3], row.at // 1_000_000, row.value].setdefault(about[2] or about[1], row)
    found: dict[tuple[str | None, str], list[Logged]] = defaultdict(list)
    for (node, peer, _, _), links in by_moment.items():
        if len(links) > 1:
            found[node, peer] += links.values()
    for (node, peer), rows in found.items():
        times = _silences(rows)
        if times >= limits.together:
            words = PathWords(node, cluster.host_ids.get(peer, peer), times)
            lines = [row.ref for row in rows[:8]]
            yield Seen(level="together", words=words, lines=lines, nodes=(node,), times=_times(rows))


def _silences(rows: Iterable[Logged]) -> int:
    """How many silences these are: one is logged again and again while it lasts, each time with its length so far; a
    peer that died is silent on all its links once.
    """
    starts = sorted((row.at or 0) / 1e6 - ((row.value or 0.0) if row.kind == "link-inactive" else 0.0) for row in rows)
    return 1 + sum(later - start > ONE_SILENCE_S for start, later in pairwise(starts))


def _mtu_apart(cluster: ClusterFacts) -> Iterator[Seen]:
    """The MTU of one private link differs between nodes."""
    private = link_names(cluster)
    by_link: dict[str, dict[str | None, Setting]] = defaultdict(dict)
    for row in cluster.settings:
        if row.name.lower() in ("mtu", "link mtu") and row.scope in private and row.value.isdecimal():
            by_link[row.scope][row.node] = row
    growing = any(loses(found) for found in resent(cluster) if found.is_difference)
    for link, rows in by_link.items():
        if len({row.value for row in rows.values()}) > 1:
            values = tuple(
                phrase("compared.value-on", value=row.value, node=node_words([node]))
                for node, row in sorted(rows.items(), key=str)
            )
            words = PathWords(link=link, values=values)
            lines = [row.ref for row in rows.values()]
            yield Seen(level="mtu_lossy" if growing else "mtu", words=words, lines=lines, nodes=rows)


def _one_device(cluster: ClusterFacts) -> Iterator[Seen]:
    """Two links of one node on one device."""
    by_device: dict[tuple[str | None, str], dict[str, Setting]] = defaultdict(dict)
    for row in cluster.set_as(CONFIGURATION):
        if row.name == "link device" and row.value not in UDP and row.scope:
            by_device[row.node, row.value][row.scope] = row
    for (node, device), rows in by_device.items():
        if len(rows) > 1:
            words = PathWords(node, links=tuple(sorted(rows)), device=device)
            yield Seen(level="device", words=words, lines=[row.ref for row in rows.values()], nodes=(node,))
