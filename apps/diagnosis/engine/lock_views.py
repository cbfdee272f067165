"""What the page of locks reads, as small tables: contended objects, waits by capture, locks by type, and who takes from whom."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Diagnosis, LockRole
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.gfs2.entries import Entry
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.plocks import OF_CLUSTER
from parsers.records import DlmLock, GlmLock, GlockCount, PosixLock

OBJECTS_KEPT: Final = 2000
GLOCK_TYPES: Final = {1: "non-disk", 2: "inode", 3: "resource group", 4: "meta", 5: "iopen", 6: "flock", 8: "quota", 9: "journal"}
OBJECT_SCHEMA: Final = {
    "kind": pl.String, "scope": pl.String, "object": pl.String, "what": pl.String, "mode": pl.String, "holder": pl.String,
    "holder_node": pl.String, "function": pl.String, "waiters": pl.Int64, "by_node": pl.String, "longest_s": pl.Float64,
    "demote_s": pl.Float64, "min_hold": pl.Int64, "moves": pl.Int64, "captures": pl.String, "state": pl.String,
    "artifact": pl.Int64, "line": pl.Int64,
}  # fmt: skip
CAPTURE_SCHEMA: Final = {"scope": pl.String, "round": pl.Int64, "at": pl.Int64, "state": pl.String, "waiters": pl.Int64}
TYPE_SCHEMA: Final = {"scope": pl.String, "type": pl.String, "cached": pl.Int64, "exclusive": pl.Int64, "waiters": pl.Int64}
FLOW_SCHEMA: Final = {"kind": pl.String, "scope": pl.String, "loser": pl.String, "taker": pl.String, "amount": pl.Float64}


def lock_tables(case: CaseFacts, diagnosis: Diagnosis) -> Iterator[tuple[str, pl.DataFrame]]:
    """Name and rows of each table."""
    facts = case.glocks
    objects = [*_glocks(facts), *_dlm(case), *_glm(case), *_posix(case)]
    objects.sort(key=lambda row: (-row["waiters"], -(row["longest_s"] or 0), row["object"]))
    yield "objects", pl.DataFrame(objects[:OBJECTS_KEPT], schema=OBJECT_SCHEMA, orient="row")
    yield "captures", pl.DataFrame(list(_captures(facts)), schema=CAPTURE_SCHEMA, orient="row")
    yield "lock-types", pl.DataFrame(list(_types(case)), schema=TYPE_SCHEMA, orient="row")
    flows = [*_moves(facts), *_waits(facts), *_taken(diagnosis.lock_roles)]
    yield "flows", pl.DataFrame(flows, schema=FLOW_SCHEMA, orient="row")


# GFS2 -------------------------------------------------------------------------------------------------------------------


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
            "holder": f"{last.name} [{last.command}]" if last else None,
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
    numbers = sorted({one.round for (_, name), own in facts.captures.items() if name == fs for one in own})
    strip = []
    for number in numbers:
        holders, waiting = rounds.get(number, ([], Counter()))
        first = holders[0] if holders else None
        strip.append({"node": first.node if first else None, "who": first.name if first else None, "waiters": sum(waiting.values())})
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
            state = "first seen" if place == 0 else "moving" if entry.position < span.entries[place - 1].position else "stuck"
            found[entry.fs, entry.round, state] += 1
    for (fs, number, state), waiters in sorted(found.items(), key=str):
        yield {"scope": fs, "round": number, "at": at.get((fs, number)), "state": state, "waiters": waiters}


def _types(case: CaseFacts) -> Iterator[dict[str, Any]]:
    """Glocks by type in the last capture of each node, over all nodes."""
    facts = case.glocks
    tally: dict[tuple[str | None, int], Counter[str]] = defaultdict(Counter)
    if case.facts.has(GlockCount):
        counts = case.named(case.facts.frame(GlockCount)).sort("at", "dump", nulls_last=False)
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
        yield {"scope": fs, "type": words, "cached": row["cached"], "exclusive": row["exclusive"], "waiters": row["waiters"]}


def _moves(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    """From one round to the next another node holds a contended glock: it was taken from the first."""
    found: Counter[tuple[str | None, str, str]] = Counter()
    for (fs, _), waits in facts.contended.items():
        nodes = [holders[0].node for holders, _ in _rounds(facts, waits).values() if holders]
        found.update((fs, before, after) for before, after in pairwise(nodes) if before != after)
    yield from (_flow("moves", fs, loser, taker, amount) for (fs, loser, taker), amount in found.items())


def _waits(facts: GlockFacts) -> Iterator[dict[str, Any]]:
    """Processes of one node that wait for a glock which a process of another, or of the same, holds."""
    found: dict[tuple[str | None, str, str], set[str]] = defaultdict(set)
    for wait in facts.waits:
        for holder in facts.queues.holders(wait).entries:
            found[wait.fs, holder.node, wait.node].add(f"{wait.name} {wait.glock}")
    yield from (_flow("waits", fs, loser, taker, len(seen)) for (fs, loser, taker), seen in found.items())


def _flow(kind: str, scope: str | None, loser: str, taker: str, amount: float) -> dict[str, Any]:
    return {"kind": kind, "scope": scope, "loser": loser, "taker": taker, "amount": float(amount)}


# VxFS -------------------------------------------------------------------------------------------------------------------


def _taken(roles: tuple[LockRole, ...]) -> Iterator[dict[str, Any]]:
    """Locks revoked on one node, shared out over those who were granted some at the same time, by how many each was granted.

    Nobody took more than it was granted: what is left over was given back, not taken.
    """
    samples: dict[str | None, list[LockRole]] = defaultdict(list)
    for role in roles:
        if role.at is not None and role.node is not None:
            samples[role.scope].append(role)
    for scope, own in samples.items():
        flows: dict[tuple[str, str], float] = defaultdict(float)
        own.sort(key=_end)
        ends = [_end(role) for role in own]
        longest = round(max(role.interval_s for role in own) * 1_000_000)
        for loser in own:
            lost = loser.per_s.get("h_revoke", 0.0) * loser.interval_s
            near = own[bisect_right(ends, _start(loser)) : bisect_right(ends, _end(loser) + longest)] if lost else ()
            shares = {id(one): (one, share) for one in near if one.node != loser.node and (share := _granted(one, loser)) > 0}
            whole = sum(share for _, share in shares.values())
            for taker, share in shares.values():
                flows[loser.node or "", taker.node or ""] += min(lost * share / whole, share / 1_000_000)
        yield from (_flow("locks", scope, loser, taker, amount) for (loser, taker), amount in flows.items() if amount >= 1)


def _end(role: LockRole) -> int:
    return role.at or 0


def _start(role: LockRole) -> int:
    return _end(role) - round(role.interval_s * 1_000_000)


def _granted(taker: LockRole, loser: LockRole) -> float:
    """Millionths of locks granted in the time that both samples cover."""
    common = min(_end(taker), _end(loser)) - max(_start(taker), _start(loser))
    return taker.per_s.get("h_grant", 0.0) * max(0, common)


# Lock managers ----------------------------------------------------------------------------------------------------------


def _row(kind: str, key: tuple[Any, ...], rows: list[dict[str, Any]], holders: list[str], waiting: list[dict[str, Any]]) -> dict[str, Any]:
    ages = [row["age_s"] for row in waiting if row.get("age_s") is not None]
    first = waiting[0] if waiting else rows[0]
    nodes = Counter(str(row["node"] or "unknown") for row in waiting)
    return dict.fromkeys(OBJECT_SCHEMA) | {
        "kind": kind,
        "scope": key[0],
        "object": str(key[1]),
        "what": "",
        "holder": ", ".join(dict.fromkeys(holders)) or None,
        "waiters": len(waiting),
        "by_node": json.dumps(dict(nodes.most_common())),
        "longest_s": max(ages, default=None),
        "captures": "[]",
        "state": "waiting" if waiting else "held",
        "artifact": first["artifact"],
        "line": first["line"],
    }


def _grouped(case: CaseFacts, kind: type[DlmLock] | type[GlmLock] | type[PosixLock], keys: tuple[str, str], wanted: pl.Expr) -> Any:
    """Rows by object, of objects that somebody waits for."""
    if not case.facts.has(kind):
        return {}
    rows = case.named(case.facts.scan(kind).filter(pl.col(keys[1]).is_not_null()).filter(wanted.any().over(list(keys))).collect())
    return rows.with_columns(wanted.alias("_waits")).sort("artifact", "line").rows_by_key(list(keys), named=True)


def _dlm(case: CaseFacts) -> Iterator[dict[str, Any]]:
    waits = pl.col("queue").is_in(["waiting", "converting"]).fill_null(value=False)
    for key, rows in _grouped(case, DlmLock, ("lockspace", "resource"), waits).items():
        holders = [f"{row['granted'] or '?'} by node id {row['owner_node']}, pid {row['pid']}" for row in rows if not row["_waits"]]
        yield _row("dlm", key, rows, holders, [row for row in rows if row["_waits"]])


def _glm(case: CaseFacts) -> Iterator[dict[str, Any]]:
    for key, rows in _grouped(case, GlmLock, ("scope", "object"), pl.col("waiter").is_not_null()).items():
        yield _row("vxfs_glm", key, rows, [row["holder"] for row in rows if row["holder"]], [row for row in rows if row["_waits"]])


def _posix(case: CaseFacts) -> Iterator[dict[str, Any]]:
    # Only those of the cluster: device numbers of /proc/locks mean another file on each node.
    for key, rows in _grouped(case, PosixLock, ("fs", "inode"), pl.col("waiting") & OF_CLUSTER.rows).items():
        holders = [f"{row['mode'] or '?'} by node id {row['owner_node']}, pid {row['pid']}" for row in rows if not row["_waits"]]
        yield _row("posix", key, rows, holders, [row for row in rows if row["_waits"]])
