from __future__ import annotations

import io
import time
from itertools import pairwise

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.cases.storage import textblob
from apps.cases.storage.textblob import BadTextBlobError, TextBlob, TextBlobWriter
from tests.part import tries


def blob_of(*pieces: bytes) -> TextBlob:
    file = io.BytesIO()
    with TextBlobWriter(file) as writer:
        for piece in pieces:
            writer.write(piece)
    return TextBlob.open(file)


def lines_of(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n") if text else []


@given(
    st.lists(
        st.lists(st.sampled_from([b"", b"\n", b"a", b"bc\n", b"\n\n", b"x" * 9, "ß\n".encode()]), max_size=6).map(
            b"".join
        ),
        max_size=8,
    ),
    st.integers(1, 40),
    st.integers(0, 9),
)
@settings(max_examples=tries(300, 120), deadline=None)
def test_any_text_comes_back_line_by_line_whatever_the_frames_cut(pieces: list[bytes], first: int, count: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textblob, "FRAME_BYTES", 8)
        patch.setattr(textblob, "BLOCK_BYTES", 20)
        text = b"".join(pieces)
        blob = blob_of(*pieces)
        expected = list(enumerate(lines_of(text), 1))
        assert blob.lines_total == len(expected)
        assert blob.lines(first, count) == expected[first - 1 :][:count]
        blocks = list(blob.blocks())
        assert b"".join(block.data for block in blocks) == text
        for block, after in pairwise(blocks):
            assert block.data.endswith(b"\n")
            assert after.first_line == block.first_line + block.data.count(b"\n")
        assert blob.search(b"c", first).lines == [
            number for number, line in expected if b"c" in line and number >= first
        ]


def test_a_line_is_cut_to_what_the_caller_may_hold() -> None:
    blob = blob_of(b"short\n" + b"y" * 3_000_000 + b"\nlast")
    assert blob.lines(1, 5, line_bytes=10) == [(1, b"short"), (2, b"y" * 10), (3, b"last")]


def test_search_goes_on_where_it_stopped() -> None:
    blob = blob_of(b"".join(b"line %d Waiter\n" % n for n in range(1, 11)))
    first = blob.search(b"waiter", limit=4, ignore_case=True)
    assert (first.lines, first.next_line) == ([1, 2, 3, 4], 5)
    rest = blob.search(b"waiter", 5, limit=100, ignore_case=True)
    assert (rest.lines, rest.next_line) == ([5, 6, 7, 8, 9, 10], None)
    assert blob.search(b"waiter").lines == []
    assert blob.search(b"").lines == []
    assert blob.search(b"Waiter\nline").lines == []


def test_search_stops_after_so_many_bytes_and_says_where() -> None:
    blob = blob_of(b"x" * 99 + b"\n", (b"y" * 99 + b"\n") * 100_000, b"needle\n")
    found = blob.search(b"needle", max_bytes=1 << 20)
    assert found.lines == []
    assert found.next_line is not None
    assert blob.search(b"needle", found.next_line).lines == [100_002]


def test_any_zstd_tool_reads_a_blob() -> None:
    file = io.BytesIO()
    text = b"".join(b"%d\n" % n for n in range(400_000))
    with TextBlobWriter(file) as writer:
        writer.write(text)
    file.seek(0)
    with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as reader:
        assert reader.read() == text


def test_what_is_no_blob_is_refused() -> None:
    whole = io.BytesIO()
    with TextBlobWriter(whole) as writer:
        writer.write(b"one\ntwo\n")
    for broken in (
        b"",
        b"text that is no blob at all, but long enough to hold a trailer\n",
        whole.getvalue()[:-1],
        whole.getvalue()[20:],
    ):
        with pytest.raises(BadTextBlobError):
            TextBlob.open(io.BytesIO(broken)).lines(1, 2)


def test_three_million_lines_open_at_any_of_them_at_once() -> None:
    total = 3_000_000
    file = io.BytesIO()
    with TextBlobWriter(file) as writer:
        for start in range(0, total, 100_000):
            writer.write(
                b"".join(
                    b"%d some thread waits for something on a disk\n" % n for n in range(start + 1, start + 100_001)
                )
            )
    assert writer.lines_total == total
    for first in (1, 1_500_000, total - 1):
        begin = time.process_time()
        found = TextBlob.open(file).lines(first, 400)
        assert time.process_time() - begin < 1.0  # ten times what a slow machine takes
        assert found[0] == (first, b"%d some thread waits for something on a disk" % first)
        assert len(found) == min(400, total - first + 1)
