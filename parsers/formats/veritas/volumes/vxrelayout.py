"""Volumes whose layout changes: ``vxrelayout status``.

    STRIPED, columns=5, stwidth=128 --> STRIPED, columns=6, stwidth=128
    Relayout running, 68.58% completed.

Yields ``StorageState`` of the volume that the command names: a change that stands still is degraded, one that runs or
is done is not. No times. Tolerated: layouts without columns. Source: Storage Foundation administrator's guide, on
viewing the status of a relayout.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.veritas.command_objects import group_of, object_of
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_LAYOUT: Final = r"(?:STRIPED|CONCAT|RAID5|MIRROR|STRIPE-MIRROR|CONCAT-MIRROR|MIRROR-STRIPE|MIRROR-CONCAT)"


def _standing(state: str) -> HealthStanding:
    if state.startswith("complete"):
        return "healthy"
    return "hint" if state in ("running", "reversing", "starting") else "degraded"


def _status(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = f"relayout {found['state'].lower()}"
    section.add(
        StorageState,
        line.number,
        source="vxrelayout",
        sort="volume",
        name=object_of(section.command),
        of=group_of(section.command),
        state=f"{state}, {found['done']} %" if found["done"] else state,
        standing=_standing(found["state"].lower()),
    )


_ROWS: Final = Rows(
    heading("layouts", rf"{_LAYOUT}(?:, {{1,4}}[a-z]{{2,12}}=\d{{1,9}}){{0,4}} --> {_LAYOUT}\b"),
    Row(
        "status",
        r"Relayout (?:is )?(?P<state>running|stopped|completed?|reversing|starting|aborted|failed|paused|undone)\b"
        r"(?:, {0,4}(?P<done>\d{1,3}(?:\.\d{1,4})?) ?% (?:completed?|done))?\.?$",
        _status,
    ),
)


@parser(
    "vxrelayout",
    version=1,
    product="veritas",
    rows=_ROWS,
    commands=("vxrelayout",),
    places=r"\bvxrelayout\b",
)
def vxrelayout(section: OpenSection, out: Output) -> None:
    """``vxrelayout status``: how far a change of layout is."""
    _ROWS.read(section, out, "no state of a relayout")
