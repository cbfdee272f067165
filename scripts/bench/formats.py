"""How fast each format is read: its sample, written again and again up to a few megabytes, through the whole of
reading.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path

from parsers.lookup import parsers
from parsers.output import Output
from parsers.records import Record
from parsers.sections import reader as sections
from parsers.text import blocks

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "parsers"
BYTES = 200_000


class Nowhere:
    """A sink that keeps nothing: the time is that of reading."""

    def write(self, kind: type[Record], columns: object) -> None:
        """Take a batch."""

    def close(self) -> None:
        """Nothing is held."""


def speeds(size: int = BYTES) -> Iterator[tuple[str, float, float]]:
    """Format, megabytes and lines per second, for each that has a typical sample."""
    for name in sorted(parsers()):
        sample = SAMPLES / name / "typical.txt"
        if sample.exists():
            yield name, *speed(sample.read_bytes(), size)


def speed(sample: bytes, size: int) -> tuple[float, float]:
    """Megabytes and lines per second of processor time for one sample."""
    once = sample if sample.endswith(b"\n") else sample + b"\n"
    data = b"".join(b"copy%d# true\n%s" % (number, once) for number in range(max(1, size // len(once))))
    out = Output(Nowhere())
    began = time.process_time()
    sections.read(blocks(io.BytesIO(data)), out)
    out.close()
    seconds = time.process_time() - began
    return len(data) / 1e6 / seconds, data.count(b"\n") / seconds
