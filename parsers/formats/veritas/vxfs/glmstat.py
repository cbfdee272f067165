"""``glmstat -m`` of the Group Lock Manager of Veritas: messages by sender, receiver, kind and class of lock.

             message     all      rw       g      pg       h     buf     oth    loop
    master send:
               GRANT      41      12       0       0      20       0       9      31
            subtotal      41      12       0       0      20       0       9      31
        master total      41      12       0       0      20       0       9      31
    recovery send:
            subtotal       0                                                       0

Yields ``Counter``: name ``master send GRANT rw`` (section, row, column), messages since ``glmstat -e`` (cumulative).
The columns are read from the heading. A row of two figures holds the first and the last column. ``loop`` is what never
left the node. No time is printed: it comes from a prompt or a date line above, for the first reading below it.
Tolerated: bold marks in the heading, rows left out, a copy without line ends, cut rows, the last columns put on lines
of their own by a mail. Source: glmstat of Storage Foundation Cluster File System 6 on Linux.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_SECTION: Final = r"(?:master|proxy|recovery) (?:send|recv):"
_TOTAL: Final = r"(?:(?:master|proxy|recovery|send|recv) {1,4})?total"
_CLAIMS: Final = (
    rf"(?:message {{1,40}}\*{{0,2}}all\*{{0,2}} {{1,40}}[a-z*]|{_SECTION} {{0,40}}(?:$|[A-Z][A-Z_]{{2,30}} "
    r"{1,40}\d|subtotal {1,40}\d))"
)
_OWNS: Final = re.compile(rf"(?:{_CLAIMS}|(?:[A-Z][A-Z_]{{1,30}}|subtotal|{_TOTAL}) {{1,80}}\d)")
_FIGURES: Final = re.compile(r"\d[\d ]{0,200}$")
_ROW: Final = re.compile(rf"(?:[A-Z][A-Z_]{{1,30}}|subtotal|{_TOTAL})(?: {{1,80}}\d{{1,20}}){{1,24}}$")
_COLUMNS: Final = re.compile(r"[a-z*][a-z0-9_*]{0,20}(?: {1,40}[a-z*][a-z0-9_*]{0,20}){0,7}$")
_HEADING: Final = re.compile(r"message {1,40}\*{0,2}all\b")
_WORD = re.compile(r"\S+")
_SIDES: Final = frozenset(("master", "proxy", "recovery", "send", "recv"))
_NAME = re.compile(r"[A-Z][A-Z_]{1,30}$")
_COLUMN = re.compile(r"[a-z][a-z0-9_]{0,20}$")
_MOST_COLUMNS: Final = 24


def _owns(text: str, before: str) -> bool:
    body, above = text.strip(), before.strip()
    if is_elision(text) or _OWNS.match(body):
        return True
    return bool(_FIGURES.match(body) and _ROW.match(above)) or bool(_COLUMNS.match(body) and _HEADING.match(above))


class _Table:
    """Columns and section in force; a row that was there already begins the next reading."""

    def __init__(self) -> None:
        self.columns: list[str] = []
        self.side = ""
        self.sample = 0
        self.seen: set[str] = set()
        self.samples = 0
        self._begun: tuple[Line, list[str]] | None = None
        self._under_heading = False

    def line(self, section: OpenSection, out: Output, line: Line) -> None:
        """Read the words of a line: a heading, names of sections, rows. A row that lacks columns waits for the rest of
        it.
        """
        words = [word.strip("*") for word in _WORD.findall(line.text)[:4000]]
        was_under_heading, self._under_heading = self._under_heading, False
        if self._begun is not None and _FIGURES.match(line.text.strip()):
            first, begun = self._begun
            self._begun = None
            self._words(section, out, first, begun + words)
            return
        self.end(section, out)
        if was_under_heading and _COLUMNS.match(line.text.strip()):
            self.columns = (self.columns + words)[:_MOST_COLUMNS]
        elif self._lacks_columns(line.text.strip()):
            self._begun = line, words
        else:
            self._under_heading = _HEADING.match(line.text.strip()) is not None
            self._words(section, out, line, words)

    def end(self, section: OpenSection, out: Output) -> None:
        """Read a row for which nothing more came."""
        if self._begun is not None:
            (line, words), self._begun = self._begun, None
            self._words(section, out, line, words)

    def _lacks_columns(self, text: str) -> bool:
        """One row with fewer figures than the heading names; two of them are a row whose other columns are blank."""
        found = sum(word.isdecimal() for word in text.split()) if _ROW.match(text) else 0
        return found == 1 or 2 < found < len(self.columns)

    def _words(self, section: OpenSection, out: Output, line: Line, words: list[str]) -> None:
        at, wrong = 0, ""
        while at < len(words) and not wrong:
            at, wrong = self._item(section, out, line, words, at)
        if wrong:
            out.skip(line, wrong)

    def _item(self, section: OpenSection, out: Output, line: Line, words: list[str], at: int) -> tuple[int, str]:
        """One heading, section name or row from a word on: where it ends, and what is wrong with it."""
        word = words[at]
        if word == "message":
            return self._heading(words, at + 1), ""
        if word in _SIDES and at + 1 < len(words):
            following = words[at + 1]
            if following in ("send:", "recv:"):
                self.side = f"{word} {following[:-1]}"
                return at + 2, ""
            if following == "total":
                return self._row(section, out, line, words, at + 2, f"{word} total")
        if word == "total":
            return self._row(section, out, line, words, at + 1, "total")
        if word == "subtotal" or _NAME.match(word):
            if not self.side:
                return at, "a row without the name of its section"
            return self._row(section, out, line, words, at + 1, f"{self.side} {word}")
        return at, "no row of message counts"

    def _heading(self, words: list[str], at: int) -> int:
        """Names of columns, up to the first word that is none."""
        end = at
        while end < len(words) and end - at < _MOST_COLUMNS and _COLUMN.match(words[end]) and words[end] not in _SIDES:
            end += 1
        self.columns = words[at:end]
        self.side = ""
        self.seen.clear()
        self.sample = 0
        return end

    def _row(
        self, section: OpenSection, out: Output, line: Line, words: list[str], at: int, name: str
    ) -> tuple[int, str]:
        """The figures behind a row's name."""
        end = at
        while end < len(words) and words[end].isdecimal() and len(words[end]) <= 20:
            end += 1
        values = [int(word) for word in words[at:end]]
        if not self.columns:
            return end, "a row without a heading above"
        if len(values) == len(self.columns):
            columns = self.columns
        elif len(values) == 2:
            columns = [self.columns[0], self.columns[-1]]
        else:
            return end, "a row cut or with more figures than columns"
        self._put(section, out, line, [f"{name} {column}" for column in columns], values)
        return end, ""

    def _put(self, section: OpenSection, out: Output, line: Line, names: list[str], values: list[int]) -> None:
        if not self.sample or names[0] in self.seen:
            self.sample = line.number
            self.seen.clear()
            self.samples += 1
        self.seen.add(names[0])
        timed = self.samples == 1
        command = section.command
        out.extend(
            Counter,
            line=[line.number] * len(names),
            node=section.node,
            source="glmstat -m",
            name=names,
            kind="cumulative",
            unit="messages",
            value=values,
            at=section.at if timed else None,
            zone_min=section.zone_min if timed else None,
            sample=self.sample,
            filtered=bool(command and command.filters),
        )


@parser("glmstat", version=2, product="veritas", claims=_CLAIMS, owns=_owns, commands=("glmstat",))
def glmstat(section: OpenSection, out: Output) -> None:
    """``glmstat -m``: messages of the lock manager by class of lock."""
    table: _Table = section.state.setdefault("table", _Table())
    for line in section:
        if is_elision(line.text):
            table.end(section, out)
            out.ignore()
        else:
            table.line(section, out, line)
    table.end(section, out)
