"""What a message of LLT, GAB, VCS, I/O fencing, CVM or the kernel means, by its number or its words. No parser of its own.

The rows stand in ``log_kinds.toml``.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple


class Meaning(NamedTuple):
    """Kind of the event, who or what it is about, and its figure."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""


_TABLES: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_BY_ID: Final[dict[str, str]] = _TABLES["numbers"]
_BY_SOURCE: Final = {
    source: tuple((re.compile(row["pattern"]), row["kind"]) for row in _TABLES["words"] if row["source"] == source)
    for source in dict.fromkeys(row["source"] for row in _TABLES["words"])
}
_QUIET: Final = frozenset(("vcs", "vxvm"))
_LOUD: Final = frozenset(("WARNING", "ERROR", "CRITICAL"))
_LINK = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
_OLD_LINK = re.compile(r"from (\d{1,3}) link (\d{1,3}) \(([^)]{0,64})\)")
_PORT = re.compile(r"[Pp]ort ([a-z])\b")
_FIGURES: Final = {kind: (re.compile(row["pattern"]), row["unit"]) for kind, row in _TABLES["figures"].items()}
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
