"""Things that two nodes saw at one moment: what the estimate of their clocks rests on (``clocks.py``).

- *message*: an RPC that its sender still waits for and its receiver still handles, both by the same message id.
- *waits*: a wait for the reply to an RPC, and the thread on the node asked that handles such an RPC, where no other node asks for it.
- *locks*: rates of locks granted on one node of a VxFS mount and revoked on the other, shifted until they fit.
- *events*: what both nodes logged in the same words, once each; or about each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.clocks import Pair
from apps.diagnosis.engine.core.model import LockRole, Ref
from apps.diagnosis.engine.core.spans import NO_TIME
from apps.diagnosis.engine.scale.spans import Columns
from parsers.records import DAY_US, Event, PendingRpc

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

SECOND_US: Final = 1_000_000
APART_S: Final = 900.0  # a pair further apart is a chance likeness, or clocks in different zones
ALIKE: Final = 50
MOST_PAIRS: Final = 10_000
MESSAGE_ERROR_S: Final = 0.5
WAIT_ERROR_S: Final = 1.1
EVENT_ERROR_S: Final = 2.0
HANDLER: Final = "Msg handler "
SHARED_KINDS: Final = (
    "expel|member|quorum|recover|takeover|join|leave|left|generation|regroup|config|ring|fence|token|failed|cluster|manager|lockspace"
)
MUTUAL_KINDS: Final = ("connected", "connection-closed", "reconnected", "link-down", "link-up", "disconnected")
OWN_WORDS: Final = r"\[\d+\]|0x[0-9A-Fa-f]+|\bpid[ =:]*\d+|\bthread \d+"


def pairs_of(case: CaseFacts) -> Iterator[Pair]:
    """All pairs of a case."""
    yield from message_pairs(case)
    yield from wait_pairs(case)
    yield from lock_pairs(case.lock_roles)
    yield from event_pairs(case)


# messages


def message_pairs(case: CaseFacts) -> Iterator[Pair]:
    """Sender and receiver of one message; the receiver's clock shows the start later by the way, which is short."""
    frame = case.named(case.named(case.facts.frame(PendingRpc)), "peer")
    known = frame.filter(pl.all_horizontal(pl.col("node", "peer", "at", "seconds", "message_id").is_not_null()))
    known = known.with_columns((pl.col("at") - (pl.col("seconds") * SECOND_US).cast(pl.Int64)).alias("start"))
    columns = ["message_id", "rpc", "node", "peer", "start", "artifact", "line"]
    sent = known.filter(~pl.col("incoming")).select(columns)
    received = known.filter(pl.col("incoming")).select(columns)
    joined = sent.join(received, left_on=["message_id", "rpc", "node", "peer"], right_on=["message_id", "rpc", "peer", "node"], how="inner")
    for row in joined.sort("artifact", "line", "artifact_right", "line_right").head(MOST_PAIRS).iter_rows(named=True):
        ahead = (row["start_right"] - row["start"]) / SECOND_US
        if abs(ahead) <= APART_S:
            ref, other = Ref(row["artifact"], row["line"]), Ref(row["artifact_right"], row["line_right"])
            yield Pair(row["node"], row["peer"], ahead, MESSAGE_ERROR_S, "message", ref, other)


# waits


def wait_pairs(case: CaseFacts) -> Iterator[Pair]:
    """Waits for an RPC to a node, and its handlers there, in the order of their starts; only where one node alone asks."""
    if not case.scale.any:
        return
    asking, handling = _asked_and_handled(case)
    if not len(asking.key) or not len(handling.key):
        return
    both = _counted(asking).join(_counted(handling), on=["key", "waits"])
    one_asks = both.filter(pl.col("waits") <= ALIKE, pl.col("first") == pl.col("last"), pl.col("first") != pl.col("first_right"))
    for key, sender, other in sorted(one_asks.select("key", "first", "first_right").iter_rows()):
        yield from _in_order(asking.names[sender], asking.names[other], asking.of(key), handling.of(key))


class _Waits(NamedTuple):
    """Waits in the order of ``key``, which numbers the node asked together with the message; ``node`` is the one that waits."""

    key: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]
    columns: Columns
    names: list[str]

    def of(self, key: int) -> list[tuple[int, Ref]]:
        """Start and line of the waits of one key, in their order."""
        first, end = np.searchsorted(self.key, [key, key + 1])
        some = [getattr(self.columns, name)[first:end].tolist() for name in ("start", "artifact", "line")]
        return sorted(((start, Ref(artifact, line)) for start, artifact, line in zip(*some, strict=True)), key=_when)


