"""What the deadlock detector of mmfsd prints beside its waiters: thresholds in force and its verdict on load."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, in_order
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits
from parsers.records import Setting
from parsers.records.waits import DeadlockFact

THRESHOLD, SHORT_THRESHOLD = "threshold", "threshold_short"
CONFIGURED: Final = "deadlockdetectionthreshold"
_THRESHOLDS: Final = (THRESHOLD, SHORT_THRESHOLD)


class Detector:
    """Thresholds and verdicts that ``mmdiag --deadlock`` printed."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def rows(self) -> pl.DataFrame:
        """All of them, with canonical nodes."""
        return self._records.frame(DeadlockFact)

    @cached_property
    def overloaded(self) -> pl.DataFrame:
        """Rows in which the product judged the cluster overloaded."""
        return in_order(self.rows, pl.col("what") == "overloaded", pl.col("value") == 1)

    @cached_property
    def in_force(self) -> dict[str, tuple[float, Ref]]:
        """The thresholds of detection that the dumps print last, in seconds: they are tuned by load and differ from
        what is configured.
        """
        if not self.rows.height:
            return {}
        rows = in_order(self.rows, pl.col("what").is_in(_THRESHOLDS), pl.col("value").is_not_null())
        last = {row["what"]: (row["value"], Ref(row["artifact"], row["line"])) for row in rows.iter_rows(named=True)}
        return {what: last[what] for what in _THRESHOLDS if what in last}

    def value_in_force(self, what: str) -> float | None:
        """One threshold in seconds; None where no dump prints it."""
        return self.in_force[what][0] if what in self.in_force else None

    @cached_property
    def depends_on(self) -> tuple[str, ...]:
        """Nodes that the detector names as those on which the waits depend."""
        rows = self.rows.filter((pl.col("what") == "depends_on") & pl.col("name").is_not_null())
        return tuple(rows["name"].unique(maintain_order=True).to_list())

    @cached_property
    def limit_s(self) -> float:
        """The age in seconds from which a wait is unexpected: the threshold that a dump prints last, else the one that
        is configured, else the detector's own default.
        """
        printed = self.value_in_force(THRESHOLD) or self._configured
        return max(printed or limits("scale-bands").medium_s, limits("scale-bands").serious_s)

    @cached_property
    def _configured(self) -> float | None:
        """The threshold as the configuration shows it; 0 switches the detector off and limits nothing."""
        if not self._records.has(Setting):
            return None
        name = pl.col("name").str.to_lowercase() == CONFIGURED
        values = self._records.frame(Setting, name & pl.col("value").is_not_null())["value"].to_list()
        seconds = [float(value) for value in values if value.isdigit()]
        return max(seconds, default=0.0) or None

    def short_threshold(self, node: str | None) -> tuple[float, bool]:
        """The threshold for waits of category 3 on a node: the last one printed, else a fallback and False."""
        rows = self.rows.filter((pl.col("what") == SHORT_THRESHOLD) & pl.col("value").is_not_null())
        own = rows.filter(pl.col("node") == node) if node is not None else rows
        printed = own if own.height else rows
        if printed.is_empty():
            return limits("scale-bands").short_s, False
        return float(printed.sort("at", "artifact", "line", nulls_last=False)["value"][-1]), True
