"""Log lines that matter, by what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.facts.store import NONE
from apps.diagnosis.engine.core.words.metrics import Meaning
from parsers.records import Event, Ref

SECOND_US: Final = 1_000_000


class LogLine(NamedTuple):
    """A line of a log that matters."""

    ref: Ref
    node: str | None
    at: int | None
    zone_min: int | None
    source: str
    kind: str
    about: str | None
    value: float | None
    text: str


class Events:
    """Events of a case by kind, with canonical nodes, in the order of the text."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def of(self, kinds: Iterable[str], of: Meaning | None = None) -> pl.DataFrame:
        """Events of some kinds, of one sort of log or of any, each once; an empty frame with all columns where there
        are none.
        """
        wanted = list(kinds)
        if not self._records.has_any(Event, "kind", wanted):
            return NONE[Event]
        return once(self._records.frame(of or Event, pl.col("kind").is_in(wanted)))

    def lines(self, *kinds: str, of: Meaning | None = None) -> list[LogLine]:
        """Lines of these kinds, in the order of their times, those without a time in the order of the files."""
        rows = self.of(kinds, of)
        if not rows.height:
            return []
        if rows.height > 1:
            rows = rows.sort("at", "artifact", "line", nulls_last=True)
        return [
            LogLine(
                Ref(r["artifact"], r["line"]),
                r["node"],
                r["at"],
                r["zone_min"],
                r["source"] or "",
                r["kind"],
                r["about"],
                r["value"],
                r["text"] or "",
            )
            for r in rows.iter_rows(named=True)
        ]

    def by_node(self, kinds: Iterable[str]) -> Iterator[tuple[str | None, pl.DataFrame]]:
        """The same, node by node in the order of their first line."""
        yield from by_node(self.of(kinds))


def once(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows without what another file holds too: copies of a log, or one message in two logs of a node.

    The nth line of a kind about a thing in a second equals the nth of another file; lines without a node or a time
    cannot be compared and stay.
    """
    if rows.height < 2 or rows["artifact"].n_unique() < 2:
        return rows
    columns = ["node", "kind", "about", "value", "_second"]
    marked = rows.with_columns((pl.col("at") // SECOND_US).alias("_second"))
    nth = marked.with_columns(pl.int_range(pl.len()).over("artifact", *columns).alias("_nth"))
    comparable = pl.col("node").is_not_null() & pl.col("at").is_not_null()
    is_first = pl.struct(*columns, "_nth").is_first_distinct()
    return nth.filter(~comparable | is_first).drop("_second", "_nth")


def by_node(rows: pl.DataFrame) -> Iterator[tuple[str | None, pl.DataFrame]]:
    """Rows node by node; None for those whose node is not known."""
    if rows.height:
        for (node,), some in groups(rows, "node"):
            yield None if node is None else str(node), some


def refs(rows: pl.DataFrame) -> Sequence[Ref]:
    """The lines of the first rows: as many as a finding shows, and some more."""
    return [Ref(artifact, line) for artifact, line in rows.select("artifact", "line").head(16).iter_rows()]


def zone_of(rows: pl.DataFrame) -> int | None:
    """The offset from UTC that the first row with one gives, in minutes."""
    known = rows["zone_min"].drop_nulls()
    return int(known[0]) if known.len() else None
