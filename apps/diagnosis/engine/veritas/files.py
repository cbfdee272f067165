"""Whether a case holds anything of Veritas."""

from __future__ import annotations

from functools import cached_property

import polars as pl

from apps.diagnosis.engine.core.store import Facts
from parsers.lookup import parsers
from parsers.records import Section


class VeritasFiles:
    """Formats of Veritas in a case: the commands of the system alone are none."""

    def __init__(self, store: Facts) -> None:
        self._store = store

    @cached_property
    def are_there(self) -> bool:
        """Whether a section has such a format."""
        return self._has()

    @cached_property
    def are_read(self) -> bool:
        """Whether such a section gave records."""
        return self._has(pl.col("records") > 0)

    def _has(self, *where: pl.Expr) -> bool:
        names = {parser.name for parser in parsers().values() if parser.product == "veritas"}
        rows = self._store.scan(Section).filter(pl.col("format").is_in(names), *where)
        return bool(rows.select(pl.len()).collect().item())
