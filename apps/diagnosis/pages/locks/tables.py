"""What the page of locks shows: traffic by node and class, contended objects, waits by capture, and who takes from
whom.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import polars as pl
from django.http import QueryDict
from django.utils.http import urlencode

from apps.cases.page.wallclock import moment_text, stretch_text
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.captures import chart, strip
from apps.diagnosis.pages.graph.filters import edges_of
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.timeline.lane_data import LineUrl
from apps.diagnosis.values import AnyDiagnosis
from apps.web.templatetags.lockscope import thousands
from parsers.dataclass import dataclass

CLASSES: Final = ("h", "g", "rw")
ROLES: Final = {
    "puller": "taking",
    "victim": "losing",
    "ping_pong": "contended",
    "drain": "releasing",
    "idle": "idle",
}
KIND_NAMES: Final = {"gfs2_glock": "glock", "dlm": "DLM resource", "vxfs_glm": "GLM lock", "posix": "POSIX lock"}
FLOW_NAMES: Final = {
    "moves": ("locks that moved between captures", "moves"),
    "locks": ("h locks revoked while the other was granted some", "locks, shared out by what each was granted"),
    "waits": ("waits of one node for what another holds", "waits over the whole time"),
}
UNNAMED: Final = "unnamed node"
AXES: Final = {"waits": ("waited for", "waiting")}
"""What rows and columns are, where no lock was lost and taken: a wait takes nothing."""
SORTS: Final = {"waiters": "waiters", "longest": "longest_s", "demote": "demote_s", "moves": "moves"}
LEASTS: Final = (1, 2, 5, 10)
OBJECTS_SHOWN: Final = 100
MATRIX_NODES: Final = 18
SQUARE_NODES: Final = 8
"""So few stand in both directions in the order of their names; of more only those that lose, and those that take, the
worst first.
"""
HEATS: Final = 5
BY_NODE_MOST: Final = 6
ALWAYS: Final = (0, 1 << 62)


@dataclass(frozen=True, slots=True)
class LockFilters:
    """What the address asks for; anything malformed is left out."""

    least: int = 1
    node: str = ""
    sort: str = "waiters"
    flow: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> LockFilters:
        """Names that are none of ours are taken as absent."""
        least, sort, flow = query.get("least", ""), query.get("sort", ""), query.get("flow", "")
        return cls(
            int(least) if least in {str(value) for value in LEASTS} else 1,
            query.get("node", "")[:200],
            sort if sort in SORTS else "waiters",
            flow if flow in FLOW_NAMES else "",
        )

    def query(self, **changes: Any) -> str:
        """The address of this view with some parts changed."""
        parts = {"least": "" if self.least == 1 else self.least, "node": self.node, "flow": self.flow}
        parts |= {"sort": "" if self.sort == "waiters" else self.sort} | changes
        return urlencode({key: value for key, value in parts.items() if value})


def lock_page(diagnosis: AnyDiagnosis, filters: LockFilters, zone: str, line_url: LineUrl) -> dict[str, Any]:
    """All cards of the page; a card without data is None or empty."""
    tables = PageTableFiles(diagnosis)
    samples = tables.locks(*ALWAYS)
    hues = {node["name"]: number % 8 for number, node in enumerate(diagnosis.summary.get("nodes", ()))}
    objects = tables.table("objects")
    return {
        "traffic": _traffic(samples, hues) if samples is not None else [],
        "pulls": _pulls(samples, line_url, zone) if samples is not None else [],
        "objects": _objects(objects, filters, hues, line_url, zone) if objects is not None else [],
        "objects_n": 0 if objects is None else objects.height,
        "chart": chart(tables.table("captures"), zone),
        "types": _types(tables.table("lock-types")),
        "matrix": flow_matrix(_flows(tables, diagnosis), filters, hues),
        "nodes": sorted(hues),
    }


# Traffic
# ----------------------------------------------------------------------------------------------------------------


def _traffic(samples: pl.DataFrame, hues: dict[str, int]) -> list[dict[str, Any]]:
    """Locks by class and node: how many in all, and the most in one second. Absent counters stay unknown."""
    names = [f"{name}_{side}" for name in CLASSES for side in ("grant", "revoke")]
    total = [(pl.col(name) * pl.col("interval_s")).sum().alias(f"{name}_n") for name in names]
    most = [pl.col(name).max().alias(name) for name in names]
    seen = [pl.col(name).is_not_null().any().alias(f"{name}_seen") for name in names]
    rows = (
        samples.group_by("node", "scope")
        .agg(*total, *most, *seen, pl.len().alias("samples"))
        .sort("node", "scope", nulls_last=True)
    )
    highest = max((row[name] or 0 for row in rows.iter_rows(named=True) for name in names), default=0) or 1
    return [
        {
            "node": row["node"] or "node unknown",
            "hue": hues.get(row["node"] or ""),
            "scope": row["scope"],
            "samples": row["samples"],
            "cells": [_cell(row, name, highest) for name in names],
        }
        for row in rows.iter_rows(named=True)
    ]


def _cell(row: dict[str, Any], name: str, highest: float) -> dict[str, Any]:
    if not row[f"{name}_seen"]:
        return {"name": name, "total": None, "peak": None, "share": 0}
    peak = row[name] or 0
    return {
        "name": name,
        "total": round(row[f"{name}_n"]),
        "peak": "under 1" if 0 < peak < 1 else thousands(round(peak)),
        "share": round(100 * peak / highest),
    }


def _pulls(samples: pl.DataFrame, line_url: LineUrl, zone: str) -> list[dict[str, Any]]:
    """Inodes that a node took over from others: in all, at most, when, and what it was doing."""
    rows = []
    for (node, scope), part in samples.group_by("node", "scope", maintain_order=True):
        known = part.filter(pl.col("pull").is_not_null())
        peak = known.sort("pull", descending=True).row(0, named=True) if known.height else None
        roles = {role: count for role, count in part["role"].value_counts().iter_rows() if role != "idle"}
        rows.append(
            {
                "node": node or "node unknown",
                "scope": scope,
                "total": round((known["pull"] * known["interval_s"]).sum()) if known.height else None,
                "peak": round(peak["pull"]) if peak else None,
                "at": moment_text(peak["at"], zone) if peak and peak["pull"] else "",
                "url": line_url(peak["artifact"], peak["line"]) if peak and peak["pull"] else None,
                "line": peak["line"] if peak else None,
                "forecast_s": peak["forecast_s"] if peak else None,
                "roles": [
                    f"{ROLES.get(role, role)} in {count}"
                    for role, count in sorted(roles.items(), key=lambda item: -item[1])
                ],
                "samples": part.height,
            }
        )
    return sorted(rows, key=lambda row: (-(row["total"] or 0), row["node"]))


# Objects
# ----------------------------------------------------------------------------------------------------------------


def chosen_objects(objects: pl.DataFrame, filters: LockFilters) -> pl.DataFrame:
    """Objects that the filters leave, in the order they ask for."""
    rows = objects.filter(pl.col("waiters") >= filters.least)
    if filters.node:
        rows = rows.filter(
            (pl.col("holder_node") == filters.node)
            | pl.col("by_node").str.contains(json.dumps(filters.node), literal=True)
        )
    return rows.sort(SORTS[filters.sort], "waiters", "object", descending=[True, True, False], nulls_last=True)


def _objects(
    objects: pl.DataFrame, filters: LockFilters, hues: dict[str, int], line_url: LineUrl, zone: str
) -> list[dict[str, Any]]:
    return [
        _object(row, hues, line_url, zone)
        for row in chosen_objects(objects, filters).head(OBJECTS_SHOWN).iter_rows(named=True)
    ]


def _object(row: dict[str, Any], hues: dict[str, int], line_url: LineUrl, zone: str) -> dict[str, Any]:
    by_node = json.loads(row["by_node"])
    squares = strip(json.loads(row["captures"]), hues, zone)
    kind, _, number = row["object"].partition("/")
    is_inode = row["kind"] == "gfs2_glock" and kind == "2" and bool(number)
    return {
        **row,
        "kind_name": KIND_NAMES.get(row["kind"], row["kind"]),
        "hue": hues.get(row["holder_node"] or ""),
        "by_node": [{"node": node, "n": n, "hue": hues.get(node)} for node, n in [*by_node.items()][:BY_NODE_MOST]],
        "more_nodes": max(0, len(by_node) - BY_NODE_MOST),
        "strip": squares,
        "strip_span": stretch_text(squares[0].get("at"), squares[-1].get("at"), zone) if squares else "",
        "url": line_url(row["artifact"], row["line"]),
        "find": f"find MOUNT -xdev -inum {int(number, 16)}" if is_inode else "",
    }


# Types
# -----------------------------------------------------------------------------------------------------


def _types(types: pl.DataFrame | None) -> list[dict[str, Any]]:
    return [] if types is None else types.to_dicts()


# Flow
# -------------------------------------------------------------------------------------------------------------------


def _flows(tables: PageTableFiles, diagnosis: AnyDiagnosis) -> list[dict[str, Any]]:
    """Flows of the view file; of waiter dumps those that the graph of waits shows between nodes."""
    found = tables.table("flows")
    rows = [] if found is None else found.to_dicts()
    if any(row["kind"] == "waits" for row in rows):
        return rows
    graph = WaitGraph({**diagnosis.summary, "waits_for": edges_of(diagnosis)})
    between = (arrow for arrow in graph.arrows if arrow.frm in graph.nodes and arrow.to in graph.nodes)
    return rows + [
        {"kind": "waits", "scope": None, "loser": a.to, "taker": a.frm, "amount": float(a.count)} for a in between
    ]


def flow_matrix(flows: Iterable[dict[str, Any]], filters: LockFilters, hues: dict[str, int]) -> dict[str, Any] | None:
    """Loser by taker, for one kind of flow; the nodes with most of it where there are many."""
    rows = list(flows)
    kinds = [kind for kind in FLOW_NAMES if any(row["kind"] == kind for row in rows)]
    if not kinds:
        return None
    kind = filters.flow if filters.flow in kinds else kinds[0]
    amounts: dict[tuple[str, str], float] = {}
    for row in rows:
        if row["kind"] == kind:
            pair = (row["loser"], row["taker"])
            amounts[pair] = amounts.get(pair, 0.0) + row["amount"]
    losers, takers, named = _axes(amounts)
    most = max((amount for (loser, taker), amount in amounts.items() if loser != taker), default=0) or 1
    shown = set(takers)
    lines = [_flow_row(loser, takers, amounts, most) | {"hue": hues.get(loser)} for loser in losers]
    choices = [
        {"kind": one, "name": FLOW_NAMES[one][0], "is_on": one == kind, "url": f"?{filters.query(flow=one)}"}
        for one in kinds
    ]
    row_is, column_is = AXES.get(kind, ("that lost the lock", "that took it"))
    return {
        "rows": lines,
        "takers": [{"node": name or UNNAMED, "hue": hues.get(name)} for name in takers],
        "others_n": len({taker for _, taker in amounts} - shown) if len(named) > SQUARE_NODES else 0,
        "row_is": row_is,
        "column_is": column_is,
        "is_waits": kind in AXES,
        "has_own": bool(set(losers) & shown),
        "choices": choices,
        "name": FLOW_NAMES[kind][0],
        "unit": FLOW_NAMES[kind][1],
        "left_out": max(0, len({loser for loser, _ in amounts}) - len(losers)),
    }


def _axes(amounts: dict[tuple[str, str], float]) -> tuple[list[str], list[str], set[str]]:
    """Nodes of the rows, nodes of the columns, and all that have any amount."""
    lost: dict[str, float] = {}
    took: dict[str, float] = {}
    for (loser, taker), amount in amounts.items():
        lost[loser] = lost.get(loser, 0.0) + amount
        took[taker] = took.get(taker, 0.0) + amount
    named = {*lost, *took}
    if len(named) <= SQUARE_NODES:
        return sorted(named), sorted(named), named
    rows, columns = (sorted(of, key=lambda name: (-of[name], name))[:MATRIX_NODES] for of in (lost, took))
    return rows, columns, named


def _flow_row(loser: str, takers: list[str], amounts: dict[tuple[str, str], float], most: float) -> dict[str, Any]:
    """``others``: what those took that have no column; ``total`` is of all other nodes."""
    lost = {taker: amount for (one, taker), amount in amounts.items() if one == loser}
    return {
        "node": loser or UNNAMED,
        "cells": [_flow_cell(lost.get(taker, 0.0), loser, taker, most) for taker in takers],
        "others": round(sum(lost[taker] for taker in lost.keys() - set(takers))),
        "total": round(sum(lost[taker] for taker in lost.keys() - {loser})),
    }


def _flow_cell(amount: float, loser: str, taker: str, most: float) -> dict[str, Any]:
    heat = min(HEATS, 1 + int(HEATS * amount / most)) if amount and loser != taker else 0
    return {"amount": round(amount), "heat": heat, "is_own": loser == taker, "taker": taker}
