"""An output of which each line is an object of JSON of its own: a number that counts the lines, and the line.

    {"line": 1, "output": "carp1# netstat -i"}
    {"line": 2, "output": "Name  MTU   Network  Ipkts  Ierrs"}
    {"line": 3, "output": "en0   1500  10.4.0.0 881231 0"}

All of a run have the same names; beside the text stand a number that rises and the name of a node, and nothing else:
what has a moment or a program is a line of a log and is read as one. The run is known by a line that somebody knows;
from there on a row of a table below its heading is read too, which nobody knows alone. One or two such objects, or
some without a number, hold lines of a log with a moment of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from parsers.enclosed.exported import HOSTS, OUTPUTS, has_stamp
from parsers.enclosed.objects import is_output
from parsers.lookup import claimed

LEAST: Final = 3
MOST_TRIED: Final = 40
MOST_NAMES: Final = 3
LONGEST: Final = 20_000
_COUNTS: Final = frozenset(
    "line line_no line_nr line_number lineno linenumber nr no n num number seq sequence i idx index row pos id".split()
)
_TEXTS: Final = frozenset((*OUTPUTS, "line", "text", "content", "message", "msg", "log", "data", "value", "_raw"))
_GUESSED: Final = -50
"""Priority of readers that go by shape alone."""


class HeldRow(NamedTuple):
    """The text of one object, with its number where it counts."""

    names: tuple[str, ...]
    text: str
    host: str
    number: int | None


class RowsOfObjects:
    """Takes the lines out of the objects of one text."""

    def __init__(self) -> None:
        self._above: HeldRow | None = None
        self._tried_to = 0
        """Number of the last line of which it is known that no run begins there."""

    @property
    def is_inside(self) -> bool:
        """Whether the line above was one of a run."""
        return self._above is not None

    def take(self, number: int, first: str, lines: Callable[[], Iterator[str]]) -> HeldRow | None:
        """The row that a line is; None where it is none of a run."""
        row = held_row(first)
        if row is None or (self._above is not None and not _follows(self._above, row)):
            self._above = None
        if row is None:
            return None
        if row.number is None:
            return row if _is_logged(row.text) else None
        if self._above is None:
            if number <= self._tried_to:
                return row if _is_logged(row.text) else None
            run = _run(lines())
            if len(run) < LEAST or not is_output([one.text for one in run]):
                self._tried_to = number + len(run) - 1
                return row if _is_logged(row.text) else None
        self._above = row
        return row


def held_row(text: str) -> HeldRow | None:
    """What an object holds that is a line of an output and nothing more."""
    if text[:2] != '{"' or text[-1:] != "}" or len(text) > LONGEST:
        return None
    if text.count('":') - text.count('\\":') > MOST_NAMES:
        return None  # a log of objects has more of them: it is asked of every line
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not 0 < len(found) <= MOST_NAMES:
        return None
    texts, host, count = [], "", None
    for name, value in found.items():
        key = name.lower()
        if isinstance(value, int) and not isinstance(value, bool) and key in _COUNTS:
            count = value
        elif isinstance(value, str) and key in HOSTS:
            host = value
        elif isinstance(value, str) and key in _TEXTS:
            texts.append(value)
        else:
            return None
    is_one = len(texts) == 1 and "\n" not in texts[0].rstrip("\n")
    return HeldRow(tuple(found), texts[0].rstrip("\n"), host, count) if is_one else None


def _is_logged(text: str) -> bool:
    """Whether it is a line of a log with its moment, which a reader knows by itself."""
    if not has_stamp(text):
        return False
    owner = claimed(text)
    return owner is not None and owner.priority > _GUESSED


def _run(lines: Iterator[str]) -> list[HeldRow]:
    """Rows of one run from its first line on, as many as are tried."""
    run: list[HeldRow] = []
    for text in islice(lines, MOST_TRIED):
        row = held_row(text)
        if row is None or row.number is None or (run and not _follows(run[-1], row)):
            break
        run.append(row)
    return run


def _follows(above: HeldRow, row: HeldRow) -> bool:
    """Whether a row is the next one of the same run, or one that comes later in it."""
    rises = above.number is not None and row.number is not None and row.number > above.number
    return row.names == above.names and rises
