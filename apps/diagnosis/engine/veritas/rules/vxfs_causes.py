"""Rules on what else stops a Veritas file system: freezes (R31), log replay (R33), replication and resynchronisation
(R34).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.records import Records, in_order
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import LockRole, comparable
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts
from apps.diagnosis.engine.veritas.slow_commands import SlowRuns
from parsers.dataclass import dataclass
from parsers.records import CommandRun, Counter, Ref
from parsers.records.states import Manager, StorageState

_DAMAGED: Final = (
    "vxfs-replay-failed", "vxfs-corrupted", "vxfs-check-found", "vxfs-check-left", "vxfs-check-failed",
)  # fmt: skip
REPLICATION: Final = metric("replication-and-tasks")


# Commands that freeze a file system: checkpoints, resizing, snapshots, a new mount of the same one, other tunables.
_FREEZES = re.compile(
    r"(?:^|[\s;&|/])(?:fsckptadm\s{1,8}(?:-\S{1,20}\s{1,8}){0,8}(?:create|remove)\b|fsadm\s.{0,200}?-b\s"
    r"|vxresize\s|fsfreeze\s{1,8}(?:-f|--freeze)\b|vxsnap\s.{0,200}?(?:make|refresh|restore|reattach"
    r"|split)\b|mount\s.{0,200}?remount|vxtunefs\s.{0,400}?-o)"
)
_HOLDS = re.compile(r"fsfreeze\s{1,8}(?:-f|--freeze)\b")
_THAWS = re.compile(r"fsfreeze\s{1,8}(?:-u|--unfreeze)\b")
_ORDINARY = re.compile(r"vxtunefs\s")
STOPPED: Final = ("/P", "/A")
RESYNC: Final = ("RDWRBACK", "PLXATT", "ATCOPY", "RESYNC", "RECOV", "SNAPSYNC", "SNAPBACK", "REVIVE", "PARITY")
_SENDS_NOTHING = re.compile(r"paused|disconnected|detached|inactive|not connected")
_SENDS = re.compile(r"replicating|connected|attached|up to date")
COMMAND_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class FreezeWords:
    """stall_s: window without any lock traffic, held_s: frozen without a thaw, both None where it was not seen."""

    command: str
    node: str | None
    stall_s: float | None
    held_s: float | None


@rule("R31", needs=(VeritasFiles, Records, Mounts, SlowRuns), words=FreezeWords)
def freeze(files: VeritasFiles, records: Records, mounts: Mounts, slow: SlowRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: all commands on all nodes stop at once and go on together.

    Reasoning: a command that freezes the file system stands in the transcript where the lock rates of all nodes fall to
    nothing. Source: vxtunefs(1M) for its own freeze; the other commands are recalled.
    """
    if not files.are_there:
        return
    commands = records.of(CommandRun)
    thawed, ended = _thawed_and_ended(commands)
    for command in commands:
        if not _FREEZES.search(command.command or ""):
            continue
        stalled = next((found for mount in mounts.all if (found := _stall(mount, command, limits))), [])
        held_s = _held_s(command, thawed, ended) if _HOLDS.search(command.command) else None
        held_s = held_s if held_s is not None and held_s >= limits.held_s else None
        if stalled or held_s is not None or (slow.all and not _ORDINARY.search(command.command)):
            yield _frozen(command, stalled, held_s, harmed=bool(stalled or slow.all))


def _stall(mount: Mount, command: CommandRun, limits: Limits) -> list[LockRole] | None:
    """Samples of all nodes in which nothing moved while the command ran, between samples in which much did."""
    named = mount.scope is not None and any(word.rstrip("/") == mount.scope for word in command.command.split())
    if command.at is None or (mount.scope is not None and "/" in command.command and not named):
        return None
    idle: list[LockRole] = []
    for node in dict.fromkeys(role.node for role in mount.roles):
        own = [role for role in mount.roles if role.node == node]
        found = next((role for place, role in enumerate(own) if _is_stalled(own, place, command.at, limits)), None)
        if found is None:
            return None  # a node that went on: no freeze
        idle.append(found)
    return idle


def _is_stalled(own: Sequence[LockRole], place: int, at: int, limits: Limits) -> bool:
    role = own[place]
    if (
        not 0 < place < len(own) - 1
        or role.at is None
        or not comparable(role.at, at)
        or role.interval_s < limits.stall_s
    ):
        return False
    slack = round(limits.slack_s * 1e6)
    overlaps = role.at - round(role.interval_s * 1e6) - slack <= at <= role.at + slack
    return overlaps and _moved(role) < 1 and min(_moved(own[place - 1]), _moved(own[place + 1])) >= limits.busy_per_s


def _moved(role: LockRole) -> float:
    return max(role.per_s.values(), default=0.0)


