"""``mmbackup``: what it prints while it saves a file system to a backup server.

    mmbackup: Backup of /srv/pots begins at Wed May  8 02:00:03 CEST 2031.
    Wed May  8 02:00:11 2031 mmbackup:Scanning file system pots
    mmbackup: Backup of /srv/pots completed successfully at Wed May  8 04:12:31 CEST 2031.

Yields ``HealthState`` of a backup that came to its end, ``Event`` of one that did not and of steps that failed; the
other steps are everyday. The summary of the backup client between them is read by its own parser. Source: IBM Storage
Scale documentation, mmbackup command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.host.logs.backup_client import are_many
from parsers.ledger import Fate
from parsers.records import Event
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows
from parsers.times.clock import find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STAMP: Final = r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}"
_BAD: Final = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|ures|s)?|errors?|unable|aborted|cannot|could not|timed out|not responding)\b"
)
_CHANGED: Final = re.compile(r"(?i)\bchanged[=:] {0,4}(\d{1,12})\b|\b(\d{1,12}) (?:files )?changed\b")
_FAILED: Final = re.compile(
    r"(?i)\bfailed[=:] {0,4}(\d{1,12})\b|\b(\d{1,12}) (?:failures?\b|errors?\b|(?:files?|objects?) failed\b)"
)
"""A step that counts files that failed, and says nothing else that is bad."""
_NONE_BAD: Final = re.compile(r"(?i)\b(?:no|0|without) (?:errors?|failures?)\b|\b(?:failed|errors?)[=:] {0,4}0\b")
_WELL: Final = re.compile(r"(?i)completed (?:successfully|with some skipped files)")
_KEPT: Final = 400


def _stamped(section: OpenSection, text: str) -> int | None:
    found = find_instant(text)
    if found is None:
        return None
    section.stamp(found[0])
    return found[0].us


def _begun(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _stamped(section, line.text)
    section.state["backup_of"] = found["what"]


def _ended(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    at = _stamped(section, line.text)
    if _WELL.match(found["how"]) is not None:
        section.add(
            HealthState,
            line.number,
            source="mmbackup",
            component=f"backup of {found['what']}",
            state=found["how"].partition(" at ")[0],
            standing="healthy",
        )
        return
    _event(section, line, "mmbackup-failed", at, found["what"])


def _step(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    at = _stamped(section, line.text)
    if (changed := _CHANGED.search(found["text"])) is not None:
        section.state["changed"] = int(changed[1] or changed[2])
    counted = _FAILED.search(found["text"])
    if counted is not None and (counted[1] or counted[2]).strip("0") and _BAD.search(_without(found["text"])) is None:
        _few_or_many(section, line, at, int(counted[1] or counted[2]))
    elif _BAD.search(found["text"]) is not None and _NONE_BAD.search(found["text"]) is None:
        _event(section, line, "mmbackup-step-failed", at, section.state.get("backup_of"))
    else:
        section.state["steps"] = section.state.get("steps", 0) + 1


def _without(text: str) -> str:
    return _FAILED.sub("", text)


def _few_or_many(section: OpenSection, line: Line, at: int | None, failed: int) -> None:
    """Single files are sent by the next run."""
    many = are_many(failed, section.state.get("changed", 0))
    section.add(
        Event,
        line.number,
        at=at,
        source="mmbackup",
        kind="backup-many-failed" if many else "backup-files-skipped",
        value=float(failed),
        unit="files",
        weight="trouble" if many else "notice",
        text=line.text.strip()[:_KEPT],
    )


def _event(section: OpenSection, line: Line, kind: str, at: int | None, about: str | None) -> None:
    section.add(
        Event,
        line.number,
        at=at,
        source="mmbackup",
        kind=kind,
        about=about,
        weight="trouble",
        text=line.text.strip()[:_KEPT],
    )


_ROWS: Final = Rows(
    Row("start", r"mmbackup: Backup of (?P<what>/\S{1,400}) begins\b", _begun, Fate.FRAME),
    Row("end", r"mmbackup: Backup of (?P<what>/\S{1,400}) (?P<how>[a-z][^\n]{3,300})$", _ended),
    Row("summary", r"mmbackup: (?:TSM|IBM (?:Spectrum|Storage) Protect) Summary Information", fate=Fate.FRAME),
    Row("step", rf"{_STAMP} mmbackup: ?(?P<text>[^\n]{{2,2000}})$", _step, Fate.EVERYDAY),
    Row("ruler", r"-{20,80}$", fate=Fate.FRAME, opens=False),
)


@parser("mmbackup", version=3, product="spectrum-scale", rows=_ROWS, commands=("mmbackup",))
def mmbackup(section: OpenSection, out: Output) -> None:
    """Steps and end of a backup."""
    _ROWS.read(section, out, "a line of the backup that nobody knows")
