"""The numbers by which a diagnosis knows the files of a case: in the order of uploads and paths, however workers came
to read them.

Rows have the numbers in which they happened to be made; what is equally good in all else would be ordered by them. So
the engine works with numbers of its own, and what is stored names the rows again. Of files with the same bytes one
speaks for all, whichever was read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from apps.cases import storage
from apps.cases.files.facts_place import place_of
from apps.cases.models import Artifact
from apps.diagnosis.engine.core.facts.small_files import Batch
from apps.diagnosis.engine.core.facts.store import Facts, Source
from parsers.dataclass import dataclass
from parsers.headings.paths import suggested_node

REF_KEYS: Final = frozenset(("artifact", "line"))


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as it is shown, and the one that holds its text and facts: another only where bytes are the same."""

    shown: Artifact
    held: Artifact


class StoredFacts(NamedTuple):
    """What the engine reads: ``batches`` hold the facts of sources without a folder."""

    sources: list[Source]
    batches: list[Batch]

    def facts(self) -> Facts:
        return Facts(self.sources, self.batches, for_tables=True)


def stored_facts(files: Iterable[tuple[int, str, str, int | None]]) -> StoredFacts:
    """Of files by number, path, what their row says of their facts, and when they were last written."""
    sources: list[Source] = []
    together: dict[str, dict[int, int]] = defaultdict(dict)
    for number, path, facts, modified_us in files:
        prefix, number_there = place_of(facts)
        if number_there is None:
            sources.append(Source(number, path, storage.local_path(prefix), modified_us))
        else:
            sources.append(Source(number, path, None, modified_us))
            together[prefix][number_there] = number
    batches = [Batch.stored(storage.local_path(prefix), numbers) for prefix, numbers in together.items()]
    return StoredFacts(sources, batches)


def _telling(artifact: Artifact) -> tuple[int, bool, str, int]:
    """Of copies in an upload the one whose path tells a node, else the first."""
    return artifact.bundle_id, suggested_node(artifact.path) is None, artifact.path, artifact.pk


class FileNumbers:
    """The files of a case that have been read, numbered."""

    def __init__(self, artifacts: Iterable[Artifact]) -> None:
        by_pk = {artifact.pk: artifact for artifact in artifacts}
        first: dict[int, ReadFile] = {}
        for artifact in sorted(by_pk.values(), key=_telling):
            held = by_pk.get(artifact.duplicate_of_id or artifact.pk)
            if held is not None and held.facts:
                first.setdefault(held.pk, ReadFile(artifact, held))
        self.files: Final = tuple(
            sorted(first.values(), key=lambda file: (file.shown.bundle_id, file.shown.path, file.shown.pk))
        )

    def stored(self) -> StoredFacts:
        """For the engine."""
        return stored_facts(
            (number, file.shown.path, file.held.facts, file.shown.modified_us) for number, file in enumerate(self.files)
        )

    def pk(self, number: int) -> int:
        """The row to which people are led."""
        return self.files[number].shown.pk

    def with_rows(self, value: Any) -> Any:
        """A tree of plain values with rows in place of numbers, wherever it names a line of a file."""
        if isinstance(value, dict):
            row = {key: self.with_rows(held) for key, held in value.items()}
            return row | {"artifact": self.pk(row["artifact"])} if row.keys() >= REF_KEYS else row
        return [self.with_rows(held) for held in value] if isinstance(value, list | tuple) else value

    def store_table(self, path: Path) -> None:
        """The same for a table on disk, in place."""
        if "artifact" not in pl.read_parquet_schema(path):
            return
        known = {number: file.shown.pk for number, file in enumerate(self.files)}
        frame = pl.read_parquet(path)
        rows = pl.col("artifact").replace_strict(known, default=None, return_dtype=pl.Int64)
        frame.with_columns(rows).write_parquet(path, compression="zstd", compression_level=1, row_group_size=100_000)
