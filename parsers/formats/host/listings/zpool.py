"""Pools of ZFS: ``zpool status``; file systems of them: ``zfs list``.

      pool: larder
     state: DEGRADED
    status: One or more devices could not be opened.  Sufficient replicas exist for
            the pool to continue functioning in a degraded state.
      scan: resilvered 12.1G in 00:04:11 with 0 errors on Sun Oct  4 01:26:12 2026
    config:
            NAME        STATE     READ WRITE CKSUM
            larder      DEGRADED     0     0     0
              mirror-0  DEGRADED     0     0     0
                c1t2d0  UNAVAIL      0     0     0  cannot open
                c1t3d0  ONLINE       0     0     0
    errors: No known data errors

Yields ``StorageState``: of the pool, failed where it can't be used any more, and of each of its parts that is not in
order or counts errors; a spare in use is a hint, and so is a disk that somebody took off line where its group or its
pool says that it is missed: a spare, a log or a cache that is off line has nobody to say so. What the tool says about
files that are lost is a message and left to its reader, but for damage that a scrub counts: an ``Event``. Of ``zpool
list`` pools, their parts and their ``Room``. No times. Tolerated: no blanks in front, a list that is cut at its end or
begins below its heading. Of ``zfs list`` a ``Room`` for each data set, full where nothing is available.
Source: zpool-status(8) of OpenZFS and of Solaris, recalled; zfs-list(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.formats.host.listings.listing import names_disk
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event, Setting
from parsers.records.states import HealthStanding, Room, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Table
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_STATE: Final = r"(?P<state>ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|SUSPENDED|AVAIL|INUSE|SPLIT|CANT_OPEN)"
_OF_POOL: Final[dict[str, HealthStanding]] = {
    "ONLINE": "healthy",
    "AVAIL": "healthy",
    "DEGRADED": "degraded",
    "OFFLINE": "hint",
    "INUSE": "hint",
    "SPLIT": "hint",
}
"""Every other state says that the pool can't be used."""
_OF_PART: Final[dict[str, HealthStanding]] = {**_OF_POOL, "DEGRADED": "degraded"}
_GROUP: Final = re.compile(r"(?:mirror|raidz\d?|draid\d?\S{0,40}|replacing|spare|log|indirect)-\d{1,6}")
_NO_PART: Final = ("logs", "cache", "spares", "special", "dedup")
_TEXT_KEPT: Final = 400
_COUNT: Final = r"(?:\d{1,20}|\d{1,6}(?:\.\d{1,3})?[KMGTP])"


