"""What reading a file left behind: its sections and the lines not understood, from the facts in Parquet."""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.cases.files.facts_place import rows_of
from apps.cases.models import Artifact
from parsers.dataclass import dataclass

SECTION_COLUMNS: Final = (
    "index", "format", "command", "line", "last_line", "node", "node_basis", "records", "not_understood", "at",
    "zone_name",
)  # fmt: skip
SECTIONS_SHOWN: Final = 2000


@dataclass(frozen=True, slots=True)
class SectionRow:
    index: int
    format: str
    command: str | None
    first_line: int
    last_line: int
    node: str | None
    node_basis: str
    records: int
    not_understood: int
    captured_us: int | None
    zone_name: str | None

    @property
    def title(self) -> str:
        return self.command or self.format or "text of no known format"


def sections_of(artifact: Artifact) -> list[SectionRow]:
    """In line order, at most 2,000; empty until the file has been read."""
    rows = rows_of(artifact, "section")
    if rows is None:
        return []
    frame = rows.select(SECTION_COLUMNS).sort("line").head(SECTIONS_SHOWN).collect()
    return [SectionRow(*row) for row in frame.iter_rows()]


def not_understood_between(artifact: Artifact, first: int, last: int) -> set[int]:
    """Numbers of the lines that no parser understood (reading keeps a bounded number of them; all are counted)."""
    rows = rows_of(artifact, "skipped")
    if rows is None:
        return set()
    lines = rows.filter(pl.col("line").is_between(first, last)).select("line").collect()
    return set(lines["line"].to_list())