def _thawed_and_ended(commands: Sequence[CommandRun]) -> tuple[dict[int, int], int | None]:
    """Artifact -> line of its last thaw; and the moment of the last command of the case."""
    thawed = dict(sorted((one.artifact, one.line) for one in commands if _THAWS.search(one.command or "")))
    return thawed, max((one.at for one in commands if one.at is not None), default=None)


def _held_s(command: CommandRun, thawed: Mapping[int, int], last: int | None) -> float | None:
    """How long a freeze was held at least; None where it was released, or where no time is known.

    thawed: artifact -> line of its last thaw. last: moment of the last command of the case.
    """
    if command.at is None or thawed.get(command.artifact, 0) > command.line:
        return None
    return (last - command.at) / 1e6 if last is not None and comparable(last, command.at) else None


def _frozen(command: CommandRun, stalled: list[LockRole], held_s: float | None, *, harmed: bool) -> Seen:
    lines = (command.ref, *(role.ref for role in stalled[:3]))
    length = sum(role.interval_s for role in stalled) / len(stalled) if stalled else None
    level = "stalled" if stalled else "seen"
    if held_s is not None:
        level = "held_harmed" if harmed else "held"
    return Seen(
        level=level,
        words=FreezeWords(command.command[:COMMAND_SHOWN], command.node, length, held_s),
        lines=lines,
        nodes=(command.node, *(role.node for role in stalled)),
        times=(command.at,),
        borne_by=(len(lines), len(stalled)),
        parts=("sampled" if stalled else "not_sampled",),
        harm="stalled" if stalled else "",
        weight=length or 0.0,
    )


@dataclass(frozen=True, slots=True)
class ReplayWords:
    """slow_s: seconds of a command that was slow meanwhile."""

    nodes: tuple[str, ...]
    slow_s: float
    replays: int


@dataclass(frozen=True, slots=True)
class PrimaryWords:
    """of: the mount; before, after: its primary in two looks."""

    of: str | None
    before: str
    after: str


