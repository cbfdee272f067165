"""Messages of switches of networks and fabrics, as ``show logging``, ``errdump`` and a log server print them.

    2031 Mar  5 10:15:07 alder1 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/12 is down (Link failure)
    Mar  5 10:15:07.123: %LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down
    2031/03/05-10:15:07, [MAPS-1003], 71, SLOT 4 | FID 128, WARNING, alder3, D_Port 12, Condition=ALL_PORTS(CRC/min>5)
    0d00h02m10s:I:ERR_DISABLE: Link flaps on port ethernet 16 exceeded threshold; port in err-disable state

Yields ``Event`` for messages of the catalogue's group ``switch``; one that nobody knows counts by its level, a figure
from 0 to 7 or a word, where that is an error or worse. Stamps without a year keep none. Source: message references of
Cisco NX-OS and IOS and of Brocade Fabric OS, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.messages.catalogue import Found, find
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import MONTH, MONTH_NUMBERS, find_instant

GROUP: Final = "switch"
_DAY: Final = r"[*.]?(?:\d{4} )?[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [A-Z]{2,5})?"
_WHEN: Final = rf"(?:{_DAY}|\d{{4}}-\d\d-\d\dT\S{{8,30}}|\d{{1,4}}[wdh]\w{{2,12}}):?"
_BEFORE: Final = (
    rf"(?:<\d{{1,3}}>)?(?:\d{{1,9}}: )?(?:[A-Za-z][\w.-]{{0,62}}: )?(?:{_WHEN} {{1,3}})?"
    r"(?:[A-Za-z0-9][\w.-]{0,127}:? {1,3}){0,2}(?:: )?"
)
_CODE: Final = r"%[A-Z][-A-Z0-9_$]{1,40}(?:-SLOT\d{1,3})?-[0-7]-[A-Z][A-Z0-9_]{2,60}: "
_FABRIC: Final = r"\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d(?:[:.]\d{1,6})?(?: \([A-Z]{2,5}\))?, \[[A-Z][A-Z0-9]{1,9}-\d{4}\], "
_CAMPUS: Final = r"(?:\d{1,5}d\d\dh\d\dm\d\ds:)?[A-Z]:(?=ERR_DISABLE: |System: Interface )"
_LINE = re.compile(
    rf"(?:(?P<before>{_BEFORE})%(?P<facility>[A-Z][-A-Z0-9_$]{{1,50}}?)-(?P<level>[0-7])-"
    r"(?P<name>[A-Z][A-Z0-9_]{2,60}): {1,4}"
    r"|(?P<stamp>\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d)\S{0,20}?(?: \([A-Z]{2,5}\))?, "
    r"\[(?P<code>[A-Z][A-Z0-9]{1,9}-\d{4})\], "
    r"[^\n]{0,80}?(?P<word>INFO|WARNING|ERROR|CRITICAL), (?P<switch>[\w.-]{1,80}), "
    rf"|{_CAMPUS})(?P<text>\S.{{0,2000}})$"
)
_LEVELS: Final = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_WORDS: Final = {"INFO": "info", "WARNING": "warning", "ERROR": "err", "CRITICAL": "crit"}
_GRAVE: Final = ("emerg", "alert", "crit", "err")
_HOST: Final = re.compile(r"(?:^|\d(?: [A-Z]{2,5})?:? {1,3})(?P<host>[A-Za-z][\w.-]{1,127}):? {1,3}(?:: )?$")
_DATED: Final = re.compile(
    rf"(?:(?P<year>\d{{4}}) )?(?P<month>{MONTH}) {{1,2}}(?P<day>\d{{1,2}}) (?:(?P<later>\d{{4}}) )?"
    r"(?P<time>\d\d:\d\d:\d\d)"
)
_VSAN: Final = re.compile(r"%\$VSAN \d{1,5}%\$ ")
_CONTINUED: Final = r"port in err-disable state$"
_RELEASE: Final = r"Version: {1,4}v\d[\w.]{2,20}$"


@parser(
    "switch_log",
    version=1,
    product="storage",
    claims=rf"(?:{_BEFORE}{_CODE}|{_FABRIC}|{_CAMPUS})",
    owns=rf"(?:{_BEFORE}{_CODE}|{_FABRIC}|{_CAMPUS}|{_CONTINUED}|{_RELEASE})",
    commands=("errdump", "errshow"),
    places=r"\berr(?:dump|show)\b",
    messages=True,
)
def switch_log(section: OpenSection, out: Output) -> None:
    """One event for each message that says something."""
    for line in section:
        text = line.text.strip()
        if (match := _LINE.match(text)) is None:
            if re.match(_RELEASE, text):
                out.frame()
            else:
                out.skip(line, "a message that is cut")
            continue
        found = find_instant(_stamp(match))
        if found is not None:
            section.stamp(found[0])
        text = _VSAN.sub("", match["text"], count=1)
        level = _LEVELS[int(match["level"])] if match["level"] else _WORDS.get(match["word"] or "", "")
        if match["facility"]:
            text = f"{match['facility']}-{match['name']}: {text}"
        elif match["code"]:
            text = f"{match['code']}: {text}"
        meaning = _meaning(text, level)
        if meaning is None:
            out.everyday()
            continue
        host = _HOST.search(match["before"] or "")
        add_message(
            section,
            line.number,
            meaning,
            source="switch",
            text=text,
            node=match["switch"] or (host["host"] if host else section.node),
            at=found[0].us if found else None,
        )


def _stamp(match: re.Match[str]) -> str:
    """The moment of a line in a form that is read everywhere; as it is where it has no year."""
    if match["stamp"]:
        return f"{match['stamp'][:10].replace('/', '-')} {match['stamp'][11:]}"
    before = match["before"] or ""
    dated = _DATED.search(before)
    year = (dated["year"] or dated["later"]) if dated is not None else None
    if dated is None or year is None:
        return before
    return f"{year}-{MONTH_NUMBERS[dated['month']]:02d}-{int(dated['day']):02d} {dated['time']}"


def _meaning(text: str, level: str) -> Found | None:
    """What a message says; of one that nobody knows, how grave its level is."""
    found = find(GROUP, text, level=level)
    if found is not None:
        return None if found.weight == "everyday" else found
    return Found(UNLISTED, weight="trouble") if level in _GRAVE else None
