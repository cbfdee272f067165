"""Rules on corosync and totem: messages sent again, tokens lost, no CPU, defaults, MTU.

Totem carries membership and POSIX locks. Glocks go over the lock manager's own connections: no setting of totem makes
them faster.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, LogLine, by_node, refs, zone_of
from apps.diagnosis.engine.core.facts.nodes import Nodes, nodes_in
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.times.moments import at_all
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.fencing import Fencing, settles
from apps.diagnosis.engine.gfs2.members import MEMBERSHIP, members_left
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.totem_settings import Totem, at_default
from parsers.dataclass import dataclass
from parsers.records import Ref

SECOND: Final = 1_000_000
PAUSE_S: Final = 60
USUAL_MTU: Final = 1500.0
SAME_LOSS_S: Final = 5
SHOWN: Final = 3
# Of a kernel that did nothing for seconds, or ended.
STILL: Final = ("hard-lockup", "soft-lockup", "panic", "panic-in-module")
LINK_DOWN: Final = "link-down"
FENCED: Final = ("fence-request", "fence-result", "fence-status", "fence-pending")
FENCE_FAILURES: Final = ("fence-failed", "fence-agent-failed")
NOT_SCHEDULED: Final = metric("membership-not-scheduled")
OF_TOKEN: Final = 0.8  # of the token timeout, from which on corosync warns (recalled)
_THRESHOLD: Final = re.compile(r"\bthreshold is (\d{1,8}(?:\.\d{1,6})?) ms")
_LEFT: Final = r"Members left:? {0,4}(\S.{0,80})$"
_CHANGED: Final = r"Members (?:joined|left):? {0,4}\S"
STARVED: Final = ("corosync-not-scheduled", "corosync-paused")


@dataclass(frozen=True, slots=True)
class RetransmitWords:
    """most: lines within the window; times: stretches without a pause; window, mtu, product: window_size, netmtu and
    what they make, in B; fits: it is within the limit.
    """

    node: str | None
    most: float
    total: float
    lasting_s: float
    window: float | None
    mtu: float
    product: float
    fits: bool
    most_windows: int
    times: int


@rule("NW-03", needs=(Events, Totem), words=RetransmitWords)
def totem_retransmit(events: Events, totem: Totem, limits: Limits) -> Iterator[Seen]:
    """Symptom: corosync lists messages that it has to send again.

    Reasoning: lines within five minutes; compressed lines of syslog count as often as they say. Few of them are a
    hint where they come again and again, else a note.
    Source: corosync.conf(5); limits proposed.
    """
    for node, rows in events.by_node(("totem-retransmit",)):
        timed = rows.filter(pl.col("at").is_not_null()).sort("at")
        most, lasting = _busiest(timed["at"].to_list(), timed["value"].fill_null(1.0).to_list(), limits.window_s)
        times = int(timed["at"].diff().gt(PAUSE_S * SECOND).sum()) + 1
        window, mtu = totem.value("window_size", node), totem.value("netmtu", node)
        size, number = (mtu.number if mtu else None) or USUAL_MTU, window.number if window else None
        product = (number or 0.0) * size
        yield Seen(
            level=_level_of_lines(most, lasting, times, limits),
            words=RetransmitWords(
                node=node,
                most=most,
                total=float(rows["value"].fill_null(1.0).sum()),
                lasting_s=lasting,
                window=number,
                mtu=size,
                product=product,
                fits=product <= limits.window_bytes,
                most_windows=int(limits.window_bytes // size),
                times=times,
            ),
            lines=(*refs(rows)[:4], *(value.ref for value in (window, mtu) if value is not None)),
            nodes=(node,),
            times=rows["at"],
            zone_min=zone_of(rows),
            borne_by=(rows.height, 1),
            parts=("here" if window else "not_here",),
            tunings=("totem-window-size",) if product > limits.window_bytes and most >= limits.low else None,
            weight=most / 100,
        )


def _level_of_lines(most: float, lasting_s: float, times: int, limits: Limits) -> str:
    """By most lines inside the window, the longest stretch, and how many stretches there are."""
    if most < limits.low:
        return "often" if times >= limits.times else "note"
    if most < limits.medium:
        return "low"
    return "high" if lasting_s > limits.window_s else "medium"


def _busiest(times: list[int], weights: list[float], window_s: float) -> tuple[float, float]:
    """Most lines inside the window, and the longest stretch without a pause, in s."""
    best = total = lasting = 0.0
    start = begun = 0
    for index, at in enumerate(times):
        total += weights[index]
        while at - times[start] > window_s * SECOND:
            total -= weights[start]
            start += 1
        best = max(best, total)
        if index and at - times[index - 1] > PAUSE_S * SECOND:
            begun = index
        lasting = max(lasting, (at - times[begun]) / SECOND)
    return best, lasting


@dataclass(frozen=True, slots=True)
class TokenWords:
    """nodes: whose logs tell it; lost, late: how often, a loss that several nodes log counts once; often: how often
    where that is more than once. token: the timeout as printed, in ms; left: members that the next memberships lack;
    fenced: a node was fenced behind it, and none waits for that; unlinked: no link to a member was left before it,
    as the logs of seen_on tell; starved: nodes of it on which corosync got no CPU; victims: nodes that were to be
    fenced, before it or behind it; fenced_nodes: those that were fenced behind it; ended: nodes on which daemons of
    the cluster manager ended behind it; quorate_again: nodes that lost quorum behind it and have it again,
    without_s: the longest time that took; again: lines that ask for messages of the ring once more; bonds: with their
    nodes, that lost their last link before it; stuck: members that left, whose kernel stood still or panicked before;
    cards: with their nodes, which left or were fenced, that lost their carrier before.
    """

    nodes: tuple[str, ...]
    lost: int
    late: int
    token: str | None
    left: tuple[str, ...]
    fenced: bool
    starved: tuple[str, ...]
    victims: tuple[str, ...] = ()
    often: int | None = None
    unlinked: tuple[str, ...] = ()
    seen_on: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    fenced_nodes: tuple[str, ...] = ()
    quorate_again: tuple[str, ...] = ()
    without_s: float | None = None
    again: int | None = None
    bonds: tuple[tuple[str, str | None], ...] = ()
    stuck: tuple[str, ...] = ()
    cards: tuple[tuple[str, str | None], ...] = ()


@rule("NW-04", needs=(Events, Totem, Nodes, Fencing), words=TokenWords)
def token_loss(events: Events, totem: Totem, names: Nodes, fencing: Fencing, limits: Limits) -> Iterator[Seen]:
    """Symptom: the cluster forms a new membership without anybody asking for it.

    Reasoning: the token was late or lost; twice within an hour is high, fencing behind it critical. A loss behind a
    request to fence is the consequence of it. Without such a line, a membership that forms again and again, and
    nobody joins or leaves, or one member to and fro, says the same. No other timeout is proposed while a node can't be
    fenced: that comes first. Source: corosync.conf(5); limits proposed.
    """
    rows = events.of(("totem-token-late", "totem-token-lost"))
    if rows.is_empty():
        yield from _unreceived(events) or _formed_anew(events, limits)
        return
    losses = _losses_of(rows, events, names, limits.fence_s)
    around = _Around() if losses.are_requested else _around(events, losses, names, limits.fence_s)
    words = _token_words(losses, around, events, names, _token_of(totem, losses.nodes))
    is_explained = losses.are_requested or words.starved or around.has_reason or _fencing_fails(events, fencing)
    shown = losses.shown
    yield Seen(
        level="asked" if losses.are_requested else _level_of(losses, limits, worse=around.worse),
        words=words,
        lines=[
            *(one.ref for one in losses.requests[:2] if losses.are_requested),
            *refs(shown)[:5],
            *refs(events.of(("totem-membership",)))[:2],
            *around.refs,
        ],
        nodes=losses.nodes,
        times=shown["at"],
        zone_min=zone_of(shown),
        borne_by=(shown.height, max(1, len(losses.nodes))),
        parts=("logged",),
        tunings=None if losses.lost.height and not is_explained else (),
        weight=float(losses.lost.height),
    )


@dataclass(frozen=True, slots=True)
class _Losses:
    """Rows on a token that was lost or late, on nodes whose logs hold them. own: moments of losses that no request to
    fence came before; are_requested: each of them has one; left: members that the next memberships lack; is_fenced: a
    node was fenced behind one.
    """

    lost: pl.DataFrame
    late: pl.DataFrame
    requests: Sequence[LogLine]
    own: list[int]
    are_requested: bool
    nodes: tuple[str, ...]
    left: tuple[str, ...]
    is_fenced: bool

    @property
    def shown(self) -> pl.DataFrame:
        """The rows that count."""
        return self.lost if self.lost.height else self.late


def _losses_of(rows: pl.DataFrame, events: Events, names: Nodes, within_s: float) -> _Losses:
    lost, late = (rows.filter(pl.col("kind") == f"totem-token-{what}") for what in ("lost", "late"))
    requests = [request for request in events.lines("fence-request") if request.at is not None]
    moments = _distinct(lost["at"].drop_nulls().to_list())
    own = _unasked(moments, [one.at for one in requests if one.at is not None], within_s)
    return _Losses(
        lost,
        late,
        requests,
        own,
        are_requested=bool(moments) and not own,
        nodes=_nodes_in(rows),
        left=members_left(events, names),
        is_fenced=_followed(own, events.of(FENCED)["at"].drop_nulls().to_list(), within_s),
    )


def _token_of(totem: Totem, nodes: Iterable[str]) -> str | None:
    """The timeout as the first node with one has it."""
    return next((value.value for node in nodes if (value := totem.value("token", node)) is not None), None)


def _token_words(losses: _Losses, around: _Around, events: Events, names: Nodes, token: str | None) -> TokenWords:
    """What stands around the losses."""
    if losses.are_requested:
        waiting, done = _victims(losses.requests, names, ()), tuple[str, ...]()
    else:
        done = _done(around.requests, events.lines("fence-result"), names)
        waiting = tuple(one for one in _victims(around.requests, names, losses.left) if one not in done)
    times, concerned = _most_of_a_node(losses.lost, len(losses.own)), (*losses.nodes, *losses.left)
    return TokenWords(
        losses.nodes,
        lost=times,
        late=losses.late.height,
        token=token,
        left=losses.left,
        fenced=losses.is_fenced and not waiting,
        starved=tuple(one for one in _nodes_in(events.of(STARVED)) if one in concerned),
        victims=waiting,
        fenced_nodes=done,
        often=times if times > 1 else None,
        unlinked=tuple(sorted({names.name(one.about) for one in around.unlinked if one.about}))[:SHOWN],
        seen_on=nodes_in(around.unlinked),
        ended=nodes_in(around.ended),
        quorate_again=nodes_in(line for line, _ in around.quorate_again),
        bonds=tuple(dict.fromkeys((one.about or phrase("unnamed.bond"), one.node) for one in around.bonds))[:SHOWN],
        without_s=max((seconds for _, seconds in around.quorate_again), default=None),
        stuck=nodes_in(around.stuck),
        cards=tuple(dict.fromkeys((one.about or phrase("unnamed.card"), one.node) for one in around.cards))[:SHOWN],
    )


def _nodes_in(rows: pl.DataFrame) -> tuple[str, ...]:
    return tuple(sorted(set(rows["node"].drop_nulls())))


def _fencing_fails(events: Events, fencing: Fencing) -> bool:
    return fencing.victims is not None or bool(events.of(FENCE_FAILURES).height)


def _unreceived(events: Events) -> list[Seen]:
    """Members that gave up on messages of the ring, which they had asked to be sent again and again."""
    rows = events.of(("totem-receive-failed",))
    if rows.is_empty():
        return []
    nodes = _nodes_in(rows)
    again = events.of(("totem-retransmit",)).filter(pl.col("node").is_in(nodes))
    return [
        Seen(
            level="unreceived",
            words=TokenWords(nodes, 0, 0, None, (), fenced=False, starved=(), again=again.height or None),
            lines=[*refs(rows)[:3], *refs(again)[:2]],
            nodes=nodes,
            times=rows["at"],
            zone_min=zone_of(rows),
            borne_by=(rows.height, max(1, len(nodes))),
            parts=("logged",),
            tunings=(),
            weight=float(rows.height),
        )
    ]


def _formed_anew(events: Events, limits: Limits) -> Iterator[Seen]:
    """Memberships that formed one after the other and name nobody who joined or left, or one member again and again."""
    often: dict[str, int] = {}
    shown: list[pl.DataFrame] = []
    for node, rows in events.by_node(("totem-membership",)):
        timed = rows.filter(pl.col("at").is_not_null()).sort("at")
        gone = timed["text"].str.extract(_LEFT).drop_nulls().value_counts()["count"].to_list()
        is_to_and_fro = max(gone, default=0) >= limits.to_and_fro
        same = timed if is_to_and_fro else timed.filter(~pl.col("text").str.contains(_CHANGED))
        times = same["at"].to_list()
        most, _ = _busiest(times, [1.0] * len(times), limits.formed_s) if times else (0.0, 0.0)
        if most >= limits.formed:
            often[node or ""] = int(most)
            shown.append(same)
    if not shown:
        return
    nodes, found = tuple(sorted(filter(None, often))), pl.concat(shown)
    yield Seen(
        level="formed",
        words=TokenWords(nodes, 0, 0, None, (), fenced=False, starved=(), often=max(often.values())),
        lines=refs(found)[:5],
        nodes=nodes,
        times=found["at"],
        zone_min=zone_of(found),
        borne_by=(found.height, max(1, len(nodes))),
        parts=("logged",),
        tunings=(),
        weight=max(often.values()) / 10,
    )


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around losses of the token that nobody asked for: requests to fence behind them, members whose links
    were gone before, bonds whose links were, cards of members that left which lost their carrier, members that stood
    still and left, daemons that ended behind, and nodes that lost quorum and had it again after so many seconds.
    """

    requests: Sequence[LogLine] = ()
    unlinked: Sequence[LogLine] = ()
    ended: Sequence[LogLine] = ()
    quorate_again: Sequence[tuple[LogLine, float]] = ()
    bonds: Sequence[LogLine] = ()
    stuck: Sequence[LogLine] = ()
    cards: Sequence[LogLine] = ()

    @property
    def has_reason(self) -> bool:
        """Whether something before the loss tells why."""
        return bool(self.unlinked or self.bonds or self.stuck or self.cards)

    @property
    def worse(self) -> str:
        """The level of a loss that did more than change the membership."""
        return "unlinked" if self.unlinked else "ended" if self.ended or self.stuck else ""

    @property
    def refs(self) -> list[Ref]:
        """Lines that show it."""
        lines = (
            *self.bonds[:2],
            *self.stuck[:2],
            *self.cards[:2],
            *self.unlinked[:2],
            *self.requests[:2],
            *self.ended[:2],
            *(one for one, _ in self.quorate_again[:2]),
        )
        return [one.ref for one in lines]


