"""Rules on POSIX locks, which a daemon answers and not the lock manager (PL-01), their ownership (PL-02), their orphans (PL-03)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.claims import Claims, place
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import REDIRECTS, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, plural
from apps.diagnosis.engine.gfs2.cluster import Value, alive, figures, short_fs, values
from apps.diagnosis.engine.gfs2.plocks import Plock, PosixLocks, blocked
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.stated_scans import ELSEWHERE
from parsers.records import Measurement

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

DELAYS: Final = metric("posix-lock-delays")
REQUESTS: Final = metric("posix-lock-requests")
SHOWN: Final = 3
_MOVES_DATA = re.compile(r"\bping_pong\b.*\s-(?:rw|[mw])\b")


class _Rate(NamedTuple):
    """A rate of POSIX locks: measured, or said."""

    ref: Ref
    node: str | None
    low: float
    high: float
    said: bool
    speaker: str | None


@rule("PL-01")
def posix_lock_path(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a slow rate of ping_pong or of fcntl locks is taken for a slow lock manager.

    Reasoning: POSIX locks are answered by a daemon in user space; a rate near the limiter's, or its delays, is the limiter.
    Source: GFS2 maintainer; manuals of gfs_controld and dlm_controld.
    """
    rates = _rates(facts)
    limited = _limiter(facts, rates, limits)
    if limited is not None:
        yield limited
    if rates:
        yield _wrong_path(facts, rates, limits)


def _rates(facts: CaseFacts) -> list[_Rate]:
    """Rates of ping_pong, the measured ones first. With data written too, glocks are involved: those do not count."""
    return [*_measured(facts), *_said(facts)]


def _measured(facts: CaseFacts) -> Iterator[_Rate]:
    if not facts.facts.has(Measurement):
        return
    rows = facts.named(facts.facts.scan(Measurement).filter((pl.col("tool") == "ping_pong") & (pl.col("unit") == "locks/s")).collect())
    for row in rows.sort("artifact", "line").iter_rows(named=True):
        if row["value"] is not None and not _MOVES_DATA.search(row["command"] or ""):
            yield _Rate(Ref(row["artifact"], row["line"]), row["node"], row["value"], row["value"], said=False, speaker=None)


def _said(facts: CaseFacts) -> Iterator[_Rate]:
    """Rates that people state of ping_pong, save those of a file system without cluster locks."""
    if not facts.get(Presence).shown:
        return
    for claim in facts.get(Claims).all:
        if claim.unit == "locks/s" and claim.value is not None and "ping_pong" in claim.text and not ELSEWHERE.search(claim.text):
            yield _Rate(place(claim), None, claim.value, claim.high or claim.value, said=True, speaker=claim.speaker)


def _wrong_path(facts: CaseFacts, rates: Sequence[_Rate], limits: Limits) -> Draft:
    best = max(rates, key=lambda rate: rate.high)
    least = min(rates, key=lambda rate: rate.low)
    evidence = tuple(dict.fromkeys(rate.ref for rate in rates[:3]))
    figures_shown = [
        Figure("Highest rate", best.high, "locks/s"),
        Figure("Time of one lock operation then", round(1000 / best.high, 4), "ms"),
    ]
    if least.high < best.high:
        figures_shown.append(Figure("Lowest rate, at most", least.high, "locks/s"))
    return Draft(
        severity="info",
        evidence=evidence,
        words={
            "rate": f"{count(best.high)} locks/s",
            "measured": "A person states the rate." if all(rate.said for rate in rates) else "ping_pong measured the rate.",
            "arithmetic": _arithmetic(best, least) + _beside_the_limit(facts, best, limits),
        },
        nodes=tuple(sorted({rate.node for rate in rates if rate.node})),
        figures=tuple(figures_shown),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.85, "by how they work")),
        weight=REDIRECTS,  # in a list by severity it stands before the others of its own
    )


def _arithmetic(best: _Rate, least: _Rate) -> str:
    """Milliseconds of one operation."""
    if best.high <= 0:
        return ""
    words = f"At {count(best.high)} locks/s one operation takes {1000 / best.high:.2g} ms"
    words += f", at {least.high:.0f} more than {1000 / least.high:.0f} ms. " if 0 < least.high < best.high else ". "
    return words


def _beside_the_limit(facts: CaseFacts, best: _Rate, limits: Limits) -> str:
    """Why so high a rate and a limit go together, or that the setting has to be asked for."""
    limit = _in_force(facts)
    if limit is None:
        past = best.high > limits.near_high * limits.usual
        return f"A rate limit of {limits.usual:g} cannot have been active there; ask for the setting. " if past else ""
    if best.high <= limits.near_high * limit[0]:
        return ""
    owned = any(value.value.strip() == "1" for value in values(facts, ("plock_ownership",)))
    why = "with plock_ownership a node that owns the file answers by itself, past the limit" if owned else "it was not in force there then"
    return f"A limit of {limit[0]:.0f} is set, yet the rate was higher: {why}. "


