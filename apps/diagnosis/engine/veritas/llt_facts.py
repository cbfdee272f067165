"""Figures of LLT: tails of latency, shares of packets sent again, flow control in force, speed and names of the private
links.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Final, TypeVar

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import metric, setting
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts, steps
from parsers.dataclass import dataclass
from parsers.records import Setting

T = TypeVar("T")
Numbered = dict[str | None, list[tuple[int, Setting]]]
"""Rows by their node, with their place in the text."""
FLOWS: Final = ("highwater", "lowwater", "rporthighwater", "rportlowwater", "window")
DEFAULT_MBIT: Final = 1000.0
_CELL: Final = re.compile(r"([tr]x)latency (>=)?(\d{1,3}) ms$")
_SPEED: Final = re.compile(r"(\d{1,7}) ?(M|G)b(?:it)?/s", re.IGNORECASE)
PEERS: Final = metric("llt-peers")
COUNTERS: Final = metric("llt-counters")
LINK_COUNTERS: Final = metric("llt-link-counters")
NO_LINK: Final = metric("llt-packets-without-link")
LINK_NUMBERS: Final = metric("llt-link-numbers")
INTERFACES: Final = metric("interface-counters")
FLOW_CONTROL: Final = setting("llt-flow-control")
CONFIGURATION: Final = setting("llt-configuration")
LINKS: Final = setting("llt-links")
TIMERS: Final = setting("llt-timers")


@dataclass(frozen=True, slots=True)
class Tail:
    """How many packets of a direction took how long: of the difference of two readings, or since LLT started."""

    node: str | None
    port: str | None
    way: str
    at: int | None
    cells: dict[int, float]
    is_difference: bool
    refs: tuple[Ref, ...]
    other_share16: float | None = None

    @property
    def total(self) -> float:
        """Packets counted."""
        return sum(self.cells.values())

    @property
    def share1(self) -> float:
        """Share of 1 ms or longer."""
        return sum(number for ms, number in self.cells.items() if ms >= 1) / self.total if self.total else 0.0

    @property
    def share16(self) -> float:
        """Share of 16 ms or longer."""
        return self.cells.get(16, 0.0) / self.total if self.total else 0.0

    @property
    def mean_ms(self) -> float:
        """Mean latency, each cell taken at its middle and the open one at its lower end."""
        middle = sum(number * (ms + (0.5 if ms < 16 else 0.0)) for ms, number in self.cells.items())
        return middle / self.total if self.total else 0.0


def tails(cluster: ClusterFacts) -> list[Tail]:
    """For each node, port and direction the last difference of two readings; else what the last one counts."""
    return cluster.once(_all_tails)


def tails_of(cluster: ClusterFacts, node: str | None) -> list[Tail]:
    """Those of one node."""
    return cluster.once(_tails_by_node).get(node, [])


def _tails_by_node(cluster: ClusterFacts) -> dict[str | None, list[Tail]]:
    return _by_node(tails(cluster), lambda tail: tail.node)


def _all_tails(cluster: ClusterFacts) -> list[Tail]:
    return list(_tails(cluster))


def _tails(cluster: ClusterFacts) -> Iterator[Tail]:
    for (node, port), captures in cluster.captures(PEERS).items():
        found: dict[str, Tail] = {}
        for way in ("tx", "rx"):
            whole = [capture for capture in captures if _cells(capture, way)]
            if whole:
                found[way] = _tail(node, port, way, whole)
        for way, tail in found.items():
            other = found.get("rx" if way == "tx" else "tx")
            share = other.share16 if other is not None and other.is_difference == tail.is_difference else None
            yield Tail(tail.node, tail.port, way, tail.at, tail.cells, tail.is_difference, tail.refs, share)


def _tail(node: str | None, port: str | None, way: str, captures: list[Capture]) -> Tail:
    last = captures[-1]
    refs = last.refs(f"{way}latency 0 ms", f"{way}latency 1 ms", f"{way}latency >=16 ms")
    for earlier, later in reversed(list(steps(captures))):
        grown = _difference(_cells(earlier, way), _cells(later, way))
        if grown is not None and sum(grown.values()) > 0:
            both = (*earlier.refs(f"{way}latency >=16 ms"), *later.refs(f"{way}latency 0 ms", f"{way}latency >=16 ms"))
            return Tail(node, port, way, later.at, grown, True, both)
    return Tail(node, port, way, last.at, _cells(last, way), False, refs)


def _cells(capture: Capture, way: str) -> dict[int, float]:
    """Packets by milliseconds; whole histograms only, as a cut one has no share."""
    found: dict[int, float] = {}
    for name, (value, _) in capture.values.items():
        match = _CELL.match(name)
        if match is not None and match[1] == way:
            found[int(match[3])] = value
    return found if 16 in found and 0 in found else {}


def _difference(was: dict[int, float], now: dict[int, float]) -> dict[int, float] | None:
    """Cell by cell; None after a reset."""
    grown = {ms: number - was.get(ms, 0.0) for ms, number in now.items()}
    return None if any(number < 0 for number in grown.values()) or was.keys() != now.keys() else grown


@dataclass(frozen=True, slots=True)
class Resent:
    """LLT data packets sent, and sent again."""

    node: str | None
    at: int | None
    sent: float
    again: float
    is_difference: bool
    refs: tuple[Ref, ...]

    @property
    def share(self) -> float:
        """Share that was sent again."""
        return self.again / self.sent if self.sent else 0.0


_SENT: Final = "Snd data packets"
_AGAIN: Final = "Snd retransmit data"
OUT_OF_PLACE: Final = ("Rcv out of window", "Rcv out of sequence")
_ENOUGH: Final = 1000  # packets between two readings that give a share


def resent(cluster: ClusterFacts) -> list[Resent]:
    """For each node the worst difference of two readings; else the counters of the last one, or of the worst where
    nothing tells which of several texts came last.
    """
    return cluster.once(_all_resent)


def resent_of(cluster: ClusterFacts, node: str | None) -> list[Resent]:
    """That of one node."""
    return cluster.once(_resent_by_node).get(node, [])


def _resent_by_node(cluster: ClusterFacts) -> dict[str | None, list[Resent]]:
    return _by_node(resent(cluster), lambda found: found.node)


def _all_resent(cluster: ClusterFacts) -> list[Resent]:
    return list(_resent(cluster))


def _resent(cluster: ClusterFacts) -> Iterator[Resent]:
    for (node, _), captures in cluster.captures(COUNTERS).items():
        whole = [capture for capture in captures if capture.get(_SENT) and capture.get(_AGAIN) is not None]
        found = [one for earlier, later in steps(whole) if (one := _grown(node, earlier, later)) is not None]
        if found:
            yield max(found, key=lambda one: one.share)
        elif whole:
            alone = [
                Resent(node, one.at, one.get(_SENT) or 0.0, one.get(_AGAIN) or 0.0, False, one.refs(_SENT, _AGAIN))
                for one in whole
            ]
            is_ordered = len({one.artifact for one in whole}) == 1 or any(one.at is not None for one in whole)
            yield alone[-1] if is_ordered else max(alone, key=lambda one: one.share)


def loses(found: Resent) -> bool:
    """Whether more than a trace of the packets was sent again."""
    return found.share >= limits("llt").lossy


def _grown(node: str | None, earlier: Capture, later: Capture) -> Resent | None:
    sent, again = later.since(earlier, _SENT), later.since(earlier, _AGAIN)
    if sent is None or again is None or sent < _ENOUGH:
        return None
    return Resent(node, later.at, sent, again, True, (*earlier.refs(_SENT, _AGAIN), *later.refs(_SENT, _AGAIN)))


def flows(cluster: ClusterFacts, node: str | None) -> list[Setting]:
    """Flow control in force on a node, in the order of the text."""
    return _also_nameless(cluster.once(_flows_by_node), node)


def _flows_by_node(cluster: ClusterFacts) -> Numbered:
    rows = enumerate(cluster.set_as(FLOW_CONTROL))
    return _by_node(((n, row) for n, row in rows if row.value.isdecimal()), lambda pair: pair[1].node)


def _by_node(rows: Iterable[T], node_of: Callable[[T], str | None]) -> dict[str | None, list[T]]:
    found: dict[str | None, list[T]] = defaultdict(list)
    for row in rows:
        found[node_of(row)].append(row)
    return found


def _also_nameless(by_node: Numbered, node: str | None) -> list[Setting]:
    """Rows of a node and those of no node, in the order of the text."""
    nameless = by_node.get(None, [])
    rows = nameless if node is None else sorted([*nameless, *by_node.get(node, [])], key=itemgetter(0))
    return [row for _, row in rows]


def link_names(cluster: ClusterFacts) -> set[str]:
    """Links that LLT uses: tags of lltstat and llttab, and the devices behind the tags."""
    return cluster.once(_link_names)


def _link_names(cluster: ClusterFacts) -> set[str]:
    names = {row.link for row in cluster.links if row.link}
    for row in cluster.set_as(LINKS):
        if row.name in ("link device", "device"):
            names.add(row.value)
        if row.name in ("link", "link-lowpri", "device") and row.scope:
            names.add(row.scope)
    return names


def _speeds_by_node(cluster: ClusterFacts) -> Numbered:
    rows = enumerate(cluster.settings)
    return _by_node(((n, row) for n, row in rows if row.name.lower() == "speed"), lambda pair: pair[1].node)


def speed_mbit(cluster: ClusterFacts, node: str | None) -> tuple[float, bool]:
    """The slowest private link of a node in Mb/s, and whether it is shown; 1 Gb/s is taken where it is not."""
    private = link_names(cluster)
    by_link: dict[str | None, float] = defaultdict(float)
    for row in _also_nameless(cluster.once(_speeds_by_node), node):
        match = _SPEED.search(row.value)
        if match and (not private or row.scope in private):
            by_link[row.scope] = float(match[1]) * (1000 if match[2].upper() == "G" else 1)
    known = min(by_link.values(), default=None) if private or len(by_link) == 1 else None
    return (known, True) if known else (DEFAULT_MBIT, False)
