"""Rules on the stacks of tasks that somebody took, or had the kernel list, because they hang (ST-19), and of tasks that
the kernel itself reports as hung (ST-22).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric, stack
from apps.diagnosis.engine.core.words.phrases import phrase, phrases
from parsers.dataclass import dataclass
from parsers.records import Event
from parsers.records.waits import Stack

TAKEN: Final = stack("task-stacks")
DUMPED: Final = stack("dumped-task-stacks")
HUNG: Final = stack("hung-task-stacks")
OF_VERITAS: Final = ("vx_", "vxg_")
OF_PRODUCTS: Final = (
    "gfs2_", "dlm_", "gdlm_", "glock_", "do_xmote", "new_lockspace", "release_lockspace", "freeze_", "thaw_", "vx_",
    "vxg_",
)  # fmt: skip
LISTED: Final = stack("blocked-task-stacks")
HEADLESS: Final = stack("headless-traces")
SHOWN: Final = stack("listed-processes")
PICKED: Final = metric("tasks-picked-asleep")
ASLEEP: Final = "D"
THREADS: Final = stack("program-threads")
CRASHED: Final = "program-crashed"
OF_THREADS: Final = ("thread", "threads")
VARIED: Final = ("picked", "listed")
SERVER_SILENT: Final = "nfs-server-silent"
SERVER_BACK: Final = "nfs-server-back"
OF_NFS: Final = ("rpc_", "nfs_", "nfs3_", "nfs4_", "nfs42_")
SCHEDULERS: Final = (
    "__schedule", "schedule", "context_switch", "preempt_schedule", "cv_wait", "__cv_", "wait_for_c", "do_wait_for",
    "__wait_", "out_of_line_wait", "down", "__down", "bit_wait", "wait_on_bit", "wait_woken", "__switch_to",
)  # fmt: skip
WENT_TO_SLEEP: Final = ("__schedule", "schedule", "schedule_timeout", "io_schedule", "wait_for_completion")
# Where a stack begins: a task that stands there waits for work, or what it waits for is not shown.
OUTERMOST: Final = (
    "worker_thread", "rescuer_thread", "kthread", "smpboot_thread_fn", "ret_from", "do_syscall", "entry_",
    "system_call",
)  # fmt: skip
LOOKED_AT: Final = 12  # frames from the innermost one: what stands further out called for it


_Waits = dict[str, list[tuple[str, Stack]]]  # by what they wait for: the known function, and the task


@dataclass(frozen=True, slots=True)
class TaskWords:
    """what: that the tasks wait for, the most frequent first; functions: by which it is known."""

    node: str | None
    tasks: int
    what: tuple[str, ...]
    functions: tuple[str, ...]
    pids: tuple[str, ...]


@rule("ST-19", needs=(Records,), words=TaskWords)
def waiting_tasks(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a program does not answer, and somebody looked where it stands in the kernel.

    Reasoning: its innermost frames are those of a wait for a lock, a server or a disk. For how long is not in a stack.
    The kernel lists whatever sleeps at that moment, and so does ps: there a place that any code may stand in is
    everyday, a lock of the cluster is a hint, a queue of many tasks that sleep for no disk is more. Source: proc(5),
    /proc/PID/stack; the kernel's admin-guide on sysrq; ps(1).
    """
    if not records.has(Stack):
        return
    found: dict[str | None, _Waits] = defaultdict(lambda: defaultdict(list))
    for task, (what, function) in (*_tasks(records), *_queued(records, limits)):
        found[task.node][what].append((function, task))
    listed: dict[str | None, _Waits] = defaultdict(lambda: defaultdict(list))
    for task, (what, function) in (*_listed(records), *_at_locks(records), *_headless(records)):
        if task.node not in found:
            listed[task.node][what].append((function, task))
    many = {node: waits for node, waits in listed.items() if sum(map(len, waits.values())) >= limits.asleep}
    yield from _seen(found | many, "seen")
    yield from _seen({node: waits for node, waits in listed.items() if node not in many}, "moment")
    for node, waits in _threads(records).items():
        yield from _seen({node: waits}, "threads" if sum(map(len, waits.values())) >= limits.threads else "thread")
    picked = _picked(records, {*found, *listed})
    yield from _seen(picked, "picked")
    yield from _seen(_all_asleep(records, {*found, *listed, *picked}, limits), "listed")


