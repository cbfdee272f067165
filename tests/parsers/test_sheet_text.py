"""An output that was pasted into a spreadsheet and saved as cells is read as it was; tables that were exported stay."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Literal

import pytest

from parsers.documents.sheet_text import sheet_words
from parsers.records.states import ClusterMember, ServiceState
from tests.parsers.golden import Reading

SESSION = """[root@carp1 ~]# hastatus -sum
-- SYSTEM STATE
-- System               State                Frozen
A  carp1                RUNNING              0
A  carp2                FAULTED              0
-- GROUP STATE
-- Group           System               Probed     AutoDisabled    State
B  reedsg          carp1                Y          N               OFFLINE|FAULTED
"""


def _saved(rows: list[list[str]], mark: str, *, quoted: bool = False) -> str:
    out = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=mark, quoting=quoting, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def _sheets() -> Iterator[tuple[str, str]]:
    columns = [re.split(r" {2,}", line) for line in SESSION.splitlines()]
    words = [line.split() for line in SESSION.splitlines()]
    for mark in ";,":
        for name, rows in (("columns", columns), ("words", words)):
            wide = max(map(len, rows))
            yield f"{name}, to the full width, {mark}", _saved([row + [""] * (wide - len(row)) for row in rows], mark)
            yield f"{name}, quoted, {mark}", _saved(rows, mark, quoted=True)
        yield f"words, {mark}", _saved(words, mark)


@pytest.mark.parametrize(("name", "sheet"), tuple(_sheets()))
def test_a_sheet_is_read_as_what_was_pasted(name: str, sheet: str) -> None:
    plain, reading = Reading(SESSION), Reading(sheet)
    assert reading.result.not_understood == 0, name
    assert reading.of(ClusterMember) == plain.of(ClusterMember)
    assert reading.of(ServiceState) == plain.of(ServiceState)
    assert len(plain.of(ClusterMember)) == 2


@pytest.mark.parametrize(
    "text",
    [
        'time,host,message\n2031-03-09 10:31:44,carp1,"dlm: reed: left"\n2031-03-09 10:31:46,carp1,\n',
        '"time","host","message"\n"2031-03-09 10:31:44","carp1","dlm: left"\n"2031-03-09 10:31:45","carp1",""\n' * 2,
        "a;b;c\n1;2;3\n4;5;6\n7;8;9\n",
        '{"a":1,"b":2}\n{"a":1,"b":2,"c":3}\n{"a":1}\n{}\n',
        "load\u00a0average:\u00a00.1,\u00a00.2\na,b,c\none\u00a0line\u00a0more\nx,y\n",
        "rw,relatime,data=ordered\nnext line of it, with words\nand, so, on, it, goes\n",
        "# hostname;interval;timestamp;CPU;%user\ncarp1;600;1931078465;-1;0.2\ncarp1;600;1931078465;-1;0.4\n",
    ],
)
def test_other_texts_with_such_marks_stay(text: str) -> None:
    assert sheet_words(text.encode()) is None


def test_bytes_that_no_sheet_holds_end_no_reading() -> None:
    words = sheet_words(b'"a";"b"\n"c"\n"d";"e""f"\n')
    assert words is not None
    odd = b'"a";"b\r\x00"\n"c"\n"d";"e""f"\n'
    assert b"".join(words(iter([odd, b'"x";y;"z\n']))) == b'a b\r\x00\nc\nd e"f\nx y "z\n'


def test_a_long_sheet_is_taken_apart_in_linear_time_and_line_by_line() -> None:
    row = b'"[root@carp1 ~]# uptime"\n"";"10:31:44 up 12 days";"load"\n'
    words = sheet_words(row * 40)
    assert words is not None
    text = b"".join(words(iter([row * 1000, row * 1000])))
    assert text.count(b"\n") == 4000
    assert b'"' not in text
