"""The text of a file, compressed so that any line of it can be reached at once.

A blob is a row of independent zstd frames of about 1 MiB of text each, cut behind a line end wherever there is one, and
an index behind them inside a skippable frame, so that any zstd tool still reads the whole:

    frame | frame | ... | skippable frame: (offset in blob, offset in text, line ends before) per frame, then the
    trailer

Lines are what ends with ``\\n``; text comes from ``parsers.text.blocks``, which settles encodings and over-long lines.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Final, Self

import numpy as np
import zstandard

from parsers.beside import Beside
from parsers.dataclass import dataclass
from parsers.text import BLOCK_BYTES, LINE_BYTES, Block

FRAME_BYTES: Final = 1 << 20
LEVEL: Final = 1  # 400 MB/s; level 3 gains a tenth of the size for a third of the speed
SKIPPABLE: Final = 0x184D2A5E
NEWLINE: Final = 10
MAGIC: Final = b"LSTEXT01"
HEAD: Final = struct.Struct("<II")
ENTRY: Final = struct.Struct("<QQQ")
TRAILER: Final = struct.Struct("<QQQ8s")  # frames, bytes of text, line ends, magic


class BadTextBlobError(ValueError):
    """Cut off, or never was a text blob."""


class TextBlobWriter:
    """Takes text in pieces of any size; `close` writes the index. The file is the caller's to close."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)
        self._index: list[tuple[int, int, int]] = []
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._blob_bytes = 0
        self.text_bytes = 0
        self.line_ends = 0
        self._ends_with_newline = True
        self._beside = Beside()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            with suppress(Exception):  # the first error is the one to be told
                self._beside.wait()

    @property
    def lines_total(self) -> int:
        """Of what has been written, once closed."""
        return self.line_ends + (not self._ends_with_newline)

    def write(self, data: bytes) -> None:
        if not data:
            return
        self._pending.append(data)
        self._pending_bytes += len(data)
        if self._pending_bytes >= FRAME_BYTES:
            self._flush(is_last=False)

    def close(self) -> None:
        self._flush(is_last=True)
        self._beside.wait()
        payload = b"".join(ENTRY.pack(*entry) for entry in self._index)
        payload += TRAILER.pack(len(self._index), self.text_bytes, self.line_ends, MAGIC)
        self._file.write(HEAD.pack(SKIPPABLE, len(payload)) + payload)

    def _flush(self, *, is_last: bool) -> None:
        data = b"".join(self._pending)
        start = 0
        while len(data) - start >= FRAME_BYTES or (is_last and start < len(data)):
            limit = min(start + FRAME_BYTES, len(data))
            at_end = is_last and limit == len(data)
            end = limit if at_end else data.rfind(b"\n", start, limit) + 1 or limit
            self._beside.call(self._add_frame, data[start:end])
            start = end
        self._pending = [data[start:]] if start < len(data) else []
        self._pending_bytes = len(data) - start

    def _add_frame(self, text: bytes) -> None:
        self._index.append((self._blob_bytes, self.text_bytes, self.line_ends))
        packed = self._compressor.compress(text)
        self._file.write(packed)
        self._blob_bytes += len(packed)
        self.text_bytes += len(text)
        self.line_ends += int(
            np.count_nonzero(np.frombuffer(text, np.uint8) == NEWLINE)
        )  # without the interpreter's lock
        self._ends_with_newline = text.endswith(b"\n")


@dataclass(frozen=True, slots=True)
class Found:
    """Numbers of the lines that hold what was searched for, and where to go on: None when the end was reached."""

    lines: list[int]
    next_line: int | None


@dataclass(frozen=True, slots=True)
class _Frame:
    offset: int
    packed_bytes: int
    text_bytes: int


