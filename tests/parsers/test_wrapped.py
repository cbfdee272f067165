"""Outputs that a mail cut at blanks, or a terminal at its last column, give the same records as whole ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from parsers.records import RECORD_TYPES, CommandRun, Record, Repeat, Section, Skipped
from tests.parsers.golden import FIXTURES, Reading

ABOUT_TEXT: tuple[type[Record], ...] = (Section, Repeat, Skipped, CommandRun)
PLACES = frozenset(("line", "last_line", "index", "glock_line", "dump", "sample", "lock_line"))
PROMPT = re.compile(r"\S*[#$>] |\[")
SAMPLES = (
    "scale_waiters_new", "scale_waiters_old", "scale_waiters_y", "scale_deadlock", "scale_deadlock_y", "scale_tables_y",
    "gfs2_glocks", "dlm_locks", "dlm_plocks", "vxfsstat", "glmstat",
)  # fmt: skip


def at_blanks(line: str, width: int) -> Iterator[str]:
    """As a mail does it: the blank goes, and what has none stays whole."""
    while len(line) > width:
        at = line.rfind(" ", 0, width + 1)
        at = at if line[:at].strip() else line.find(" ", width)
        if at < 0:
            break
        yield line[:at]
        line = line[at + 1 :]
    yield line


def at_column(line: str, width: int) -> Iterator[str]:
    """As a terminal does it."""
    for at in range(0, max(len(line), 1), width):
        yield line[at : at + width]


def records(text: str) -> Counter[tuple[object, ...]]:
    reading = Reading(text)
    assert reading.adds_up
    kinds = [kind for kind in RECORD_TYPES if kind not in ABOUT_TEXT]
    return Counter(
        (kind.__name__, *((name, value) for name, value in asdict(record).items() if name not in PLACES))
        for kind in kinds
        for record in reading.of(kind)
    )


@pytest.mark.parametrize(("cut", "width"), [(at_blanks, 72), (at_blanks, 76), (at_blanks, 80), (at_column, 80)])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_wrapped_output_gives_the_same_records(sample: str, cut: object, width: int) -> None:
    whole = (FIXTURES / sample / "typical.txt").read_text()
    way = at_blanks if cut is at_blanks else at_column
    wrapped = "\n".join(
        part for line in whole.split("\n") for part in ([line] if PROMPT.match(line) else way(line, width))
    )
    assert records(wrapped) == records(whole)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_are_wide_enough_to_be_wrapped(sample: str) -> None:
    assert any(
        len(line) > 72 and not PROMPT.match(line)
        for line in (FIXTURES / sample / "typical.txt").read_text().split("\n")
    )
