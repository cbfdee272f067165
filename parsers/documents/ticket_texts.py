r"""Texts of a ticket that was exported as JSON: the lines that somebody wrote, in place of the objects around them.

    {"number": "INC17", "state": "New", "description": "On carp1:\n[root@carp1 ~]# gabconfig -a\nGAB Port ..."}

What people write stands below words such as "description" and "body". Objects that tell of nodes and commands beside it
stay as they are: they say more than their texts (``parsers.enclosed.objects``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

LOOKED_AT: Final = 256 << 10
MOST_HELD: Final = 8 << 20
"""Bytes of a text that is not closed."""
SHORTEST: Final = 12
"""Characters of one of a list of lines."""
_WRITTEN: Final = rb"description|body|comments?|text|notes?|work_notes|details|problem|question|answer|summary|html"
_TEXT: Final = re.compile(
    rb'"(?:[a-z]{1,12}_?)?(?:' + _WRITTEN + rb')"\s{0,40}:\s{0,40}"(?:[^"\\]|\\[^n]){0,40000}+\\n'
    rb'|"lines"\s{0,40}:\s{0,40}\[\s{0,80}"',
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    rb'"(?:_?host_?(?:name)?|nodes?|minions?|servers?|cmd|commands?|std(?:out|err)\w{0,8}|rc|_source|streams?|invocation)"'
    rb"\s{0,40}:",
    re.IGNORECASE,
)
_STRING: Final = re.compile(rb'"((?:[^"\\]|\\.)*+)"(\s{0,40}:)?', re.DOTALL)
_IS_WRITTEN: Final = re.compile(rb"(?:[a-z]{1,12}_?)?(?:lines|" + _WRITTEN + rb")", re.IGNORECASE)


def is_ticket(head: bytes) -> bool:
    """Whether a text that begins so is such an export."""
    head = head[:LOOKED_AT]
    if head.lstrip()[:1] not in (b"{", b"[") or not (b"\\n" in head or b'"lines"' in head):
        return False
    return _TEXT.search(head) is not None and _PLACED.search(head) is None


def written(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What people wrote, each text below an empty line."""
    held, key = b"", b""
    for chunk in chunks:
        data = held + chunk
        found, end = [], 0
        for match in _STRING.finditer(data):
            if match.end() == len(data):
                break  # it may be a key
            between, end = data[end : match.start()].strip(), match.end()
            if match[2] is not None:
                key = match[1].lower()
            elif between == b"," and key == b"lines":
                found.append(_plain_text(match[1]))
            elif b"\\n" in match[1] or (len(match[1]) > SHORTEST if between else _IS_WRITTEN.fullmatch(key)):
                found.append(b"\n" + _plain_text(match[1]))
        held = data[end:] if len(data) - end < MOST_HELD else b""
        yield b"".join(found)


def _plain_text(text: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + text + b'"', strict=False)).encode("utf-8", "replace") + b"\n"
    except ValueError:
        return text.replace(b"\\n", b"\n") + b"\n"
