r"""Numbers in front of all lines of a text, as ``cat -n`` prints them: six columns and a tab, or two blanks for it.

         1	UNIT            LOAD   ACTIVE SUB    DESCRIPTION
         2	srv-pots.mount  loaded failed failed /srv/pots

They go before anything is read, so that what nobody knows has none either. Fewer than three lines, or numbers that do
not count line by line, are data. Source: cat(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LEAST: Final = 3
_LOOKED: Final = 40
_COUNT: Final = rb"(?:(?=[ \d]{6}(?:\t|  |\r?$)) {0,5}(\d{1,6})(?:\t|  |(?=\r?$))|(\d{7,9})\t)"
_NUMBER: Final = re.compile(_COUNT)
_BEGINS: Final = re.compile(rb"(?m)(?<=\n)" + _COUNT)
_LONGEST: Final = 11
"""Bytes of a number with what stands behind it, and of the end of the line above."""


def is_numbered(head: bytes) -> bool:
    """Whether the lines with which a text begins are counted, each by the next number."""
    whole, end, _ = head.rpartition(b"\n")
    lines = (whole if end else head).split(b"\n", _LOOKED)[:_LOOKED]
    if len(lines) < _LEAST or lines[0][:1] not in b" 123456789":
        return False
    counted = [_NUMBER.match(line) for line in lines]
    numbers = [int(match[1] or match[2]) for match in counted if match is not None]
    return len(numbers) == len(lines) and all(number == numbers[0] + at for at, number in enumerate(numbers))


def without_numbers(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same lines without them."""
    held = b"\n"  # stands for the end of the line above; taken away from the first chunk again
    is_first = True
    for fresh in chunks:
        data = held + fresh
        begin = data.rfind(b"\n")
        kept = begin if len(data) - begin <= _LONGEST else len(data)
        text, held = _BEGINS.sub(b"", data[:kept]), data[kept:]
        yield text[1:] if is_first and text else text
        is_first = is_first and not text
    text = _BEGINS.sub(b"", held)
    yield text[1:] if is_first else text
