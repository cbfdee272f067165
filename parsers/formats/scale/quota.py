"""Quotas of Spectrum Scale for people: ``mmlsquota``, ``mmrepquota``; and the pools as ``mmapplypolicy`` sees them.

                             Block Limits                                    |     File Limits
    Filesystem type         blocks      quota      limit   in_doubt    grace |    files   quota    limit in_doubt  grace
    nest       USR          1.998T         1T         2T       512M     none |   120433       0        0       12   none

    *** Report for FILESET quotas on nest
    Name       fileset    type             KB      quota      limit   in_doubt    grace |    files   quota   limit ...
    proj7      root       FILESET  1073741820 1048576000 1073741824          0     none |    50000   50000   50000 ...

    Pool_Name   KB_Occupied        KB_Total   Percent_Occupied
    data               1990            2000       99.500000000%

Yields ``Room``: what is taken of a limit, for blocks and for files, and of a pool. No limit gives a ``Counter`` alone.
Amounts have their own unit, or that of the heading (KB). Tolerated: further columns, grace in one word or two. Source:
IBM Storage Scale documentation, the commands named.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from parsers.filling import room_standing
from parsers.formats.host.logs.backup_client import are_many
from parsers.ledger import Fate
from parsers.records import Counter, Event
from parsers.records.states import Room, RoomSort, RoomStanding
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_UNITS: Final = {"K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
_AMOUNT: Final = r"\d{1,20}(?:[.,]\d{1,6})?[KMGTP]?"
_GRACE: Final = r"(?:none|expired|-|\d{1,6} {0,2}[a-z]{2,8})"
_NO_FIGURES: Final = ("0", "", "-")
_OPTIONS: Final = ("-u", "-g", "-j")


def _limits(prefix: str) -> str:
    return (
        rf"(?P<{prefix}_used>-?{_AMOUNT}) {{1,40}}(?P<{prefix}_quota>{_AMOUNT}) {{1,40}}(?P<{prefix}_limit>{_AMOUNT})"
        rf" {{1,40}}(?P<{prefix}_doubt>{_AMOUNT}) {{1,40}}(?P<{prefix}_grace>{_GRACE})"
    )


def in_kb(amount: str, unit: str = "K") -> float:
    """An amount with its own unit, else in that of the heading, in KB."""
    factor = _UNITS.get(amount[-1:])
    number = amount[:-1] if factor is not None else amount
    return float(number.replace(",", ".")) * (factor if factor is not None else _UNITS[unit])


def size_words(kb: float) -> str:
    """``1.5 TiB``."""
    for unit, factor in (("PiB", 1024.0**4), ("TiB", 1024.0**3), ("GiB", 1024.0**2), ("MiB", 1024.0)):
        if kb >= factor:
            return f"{kb / factor:.3g} {unit}" if kb < 1000 * factor else f"{kb / factor:.0f} {unit}"
    return f"{kb:.0f} KiB"


def put_limit(
    section: OpenSection,
    line: int,
    sort: RoomSort,
    name: str | None,
    fs: str | None,
    figures: tuple[float, float, float],
    grace: str,
    *,
    tool: str,
) -> None:
    """What is used of a soft and a hard limit (0: none); grace as printed."""
    used, soft, hard = figures
    is_files = sort == "inode quota of"
    words = (lambda value: f"{value:.0f}") if is_files else size_words
    limit = hard or soft
    section.add(
        Counter,
        line,
        scope=":".join(part for part in (fs, name) if part) or None,
        source=tool,
        name="files used" if is_files else "blocks used",
        kind="gauge",
        unit="inodes" if is_files else "KB",
        value=used,
        sample=line,
    )
    if limit <= 0:
        return
    share = 100 * used / limit
    standing: RoomStanding = room_standing(share, is_limit=True)
    if grace == "expired":
        standing = "spent"
    elif standing == "free" and soft > 0 and (used > soft or grace[:1].isdigit()):
        standing = "tight"  # grace runs above the soft limit only, however the figures were rounded
    more = "; grace expired" if grace == "expired" else f"; {grace} of grace left" if grace[:1].isdigit() else ""
    section.add(
        Room,
        line,
        source=tool,
        sort=sort,
        name=name,
        of=fs,
        share=share,
        state=f"{share:.0f} % used, {words(used)} of {words(limit)}{' files' if is_files else ''}{more}",
        standing=standing,
    )


def _report(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["quota_fs"] = found["fs"].removeprefix("/dev/")


def _heading(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["quota_unit"] = found["unit"][0].upper() if found["unit"] in ("MB", "GB", "TB", "PB") else "K"
    section.state["quota_named"] = found["first"] == "Name"


def _requested_name(section: OpenSection) -> str | None:
    args = section.command.args if section.command is not None else ()
    return next((after for option, after in pairwise(args) if option in _OPTIONS), None)


def _below_nothing(section: OpenSection, line: Line, fs: str | None) -> None:
    """Less than nothing is used: the figures were not counted since the quotas were switched on or a node failed."""
    text = line.text.strip()[:400]
    section.add(Event, line.number, source="quota", kind="quota-outdated", about=fs, weight="trouble", text=text)


def _row(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    words, state = found["names"].split(), section.state
    is_named = state.get("quota_named", "quota_fs" in state)
    if is_named:
        name, fs = words[0], state.get("quota_fs")
    else:
        fs, name = words[0], _requested_name(section) or (words[1] if len(words) > 1 else None)
    what = f"{found['type'].replace('USR', 'user').replace('GRP', 'group').lower()} {name or ''}".strip()
    tool = "mmrepquota" if is_named else "mmlsquota"
    if any((found[used] or "").startswith("-") for used in ("b_used", "f_used")):
        _below_nothing(section, line, fs)
    unit = state.get("quota_unit", "K")
    blocks = tuple(in_kb(found[f"b_{part}"], unit) for part in ("used", "quota", "limit"))
    put_limit(
        section, line.number, "quota of", what, fs, (blocks[0], blocks[1], blocks[2]), found["b_grace"], tool=tool
    )
    if found["f_used"]:
        files = tuple(in_kb(found[f"f_{part}"]) for part in ("used", "quota", "limit"))
        put_limit(
            section,
            line.number,
            "inode quota of",
            what,
            fs,
            (files[0], files[1], files[2]),
            found["f_grace"],
            tool=tool,
        )


def _pool(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    used, size, share = float(found["used"]), float(found["size"]), float(found["share"])
    section.add(
        Room,
        line.number,
        source="mmapplypolicy",
        sort="pool",
        name=found["name"],
        share=share,
        state=f"{share:.1f} % full, {size_words(max(0.0, size - used))} left",
        standing=room_standing(share) if size > 0 else "unknown",
    )


def _inodes(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    used, most = float(found["used"]), float(found["most"])
    share = 100 * used / most if most > 0 else None
    section.add(
        Room,
        line.number,
        source="mmapplypolicy",
        sort="inodes of",
        name="the file system",
        share=share,
        state=f"{share:.1f} % used, {most - used:.0f} left" if share is not None else None,
        standing=room_standing(share),
    )


def _dispatched(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["dispatched"] = int(match["files"])


def _left_out(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Single files change while they are moved; of many that were left out the reason is one that they share."""
    count = int(match["count"])
    if are_many(count, section.state.get("dispatched", 0)):
        section.add(
            Event,
            line.number,
            source="command",
            kind="policy-many-skipped",
            value=float(count),
            unit="files",
            weight="trouble",
            text=line.text.strip()[:200],
        )


