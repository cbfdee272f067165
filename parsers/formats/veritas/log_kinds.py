"""What a message of LLT, GAB, VCS, I/O fencing, CVM or the kernel says, by its code or its words. No parser of its own.

The rows stand in ``parsers/messages/veritas.toml``.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.messages.catalogue import (
    WEIGHTS,
    Found,
    catalogue,
    entries_in_force,
    find,
    level_weight,
    sounding,
    weighed,
)

_QUIET: Final = frozenset(("vcs", "vxvm", "vxfs", "vxfen", "installer", "infoscale"))
_LOUD: Final = frozenset(("WARNING", "ERROR", "CRITICAL", "PANIC"))
_GRAVE: Final = frozenset(("ERROR", "CRITICAL", "PANIC"))
_LINK = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
_OLD_LINK = re.compile(r"from (\d{1,3}) link (\d{1,3}) \(([^)]{0,64})\)")
_PORT = re.compile(r"[Pp]ort ([a-z])\b")
_TELLING: Final = ("freez", "frozen", "thaw", "jeopardy", "membership", "fault")


@cache
def _everyday_codes() -> frozenset[str]:
    """Codes whose messages are everyday in every wording, and end nothing."""
    book = catalogue()
    ending = {kind for found in book.meanings.values() for kind in found.ended_by}
    return frozenset(
        code
        for code, rows in book.codes.items()
        if all(book.meanings[row.kind].weight == "everyday" and row.kind not in ending for row in rows)
    )


def is_everyday(ident: str, text: str) -> bool:
    """Whether a line of the engine that is no warning says nothing of a fault, a freeze or a membership."""
    if ident in catalogue().codes and ident not in _everyday_codes():
        return False
    return not any(map(text.lower().__contains__, _TELLING))


def meaning(source: str, ident: str, severity: str, text: str) -> Found | None:
    """What a message means; None where it is everyday noise of the engine or the volume manager."""
    return _meaning(source, ident, severity, text, entries_in_force().version)


@lru_cache(maxsize=65536)
def _meaning(source: str, ident: str, severity: str, text: str, version: str) -> Found | None:
    found = find(source, text, code=ident, level=severity)
    if found is not None and _is_doubted(found, ident, severity, text):
        found = None
    if found is None:
        if source in _QUIET and severity not in _LOUD:
            return Found(UNLISTED, weight=heard) if not severity and (heard := sounding(text)) else None
        sort = "error" if severity in _GRAVE else "warning" if severity == "WARNING" else "message"
        weight = level_weight(severity)
        heard = sounding(text) if sort == "warning" else ""
        kind = UNLISTED if heard else f"{source}-{sort}"
        found = Found(kind, weight=max(weight, heard, key=WEIGHTS.index))
    return weighed(found._replace(about=_about(source, text) or found.about), severity)


def _is_doubted(found: Found, ident: str, severity: str, text: str) -> bool:
    """Whether a code alone calls a line everyday that itself says to be a warning and tells of trouble: releases use
    one code for several messages.
    """
    if found.weight != "everyday" or severity not in _LOUD or not sounding(text):
        return False
    return any(row.kind == found.kind and not row.pattern for row in catalogue().codes.get(ident, ()))


def _about(source: str, text: str) -> str | None:
    if source == "llt":
        if link := _LINK.search(text):
            return f"link {link[1]} ({link[2]}) node {link[3]}"
        old = _OLD_LINK.search(text)
        return f"link {old[2]} ({old[3]}) node {old[1]}" if old else None
    if source == "gab" and (port := _PORT.search(text)):
        return f"port {port[1]}"
    return None
