"""What a line of ``mmfs.log`` means: patterns by the first word of its text. No parser.

    Connected to 10.74.12.61 lund061 <c0n11>:[0]                            connected, about lund061
    The unexpected long waiter on thread 5214 has disappeared in 1322 seconds      long-waiter-ended, about thread 5214, 1322 s

The rows stand in ``log_kinds.toml``. A line that fits no pattern is an event only where its letter says alert, error or warning.
Source: IBM Storage Scale documentation, GPFS logs, network failures, automated deadlock detection; wordings of expel, lease and quorum
lines are recalled from public reports.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}"
_PEER: Final = rf"(?:(?P<address>{_ADDRESS})(?: \((?P<boxed>{_NAME})\)| (?P<named>{_NAME})(?= |,|$|\.$|:\[))?|(?P<about>{_NAME}))"
_SECONDS: Final = r"(?P<value>\d{1,12}(?:[.,]\d{1,9})?) sec"
_ANY: Final = r"[^\n]{0,400}?"


class Meaning(NamedTuple):
    """One wording. Groups of the pattern: ``address``, ``boxed`` or ``named``, ``about``, ``value``."""

    kind: str
    pattern: re.Pattern[str]
    unit: str = ""


class LogEvent(NamedTuple):
    """What a line says. ``alias`` is the name that stands beside an address."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""
    alias: tuple[str, str] | None = None


_PARTS: Final = {"@PEER@": _PEER, "@SECONDS@": _SECONDS, "@ADDRESS@": _ADDRESS, "@ANY@": _ANY}
_TABLES: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_BY_LETTER: Final[dict[str, str]] = _TABLES["letters"]


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


_ANYWHERE: Final = tuple((row["kind"], _compiled(row["pattern"])) for row in _TABLES["anywhere"])
LETTERS: Final = frozenset(_BY_LETTER)


def _tables() -> dict[str, tuple[Meaning, ...]]:
    found: dict[str, list[Meaning]] = {}
    for row in _TABLES["line"]:
        found.setdefault(row["word"], []).append(Meaning(row["kind"], _compiled(row["pattern"]), row.get("unit", "")))
    return {word: tuple(rows) for word, rows in found.items()}


MEANINGS: Final = _tables()
WORDS: Final = frozenset(word.encode() for word in MEANINGS)


def meaning_of(letter: str, text: str) -> LogEvent | None:
    """What a line of this letter and text says; None where it does not matter."""
    word, _, rest = text.partition(" ")
    for meaning in MEANINGS.get(word, ()):
        if match := meaning.pattern.match(rest):
            return _event(meaning.kind, match, meaning.unit)
    if letter in _BY_LETTER:
        for kind, pattern in _ANYWHERE:
            if match := pattern.search(text[:2000]):
                return _event(kind, match, "")
        return LogEvent(_BY_LETTER[letter])
    return None


def _event(kind: str, match: re.Match[str], unit: str) -> LogEvent:
    found = {name: value for name, value in match.groupdict().items() if value}
    name, address = found.get("boxed") or found.get("named"), found.get("address")
    about = name or address or found.get("about")
    value = float(found["value"].replace(",", ".")) if "value" in found else None
    return LogEvent(
        kind, about.strip() if about else None, value, unit if value is not None else "", (name, address) if name and address else None
    )


def kinds() -> Iterator[str]:
    """All kinds of events that a log line may become."""
    yield from dict.fromkeys([row["kind"] for row in _TABLES["line"]] + [kind for kind, _ in _ANYWHERE] + list(_BY_LETTER.values()))
