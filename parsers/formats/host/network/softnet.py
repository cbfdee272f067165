"""``/proc/net/softnet_stat``: packets that each processor took from the cards, and those that found its queue full.

    0122ab11 00000000 00000a11 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000

A row for each processor, all figures hexadecimal and since boot: taken, dropped for a full queue, times that it ran out
of its share of time. Yields ``Counter`` (``processed``, ``dropped``) with the processor as scope. No times. Tolerated:
more columns. Source: the kernel's documentation of its network.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Counter
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


def _processor(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    number = section.state["processors"] = section.state.get("processors", -1) + 1
    for name in ("processed", "dropped"):
        section.add(
            Counter,
            line.number,
            scope=f"processor {number}",
            source="softnet_stat",
            name=name,
            kind="cumulative",
            value=float(int(match[name], 16)),
            sample=line.number,
        )


_ROWS: Final = Rows(
    Row(
        "processor",
        r"(?P<processed>[0-9a-f]{8}) (?P<dropped>[0-9a-f]{8})(?: [0-9a-f]{8}){7,16}$",
        _processor,
    ),
)


@parser(
    "softnet_stat",
    version=1,
    product="",
    rows=_ROWS,
    places=r"/proc/net/softnet_stat\b|(?:^|/)softnet_stat(?:\.txt|\.out)?$",
)
def softnet_stat(section: OpenSection, out: Output) -> None:
    """Packets by processor."""
    _ROWS.read(section, out, "no counts of a processor")
