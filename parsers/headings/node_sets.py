"""Names of several nodes at once, as tools write them that put equal outputs together (``dshbak -c``, ``clush -b``).

node[01-10,17-32]        c12n[01-06,08]        carp1,carp2
"""

from __future__ import annotations

import re
from typing import Final

LONGEST_SET: Final = 60
"""Longer ones are no name that a reader takes in, and count as nodes that are not named."""
_ONE: Final = r"[A-Za-z][\w.-]{0,100}(?:\[[\d,-]{1,200}\][\w.-]{0,100})?"
SET: Final = rf"{_ONE}(?:,{_ONE}){{0,40}}"
_SEVERAL = re.compile(rf"(?:{_ONE}(?:,{_ONE}){{1,40}}|[A-Za-z][\w.-]{{0,100}}\[[\d,-]{{1,200}}\][\w.-]{{0,100}})$")
_PART = re.compile(r"[A-Za-z][\w.-]{0,100}(?:\[(?P<numbers>[\d,-]{1,200})\][\w.-]{0,100})?")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def is_several(name: str) -> bool:
    """Whether a name is one of several nodes."""
    return _SEVERAL.match(name) is not None


def nodes_meant(name: str) -> int:
    """How many nodes a name stands for: 16 for ``node[01-16]``, 1 for a plain one."""
    if not is_several(name):
        return 1
    return sum(_in_brackets(part["numbers"]) if part["numbers"] else 1 for part in _PART.finditer(name))


def _in_brackets(numbers: str) -> int:
    """How many numbers a list of ranges holds; one that runs backward counts once."""
    spans = ((int(first), int(last or first)) for first, last in _RANGE.findall(numbers))
    return sum(max(last - first, 0) + 1 for first, last in spans)
