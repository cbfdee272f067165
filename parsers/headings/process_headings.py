"""Headings of loops over processes, right above the stack of each: number and name of the process.

    == 7312 imapd ==        --- imapd (7312) ---        PID 7312 (imapd):        imapd[7312]:        ### pid=7312 ###
    [<0>] gfs2_glock_wait+0x36/0x80 [gfs2]

None of them is the name of a node. A number alone, or with one name, between words that say what it is, counts only
where the line below is a frame of a stack without a head of its own.
"""

from __future__ import annotations

import re
from typing import Final

_FRAME = re.compile(r"\s{0,8}\[<[0-9a-f]{1,16}>\] \S")
OPENS_FRAME: Final = b"[<"
"""Stands in every frame, by which most lines are known to be none."""
_WORDS = re.compile(r"[^\s=#*~<>()\[\]{},;'\"|]{1,64}")
_COMMON_WORDS: Final = frozenset(
    """
    called cmd comm command for kernel name of pid proc process stack state task the thread tid
    """.split()
)
_LONGEST: Final = 100
_MOST_WORDS: Final = 10
_LEAST: Final = 2
"""Number of a process: 1 is the system's own."""


def may_name_process(text: str) -> bool:
    """Whether a line is short enough for such a heading and holds a figure: asked of each line, before the next one is
    looked at.
    """
    return len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS and any(map(str.isdigit, text))


def process_above_stack(text: str, below: str) -> str | None:
    """The command that prints what stands below a heading of a process, its name as a remark; None where it is none."""
    if _FRAME.match(below) is None or not may_name_process(text) or _FRAME.match(text) is not None:
        return None
    numbers, names = list[int](), list[str]()
    for word in _WORDS.findall(text):
        plain = word.strip("-+_.:")
        if plain.isascii() and plain.isdigit():
            numbers.append(int(plain[:18]))
        elif plain and plain.lower() not in _COMMON_WORDS and not (len(plain) == 1 and plain in "DRSTZ"):
            names.append(plain)
    if (
        len(numbers) != 1
        or numbers[0] < _LEAST
        or len(names) > 1
        or not all(any(map(str.isalpha, name)) for name in names)
    ):
        return None
    return f"cat /proc/{numbers[0]}/stack{''.join(f' # {name}' for name in names)}"
