"""What a message of LLT, GAB, VCS, I/O fencing, CVM or the kernel means, by its number or its words. No parser of its own."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple


class Meaning(NamedTuple):
    """Kind of the event, who or what it is about, and its figure."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""


_BY_ID: Final = {
    "V-14-1-10205": "link-trouble", "V-14-1-10024": "link-active", "V-14-1-10032": "link-inactive", "V-14-1-10510": "heartbeat-requested",
    "V-14-1-10509": "link-expired", "LLT:10019": "heartbeat-delayed", "LLT:10023": "heartbeat-lost",
    "V-15-1-20036": "port-membership", "V-15-1-20037": "port-jeopardy", "V-15-1-20040": "port-visible", "V-15-1-20050": "corrupt-packet",
    "V-15-1-20057": "client-idle", "V-15-1-20058": "client-killed", "V-15-1-20059": "client-idle", "V-15-1-20129": "client-idle",
    "GAB:20036": "port-membership", "GAB:20037": "port-jeopardy", "GAB:20040": "port-visible",
    "V-16-1-51100": "had-late", "V-16-1-40184": "had-late", "VCS:10485": "had-late", "V-16-1-10600": "engine-not-running",
    "V-35-41": "not-configured-for-sharing",
}  # fmt: skip
_WORDS: Final = (
    ("llt", r"in trouble", "link-trouble"),
    ("llt", r"inactive \d", "link-inactive"),
    ("llt", r"expired", "link-expired"),
    ("llt", r"sent hbreq", "heartbeat-requested"),
    ("llt", r"\) node \d{1,3} active$", "link-active"),
    ("gab", r" jeopardy ", "port-jeopardy"),
    ("gab", r" visible ", "port-visible"),
    ("gab", r" membership ", "port-membership"),
    ("vxfen", r"(?i)split[- ]?brain", "fencing-split-brain"),
    ("vxfen", r"(?i)\blocal (?:cluster )?node (?:was |is )?ejected", "fencing-ejected"),
    ("vxfen", r"(?i)\beject", "fencing-eject"),
    ("vxfen", r"(?i)reservation conflict", "reservation-conflict"),
    ("vxvm", r"(?i)uncorrectable (?:read|write) error", "vxvm-io-error"),
    ("vxvm", r"(?i)\bSRL\b|\bDCM\b|log overflow|\brlink", "replication"),
    ("vxvm", r"(?i)master takeover|new master|master (?:has )?chang|reconfig|CVM_VOLD|cluster_establish", "cvm-reconfiguration"),
    ("vcs", r"(?i)freez|frozen|thaw", "vcs-freeze"),
    ("vcs", r"(?i)jeopardy|membership", "vcs-membership"),
    ("vcs", r"(?i)\bfault", "vcs-fault"),
    ("kernel", r"page allocation failure", "page-allocation-failure"),
)
_BY_SOURCE: Final = {
    source: tuple((re.compile(words), kind) for of, words, kind in _WORDS if of == source)
    for source in dict.fromkeys(of for of, _, _ in _WORDS)
}
_QUIET: Final = frozenset(("vcs", "vxvm"))
_LOUD: Final = frozenset(("WARNING", "ERROR", "CRITICAL"))
_LINK = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
_OLD_LINK = re.compile(r"from (\d{1,3}) link (\d{1,3}) \(([^)]{0,64})\)")
_PORT = re.compile(r"[Pp]ort ([a-z])\b")
_FIGURES: Final = {
    "link-inactive": (re.compile(r"inactive (\d{1,6}) sec"), "s"),
    "heartbeat-requested": (re.compile(r"(\d{1,4}) more to go"), "requests left"),
    "heartbeat-delayed": (re.compile(r"(\d{1,9}) ticks"), "ticks"),
    "heartbeat-lost": (re.compile(r"lost (\d{1,9}) hb"), "heartbeats"),
    "had-late": (re.compile(r"\((\d{1,6}) sec"), "s"),
    "client-idle": (re.compile(r"(?:idle|inactive)[^\d]{0,20}(\d{1,9})"), ""),
}


_TELLING: Final = ("freez", "frozen", "thaw", "jeopardy", "membership", "fault")


def is_everyday(ident: str, text: str) -> bool:
    """Whether a line of the engine that is no warning says nothing of a fault, a freeze or a membership."""
    if ident in _BY_ID:
        return False
    lower = text.lower()
    return not any(word in lower for word in _TELLING)


@lru_cache(maxsize=65536)
def meaning(source: str, ident: str, severity: str, text: str) -> Meaning | None:
    """What a message means; None where it is everyday noise of the engine or the volume manager."""
    kind = _BY_ID.get(ident) or next((kind for pattern, kind in _BY_SOURCE.get(source, ()) if pattern.search(text)), None)
    if kind is None:
        if source in _QUIET and severity not in _LOUD:
            return None
        kind = f"{source}-{'error' if severity in ('ERROR', 'CRITICAL') else 'warning' if severity == 'WARNING' else 'message'}"
    value, unit = _figure(kind, text)
    return Meaning(kind, _about(source, text), value, unit)


def _figure(kind: str, text: str) -> tuple[float | None, str]:
    pattern, unit = _FIGURES.get(kind, (None, ""))
    found = pattern.search(text) if pattern is not None else None
    return (float(found[1]), unit) if found else (None, "")


def _about(source: str, text: str) -> str | None:
    if source == "llt":
        if link := _LINK.search(text):
            return f"link {link[1]} ({link[2]}) node {link[3]}"
        old = _OLD_LINK.search(text)
        return f"link {old[2]} ({old[3]}) node {old[1]}" if old else None
    if source == "gab" and (port := _PORT.search(text)):
        return f"port {port[1]}"
    return None
