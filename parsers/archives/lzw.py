"""Streams of compress(1), ``.Z``: codes of 9 to 16 bits, lowest bit first, in groups of eight.

The format has no end mark and no checksum: a cut can't be told from the end. After a change of width, and after a clear
code, the rest of the group is padding. Source: ncompress 4.2 (compress.c) and its description of the format.
"""

from __future__ import annotations

from typing import Final

HEADER: Final = 3
CLEAR: Final = 256
FIRST_BITS: Final = 9
MOST_BITS: Final = 16
_TAIL: Final = 64  # a run of one letter makes strings of 64 KiB: longer ones are kept as a piece behind another string
_NO_PARENT: Final = -1


class LzwError(ValueError):
    """The stream names a string that it never defined, or its header is none."""


class LzwDecompressor:
    """Speaks the interface of ``bz2.BZ2Decompressor``; ``eof`` stays False, for only the end of the file ends
    a stream.
    """

    eof = False
    unused_data = b""

    def __init__(self) -> None:
        self._input = b""
        self._at = 0
        self._begun = False
        self._most_bits = MOST_BITS
        self._blocks = True
        self._bits = FIRST_BITS
        self._codes: list[int] = []
        self._tails: list[bytes] = []
        self._parents: list[int] = []
        self._previous = _NO_PARENT
        self._finished = False
        self._broken = False

    @property
    def needs_input(self) -> bool:
        """Whether all whole groups of the input are used up."""
        return not self._codes and not self._broken and len(self._input) - self._at < self._bits

    def finish(self) -> None:
        """There is no more input: the last group may be shorter than eight codes."""
        self._finished = True

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """What comes out of the input so far, at most about ``max_length`` bytes (one string more)."""
        self._input, self._at = self._input[self._at :] + data, 0
        if self._broken:
            raise LzwError("a code that is not defined")
        if not self._begun and not self._begin():
            return b""
        parts: list[bytes] = []
        size, most = 0, max_length if max_length >= 0 else 1 << 62
        try:
            while size < most and (self._codes or self._next_group()):
                size += self._decode(parts, most - size)
        except LzwError:
            if not parts:
                raise
            self._broken = True
        return b"".join(parts)

    def _begin(self) -> bool:
        if len(self._input) < HEADER:
            return False
        flags = self._input[2]
        self._most_bits, self._blocks = flags & 0x1F, bool(flags & 0x80)
        if not FIRST_BITS <= self._most_bits <= MOST_BITS or not self._input.startswith(b"\x1f\x9d"):
            raise LzwError("no header of compress")
        self._at, self._begun = HEADER, True
        self._reset()
        return True

    def _reset(self) -> None:
        self._tails = [bytes([value]) for value in range(256)] + [b""] * self._blocks
        self._parents = [_NO_PARENT] * len(self._tails)
        self._bits, self._previous = FIRST_BITS, _NO_PARENT

    def _next_group(self) -> bool:
        """Take the next group of eight codes apart, the last one first."""
        group = self._input[self._at : self._at + self._bits]
        if len(group) < self._bits and not self._finished:
            return False
        self._at += len(group)
        bits, mask = int.from_bytes(group, "little"), (1 << self._bits) - 1
        whole = 8 * len(group) // self._bits
        self._codes = [(bits >> (self._bits * index)) & mask for index in range(whole - 1, -1, -1)]
        return whole > 0

    def _decode(self, parts: list[bytes], most: int) -> int:
        """Decode the codes of a group; a change of width, or a clear code, drops the rest of it."""
        tails, codes, size = self._tails, self._codes, 0
        clear = CLEAR if self._blocks else -1
        top = 1 << self._bits if self._bits < self._most_bits else 1 << 30
        while codes and size < most:
            code = codes.pop()
            if code == clear:
                self._reset()
                codes.clear()
                break
            string = self._string(code)
            parts.append(string)
            size += len(string)
            if len(tails) >= top:
                self._bits += 1
                codes.clear()
        return size

    def _string(self, code: int) -> bytes:
        """The string of a code; it also defines the next one: the string before, and the first letter of this."""
        previous, tails, parents = self._previous, self._tails, self._parents
        if (
            code < len(tails)
            and parents[code] < 0 <= previous
            and parents[previous] < 0
            and len(tails[previous]) < _TAIL
        ):
            string = tails[code]  # the common case: all strings short
            if not len(tails) >> self._most_bits:
                tails.append(tails[previous] + string[:1])
                parents.append(_NO_PARENT)
            self._previous = code
            return string
        if code > len(tails) or (code == len(tails) and previous < 0):
            raise LzwError("a code that is not defined")
        if code == len(tails):
            self._define(self._first(previous))
            string = self._whole(code)
        else:
            string = self._whole(code)
            if previous >= 0:
                self._define(string[:1])
        self._previous = code
        return string

    def _define(self, letter: bytes) -> None:
        if len(self._tails) >> self._most_bits:
            return
        tail = self._tails[self._previous]
        short = len(tail) < _TAIL
        self._tails.append(tail + letter if short else letter)
        self._parents.append(self._parents[self._previous] if short else self._previous)

    def _whole(self, code: int) -> bytes:
        parent = self._parents[code]
        if parent < 0:
            return self._tails[code]
        pieces = [self._tails[code]]
        while parent >= 0:
            pieces.append(self._tails[parent])
            parent = self._parents[parent]
        return b"".join(reversed(pieces))

    def _first(self, code: int) -> bytes:
        while self._parents[code] >= 0:
            code = self._parents[code]
        return self._tails[code][:1]
