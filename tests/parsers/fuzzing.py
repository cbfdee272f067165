"""Samples with lines and cells that no tool prints, by Hypothesis: what a parser must take without failing.

``make fuzz MINUTES=60`` shares the time among the folders of samples; what it finds is printed, cut down to its
smallest. A find becomes a case of FOUND in test_any_bytes.py, or a sample of its parser.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import astuple
from math import isfinite
from pathlib import Path
from traceback import extract_tb
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure

from parsers.records import Problem, Record
from tests.parsers.golden import Reading, cases

LIMIT_S: Final = 5.0
LARGEST: Final = 40_000
"""Bytes of a sample that are changed; the rest of a larger one is left out."""
FAILED: Final = re.compile(r"The reader \S+ failed here")
SHRINKS_S: Final = 20.0
QUIET: Final = settings(
    max_examples=200,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
)
_CELLS: Final = re.compile(rb"[ \t]+|[^ \t\w]+|\w+")
ODD: Final = (
    b"", b"-", b"--", b"--0", b"-0", b"+1", b"1.2.3", b"1.2.3.10", b".", b"1e309", b"-1e309", b"1e-400", b"NaN",
    b"inf", b"-inf",
    b"0x", b"0xg", b"0x" + b"f" * 40, b"9" * 20, b"-" + b"9" * 20, b"9" * 400, b"9" * 5000, b"0", b"00:00:00",
    b"25:61:61", b"99999-99-99", b"0000-00-00", b"Feb 30", b"29 Feb 2023", b"31/31/9999", b"1,5", b"1.000.000,5",
    b"1_000", "\u0661\u0662".encode(), "\u00b2".encode(), "\u2460".encode(), b"\x00", b"\xff\xfe", "\u202e".encode(),
    b"%s", b"{}", b"{", b"}", b"[", b"]" * 50, b"[" * 3000, b'{"a":' * 3000, b'"', b"'", b"\\", b"|", b"|" * 200,
    b"=", b":", b"a=b=c", b",", b"\t", b"null", b"true", b"unlimited", b"*", b"?", b"n/a", b"K", b"10Gb", b"5%", b"-5%",
    b"1e5k", b"99999999999d", b"1:2:3:4:5:6", b"c1n9" * 60,
)  # fmt: skip


class _Places(logging.Handler):
    """Where readers failed."""

    def __init__(self) -> None:
        super().__init__()
        self.reported: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.reported.append(record.getMessage())


PLACES: Final = _Places()
logging.getLogger("parsers").addHandler(PLACES)


def fault(data: bytes) -> str:
    """What is wrong with how it is read, as the program reads it: a reader that fails, lines that go astray, a time
    that is too long.
    """
    began = time.process_time()
    PLACES.reported.clear()
    try:
        reading = Reading(data, path="sample.txt")
    except Exception as error:  # noqa: BLE001  whatever comes out is what is looked for
        place = extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {place.name}:{place.lineno}"
    if time.process_time() - began > LIMIT_S:
        return "too slow"
    if not reading.adds_up:
        return "lines do not add up"
    if odd := [kind for kind in reading.sink.columns if any(map(_is_endless, reading.of(kind)))]:
        return f"a figure that is none in {odd[0].__name__}"
    return PLACES.reported[0] if any(FAILED.match(one.message) for one in reading.of(Problem)) else ""


def _is_endless(record: Record) -> bool:
    return any(isinstance(value, float) and not isfinite(value) for value in astuple(record))


@st.composite
def hurt(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """A sample some of whose cells and lines were changed."""
    sample = draw(st.sampled_from(samples))[:LARGEST]
    lines = sample.split(b"\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        lines[at : at + 1] = draw(_line(lines[at], lines))
        if not lines:
            break
    return b"\n".join(lines)


@st.composite
def _line(draw: st.DrawFn, line: bytes, others: list[bytes]) -> list[bytes]:
    way = draw(st.integers(0, 9))
    if way == 0:
        return []
    if way == 1:
        return [line, line]
    if way == 2:
        return [line, draw(st.sampled_from(others))]
    if way == 3:
        return [line[: draw(st.integers(0, len(line)))]]
    if way == 4:
        return [line[draw(st.integers(0, len(line))) :]]
    cells = _CELLS.findall(line)
    if not cells:
        return [draw(st.sampled_from(ODD))]
    at = draw(st.integers(0, len(cells) - 1))
    if way == 5:
        cells[at : at + 1] = []
    elif way == 6:
        cells[at : at + 1] = [b"".join(cells[at : at + 2]), b" "] * draw(st.integers(2, 600))
    elif way == 7:
        cells[at] = draw(st.binary(max_size=6))
    else:
        cells[at] = draw(st.sampled_from(ODD))
    return [b"".join(cells)]


def by_parser() -> dict[str, list[bytes]]:
    """Samples by their folder."""
    found: dict[str, list[bytes]] = defaultdict(list)
    for path in cases():
        found[path.parent.name].append(path.read_bytes())
    return dict(found)


def run(name: str, samples: list[bytes], seconds: float, kept: Path | None) -> tuple[int, int]:
    """How many texts were read of one parser's samples, and how many kinds of failures were found."""
    end = time.monotonic() + seconds
    found: dict[str, bytes] = {}
    known: set[str] = set()
    tried = 0

    @QUIET
    @given(hurt(samples))
    def one(data: bytes) -> None:
        nonlocal tried
        if time.monotonic() > end + SHRINKS_S:
            return
        tried += 1
        if (seen := fault(data)) and seen not in known:
            found[seen] = data  # the last one is the smallest
            raise AssertionError(seen)

    while time.monotonic() < end:
        with suppress(AssertionError, FlakyFailure):
            one()
        known |= set(found)
    if kept is not None and found:
        kept.mkdir(parents=True, exist_ok=True)
    for number, (seen, data) in enumerate(found.items()):
        sys.stdout.write(f"{name}: {seen}\n  {data[:600]!r}\n")
        sys.stdout.flush()
        if kept is not None:
            (kept / f"{name}-{number}.txt").write_bytes(data)
    return tried, len(found)


def main() -> int:
    given_ = argparse.ArgumentParser(description=__doc__)
    given_.add_argument("--minutes", type=float, default=60)
    given_.add_argument("--keep", type=Path, help="a folder for what is found")
    given_.add_argument("--only", default="", help="folders of samples that hold this word")
    chosen = given_.parse_args()
    parsers = {name: samples for name, samples in by_parser().items() if chosen.only in name}
    tried = found = 0
    for name, samples in parsers.items():
        more, finds = run(name, samples, chosen.minutes * 60 / len(parsers), chosen.keep)
        tried, found = tried + more, found + finds
    sys.stdout.write(f"{tried} texts of {len(parsers)} parsers, {found} kinds of failures\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
