"""Rules on who holds a glock: a holder that is gone (GL-03), one that was not sent (GL-06), none at all (GL-07), odd locks (GL-08)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.gfs2.cluster import JOURNAL_WAITS, SCHEDULER, Alive, Task, alive, lock_spaces, short_fs, tasks
from apps.diagnosis.engine.gfs2.dlm import UNANSWERED, lockspace_fits
from apps.diagnosis.engine.gfs2.queues import NOTHING

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.gfs2.entries import Entry
    from apps.diagnosis.engine.gfs2.glocks import GlockFacts

SHOWN: Final = 3
EVIDENCE_MOST: Final = 8
ENDED: Final = "(ended)"
PROCESS_INDEPENDENT: Final = frozenset(("1", "4", "5", "6", "9"))  # types whose holders outlive the process that took them
ODD: Final = {"1/3": "rename lock", "4": "lock of mount and superblock", "8": "quota lock", "9": "journal lock"}
ODD_MEANING: Final = {
    "1/3": "Renames of directories across directories are taken one after another in the whole file system.",
    "4": "It is held for a moment at mount time: a long wait means that a mount or unmount does not end.",
    "8": "Quota files are shared by all nodes.",
    "9": "A journal belongs to one node; others want it only for recovery.",
}


@rule("GL-03")
def holder_gone(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes wait for a lock whose holder has ended or does not run any more.

    Reasoning: the holder line says (ended), the list of processes of the same node lacks the pid, or its stack does not move.
    Source: kernel meaning of the holder line's fields.
    """
    glocks = facts.glocks
    held = _held(glocks)
    if not held:
        return
    lists, blocked = alive(facts), _blocked(tasks(facts))
    found = [draft for holders in held.values() if (draft := _gone(glocks, holders, lists, blocked, limits)) is not None]
    yield from sorted(found, key=lambda draft: -draft.weight)[:SHOWN]


def _held(glocks: GlockFacts) -> dict[int, list[Entry]]:
    """Holders of locks that somebody waits for, by process and glock, in the order of captures. The manager's tables do not count."""
    found: dict[int, list[Entry]] = defaultdict(list)
    for _, waits in glocks.queues.waited():
        if waits[0].glock.partition("/")[0] in PROCESS_INDEPENDENT:
            continue
        for holder in glocks.queues.holders(waits[0]).entries:
            if not holder.by_manager:
                found[holder.pair].append(holder)
    return found


def _blocked(all_tasks: Sequence[Task]) -> dict[tuple[str | None, int | None], list[Task]]:
    """Tasks that do not run, by node and pid."""
    found: dict[tuple[str | None, int | None], list[Task]] = defaultdict(list)
    for task in all_tasks:
        if task.state.startswith("D") or task.seconds is not None:
            found[task.node, task.pid].append(task)
    return found


def _how_it_sleeps(task: Task) -> str:
    """Where a blocked process waits: the first function that is no part of the scheduler, and what that means where it is known."""
    telling = next((frame for frame in task.frames if not SCHEDULER.match(frame)), None)
    long = f" for more than {seconds(task.seconds)}" if task.seconds else ""
    if telling is None:
        return f"sleeps in an uninterruptible wait{long}"
    return f"waits for the journal in {telling}{long}" if telling in JOURNAL_WAITS else f"sleeps in {telling}{long}"


def _gone(
    glocks: GlockFacts, holders: list[Entry], lists: dict[str, list[Alive]], blocked: dict[tuple[str | None, int | None], list[Task]],
    limits: Limits,
) -> Draft | None:  # fmt: skip
    holder = max(holders, key=lambda h: (h.capture, h.line))
    rounds = {one.round for one in holders}
    waiting = {wait.name for wait in glocks.contended.get(holder.key, ()) if wait.round in rounds and wait.name != holder.name}
    if not waiting:
        return None
    refs: tuple[Ref, ...] = ()
    listed_at, sure = "", 0.9
    if holder.command == ENDED:
        how = "has ended"
    elif absent := _absent(holder, lists.get(holder.node, ()), limits.skew_s):
        how, refs = "is not in the list of that node's processes", (absent.ref,)
        sure = 0.85 if _near(holder, absent, limits.skew_s) else 0.6
        listed_at = "" if sure > 0.8 else " The list is of another time than the dump, so this is only possible."
    elif (still := _still(blocked.get((holder.node, holder.pid), ()))) is not None:
        how, refs = _how_it_sleeps(still), (still.ref,)
    else:
        return None
    severity: Severity = "critical" if len(rounds) > 1 else "high"
    evidence = (Ref(holder.artifact, holder.line), *refs, *_waiters(glocks, holder, rounds))[:EVIDENCE_MOST]
    return Draft(
        severity=severity,
        evidence=evidence,
        words={
            "glock": f"Glock {glocks.label(holder.fs, holder.glock)}",
            "pid": holder.pid,
            "node": holder.node or "a node",
            "how": how,
            "waiting": plural(len(waiting), "process waits", "processes wait"),
            "command": holder.command if holder.command not in ("", ENDED) else "a process",
            "place": holder.place or "an unknown function",
            "seen": plural(len(rounds), "capture"),
            "list": listed_at,
        },
        nodes=(holder.node,) if holder.node else (),
        start=min((h.at for h in holders if h.at is not None), default=None),
        end=holder.at,
        zone_min=holder.zone_min,
        figures=(Figure("Processes that wait", len(waiting)), Figure("Captures", len(rounds))),
        parts=(
            evidence_part(len(evidence), 1),
            Part("completeness", sure, "the holder's process was looked for" if refs else "the dump itself says that it has ended"),
            Part("agreement", 1.0 if len(rounds) > 1 else 0.75, f"seen in {plural(len(rounds), 'capture')}"),
        ),
        weight=float(len(waiting)),
    )


