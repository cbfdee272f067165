"""What the pages read of Veritas: locks of GLM, samples of the locks of CFS, who takes them from whom, and rates of
LLT.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.page_tables import flow, flows_table, lock_object, objects_table, waited_for
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.records import Counter
from parsers.records.locks import GlmLock

LOCK_KEYS: Final = (
    "h_grant",
    "h_revoke",
    "h_deinit",
    "g_grant",
    "g_revoke",
    "rw_grant",
    "rw_revoke",
    "pull",
    "normalize",
)
LINK_NAMES: Final = ("txrate KB 10s",)


def objects(case: Case) -> pl.DataFrame:
    """Locks of GLM that somebody waits for."""
    return objects_table(_glm(case))


def flows(case: Case) -> pl.DataFrame:
    """Locks of CFS that were revoked on one node while others were granted some."""
    return flows_table(_taken(case.get(LockRoles).all))


def samples(case: Case) -> pl.DataFrame:
    """Lock samples with the role of their node, in the order of time."""
    rows = [
        {
            "node": role.node,
            "scope": role.scope,
            "at": role.at,
            "interval_s": role.interval_s,
            "role": role.role,
            "lazy": role.lazy_isize,
            "forecast_s": role.forecast_s,
            "artifact": role.ref.artifact,
            "line": role.ref.line,
            **{key: role.per_s.get(key) for key in LOCK_KEYS},
        }
        for role in case.get(LockRoles).all
        if role.at is not None
    ]
    schema = {
        "node": pl.String,
        "scope": pl.String,
        "at": pl.Int64,
        "interval_s": pl.Float64,
        "role": pl.String,
        "lazy": pl.String,
    }
    more = {"forecast_s": pl.Float64, "artifact": pl.Int64, "line": pl.Int64, **dict.fromkeys(LOCK_KEYS, pl.Float64)}
    return pl.DataFrame(rows, schema={**schema, **more}, orient="row").sort("at", "node")


def links(case: Case) -> pl.DataFrame:
    """Gauges of the interconnect that have a time."""
    wanted = pl.col("name").is_in(LINK_NAMES) & pl.col("at").is_not_null()
    rows = case.get(Nodes).named(
        case.store.scan(Counter).filter(wanted).select("node", "name", "at", "value").collect()
    )
    label = pl.concat_str(pl.col("node").fill_null("node unknown"), pl.col("name").str.slice(0, 2), separator=" ")
    return rows.with_columns(label.alias("name")).sort("name", "at", nulls_last=True)


def _glm(case: Case) -> Iterator[dict[str, Any]]:
    for key, rows in waited_for(case, GlmLock, ("scope", "object"), pl.col("waiter").is_not_null()).items():
        yield lock_object(
            "vxfs_glm",
            key,
            rows,
            [row["holder"] for row in rows if row["holder"]],
            [row for row in rows if row["_waits"]],
        )


def _taken(roles: tuple[LockRole, ...]) -> Iterator[dict[str, Any]]:
    """Locks revoked on one node, shared out over those who were granted some at the same time, by how many each was
    granted.

    Nobody took more than it was granted: what is left over was given back, not taken.
    """
    samples: dict[str | None, list[LockRole]] = defaultdict(list)
    for role in roles:
        if role.at is not None and role.node is not None:
            samples[role.scope].append(role)
    for scope, own in samples.items():
        flows = _flows(sorted(own, key=_end))
        yield from (
            flow("locks", scope, loser, taker, amount) for (loser, taker), amount in flows.items() if amount >= 1
        )


def _flows(own: Sequence[LockRole]) -> Mapping[tuple[str, str], float]:
    """How many locks went from node to node, by samples of one mount in the order of their ends."""
    flows: dict[tuple[str, str], float] = defaultdict(float)
    ends = [_end(role) for role in own]
    longest = round(max(role.interval_s for role in own) * 1_000_000)
    for loser in own:
        lost = loser.per_s.get("h_revoke", 0.0) * loser.interval_s
        near = own[bisect_right(ends, _start(loser)) : bisect_right(ends, _end(loser) + longest)] if lost else ()
        shares = {
            id(one): (one, share) for one in near if one.node != loser.node and (share := _granted(one, loser)) > 0
        }
        whole = sum(share for _, share in shares.values())
        for taker, share in shares.values():
            flows[loser.node or "", taker.node or ""] += min(lost * share / whole, share / 1_000_000)
    return flows


def _end(role: LockRole) -> int:
    return role.at or 0


def _start(role: LockRole) -> int:
    return _end(role) - round(role.interval_s * 1_000_000)


def _granted(taker: LockRole, loser: LockRole) -> float:
    """Millionths of locks granted in the time that both samples cover."""
    common = min(_end(taker), _end(loser)) - max(_start(taker), _start(loser))
    return taker.per_s.get("h_grant", 0.0) * max(0, common)
