"""GFS2 waits, spans and locks as rows of the JSON output and of the pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case, Printer, SpanPart
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import groups
from apps.diagnosis.engine.core.page_tables import LONGEST_FIRST
from apps.diagnosis.engine.core.words.wait_kinds import Classification
from apps.diagnosis.engine.gfs2.blocked import FUNCTIONS, KIND_OF, BlockedTasks
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.taxonomy import Taxonomy
from parsers.records.locks import DlmLock

DUMPS: Final = {"node": pl.String, "at": pl.Int64, "category": pl.Int64, "waiters": pl.Int64, "longest_s": pl.Float64}


def waiter_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Waiting H lines as ``waiters`` of the JSON. ``seconds`` is a lower bound: since the first capture that shows the
    wait.
    """
    facts = case.get(GlockFacts)
    for wait in facts.waits:
        span = facts.span_at[wait.nth]
        found = facts.kinds.of(span)
        yield {
            "node": wait.node or None,
            "captured_at": report.clock.text(wait.at, wait.zone_min),
            "thread": wait.command or None,
            "thread_id": wait.pid or None,
            "address": None,
            "seconds": _since(wait, span.first),
            "since": None,
            "wait_on": {"kind": "gfs2_glock", "address": None, "name": wait.glock},
            "reason": wait.function or None,
            "rpc": None,
            "target": None,
            "object": wait.glock,
            "holder": _holder(facts, wait),
            "monitored": None,
            "category": found.category,
            "category_name": found.category_name,
            "kind_id": found.kind_id,
            "meaning": found.meaning,
            "path": report.path(wait.artifact),
            "line": wait.line,
        }


def blocked_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Tasks that the kernel reports as blocked, as ``waiters`` of the JSON; the seconds are those that it prints."""
    taxonomy = Taxonomy.load()
    for one in case.get(BlockedTasks).all:
        task, kind = one.task, taxonomy.kind(KIND_OF[one.awaited]) if one.awaited in KIND_OF else None
        category = kind.category if kind is not None and isinstance(kind.category, int) else None
        found = Classification(
            kind=kind,
            category=category,
            meaning=kind.meaning if kind else "",
            resource=kind.resource if kind else "",
        )
        yield {
            "node": task.node,
            "captured_at": report.clock.text(task.at, None),
            "thread": task.name or None,
            "thread_id": task.pid,
            "address": None,
            "seconds": task.seconds,
            "since": None,
            "wait_on": None,
            "reason": next((frame for frame in task.frames if frame in FUNCTIONS), None),
            "rpc": None,
            "target": None,
            "object": None,
            "holder": None,
            "monitored": None,
            "category": found.category,
            "category_name": found.category_name,
            "kind_id": found.kind_id,
            "meaning": found.meaning or None,
            "path": report.path(task.ref.artifact),
            "line": task.ref.line,
        }


def _since(wait: Entry, first: Entry) -> float | None:
    if wait.at is None or first.at is None or wait.at <= first.at:
        return None
    return (wait.at - first.at) / 1e6


def _holder(facts: GlockFacts, wait: Entry) -> str | None:
    """Who has the glock: a process, or a node that keeps it without one; None where that is not seen."""
    have = facts.queues.holders(wait)
    if have.entries:
        return have.entries[0].name
    return have.nodes[0].node or None if have.nodes else None


def span_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Waiting processes over captures as ``spans`` of the JSON."""
    facts = case.get(GlockFacts)
    for span in facts.spans:
        found = facts.kinds.of(span)
        last, zone = span.last, span.last.zone_min
        yield {
            "node": last.node or None,
            "thread": last.command or None,
            "thread_id": last.pid or None,
            "kind_id": found.kind_id,
            "category": found.category,
            "start": report.clock.text(span.first.at, zone),
            "end": report.clock.text(last.at, zone),
            "seconds": span.seconds,
            "dumps": span.dumps,
            "state": span.state,
        }


def span_parts(case: Case) -> list[SpanPart]:
    """Spans for the pages in one part."""
    return [SpanPart(1, lambda: [_span_frame(case)])]