def _seen(found: Mapping[str | None, _Waits], level: str) -> Iterator[Seen]:
    for node, waits in found.items():
        by_number = sorted(waits.items(), key=lambda one: (-len(one[1]), one[0]))
        tasks = [one for _, some in by_number for one in some]
        yield Seen(
            level=level,
            variant=_variant(level, [task for _, task in tasks]),
            parts=("no_age",),
            words=TaskWords(
                node=node,
                tasks=len(tasks),
                what=tuple(what for what, _ in by_number),
                functions=tuple(dict.fromkeys(function for function, _ in tasks)),
                pids=tuple(dict.fromkeys(_process(task) for _, task in tasks if task.pid is not None)),
            ),
            lines=[task.ref for _, task in tasks],
            most_lines=6,
            borne_by=(len(tasks), 1),
            nodes=(node,),
            times=[task.at for _, task in tasks],
            zone_min=tasks[0][1].zone_min,
            weight=float(len(tasks)),
        )


def _variant(level: str, tasks: Sequence[Stack]) -> str:
    if level in OF_THREADS:
        return "threads"
    return level if level in VARIED else "one" if len(tasks) == 1 and tasks[0].pid is not None else ""


def _threads(records: Records) -> Mapping[str | None, _Waits]:
    """Threads that a debugger shows where one needs another, in programs that had not crashed before."""
    crashed = set(records.frame(Event, pl.col("kind") == CRASHED)["artifact"].to_list())
    found: dict[str | None, _Waits] = defaultdict(lambda: defaultdict(list))
    for task in records.meant(Stack, THREADS):
        if task.artifact not in crashed and (wait := _wait(task.frames.split(), ("program-waits",))) is not None:
            found[task.node][wait[0]].append((wait[1], task))
    return found


def _picked(records: Records, known: Iterable[str | None]) -> Mapping[str | None, _Waits]:
    """Tasks of lists of which somebody kept nothing but those that sleep so, where no row shows what for, or a place
    that any code may stand in.
    """
    lists = records.frame(PICKED).select("artifact", "sample").unique().iter_rows()
    found: dict[str | None, _Waits] = defaultdict(lambda: defaultdict(list))
    for artifact, first in lists:
        rows = records.meant(Stack, SHOWN, (pl.col("artifact") == artifact) & (pl.col("line") >= first))
        for task in rows:
            if task.node not in known and (task.state or "").startswith(ASLEEP):
                found[task.node][""].append(("", task))
    return found


def _all_asleep(records: Records, known: Iterable[str | None], limits: Limits) -> Mapping[str | None, _Waits]:
    """Tasks that the last list of a node shows so, where they are many and no row shows what for."""
    last: dict[str | None, dict[int | None, Stack]] = {}
    for task in _shown_asleep(records):
        if task.node in known or task.frames:
            continue
        own = last.setdefault(task.node, {})
        if task.pid in own or any(one.artifact != task.artifact for one in own.values()):
            own.clear()
        own[task.pid] = task
    many = {node: own for node, own in last.items() if len(own) >= limits.asleep}
    return {node: {"": [("", task) for task in own.values()]} for node, own in many.items()}


def _process(task: Stack) -> str:
    name = (task.task or "").split(" ", 1)[0]
    name = name.rpartition("/")[2] if name.startswith("/") else name
    return f"{name} [{task.pid}]" if name else str(task.pid)


@dataclass(frozen=True, slots=True)
class HungWords:
    """what: that the tasks wait for, the most frequent first; functions: by which it is known. seconds: at least; 0
    where the line that tells is not here. answered: all of them waited for NFS servers, which answer again.
    """

    node: str | None
    tasks: int
    names: tuple[str, ...]
    what: tuple[str, ...]
    functions: tuple[str, ...]
    seconds: float
    answered: bool


