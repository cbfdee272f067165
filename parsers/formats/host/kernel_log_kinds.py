"""What lines of a system log mean: kernel, corosync, multipathd, fencing. Patterns are matched where the message begins; no parser.

The rows stand in ``kernel_log_kinds.toml``. Kinds are words with hyphens; rules read them. What no row fits is an ordinary line of the log.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a message says."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""


_WORD: Final = r"[\w.:/!+-]{1,128}"
_FIGURE: Final = r"\d{1,12}(?:\.\d{1,6})?"

_PARTS: Final = {"@WORD@": _WORD, "@FIGURE@": _FIGURE}
_TABLES: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PROGRAMS: Final[dict[str, str]] = _TABLES["programs"]
"""The group of each program whose lines are looked up."""


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


_ROWS: Final = {
    group: tuple((row["kind"], _compiled(row["pattern"]), row.get("unit", "")) for row in _TABLES["line"] if row["group"] == group)
    for group in dict.fromkeys(PROGRAMS.values())
}
_LITERALS: Final = re.compile(
    r"(?:INFO|BUG|vxfs: |Kernel panic|watchdog|rcu|gfs2|GFS2|dlm|device-mapper|sd |scsi|nvme|blk_|end_req|print_req|Buffer|lost|I/O|TCP"
    r"|request_sock|[Pp]ossible"
    r"|Out of|Memory|nfs|bonding|qla|lpfc|mpt|mega| ?rport|.{0,80}(?:[Ll]ink |invoked oom|critical |error))"
)
_REPEATED = re.compile(r"message repeated (\d{1,9}) times: \[ ?(.*)\]$")
_LEVEL = re.compile(r"(?:notice|warning|error|info|debug|crit): {1,4}(?:\w{2,40}: {1,4})?")
_TAG = re.compile(r"(?:(?:notice|warning|error|info|debug|crit|alert|emerg) {1,4})?\[[A-Z]{2,8} {0,6}\] ")


def meaning_of(program: str, text: str) -> Meaning | None:
    """What a message of a program says; None for an ordinary line."""
    group = PROGRAMS.get(program)
    if group is None:
        return None
    times = 1.0
    if text.startswith("message repeated") and (again := _REPEATED.match(text)):
        times, text = float(again[1]), again[2].strip()
    if group == "kernel" and _LITERALS.match(text) is None:
        return None
    if group == "totem" and (tag := _TAG.match(text)):
        text = text[tag.end() :]
    elif group == "fencing" and (level := _LEVEL.match(text)):
        text = text[level.end() :]
    for kind, pattern, unit in _ROWS[group]:
        if match := pattern.match(text):
            return _meaning(kind, match, unit, times)
    return None


def _meaning(kind: str, match: re.Match[str], unit: str, times: float) -> Meaning:
    found = match.groupdict()
    about = found.get("about") or found.get("about2")
    value = found.get("value")
    if kind == "totem-retransmit":
        return Meaning(kind, None, times, "lines")
    about = about.rstrip(".:,") or None if about else None
    return Meaning(kind, about, float(value) if value else None, unit if value else "")