def _around(events: Events, losses: _Losses, names: Nodes, within_s: float) -> _Around:
    own, nodes = losses.own, losses.nodes
    requests = [one for one in losses.requests if one.at is not None and _is_behind(one.at, own, within_s)]
    results = [one for one in events.lines("fence-result") if one.at is not None and _is_behind(one.at, own, within_s)]
    gone = {*losses.left, *(names.name(one.about) for one in (*requests, *results) if one.about)}
    return _Around(
        requests,
        _unlinked(events, own, within_s),
        _ended(events, own, nodes, within_s),
        _quorate_again(events, own, within_s),
        [one for one in events.lines("bond-none") if one.node in nodes and _is_before(one, own, within_s)],
        [
            one
            for one in events.lines(*STILL)
            if one.node in losses.left and one.at is not None and _is_before(one, own, within_s)
        ],
        [
            one
            for one in events.lines(LINK_DOWN)
            if one.node in gone and one.at is not None and _is_before(one, own, within_s)
        ],
    )


def _quorate_again(events: Events, losses: Sequence[int], within_s: float) -> list[tuple[LogLine, float]]:
    """Losses of quorum behind a loss of the token, each with the time until the node had it again."""
    regained: dict[str | None, list[int]] = defaultdict(list)
    for one in events.lines("quorum-regained", of=MEMBERSHIP):
        regained[one.node] += [one.at] if one.at is not None else []
    return [
        (line, (back - line.at) / SECOND)
        for line in events.lines("quorum-lost", of=MEMBERSHIP)
        if line.at is not None and _is_behind(line.at, losses, within_s)
        if (back := min((at for at in regained[line.node] if at > line.at), default=None)) is not None
    ]