class TextBlob:
    """Reads from a file that can seek; opening costs one read of the index."""

    def __init__(
        self, file: IO[bytes], frames: list[_Frame], ends_before: list[int], text_bytes: int, line_ends: int
    ) -> None:
        self._file = file
        self._frames = frames
        self._ends_before = ends_before
        self._decompressor = zstandard.ZstdDecompressor()
        self.text_bytes = text_bytes
        self.lines_total = line_ends + (not self._ends_with_newline())

    @classmethod
    def open(cls, file: IO[bytes]) -> TextBlob:
        size = file.seek(0, 2)
        if size < HEAD.size + TRAILER.size:
            raise BadTextBlobError("too short")
        file.seek(size - TRAILER.size)
        count, text_bytes, line_ends, magic = TRAILER.unpack(file.read(TRAILER.size))
        index_at = size - TRAILER.size - count * ENTRY.size
        if magic != MAGIC or index_at < HEAD.size:
            raise BadTextBlobError("no index at its end")
        file.seek(index_at)
        entries = list(ENTRY.iter_unpack(file.read(count * ENTRY.size)))
        ends = [*entries[1:], (index_at - HEAD.size, text_bytes, line_ends)]
        frames = [
            _Frame(here[0], after[0] - here[0], after[1] - here[1]) for here, after in zip(entries, ends, strict=False)
        ]
        if any(frame.packed_bytes <= 0 or not 0 < frame.text_bytes <= FRAME_BYTES for frame in frames):
            raise BadTextBlobError("its index is out of order")
        return cls(file, frames, [entry[2] for entry in entries], text_bytes, line_ends)

    def lines(self, first: int, count: int, *, line_bytes: int = LINE_BYTES) -> list[tuple[int, bytes]]:
        """At most `count` lines from `first` on, without their line ends, each cut to `line_bytes`."""
        found: list[tuple[int, bytes]] = []
        carry = b""
        for text in self._from_line(first):
            *whole, rest = text.split(b"\n", max(0, count - len(found)))
            for line in whole:
                found.append((first + len(found), (carry + line)[:line_bytes]))
                carry = b""
            if len(found) >= count:
                return found
            carry = (carry + rest)[:line_bytes]
        if carry or (found and found[-1][0] < self.lines_total):
            found.append((first + len(found), carry))
        return found[:count]

    def blocks(self, first: int = 1) -> Iterator[Block]:
        """The text from a line on as the parsers take it: whole lines, about 4 MiB at a time."""
        held: list[bytes] = []
        held_bytes, line = 0, first
        for text in self._from_line(first):
            held.append(text)
            held_bytes += len(text)
            if held_bytes < BLOCK_BYTES or b"\n" not in text:
                continue
            data = b"".join(held)
            end = data.rfind(b"\n") + 1
            yield Block(data[:end], line)
            line += data.count(b"\n", 0, end)
            held = [data[end:]] if end < len(data) else []
            held_bytes = len(data) - end
        if held_bytes:
            yield Block(b"".join(held), line)

    def search(
        self,
        needle: bytes,
        from_line: int = 1,
        limit: int = 100,
        *,
        ignore_case: bool = False,
        max_bytes: int | None = None,
    ) -> Found:
        """Lines that hold the needle. Stops at the limit of hits, or when `max_bytes` of text have been
        looked through.
        """
        hits: list[int] = []
        seen = 0
        wanted = needle.lower() if ignore_case else needle
        if not wanted or b"\n" in wanted:
            return Found([], None)
        for block in self.blocks(from_line):
            data = block.data.lower() if ignore_case else block.data
            for number, _ in lines_with(wanted, data, block.first_line):
                if len(hits) == limit:
                    return Found(hits, number)
                hits.append(number)
            seen += len(data)
            after = block.first_line + data.count(b"\n")
            if max_bytes is not None and seen >= max_bytes and after <= self.lines_total:
                return Found(hits, after)
        return Found(hits, None)

    def line_at(self, offset: int) -> int:
        """A line that begins at most a frame (1 MiB) above that byte of the text."""
        for number, frame in enumerate(self._frames):
            if offset < frame.text_bytes:
                return self._ends_before[number] + 1
            offset -= frame.text_bytes
        return self.lines_total + 1

    def line_above(self, line: int) -> int:
        """A line that is one to two frames (1 to 2 MiB) above that one, or the first."""
        at = max(0, bisect_right(self._ends_before, line - 2) - 2)
        return self._ends_before[at] + 1 if at else 1

    def _from_line(self, first: int) -> Iterator[bytes]:
        """The text frame by frame from the beginning of a line; nothing where the text has no such line."""
        if first < 1 or first > self.lines_total:
            return
        # The line begins behind line end number first - 1: in the last frame with fewer line ends before it.
        at = max(0, bisect_right(self._ends_before, first - 2) - 1)
        text = self._text(at)
        start = _after_line_ends(text, first - 1 - self._ends_before[at])
        if start < len(text):
            yield text[start:] if start else text
        for number in range(at + 1, len(self._frames)):
            yield self._text(number)

    def _text(self, number: int) -> bytes:
        frame = self._frames[number]
        self._file.seek(frame.offset)
        packed = self._file.read(frame.packed_bytes)
        try:
            text = self._decompressor.decompress(packed, max_output_size=frame.text_bytes)
        except zstandard.ZstdError as error:
            raise BadTextBlobError("a frame cannot be read") from error
        if len(text) != frame.text_bytes:
            raise BadTextBlobError("a frame has another length than its index says")
        return text

    def _ends_with_newline(self) -> bool:
        return not self._frames or self._text(len(self._frames) - 1).endswith(b"\n")


def _after_line_ends(text: bytes, count: int) -> int:
    """Offset behind so many line ends."""
    if count <= 0:
        return 0
    *_, rest = text.split(b"\n", count)
    return len(text) - len(rest)


def lines_with(needle: bytes, data: bytes, first_line: int) -> Iterator[tuple[int, int]]:
    """Numbers of the lines that hold the needle, each once, and where its first one stands in the data."""
    line, counted = first_line, 0
    at = data.find(needle)
    while at >= 0:
        line += data.count(b"\n", counted, at)
        counted = at
        yield line, at
        end = data.find(b"\n", at)
        at = data.find(needle, end) if end >= 0 else -1