def _limiter(facts: CaseFacts, rates: Sequence[_Rate], limits: Limits) -> Draft | None:
    """The daemon's delays, or a measured rate at the limit in force."""
    delays = [figure for figure in figures(facts, DELAYS) if figure.value > 0]
    limit = _in_force(facts)
    near = [r for r in rates if not r.said and limit and limits.near_low * limit[0] <= r.low <= limits.near_high * limit[0]]
    if not delays and not near:
        return None
    evidence = (*(figure.ref for figure in delays[:4]), *(rate.ref for rate in near[:3]), *((limit[1].ref,) if limit else ()))
    nodes = tuple(sorted({*(f.node for f in delays if f.node), *(r.node for r in near if r.node)}))
    reads = [figure for figure in figures(facts, REQUESTS) if figure.interval_s]
    rate = min((figure.value / figure.interval_s for figure in reads if figure.interval_s), default=None)
    told = []
    if delays:
        told.append(f"The daemon's log counts {count(sum(f.value for f in delays))} delayed requests.")
    if near and limit:
        told.append(f"The measured {near[0].low:.0f} locks/s stand at the limit of {limit[0]:.0f}.")
    return Draft(
        severity="medium",
        variant="limit",
        evidence=evidence,
        words={"on": f" on {', '.join(nodes)}" if nodes else "", "measured": " ".join(told)},
        nodes=nodes,
        figures=(
            *((Figure("Delayed requests", sum(f.value for f in delays)),) if delays else ()),
            *((Figure("Slowest rate", round(rate, 1), "locks/s"),) if rate else ()),
            *((Figure("Limit in force", limit[0], "locks/s"),) if limit else ()),
        ),
        parts=(evidence_part(len(evidence), max(1, len(nodes))), Part("completeness", 1.0 if delays else 0.75, "the daemon's own count")),
        tunings=("plock-rate-limit",) if delays or near else (),
        weight=sum(figure.value for figure in delays),
    )


def _in_force(facts: CaseFacts) -> tuple[float, Value] | None:
    found = [value for value in values(facts, ("plock_rate_limit",)) if value.value.strip().isdigit()]
    return (float(found[-1].value), found[-1]) if found and float(found[-1].value) > 0 else None


@rule("PL-02")
def plock_ownership(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: POSIX locks take seconds, and longer the longer the cluster runs.

    Reasoning: ownership is switched on while several nodes lock the same files.
    Source: support page on slow POSIX locks; dlm_controld manual.
    """
    setting = next((v for v in reversed(values(facts, ("plock_ownership",))) if v.value.strip() in ("0", "1")), None)
    locks = facts.get(PosixLocks).of_cluster
    if setting is None or setting.value.strip() != "1" or not locks:
        return
    by_file: dict[tuple[str | None, int], list[Plock]] = defaultdict(list)
    for lock in locks:
        by_file[lock.fs, lock.inode].append(lock)
    shared = [own for own in by_file.values() if len({lock.owner_node for lock in own}) > 1]
    if not shared:
        return
    owners = [lock for own in shared for lock in own]
    alternating = sum(len({lock.owning_node for lock in own if (lock.owning_node or 0) > 0}) > 1 for own in shared)
    words = f"{setting.source} says plock_ownership=1."
    words += " Files shared by several nodes answer to nobody (rown 0)." if any(lock.owning_node == 0 for lock in owners) else ""
    words += f" The owner of {plural(alternating, 'file')} changed between the dumps." if alternating else ""
    evidence = (setting.ref, *(Ref(lock.artifact, lock.line) for lock in owners[:5]))
    yield Draft(
        severity="medium",
        evidence=evidence,
        words={"files": f"{plural(len(shared), 'file')} {'is' if len(shared) == 1 else 'are'}", "evidence": words},
        nodes=tuple(sorted({lock.owner_node for lock in owners})),
        figures=(Figure("Files locked from several nodes", len(shared)),),
        parts=(evidence_part(len(evidence), 2), Part("completeness", 0.9, "setting and dump")),
    )


@rule("PL-03")
def plock_orphan(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: programs wait for a POSIX lock for ever.

    Reasoning: the process that holds it is not in the list of processes of its node, in two dumps.
    Source: dump of POSIX locks, list of processes.
    """
    lists = alive(facts)
    seen: dict[tuple[str | None, int, str], list[tuple[Plock, Plock]]] = defaultdict(list)
    for wait, holders in blocked(facts.get(PosixLocks).of_cluster):
        for holder in holders:
            own = lists.get(holder.owner_node, ())
            if own and all(holder.pid not in one.pids for one in own):
                seen[holder.fs, holder.inode, holder.owner].append((wait, holder))
    shown = 0
    for (fs, inode, owner), pairs in seen.items():
        dumps = {(holder.artifact, holder.at) for _, holder in pairs}
        if len(dumps) < limits.captures or shown >= SHOWN:
            continue
        shown += 1
        wait, holder = pairs[-1]
        missing = lists[holder.owner_node][0]
        yield Draft(
            severity="high",
            evidence=(Ref(holder.artifact, holder.line), Ref(wait.artifact, wait.line), missing.ref),
            words={
                "inode": inode,
                "fs": short_fs(fs),
                "owner": owner,
                "waiter": wait.owner,
                "pid": holder.pid,
                "node": holder.owner_node,
                "seen": plural(len(dumps), "dump"),
            },
            nodes=tuple(sorted({holder.owner_node, wait.owner_node})),
            figures=(Figure("Dumps", len(dumps), "", limits.words("captures")),),
            parts=(evidence_part(3, 2), Part("completeness", 0.85, "the list of processes of the owning node is here")),
        )
