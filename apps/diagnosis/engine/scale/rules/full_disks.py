"""A rule on disks that are full while the others of their file system have room (SC-60)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

SPACE: Final = metric("disk-space")
NAMED: Final = re.compile(r"disk (?P<disk>\S{1,80}) (?P<what>size|free)$")
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class FullWords:
    """disks: that are full; share: free of the fullest; others: how many have room, and their free share; per cent."""

    disks: tuple[str, ...]
    share: float
    others: int
    free: float


@rule("SC-60", needs=(Records,), words=FullWords)
def full_disks(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes end with no space or get slow, while the file system shows room.

    Reasoning: one table shows disks with hardly a free block, and the other disks of it have room: data went to some
    of them alone, or disks were added later and nothing was moved.
    Source: documentation of mmdf, mmrestripefs and mmadddisk, recalled; limits proposed.
    """
    for rows in _tables(records).values():
        shares = {
            disk: (100 * row["free"].value / row["size"].value, row["free"])
            for disk, row in rows.items()
            if len(row) == len(("size", "free")) and row["size"].value and row["free"].value is not None
        }
        full = sorted((share, disk) for disk, (share, _) in shares.items() if share <= limits.none)
        others = [share for share, _ in shares.values() if share >= limits.room]
        if not full or not others or len(full) + len(others) < len(shares):
            continue
        shown = [shares[disk][1] for _, disk in full[:MOST]]
        yield Seen(
            level="full",
            words=FullWords(tuple(disk for _, disk in full[:MOST]), full[0][0], len(others), min(others)),
            shown=shown,
            borne_by=(len(full), len(shares)),
            weight=float(len(full)),
        )


def _tables(records: Records) -> dict[tuple[int, str | None, str | None], dict[str, dict[str, Counter]]]:
    """By file, file system and node the disks of its table, with their size and what is free of it."""
    tables: dict[tuple[int, str | None, str | None], dict[str, dict[str, Counter]]] = defaultdict(dict)
    for one in records.meant(Counter, SPACE, pl.col("value").is_not_null()):
        if (match := NAMED.match(one.name)) is not None:
            tables[one.artifact, one.scope, one.node].setdefault(match["disk"], {})[match["what"]] = one
    return tables