def _done(requests: Sequence[LogLine], results: Sequence[LogLine], names: Nodes) -> tuple[str, ...]:
    """Nodes whose fencing succeeded."""
    done = {one.about for one in requests if one.about and any(settles(result, one) for result in results)}
    return tuple(sorted(names.name(one) for one in done))


def _unlinked(events: Events, losses: Sequence[int], within_s: float) -> list[LogLine]:
    """Lines on a member to which no link was left, shortly before a loss."""
    return [one for one in events.lines("knet-unreachable") if _is_before(one, losses, within_s)]


def _is_before(one: LogLine, losses: Sequence[int], within_s: float) -> bool:
    return one.at is None or any(0 <= at - one.at <= within_s * SECOND for at in losses)


def _ended(events: Events, losses: Sequence[int], nodes: Collection[str], within_s: float) -> list[LogLine]:
    """Daemons of the cluster manager that ended on nodes of a loss, behind it."""
    return [
        one
        for one in events.lines("pacemaker-died")
        if one.node in nodes and one.at is not None and _is_behind(one.at, losses, within_s)
    ]


def _level_of(losses: _Losses, limits: Limits, *, worse: str) -> str:
    if losses.is_fenced:
        return "fenced"
    if losses.lost.height and worse:
        return worse
    return "repeated" if _twice(losses.own, limits.twice_s) else "lost" if losses.lost.height else "late"


