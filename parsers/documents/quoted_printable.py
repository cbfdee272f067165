"""Text of a mail as it was sent: ``=20`` for a blank, ``=C3=A9`` for a letter, ``=`` at the end of a line that goes on.

A text is taken for one where nearly all of its signs ``=`` are of that kind: in it each other one stands as ``=3D``.
"""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Iterator
from typing import Final

LOOKED_AT: Final = 256 << 10
SHARE: Final = 0.9
_SIGNS: Final = re.compile(rb"=(?:3D|20|09|0D|[89A-F][0-9A-F]|\r?\n|\r?$)")
_SURE: Final = re.compile(rb"=3D|[^\n]{60}=\r?\n")
"""What no text has that is not encoded: a sign that is one itself, or a long line that goes on."""


def is_quoted_printable(head: bytes) -> bool:
    """Whether a text that begins so is in this encoding."""
    head = head[:LOOKED_AT]
    head = head[: head.rfind(b"\n") + 1] or head
    equals = head.count(b"=")
    return (
        bool(equals)
        and head.isascii()
        and len(_SIGNS.findall(head)) >= SHARE * equals
        and _SURE.search(head) is not None
    )


def decoded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The text itself in chunks, which end where a line or a sign does."""
    carry = b""
    for chunk in chunks:
        data = carry + chunk
        end = data.rfind(b"\n") + 1 or max(data.rfind(b"=", max(len(data) - 2, 0)), 0) or len(data)
        carry = data[end:]
        yield a2b_qp(data[:end])
    yield a2b_qp(carry)
