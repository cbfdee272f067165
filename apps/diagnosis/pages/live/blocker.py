"""What blocks a case at its last sample, and for how many samples it has been the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.incidents import END_WORDS
from apps.diagnosis.values import AnyDiagnosis
from parsers.dataclass import dataclass

ROUND_US: Final = 30_000_000
"""Nodes take their samples within half a minute of each other."""
LONG_S: Final = 10.0
NAME: Final = ("object", "target", "wait_name", "waits_on")


@dataclass(frozen=True, slots=True)
class Blocker:
    """``samples``: how many in a row show one of the waits behind it. ``waits``: those of the last sample."""

    words: str
    samples: int
    waits: int
    longest_s: float


def blocker_now(diagnosis: AnyDiagnosis) -> Blocker | None:
    """None where the last sample shows no wait of ten seconds that matters."""
    tables = PageTableFiles(diagnosis)
    spans, last = tables.spans(), _last_sample(tables)
    if spans is None or last is None:
        return None
    is_now = (pl.col("end") >= last - ROUND_US) & (pl.col("seconds") >= LONG_S)
    now = spans.filter(is_now & (pl.col("category").fill_null(0) != 1)).collect()
    if now.is_empty():
        return None
    holders = tables.table("holders")
    for root in diagnosis.summary.get("roots", ()):
        behind = now.filter(_leads_to(root, holders))
        if behind.height:
            return _blocker(_words(root), behind, now)
    worst = now.sort("seconds", descending=True, nulls_last=True).row(0, named=True)
    words = f"{worst['node'] or 'node unknown'}: {worst['waits_on'] or worst['reason'] or worst['thread'] or 'a wait'}"
    same = now.filter(pl.col("node").eq_missing(pl.lit(worst["node"], pl.String)))
    return _blocker(words, same.filter(pl.col("seconds") == worst["seconds"]), now)


def _last_sample(tables: PageTableFiles) -> int | None:
    taken = tables.table("files-taken")
    if taken is None or taken.is_empty():
        return None
    last = taken["last"].max()
    return last if isinstance(last, int) else None


def _leads_to(root: Mapping[str, Any], holders: pl.DataFrame | None) -> pl.Expr:
    """Waits that name the end of the chain, or a lock that it holds."""
    names = [root["what"]]
    if holders is not None:
        names += holders.filter(pl.col("who") == root["what"])["object"].to_list()
    named = [pl.col(column).fill_null("").str.contains(name, literal=True) for column in NAME for name in names]
    return pl.any_horizontal(named)


def _words(root: Mapping[str, Any]) -> str:
    kind = END_WORDS.get(root["kind"], "")
    of = f" of {root['node']}" if root["node"] and root["kind"] not in {"node", "thread"} else ""
    return f"{kind} {root['what']}{of}".strip()


def _blocker(words: str, behind: pl.DataFrame, now: pl.DataFrame) -> Blocker:
    samples, longest = behind["dumps"].max(), now["seconds"].max()
    return Blocker(
        words,
        samples if isinstance(samples, int) else 1,
        now.height,
        float(longest) if isinstance(longest, int | float) else 0.0,
    )
