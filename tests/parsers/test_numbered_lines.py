"""Texts whose lines are counted, as ``cat -n`` prints them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.documents.numbered_lines import is_numbered, without_numbers

TEXT = b"NAME,TIER,MODE,STATUS\nv7,fast,rw,available\n\n  v8,slow,ro,unavailable\n12 apples\n"


def numbered(text: bytes, behind: bytes = b"\t", first: int = 1) -> bytes:
    lines = text.split(b"\n")[:-1]
    return b"".join(b"%6d%s%s\n" % (number, behind, line) for number, line in enumerate(lines, first))


@pytest.mark.parametrize(("behind", "first"), [(b"\t", 1), (b"  ", 1), (b"\t", 4711), (b"\t", 999_998)])
@pytest.mark.parametrize("size", [1, 3, 8, 13, 4096])
def test_the_numbers_go_wherever_the_text_is_cut(behind: bytes, first: int, size: int) -> None:
    data = numbered(TEXT, behind, first)
    assert is_numbered(data)
    assert b"".join(without_numbers(data[at : at + size] for at in range(0, len(data), size))) == TEXT


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        numbered(TEXT).replace(b"     3", b"     4"),  # no count of lines
        numbered(b"one\ntwo\n"),
        b"       1      plover1          active\n       2      plover2          down\n       3      plover3    down\n",
        b" 1 0 0\n 2 0 0\n 3 0 0\n",
        b"",
    ],
)
def test_figures_of_a_table_stay(data: bytes) -> None:
    assert not is_numbered(data)


@given(st.binary(max_size=200), st.integers(1, 20))
def test_any_bytes_keep_their_lines(data: bytes, size: int) -> None:
    is_numbered(data)
    found = b"".join(without_numbers(data[at : at + size] for at in range(0, len(data), size)))
    assert found.count(b"\n") == data.count(b"\n")


def test_windows_line_ends() -> None:
    data = numbered(TEXT).replace(b"\n", b"\r\n")
    assert is_numbered(data)
    assert b"".join(without_numbers(iter((data,)))) == TEXT.replace(b"\n", b"\r\n")
