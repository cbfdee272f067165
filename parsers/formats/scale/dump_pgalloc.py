"""Room in the page pool of a daemon of Spectrum Scale: ``mmfsadm dump pgalloc``.

    Page pool: size 1073741824 bytes, max physical memory percent 75
      pages total 65536 free 0 in use 65530 pinned 61440
      threads waiting for page: 214

Yields ``HealthState`` of the page pool: threads that wait for a page now, or requests that failed while nothing is
free. A pool without a free page is none by itself: it is a cache. No times. Source: recalled; the words differ between
releases, so figures are known by the words beside them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import HealthState
from parsers.registry import parser

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection

_BEGINS: Final = (
    r"(?:Page pool(?: \d{1,3})?: (?:size|\d)|Page pool allocation:|Page allocator: \d|[Pp]agepool size \d|bufDescs \d"
    r"|pages total \d|nBufDescs \d)"
)
_LINE: Final = (
    r"(?:[Pp]age ?(?:pool|s|s? total|allocator)|bufDescs|nBufDescs|dirty|pinned|alloc(?:ation)?|threads waiting"
    r"|waiting for|waiters|steal(?:able)?|failed|free|buffers?|pool \d{1,4}|total pages)\b.{0,300}$"
)
_WAITING = re.compile(
    r"\b(?:threads waiting(?: for [a-z ]{1,30})?|waiting for [a-z ]{1,40}|waiters|buffer wait count)\s{0,4}[:=]?\s{1,8}"
    r"(\d{1,12})\b"
)
_FAILED = re.compile(r"(?<!steal )\bfail(?:ed|ures)(?: allocations| allocs)?\s{0,4}[:=]?\s{1,8}(\d{1,12})\b")
_FREE = re.compile(r"\bfree\s{0,4}[:=]?\s{1,8}(\d{1,18})\b|\b(\d{1,18}) (?:bytes|pages|buffers) free\b")
_LONGEST = re.compile(r"\blongest wait\s{0,4}[:=]?\s{1,8}(\d{1,9}(?:\.\d{1,9})?)\b")


@parser(
    "scale_pgalloc",
    version=1,
    product="spectrum-scale",
    claims=_BEGINS,
    owns=rf"(?:{_BEGINS}|{_LINE})",
    commands=("mmfsadm",),
    places=r"\bdump pgalloc\b",
)
def scale_pgalloc(section: OpenSection, out: Output) -> None:
    """``mmfsadm dump pgalloc``: whether threads wait for a page."""
    waiting, failed, free, longest, shown_at = 0, 0, None, 0.0, 0
    for line in section:
        text = line.text.strip()
        out.everyday()
        now = max((int(match[1]) for match in _WAITING.finditer(text)), default=0)
        if now > waiting:
            waiting, shown_at = now, line.number
        lost = max((int(match[1]) for match in _FAILED.finditer(text)), default=0)
        if lost > failed:
            failed, shown_at = lost, shown_at or line.number
        for match in _FREE.finditer(text):
            free = max(free or 0, int(match[1] or match[2]))
        for match in _LONGEST.finditer(text):
            longest = max(longest, float(match[1]))
    if not shown_at or (not waiting and free):
        return
    waits = f"{waiting} threads wait for a page" if waiting else f"{failed} requests for a page failed"
    section.add(
        HealthState,
        shown_at,
        source="mmfsadm dump pgalloc",
        component="page pool",
        state=waits + (f", the longest {longest:.0f} s" if longest else "") + ("" if free else ", none is free"),
        standing="degraded",
    )