def _by_key(key: npt.NDArray[np.int64], node: npt.NDArray[np.int64], columns: Columns, names: list[str]) -> _Waits:
    order = np.argsort(key, kind="stable")
    return _Waits(key[order], node[order], columns.where(order), names)


def _asked_and_handled(case: CaseFacts) -> tuple[_Waits, _Waits]:
    """Waits for a message to a node, and waits of threads that handle such a message."""
    table = case.scale.spans
    shapes = [text.shape for text in table.texts.texts]
    numbers: dict[str | None, int] = {}
    messages: dict[str | None, int] = {}
    known = [table.nodes.name(code) for code in range(table.nodes.size)]
    node_of = np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in known], np.int64)
    asked, handled, asked_node = (np.full(len(shapes), -1, np.int64) for _ in range(3))
    name = cache(case.nodes.name)
    for place, shape in enumerate(shapes):
        if shape.thread and shape.thread.startswith(HANDLER):
            message = shape.thread.removeprefix(HANDLER)
            handled[place] = messages.setdefault(message, len(messages))
        elif shape.thread and shape.rpc and shape.target:
            asked[place] = messages.setdefault(shape.rpc, len(messages))
            asked_node[place] = numbers.setdefault(name(shape.target), len(numbers))
    kept = table.kept
    usable = (kept.start != NO_TIME) & (node_of[kept.node] >= 0)
    sent, worked = kept.where(usable & (asked[kept.text] >= 0)), kept.where(usable & (handled[kept.text] >= 0))
    names = [one or "" for one in numbers]
    size = max(1, len(messages))
    sent_key = asked_node[sent.text] * size + asked[sent.text]
    worked_key = node_of[worked.node] * size + handled[worked.text]
    return _by_key(sent_key, node_of[sent.node], sent, names), _by_key(worked_key, node_of[worked.node], worked, names)


def _counted(waits: _Waits) -> pl.DataFrame:
    """How many waits each key has, and the first and last number of the nodes that wait."""
    node, frame = pl.col("node"), pl.DataFrame({"key": waits.key, "node": waits.node})
    return frame.group_by("key").agg(pl.len().alias("waits"), node.min().alias("first"), node.max().alias("last"))


def _when(wait: tuple[int, Ref]) -> tuple[int, int, int]:
    return wait[0], wait[1].artifact, wait[1].line


def _in_order(sender: str, other: str, waits: Sequence[tuple[int, Ref]], handlers: Sequence[tuple[int, Ref]]) -> Iterator[Pair]:
    for (sent, ref), (begun, other_ref) in zip(waits, handlers, strict=True):
        ahead = (begun - sent) / SECOND_US
        if abs(ahead) <= APART_S and (sent < DAY_US) == (begun < DAY_US):
            yield Pair(sender, other, ahead, WAIT_ERROR_S, "waits", ref, other_ref)


# locks

Rates = npt.NDArray[np.float64]
LEAST_SAMPLES: Final = 5
SHIFT_S: Final = 90
VARIED: Final = 0.3
FITS: Final = 0.3
OVERLAP: Final = 0.6
NEARLY: Final = 0.05
MOST_ERROR_S: Final = 20.0
GRID_MOST: Final = 20_000


def lock_pairs(roles: Iterable[LockRole]) -> Iterator[Pair]:
    """For each two nodes of a mount the shift at which what one takes looks like what the other loses."""
    by_scope: dict[str | None, dict[str, list[LockRole]]] = defaultdict(lambda: defaultdict(list))
    for role in roles:
        if role.node is not None and role.at is not None and role.at >= DAY_US and not role.node_inferred:
            by_scope[role.scope][role.node].append(role)
    for scope in sorted(by_scope, key=str):
        for one, other in combinations(sorted(by_scope[scope]), 2):
            taking, losing = by_scope[scope][one], by_scope[scope][other]
            found = [_shift(taking, losing, "h_grant", "h_revoke"), _shift(taking, losing, "h_revoke", "h_grant")]
            for shift, error in filter(None, found):
                yield Pair(one, other, shift, error, "locks", taking[0].ref, losing[0].ref)