def _most_of_a_node(lost: pl.DataFrame, own: int) -> int:
    """How often the token was lost: by the moments, or, without times, as often as the node says that says it most."""
    if own or lost.is_empty():
        return own
    return max(lost.group_by("node").len()["len"].to_list(), default=0)


def _distinct(times: Sequence[int]) -> list[int]:
    """Moments of losses: what the nodes of a cluster log within seconds is one."""
    found: list[int] = []
    for at in sorted(times):
        if not found or at - found[-1] > SAME_LOSS_S * SECOND:
            found.append(at)
    return found


def _unasked(moments: Sequence[int], requests: Sequence[int], within_s: float) -> list[int]:
    """Losses before which no node was to be fenced, save for a loss before that."""
    within = within_s * SECOND
    losses = at_all(moments)
    free = at_all(at for at in requests if not losses.has(at - within, at))
    return [at for at in moments if not free.has(at - within, at)]


def _twice(times: list[int], within_s: float) -> bool:
    return any(0 <= b - a <= within_s * SECOND for a, b in pairwise(sorted(times)))


def _victims(requests: Sequence[LogLine], names: Nodes, left: Sequence[str]) -> tuple[str, ...]:
    """Nodes that were to be fenced, but for those of which it is said already that they left."""
    return tuple(sorted({names.name(one.about) for one in requests if one.about} - set(left)))


