"""``.Z``, as compress(1) writes it: what was packed comes out, damage and limits are told."""

from __future__ import annotations

import io
import random
import tarfile

import pytest

from parsers.archives.bundle import BundleLimits, walk
from parsers.archives.compression import Expanded
from parsers.archives.source import Source
from tests.parsers import lzw_writer

TEXT = b"".join(
    b"0x%X waiting %d.%09d seconds, NSDThread: for I/O completion on disk dm-%d\n" % (n, n % 97, n, n % 7)
    for n in range(4_000)
)


@pytest.mark.parametrize(
    "how",
    [{}, {"most_bits": 12}, {"most_bits": 9}, {"blocks": False}, {"clear_every": 3_000}],
    ids=["plain", "12", "9", "no blocks", "cleared"],
)
@pytest.mark.parametrize(
    "data", [TEXT, b"", b"x", b"\0" * 400_000, bytes(range(256)) * 90], ids=["text", "empty", "one", "zeros", "all"]
)
def test_what_was_compressed_comes_out(data: bytes, how: dict[str, int]) -> None:
    packed = lzw_writer.compressed(data, **how)  # type: ignore[arg-type]
    source = Source(io.BytesIO(packed))
    expanded = Expanded(source, ".Z", lambda size: None)
    pieces = []
    while piece := expanded.read(7_000):
        assert len(piece) <= 7_000 + 65_536
        pieces.append(piece)
    assert b"".join(pieces) == data
    assert expanded.fault is None


def test_a_file_in_it_is_read() -> None:
    rows = list(walk(io.BytesIO(lzw_writer.compressed(TEXT))))
    assert [(row.path, row.kind) for row in rows] == [("", "file")]


def test_an_archive_in_it_is_walked() -> None:
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as archive:
        info = tarfile.TarInfo("carp1/waiters")
        info.size = len(TEXT)
        archive.addfile(info, io.BytesIO(TEXT))
    rows = [(row.path, row.kind) for row in walk(io.BytesIO(lzw_writer.compressed(inner.getvalue())))]
    assert rows == [("", "archive"), ("carp1/waiters", "file")]


def test_what_stands_before_damage_is_kept_and_the_damage_reported() -> None:
    packed = bytearray(lzw_writer.compressed(TEXT))
    packed[40_000:40_400] = b"\xff" * 400
    texts, problems = [], []
    for row in walk(io.BytesIO(bytes(packed))):
        texts += [row.stream.read()] if row.stream else []
        problems += [row.problem] if row.problem else []
    assert texts[0][:30_000] == TEXT[:30_000]
    assert [problem[:34] for problem in problems] == ["The compressed data is damaged afte"[:34]]


def test_a_header_with_an_unknown_width_is_damage() -> None:
    assert any("damaged" in row.problem for row in walk(io.BytesIO(b"\x1f\x9d\xff" + b"x" * 100)))


def test_t05_a_bomb_ends_at_the_limit() -> None:
    packed = lzw_writer.compressed(b"\0" * 3_000_000)
    limits = BundleLimits(expanded_bytes=1_000_000)
    rows = [
        row.problem
        for row in walk(io.BytesIO(packed), limits=limits)
        if not (row.stream and len(row.stream.read()) > 1_100_000)
    ]
    assert any("limit" in problem for problem in rows)


def test_any_bytes_end_in_text_or_in_damage() -> None:
    rng = random.Random(5)
    for _ in range(300):
        source = Source(io.BytesIO(b"\x1f\x9d" + bytes([rng.randrange(256)]) + rng.randbytes(rng.randrange(400))))
        expanded = Expanded(source, ".Z", lambda size: None)
        while expanded.read(1_000):
            pass
        assert expanded.fault is None or expanded.fault.kind == "damaged"