_ROWS: Final = Rows(
    Row("limits", r"Block Limits {1,80}\| {1,80}File Limits", fate=Fate.FRAME),
    Row("report", r"\*\*\* Report for (?:[A-Z ]{2,40}) quotas on (?P<fs>\S{1,250})", _report, Fate.FRAME),
    Row(
        "heading",
        r"(?P<first>Filesystem|Name) {1,40}(?:[Ff]ileset {1,40})?type {1,40}(?P<unit>[KMGTP]B|blocks) {1,40}quota\b",
        _heading,
        Fate.FRAME,
    ),
    Row(
        "quota",
        rf"(?P<names>\S{{1,250}}(?: {{1,60}}\S{{1,250}})?) {{1,60}}(?P<type>USR|GRP|FILESET) {{1,60}}{_limits('b')}"
        rf"(?: {{1,20}}\|? {{0,20}}{_limits('f')})?(?: {{1,40}}\S{{1,250}}){{0,3}}$",
        _row,
    ),
    Row(
        "no limits",
        r"\S{1,250} {1,60}(?:\S{1,250} {1,60})?(?:USR|GRP|FILESET) {1,60}no limits?\b|quota (?:no|cli)\b",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("pools", r"(?:\[I\] )?GPFS Current Data Pool Utilization|Pool_Name {1,40}KB_Occupied\b", fate=Fate.FRAME),
    Row(
        "pool",
        r"(?P<name>\S{1,200}) {1,60}(?P<used>\d{1,20}) {1,60}(?P<size>\d{1,20}) {1,60}(?P<share>\d{1,3}\.\d{3,12})%?$",
        _pool,
    ),
    Row("rules", r"Rule# {1,20}Hit_Cnt {1,20}KB_Hit\b", fate=Fate.FRAME),
    Row("rule", r"\d{1,6}(?: {1,40}\d{1,20}){5} {1,40}RULE\b", fate=Fate.EVERYDAY),
    Row(
        "files that were moved",
        r"\[I\] (?:A total of (?P<files>\d{1,18}) files have been \w)",
        _dispatched,
        Fate.EVERYDAY,
        opens=False,
    ),
    Row("end", r"(?P<count>\d{1,20}) 'skipped' files and/or errors\.$", _left_out, Fate.EVERYDAY, opens=False),
    Row(
        "steps",
        r"(?:Evaluating policy rules with CURRENT_TIMESTAMP|Parsed \d{1,6} policy rules)|Chose to [a-z]{4,12} \d"
        r"|\[I\] (?:Loaded policy rules|Directories scan:|Parallel-piped sort|Inodes scan:|Summary of Rule"
        r"|Filesystem objects with no applicable|GPFS Policy Decisions|A total of \d|\d{4}-\d\d-\d\d@)",
        fate=Fate.EVERYDAY,
    ),
    Row("inodes", r"\[I\] (?P<used>\d{1,20}) of (?P<most>\d{1,20}) inodes used: ", _inodes),
)


@parser(
    "scale_quota",
    version=3,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmlsquota", "mmrepquota", "mmapplypolicy"),
)
def scale_quota(section: OpenSection, out: Output) -> None:
    """What is taken of quotas and pools."""
    _ROWS.read(section, out, "no quota with its limits")
