"""Rules on the way to the disks: paths of multipath maps that fail or flap, and thin pools that run out of space."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import moment, plural
from apps.diagnosis.engine.storage.rules.loads import unlimited_queueing
from parsers.records import DiskPath, Event

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

PATH_KINDS: Final = (
    "path-failed", "path-restored", "paths-remaining", "path-checker-timeout", "path-offline", "rport-lost", "map-recovery-mode",
)  # fmt: skip
_LOST: Final = frozenset(("path-failed", "path-offline", "path-checker-timeout", "rport-lost"))


def events_of(facts: CaseFacts, kinds: Sequence[str]) -> pl.DataFrame:
    """Events of some kinds with canonical nodes, in the order of the text."""
    if not facts.facts.has(Event):
        return pl.DataFrame(schema={"artifact": pl.Int64(), "line": pl.Int64(), "node": pl.String(), "kind": pl.String()})
    rows = facts.facts.scan(Event).filter(pl.col("kind").is_in(list(kinds))).collect()
    return facts.named(rows).sort("artifact", "line")


@rule("ST-05")
def multipath_masking(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: I/O stands still for a while, and the file system with it, without an error.

    Reasoning: paths that fail in the log or in ``multipath -ll``: none left is critical, flapping high, one lost medium.
    Source: Red Hat article 627823.
    """
    told: set[tuple[str | None, str | None]] = set()
    events = events_of(facts, PATH_KINDS)
    for (node,), rows in events.group_by(["node"], maintain_order=True) if events.height else ():
        yield _logged(facts, None if node is None else str(node), rows, limits)
        told.add((None if node is None else str(node), None))
    yield from _shown(facts, told, limits)
    yield from _configured(facts, limits)


def _logged(facts: CaseFacts, node: str | None, rows: pl.DataFrame, limits: Limits) -> Draft:
    """Path events of one node."""
    left = rows.filter(pl.col("kind") == "paths-remaining")
    none = left.filter(pl.col("value") == 0)
    changes = rows.filter(pl.col("kind").is_in([*_LOST, "path-restored"]))
    flapping = _most_within(changes["at"].to_list(), limits.flap_s)
    severity: Severity = "critical" if none.height else "high" if flapping >= limits.flaps else "medium"
    maps = left["about"].drop_nulls().unique().sort().to_list()
    last = left["value"].drop_nulls().to_list()
    what = "none was left" if none.height else f"{flapping} changes within an hour" if flapping >= limits.flaps else "one was lost"
    decisive = none if none.height else changes if changes.height else rows
    times = rows["at"].drop_nulls()
    waiters = _waiters_near(facts, node, decisive["at"].drop_nulls().to_list(), limits.waiter_s)
    return Draft(
        severity=severity,
        evidence=tuple(Ref(a, line) for a, line in decisive.select("artifact", "line").head(6).iter_rows()),
        words={
            "map": " and ".join(maps[:3]) if maps else "a multipath device",
            "node": node or "a node whose name is not shown",
            "what": what,
            "changes": plural(changes.height, "change of a path", "changes of paths"),
            "when": _when(times),
            "left": f"the last number of active paths is {last[-1]:g}" if last else "how many were left is not shown",
            "queueing": _queueing(facts),
            "waiters": f" Within two minutes of it the kernel told of {plural(waiters, 'blocked task')}." if waiters else "",
        },
        nodes=(node,) if node else (),
        basis=None if none.height or flapping < limits.flaps else "proposed",
        tunings=_to_change(facts, has_none=bool(none.height)),
        start=times.min(),  # type: ignore[arg-type]
        end=times.max(),  # type: ignore[arg-type]
        zone_min=rows["zone_min"].drop_nulls().first() if "zone_min" in rows.columns else None,  # type: ignore[arg-type]
        figures=(
            Figure("Changes of paths", changes.height),
            Figure("Most changes within an hour", flapping, "", limits.words("flaps")),
            *((Figure("Fewest active paths", min(last)),) if last else ()),
        ),
        parts=(
            evidence_part(decisive.height, 1),
            Part("completeness", 0.95 if waiters else 0.8, "waiters near it" if waiters else "no waiter shown near it"),
        ),
        weight=float(waiters) + 1,
    )


