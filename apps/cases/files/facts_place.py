"""Where the facts of a file lie: in a folder of their own, or among those of the small files that were read with it.

``Artifact.facts`` is the prefix of that folder; where several files share it, with the number behind it by which its
tables know the file: ``cases/1/facts/batch-9-ab12/#31``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

import polars as pl

from apps.cases import storage
from apps.cases.models import Artifact

MARK: Final = "#"


class FactsPlace(NamedTuple):
    """``number``: the column ``artifact`` of the rows of this file; None where the folder is its own."""

    prefix: str
    number: int | None


def place_of(facts: str) -> FactsPlace:
    """As a row names it."""
    prefix, mark, number = facts.partition(MARK)
    return FactsPlace(prefix, int(number) if mark else None)


def shared(prefix: str, number: int) -> str:
    """What the row of a file says that lies there with others."""
    return f"{prefix}{MARK}{number}"


def rows_of(artifact: Artifact, stem: str) -> pl.LazyFrame | None:
    """Records of one kind that were read from a file; None where there are none."""
    if not artifact.facts:
        return None
    prefix, number = place_of(artifact.facts)
    paths = [storage.local_path(name) for name in storage.listing(prefix) if is_part(name.rpartition("/")[2], stem)]
    if not paths:
        return None
    rows = pl.scan_parquet(paths, glob=False)
    return rows if number is None else rows.filter(pl.col("artifact") == number)


def is_part(name: str, stem: str) -> bool:
    """Whether a file holds records of that kind."""
    return name.startswith(f"{stem}-") and name.endswith(".parquet")


def remove(case_id: int, named: Iterable[str]) -> None:
    """Facts that rows of a case named before; what other files still share stays. After the rows were changed."""
    for prefix, is_shared in sorted({(place.prefix, place.number is not None) for place in map(place_of, named)}):
        still = Artifact.objects.filter(case=case_id, facts__startswith=prefix)
        if prefix and not (is_shared and still.exists()):
            with suppress(OSError):
                storage.delete_prefix(prefix)


def narrowed(case_id: int, prefix: str, numbers: Iterable[int]) -> str:
    """A new folder with the rows of some of the files that share one, and nothing of the others; its prefix."""
    target = f"{storage.case_prefix(case_id)}facts/batch-{uuid4().hex}/"
    kept = sorted(numbers)
    for name in storage.listing(prefix):
        rows = pl.read_parquet(storage.local_path(name)).filter(pl.col("artifact").is_in(kept))
        if rows.height:
            written = BytesIO()
            rows.write_parquet(written, compression="zstd", compression_level=1)
            written.seek(0)
            storage.save_as(f"{target}{Path(name).name}", written)
    return target