@rule("R33", needs=(Events, SlowRuns, Records), words=(ReplayWords, PrimaryWords))
def log_replay(events: Events, slow: SlowRuns, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a mount stands still for a while after a node left.

    Reasoning: the intent log of the node that left is replayed first; its text stands in the slow window.
    Source: fsck_vxfs(1M) for the text; the rest is recalled.
    """
    yield from _moved_primary(records)
    rows = events.lines("log-replay", "log-replay-done")
    if not rows or events.of(_DAMAGED).height:
        return  # a replay that failed, or before a check that found damage, is no ordinary one
    inside = [row for row in rows if any(run.overlaps(row.at) for run in slow.all)]
    shown = inside or rows
    nodes = tuple(sorted({row.node for row in shown if row.node}))
    lines = (*(row.ref for row in shown[:4]), *(run.run.ref for run in slow.all[:1] if inside))
    replays = sum(row.kind == "log-replay" for row in shown)
    yield Seen(
        level="meanwhile" if inside else "seen",
        words=ReplayWords(nodes, slow.all[0].run.seconds if slow.all else 0.0, replays),
        lines=lines,
        nodes=nodes,
        times=(shown[0].at, shown[-1].at),
        zone_min=shown[0].zone_min,
        borne_by=(len(lines), len(nodes)),
        parts=("meanwhile" if inside else "seen",),
    )


def _moved_primary(records: Records) -> Iterator[Seen]:
    """Two looks that name different primaries of one mount: it moved, or was taken over after its node left."""
    last: dict[str | None, Manager] = {}
    for one in records.of(Manager):
        if one.role != "file system primary" or one.manager is None:
            continue
        before = last.get(one.of)
        if before is not None and before.manager != one.manager:
            yield Seen(
                level="moved",
                words=PrimaryWords(one.of, str(before.manager), one.manager),
                lines=(before.ref, one.ref),
                nodes=(before.manager, one.manager),
                times=(before.at, one.at),
                zone_min=one.zone_min,
                parts=("seen",),
            )
        last[one.of] = one


_AT_REST: Final = ("full", "brimful")


@dataclass(frozen=True, slots=True)
class ReplicationWords:
    """used, was: per cent of a replication log, at the last and at the first of so many readings.

    volumes, names: of tasks that run, with their progress in per cent; beside_s, factor: seconds of a slow command
    meanwhile, where there is one (slowed), and how many times its fastest run that is. modes: links and how they write.
    """

    link: str | None = None
    used: float | None = None
    rising: bool = False
    was: float = 0.0
    samples: int = 0
    volumes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tasks: int | None = None
    progress: float | None = None
    beside_s: float | None = None
    slowed: bool = False
    factor: float = 0.0
    stopped: bool = False
    modes: tuple[str, ...] = ()


@rule("R34", needs=(Records, SlowRuns, Settings), words=ReplicationWords)
def replication(records: Records, slow: SlowRuns, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes are slow while reads are quick.

    Reasoning: the log of a replication link fills, or a resynchronisation runs beside the slow command.
    Source: recalled: replication of volumes, vxtask, vxrlink.
    """
    rows = [row for row, _ in records.counted(REPLICATION)]
    yield from _logs(rows, slow, _stopped(records), limits)
    yield from _tasks([row for row in rows if row.name.startswith(RESYNC) and not row.name.endswith(STOPPED)], slow)
    if not rows:
        yield from _configured(settings, slow)


def _stopped(records: Records) -> StorageState | None:
    """A replication link that sends nothing, by the last row of it: its log can only grow."""
    last: dict[tuple[str | None, str | None], StorageState] = {}
    for one in records.of(StorageState):
        if one.sort == "replication link" and any(
            pattern.search(one.state or "") for pattern in (_SENDS_NOTHING, _SENDS)
        ):
            last[one.node, one.name] = one
    return next((one for one in last.values() if _SENDS_NOTHING.search(one.state or "")), None)


def _logs(rows: Sequence[Counter], slow: SlowRuns, stopped: StorageState | None, limits: Limits) -> Iterator[Seen]:
    """Logs of replication links that are nearly full."""
    by_link: dict[tuple[str | None, str | None], list[Counter]] = {}
    shown = {row.name for row in rows}
    for row in rows:
        if row.name == ("SRL used" if "SRL used" in shown else "log used"):
            by_link.setdefault((row.node, row.scope), []).append(row)
    for (node, link), samples in by_link.items():
        first, last = samples[0], samples[-1]
        was, used = first.value or 0.0, last.value or 0.0
        if used <= limits.srl:
            continue
        rising = len(samples) > 1 and used > was
        level = _level_of(samples, rising=rising, slowed=bool(slow.all), limits=limits)
        if stopped is not None and level in _AT_REST:
            level = f"{level}_stopped"
        lines = (first.ref, last.ref, *(run.run.ref for run in slow.all[:1] if rising), *_line_of(stopped, level))
        yield Seen(
            level=level,
            harm="rising" if rising else level if level != "full" else "",
            words=ReplicationWords(link, used, rising, was, len(samples), stopped=level.endswith("_stopped")),
            lines=lines,
            nodes=(node,),
            times=(first.at, last.at),
            zone_min=last.zone_min,
            borne_by=(len(lines), 1),
            parts=("rising" if rising else "once",),
            weight=slow.all[0].run.seconds if slow.all else 0.0,
        )


def _line_of(stopped: StorageState | None, level: str) -> tuple[Ref, ...]:
    return (stopped.ref,) if stopped is not None and level.endswith("_stopped") else ()


def _level_of(samples: Sequence[Counter], *, rising: bool, slowed: bool, limits: Limits) -> str:
    """High needs a slowed command or several readings in a row, each above the one before."""
    values = [row.value or 0.0 for row in samples]
    lasting = len(values) >= limits.samples and values == sorted(values) and len(set(values)) == len(values)
    if rising:
        return "rising_slow" if slowed or lasting else "rising"
    return "brimful" if values[-1] >= limits.brim else "full"


def _tasks(tasks: Sequence[Counter], slow: SlowRuns) -> Iterator[Seen]:
    """Resynchronisation that runs."""
    if not tasks:
        return
    beside = next((run for run in slow.all if any(run.overlaps(row.at) for row in tasks)), None)
    nodes = tuple(sorted({row.node for row in tasks if row.node}))
    lines = (*(row.ref for row in tasks[:4]), *((beside.run.ref,) if beside else ()))
    words = ReplicationWords(
        volumes=tuple(dict.fromkeys(row.scope or phrase("unnamed.volume") for row in tasks)),
        names=tuple(dict.fromkeys(row.name.partition("/")[0] for row in tasks)),
        tasks=len(tasks),
        progress=tasks[0].value,
        beside_s=beside.run.seconds if beside else None,
        slowed=beside is not None,
        factor=beside.factor if beside else 0.0,
    )
    yield Seen(
        level="resync_slow" if beside else "resync",
        words=words,
        lines=lines,
        nodes=nodes,
        times=(tasks[0].at, tasks[-1].at),
        zone_min=tasks[0].zone_min,
        borne_by=(len(lines), len(nodes)),
        parts=("tasks_slow" if beside else "tasks",),
        weight=beside.run.seconds if beside else 0.0,
    )


def _configured(settings: Settings, slow: SlowRuns) -> Iterator[Seen]:
    """Replication that is merely there, in a case with slow commands."""
    rows = in_order(settings.all, pl.col("name") == "synchronous").to_dicts() if slow.all else []
    if not rows:
        return
    modes = tuple(
        dict.fromkeys(f"{row['scope'] or phrase('unnamed.link')}: synchronous={row['value']}" for row in rows)
    )
    lines = tuple(Ref(row["artifact"], row["line"]) for row in rows[:3])
    yield Seen(
        level="configured",
        words=ReplicationWords(modes=modes),
        lines=lines,
        borne_by=(len(lines), 1),
        parts=("configured",),
    )