def _pool(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(pool=match["name"], seen=False, missed=False)


def _apart(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["missed"] = False


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str, state: str, standing: HealthStanding) -> None:
    of = None if sort == "pool" else section.state.get("pool")
    section.add(
        StorageState,
        line.number,
        source="zpool status",
        sort=sort,
        name=name,
        of=of,
        state=state,
        standing=standing,
    )


def _of_pool(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["missed"] = match["state"] != "ONLINE"
    if (pool := section.state.get("pool")) is not None:
        _put(section, line, "pool", pool, match["state"], _OF_POOL.get(match["state"], "failed"))
        section.state["seen"] = True


def _heading(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["top"] = True


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, state = match["name"], match["state"]
    is_first = "top" not in section.state and line.text[:1].strip() != "" and not names_disk(name)
    is_top, section.state["top"] = section.state.get("top") or is_first, False
    if is_top and section.state.get("pool") in (None, name):
        section.state["pool"] = name
        _put(section, line, "pool", name, state, _OF_POOL.get(state, "failed"))
        section.state["missed"] = state != "ONLINE"
        return
    counts = [match[one] or "0" for one in ("read", "write", "sum")]
    standing = _OF_PART.get(state, "degraded")
    if state == "OFFLINE" and not section.state.get("missed"):
        standing = "degraded"
    if any(one != "0" for one in counts):
        errors = ("read", "write", "checksum")
        found = (f"{count} {what} errors" for count, what in zip(counts, errors, strict=True) if count != "0")
        state, standing = f"{state}, {', '.join(found)}", "degraded"
    is_group = _GROUP.fullmatch(name) is not None
    section.state["missed"] = section.state.get("missed") or (is_group and match["state"] != "ONLINE")
    _put(section, line, "array" if is_group else "disk", name, state, standing)


def _damaged(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Blocks without a good copy: the sentence breaks before it says so, and a scrub counts them."""
    section.add(
        Event,
        line.number,
        source="zpool status",
        kind="zfs-data-damaged",
        weight="disaster",
        about=section.state.get("pool"),
        text=line.text.strip()[:_TEXT_KEPT],
    )


def _in_order(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "pool", match["name"] or "all", "healthy", "healthy")


_KINDS: Final = (
    Row("pool", r"pool: (?P<name>[A-Za-z][\w.: -]{0,250})$", _pool, fate=Fate.FRAME),
    Row("state of a pool", rf"state: {_STATE}$", _of_pool, opens=False),
    Row("headings", r"NAME {1,80}STATE {1,40}READ {1,20}WRITE {1,20}CKSUM(?: {1,20}SLOW)?$", _heading, fate=Fate.FRAME),
    Row("heading", r"config:(?: .{0,80})?$", fate=Fate.FRAME, opens=False),
    Row(
        "part",
        rf"(?P<name>[\w/][\w./:@,-]{{0,250}}) {{1,120}}{_STATE}"
        rf"(?: {{1,40}}(?P<read>{_COUNT}) {{1,40}}(?P<write>{_COUNT}) {{1,40}}(?P<sum>{_COUNT}))?"
        r"(?: {1,40}[a-z(][^\n]{0,160}| {1,40}\d{1,12})? {0,40}$",
        _part,
        opens=False,
    ),
    Row("all in order", r"(?:all pools are healthy|pool '(?P<name>[^']{1,250})' is healthy)$", _in_order),
    everyday("no pools", "no pools available$"),
    Row("sort of parts", rf"(?:{'|'.join(_NO_PART)})$", _apart, fate=Fate.EVERYDAY, opens=False),
    Row(
        "damage",
        r"status: One or more devices has experienced an error resulting in data\b.{0,40}$"
        r"|(?:scan|scrub): scrub repaired .{1,40} with [1-9]\d{0,9} errors\b.{0,60}$",
        _damaged,
        opens=False,
    ),
    everyday(
        "words about it",
        r"(?:status|action|see|scan|scrub|checkpoint|remove|dedup):(?: .{0,300})?$",
        r"errors: (?:No known data errors|none)\.?$",
        r"capacity operations may be delayed\b.{0,80}$",
        opens=False,
    ),
)
_ROWS: Final = Rows(*_KINDS)
_COUNTED: Final = rf"\S{{1,250}}\s{{1,120}}\S{{1,40}}(?:\s{{1,40}}{_COUNT}){{3}}\s{{0,40}}$"
"""A part with its counts, whatever its state is called: unread where nobody knows it."""
_REST: Final = Rows(*_KINDS, everyday("more words", rf"(?!{_COUNTED})[\w(/'.,%<].{{0,300}}$", opens=False))
_INDENT: Final = 8


def _owns(text: str, before: str) -> bool:
    """Also the rest of a sentence, which stands below its first word; two blanks part it from the next one."""
    return _ROWS.owns(text, before) or re.match(_COUNTED, text.strip()) is not None or _is_rest(text, before)


def _is_rest(text: str, before: str) -> bool:
    is_sentence = "  " not in text.strip().replace(".  ", ". ")
    return text[:_INDENT].strip(" \t") == "" and _REST.owns(text, before) and is_sentence


@parser("zpool", version=3, product="storage", claims=_ROWS.claims, owns=_owns, commands=("zpool",))
def zpool(section: OpenSection, out: Output) -> None:
    """Pools, and the parts of them that are not in order."""
    _REST.read(section, out, "no part of a pool with its state")


_ALONE: Final = Rows(
    Row(
        "part below no heading",
        rf"(?P<name>[\w/][\w./:@,-]{{0,250}}) {{1,120}}{_STATE}"
        rf" {{1,40}}(?P<read>{_COUNT}) {{1,40}}(?P<write>{_COUNT}) {{1,40}}(?P<sum>{_COUNT})"
        r"(?: {1,40}[a-z(][^\n]{0,160})? {0,40}$",
        _part,
    )
)
_GUESSED: Final = -60


@parser("zpool_rows", version=2, product="storage", rows=_ALONE, priority=_GUESSED)
def zpool_rows(section: OpenSection, out: Output) -> None:
    """Rows of a pool that somebody cut out; the first one is the pool itself where it is not set in and is no disk."""
    _ALONE.read(section, out, "no part of a pool with its state")


_CELL: Final = r"(?:-|\d[\d.]{0,19}[BKMGTPEx%]?)"


def _listed_part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A pool, or what is set in below it."""
    name, state = match["name"], match["state"]
    if line.text[:1].strip():
        section.state["pool"] = name
        _put(section, line, "pool", name, state, _OF_POOL.get(state, "failed"))
        if match["share"] != "-":
            share = float(match["share"])
            section.add(
                Room,
                line.number,
                source="zpool list",
                sort="pool",
                name=name,
                share=share,
                left=round(100 - share, 2),
                state=f"{match['share']} %",
                standing=room_standing(share),
            )
    else:
        sort: StorageSort = "array" if _GROUP.fullmatch(name) else "disk"
        _put(section, line, sort, name, state, _OF_PART.get(state, "degraded"))


_LISTED: Final = Rows(
    Row(
        "heading", r"NAME {1,80}SIZE {1,40}ALLOC {1,40}FREE {1,40}.{0,80}\bHEALTH(?: {1,40}ALTROOT)?$", fate=Fate.FRAME
    ),
    Row(
        "row",
        rf"(?P<name>(?!\d{{1,9}}[:.)|]? )[\w/][\w./:@-]{{0,250}})(?: {{1,80}}{_CELL}){{3,10}} {{1,80}}"
        rf"(?P<share>-|\d{{1,3}}(?:\.\d{{1,2}})?)%? {{1,80}}{_CELL} {{1,60}}{_STATE}(?: {{1,40}}(?:-|/\S{{0,200}}))?$",
        _listed_part,
        opens=False,
    ),
    everyday("row without a state", rf"[\w/][\w./:@-]{{0,250}}(?: {{1,80}}{_CELL}){{5,12}}$", opens=False),
    everyday("sort of parts", rf"(?:{'|'.join(_NO_PART)})(?: {{1,80}}-){{0,12}}$", opens=False),
)


@parser("zpool_list", version=2, product="storage", rows=_LISTED, priority=1)
def zpool_list(section: OpenSection, out: Output) -> None:
    """``zpool list``, and with ``-v`` the parts of each pool."""
    _LISTED.read(section, out, "no row of a pool")


_SIZE: Final = r"\d[\d.]{0,12}[BKMGTPE]?$"
_SETS: Final = Table(
    Column("NAME", cell=r"\S{1,255}$", needed=True),
    Column("USED", cell=_SIZE, needed=True),
    Column("AVAIL", cell=rf"(?:{_SIZE}|-$)", needed=True),
    Column("REFER", cell=_SIZE, needed=True),
    Column("MOUNTPOINT", cell=r"(?:/\S{0,1000}|-|none|legacy)$"),
    row=r"\S{1,255}\s{1,80}\d[\d.]{0,12}[BKMGTPE]?\s{1,40}(?:\d[\d.]{0,12}[BKMGTPE]?|-)\s{1,40}\d[\d.]{0,12}[BKMGTPE]?(?:\s|$)",
)


@parser("zfs_list", version=1, product="storage", rows=_SETS, commands=("zfs",))
def zfs_list(section: OpenSection, out: Output) -> None:
    """``zfs list``: data sets with what is left for each."""
    for row in _SETS.rows(section, out, "no data set with its sizes"):
        name, used, left = row.fields["NAME"], row.fields["USED"], row.fields["AVAIL"]
        if left == "-":  # of a snapshot: it takes what it needs from its pool
            section.add(Setting, row.line, scope=name, source="zfs list", name="used", value=used)
            continue
        section.add(
            Room,
            row.line,
            source="zfs list",
            name=name,
            state=f"{used} used, {left} left",
            standing="full" if left.rstrip("BKMGTPE").strip("0.") == "" else "free",
        )


_SUSPENDED: Final = "pool I/O is currently suspended"


def _refused(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    verb = match["verb"]
    is_suspended = _SUSPENDED in line.text
    refused = {"mount": "mount-refused", "import": "zfs-pool-not-opened", "open": "zfs-pool-not-opened"}
    section.add(
        Event,
        line.number,
        source="zfs",
        kind="zfs-pool-suspended" if is_suspended else refused.get(verb, "zfs-command-refused"),
        about=match["about"].split("/")[0] if is_suspended else match["about"],
        weight="disaster" if is_suspended else "trouble",
        text=line.text.strip()[:_TEXT_KEPT],
    )


_ANSWERS: Final = Rows(
    everyday(
        "nothing to do",
        r"cannot \w{2,12} '[^']{1,200}': (?:.{0,60}already (?:exists|mounted|shared|online)|.{0,40}is busy|dataset does"
        r" not exist|no such pool|a pool with that name|permission denied|filesystem has (?:dependent|children))",
    ),
    Row(
        "refused",
        r"cannot (?P<verb>import|open|mount|create|replace|attach|online|add|receive|clear|scrub|export|destroy) "
        r"'(?P<about>[\w./:-]{1,200})': [a-zA-Z]",
        _refused,
    ),
)


@parser("zfs_answers", version=2, product="storage", rows=_ANSWERS, commands=("zpool", "zfs"))
def zfs_answers(section: OpenSection, out: Output) -> None:
    """What ``zpool`` and ``zfs`` did not do."""
    _ANSWERS.read(section, out, "no answer of a command")