def _absent(holder: Entry, lists: Sequence[Alive], skew_s: float) -> Alive | None:
    """The nearest whole list of that node's processes, if it lacks the holder."""
    nearest = min(lists, key=lambda one: abs((one.at or 0) - (holder.at or 0)), default=None)
    if nearest is None or holder.pid <= 0 or holder.pid in nearest.pids:
        return None
    return nearest


def _near(holder: Entry, one: Alive, skew_s: float) -> bool:
    return one.at is not None and holder.at is not None and abs(one.at - holder.at) <= skew_s * 1e6


def _still(seen: Sequence[Task]) -> Task | None:
    """A task whose stack did not move between two captures, or that the kernel reports as hung."""
    hung = [task for task in seen if task.seconds is not None]
    if hung:
        return max(hung, key=lambda task: task.seconds or 0.0)
    tops = {(task.frames[:1], task.at) for task in seen if task.frames}
    return seen[-1] if len(tops) > 1 and len({frames for frames, _ in tops}) == 1 else None


def _waiters(glocks: GlockFacts, holder: Entry, rounds: set[int]) -> tuple[Ref, ...]:
    waits = [wait for wait in glocks.contended.get(holder.key, ()) if wait.round in rounds]
    return tuple(Ref(wait.artifact, wait.line) for wait in waits[:3])


