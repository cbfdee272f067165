"""How disks answered over time: samples of ``iostat`` and ``sar``, device by device, without the first report since
boot.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.words.metrics import disk_io
from parsers.records import DiskIo

SAMPLES: Final = disk_io("disk-samples")
KEYS: Final = ("artifact", "node", "device")
COLUMNS: Final = (
    "artifact",
    "line",
    "node",
    "device",
    "source",
    "at",
    "zone_min",
    "interval_s",
    "count",
    "bytes",
    "mean_ms",
    "util",
    "queue",
)
NO_SAMPLES: Final = pl.DataFrame(
    schema={**{name: pl.String() for name in COLUMNS}, "kib": pl.Float64(), "number": pl.UInt32()}
)


class DiskLoads:
    """Samples of devices. Large recordings stay in Polars: only what is slow is looked at row by row."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @property
    def measured(self) -> bool:
        """Whether any sample beside the first report is there."""
        return not self.samples.is_empty()

    @cached_property
    def samples(self) -> pl.DataFrame:
        """Samples of reads and writes together, in the order of the text, with their number in the row of their device.

        ``kib``: mean size of a request. A device row of a counter gone wrong (busy without requests, an impossible
        queue) is left out.
        """
        if not self._records.has(DiskIo):
            return NO_SAMPLES
        wrong = ((pl.col("util") >= 95) & (pl.col("count") == 0)) | (pl.col("queue") > 1e6)
        rows = (
            self._records.scan(SAMPLES)
            .filter((pl.col("op") == "") & pl.col("mean_ms").is_not_null())
            .filter(~wrong.fill_null(False))
            .select(COLUMNS)
            .with_columns(kib=pl.when(pl.col("count") > 0).then(pl.col("bytes") / pl.col("count") / 1024))
            .collect()
        )
        return rows.sort("artifact", "line").with_columns(number=pl.col("line").cum_count().over(KEYS))

    @cached_property
    def reads_and_writes(self) -> pl.DataFrame:
        """Mean waits of reads beside those of writes, a row per sample."""
        if not self._records.has(DiskIo):
            return pl.DataFrame(
                schema={
                    "artifact": pl.Int64(),
                    "line": pl.Int64(),
                    "device": pl.String(),
                    "read": pl.Float64(),
                    "write": pl.Float64(),
                }
            )
        rows = (
            self._records.scan(SAMPLES)
            .filter(pl.col("op").is_in(["read", "write"]) & pl.col("mean_ms").is_not_null())
            .select("artifact", "line", "device", "op", "mean_ms")
            .collect()
        )
        read = rows.filter(pl.col("op") == "read").select("artifact", "line", "device", read="mean_ms")
        write = rows.filter(pl.col("op") == "write").select("artifact", "line", "device", write="mean_ms")
        return read.join(write, on=["artifact", "line", "device"], how="inner")
