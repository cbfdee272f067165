"""``ganesha.log``: what NFS-Ganesha says of itself, also as the protocol nodes of Spectrum Scale run it.

    02/04/2026 09:14:11 : epoch 0004000c : heron2 : gpfs.ganesha.nfsd-40712[svc_211] nfs_health :DBUS :WARN :Health ...
    2026-04-02T09:14:11.119+0200 : epoch 0004000c : heron2 : ganesha.nfsd-40712[main] nfs_start :NFS STARTUP :EVENT :...
    2026-04-02T09:14:11.119+0200 : epoch 4c : heron2 : ganesha.nfsd-407[svc_2] health.c:88 :nfs_health :DBUS :WARN :...

    nfs_op_open :STATE :DEBUG :failed with status NFS4ERR_GRACE           without its head, as people quote it

Yields ``Event`` by ``parsers/messages``; a message that no row knows weighs what its level does (FATAL, MAJ and CRIT
are trouble). The day stands before the month. The node is that of the line. Source: NFS-Ganesha, its log format and
levels; messages recalled.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import EVERYDAY, UNLISTED
from parsers.messages.catalogue import Weight, find, sounding
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import Instant, find_instant

_STAMP: Final = (
    r"(?:\d\d/\d\d/\d{4} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
)
_HEAD: Final = rf"{_STAMP} : epoch [0-9a-f]{{1,16}} : \S{{1,255}} : \S{{0,40}}ganesha(?:\.nfsd)?-\d{{1,9}}\["
_LINE: Final = re.compile(
    rf"(?P<stamp>{_STAMP}) : epoch [0-9a-f]{{1,16}} : (?P<host>\S{{1,255}}) : [^\[]{{1,80}}\[[^\]]{{0,80}}\] "
    r"(?:\S{1,120}:\d{1,6} :)?(?P<function>\S{1,120}) :(?P<part>[^:]{0,40}):(?P<level>[A-Z_]{2,12}) ?:(?P<text>.*)$"
)
_LEVELS: Final = "FATAL|MAJ|CRIT|WARN|EVENT|INFO|DEBUG|M_DBG|F_DBG"
_PART: Final = r"[A-Z][A-Z0-9 _]{1,30}"
_IS_BARE: Final = rf"[a-z]\w{{2,80}} :{_PART}:(?:{_LEVELS}) ?:"
_BARE: Final = re.compile(rf"(?P<function>[a-z]\w{{2,80}}) :{_PART}:(?P<level>{_LEVELS}) ?:(?P<text>.*)$")
_GRAVE: Final = ("FATAL", "MAJ", "CRIT")


@parser("ganesha_log", messages=True, version=1, product="", claims=_HEAD, owns=_HEAD)
def ganesha_log(section: OpenSection, out: Output) -> None:
    """Messages of the NFS server."""
    for line, match in lines_of(section, out, _LINE, "no message with its level"):
        if section.node != match["host"]:
            section.is_on(match["host"], stays=False)
        instant = _instant(match["stamp"])
        if instant is not None:
            section.stamp(instant)
        _put(line.number, match, match["host"], instant, out)


@parser("ganesha_bare", messages=True, version=1, product="", claims=_IS_BARE)
def ganesha_bare(section: OpenSection, out: Output) -> None:
    """Messages of the NFS server that lost their heads."""
    for line, match in lines_of(section, out, _BARE, "no message with its level"):
        _put(line.number, match, section.node, None, out)


def _put(line: int, match: re.Match[str], node: str | None, instant: Instant | None, out: Output) -> None:
    text = match["text"].strip()
    found = find("ganesha", text)
    weight = found.weight if found is not None else _weight(match["level"], text)
    if not weight or (found is not None and found.kind == EVERYDAY):
        out.everyday()
        return
    out.add(
        Event(
            line=line,
            node=node,
            at=instant.us if instant is not None else None,
            zone_min=instant.zone_min if instant is not None else None,
            source="ganesha.log",
            kind=found.kind if found is not None else UNLISTED,
            about=found.about if found is not None else None,
            weight=weight,
            text=f"{match['function']}: {text}"[:400],
        )
    )


def _weight(level: str, text: str) -> Weight:
    """What a message of no row weighs: of one that is no error nobody can say where its words sound like trouble."""
    if level in _GRAVE:
        return "trouble"
    return "notice" if level in ("WARN", "EVENT") and sounding(text) else ""


def _instant(stamp: str) -> Instant | None:
    """The stamp's moment; one with slashes has the day first, whatever a reader of other logs would guess."""
    if stamp[2] != "/":
        found = find_instant(stamp)
        return found[0] if found is not None else None
    try:
        day, month, year = (int(part) for part in stamp[:10].split("/"))
        hour, minute, second = (int(part) for part in stamp[11:].split(":"))
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return Instant(int(moment.timestamp()) * 1_000_000, None)  # whose zone is not printed
