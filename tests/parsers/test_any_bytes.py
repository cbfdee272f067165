"""Whatever the bytes, reading ends in records or skipped lines: no exception, every line counted once, in
linear time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.parsers.golden import Reading, case_id, cases
from tests.part import part

LIMIT_S = 5.0
CUTS = 10
IN_A_RUN = 2
"""Of the cuts, the ways of damage, and the long lines of a sample; ``make matrix`` takes all."""
IDS = [case_id(path) for path in cases()]
SAMPLES = [path.read_bytes() for path in cases()]
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LINES = [line for sample in SAMPLES for line in sample.split(b"\n") if line]


def check(data: bytes, *, block_bytes: int = 4 << 20) -> None:
    began = time.process_time()
    reading = Reading(data, path="sample.txt", block_bytes=block_bytes)
    assert time.process_time() - began < LIMIT_S
    assert reading.adds_up
    records = [record for kind in reading.sink.columns for record in reading.of(kind)]
    assert all(0 <= record.line <= reading.result.total for record in records)


@QUIET
@given(st.binary(max_size=2_000))
def test_t12_t14_any_bytes(data: bytes) -> None:
    check(data)


@QUIET
@given(st.text(max_size=1_000))
def test_t12_t14_any_text(text: str) -> None:
    check(text.encode("utf-8", "surrogatepass"))


@QUIET
@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_t12_t14_any_lines_of_all_samples_in_any_order(lines: list[bytes]) -> None:
    check(b"\n".join(lines))


@pytest.mark.parametrize("index", range(len(SAMPLES)), ids=IDS)
def test_a_sample_cut_anywhere(index: int) -> None:
    sample, rng = SAMPLES[index], random.Random(index)  # noqa: S311  chooses places, guards nothing
    cuts = [sorted(rng.choices(range(len(sample) + 1), k=2)) for _ in range(CUTS)]
    for start, end in part(cuts, IN_A_RUN, "cuts", index):
        check(sample[start:end])


def _shuffled(sample: bytes, rng: random.Random) -> bytes:
    lines = sample.split(b"\n")
    return b"\n".join(rng.sample(lines, len(lines)))


def _with_nul(sample: bytes, rng: random.Random) -> bytes:
    return bytes(byte for char in sample for byte in ((char, 0) if rng.random() < 0.1 else (char,)))


def _flipped(sample: bytes, rng: random.Random) -> bytes:
    return bytes(char ^ (1 << rng.randrange(8)) if rng.random() < 0.03 else char for char in sample)


def _cut_lines(sample: bytes, rng: random.Random) -> bytes:
    return b"\n".join(line[: rng.randrange(len(line) + 1)] for line in sample.split(b"\n"))


DAMAGE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "glued to another": lambda sample, rng: sample.rstrip(b"\n") + rng.choice(SAMPLES),
    "shuffled": _shuffled,
    "repeated": lambda sample, rng: sample * 7 + b"\n".join(line for line in sample.split(b"\n") for _ in range(3)),
    "with NUL bytes": _with_nul,
    "with flipped bits": _flipped,
    "without line ends": lambda sample, rng: sample.replace(b"\n", b" "),
    "with cut lines": _cut_lines,
    "quoted": lambda sample, rng: b"\n".join(b"> > " + line for line in sample.split(b"\n")),
    "with wide gaps": lambda sample, rng: sample.replace(b" ", b" " * 200),
    "in small blocks": lambda sample, rng: sample,
}


@pytest.mark.parametrize("index", range(len(SAMPLES)), ids=IDS)
def test_a_damaged_sample(index: int) -> None:
    for name, damage in part([*DAMAGE.items()], IN_A_RUN, "damage", index):
        rng = random.Random(f"{index} {name}")  # noqa: S311  chooses damage, guards nothing
        check(damage(SAMPLES[index], rng), block_bytes=64 if name == "in small blocks" else 4 << 20)


@pytest.mark.parametrize("index", range(len(SAMPLES)), ids=IDS)
def test_t13_one_very_long_line_is_read_in_linear_time(index: int) -> None:
    sample = SAMPLES[index]
    flat = sample.replace(b"\n", b" ")
    check((flat * (200_000 // max(1, len(flat)) + 1))[:200_000] + b"\n" + sample)


@pytest.mark.parametrize("index", range(len(SAMPLES)), ids=IDS)
def test_t13_every_line_of_a_sample_stretched_to_a_long_one(index: int) -> None:
    """Each line repeated on itself, and its middle blown up with blanks and digits: what makes careless
    patterns slow.
    """
    sample = SAMPLES[index]
    lines = {line for line in sample.split(b"\n") if line}
    rng = random.Random(index)  # noqa: S311  chooses lines, guards nothing
    chosen = rng.sample(sorted(lines), min(8, len(lines)))
    long_ones = [(line, filling) for line in chosen for filling in (b" ", b"1", b"a", line + b" ")]
    for line, filling in part(long_ones, IN_A_RUN, "long", index):
        middle = len(line) // 2
        check(line[:middle] + (filling * 20_000)[:20_000] + line[middle:])
