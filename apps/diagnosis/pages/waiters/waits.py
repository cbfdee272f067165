"""What the waiters page shows: spans as bars, who waits for whom, kinds, and every wait in pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import polars as pl
from django.http import QueryDict

from apps.diagnosis.engine.core.page_tables import LONGEST_FIRST
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.values import AnyDiagnosis
from parsers.dataclass import dataclass

NORMAL: Final = 1
BARS: Final = 24
SPELLING: Final = re.compile(r"(?<![\w.-])(?:[\w-]+(?:\.[\w-]+)+|c\d{1,6}n\d{1,6})(?![\w-])")
"""Of a node: an address, a full name or an index; a bare number may be anything."""
PAGE_ROWS: Final = 100
EVERY: Final = pl.lit(value=True)
FEW: Final = 50_000
LOOKED_AT: Final = 4_000
"""Rows of each part in which the longest that match are looked for first."""
CATEGORY_NAMES: Final = {1: "1 normal", 2: "2 may be long", 3: "3 never long", 4: "4 overload", None: "unknown"}
AGES: Final = ((0.0, "any age"), (1.0, "\u2265 1 s"), (10.0, "\u2265 10 s"), (60.0, "\u2265 60 s"))
SEARCHED: Final = ("thread", "reason", "waits_on", "node", "kind_id")
COLUMNS: Final = (
    "node",
    "thread",
    "category",
    "kind_id",
    "waits_on",
    "reason",
    "state",
    "start",
    "end",
    "seconds",
    "dumps",
)


@dataclass(frozen=True, slots=True)
class WaiterFilters:
    """What the address asks for; anything malformed is left out."""

    categories: tuple[int, ...] = ()
    least_s: float = 0.0
    node: str = ""
    text: str = ""
    page: int = 1

    @classmethod
    def from_query(cls, query: QueryDict) -> WaiterFilters:
        """Categories are comma separated; unknown is 0."""
        categories = tuple(
            sorted({int(c) for c in query.get("category", "").split(",") if c in {"0", "1", "2", "3", "4"}})
        )
        age = query.get("age", "")
        least = float(age) if age in {f"{value:g}" for value, _ in AGES} else 0.0
        page = query.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
        return cls(categories, least, query.get("node", "")[:200], query.get("text", "")[:200], max(1, number))

    def query(self, **changes: Any) -> str:
        """The address of this view with some parts changed."""
        age = f"{self.least_s:g}" if self.least_s else ""
        parts = {"category": ",".join(map(str, self.categories)), "age": age, "node": self.node, "text": self.text}
        parts |= {key: str(value) for key, value in changes.items()}
        return urlencode({key: value for key, value in parts.items() if value})

    def condition(self) -> pl.Expr | None:
        """What holds for the spans that match; None where all do."""
        conditions = []
        if self.categories:
            conditions.append(pl.col("category").fill_null(0).is_in(list(self.categories)))
        if self.least_s:
            conditions.append(pl.col("seconds") >= self.least_s)
        if self.node:
            conditions.append(pl.col("node") == self.node)
        for word in self.text.split():
            plain = f"(?i){re.escape(word)}"
            conditions.append(pl.any_horizontal(pl.col(name).str.contains(plain) for name in SEARCHED))
        return pl.all_horizontal(conditions) if conditions else None


@dataclass(frozen=True, slots=True)
class WaiterPage:
    """One page of spans, longest first."""

    bars: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    total: int
    whole: int
    page: int
    pages: int
    nodes: list[str]


def waiter_page(diagnosis: AnyDiagnosis, filters: WaiterFilters) -> WaiterPage:
    """Spans that match, read from Parquet; only the rows of the page become Python values."""
    tables = PageTableFiles(diagnosis)
    spans, nodes = tables.spans(), tables.span_nodes()
    if spans is None or nodes is None:
        return WaiterPage([], [], 0, 0, 1, 1, [])
    whole = sum(nodes.values())
    found = _found(filters.condition(), tables, spans)
    total = found.total
    pages = max(1, -(-total // PAGE_ROWS))
    page = min(filters.page, pages)
    names = {alias: node["name"] for node in diagnosis.summary.get("nodes", ()) for alias in node["aliases"]}
    rows = _named(found.longest(page * PAGE_ROWS).slice((page - 1) * PAGE_ROWS), names)
    bars = _named(_bars(found), names)
    return WaiterPage(bars, rows, total, whole, page, pages, sorted(node for node in nodes if node is not None))


def _named(rows: pl.DataFrame, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Waits for a node by the name that all pages call it, however the dump spells it."""
    return [
        {**row, "waits_on": SPELLING.sub(lambda found: names.get(found[0], found[0]), row["waits_on"] or "") or None}
        for row in rows.to_dicts()
    ]


