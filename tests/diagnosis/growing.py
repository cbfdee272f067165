"""A case of every kind of record, one to four times as large, and the processor time that each fact and rule takes on
it.

The records are those of the samples of all parsers, copied: with other nodes, at later moments, or about other things.
"""

from __future__ import annotations

import gc
import io
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, TypeVar
from unittest.mock import patch

import polars as pl

from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.small_files import SmallFiles
from apps.diagnosis.engine.core.facts.store import SCHEMAS, Facts, Part, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes, run
from apps.diagnosis.engine.core.model import Finding
from apps.diagnosis.engine.core.times.open_years import COLUMNS as MOMENTS
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS, rules
from parsers.records import DAY_US, Record
from parsers.records.kinds import RECORD_TYPES
from parsers.sections.reader import Hints
from parsers.text import blocks
from tests.parsers.golden import FIXTURES

More = Literal["nodes", "moments", "things"]
Frames = Mapping[type[Record], pl.DataFrame]
F = TypeVar("F")
WAYS: Final[tuple[More, ...]] = ("nodes", "moments", "things")
APART_US: Final = 60_000_000
REST: Final = "diagnose"
_FIXED: Final = ("format", "node_basis")
_LAST_DIGIT: Final = r"\d(\D*)$"


@cache
def samples() -> tuple[Frames, int]:
    """Records of the typical sample of every parser, and how many samples there are."""
    paths = sorted(FIXTURES.glob("*/typical.txt"))
    with TemporaryDirectory() as folder:
        small = SmallFiles(Path(folder))
        for number, path in enumerate(paths):
            out = small.writer(number, Path(folder) / str(number))
            read_blocks(blocks(io.BytesIO(path.read_bytes())), out, Hints(path.name))
        numbers = {number: number for number in range(len(paths))}
        facts = Facts((Source(number, paths[number].name, None) for number in numbers), small.batches(numbers))
        return {kind: facts.frame(kind) for kind in RECORD_TYPES if facts.has(kind)}, len(paths)


class Grown(Facts):
    """Copies of the samples, each in texts of its own: numbers by which records refer to each other stay right."""

    def __init__(self, copies: int, way: More) -> None:
        frames, texts = samples()
        numbers = [number + copy * texts for copy in range(copies) for number in range(texts)]
        super().__init__(Source(number, f"{number}.txt", Path("/nowhere")) for number in numbers)
        self._frames = {
            kind: pl.concat(
                frame.with_columns(pl.col("artifact") + copy * texts, *(_changed(kind, copy, way) if copy else ()))
                for copy in range(copies)
            )
            for kind, frame in frames.items()
        }

    def files(self, kind: type[Record]) -> list[tuple[Source, Path]]:
        return []

    def has(self, kind: type[Record]) -> bool:
        return kind in self._frames

    def parts(self, kind: type[Record]) -> list[Part]:
        if kind not in self._frames:
            return []
        frame = self._frames[kind]
        return [Part(frozenset(frame["artifact"].unique().to_list()), frame.lazy())]


def _changed(kind: type[Record], copy: int, way: More) -> Iterator[pl.Expr]:
    """Columns of a copy that differ from those of the sample."""
    schema = SCHEMAS[kind]
    if way == "nodes":
        yield from (pl.col(name) + f"q{copy}" for name in kind.node_columns())
    elif way == "moments":
        for name in (name for name in MOMENTS if name in schema):
            later = pl.col(name) + copy * APART_US
            yield pl.when(pl.col(name) >= DAY_US).then(later).otherwise(pl.col(name)).alias(name)
    else:
        texts = (name for name, dtype in schema.items() if dtype == pl.String and name not in _FIXED)
        yield from (pl.col(name).str.replace(_LAST_DIGIT, f"{copy}${{1}}") for name in texts)


class _Timed(Case):
    """A case that measures what each fact takes without the facts it is made of."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts, PRODUCTS)
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def get(self, kind: type[F]) -> F:
        began = time.process_time()
        self._inner.append(0.0)
        found = super().get(kind)
        took = time.process_time() - began
        self.seconds[kind.__name__] += took - self._inner.pop()
        self._inner[-1] += took
        return found


def seconds(copies: int, way: More) -> dict[str, float]:
    """Processor time of each fact by the name of its class, of each rule by its ref, and of all that follows."""
    case = _Timed(Grown(copies, way))
    notes, found = RuleNotes(), list[Finding]()
    with _no_search_for_cycles():
        for ref, one in rules().items():
            for need in one.needs:
                case.get(need)
            began = time.process_time()
            found += run([one], case, notes)
            case.seconds[ref] = time.process_time() - began
        began = time.process_time()
        with patch("apps.diagnosis.engine.diagnose.run_rules", lambda case, notes: found):
            diagnose(case.store, case)
        case.seconds[REST] = time.process_time() - began
    assert notes.failed == []
    return dict(case.seconds)


@contextmanager
def _no_search_for_cycles() -> Iterator[Any]:
    """It takes its time whenever it likes, at the cost of whoever runs then."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
