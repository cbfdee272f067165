"""A rule on a Linux cluster of which several members show what they see: two parts of it, each without the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from apps.diagnosis.engine.core.events import Events
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.dataclass import dataclass
from parsers.state_records import ClusterMember, Quorum, Statement

# Looks further apart are of two moments, between which members come and go, as where each is restarted on purpose.
NEAR_US: Final = 3 * 60 * 1_000_000
MOST_PARTS: Final = 16
# One that left on purpose does not run on: where it does, and misses the other as well, nobody stopped it.
GONE: Final = frozenset(("down", "unclean", "leaving"))
LAYERS: Final = frozenset(("membership", "daemon", "services"))


@dataclass(frozen=True, slots=True)
class SplitWords:
    """left, right: the two parts; serving: none of them is known to lack quorum."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    serving: bool


@rule("NW-12", needs=(Records, Events, Nodes), words=SplitWords)
def split(records: Records, events: Events, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: two members each run the cluster's services.

    Reasoning: each shows the other as gone and itself as a member, or each counts votes of which the other's is
    missing, in looks of one time.
    Source: corosync-quorumtool(8), votequorum(5), crm_mon(8).
    """
    views = _rows(records, names) | _votes(records, events, names)
    seen = {(min(a, b), max(a, b)) for a, gone in views.items() for b in gone if b in views and a != b}
    pairs = sorted(pair for pair in seen if _are_apart(views[pair[0]], views[pair[1]], *pair))
    if not pairs:
        return
    anchor = pairs[0][0]
    right = {b if a == anchor else a for a, b in pairs if anchor in (a, b)}
    left = {name for pair in pairs for name in pair} - right
    lines = [views[a][b] for pair in pairs for a, b in (pair, pair[::-1])]
    last = {names.name(one.node): one.quorate for one in records.of(Quorum) if one.node}
    lacking = any(last.get(name) is False for name in left | right)
    yield Seen(
        level="apart" if lacking else "split",
        words=SplitWords(tuple(sorted(left)), tuple(sorted(right)), not lacking),
        lines=list(dict.fromkeys(one.ref for one in lines)),
        nodes=(*sorted(left), *sorted(right)),
        times=[one.at for one in lines if one.at is not None],
        zone_min=lines[0].zone_min,
        borne_by=(len(lines), len(left | right)),
        weight=1e9,
    )


def _are_apart(one: Mapping[str, Statement], other: Mapping[str, Statement], left: str, right: str) -> bool:
    first, second = one.get(right), other.get(left)
    if first is None or second is None:
        return False
    return first.at is None or second.at is None or abs(first.at - second.at) <= NEAR_US


def _rows(records: Records, names: Nodes) -> dict[str, dict[str, Statement]]:
    """By member whom it shows as gone, of those that show themselves as up."""
    last: dict[tuple[str, str], ClusterMember] = {}
    for one in records.of(ClusterMember):
        if one.node and one.member and one.layer in LAYERS:
            last[names.name(one.node), names.name(one.member)] = one
    up = {node for (node, member), one in last.items() if node == member and one.standing == "up"}
    views: dict[str, dict[str, Statement]] = {}
    for (node, member), one in last.items():
        if node in up and one.standing in GONE:
            views.setdefault(node, {})[member] = one
    return views


def _votes(records: Records, events: Events, names: Nodes) -> dict[str, dict[str, Statement]]:
    """By member that counts itself and lacks votes those that do so and count others: of each part the first one."""
    short = {line.node for line in events.lines("votes-missing")}
    last = {name: one for one in records.of(Quorum) if one.node and one.members and (name := names.name(one.node))}
    parts: dict[frozenset[str], str] = {}
    for name in sorted(short & last.keys()):
        members = frozenset(map(names.name, last[name].members.split()))
        if name in members:
            parts.setdefault(members, name)
    shown = dict(islice(parts.items(), MOST_PARTS))
    return {
        name: {other: last[name] for theirs, other in shown.items() if not theirs & members}
        for members, name in shown.items()
    }
