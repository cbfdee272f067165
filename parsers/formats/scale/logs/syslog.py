"""Lines of the Scale daemon in the system log, where ``mmfs.log`` is forwarded to syslog, and its entries of the system
error log.

    Jun  3 22:48:15 lund07 mmfs[20436]: [N] Connecting to 10.74.12.61 lund061 <c0n11>:[0]
    2031-06-03T22:50:00.100+02:00 lund02 mmfs: [E] Node 10.74.12.63 (lund063) is being expelled because of an expired
    lease.
    Jun  3 22:51:02 lund07 mmfs: 2031-06-03_22:51:02.207+0200: [N] Close connection to 10.74.12.61 lund061 <c0n11>:[0]
    Jun  3 22:52:40 lund07 mmfs: Error=MMFS_LONGDISKIO, ID=0x9C1E4711, Tag=8715361: Disk I/O took 61 seconds on
    lund_nsd07

Yields what ``scale_log`` yields of the same text: ``Event``, ``Waiter`` for long waiters, ``NodeAlias``; an entry of
the error log gives an event named after its label (``long-disk-io``). The node is the host of the line, which
quotations leave out; the time the one inside the text where there is one, else that of syslog, without year (see
``parsers.times.years``) and zone. Tolerated: no process number, no letter, cut lines, entries broken before their tag.
Source: IBM Storage Scale documentation, GPFS logs (systemLogLevel, operating system error logs).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from parsers.formats.host.logs.log_heads import FACILITY
from parsers.formats.scale.logs.log_kinds import WAITER_KINDS, meaning_of
from parsers.formats.scale.waits.line import read_waiter
from parsers.formats.scale.waits.rows import Rows
from parsers.messages.catalogue import Found, Weight, meanings
from parsers.output import Output
from parsers.records import DiskName, Event, NodeAlias
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import whole
from parsers.times.clock import MONTH, Instant, find_instant

SOURCE: Final = "mmfs.log"
TEXT_KEPT: Final = 400
ALIASES_KEPT: Final = 4_000
_ISO: Final = r"\d{4}-\d\d-\d\d[T_ ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| [A-Z]{3,5}(?= ))?"
_BSD: Final = rf"{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,6}})?"
_HOST: Final = r"[A-Za-z0-9][\w.:-]{0,252}"
_DAY: Final = r"(?:[A-Z][a-z]{2} (?=\d{4}))?"
"""What ``journalctl -o short-full`` puts in front of a date."""
_ERROR: Final = r"Error=MMFS_[A-Z_]{3,40}, ID=0x"
CLAIM: Final = rf"(?:(?:{_DAY}{_ISO}|{_BSD}) (?:{_HOST} {FACILITY})?mmfs(?:\[\d{{1,10}}\])?: |{_ERROR})"
_LINE = re.compile(
    rf"(?:{_DAY}(?:(?P<iso>{_ISO})|(?P<month>[A-Z][a-z]{{2}}) {{1,2}}(?P<day>\d{{1,2}}) (?P<clock>[\d:.]{{8,15}})) "
    rf"(?:(?P<host>{_HOST}) {FACILITY})?mmfs(?:\[\d{{1,10}}\])?: {{1,4}}(?:(?P<own>{_ISO}): "
    rf"{{0,4}})?(?:\[\d{{1,10}}\]: {{1,4}}|\d{{1,10}}:? {{1,4}}(?=Error=))?|(?={_ERROR}))"
    r"(?:\[(?P<letter>[A-Z])\] {0,4})?(?P<text>.*)$"
)
_ENTRY = re.compile(r"Error=MMFS_([A-Z_]{3,40}), ID=0x[0-9A-Fa-f]{1,16}(?:, Tag=\d{1,20})?[:,]?(?: |$)")
_BEGUN = re.compile(rf"{CLAIM}Error=MMFS_[^\n]{{8,400}},$")
_REST = re.compile(r"Tag=\d{1,20}: ")
"""An entry of the error log is long: where pages break it, its tag begins the next line."""
_VOLUME = re.compile(r"(?<![Pp]hysical )\b[Vv]olume (?P<name>[^\s.,]{1,200})")
_PHYSICAL = re.compile(r"\b[Pp]hysical volume (?P<name>[^\s.,]{1,200})")
_TOOK = re.compile(
    r"\b(?:[Dd]isk I/O took \d{1,9}(?:\.\d{1,6})? seconds? on (?:disk )?(?P<name>[^\s,]{1,200}?)[.,]?(?: |$)"
    r"|I/O (?:to|on) (?:disk )?(?P<other>[^\s,]{1,200}) took \d)"
)
_ABOUT: Final = {
    "long-disk-io": (_TOOK, _PHYSICAL, _VOLUME),
    "disk-failed": (_PHYSICAL, _VOLUME),
}
"""Where an entry of the error log names its object: a disk, else the file system."""
_SPELT: Final = {
    "longdiskio": "long-disk-io",
    "diskfail": "disk-failed",
    "fsstruct": "fs-damaged",
    "system-unmount": "fs-unmounted",
    "abnormal-shutdown": "daemon-abnormal",
    "quota": "quota-failed",
    "environ": "environment-missing",
    "system-warning": "system-warning",
    "generic": "generic-entry",
}


_CLAIMED = re.compile(CLAIM)
_STAMPED = re.compile(rf"{CLAIM}|{_ISO}|{_BSD}")


def _goes_on(above: str, body: str) -> bool:
    """Whether a line is the rest of an entry that was broken."""
    if not body or _STAMPED.match(body) is not None:
        return False
    return _BEGUN.match(above) is not None or (_REST.match(above) is not None and above[-1] not in ".!")


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    return _CLAIMED.match(body) is not None or _goes_on(before.strip(), body)


@parser("scale_syslog", messages=True, version=5, product="spectrum-scale", claims=CLAIM, owns=_owns, priority=2)
def scale_syslog(section: OpenSection, out: Output) -> None:
    """Lines of ``mmfs`` in system logs, as in its own log."""
    rows, host = Rows(section, out), None
    for line, text in whole(section, out, _goes_on):
        match = _LINE.match(text)
        if match is None or not match["text"].strip():
            out.skip(line, "a line of the daemon without a text")
            continue
        if host is None and match["host"] is not None:
            host = match["host"]
            section.speaks_of(node=host, basis="line prefix")
        instant = _instant(section, match)
        if instant is not None:
            section.stamp(instant)
        found = _meaning(match["letter"] or "", match["text"].strip()[:4000])
        if found is None:
            out.ignore()
            continue
        _put(out, rows, line.number, match, instant, found)
    rows.settle()
    rows.flush()


def _instant(section: OpenSection, match: re.Match[str]) -> Instant | None:
    """The daemon's own stamp is the better one: it has a year, and a zone as a rule."""
    if (own := match["own"] or match["iso"]) is not None:
        found = find_instant(own.replace("_", " "))
        return found[0] if found else None
    if match["month"] is None:  # an entry without the head of the system log
        return None
    at = section.years.stamp(match["month"], match["day"], match["clock"])
    return Instant(at) if at is not None else None


