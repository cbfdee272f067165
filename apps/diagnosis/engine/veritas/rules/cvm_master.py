"""Rule on changes of the master of the volume manager (R30)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting, stack
from apps.diagnosis.engine.veritas.cluster import ClusterFacts, Logged
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import Manager, Membership
from parsers.records.waits import Stack

NODE_STATE: Final = setting("volume-manager-state")
TOGETHER_US: Final = 60_000_000
MODE: Final = setting("volume-manager-mode")
LISTED: Final = stack("listed-processes")
DAEMON: Final = "vxconfigd"
Shown = Logged | Manager | Membership | Setting
OF_CVM: Final = ("u", "v", "w")
_OF_VOLUMES: Final = r"(?:^|/)vx[a-z]{2,12}(?: |$)"


def _times(rows: Iterable[Shown]) -> list[int | None]:
    return [row.at for row in rows]


@dataclass(frozen=True, slots=True)
class MasterWords:
    """What shows a change: two masters (one, other), messages or numbers; certain: it is no difference of two captures
    alone.
    """

    change: Literal["master", "cluster", "captures"]
    shown_by: Literal["moved", "logged", "counted"]
    one: str | None
    other: str | None
    logged: int
    during: bool
    certain: bool
    rows: int


@dataclass(frozen=True, slots=True)
class DisabledWords:
    """mode: of vxconfigd, as printed."""

    node: str | None
    mode: str


@dataclass(frozen=True, slots=True)
class ContradictedWords:
    """A node that one output calls the master, and whose ids in another output name another one, or the reverse."""

    node: str | None
    is_named: bool
    node_id: str
    master_id: str
    master: str


@dataclass(frozen=True, slots=True)
class UnfencedWords:
    """The nodes whose state says that the volume manager runs without fencing."""

    nodes: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class HungWords:
    """waiting: commands of the volume manager that hang behind its daemon; longest: s; at: where it stands."""

    node: str | None
    waiting: tuple[str, ...]
    longest: float | None
    at: str | None


@rule(
    "R30",
    needs=(ClusterFacts, Records),
    words=(MasterWords, DisabledWords, ContradictedWords, UnfencedWords, HungWords),
)
def cvm_master_change(cluster: ClusterFacts, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: all I/O to shared volumes stops for a while; volume manager commands hang.

    Reasoning: two captures name other masters, the sequence number rises, nodes join or leave, messages of a take-over.
    Source: recalled; vxdctl(1M), vxclustadm(1M).
    """
    logged = cluster.logged("cvm-reconfiguration")
    moved = list(_masters(cluster))
    states = cluster.set_as(NODE_STATE)
    busy = [row for row in states if row.name in ("joiners", "leavers") and _mask(row.value)]
    pairs: list[tuple[Shown, Shown]] = [*moved, *_sequence(states), *_generations(cluster.ports)]
    rows: list[Shown] = [*logged, *(row for pair in pairs for row in pair), *busy]
    if rows:
        yield _reconfigured(cluster, rows, moved, logged, counted=len(pairs) > len(moved) or bool(busy))
    yield from _disabled(cluster)
    yield from _contradicted(cluster, states)
    yield from _hung(records, limits)
    yield from _unfenced(states)


def _disabled(cluster: ClusterFacts) -> Iterator[Seen]:
    """Daemons of the volume manager that do not serve."""
    for row in cluster.set_as(MODE):
        if row.name == "mode" and not row.value.startswith("enabled"):
            words = DisabledWords(row.node, row.value)
            yield Seen(level="disabled", words=words, lines=(row.ref,), nodes=(row.node,), times=(row.at,))


def _unfenced(states: Iterable[Setting]) -> Iterator[Seen]:
    """Nodes whose last state of the volume cluster shows no fencing."""
    last = {row.node: row for row in states if row.name == "vxfen"}
    if off := [row for row in last.values() if row.value.lower() == "off"]:
        nodes = tuple(row.node for row in off)
        yield Seen(
            level="unfenced",
            words=UnfencedWords(nodes),
            lines=[row.ref for row in off],
            nodes=nodes,
            times=_times(off),
        )


def _hung(records: Records, limits: Limits) -> Iterator[Seen]:
    """The daemon of the volume manager asleep in the kernel, in a list of processes, and the commands behind it."""
    rows = records.meant(Stack, LISTED, pl.col("task").str.contains(_OF_VOLUMES))
    for row in rows:
        if DAEMON not in _program(row) or not (row.state or "").startswith("D"):
            continue
        behind = [
            one
            for one in rows
            if one.node == row.node and DAEMON not in _program(one) and (one.seconds or 0) >= limits.hung_s
        ]
        yield Seen(
            level="hung" if behind else "asleep",
            harm="hung" if behind else "",
            causes=("ST-18",) if behind else (),
            words=HungWords(
                row.node,
                tuple(dict.fromkeys(_program(one) for one in behind)),
                max((one.seconds or 0.0 for one in behind), default=None),
                row.frames or None,
            ),
            lines=[one.ref for one in (row, *behind)],
            nodes=(row.node,),
            times=[one.at for one in (row, *behind)],
        )
        return


