"""What the page of locks reads of GFS2 and its lock managers: contended locks, waits by capture, glocks by type, who
takes from whom.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.page_tables import flow, flows_table, lock_object, objects_table, waited_for
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.wording import process_words
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.plocks import OF_CLUSTER
from parsers.records.locks import DlmLock, GlockCount, PosixLock

GLOCK_TYPES: Final = {
    1: "non-disk",
    2: "inode",
    3: "resource group",
    4: "meta",
    5: "iopen",
    6: "flock",
    8: "quota",
    9: "journal",
}
CAPTURE_SCHEMA: Final = {"scope": pl.String, "round": pl.Int64, "at": pl.Int64, "state": pl.String, "waiters": pl.Int64}
HOLDER_SCHEMA: Final = {
    "object": pl.String,
    "who": pl.String,
    "node": pl.String,
    "words": pl.String,
    "at": pl.Int64,
    "artifact": pl.Int64,
    "line": pl.Int64,
}
TYPE_SCHEMA: Final = {
    "scope": pl.String,
    "type": pl.String,
    "cached": pl.Int64,
    "exclusive": pl.Int64,
    "waiters": pl.Int64,
}


def objects(case: Case) -> pl.DataFrame:
    """Glocks, locks of the DLM and locks on files of the cluster that somebody waits for."""
    return objects_table(chain(_glocks(case.get(GlockFacts)), _dlm(case), _posix(case)))


def captures(case: Case) -> pl.DataFrame:
    """Waits by round of captures."""
    return pl.DataFrame(list(_captures(case.get(GlockFacts))), schema=CAPTURE_SCHEMA, orient="row")


def lock_types(case: Case) -> pl.DataFrame:
    """Glocks by file system and type."""
    return pl.DataFrame(list(_types(case)), schema=TYPE_SCHEMA, orient="row")


def flows(case: Case) -> pl.DataFrame:
    """Glocks that moved from node to node, and waits for those that another node holds."""
    facts = case.get(GlockFacts)
    return flows_table(chain(_moves(facts), _waits(facts)))


def holders(case: Case) -> pl.DataFrame:
    """The last line that shows each process, or node, to have a glock that others wait for; names as in the graph of
    waits.
    """
    facts = case.get(GlockFacts)
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for _, waits in facts.queues.waited():
        glock, have = facts.label(*waits[0].key), facts.queues.holders(waits[0])
        for one in have.entries:
            words = phrase("gfs2-edges.held", state=one.state, command=one.command)
            last[glock, one.name] = _holder(glock, one.name, words, one)
        for lock in have.nodes:
            who = lock.node or "a node"
            last[glock, who] = _holder(glock, who, phrase("gfs2-edges.kept", state=lock.state), lock)
    return pl.DataFrame(list(last.values()), schema=HOLDER_SCHEMA, orient="row")


def _holder(glock: str, who: str, words: str, line: Entry | Lock) -> dict[str, Any]:
    return {
        "object": glock,
        "who": who,
        "node": line.node or None,
        "words": words,
        "at": line.at,
        "artifact": line.artifact,
        "line": line.line,
    }


def _glocks(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    for (fs, glock), waits in facts.contended.items():
        rounds = _rounds(facts, waits)
        holders = [holder for one in rounds.values() for holder in one[0]]
        last = holders[-1] if holders else None
        locks = facts.locks_of.get((fs, glock), [])
        spans = {id(span): span for wait in waits if (span := facts.span_of.get((wait.artifact, wait.line)))}
        most = max(rounds.values(), key=lambda one: sum(one[1].values()), default=([], Counter()))
        moves = _changes(rounds)
        yield {
            "kind": "gfs2_glock",
            "scope": fs,
            "object": glock,
            "what": _what(glock, any(lock.is_directory for lock in locks)),
            "mode": last.state if last else None,
            "holder": f"{process_words(last.name)} [{last.command}]" if last else None,
            "holder_node": last.node if last else None,
            "function": last.place if last else None,
            "waiters": sum(most[1].values()),
            "by_node": json.dumps(dict(most[1].most_common())),
            "longest_s": max((span.seconds or 0.0 for span in spans.values()), default=None),
            "demote_s": max((lock.age_s for lock in locks if "D" in lock.flags), default=None),
            "min_hold": min((lock.min_hold for lock in locks if lock.min_hold is not None), default=None),
            "moves": moves,
            "captures": json.dumps(_strip(facts, fs, rounds)),
            "state": _state(rounds, moves, any(span.state == "stuck" for span in spans.values())),
            "artifact": waits[0].artifact,
            "line": waits[0].line,
        }


Rounds = dict[int, tuple[list[Entry], Counter[str]]]


def _rounds(facts: GlockFacts, waits: list[Entry]) -> Rounds:
    """By round: who holds the glock, and how many wait on each node."""
    found: Rounds = {}
    for wait in sorted(waits, key=lambda one: one.round):
        holders, waiting = found.setdefault(wait.round, ([], Counter()))
        waiting[wait.node] += 1
        known = {holder.name for holder in holders}
        holders.extend(one for one in facts.queues.holders(wait).entries if one.name not in known)
    return dict(sorted(found.items()))


def _changes(rounds: Rounds) -> int:
    """How often another node held it than in the round before."""
    nodes = [holders[0].node for holders, _ in rounds.values() if holders]
    return sum(before != after for before, after in pairwise(nodes))


def _strip(facts: GlockFacts, fs: str | None, rounds: Rounds) -> list[dict[str, Any]]:
    """One square for each round of the file system: holder and waiters; without both where nobody waited."""
    at: dict[int, int | None] = {}
    for one in (one for (_, name), own in facts.captures.items() if name == fs for one in own):
        before = at.get(one.round)
        at[one.round] = before if one.at is None else min(one.at, one.at if before is None else before)
    strip = []
    for number in sorted(at):
        holders, waiting = rounds.get(number, ([], Counter()))
        first = holders[0] if holders else None
        strip.append(
            {
                "node": first.node if first else None,
                "who": first.name if first else None,
                "waiters": sum(waiting.values()),
                "at": at[number],
            }
        )
    return strip


def _state(rounds: Rounds, moves: int, is_stuck: bool) -> str:
    if len(rounds) < 2:
        return "passing"
    if moves > 1 and moves * 2 >= len(rounds) - 1:
        return "ping-pong"
    return "stuck" if is_stuck else "moving"


def _what(glock: str, is_directory: bool) -> str:
    """In words: what the number of a glock stands for."""
    kind, _, number = glock.partition("/")
    words = GLOCK_TYPES.get(int(kind), "type " + kind) if kind.isdigit() else kind
    place = int(number, 16) if number and all(c in "0123456789abcdef" for c in number) else None
    return f"{words} {place}{', directory' if is_directory else ''}" if place is not None else words


def _captures(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    """Waits by round: those that stay as they are, those that move up, and those seen for the first time."""
    at: dict[tuple[str | None, int], int] = {}
    for (_, fs), own in facts.captures.items():
        for one in own:
            if one.at is not None:
                at[fs, one.round] = min(one.at, at.get((fs, one.round), one.at))
    found: Counter[tuple[str | None, int, str]] = Counter({(fs, number, "stuck"): 0 for fs, number in at})
    for span in facts.spans:
        for place, entry in enumerate(span.entries):
            state = (
                "first seen"
                if place == 0
                else "moving"
                if entry.position < span.entries[place - 1].position
                else "stuck"
            )
            found[entry.fs, entry.round, state] += 1
    for (fs, number, state), waiters in sorted(found.items(), key=str):
        yield {"scope": fs, "round": number, "at": at.get((fs, number)), "state": state, "waiters": waiters}


def _types(case: Case) -> Iterator[dict[str, Any]]:
    """Glocks by type in the last capture of each node, over all nodes."""
    facts = case.get(GlockFacts)
    tally: dict[tuple[str | None, int], Counter[str]] = defaultdict(Counter)
    if case.store.has(GlockCount):
        counts = case.get(Nodes).named(case.store.frame(GlockCount)).sort("at", "dump", nulls_last=False)
        last = counts.filter(pl.col("at").eq_missing(pl.col("at").last().over("node", "fs")))
        for fs, kind, state, count in last.select("fs", "type", "state", "count").iter_rows():
            tally[fs, kind]["cached"] += count
            tally[fs, kind]["exclusive"] += count if state == "EX" else 0
    ends = {key: len(own) - 1 for key, own in facts.captures.items()}
    for lock in facts.locks:
        if lock.capture == ends.get((lock.node, lock.fs)):
            tally[lock.fs, lock.type]["cached"] += 1
            tally[lock.fs, lock.type]["exclusive"] += lock.state == "EX"
    for wait in facts.waits:
        if wait.capture == ends.get((wait.node, wait.fs)):
            tally[wait.fs, int(wait.glock.split("/")[0])]["waiters"] += 1
    for (fs, kind), row in sorted(tally.items(), key=lambda item: (-item[1]["waiters"], -item[1]["cached"])):
        words = f"{kind} {GLOCK_TYPES.get(kind, '')}".strip()
        yield {
            "scope": fs,
            "type": words,
            "cached": row["cached"],
            "exclusive": row["exclusive"],
            "waiters": row["waiters"],
        }


def _moves(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    """From one round to the next another node holds a contended glock: it was taken from the first."""
    found: Counter[tuple[str | None, str, str]] = Counter()
    for (fs, _), waits in facts.contended.items():
        nodes = [holders[0].node for holders, _ in _rounds(facts, waits).values() if holders]
        found.update((fs, before, after) for before, after in pairwise(nodes) if before != after)
    yield from (flow("moves", fs, loser, taker, amount) for (fs, loser, taker), amount in found.items())


def _waits(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    """Processes of one node that wait for a glock which a process of another, or of the same, holds."""
    found: dict[tuple[str | None, str, str], set[str]] = defaultdict(set)
    for wait in facts.waits:
        for holder in facts.queues.holders(wait).entries:
            found[wait.fs, holder.node, wait.node].add(f"{wait.name} {wait.glock}")
    yield from (flow("waits", fs, loser, taker, len(seen)) for (fs, loser, taker), seen in found.items())


def _dlm(case: Case) -> Iterator[dict[str, Any]]:
    waits = pl.col("queue").is_in(["waiting", "converting"]).fill_null(value=False)
    for key, rows in waited_for(case, DlmLock, ("lockspace", "resource"), waits).items():
        yield lock_object("dlm", key, rows, _held_by(rows), [row for row in rows if row["_waits"]])


def _held_by(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each lock that is granted once: its node prints it as its own (node id 0), the one that keeps the resource with
    the node's id.
    """
    found: dict[tuple[str, int], str] = {}
    for row in rows:
        lock, is_own = (row["granted"] or "?", row["pid"]), row["owner_node"] == 0 and row["node"]
        if not row["_waits"] and (is_own or lock not in found):
            found[lock] = row["node"] if is_own else f"node id {row['owner_node']}"
    return [f"{mode} by {who}, pid {pid}" for (mode, pid), who in found.items()]


def _posix(case: Case) -> Iterator[dict[str, Any]]:
    # Only those of the cluster: device numbers of /proc/locks mean another file on each node.
    for key, rows in waited_for(case, PosixLock, ("fs", "inode"), pl.col("waiting") & OF_CLUSTER.rows).items():
        holders = [
            f"{row['mode'] or '?'} by node id {row['owner_node']}, pid {row['pid']}"
            for row in rows
            if not row["_waits"]
        ]
        yield lock_object("posix", key, rows, holders, [row for row in rows if row["_waits"]])