@rule("ST-22", needs=(Records,), words=HungWords)
def hung_tasks(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: the kernel reports tasks that are blocked for minutes.

    Reasoning: the report holds the stack, whose innermost known function says what the task waits for. Tasks inside of
    a cluster file system are judged by its own rules. Source: the kernel's hung task detector.
    """
    if not records.has(Stack):
        return
    for node, tasks in _hung(records, limits).items():
        what = Counter(one for one, _, _ in tasks)
        answered = _are_answered(records, node, tasks)
        names = dict.fromkeys(f"{task.task or phrase('unnamed.task')}:{task.pid}" for _, _, task in tasks)
        seconds = max(task.seconds or 0.0 for _, _, task in tasks)
        yield Seen(
            level="answered" if answered else "hung",
            variant=("one" if len(names) == 1 else "") if seconds else ("one_unsaid" if len(names) == 1 else "unsaid"),
            parts=("stack",),
            words=HungWords(
                node=node,
                tasks=len(names),
                names=tuple(names),
                what=tuple(one for one, _ in what.most_common()),
                functions=tuple(dict.fromkeys(function for _, function, _ in tasks)),
                seconds=seconds,
                answered=answered,
            ),
            lines=[task.ref for _, _, task in tasks],
            most_lines=6,
            borne_by=(len(tasks), 1),
            nodes=(node,),
            times=[task.at for _, _, task in tasks],
            zone_min=tasks[0][2].zone_min,
            weight=float(len(names)),
        )


def _are_answered(records: Records, node: str | None, tasks: Sequence[tuple[str, str, Stack]]) -> bool:
    """Whether all of them waited for NFS servers, of which one answers again behind the last line."""
    if not all(function.startswith(OF_NFS) and task.at for _, function, task in tasks):
        return False
    last = max(task.at or 0 for _, _, task in tasks)
    back = records.frame(Event, pl.col("kind") == SERVER_BACK).select("node", "at").drop_nulls("at").rows()
    return any(where == node and at > last for where, at in back)


def _hung(records: Records, limits: Limits) -> Mapping[str | None, list[tuple[str, str, Stack]]]:
    """Tasks that the kernel reports, by node, each with what for and in which function; without those of products."""
    found: dict[str | None, list[tuple[str, str, Stack]]] = defaultdict(list)
    silent = set(records.frame(Event, pl.col("kind") == SERVER_SILENT)["node"].to_list())
    for task in records.meant(Stack, HUNG):
        frames = task.frames.split()
        is_young = task.seconds is not None and task.seconds < limits.least_s
        if is_young or any(one.startswith(OF_PRODUCTS) for one in frames):
            continue
        beside = ("kernel-waits-beside-silent-servers",) if task.node in silent else ()
        wait = _wait(frames, ("kernel-waits", *beside, "kernel-waits-of-any")) or _unknown(frames)
        if wait is not None:
            found[task.node].append((*wait, task))
    return found


def _tasks(records: Records) -> Iterator[tuple[Stack, tuple[str, str]]]:
    """Tasks that wait, each with what for and in which function; one that was listed twice counts once."""
    asleep = _processes_asleep(records)
    for task in records.meant(Stack, TAKEN):
        frames = task.frames.split()
        wait = _wait(frames, ("kernel-waits", "kernel-waits-of-any"))
        if wait is None and (task.node, task.pid) in asleep:
            wait = _asleep(frames)
        if wait is not None:
            yield task, wait
    for task in records.meant(Stack, DUMPED):
        frames = task.frames.split()
        if not any(one.startswith(OF_VERITAS) for one in frames) and (wait := _wait(frames, ("kernel-waits",))):
            yield task, wait
    seen = set[tuple[str | None, int | None]]()
    for task in records.meant(Stack, LISTED):
        if task.state != ASLEEP or (task.node, task.pid) in seen:
            continue
        if (wait := _wait(task.frames.split(), ("kernel-waits",))) is not None:
            seen.add((task.node, task.pid))
            yield task, wait


def _processes_asleep(records: Records) -> frozenset[tuple[str | None, int | None]]:
    """Processes that a list shows asleep without an interrupt: then a stack that somebody took tells where."""
    return frozenset((task.node, task.pid) for task in _shown_asleep(records))


def _shown_asleep(records: Records) -> tuple[Stack, ...]:
    """Processes that a tool for people shows so."""
    return records.meant(Stack, SHOWN, pl.col("state").str.starts_with(ASLEEP) & pl.col("pid").is_not_null())


def _queued(records: Records, limits: Limits) -> Iterator[tuple[Stack, tuple[str, str]]]:
    """Tasks of a list of processes in which many sleep at once for no disk. A process that comes again begins the next
    list.
    """
    listing = dict[int | None, tuple[Stack, tuple[str, str]]]()
    artifact: int | None = None
    for task in _shown_asleep(records):
        if task.artifact != artifact or task.pid in listing:
            yield from listing.values() if len(listing) >= limits.asleep else ()
            listing, artifact = {}, task.artifact
        if (wait := _asleep(task.frames.split())) is not None:
            listing[task.pid] = task, wait
    yield from listing.values() if len(listing) >= limits.asleep else ()


def _listed(records: Records) -> Iterator[tuple[Stack, tuple[str, str]]]:
    """Tasks that the kernel listed as asleep for no disk, wherever they stand, or where nothing but that is shown."""
    seen = set[tuple[str | None, int | None]]()
    for task in records.meant(Stack, LISTED, pl.col("state") == ASLEEP):
        frames = task.frames.split()
        wait = _asleep(frames) or (None if _is_anywhere(frames) else _wait(frames, ("kernel-asleep",)))
        if wait is not None and (task.node, task.pid) not in seen:
            seen.add((task.node, task.pid))
            yield task, wait


def _at_locks(records: Records) -> Iterator[tuple[Stack, tuple[str, str]]]:
    """Tasks that a tool for people shows asleep in a lock of a cluster file system, however few; each once."""
    seen = set[tuple[str | None, int | None]]()
    for task in _shown_asleep(records):
        frames = task.frames.split()
        if (task.node, task.pid) in seen or not any(one.startswith(OF_PRODUCTS) for one in frames):
            continue
        if (wait := _wait(frames, ("kernel-waits",))) is not None:
            seen.add((task.node, task.pid))
            yield task, wait


def _headless(records: Records) -> Iterator[tuple[Stack, tuple[str, str]]]:
    """Traces that begin where a task goes to sleep: the kernel prints one because the task hangs, or was asked to."""
    for task in records.meant(Stack, HEADLESS):
        frames = task.frames.split()
        wait = _wait(frames, ("kernel-waits", "kernel-waits-of-any")) or _unknown(frames)
        if frames[0] in WENT_TO_SLEEP and wait is not None:
            yield task, wait


def _asleep(frames: list[str]) -> tuple[str, str] | None:
    """What a task that sleeps waits for; None where that is a disk, work, or not shown."""
    if _holds_any(frames, "kernel-waits-for-disks"):
        return None
    if (found := _wait(frames, ("kernel-waits", "kernel-waits-of-any"))) is not None:
        return found
    return _unknown(frames)


def _is_anywhere(frames: list[str]) -> bool:
    """Whether a stack shows more than that its task sleeps, and how it got into the kernel."""
    return any(not one.startswith((*SCHEDULERS, *OUTERMOST)) for one in frames)


def _unknown(frames: list[str]) -> tuple[str, str] | None:
    """The place of a task that sleeps in a function that nobody here knows: the innermost one that is no means of
    sleeping.
    """
    inner = next((one for one in frames if not one.startswith(SCHEDULERS)), "")
    is_shown = inner.lstrip("_")[:1].isalpha() and not inner.startswith(OUTERMOST)
    if not is_shown or _holds_any(frames, "kernel-idle"):
        return None
    return phrase("kernel-places.unknown", function=inner), inner


def _wait(frames: list[str], groups: tuple[str, ...]) -> tuple[str, str] | None:
    """What the innermost known function waits for, and the function. A place that says whose lock it is goes before
    one that any code may stand in, and a kind of lock before the product alone (``vx_glm`` before ``vx_``). None also
    for a thread that waits for work.
    """
    if _holds_any(frames, "kernel-idle"):
        return None
    for group in groups:
        found = [(*known, function) for function in frames[:LOOKED_AT] for known in _known_as(function, group)]
        if found:
            first = found[0]
            closer = (one for one in found if one[0] != first[0] and one[0].startswith(first[0]))
            _, what, function = next(closer, first)
            return _below_a_lock(frames, function) or (what, function)
    return None


def _below_a_lock(frames: Sequence[str], function: str) -> tuple[str, str] | None:
    """Who writes out what a glock covers waits for a disk, inside of the function that asked for the glock."""
    if not function.startswith(_prefixes("kernel-glocks")):
        return None
    inner = frames[: frames.index(function)]
    return next(((known[1], one) for one in inner for known in _known_as(one, "kernel-waits-for-disks")), None)


@cache
def _prefixes(group: str) -> tuple[str, ...]:
    return tuple(phrases(group))


def _holds_any(frames: Iterable[str], group: str) -> bool:
    """Whether one of the functions begins as one of a group does."""
    return any(function.startswith(_prefixes(group)) for function in frames)


@lru_cache(maxsize=4096)
def _known_as(function: str, group: str) -> tuple[tuple[str, str], ...]:
    """The beginnings in a group that a function has, each with its words: many stacks stand in few functions."""
    return tuple((prefix, what) for prefix, what in phrases(group).items() if function.startswith(prefix))