@dataclass(frozen=True, slots=True)
class Found:
    """Parts of the spans, how many of each match, and what holds for those. ``is_ordered``: each part has the longest
    first.
    """

    parts: list[tuple[pl.LazyFrame, int]]
    condition: pl.Expr
    is_ordered: bool

    @property
    def total(self) -> int:
        return sum(count for _, count in self.parts)

    def longest(self, most: int, also: pl.Expr | None = None) -> pl.DataFrame:
        """The longest ones in order, where ``also`` holds too."""
        also = EVERY if also is None else also
        if not self.is_ordered:
            near = [_as_long(part.filter(self.condition, also), most).collect() for part, _ in self.parts]
        else:
            heads = pl.collect_all([part.head(most + LOOKED_AT).filter(self.condition) for part, _ in self.parts])
            near = [
                self._near(part, count, head, also, most) for (part, count), head in zip(self.parts, heads, strict=True)
            ]
        return pl.concat(near).sort(**LONGEST_FIRST).head(most) if near else pl.DataFrame()

    def _near(self, part: pl.LazyFrame, count: int, head: pl.DataFrame, also: pl.Expr, most: int) -> pl.DataFrame:
        """The longest of a part: among its first rows, as a rule, and only else are all of them looked through."""
        found = head.filter(also).head(most)
        return (
            found
            if found.height == most or head.height == count
            else part.filter(self.condition, also).head(most).collect()
        )


def _found(condition: pl.Expr | None, tables: PageTableFiles, spans: pl.LazyFrame) -> Found:
    """Those that match. Few are taken out at once: what is asked of them then does not look through millions again."""
    ordered, every = tables.spans_by_age(), EVERY if condition is None else condition
    parts = ordered or [spans]
    counts = [counted.item() for counted in pl.collect_all([part.filter(every).select(pl.len()) for part in parts])]
    matching = [(part, count) for part, count in zip(parts, counts, strict=True) if count]
    if condition is not None and 0 < sum(counts) <= FEW:
        few = pl.concat(pl.collect_all([part.filter(every) for part, _ in matching])).sort(**LONGEST_FIRST)
        return Found([(few.lazy(), few.height)], EVERY, is_ordered=True)
    return Found(matching, every, ordered is not None)


def _as_long(spans: pl.LazyFrame, most: int) -> pl.LazyFrame:
    """At least the longest ones. Ages alone are looked through first: to sort millions of whole rows takes seconds."""
    ages = spans.select(pl.col("seconds").drop_nulls().top_k(most)).collect()["seconds"]
    return spans.filter(pl.col("seconds") >= ages.min()) if ages.len() == most else spans


def _bars(found: Found) -> pl.DataFrame:
    """The longest waits that have a time; normal ones only where others leave room."""
    placed = pl.col("start").is_not_null() & pl.col("end").is_not_null()
    is_normal = pl.col("category").eq_missing(NORMAL)
    bars = found.longest(BARS, placed & ~is_normal)
    room = BARS - bars.height
    return pl.concat([bars, found.longest(room, placed & is_normal)], how="vertical_relaxed") if room else bars


def csv_rows(diagnosis: AnyDiagnosis, filters: WaiterFilters) -> Iterator[Sequence[Any]]:
    """Header and all matching spans; read in slices."""
    yield list(COLUMNS)
    spans = PageTableFiles(diagnosis).spans()
    if spans is None:
        return
    condition = filters.condition()
    found = (
        (spans if condition is None else spans.filter(condition))
        .select(COLUMNS)
        .sort("seconds", descending=True, nulls_last=True)
    )
    yield from found.collect().iter_rows()


def category_choices(filters: WaiterFilters) -> list[dict[str, Any]]:
    """For the select of categories; unknown is 0."""
    return [
        {"value": key or 0, "name": name, "is_on": (key or 0) in filters.categories}
        for key, name in CATEGORY_NAMES.items()
    ]


def age_choices(filters: WaiterFilters) -> list[dict[str, Any]]:
    """For the select of least ages."""
    return [{"value": f"{value:g}", "name": name, "is_on": value == filters.least_s} for value, name in AGES]


def gantt(page: WaiterPage, zone: str, hrefs: list[str | None]) -> dict[str, Any] | None:
    """For the span-gantt module."""
    if not page.bars:
        return None
    telling = [
        bar for bar in page.bars if bar["category"] != NORMAL
    ] or page.bars  # idle threads wait for hours and would set the scale
    start, end = min(bar["start"] for bar in telling), max(bar["end"] for bar in page.bars)
    spans = [
        {
            "node": bar["node"] or "node unknown",
            "thread": bar["thread"] or "thread unknown",
            "category": bar["category"],
            "start": bar["start"],
            "end": bar["end"],
            "seconds": bar["seconds"],
            "text": bar["waits_on"] or bar["reason"] or "",
            "href": href,
        }
        for bar, href in zip(page.bars, hrefs, strict=True)
    ]
    window = {"start": start, "end": max(end, start + 1), "zone": zone or None, "dated": end >= 86_400_000_000}
    return {"window": window, "spans": spans, "more": max(0, page.total - len(spans)) or None}