def _span_frame(case: Case) -> pl.DataFrame:
    """The longest first; columns as far as GFS2 has them."""
    facts, rows = case.get(GlockFacts), []
    for span in facts.spans:
        found = facts.kinds.of(span)
        last = span.last
        rows.append(
            {
                "node": last.node or None,
                "thread": f"{last.command} [{last.pid}]",
                "thread_id": last.pid or None,
                "kind_id": found.kind_id,
                "category": found.category,
                "waits_on": f"glock {last.glock} {last.state}",
                "reason": last.function or None,
                "state": span.state,
                "start": span.first.at,
                "end": last.at,
                "seconds": span.seconds,
                "dumps": span.dumps,
                "artifact": last.artifact,
                "line": last.line,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None).sort(**LONGEST_FIRST) if rows else pl.DataFrame()


def dump_frames(case: Case) -> Iterator[pl.DataFrame]:
    """Waiters per node, capture and category, for the rollups."""
    facts = case.get(GlockFacts)
    counts: dict[tuple[str, int, int], list[float]] = {}
    for span in facts.spans:
        category = facts.kinds.of(span).category or 0
        for wait in span.entries:
            if wait.at is not None:
                row = counts.setdefault((wait.node, wait.at, category), [0, 0.0])
                row[0] += 1
                row[1] = max(row[1], _since(wait, span.first) or 0.0)
    rows = [(node, at, category, int(n), longest) for (node, at, category), (n, longest) in counts.items()]
    yield pl.DataFrame(rows, schema=DUMPS, orient="row")


def lock_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Glocks held, waited for or asked to be released as ``locks`` of the JSON."""
    facts = case.get(GlockFacts)
    seen: dict[tuple[str, str | None, str], int] = defaultdict(int)
    for lock in facts.locks:
        seen[lock.node, lock.fs, lock.object] += 1
    for lock in facts.locks:
        yield _lock_row(facts, lock, seen[lock.node, lock.fs, lock.object], report)


def _lock_row(facts: GlockFacts, lock: Lock, dumps: int, report: Printer) -> dict[str, Any]:
    waiting = facts.queues.waiting(lock.queue)
    held = facts.queues.holders(waiting[0]).entries if waiting else facts.queues.granted(lock.queue)
    return {
        "node": lock.node or None,
        "at": report.clock.text(lock.at, lock.zone_min),
        "kind": "gfs2_glock",
        "object": lock.object,
        "state": lock.state,
        "target": lock.target,
        "demote": lock.demote,
        "age_s": lock.demote_us / 1e6 if lock.demote_us is not None else None,
        "flags": lock.flags,
        "holders": [
            {
                "node": h.node or None,
                "pid": h.pid,
                "command": h.command or None,
                "mode": h.state,
                "function": h.function or None,
            }
            for h in held
        ],
        "waiters": len(waiting),
        "dumps": dumps,
        "path": report.path(lock.artifact),
        "line": lock.line,
    }


def dlm_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Locks of the DLM that are waited for, by resource and dump."""
    locks = case.get(Nodes).named(case.store.frame(DlmLock))
    if locks.is_empty():
        return
    waited = (
        pl.col("queue").is_in(["waiting", "converting"]).any().over("artifact", "node", "at", "lockspace", "resource")
    )
    keys = ["artifact", "node", "at", "zone_min", "lockspace", "resource"]
    for key, group in groups(locks.filter(waited), *keys):
        artifact, node, at, zone_min, lockspace, resource = key
        yield {
            "node": node,
            "at": report.clock.text(at, zone_min),
            "kind": "dlm",
            "object": f"{lockspace}:{resource}" if lockspace else resource,
            "state": None,
            "target": None,
            "demote": None,
            "age_s": group["age_s"].max(),
            "flags": None,
            "holders": [_dlm_holder(row) for row in group.filter(pl.col("queue") == "granted").iter_rows(named=True)],
            "waiters": group.filter(pl.col("queue") != "granted").height,
            "dumps": 1,
            "path": report.path(int(artifact)),
            "line": group["line"].min(),
        }


def _dlm_holder(row: dict[str, Any]) -> dict[str, Any]:
    owner = row["owner_node"]
    node = row["node"] if owner == 0 else str(owner) if owner is not None else None
    return {"node": node, "pid": row["pid"], "command": None, "mode": row["granted"], "function": None}
