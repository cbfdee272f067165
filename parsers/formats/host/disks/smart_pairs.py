"""Attributes of SMART as scripts and monitors print them: a disk and its counts on one line.

    sdk: model=ST8000NM0055 reallocated_sector_ct raw=412 current_pending_sector raw=96
    /dev/sdk  Reallocated_Sector_Ct=412, Current_Pending_Sector=96, Offline_Uncorrectable=96
    sdk PASSED reallocated: 0 pending: 0 uncorrectable: 0

Yields ``Counter`` of each, under the names that ``smartctl`` prints, and ``StorageState`` of the disk: degraded where
sectors are pending or lost or many were replaced, in order where none of at least two counts is. No times. Source:
smartctl(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.disks.smart import standing_of_sectors
from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_TOOL: Final = "smartctl"
_DISK: Final = r"(?:/dev/)?(?P<disk>[shv]d[a-z]{1,3}|nvme\d{1,3}(?:n\d{1,3})?|a?da\d{1,4}|c\dt\w{1,20}d\d{1,3})"
_NAMES: Final = {
    "reallocated": "Reallocated_Sector_Ct",
    "pending": "Current_Pending_Sector",
    "uncorrectable": "Offline_Uncorrectable",
}
_COUNT: Final = (
    r"\b(?i:(?P<what>reallocated|(?:current[_ -])?pending|(?:offline[_ -])?uncorrectable))"
    r"(?i:[_ -](?:sectors?|ct|count)){0,2}(?: ?[=:] ?| raw(?:_value)?[=: ]{1,2})(?P<value>\d{1,12})\b"
)
_LINE: Final = rf"(?:[-*] )?{_DISK}(?: \([^()]{{1,80}}\))?[:,;|]?\s[^\n]{{0,200}}?{_COUNT}"
_IS_LINE: Final = re.compile(_LINE)
_ONE: Final = re.compile(_COUNT)
_LAST: Final = re.compile("[a-z]{5,20}")
_LEAST: Final = 2
_CUT: Final = 2_000


@parser("smart_pairs", version=1, product="storage", claims=re.sub(r"\?P<\w{2,8}>", "?:", _LINE), priority=-40)
def smart_pairs(section: OpenSection, out: Output) -> None:
    """Counts of SMART, a disk a line."""
    for line in section:
        text = line.text.strip()[:_CUT]
        match = _IS_LINE.match(text)
        if match is None:
            out.skip(line, "no disk with its counts")
            continue
        found = ((_LAST.findall(one["what"].lower())[-1], int(one["value"])) for one in _ONE.finditer(text))
        counts = {_NAMES[name]: value for name, value in found}
        for name, value in counts.items():
            section.add(
                Counter,
                line.number,
                scope=match["disk"],
                source=_TOOL,
                name=name,
                kind="cumulative",
                value=float(value),
                sample=line.number,
            )
        wrong = {name: standing_of_sectors(name, count) for name, count in counts.items() if count}
        if wrong or len(counts) >= _LEAST:
            section.add(
                StorageState,
                line.number,
                source=_TOOL,
                sort="disk",
                name=match["disk"],
                state=", ".join(f"{name} {counts[name]}" for name in wrong) or "no sector lost",
                standing="degraded" if "degraded" in wrong.values() else "hint" if wrong else "healthy",
            )
