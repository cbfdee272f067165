"""``mmfsadm vfsstats show``: calls of the file system on a node, and how long one took on the mean.

    vfs statistics currently enabled
    started at: Fri Aug 25 13:15:05.380 2028
      duration: 448446.970 sec

     name                    calls  time per call     total time
     -------------------- -------- -------------- --------------
     open                     1220       0.000008       0.009760
     startIO                246191       0.005853    1440.955923

Yields ``Counter`` (calls, and seconds of one) per name, and ``ListedState`` per name: wrong where so many calls took a
second or longer on the mean. No times: the figures count since the start. Source: IBM Storage Scale support, mmfsadm
vfsstats; recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Counter
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_SLOW_S: Final = 1.0
"""A call that waits for a token, a disk or a node takes so long; one that is served takes milliseconds."""
_FEW: Final = 10


def _calls(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    calls, each = int(found["calls"]), float(found["each"])
    for name, value, unit in (("calls", calls, "calls"), ("time per call", each, "s")):
        section.add(
            Counter,
            line.number,
            scope=found["name"],
            source="mmfsadm vfsstats",
            name=name,
            kind="gauge",
            unit=unit,
            value=float(value),
            sample=line.number,
        )
    section.add(
        ListedState,
        line.number,
        source="mmfsadm vfsstats",
        name=f"calls of {found['name']}",
        state=f"{each:g} s each, {calls} of them",
        standing="wrong" if each >= _SLOW_S and calls >= _FEW else "good",
        row=line.text.strip(),
    )


_ROWS: Final = Rows(
    Row("whether it counts", r"vfs statistics currently (?:en|dis)abled$", fate=Fate.FRAME),
    Row("begin", r"(?:started at|duration|ended at): {1,8}\S", fate=Fate.EVERYDAY, opens=False),
    Row("heading", r"name {1,80}calls {1,40}time per call {1,40}total time$", fate=Fate.FRAME),
    Row("ruler", r"-{4,40}(?: {1,8}-{4,40}){3}$", fate=Fate.FRAME, opens=False),
    Row(
        "calls",
        r"(?P<name>[a-zA-Z][\w:]{1,40}) {1,80}(?P<calls>\d{1,15}) {1,40}(?P<each>\d{1,9}\.\d{6}) {1,40}"
        r"\d{1,12}\.\d{6}$",
        _calls,
        opens=False,
    ),
)


@parser(
    "scale_vfs_stats",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmfsadm",),
    places=r"\bvfsstats\b",
)
def scale_vfs_stats(section: OpenSection, out: Output) -> None:
    """Calls by name with their mean time."""
    _ROWS.read(section, out, "no calls with their time")