def _is_behind(at: int, losses: Sequence[int], within_s: float) -> bool:
    return any(0 <= at - one <= within_s * SECOND for one in losses)


def _followed(times: list[int], fences: list[int], within_s: float) -> bool:
    after = at_all(fences)
    return any(after.has(at, at + within_s * SECOND) for at in times)


@dataclass(frozen=True, slots=True)
class PauseWords:
    """delay_ms: the longest pause; times: how often; token: the timeout as printed, token_ms: as a number; beyond: the
    pause is longer.
    """

    node: str | None
    delay_ms: float
    times: int
    token: str | None
    token_ms: float | None
    beyond: bool


@rule("NW-05", needs=(Events, Records, Totem), words=PauseWords)
def not_scheduled(events: Events, records: Records, totem: Totem, limits: Limits) -> Iterator[Seen]:
    """Symptom: corosync says that it was not scheduled, or that a pause was detected.

    Reasoning: longer than the token is high, medium where only the message tells the token; twice in an hour medium.
    Source: messages of corosync; cmap_keys(8); limits proposed.
    """
    for node, rows in by_node(_pauses(events, records)):
        worst = rows.sort("value", descending=True)
        delay = worst["value"][0] or 0.0
        token = totem.value("token", node)
        timeout = token.number if token is not None else _stated_token(rows)
        beyond = timeout is not None and delay >= timeout
        repeated = _twice(rows["at"].drop_nulls().to_list(), limits.twice_s)
        yield Seen(
            level="beyond" if beyond and token else "repeated" if beyond or repeated else "once",
            words=PauseWords(
                node,
                delay,
                rows.height,
                token.value if token else f"{timeout:.0f}" if timeout else None,
                timeout or None,
                beyond,
            ),
            lines=(*refs(worst)[:4], *((token.ref,) if token else ())),
            nodes=(node,),
            times=rows["at"],
            zone_min=zone_of(rows),
            borne_by=(rows.height, 1),
            parts=("token" if token else "threshold" if timeout else "no_token",),
            weight=delay / 1000,
        )