def _shift(one: Sequence[LockRole], other: Sequence[LockRole], key: str, other_key: str) -> tuple[float, float] | None:
    """Seconds that ``other`` is ahead, and how exact that is; None where the rates do not tell."""
    begun = min(role.at or 0 for role in (*one, *other)) // SECOND_US - 60
    mine, theirs = _curve(one, key, begun), _curve(other, other_key, begun)
    if mine is None or theirs is None or not (_varies(mine) and _varies(theirs)):
        return None
    size = max(len(mine), len(theirs)) + 2 * SHIFT_S
    mine, theirs = _padded(mine, size), _padded(theirs, size)
    costs = np.array([_cost(mine, theirs, shift) for shift in range(-SHIFT_S, SHIFT_S + 1)])
    if not np.isfinite(costs).any():
        return None
    best = int(np.nanargmin(costs))
    good = np.flatnonzero(costs <= costs[best] + NEARLY)
    shift, error = float(good.mean() - SHIFT_S), float(good.max() - good.min()) / 2 + 1.0
    return (shift, error) if costs[best] <= FITS and error <= MOST_ERROR_S else None


def _curve(roles: Sequence[LockRole], key: str, begun: int) -> Rates | None:
    """Rate in each second from ``begun`` on, as a share of its mean; nan where no sample tells."""
    told = [(role.at // SECOND_US - begun, role.interval_s, role.per_s[key]) for role in roles if role.at is not None and key in role.per_s]
    if len(told) < LEAST_SAMPLES or told[-1][0] > GRID_MOST or max(end for end, _, _ in told) > GRID_MOST:
        return None
    curve = np.full(max(end for end, _, _ in told) + 1, np.nan)
    for end, length, rate in told:
        curve[max(0, end - max(1, round(length))) : end] = rate
    mean = float(np.nanmean(curve))
    return curve / mean if mean > 0 else None


def _varies(curve: Rates) -> bool:
    return float(np.nanstd(curve)) >= VARIED


def _padded(curve: Rates, size: int) -> Rates:
    return np.concatenate((np.full(SHIFT_S, np.nan), curve, np.full(size - SHIFT_S - len(curve), np.nan)))


def _cost(mine: Rates, theirs: Rates, shift: int) -> float:
    """Mean difference where both are known, which must be most of what the shorter one knows; else infinite."""
    moved = np.roll(theirs, -shift)
    both = ~np.isnan(mine) & ~np.isnan(moved)
    least = OVERLAP * min(int((~np.isnan(mine)).sum()), int((~np.isnan(theirs)).sum()))
    return float(np.abs(mine[both] - moved[both]).mean()) if both.sum() >= max(least, 10) else float("inf")


# events


def event_pairs(case: CaseFacts) -> Iterator[Pair]:
    """What nodes logged in the same words, or about each other, equally often."""
    dated = pl.col("at").ge(DAY_US) & pl.col("node").is_not_null()
    columns = ["node", "at", "kind", "about", "text", "artifact", "line"]
    rows = case.named(case.facts.scan(Event).filter(dated & _tells()).select(columns).collect())
    if rows.is_empty():
        return
    rows = rows.unique(subset=["node", "at", "kind", "text"], keep="first", maintain_order=True)
    same: dict[tuple[str, str], dict[str, list[tuple[int, Ref]]]] = defaultdict(lambda: defaultdict(list))
    mutual: dict[tuple[str, str, str], dict[str, list[tuple[int, Ref]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.with_columns(pl.col("text").str.replace_all(OWN_WORDS, "").alias("words")).iter_rows(named=True):
        logged = (row["at"], Ref(row["artifact"], row["line"]))
        if row["kind"] in MUTUAL_KINDS:
            about = case.nodes.name(row["about"] or "")
            if about:
                mutual[row["kind"], min(row["node"], about), max(row["node"], about)][row["node"]].append(logged)
        else:
            same[row["kind"], row["words"]][row["node"]].append(logged)
    for _, by_node in sorted([*same.items(), *mutual.items()], key=lambda item: item[0]):
        yield from _logged(by_node)


def _tells() -> pl.Expr:
    return pl.col("kind").str.contains(SHARED_KINDS) | pl.col("kind").is_in(MUTUAL_KINDS)


def _logged(by_node: dict[str, list[tuple[int, Ref]]]) -> Iterator[Pair]:
    """Each neighbour in the order of names: with hundreds of nodes not every one with every other."""
    names = sorted(by_node)
    for one, other in pairwise(names):
        mine, theirs = sorted(by_node[one], key=_when), sorted(by_node[other], key=_when)
        if len(mine) != len(theirs) or len(mine) > ALIKE:
            continue
        for (at, ref), (seen, other_ref) in zip(mine, theirs, strict=True):
            ahead = (seen - at) / SECOND_US
            if abs(ahead) <= APART_S:
                yield Pair(one, other, ahead, EVENT_ERROR_S, "events", ref, other_ref)
