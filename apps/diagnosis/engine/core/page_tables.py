"""Small tables that the pages read, to which several products add rows: contended locks, and who takes locks
from whom.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.times.placed import Placed
from parsers.records import Record

OBJECTS_KEPT: Final = 2000
OBJECT_SCHEMA: Final = {
    "kind": pl.String, "scope": pl.String, "object": pl.String, "what": pl.String, "mode": pl.String,
    "holder": pl.String,
    "holder_node": pl.String, "function": pl.String, "waiters": pl.Int64, "by_node": pl.String, "longest_s": pl.Float64,
    "demote_s": pl.Float64, "min_hold": pl.Int64, "moves": pl.Int64, "captures": pl.String, "state": pl.String,
    "artifact": pl.Int64, "line": pl.Int64,
}  # fmt: skip
FLOW_SCHEMA: Final = {
    "kind": pl.String,
    "scope": pl.String,
    "loser": pl.String,
    "taker": pl.String,
    "amount": pl.Float64,
}
LONGEST_FIRST: Final[dict[str, Any]] = {
    "by": ["seconds", "node", "start", "line"],
    "descending": [True, False, False, False],
    "nulls_last": True,
    "maintain_order": True,
}
"""Arguments of ``sort`` for spans."""


def write_table(frame: pl.DataFrame, path: Path, on: Placed | None = None) -> None:
    """Write a table, with its times of day on the day that was found for them; one without rows is not written."""
    if frame.height:
        frame = on.frame(frame) if on else frame
        frame.write_parquet(path, compression="zstd", compression_level=1, row_group_size=100_000)


def objects_table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """``objects``: the most waited for first, then those waited for longest."""
    ordered = sorted(rows, key=lambda row: (-row["waiters"], -(row["longest_s"] or 0), row["object"]))
    return pl.DataFrame(ordered[:OBJECTS_KEPT], schema=OBJECT_SCHEMA, orient="row")


def flows_table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """``flows`` in the order given."""
    return pl.DataFrame(list(rows), schema=FLOW_SCHEMA, orient="row")


def together(name: str, frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all products: of ``objects`` those that matter most, and no more than a page can show."""
    table = pl.concat(frames)
    if name != "objects" or len(frames) == 1:
        return table
    by = [-pl.col("waiters"), -pl.col("longest_s").fill_null(0), pl.col("object")]
    return table.sort(by, maintain_order=True).head(OBJECTS_KEPT)


def lock_object(
    kind: str, key: tuple[Any, ...], rows: list[dict[str, Any]], holders: list[str], waiting: list[dict[str, Any]]
) -> dict[str, Any]:
    """A row of ``objects`` from the records of one lock."""
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


def waited_for(case: Case, kind: type[Record], keys: tuple[str, str], wanted: pl.Expr) -> Any:
    """Rows by object, of objects that somebody waits for."""
    if not case.store.has(kind):
        return {}
    rows = case.get(Nodes).named(
        case.store.scan(kind).filter(pl.col(keys[1]).is_not_null()).filter(wanted.any().over(list(keys))).collect()
    )
    return rows.with_columns(wanted.alias("_waits")).sort("artifact", "line").rows_by_key(list(keys), named=True)


def flow(kind: str, scope: str | None, loser: str, taker: str, amount: float) -> dict[str, Any]:
    """A row of ``flows``: locks that went, or are waited for, from one node to another."""
    return {"kind": kind, "scope": scope, "loser": loser, "taker": taker, "amount": float(amount)}