def _pauses(events: Events, records: Records) -> pl.DataFrame:
    """Pauses from the log, and from the counters of cmap."""
    columns = ("artifact", "line", "node", "at", "zone_min", "value")
    logged, missed = events.of(STARVED), records.frame(NOT_SCHEDULED)
    if missed.is_empty():
        return logged
    return pl.concat([logged.select(*columns, "text"), missed.select(*columns, pl.lit("").alias("text"))])


def _stated_token(rows: pl.DataFrame) -> float | None:
    """The token timeout by the threshold that corosync prints with the pause, in ms."""
    thresholds = [float(match[1]) for text in rows["text"].drop_nulls() if (match := _THRESHOLD.search(text))]
    return max(thresholds, default=0.0) / OF_TOKEN or None


@dataclass(frozen=True, slots=True)
class DefaultsWords:
    """values: name and value of each that stands at its default; numbers: the same as pairs."""

    values: tuple[str, ...]
    numbers: tuple[tuple[str, float], ...]


@rule("NW-06", needs=(Totem, Presence), words=DefaultsWords)
def totem_defaults(totem: Totem, presence: Presence, limits: Limits) -> Iterator[Seen]:
    """Symptom: somebody suspects the defaults of totem.

    Reasoning: they bound POSIX locks and membership only; max_messages counts per processor and token visit, not per
    second. Source: corosync.conf(5).
    """
    held = [value for name in ("window_size", "max_messages", "netmtu") if (value := totem.value(name)) is not None]
    values = at_default(held) or at_default(totem.quoted if presence.shown else [])
    if len(values) < limits.least:
        return
    level = "quoted" if values[0].quoted else "set"
    yield Seen(
        level=level,
        words=DefaultsWords(
            tuple(f"{value.name} {value.value}" for value in values),
            tuple((value.name, value.number or 0.0) for value in values),
        ),
        lines=[value.ref for value in values],
        borne_by=(len(values), 1),
        parts=("quoted" if level == "quoted" else "configured",),
        weight=0.5,
    )


@dataclass(frozen=True, slots=True)
class MtuWords:
    """netmtu and mtu as printed, and as numbers in B."""

    node: str | None
    interface: str
    netmtu: str
    mtu: str
    netmtu_bytes: float
    mtu_bytes: float


@rule("NW-07", needs=(Totem,), words=MtuWords)
def mtu_mismatch(totem: Totem, limits: Limits) -> Iterator[Seen]:
    """Symptom: the membership forms again and again, or large messages get lost.

    Reasoning: netmtu of totem against the MTU of the interfaces; 18 bytes of a frame are not available. Not with knet.
    Source: corosync.conf(5).
    """
    netmtu, transport = totem.value("netmtu"), totem.value("transport")
    if netmtu is None or netmtu.number is None or (transport is not None and transport.value == "knet"):
        return
    mtus = [value for value in totem.mtus if value.number]
    small = [value for value in mtus if (value.number or 0) - limits.frame < netmtu.number]
    if not mtus or len(small) < len(mtus):
        return  # which interface carries totem is not shown: only where none is large enough
    worst = max(small, key=lambda value: value.number or 0.0)
    yield Seen(
        level="over" if netmtu.number > (worst.number or 0.0) else "tight",
        words=MtuWords(worst.node, worst.name, netmtu.value, worst.value, netmtu.number, worst.number or 0.0),
        lines=(netmtu.ref, *(value.ref for value in small[:4])),
        nodes=[value.node for value in small],
        borne_by=(1 + len(small), 1),
        parts=("both",),
        weight=1.0,
    )
