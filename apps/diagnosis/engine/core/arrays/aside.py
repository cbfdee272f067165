"""Tables that are made once and asked for again later, too large to be kept in memory until then."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl


class Aside:
    """Tables by name, in files of a folder that ends with it. Packed quickly rather than tightly: each is written once
    and read once or twice.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="aside-")

    def put(self, name: str, table: pl.DataFrame) -> None:
        """Lay a table aside."""
        table.write_ipc(self._path(name), compression="lz4")

    def get(self, name: str) -> pl.DataFrame:
        """What was laid aside under a name. It is read and not mapped: pages of a mapped file count as memory of the
        process.
        """
        with self._path(name).open("rb") as file:
            return pl.read_ipc(file)

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / f"{name}.arrow"
