"""What the clients and the server of IBM Storage Protect (Tivoli Storage Manager) log: ``dsmerror.log``,
``dsmsched.log``, the summary that ``dsmc`` prints, and the activity log of the server.

    04/22/2031   14:02:11 ANS9084E dsmmigrate: /srv/pots is not managed or not locally managed by space management.
    11/02/2031 20:00:41 ANS1017E Session rejected: TCP/IP connection failure.
    ANS1999E Incremental processing of '/srv/pots' stopped.
    Total number of objects failed:          16,334

Yields ``Event`` by ``parsers/messages``; a message that no row knows weighs what the last letter of its number does
(S: trouble, E: a notice, for most errors are those of one file), and ``HealthState`` of a backup that came to its end.
The month stands before the day unless it can be none. A message may be broken; the clients print no node. Source: IBM
Storage Protect documentation, client messages, formats of dates.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from parsers.formats.host.logs.kernel_log_kinds import EVERYDAY, UNLISTED
from parsers.messages.catalogue import Weight, find
from parsers.records import Event
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import whole
from parsers.times.clock import Instant, find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection

_STAMP: Final = (
    r"(?:\d{1,2}[/.-]\d\d[/.-](?:\d{4}|\d\d)|\d{4}[/.-]\d\d[/.-]\d\d),?\s{1,8}\d{1,2}[:.]\d\d[:.]\d\d(?: ?[AP]M)?"
)
_CODE: Final = r"(?:ANS|ANR|ANE)\d{4}[A-Z]\b"
_MESSAGE: Final = rf"(?:{_STAMP}\s{{1,8}})?{_CODE} "
_TALLY: Final = r"Total (?:number of (?:objects|bytes|retries)|objects deduplicated)\b[^:\n]{0,60}:"
_FRAME: Final = (
    r"(?:(?:LanFree d|D)ata transfer (?:time|rate)|(?:Network|Aggregate) data transfer rate|Objects compressed by"
    r"|Total data reduction ratio|Subfile objects reduced by|Elapsed processing time"
    r"|Total (?:bytes|number)[^:\n]{0,60}):"
)
_STEP: Final = (
    r"(?:Incremental backup of volume '|Session established with server |Node Name: |Server Version \d|IBM Tivoli"
    r" Storage Manager|IBM (?:Spectrum|Storage) Protect|Client Version \d|Server date/time: )"
)
_SCHEDULED: Final = (
    r"(?:--- SCHEDULEREC |Next operation scheduled|Schedule Name:|Total number of objects [a-z ]{3,30}:"
    r"|Scheduled event '|Successful (?:incremental|selective|image) backup of '|Executing scheduled command)"
)
_ENDED: Final = re.compile(
    r"(?:Successful (?:incremental|selective|image) backup of|Scheduled event) '(?P<what>[^'\n]{1,200})'"
    r"(?: completed successfully|\.?$|,)"
)
_LINE: Final = re.compile(rf"(?:(?P<stamp>{_STAMP})\s{{1,8}})?(?:(?P<code>{_CODE}) )?(?P<text>.*)$")
_COUNT: Final = re.compile(r"Total number of objects (?P<name>inspected|failed):\s{1,40}(?P<number>\d[\d,.]{0,20})$")
_OWNED: Final = re.compile(rf"(?:{_MESSAGE}|{_STAMP}\s|{_TALLY}|{_FRAME}|{_STEP}|{_ENDED.pattern})")
_BEGUN: Final = re.compile(rf"(?:{_STAMP}\s|{_CODE} )")
_OF_LETTER: Final[dict[str, Weight]] = {"S": "trouble", "E": "notice", "W": "", "I": ""}
_MANY: Final = 0.1
_FEW: Final = 20
_THOUSAND: Final = 1000
_KEPT: Final = 400


def _goes_on(above: str, text: str) -> bool:
    """Whether a line is the rest of a message: what stands above it is open."""
    return not above.endswith((".", "!", "?", ":", ")")) and _OWNED.match(text) is None


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    return _OWNED.match(body) is not None or (
        bool(body)
        and not before.endswith("\n")
        and _BEGUN.match(before.strip()) is not None
        and _goes_on(before.strip(), body)
    )


@parser(
    "backup_client",
    version=1,
    product="",
    claims=rf"(?:{_MESSAGE}|{_STAMP}\s{{1,8}}{_SCHEDULED}|Incremental backup of volume '"
    r"|Total number of objects (?:inspected|backed up):)",
    owns=_owns,
    commands=("dsmc", "dsmadmc", "dsmmigrate", "dsmrecall", "dsmls", "dsmdf"),
)
def backup_client(section: OpenSection, out: Output) -> None:
    """Messages of the backup."""
    for line, body in whole(section, out, _goes_on):
        match = _LINE.match(body)
        if match is None:
            out.skip(line, "no message of the backup")
            continue
        instant = moment(match["stamp"]) if match["stamp"] else None
        if instant is not None:
            section.stamp(instant)
        text = match["text"].strip()
        if (ended := _ENDED.match(text)) is not None:
            section.add(
                HealthState,
                line.number,
                source="dsmc",
                component=f"backup of {ended['what']}",
                state="successful",
                standing="healthy",
            )
        elif not (
            _counted(section, line.number, text) or _message(section, line.number, match["code"] or "", text, instant)
        ):
            out.everyday()


def _message(section: OpenSection, number: int, code: str, text: str, instant: Instant | None) -> bool:
    if not code:
        return False
    found = find("backup", text, code=code[:7])
    weight = found.weight if found is not None else _OF_LETTER.get(code[-1], "")
    if not weight or (found is not None and found.kind == EVERYDAY):
        return False
    section.add(
        Event,
        number,
        at=instant.us if instant is not None else None,
        source="backup",
        kind=found.kind if found is not None else UNLISTED,
        about=found.about if found is not None else None,
        weight=weight,
        text=f"{code} {text}"[:_KEPT],
    )
    return True


def _counted(section: OpenSection, number: int, text: str) -> bool:
    """A summary whose failed objects are many among those that were looked at."""
    count = _COUNT.match(text)
    if count is None:
        return False
    value = int(re.sub(r"\D", "", count["number"]))
    if count["name"] == "inspected":
        section.state["inspected"] = value
        return False
    if not value:
        return False
    many = are_many(value, section.state.get("inspected", 0))
    kind = "backup-many-failed" if many else "backup-files-skipped"
    section.add(
        Event,
        number,
        source="backup",
        kind=kind,
        value=float(value),
        unit="files",
        weight="trouble" if many else "notice",
        text=text[:_KEPT],
    )
    return True


def are_many(failed: int, of: int) -> bool:
    """Whether so many files failed that they share a reason."""
    return failed >= _THOUSAND or (failed >= _FEW and failed >= _MANY * of)


def moment(stamp: str) -> Instant | None:
    """The moment of a stamp in one of the clients' formats of dates."""
    parts = [int(part) for part in re.findall(r"\d{1,4}", stamp)]
    first, second, third = parts[:3]
    if stamp[:4].isdigit():
        year, month, day = first, second, third
    elif "." in stamp[:3] or first > 12:
        year, month, day = third, second, first
    else:
        year, month, day = third, first, second
    half = stamp[-2:]
    hour = parts[3] % 12 + (12 if half == "PM" else 0) if half in ("AM", "PM") else parts[3]
    try:
        at = datetime(year + 2000 if year < 100 else year, month, day, hour, parts[4], parts[5], tzinfo=UTC)
    except ValueError:
        found = find_instant(stamp)
        return found[0] if found is not None else None
    return Instant(int(at.timestamp()) * 1_000_000, None)  # whose zone is not printed