def _when(times: pl.Series) -> str:
    first, last = times.min(), times.max()
    if not isinstance(first, int) or not isinstance(last, int):
        return ""
    return f" at {moment(first)}" if moment(first) == moment(last) else f" from {moment(first)} to {moment(last)}"


def _most_within(times: list[int | None], seconds: float) -> int:
    """Most instants inside a window of that length; without times all of them count as apart."""
    known = sorted(at for at in times if at is not None)
    best = start = 0
    for index, at in enumerate(known):
        while at - known[start] > seconds * 1e6:
            start += 1
        best = max(best, index - start + 1)
    return best


def _waiters_near(facts: CaseFacts, node: str | None, times: list[int], seconds: float) -> int:
    """Blocked tasks that the kernel told of near one of the instants."""
    hung = events_of(facts, ("hung-task",))
    if hung.is_empty() or not times:
        return 0
    mine = hung.filter(pl.col("node").eq_missing(pl.lit(node)) & pl.col("at").is_not_null())["at"].to_list()
    return sum(any(abs(at - other) <= seconds * 1e6 for other in times[:1000]) for at in mine[:1000])


def _to_change(facts: CaseFacts, *, has_none: bool) -> tuple[str, ...]:
    """How long to queue without a path is a question only where no path was left, or where a map is shown to queue."""
    return ("no-path-retry", "path-timeouts") if has_none or unlimited_queueing(facts) else ("path-timeouts",)


def _queueing(facts: CaseFacts) -> str:
    return " The map queues while no path is left; for how long is not shown." if unlimited_queueing(facts) else ""


def _shown(facts: CaseFacts, told: set[tuple[str | None, str | None]], limits: Limits) -> Iterator[Draft]:
    """Maps with paths that a table shows as down."""
    groups: dict[tuple[str | None, str | None], list[DiskPath]] = defaultdict(list)
    for path in facts.records.of(DiskPath):
        groups[path.node, path.map].append(path)
    for (node, name), paths in groups.items():
        bad = [path for path in paths if path.standing == "down"]
        if not bad or (node, None) in told:
            continue
        none = len(bad) == len(paths)
        yield Draft(
            severity="critical" if none else "medium",
            evidence=tuple(path.ref for path in bad[:6]),
            words={
                "map": name or "a map that is not named", "node": node or "a node whose name is not shown",
                "what": "none is left" if none else f"{len(bad)} of {len(paths)} are down", "changes": "No", "when": " in a log",
                "left": f"{len(paths) - len(bad)} of {len(paths)} paths are active", "queueing": _queueing(facts), "waiters": "",
            },
            nodes=(node,) if node else (),
            tunings=_to_change(facts, has_none=none),
            figures=(Figure("Paths down", len(bad)), Figure("Paths", len(paths))),
            parts=(evidence_part(len(bad), 1), Part("completeness", 0.8, "one look, without the log of multipathd")),
            weight=1.0,
        )  # fmt: skip


def _configured(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Only the features: nothing happened, it is to be known."""
    rows = unlimited_queueing(facts)
    if rows:
        first = rows[0]
        yield Draft(
            severity="info",
            variant="configured",
            evidence=tuple(Ref(row["artifact"], row["line"]) for row in rows[:4]),
            words={"map": first["scope"] or "a map", "node": first["node"] or "a node whose name is not shown"},
            nodes=tuple(sorted({row["node"] for row in rows if row["node"]})),
            figures=(Figure("Maps that queue", len(rows)),),
            parts=(evidence_part(len(rows), 1), Part("completeness", 0.6, "multipath.conf and `multipathd show config` are not here")),
            tunings=("no-path-retry",),
        )
