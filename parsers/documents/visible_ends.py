"""A text as ``cat -A`` and ``cat -e`` show it: ``$`` at the end of each line, ``^I`` for a tab."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LOOKED_AT: Final = 64 << 10
LEAST: Final = 4
SHARE: Final = 0.95
LONGEST: Final = 1 << 20
"""Bytes of a line that wait for its end."""
_ENDS: Final = re.compile(rb"(?:\^M)?\$(?=\r?\n)")


def has_visible_ends(head: bytes) -> bool:
    """Whether nearly all lines of a text that begins so end with the sign."""
    if b"$\n" not in head[:4096] and b"$\r\n" not in head[:4096]:
        return False
    head = head[: head.rfind(b"\n", 0, LOOKED_AT) + 1]
    lines = head.count(b"\n")
    return lines >= LEAST and head.count(b"$\n") + head.count(b"$\r\n") >= SHARE * lines


def without_visible_ends(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The text itself."""
    held = b""
    for chunk in chunks:
        data = held + chunk
        end = data.rfind(b"\n") + 1
        end = len(data) if not end and len(data) > LONGEST else end
        held = data[end:]
        yield _ENDS.sub(b"", data[:end]).replace(b"^I", b"\t")
    yield held.removesuffix(b"$").replace(b"^I", b"\t")
