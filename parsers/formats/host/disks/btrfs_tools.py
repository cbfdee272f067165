"""``btrfs device stats``, ``btrfs scrub status`` and ``btrfs filesystem show``: what Btrfs counted and found.

    [/dev/sdk].write_io_errs    0                  UUID:             a5c81116-78a5-4edb-b57c-b08e90e1391b
    [/dev/sdk].corruption_errs  3                  Status:           finished
                                                   Error summary:    csum=11
    Label: 'mail'  uuid: 7c2f...                     Corrected:      0
            devid    1 size 3.6TiB path /dev/sdk     Uncorrectable:  11
            *** Some devices missing

Yields ``StorageState``: of a device, degraded where it counts errors; of a volume, failed where a scrub found blocks
without a good copy, a hint where it corrected all, degraded where the scrub was broken off or a device is missing.
Counts last until somebody resets them. No times. Tolerated: the words of releases before 5.2, cut lists. Source:
btrfs-device(8), btrfs-scrub(8), btrfs-filesystem(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_DEVICE: Final = r"(?:/[\w./:@+-]{1,200}|devid:\d{1,6})"


def _put(
    section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, standing: HealthStanding
) -> None:
    section.add(StorageState, line.number, source="btrfs", sort=sort, name=name, state=state, standing=standing)


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count = match["count"]
    standing: HealthStanding = "healthy" if count == "0" else "degraded"
    _put(section, line, "disk", match["device"], f"{match['what']} {count}", standing)


def _volume(section: OpenSection) -> str | None:
    """What is spoken of: as the command says, or as its heading does."""
    command = section.command
    named = next((word for word in reversed(command.args) if word.startswith("/")), None) if command else None
    return named or section.state.get("uuid")


def _named(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["uuid"] = match["uuid"] or section.state.get("uuid")


def _lost(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (count := int(match["count"])) > 0:
        _put(section, line, "volume", _volume(section), f"{count} errors without a good copy", "failed")


def _corrected(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (count := int(match["count"])) > 0:
        _put(section, line, "volume", _volume(section), f"{count} errors that were corrected", "hint")


def _summed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "volume", _volume(section), "no errors found", "healthy")


def _ended(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["how"] in ("aborted", "interrupted"):
        _put(section, line, "volume", _volume(section), f"scrub {match['how']}", "degraded")


def _missing(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "volume", _volume(section), "some devices are missing", "degraded")


_ROWS: Final = Rows(
    Row(
        "count of a device",
        rf"\[(?P<device>{_DEVICE})\]\.(?P<what>(?:write_io|read_io|flush_io|corruption|generation)_errs)\s{{1,20}}"
        r"(?P<count>\d{1,20})$",
        _counted,
    ),
    Row("identity", r"UUID:\s{8,20}(?P<uuid>[0-9a-f]{8}-[0-9a-f-]{27})$", _named, fate=Fate.FRAME),
    Row("no errors", r"Error summary:\s{1,12}no errors found$", _summed),
    Row("errors", r"Error summary:\s{1,12}(?:\w{2,12}=\d{1,18}\s?){1,8}$", fate=Fate.FRAME),
    Row("lost", r"Uncorrectable:\s{1,12}(?P<count>\d{1,18})$", _lost, fate=Fate.FRAME, opens=False),
    Row("corrected", r"Corrected:\s{1,12}(?P<count>\d{1,18})$", _corrected, fate=Fate.FRAME, opens=False),
    Row(
        "errors of old",
        r"corrected errors: \d{1,18}, uncorrectable errors: (?P<count>\d{1,18}), unverified errors: \d{1,18}$",
        _lost,
    ),
    Row(
        "sum of old",
        r"total bytes scrubbed: \S{1,20} with 0 errors$",
        _summed,
    ),
    everyday("sum with errors", r"total bytes scrubbed: \S{1,20} with \d{1,18} errors$", r"error details: \w"),
    Row(
        "scrub", r"Scrub started:\s{1,12}\S.{5,40}$|scrub status for (?P<uuid>[0-9a-f-]{36})$", _named, fate=Fate.FRAME
    ),
    Row("end", r"Status:\s{1,20}(?P<how>finished|running|aborted|interrupted)$", _ended, fate=Fate.FRAME, opens=False),
    Row("file system", r"Label: (?:none|'[^']{0,255}')\s{1,8}uuid: (?P<uuid>[0-9a-f-]{36})$", _named, fate=Fate.FRAME),
    Row("device of it", r"devid\s{1,8}\d{1,6} size \S{1,20} used \S{1,20} path \S{1,200}", fate=Fate.EVERYDAY),
    Row("missing", r"\*\*\* Some devices missing$", _missing),
    everyday(
        "figure",
        r"(?:Duration|Time left|ETA|Total to scrub|Bytes scrubbed|Rate|Unverified|Total devices)\b.{0,80}$",
        r"(?:scrub started|scrub device|scrub resumed)\b.{0,120}$",
        opens=False,
    ),
)


@parser("btrfs_tools", version=1, product="storage", rows=_ROWS, commands=("btrfs",))
def btrfs_tools(section: OpenSection, out: Output) -> None:
    """Counts of devices, and what a scrub found."""
    _ROWS.read(section, out, "no count of Btrfs")