@rule("GL-06")
def remote_holder_missing(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes wait and nothing that was sent shows for whom.

    Reasoning: a change of state is in progress, and no local process holds the lock: another node has it.
    Source: kernel documentation of glocks.
    """
    glocks = facts.glocks
    dumped = {node for node, _ in glocks.captures}
    complete = _members(facts)
    shown = 0
    for one in glocks.contentions:
        unseen = [h for h in one.holders if h.by_manager and h.node not in dumped]
        if (one.holders and not unseen) or one.keepers or shown >= SHOWN or _all_dumped(complete, one.fs, dumped):
            continue
        lock = next((glocks.lock_of.get(w.queue) for w in one.waits if glocks.lock_of.get(w.queue) is not None), None)
        if lock is None or ("l" not in lock.flags and lock.state == lock.target):
            continue
        shown += 1
        yield _missing(glocks, one.fs, one.glock, one.waits, unseen)


def _missing(glocks: GlockFacts, fs: str | None, glock: str, waits: Sequence[Entry], unseen: Sequence[Entry]) -> Draft:
    names, nodes = {wait.name for wait in waits}, tuple(sorted({wait.node for wait in waits if wait.node}))
    owner = unseen[0].node if unseen else None
    place = f"on {owner}" if owner else "on the other members"
    evidence = tuple(Ref(e.artifact, e.line) for e in (*waits[:3], *unseen[:1]))
    return Draft(
        severity="info",
        evidence=evidence,
        words={
            "waiters": plural(len(names), "process", "processes"),
            "nodes": listed(nodes) or "a node",
            "glock": glocks.label(fs, glock),
            "who": f"{owner} has it by the lock manager's tables, and its dump was not sent"
            if owner
            else "the dump of its holder was not sent",
            "ask": f"Collect {place} at the same time: cat /sys/kernel/debug/gfs2/{fs or '*'}/glocks, dlm_tool lockdebug {short_fs(fs)}.",
        },
        nodes=nodes,
        figures=(Figure("Processes that wait", len(names)),),
        parts=(evidence_part(len(evidence), max(1, len(nodes))), Part("completeness", 0.9, "what is missing is known")),
        weight=float(len(names)),
    )


def _members(facts: CaseFacts) -> dict[str, tuple[str, ...]]:
    """Members of each lock space, as the last table lists them."""
    return {space.name: space.members for space in lock_spaces(facts) if space.members}


def _all_dumped(members: dict[str, tuple[str, ...]], fs: str | None, dumped: set[str]) -> int:
    """How many members the lock space of a file system has, if the dumps of all of them are here."""
    own = next((names for space, names in members.items() if fs is not None and lockspace_fits(space, fs)), ())
    return len(own) if own and set(own) <= dumped else 0


@rule("GL-07")
def waiters_no_holder(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes wait for ever for a lock that nobody has.

    Reasoning: the dumps of all members are here, twice, and none shows a holder or a mode that keeps the waiters out.
    Source: graph of waits and holders; needs support to be sure.
    """
    glocks = facts.glocks
    if not glocks.contended or not (members := _members(facts)):
        return
    dumped = {node for node, _ in glocks.captures}
    spaces = {space.name: space.standing for space in lock_spaces(facts)}
    asked = {lock.glock for lock in glocks.manager.locks if lock.source == UNANSWERED}
    for (fs, glock), waits in glocks.contended.items():
        count = _all_dumped(members, fs, dumped)
        stopped = any(lockspace_fits(space, fs) and standing in ("waiting", "stopped") for space, standing in spaces.items())
        if not count or stopped or glock in asked:
            continue
        if (draft := _no_holder(glocks, fs, glock, waits, count, limits)) is not None:
            yield draft


def _no_holder(glocks: GlockFacts, fs: str | None, glock: str, waits: list[Entry], members: int, limits: Limits) -> Draft | None:
    rounds = sorted({wait.round for wait in waits})
    locks = glocks.locks_of.get((fs, glock), [])
    excused = any({"r", "F"} & set(lock.flags) or (lock.state not in NOTHING and lock.state != "") for lock in locks)
    known = any(glocks.queues.holders(wait).known for wait in waits)
    lasting = any(glocks.span_at[wait.nth].dumps >= limits.captures for wait in waits)
    if len(rounds) < limits.captures or excused or known or not lasting:
        return None
    counts = [len({w.name for w in waits if w.round == number}) for number in rounds]
    nodes = tuple(sorted({wait.node for wait in waits if wait.node}))
    queue = [lock for lock in glocks.manager.waiting if lock.glock == glock and lockspace_fits(lock.lockspace, fs)]
    evidence = tuple(Ref(wait.artifact, wait.line) for wait in waits[:5])
    return Draft(
        severity="critical" if counts[-1] > counts[0] else "high",
        evidence=evidence,
        words={
            "waiters": plural(max(counts), "process", "processes"),
            "glock": glocks.label(fs, glock),
            "fs": short_fs(fs),
            "members": members,
            "nodes": listed(nodes) or "a node",
            "seen": plural(len(rounds), "capture"),
            "manager": f"The lock manager shows {plural(len(queue), 'request')} waiting and none granted." if queue else "",
        },
        nodes=nodes,
        start=min((w.at for w in waits if w.at is not None), default=None),
        end=max((w.at for w in waits if w.at is not None), default=None),
        figures=(Figure("Processes that wait", max(counts)), Figure("Captures", len(rounds), "", limits.words("captures"))),
        parts=(evidence_part(len(evidence), len(nodes)), Part("completeness", 0.9, "the dumps of all members are here")),
        weight=float(max(counts)),
    )


@rule("GL-08")
def odd_type(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: directory renames, mounts, quota or journals hang.

    Reasoning: the same file system shows waiters on a lock where nobody should wait long, in two captures.
    Source: kernel documentation of glocks.
    """
    glocks = facts.glocks
    for (fs, glock), waits in glocks.contended.items():
        kind = glock if glock in ODD else glock.partition("/")[0]
        rounds = {wait.round for wait in waits}
        if kind not in ODD or len(rounds) < limits.captures:
            continue
        holder = next((h for w in waits for h in glocks.queues.holders(w).entries), None)
        nodes = tuple(sorted({wait.node for wait in waits if wait.node}))
        names = {wait.name for wait in waits}
        evidence = tuple(Ref(e.artifact, e.line) for e in (*((holder,) if holder else ()), *waits[:5]))
        yield Draft(
            severity="medium" if kind == "1/3" else "high",
            evidence=evidence,
            words={
                "waiters": plural(len(names), "process", "processes"),
                "what": ODD[kind],
                "glock": glocks.label(fs, glock),
                "fs": short_fs(fs),
                "seen": plural(len(rounds), "capture"),
                "nodes": listed(nodes) or "a node",
                "held": f"held {holder.state} by {holder.name} [{holder.command or '?'}]" if holder else "no holder is seen in these dumps",
                "meaning": ODD_MEANING[kind],
            },
            nodes=nodes,
            start=min((w.at for w in waits if w.at is not None), default=None),
            end=max((w.at for w in waits if w.at is not None), default=None),
            figures=(Figure("Processes that wait", len(names)), Figure("Captures", len(rounds), "", limits.words("captures"))),
            parts=(
                evidence_part(len(evidence), len(nodes)),
                Part("completeness", 1.0, "the holder is in the dumps") if holder else Part("completeness", 0.65, "no holder is seen"),
            ),
            tunings=("one-node-per-tree-gfs2",) if kind == "1/3" else ("quota",) if kind == "8" else (),
            weight=float(len(names)),
        )
