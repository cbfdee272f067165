"""A text that is read in windows gives what one reading of the whole gives, or is known not to."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from parsers.formats.scale.waits import waiters as scale_waiters
from parsers.lookup import noticed
from parsers.output import MemorySink, Output
from parsers.reading import Hints, ReadResult
from parsers.records import Record, Section
from parsers.records.waits import Waiter, WaiterShape
from parsers.sections import reader as sections
from parsers.sections.reader import Reader, read
from parsers.sections.windows import first_cut, is_whole, joined, opening_of, state_above
from parsers.text import Block, blocks
from tests.parsers.dumps import glock_dumps, scale_dumps

HINTS = Hints(path="collected/waiters.txt")
NEAR_LINES = 300


def whole(data: bytes) -> tuple[ReadResult, MemorySink]:
    sink = MemorySink()
    out = Output(sink)
    result = read(blocks(io.BytesIO(data)), out, HINTS)
    out.close()
    return result, sink


def windowed(data: bytes, least_lines: int) -> tuple[bool, list[ReadResult], list[MemorySink]]:
    """Whether the standings agree, and what the windows gave."""
    lines = data.splitlines(keepends=True)
    ends = [1, *_cuts(lines, least_lines), len(lines) + 1]
    opening = opening_of(Block(data, 1))
    agree, mark, results, sinks = True, "", [], []
    for number, (first, end) in enumerate(pairwise(ends)):
        near = max(min(NEAR_LINES, first), first - NEAR_LINES)
        head = _stretch(lines, 1, min(NEAR_LINES, first))
        above = state_above(opening, head, _stretch(lines, near, first), near, HINTS) if number else None
        agree = agree and (above is None or above.mark == mark != "")
        sinks.append(MemorySink())
        out = Output(sinks[-1], numbers_from=1 + number * 1_000_000)
        reader = Reader(_stretch(lines, first, end), out, HINTS, above, opening)
        results.append(reader.read())
        out.close()
        mark = reader.carried().mark
    return agree, results, sinks


def _cuts(lines: list[bytes], least: int) -> Iterator[int]:
    at = least
    while at < len(lines):
        cut = first_cut(_stretch(lines, at, min(len(lines) + 1, at + 200)))
        if cut is not None:
            yield cut
        at = (cut or at) + least


def _stretch(lines: list[bytes], first: int, end: int) -> list[Block]:
    return [Block(b"".join(lines[first - 1 : end - 1]), first)] if end > first else []


def rows(sinks: list[MemorySink], kind: type[Record]) -> list[Any]:
    """Records with the number of a shape replaced by what it says; a section's own number left out."""
    found = []
    for sink in sinks:
        shapes = {shape.shape: (shape.thread, shape.reason, shape.object) for shape in sink.records(WaiterShape)}
        for record in sink.records(kind):
            fields = {
                name: getattr(record, name)
                for name in kind.columns()
                if not (kind is Section and name in ("index", "ignored"))
            }
            if kind is Waiter:
                fields["shape"] = shapes[record.shape]
            found.append(fields)
    return found


@pytest.mark.parametrize(
    "make",
    [
        lambda: scale_dumps(420, every=1),
        lambda: scale_dumps(420, every=0),
        lambda: scale_dumps(500, every=3, seed=7),
        lambda: scale_dumps(600, every=1, old=True),
        lambda: scale_dumps(900, every=0, old=True),
        lambda: scale_dumps(400, every=1, stale=True),
        lambda: glock_dumps(700),
    ],
    ids=[
        "a heading for each dump",
        "dates only",
        "a heading now and then",
        "old style",
        "old style, dates only",
        "starts that fit no date",
        "glocks",
    ],
)
@pytest.mark.parametrize("least_lines", [320, 1501])
@pytest.mark.part("windows", 1)
def test_windows_give_what_one_reading_gives(make: Callable[[], bytes], least_lines: int) -> None:
    data = make()
    result, sink = whole(data)
    agree, results, sinks = windowed(data, least_lines)
    assert len(results) > 2
    assert agree
    assert is_whole(result.formats, results)
    assert joined(results) == result
    for kind in sink.columns:
        if kind is not WaiterShape:
            assert rows(sinks, kind) == rows([sink], kind), kind.__name__


def test_a_node_that_was_named_far_above_is_noticed() -> None:
    agree, _, _ = windowed(scale_dumps(900, every=300), 700)
    assert not agree


def test_texts_whose_parsers_carry_something_over_are_not_cut() -> None:
    table = b"procs\n" + b"".join(
        b"Sun Nov  1 10:%02d:00 2026\n r  b   swpd\n 1  0   12\n" % minute for minute in range(60)
    )
    assert first_cut([Block(table, 1)]) is None
    assert not is_whole(["vxfsstat"], [])


def test_a_mail_is_read_in_one_go() -> None:
    mail = (
        b"From: Ann Other <ann@example.com>\nDate: Mon, 2 Nov 2026 10:00:00 +0000\nSubject: waiters\n\nHello "
        b"Bob,\n\nthe dumps:\n\n"
    )
    agree, _, _ = windowed(mail + scale_dumps(420, every=1), 700)
    assert not agree


def test_many_lines_that_nobody_understands_are_read_in_one_go() -> None:
    strange = b"".join(b"zq%d|wv|%d\n" % (n, n) for n in range(2_500))
    _, results, _ = windowed(scale_dumps(300, every=1) + strange + scale_dumps(300, every=1, seed=2), 700)
    assert not is_whole(["scale_waiters_new"], results)


@pytest.mark.parametrize("every", [0, 1, 4])
@pytest.mark.part("sections at once", 1)
def test_dumps_without_waiters_are_sections_also_where_many_lines_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    data = scale_dumps(900, every=every)
    at_once = whole(data)
    monkeypatch.setattr(scale_waiters, "BULK_AFTER_WAITERS", 10**9)
    one_by_one = whole(data)
    assert at_once[0] == one_by_one[0]
    assert rows([at_once[1]], Section) == rows([one_by_one[1]], Section)
    assert sum(not section["records"] for section in rows([at_once[1]], Section)) > 10


@pytest.mark.parametrize("other", ["====", "zq at 10:11:12 done"])
def test_unknown_text_between_lines_worth_a_look_is_looked_at_a_few_times_only(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block is not taken apart again for every second line; what is read does not depend on how far is looked."""
    data = "".join(f"zq{i} frobnicate unit {i} widget\n{other}\n" for i in range(2500)).encode()
    looked_at: list[int] = []

    def look(text: bytes, passed: set[bytes]) -> int:
        looked_at.append(len(text))
        return noticed(text, passed)

    monkeypatch.setattr(sections, "noticed", look)
    near, _ = whole(data)
    assert sum(looked_at) <= 1 << 25
    monkeypatch.setattr(sections, "FIRST_PASS", sections.PASS_BYTES)
    assert whole(data)[0] == near
