"""Entries of a journal as lists of fields: ``journalctl -o export`` and ``journalctl -o verbose``.

    __REALTIME_TIMESTAMP=1930820472000000         Fri 2031-03-07 21:14:32.000000 UTC [s=1f;i=2;b=3c;m=4;t=5;x=6]
    _HOSTNAME=curlew                                  _HOSTNAME=curlew
    SYSLOG_IDENTIFIER=kernel                          SYSLOG_IDENTIFIER=kernel
    MESSAGE=GFS2: fsid=yard:grain.1: withdrawn        MESSAGE=GFS2: fsid=yard:grain.1: withdrawn

An entry ends at a blank line, or where the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from parsers.enclosed.exported import HOSTS, NUMBERS, PROGRAMS, as_logged, names_host

MOST_FIELDS: Final = 400
_FIELD: Final = re.compile(r"[ \t]{0,16}(?P<name>_{0,2}[A-Z][A-Z0-9_]{0,63})=(?P<value>.*)$")
_BEGINS: Final = re.compile(
    r"__(?:CURSOR|REALTIME_TIMESTAMP)=|[A-Z][a-z]{2} (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)"
    r" (?P<zone>[A-Za-z0-9+-]{1,8}) \[s=[0-9a-f]+;"
)
_BINARY: Final = 8
"""Bytes of the length that stands in front of a message of several lines."""


class EntryLine(NamedTuple):
    """A line of a log, and how far from the first line of its entry it stands."""

    distance: int
    text: str
    host: str = ""
    """Of a line with a stamp of its own that names none."""


def begins(text: str) -> bool:
    """Whether an entry begins with a line."""
    return text[:2] == "__" or (text[:1].isupper() and "[s=" in text) if _BEGINS.match(text) else False


def entry(lines: Iterator[str]) -> tuple[int, list[EntryLine]]:
    """How many of some lines an entry takes, and what it says; nothing where it has no message."""
    open_entry = _Entry()
    for text in lines:
        if not open_entry.takes(text):
            break
    return open_entry.count, _logged(open_entry.fields, open_entry.texts) if open_entry.texts else []


class _Entry:
    """An entry as far as its lines are known."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.texts: list[EntryLine] = []
        self.count = 0
        self._is_binary = False

    def takes(self, text: str) -> bool:
        """Whether a line belongs to the entry; then it is taken."""
        begins_one = _BEGINS.match(text)
        if self.count and self._ends(text, begins_one):
            return False
        if begins_one is not None and begins_one["at"]:
            is_utc = begins_one["zone"] == "UTC"
            self.fields["__REALTIME_TIMESTAMP"] = f"{begins_one['at']} UTC" if is_utc else begins_one["at"]
        elif not self._field(text) and not self._goes_on(text):
            return False
        self.count += 1
        return self.count < MOST_FIELDS

    def _ends(self, text: str, begins_one: re.Match[str] | None) -> bool:
        is_next = begins_one is not None and (begins_one["at"] or text.startswith("__CURSOR="))
        return not text.strip() or bool(is_next)

    def _field(self, text: str) -> bool:
        if (field := _FIELD.match(text)) is None:
            self._is_binary = self._is_binary or text == "MESSAGE"
            return text == "MESSAGE"
        self._is_binary = False
        self.fields.setdefault(field["name"], field["value"])
        if field["name"] == "MESSAGE":
            self.texts = [EntryLine(self.count, field["value"])]
        return True

    def _goes_on(self, text: str) -> bool:
        """Whether a line is a further one of the message."""
        if self._is_binary:
            self.texts.append(EntryLine(self.count, text if self.texts else text[_BINARY:]))
            return True
        if self.texts and self.texts[-1].distance == self.count - 1 and text[:1] in " \t":
            self.texts.append(EntryLine(self.count, text.strip()))
            return True
        return False


def _logged(fields: dict[str, str], texts: list[EntryLine]) -> list[EntryLine]:
    lower = {name.lower(): value for name, value in fields.items()}
    host, program, number = (
        next((lower[one] for one in some if lower.get(one)), "") for some in (HOSTS, PROGRAMS, NUMBERS)
    )
    first = as_logged(texts[0].text, host, fields.get("__REALTIME_TIMESTAMP", ""), program or "journal", number)
    is_placed = first != texts[0].text or names_host(first)
    return [EntryLine(texts[0].distance, first, "" if is_placed else host), *texts[1:]]
