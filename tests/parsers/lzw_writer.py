"""Writes streams of compress(1) for the tests: the encoder of the format, with its groups of eight codes and its clear
codes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class _Codes:
    """Codes packed lowest bit first; a change of width fills up the group."""

    bits: int = 9
    out: bytearray = field(default_factory=lambda: bytearray())
    group: list[int] = field(default_factory=list)

    def put(self, code: int) -> None:
        self.group.append(code)
        if len(self.group) == 8:
            self.close_group(whole=True)

    def close_group(self, *, whole: bool) -> None:
        if not self.group:
            return
        packed = sum(code << (self.bits * index) for index, code in enumerate(self.group))
        size = self.bits if whole else (self.bits * len(self.group) + 7) // 8
        self.out += packed.to_bytes(size, "little")
        self.group = []


def compressed(data: bytes, *, most_bits: int = 16, blocks: bool = True, clear_every: int = 0) -> bytes:
    """``data`` as compress would write it. clear_every: a clear code after so many codes, as compress does when its
    table ages.
    """
    codes = _Codes()
    table = {bytes([value]): value for value in range(256)}
    free, written, string = 257 if blocks else 256, 0, b""
    for value in data:
        letter = bytes([value])
        if string + letter in table:
            string += letter
            continue
        codes.put(table[string])
        written += 1
        if free < 1 << most_bits:
            table[string + letter] = free
            free += 1
        if free > 1 << codes.bits and codes.bits < most_bits:
            codes.close_group(whole=True)
            codes.bits += 1
        if blocks and clear_every and written % clear_every == 0:
            codes.put(256)
            codes.close_group(whole=True)
            codes.bits, free = 9, 257
            table = {bytes([one]): one for one in range(256)}
        string = letter
    if string:
        codes.put(table[string])
    codes.close_group(whole=False)
    return bytes((0x1F, 0x9D, most_bits | (0x80 if blocks else 0))) + bytes(codes.out)
