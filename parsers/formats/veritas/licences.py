"""Licences of the product: ``vxlicrep``.

    License Key                         = AAAA-BBBB-CCCC-DDDD
    Product Name                        = VERITAS Storage Foundation Enterprise
    License Type                        = DEMO
    Demo End Date                       = Fri Jan 31 00:00:00 2031 (45.0 days from now)

Yields ``ListedState`` of each licence with its product: its type, and its end as printed; an ``Event`` for one that
has run out, a demonstration that still runs is a hint. No times. Source: vxlicrep(1M), as printed; further lines are
features.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Event
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NAMES: Final = (
    r"(?:License Key|Product Name|Serial Number|License Type|OEM ID|Demo End Date|Point Product|Editions? Product"
    r"|Edition|Features?|Days remaining from today"
    r"|Version|Entitlement|Entitlement Name|Validity|Creation Date|Expiration Date|CPU Count|Platform"
    r"|Mode#\S{1,40}|Tier|Type|Node Lock|Server Tier|Unit|Key|VXKEYLESS|Site License)"
)
_PAIR = re.compile(r"([\w#/ .-]{2,60}?)\s{0,60}[=:]\s{0,20}(\S.{0,200})$")
_ENDED = re.compile(r"(?i)\bexpired\b|(?:\b0(?:\.0)?|-\d{1,5}(?:\.\d{1,3})?) days from now|\bhas ended\b")
_LEFT: Final = r"\(-?\d{1,5}(?:\.\d{1,3})? days from now\)"
"""How long it still holds, on a line of its own."""
_SAYS_ENDED: Final = re.compile(r"(?:This |The )?[Ll]icen[sc]e (?:key )?(?:has|is) expired\b")
_CLAIMS: Final = r"(?:License Key|Product Name|License Type|Demo End Date)\s{1,60}=\s{0,20}\S"


@parser(
    "vxlicrep",
    version=3,
    product="veritas",
    claims=_CLAIMS,
    owns=rf"(?:{_CLAIMS}|{_NAMES}\s{{0,60}}=|[\w#/.-][\w#/ .-]{{1,58}}\s{{3,60}}= \S|{_LEFT}"
    r"|Features :=|(?:This |The )?[Ll]icen[sc]e (?:key )?(?:has|is) expired\b"
    r"|-{5,80}$|(?:VERITAS|Veritas|Symantec) License Manager|Copyright|Creating a report|All rights)",
    commands=("vxlicrep",),
)
def vxlicrep(section: OpenSection, out: Output) -> None:
    """Which licences there are and until when."""
    held: dict[str, tuple[int, str]] = {}
    for line in section:
        text = line.text.strip()
        if _SAYS_ENDED.match(text):
            held.setdefault("Validity", (line.number, "expired"))
            out.frame()
            continue
        match = _PAIR.match(text)
        if match is None:
            if re.match(_LEFT, text) and (end := held.get("Demo End Date")) is not None:
                held["Demo End Date"] = end[0], f"{end[1]} {text.rstrip('.')}"
            out.frame()
            continue
        if match[1] == "License Key" or (match[1] == "Product Name" and "Product Name" in held):
            _licence(section, held)
            held = {}
        held.setdefault(match[1], (line.number, match[2].strip()))
    _licence(section, held)


def _licence(section: OpenSection, held: dict[str, tuple[int, str]]) -> None:
    name = held.get("Product Name")
    if name is None:
        return
    ends = [one for key in ("Demo End Date", "Expiration Date", "Validity") if (one := held.get(key)) is not None]
    end = next((one for one in ends if _ENDED.search(one[1])), ends[0] if ends else None)
    sort = held.get("License Type", (0, ""))[1]
    standing: ListedStanding = "good"
    if end is not None and _ENDED.search(end[1]):
        standing = "wrong"
    elif sort.upper().startswith("DEMO"):
        standing = "hint"
    state = f"{sort.lower() or 'licence'}{f', ends {end[1]}' if end is not None else ''}"
    if standing == "wrong" and end is not None:
        text = f"{name[1]}: {state}"
        section.add(Event, end[0], source="vxlicrep", kind="licence-ended", about=name[1], weight="trouble", text=text)
        return
    section.add(
        ListedState,
        end[0] if end is not None else name[0],
        source="vxlicrep",
        name=f"the licence of {name[1]}",
        state=state,
        standing=standing,
    )
