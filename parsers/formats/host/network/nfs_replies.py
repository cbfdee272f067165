"""Replies of NFS servers in a capture, one line each: ``tshark``, ``tcpdump`` and lists of Wireshark.

     91 12.283244 10.20.4.9 → 10.20.4.1 NFS 116 V4 Reply (Call In 90) OPEN Status: NFS4ERR_GRACE
     92 12.291001 10.20.4.9 -> 10.20.4.1 NFS 110 V3 GETATTR Reply (Call In 88)  Error: NFS3ERR_STALE
    10:02:11.9912 IP moth4.2049 > moth7.871: reply ok 32 getattr ERROR: Stale NFS file handle

Yields ``Event`` where the server refuses a call for what it lacks itself: it forgot its client, it is in the time of
grace after a start, it asks to come again later, the file is gone beneath its handle, its disk or its room failed. What
a program asked for and is not there (no such file, no right to it) is everyday, and so are calls and replies that are
well. About the server. No times. Source: RFC 8881, RFC 1813; tshark(1), tcpdump(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Event
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_KINDS: Final = {
    "nfs-in-grace": ("GRACE",),
    "nfs-client-forgotten": (
        "BADSESSION",
        "DEADSESSION",
        "STALE_CLIENTID",
        "STALE_STATEID",
        "BAD_STATEID",
        "EXPIRED",
        "ADMIN_REVOKED",
        "DELEG_REVOKED",
    ),
    "nfs-server-delays": ("DELAY", "JUKEBOX"),
    "nfs-stale": ("STALE", "BADHANDLE", "FHEXPIRED"),
    "nfs-server-fails": ("IO", "SERVERFAULT", "RESOURCE"),
    "program-no-room": ("NOSPC", "DQUOT"),
    "program-read-only": ("ROFS",),
}
_KIND_OF: Final = {status: kind for kind, statuses in _KINDS.items() for status in statuses}
_HOST: Final = r"[0-9a-fA-F.:]{3,45}|[A-Za-z][\w.-]{1,126}"
_CAPTURED: Final = (
    rf"(?:\d{{1,9}}\s{{1,8}})?(?:\d[\d:.-]{{0,30}}\s{{1,8}}){{0,2}}(?P<server>{_HOST})\s{{1,12}}(?:→|->|>)\s{{1,12}}"
    rf"(?:{_HOST})"
    r"\s{1,12}NFS(?: CB)?\s{1,12}\d{1,6}\s{1,8}V[234](?:\.\d)?\s"
)
_FRAME: Final = _CAPTURED.replace("?P<server>", "?:")
_STATUSES: Final = "|".join(sorted(_KIND_OF, key=len, reverse=True))
_DUMPED: Final = (
    rf"(?:\d\d:\d\d:\d\d\.\d{{1,9}} )?IP6? (?P<server>(?:{_HOST}))\.(?:2049|nfs) > (?:{_HOST})\.\d{{1,6}}: "
)


def _refused(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    kind = _KIND_OF[match["status"]]
    _put(section, line, match, kind)


def _stale(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match, "nfs-stale")


def _put(section: OpenSection, line: Line, match: re.Match[str], kind: str) -> None:
    text = line.text.strip()[:400]
    section.add(Event, line.number, source="capture", kind=kind, about=match["server"], weight="trouble", text=text)


_ROWS: Final = Rows(
    Row(
        "refused",
        rf"{_CAPTURED}[^\n]{{0,300}}(?:Status|Error): ?NFS[34]?ERR_(?P<status>{_STATUSES})\b[^\n]{{0,200}}$",
        _refused,
    ),
    everyday("other packets", rf"{_FRAME}[^\n]{{0,600}}$"),
    Row("refused, by tcpdump", rf"{_DUMPED}[^\n]{{0,200}}reply [^\n]{{0,100}}ERROR: Stale\b[^\n]{{0,100}}$", _stale),
)


@parser("nfs_replies", version=1, product="", rows=_ROWS, commands=("tshark",))
def nfs_replies(section: OpenSection, out: Output) -> None:
    """Replies that refuse a call."""
    _ROWS.read(section, out, "no packet of NFS")