def entry_kind(label: str) -> str:
    """What an entry of the system error log is called here: of ``FSSTRUCT``, ``fs-damaged``."""
    spelt = label.lower().replace("_", "-")
    return _SPELT.get(spelt, spelt)


def entry_weight(kind: str) -> Weight:
    """How much an entry weighs: one that no row knows is trouble, for the daemon writes none otherwise."""
    return meanings()[kind].weight if kind in meanings() else "trouble"


def put_volume(out: Output, number: int, kind: str, disk: str | None, text: str) -> None:
    """The file system of a disk that failed, which the line calls a volume."""
    known: set[tuple[str | None, str]] = out.interned.setdefault("scale_log_volumes", set())
    found = _VOLUME.search(text) if kind == "disk-failed" and len(known) < ALIASES_KEPT else None
    if disk and found is not None and found["name"] != disk and (disk, found["name"]) not in known:
        known.add((disk, found["name"]))
        out.add(DiskName(line=number, name=disk, fs=found["name"]))


def _meaning(letter: str, text: str) -> Found | None:
    if (entry := _ENTRY.match(text)) is None:
        return meaning_of(letter, text)
    reason = text.partition("Failure Reason ")[2].lstrip(": ")
    if reason and (meaning := meaning_of("E", reason)) is not None:
        return meaning
    kind = entry_kind(entry[1])
    places = (one.search(text) for one in _ABOUT.get(kind, (_VOLUME,)))
    named = next((found[found.lastindex or 0] for found in places if found is not None), None)
    return Found(kind, named, weight=entry_weight(kind))


def _put(out: Output, rows: Rows, number: int, match: re.Match[str], instant: Instant | None, found: Found) -> None:
    text, node, about, value = match["text"].strip(), match["host"], found.about, found.value
    if found.kind in WAITER_KINDS and (waiter := read_waiter(text)) is not None:
        rows.add(number, replace(waiter, logged=instant, node=None if waiter.on_node else node))
        node, value = waiter.on_node or node, waiter.seconds
        about = f"thread {waiter.thread_id}" if waiter.thread_id is not None else waiter.thread
    letter = f"[{match['letter']}] " if match["letter"] else ""
    out.add(
        Event(
            line=number,
            node=node,
            at=instant.us if instant else None,
            zone_min=instant.zone_min if instant else None,
            source=SOURCE,
            kind=found.kind,
            about=about,
            value=value,
            unit=found.unit,
            weight=found.weight,
            text=(letter + text)[:TEXT_KEPT],
        )
    )
    put_volume(out, number, found.kind, about, text)
    aliases: set[tuple[str, str]] = out.interned.setdefault("scale_log_aliases", set())
    if found.alias is not None and found.alias not in aliases and len(aliases) < ALIASES_KEPT:
        aliases.add(found.alias)
        out.add(NodeAlias(line=number, node=found.alias[0], alias=found.alias[1], kind="address"))
