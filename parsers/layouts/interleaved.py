"""Outputs of several nodes that a tool printed as they came in, each line behind the name of its node: apart again.

    carp1: === mmdiag: waiters ===
    carp2: === mmdiag: waiters ===
    carp1: Waiting 12.4 sec since 14:20:03, ...
    carp2: Waiting 3.1 sec since 14:20:03, ...

Lines stay in the order of the text where each node's part stands on its own, as a loop over nodes prints them: a part
that begins as the first one of its node did. Where one goes on in the middle of something, the lines of each node are
put together; their numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from parsers.headings.transcript import match_mark
from parsers.lookup import claimed
from parsers.text import Line

_FIGURES = re.compile(r"[0-9]+")
MOST_LINES: Final = 20_000
MOST_CHARACTERS: Final = 2 << 20


def apart(lines: Sequence[Line]) -> Sequence[Line]:
    """Lines that all have a host in front, in the order in which they are to be read."""
    firsts: dict[str, str] = {}
    is_mixed = False
    for host, kind in _parts(lines):
        first = firsts.setdefault(host, kind)
        is_mixed = is_mixed or kind != first
    if not is_mixed:
        return lines
    order = {host: place for place, host in enumerate(dict.fromkeys(line.host for line in lines))}
    return sorted(lines, key=lambda line: order[line.host])


def _parts(lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """Host of each run of lines, and what sort of line it begins with."""
    for host, run in groupby(lines, attrgetter("host")):
        first = next((line.text for line in run if line.text.strip()), None)
        if first is not None:
            yield host, _kind(first)


def _kind(text: str) -> str:
    """Equal for lines with which outputs of one command begin. Any waiter and any glock may be such a one, no
    holder.
    """
    owner = claimed(text)
    if owner is not None and owner.cuts:
        return f"{owner.name} {text.lstrip()[0]}"
    return "mark" if owner is None and match_mark(text) is not None else _FIGURES.sub("#", text.strip()[:200])
