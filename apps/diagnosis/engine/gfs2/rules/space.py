"""Rules on the use of glocks: allocation (GL-04), direct access (GL-09), number (GL-10), deleted and shared files (GL-15, GL-16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, plural
from apps.diagnosis.engine.gfs2.cluster import events, figures, short_fs
from apps.diagnosis.engine.gfs2.contention import Contention
from apps.diagnosis.engine.gfs2.mounts import Mounts
from apps.diagnosis.engine.gfs2.rules.glocks import severity_of
from parsers.records import Glock, GlockCount

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.gfs2.entries import Entry, Lock
    from apps.diagnosis.engine.gfs2.glocks import GlockFacts

IN_USE: Final = metric("share-in-use")
CHANGES: Final = metric("changes-of-direct-io")
GLOCKS: Final = metric("glocks-in-memory")
GLOCKS_OF_A_MOUNT: Final = metric("glocks-of-a-mount")
SHOWN: Final = 3
RGRP: Final = "3/"
IOPEN: Final = "5/"
DELETING: Final = frozenset("PeEs")
MAPPED: Final = frozenset(("gfs2_page_mkwrite", "gfs2_fault"))
APPENDERS: Final = frozenset(("rsyslogd", "syslog-ng", "syslogd", "logger", "mysqld", "mariadbd", "postgres", "mongod", "slapd", "auditd"))


@rule("GL-04")
def rgrp_pressure(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writes and creates hang now and then on all nodes.

    Reasoning: waiters on several resource groups at once, or many on one; stronger the fuller the file system is.
    Source: Red Hat guide to GFS2.
    """
    by_fs: dict[str | None, dict[int, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for _, waits in facts.glocks.queues.waited():
        if waits[0].glock.startswith(RGRP):
            by_fs[waits[0].fs][waits[0].round].extend(waits)
    for fs, rounds in by_fs.items():
        bad = {number: waits for number, waits in rounds.items() if _is_pressure(waits, limits)}
        if bad:
            yield _pressure(facts, fs, bad, limits)


def _is_pressure(waits: Sequence[Entry], limits: Limits) -> bool:
    names: dict[str, set[str]] = defaultdict(set)
    for wait in waits:
        names[wait.glock].add(wait.name)
    return len(names) >= limits.groups or max(map(len, names.values())) >= limits.waiters


def _pressure(facts: CaseFacts, fs: str | None, rounds: dict[int, list[Entry]], limits: Limits) -> Draft:
    waits = [wait for own in rounds.values() for wait in own]
    worst = max(rounds.values(), key=lambda own: len({wait.name for wait in own}))
    nodes = tuple(sorted({wait.node for wait in waits if wait.node}))
    groups = {wait.glock for wait in waits}
    use = _fullness(facts, fs)
    severity: Severity = "high" if (use and use[0] > limits.full_pct) or len(rounds) >= limits.captures else "medium"
    evidence = (*(Ref(wait.artifact, wait.line) for wait in worst[:5]), *((use[1],) if use else ()))
    numbers = [Figure("Waiting at one time", len({wait.name for wait in worst}), "", limits.words("waiters"))]
    numbers.append(Figure("Resource groups waited for", len(groups), "", limits.words("groups")))
    if use:
        numbers.append(Figure("File system used", use[0], "%", limits.words("full_stated_pct")))
    full = use is not None and use[0] > limits.full_stated_pct
    return Draft(
        severity=severity,
        evidence=evidence,
        words={
            "waiters": plural(len({wait.name for wait in waits}), "process", "processes"),
            "nodes": listed(nodes) or "a node",
            "groups": plural(len(groups), "resource group"),
            "fs": short_fs(fs),
            "full": f" The file system is {use[0]:.0f} % full." if use else " How full the file system is was not sent.",
            "fullness": f"; it is {use[0]:.0f} % full" if use and full else "",
            "seen": plural(len(rounds), "capture"),
            "worst": len({wait.name for wait in worst}),
        },
        nodes=nodes,
        start=min((w.at for w in waits if w.at is not None), default=None),
        end=max((w.at for w in waits if w.at is not None), default=None),
        zone_min=waits[0].zone_min,
        figures=tuple(numbers),
        parts=(
            evidence_part(len(evidence), max(1, len(nodes))),
            Part("completeness", 0.95, "waiters and free room are known")
            if use
            else Part("completeness", 0.75, "the free room is not known"),
            Part("agreement", 1.0 if len(rounds) > 1 else 0.75, f"seen in {plural(len(rounds), 'capture')}"),
        ),
        tunings=("free-space", "one-node-per-tree-gfs2") if full or use is None else ("one-node-per-tree-gfs2",),
        weight=float(len(worst)),
    )


def _fullness(facts: CaseFacts, fs: str | None) -> tuple[float, Ref] | None:
    """How full a file system is, where df shows it: by its mount, or by a mount point with its name."""
    points = {value.scope for mount in facts.get(Mounts).all for value in mount.points.values() if value.scope}
    name = short_fs(fs)
    for figure in reversed(figures(facts, IN_USE)):
        scope = figure.scope or ""
        if scope.rstrip("/").rsplit("/", 1)[-1] == name or (len(points) == 1 and scope in points):
            return figure.value, figure.ref
    return None


@rule("GL-09")
def direct_vs_buffered(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one file is slow on all nodes while each node alone is fast.

    Reasoning: the deferred state is direct I/O, shared and exclusive the page cache; both of one inode at nearly one time.
    Source: compatibility of glock states.
    """
    shown = 0
    for (fs, glock), locks in facts.glocks.locks_of.items():
        if not glock.startswith("2/") or shown >= SHOWN:
            continue
        pair = _two_uses(locks)
        if pair is not None:
            shown += 1
            yield _mixed(fs, locks[0].number, pair)
    for figure in figures(facts, CHANGES):
        if figure.value >= limits.changes:
            yield _mixed_in_trace(figure.name.partition(" ")[0], figure.value, figure.ref, figure.node, figure.scope, limits)


def _two_uses(locks: Sequence[Lock]) -> tuple[Lock, Lock] | None:
    """Direct on one node, buffered on another, in one round or in neighbouring ones."""
    direct = [lock for lock in locks if lock.state == "DF"]
    buffered = [lock for lock in locks if lock.state in ("SH", "EX")]
    return next(
        ((one, other) for one in direct for other in buffered if one.node != other.node and abs(one.round - other.round) <= 1), None
    )


def _mixed(fs: str | None, inode: int, pair: tuple[Lock, Lock]) -> Draft:
    direct, buffered = pair
    return Draft(
        severity="medium",
        evidence=(Ref(direct.artifact, direct.line), Ref(buffered.artifact, buffered.line)),
        words={
            "inode": inode,
            "fs": short_fs(fs),
            "direct": direct.node or "one node",
            "buffered": buffered.node or "another node",
            "how": (
                f"It is DF on {direct.node or 'one node'} and {buffered.state} on {buffered.node or 'another'} in captures next to each"
                " other."
            ),
        },
        nodes=tuple(sorted({direct.node, buffered.node} - {""})),
        start=direct.at,
        end=buffered.at,
        zone_min=direct.zone_min,
        parts=(
            evidence_part(2, 2),
            Part("agreement", 0.6 if direct.round == buffered.round else 0.75, "two dumps, read at slightly other times"),
        ),
    )


def _mixed_in_trace(glock: str, changes: float, ref: Ref, node: str | None, device: str | None, limits: Limits) -> Draft:
    return Draft(
        severity="medium",
        evidence=(ref,),
        words={
            "inode": int(glock.partition("/")[2] or "0", 16),
            "fs": f"device {device}" if device else "the file system",
            "direct": node or "one node",
            "buffered": "a node",
            "how": f"A trace shows it change between DF and the page cache's states {changes:.0f} times.",
        },
        nodes=(node,) if node else (),
        figures=(Figure("Changes of access", changes, "", limits.words("changes")),),
        parts=(evidence_part(1, 1), Part("agreement", 0.85, "counted in a trace")),
    )


@rule("GL-10")
def glock_population(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: none by itself; memory, and slow scans of the lock tables.

    Reasoning: counted in a dump, in the kernel's slabs or in a summary of glocktop.
    Source: limit at which glocktop_analyze warns.
    """
    for node, (value, ref, what) in sorted(_populations(facts).items(), key=lambda item: -item[1][0]):
        if value <= limits.glocks:
            continue
        yield Draft(
            severity="info",
            evidence=(ref,),
            words={"count": count(value), "node": node or "a node", "inodes": count(value / 2), "what": what},
            nodes=(node,) if node else (),
            figures=(Figure("Glocks", value, "", limits.words("glocks")),),
            parts=(evidence_part(1, 1), Part("agreement", 0.98, "a count")),
            weight=value,
        )


def _populations(facts: CaseFacts) -> dict[str, tuple[float, Ref, str]]:
    """Most glocks of each node, with where they are counted."""
    found: dict[str, tuple[float, Ref, str]] = {}

    def take(node: str | None, value: float, ref: Ref, what: str) -> None:
        name = node or ""
        if name not in found or value > found[name][0]:
            found[name] = (value, ref, what)

    for figure in figures(facts, GLOCKS):
        take(figure.node, figure.value, figure.ref, "the kernel's slabs")
    for figure in figures(facts, GLOCKS_OF_A_MOUNT):
        take(figure.node, figure.value, figure.ref, "a summary of glocktop")
    for node, artifact, dump, value in _dump_sizes(facts):
        take(node, value, Ref(artifact, dump), "a dump of one file system")
    return found


def _dump_sizes(facts: CaseFacts) -> Iterator[tuple[str | None, int, int, float]]:
    """Glocks of each dump, those in use and those that are only counted."""
    if not facts.facts.has(GlockCount):
        return
    keys = ["node", "artifact", "dump"]
    idle = facts.facts.scan(GlockCount).group_by(keys).agg(pl.col("count").sum().cast(pl.Int64)).collect()
    used = facts.facts.scan(Glock).group_by(keys).agg(pl.len().cast(pl.Int64).alias("count")).collect()
    sizes = facts.named(pl.concat([idle, used])).group_by(keys, maintain_order=True).agg(pl.col("count").sum())
    for node, artifact, dump, value in sizes.sort("artifact", "dump").iter_rows():
        yield node, artifact, dump, float(value)


@rule("GL-15")
def unlinked_open(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: removed files give no room back, and their deletion hangs.

    Reasoning: the open-lock of one inode is waited for, or marked for deletion, in several captures.
    Source: type 5 glocks; the use of it as a cause is recalled.
    """
    openers = events(facts, "open-descriptor")
    for (fs, glock), locks in facts.glocks.locks_of.items():
        if not glock.startswith(IOPEN):
            continue
        waits = facts.glocks.contended.get((fs, glock), [])
        marked = {lock.round for lock in locks if DELETING & set(lock.flags)} | {wait.round for wait in waits}
        if len(marked) < limits.captures:
            continue
        by = next((event for event in openers if event.about in (glock, f"6/{glock[2:]}")), None)
        evidence = (*(Ref(lock.artifact, lock.line) for lock in locks[:4]), *((by.ref,) if by else ()))
        where = f" on {by.node or 'a node'} by process {by.value:.0f}" if by and by.value is not None else ""
        yield Draft(
            severity="info",
            evidence=evidence,
            words={
                "inode": locks[0].number,
                "fs": short_fs(fs),
                "where": where,
                "hex": glock[2:],
                "how": "is waited for" if waits else "is marked for deletion",
                "seen": plural(len(marked), "capture"),
                "owner": f"glockfd shows who keeps it open: {by.text}."
                if by
                else "glockfd or lsof +L1 on every node names who keeps it open.",
            },
            nodes=tuple(sorted({lock.node for lock in locks if lock.node})),
            figures=(Figure("Captures", len(marked), "", limits.words("captures")),),
            parts=(
                evidence_part(len(evidence), 1),
                Part("completeness", 0.9 if by else 0.6, "who keeps it open" if by else "owner not seen"),
            ),
        )


@rule("GL-16")
def shared_write(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one log or mapped file is slow on all nodes.

    Reasoning: exclusive waits of several nodes on one regular file, by page faults for writing or by programs that append.
    Source: exclusive excludes caching elsewhere; the two patterns are recalled.
    """
    for one in facts.glocks.contentions:
        writers = {wait.node for wait in one.waits if wait.state == "EX" and wait.node}
        if one.is_local or len(writers | {h.node for h in one.holders if h.state == "EX"}) < 2 or not _is_file(one):
            continue
        entries = [*one.waits, *one.holders]
        mapped = [entry for entry in entries if entry.place in MAPPED]
        appending = [entry for entry in entries if entry.command in APPENDERS and entry.state == "EX"]
        chosen = mapped or appending
        if not chosen or (not mapped and len({entry.node for entry in appending}) < 2):
            continue
        yield _shared(facts.glocks, one, chosen, writers, mapped=bool(mapped))


def _is_file(one: Contention) -> bool:
    return {lock.inode_type for lock in one.locks if lock.inode_type is not None} == {8}


def _shared(glocks: GlockFacts, one: Contention, chosen: Sequence[Entry], writers: set[str], *, mapped: bool) -> Draft:
    first = chosen[0]
    hold = min((lock.min_hold for lock in one.locks if lock.min_hold), default=None)
    hz = limits_of("GL-01").hz_if_unknown
    evidence = tuple(Ref(entry.artifact, entry.line) for entry in chosen[:4])
    how = (
        f"{first.command} [{first.pid}] on {first.node} stands in {first.place}."
        if mapped
        else f"{first.command} writes it on each of them."
    )
    return Draft(
        severity=severity_of(one, limits_of("GL-01")),
        evidence=evidence,
        words={
            "inode": one.inode,
            "fs": short_fs(one.fs),
            "nodes": plural(max(2, len(writers)), "node"),
            "how": "mapped into memory" if mapped else "appended to",
            "evidence": how,
            "ceiling": f" At most about {hz / hold:.0f} changes of owner per second are possible (HZ {hz:.0f} assumed)." if hold else "",
        },
        nodes=one.nodes,
        start=min(one.times, default=None),
        end=max(one.times, default=None),
        zone_min=first.zone_min,
        parts=(evidence_part(len(evidence), len(writers)), Part("completeness", 0.8, "functions and commands of the waiters")),
    )
