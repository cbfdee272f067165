"""Reads a text as the program does, and writes all that came of it as JSON, one record a line: the expected output of a
parser.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar

from parsers.output import MemorySink, Output
from parsers.records import Record
from parsers.records.kinds import RECORD_TYPES
from parsers.sections import reader as sections
from parsers.sections.reader import Hints
from parsers.text import BLOCK_BYTES, LINE_BYTES, Block, LongLines, blocks

FIXTURES: Final = Path(__file__).resolve().parents[1] / "fixtures" / "parsers"
AnyRecord = TypeVar("AnyRecord", bound=Record)


class Reading:
    """A text that was read: line counts in ``result``, records by ``of``, columns by ``sink``."""

    def __init__(
        self,
        data: bytes | str,
        *,
        path: str = "",
        node: str | None = None,
        block_bytes: int = BLOCK_BYTES,
        line_bytes: int = LINE_BYTES,
    ) -> None:
        self.data = data.encode() if isinstance(data, str) else data
        self.sink = MemorySink()
        self.long = LongLines()
        out = Output(self.sink)
        source = blocks(io.BytesIO(self.data), block_bytes=block_bytes, line_bytes=line_bytes, long=self.long)
        self.lines = 0
        self.result = sections.read(self._counted(source), out, Hints(path=path, node=node))
        out.close()

    def _counted(self, source: Iterable[Block]) -> Iterator[Block]:
        """The blocks, and how many lines they hold."""
        for block in source:
            self.lines += block.data.count(b"\n") + (not block.data.endswith(b"\n"))
            yield block

    def of(self, kind: type[AnyRecord]) -> list[AnyRecord]:
        """The records of one kind in the order read."""
        return self.sink.records(kind)

    @property
    def adds_up(self) -> bool:
        """The law of line counts: every line is understood, ignored or not understood, once."""
        r = self.result
        return (
            r.understood + r.ignored + r.not_understood == r.total == self.lines
            and min(r.understood, r.ignored, r.not_understood) >= 0
        )

    def as_json(self) -> str:
        """Counts and all records; columns without a value are left out."""
        result = asdict(self.result)
        parts = [f'"result": {json.dumps(result)}']
        for kind in RECORD_TYPES:
            rows = [json.dumps(_row(record), ensure_ascii=False) for record in self.of(kind)]
            if rows:
                parts.append(f'"{kind.__name__}": [\n  ' + ",\n  ".join(rows) + "\n]")
        return "{\n" + ",\n".join(parts) + "\n}\n"


def _row(record: Record) -> dict[str, Any]:
    return {name: value for name in record.columns() if (value := getattr(record, name)) is not None}


def cases() -> list[Path]:
    """All samples: ``fixtures/parsers/<parser>/<case>.txt``."""
    return sorted(FIXTURES.glob("*/*.txt"))


def case_id(path: Path) -> str:
    """``<parser>/<case>``."""
    return f"{path.parent.name}/{path.stem}"
