"""Lines of a shape that was looked at before are given as they stand: what is read of a text stays the same."""

from __future__ import annotations

import io
from typing import Any

import pytest

from parsers import plain_shapes
from parsers.flattened import MOST_VAIN, Flattened, Look
from parsers.output import MemorySink, Output
from parsers.plain_shapes import PlainShapes
from parsers.sections import read
from parsers.text import Line, blocks
from tests.parsers.golden import FIXTURES
from tests.part import part

IN_A_RUN = 100
SAMPLES = sorted(path.name for path in FIXTURES.iterdir() if (path / "typical.txt").exists())
TURNED = str.maketrans("123456789", "912345678")


def read_of(text: str) -> tuple[Any, Any]:
    sink = MemorySink()
    out = Output(sink)
    result = read(blocks(io.BytesIO(text.encode("utf-8", "surrogateescape"))), out)
    out.close()
    return result, sink.columns


@pytest.mark.parametrize("sample", part(SAMPLES, IN_A_RUN, "plain shapes"))
def test_a_text_reads_the_same_without_what_is_known_of_shapes(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = (FIXTURES / sample / "typical.txt").read_text("utf-8", "surrogateescape")
    text = f"{once}\n{once.translate(TURNED)}\n{once}"
    known = read_of(text)
    monkeypatch.setattr(PlainShapes, "has", lambda self, key: False)
    assert known == read_of(text)


def test_a_text_reads_the_same_whichever_were_read_before(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(plain_shapes, "_of_all", kept)
    texts = [(FIXTURES / sample / "typical.txt").read_text("utf-8", "surrogateescape")[:4_000] for sample in SAMPLES]
    alone = []
    for text in texts:
        kept.clear()
        alone.append(read_of(text))
    for text, known in reversed([*zip(texts, alone, strict=True)]):
        assert read_of(text) == known
    assert sum(map(len, kept.values())) > 200


def test_lines_that_were_looked_at_often_in_one_text_are_looked_at_in_the_next() -> None:
    text, rows = Flattened(), Look("iostat")
    past = rows._replace(is_past=True)
    assert not text.takes_over(past)
    assert all(text.takes_over(rows) for _ in range(MOST_VAIN))
    assert text.takes_over(past)
    assert text.takes_over(Look())


def test_an_address_is_like_another_one_of_its_length() -> None:
    keys = {
        PlainShapes().key_of(raw, 0, len(raw), "")
        for raw in (b"on ThCond 0x7FD80001E000 (a)", b"on ThCond 0x99ABCDEF0123 (a)")
    }
    assert len(keys) == 1
    assert PlainShapes().key_of(b"on ThCond 0x7FD8 (a)", 0, 20, "") not in keys


def test_a_shape_is_known_once_it_was_looked_at_and_until_the_state_changes() -> None:
    shapes, data = PlainShapes(), b"disk 12 of 40 is up\ndisk 31 of 77 is up\n12 of 40\n{"
    first = shapes.key_of(data, 0, 19, "a")
    assert not shapes.has(first)
    shapes.add(first, Line(1, data[:19].decode(), data[:19].decode()), data[:19])
    assert shapes.has(shapes.key_of(data, 20, 39, "a"))
    assert not shapes.has(shapes.key_of(data, 20, 39, "b"))
    assert not shapes.has(shapes.key_of(data, 20, 39, "a"))
    assert shapes.key_of(data, 49, 50, "a") == b""


def test_a_line_of_which_something_was_taken_is_not_known() -> None:
    shapes, raw = PlainShapes(), b"kite1: disk 12 is up"
    key = shapes.key_of(raw, 0, len(raw), "")
    shapes.add(key, Line(1, raw.decode(), "disk 12 is up"), raw)
    shapes.add(key, Line(1, raw.decode(), raw.decode(), note="look here"), raw)
    assert not shapes.has(key)


def test_where_no_line_is_like_another_shapes_are_no_longer_made() -> None:
    shapes = PlainShapes()
    lines = [f"{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)} x".encode() for at in range(5_000)]
    keys = [key for raw in lines if (key := shapes.key_of(raw, 0, len(raw), "")) and not shapes.has(key)]
    assert plain_shapes.MOST_IN_VAIN < len(keys) < len(lines)
