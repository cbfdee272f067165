"""Replicas of the state database of the volume manager of Solaris: ``metadb`` and ``metadb -i``.

            flags           first blk       block count
         a m  p  luo        16              8192            /dev/dsk/c0t0d0s7
          W   p  l          16              8192            /dev/dsk/c0t1d0s7

Yields ``StorageState`` per replica: a capital letter tells of an error (W, M, D, F, S, R). No times.
Source: metadb(1M).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_ERRORS: Final = {
    "W": "write errors",
    "M": "trouble with its master blocks",
    "D": "trouble with its data blocks",
    "F": "format trouble",
    "S": "too small",
    "R": "read errors",
}


def _replica(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    wrong = [_ERRORS[letter] for letter in found["flags"] if letter in _ERRORS]
    section.add(
        StorageState,
        line.number,
        source="metadb",
        name=f"replica at {found['first']} of {found['device'].rpartition('/')[2]}",
        state=", ".join(wrong) or found["flags"].replace(" ", "") or "no flag",
        standing="degraded" if wrong else "healthy",
    )


_ROWS: Final = Rows(
    Row("heading", r"flags\s{1,40}first blk\s{1,40}block count$", fate=Fate.FRAME),
    Row(
        "replica",
        r"(?P<flags>(?:[a-zA-Z]{1,4}\s{1,8}){1,7}?)\s{0,40}(?P<first>\d{1,12}|unknown)\s{1,40}(?:\d{1,12}|unknown)\s{1,40}"
        r"(?P<device>/dev/\S{1,80})$",
        _replica,
        opens=False,
    ),
    Row("legend", r"[a-zA-Z] - (?:replica|locator)\b[^\n]{5,120}$", fate=Fate.FRAME, opens=False),
)


@parser("state_replicas", version=1, product="storage", rows=_ROWS, commands=("metadb",))
def state_replicas(section: OpenSection, out: Output) -> None:
    """Each replica with its flags."""
    _ROWS.read(section, out, "no replica with its flags")