def _program(row: Stack) -> str:
    """Base name of the program of a listed process."""
    return str(row.task).partition(" ")[0].rsplit("/", 1)[-1]


def _contradicted(cluster: ClusterFacts, states: Sequence[Setting]) -> Iterator[Seen]:
    """Ids of ``vxclustadm nodestate`` against the name of ``vxdctl -c mode``, of one node and nearly of one moment."""
    own: dict[str | None, dict[str, Setting]] = {}
    for row in states:
        if row.name in ("nodeId", "masterId") and row.value.isdecimal():
            own.setdefault(row.node, {})[row.name] = row
    masters = {row.node: row for row in cluster.masters}
    for node, ids in own.items():
        named = masters.get(node)
        if node is None or named is None or len(ids) < 2 or not _together(named, ids["masterId"]):
            continue
        node_id, master_id = ids["nodeId"].value, ids["masterId"].value
        is_named = cluster.name(named.manager or "") == node
        if is_named != (node_id == master_id):
            yield Seen(
                level="contradicted",
                words=ContradictedWords(node, is_named, node_id, master_id, str(named.manager)),
                lines=[named.ref, ids["nodeId"].ref, ids["masterId"].ref],
                nodes=(node, named.manager),
                times=_times((named, ids["masterId"])),
            )


def _together(one: Shown, other: Shown) -> bool:
    """Whether two outputs belong to one look: by time where both have one, else by standing in one text."""
    if one.at is not None and other.at is not None:
        return bool(abs(one.at - other.at) <= TOGETHER_US)
    return bool(one.artifact == other.artifact)


def _masters(cluster: ClusterFacts) -> Iterator[tuple[Manager, Manager]]:
    """Captures of one node, or in one text, that name different masters one after the other."""
    last: dict[str | None, Manager] = {}
    for row in cluster.masters:
        before = last.get(row.node)
        if before is not None and before.manager != row.manager:
            yield before, row
        last[row.node] = row
    masters = {row.manager: row for row in last.values()}
    if len(masters) > 1 and len(last) > 1:
        one, other = list(masters.values())[:2]
        yield one, other


def _sequence(states: Iterable[Setting]) -> Iterator[tuple[Setting, Setting]]:
    last: dict[str | None, Setting] = {}
    for row in states:
        if row.name == "reconfig_seqnum":
            before = last.get(row.node)
            if before is not None and before.value != row.value:
                yield before, row
            last[row.node] = row


def _generations(ports: Iterable[Membership]) -> Iterator[tuple[Membership, Membership]]:
    """Captures of one node between which the ports of the volume manager were formed again, while port a stayed."""
    last: dict[tuple[str | None, str], Membership] = {}
    for one in ports:
        if one.group is None or one.group not in OF_CVM or one.generation is None:
            continue
        before = last.get((one.node, one.group))
        if before is not None and before.generation != one.generation and before.at != one.at:
            yield before, one
        last[one.node, one.group] = one


def _mask(value: str) -> bool:
    return value.lower() not in ("0", "0x0", "0x00")


def _slowed(cluster: ClusterFacts, rows: Sequence[Shown]) -> bool:
    """Whether a command that took long ran meanwhile."""
    moments = [row.at for row in rows if row.at is not None]
    runs = [(run.at, run.at + run.seconds * 1e6) for run in cluster.harm.runs if run.at is not None]
    return any(begin <= at <= end for begin, end in runs for at in moments)


def _reconfigured(
    cluster: ClusterFacts,
    rows: Sequence[Shown],
    moved: Sequence[tuple[Manager, Manager]],
    logged: Sequence[Logged],
    *,
    counted: bool,
) -> Seen:
    during = [row for row in rows if cluster.harm.overlaps(row.at)]
    certain = bool(logged) or counted or any(one.node == other.node for one, other in moved)
    level = "slowed" if _slowed(cluster, during) else "during" if during else "logged" if logged else "shown"
    one, other = (pair.manager for pair in moved[0]) if moved else (None, None)
    words = MasterWords(
        change="captures" if not certain else "master" if moved else "cluster",
        shown_by="moved" if moved else "logged" if logged else "counted",
        one=one,
        other=other,
        logged=len(logged),
        during=bool(during),
        certain=certain,
        rows=len(rows),
    )
    return Seen(
        level=level if certain else f"perhaps_{level}",
        words=words,
        lines=[row.ref for row in (*during[:4], *rows[:4])],
        nodes=[row.node for row in rows],
        times=_times(rows),
    )
