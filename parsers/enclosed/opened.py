"""Lines of logs and outputs of commands that stand in the cells, fields or strings of another text.

Tables of cells (``parsers.enclosed.exported``), objects of JSON (``parsers.enclosed.objects``), entries of a journal
and others as lists of fields (``parsers.enclosed.journal``, ``parsers.enclosed.fields``) and frames of one line
(``parsers.enclosed.framed_lines``). What they hold is read as if it stood in a text of its own: an output below a
prompt of its node, a line of a log as a journal prints it. Each line keeps its number; what stands around is a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from parsers.enclosed import cast as enclosed_cast
from parsers.enclosed import fields as enclosed_fields
from parsers.enclosed import journal as enclosed_journal
from parsers.enclosed import yaml_texts as enclosed_yaml
from parsers.enclosed.exported import (
    Columns,
    Row,
    as_levelled,
    as_logged,
    columns,
    has_stamp,
    names_host,
    rows,
    stamp_of,
)
from parsers.enclosed.framed_lines import Framed, framed, is_frame, output_of
from parsers.enclosed.headings import heading
from parsers.enclosed.objects import HeldLine as InObject
from parsers.enclosed.objects import Objects, is_output
from parsers.enclosed.rows import RowsOfObjects
from parsers.enclosed.spoken_lines import quoted
from parsers.ledger import Fate
from parsers.lookup import claimed
from parsers.text import CELL, Line, make_line

LONGEST_HEADING: Final = 1000
LONGEST_COMMAND: Final = 1000
LEAST_WORDS: Final = 4
MOST_IN_VAIN: Final = 100_000
SHORT_LOOK: Final = 200
"""Lines below one that are looked at where so many were in vain."""
_SECOND: Final = "2031-04-03T04:11:20"
_PROMPT: Final = "[root@{host} ~]# {command}"


class Enclosed:
    """Takes the lines out of one text."""

    def __init__(self) -> None:
        self._objects = Objects()
        self._rows = RowsOfObjects()
        self._columns: Columns | None = None
        self._above: tuple[str, str] = ("", "")
        """Host and command of the row above."""
        self._in_vain = 0
        """Lines below others that were looked at for the end of what did not end, or was nothing."""

    @property
    def is_inside(self) -> bool:
        """Whether the lines above decide what stands in the next one."""
        return self._columns is not None or self._objects.is_inside or self._rows.is_inside

    def take(self, number: int, first: str, lines: Callable[[], Iterator[str]]) -> tuple[int, list[Line]]:
        """What stands in the lines from the one with a number on, and how many of them it takes: none for an ordinary
        line. ``lines`` gives them again, with the first.
        """
        if enclosed_journal.begins(first):
            count, found = enclosed_journal.entry(lines())
            return (count, _put(number, lines(), count, _lines_of(number, found))) if found else (0, [])
        if enclosed_cast.begins(first):
            count, shown = enclosed_cast.screen(lines())
            return count, _put(
                number, lines(), count, [make_line(number + at, one.encode("utf-8", "replace")) for at, one in shown]
            )
        if not self._objects.is_inside and (held := self._rows.take(number, first, lines)) is not None:
            return 1, [replace(make_line(number, held.text.encode("utf-8", "replace")), host=held.host)]
        if self._objects.is_inside or self._objects.begins(number, first):
            count, head, records = self._objects.take(number, lines())
            if not count:
                return _one(number, first)
            above = [make_line(number, f"{head}{{".encode("utf-8", "replace"))] if head.strip() else []
            return count, _put(number, lines(), count, [*above, *_of_objects(records)])
        if len(first) <= LONGEST_HEADING and (named := columns(first)) is not None:
            self._columns, self._above = named, ("", "")
            return 1, _put(number, lines(), 1, [])
        if self._columns is not None and (row := self._row(number, lines))[0]:
            return row
        return self._several(number, first, lines) or _one(number, first)

    def _below(self, lines: Callable[[], Iterator[str]]) -> Iterator[str]:
        """The lines from the next one on: a text of beginnings without an end costs no more than it is long."""
        return lines() if self._in_vain < MOST_IN_VAIN else islice(lines(), SHORT_LOOK)

    def _row(self, number: int, lines: Callable[[], Iterator[str]]) -> tuple[int, list[Line]]:
        of = self._columns
        if of is None:
            return 0, []
        count, row = rows(self._below(lines), of)
        if row is None:
            self._in_vain += count
            return 0, []
        texts = [(number + at, text) for at, text in row.texts]
        if of.command < 0 and of.time >= 0:
            return count, _put(number, lines(), count, _logged(texts, row))
        host, command = row.host or self._above[0], row.command
        if not row.host and not row.command:
            command = self._above[1]
        found: list[Line] = []
        if command and (host, command) != self._above:
            found.append(_typed(number, host, command, row.moment))
        self._above = (host, command)
        found += [replace(make_line(at, text.encode("utf-8", "replace")), host=host) for at, text in texts]
        return count, _put(number, lines(), count, found)

    def _several(self, number: int, first: str, lines: Callable[[], Iterator[str]]) -> tuple[int, list[Line]] | None:
        """A list of fields, a quotation or a heading that takes some lines; None for any other line."""
        found: Iterable[Line] = []
        count = 0
        if enclosed_fields.begins(first):
            count, fields = enclosed_fields.entry(lines())
            found = [_placed(number + at, one) for at, one in fields]
        elif enclosed_yaml.begins(first):
            looked, texts = enclosed_yaml.scalar(self._below(lines))
            if is_output([text for _, text in texts]):
                count, found = looked, [make_line(number + at, text.encode("utf-8", "replace")) for at, text in texts]
            else:
                self._in_vain += looked
        if not count:
            count, title = heading(first, lines())
            found = [make_line(number, title.encode("utf-8", "replace"))]
        return (count, _put(number, lines(), count, found)) if count else None


def _words_in_cells(number: int, row: str) -> Line | None:
    """A row of a page that has a cell for each word of a line, where the line is known as it was."""
    line = make_line(number, row.encode("utf-8", "replace"))
    cells = [make_line(number, cell.encode("utf-8", "replace")).text.strip() for cell in row.split(CELL)]
    if len(cells) < LEAST_WORDS or any(" " in cell for cell in cells):
        return None
    text = " ".join(cells)
    owner = claimed(text)
    if owner is None or (owner is claimed(line.text) and not has_stamp(text)):
        return None
    return replace(line, text=text)


def _one(number: int, text: str) -> tuple[int, list[Line]]:
    """A line that holds one of a log."""
    if CELL in text and (line := _words_in_cells(number, text)) is not None:
        return 1, [line]
    if is_frame(text):
        return 1, [Line(number, text, text.strip(), fate=Fate.FRAME)]
    if (output := output_of(text)) is not None:
        host, rows = output
        return 1, [replace(make_line(number, row.encode("utf-8", "replace")), host=host) for row in rows]
    found = framed(text)
    if found is None:
        spoken = quoted(text)
        return (1, [make_line(number, one.encode("utf-8", "replace")) for one in spoken]) if spoken else (0, [])
    return 1, [_placed(number, found)]


def _placed(number: int, found: Framed) -> Line:
    line = make_line(number, found.text.encode("utf-8", "replace"))
    return replace(line, host=found.host, stamp=stamp_of(found.stamp) or "")


def _logged(texts: list[tuple[int, str]], row: Row) -> list[Line]:
    (number, first), *more = texts
    host, moment = row.host, row.moment
    line = as_levelled(first.strip(), moment, row.program, row.level)
    if line != first.strip():
        return [
            replace(make_line(at, text.encode("utf-8", "replace")), host=host) for at, text in [(number, line), *more]
        ]
    line = as_logged(first.strip(), host, moment, row.program)
    found = [make_line(at, text.encode("utf-8", "replace")) for at, text in [(number, line), *more] if text.strip()]
    is_placed = line != first.strip() or names_host(first)  # then the line itself tells host and moment
    stamp = stamp_of(moment) if not is_placed and not has_stamp(first) else None
    return [replace(one, host="" if is_placed else host, stamp=stamp or "") for one in found]


def _lines_of(number: int, found: list[enclosed_journal.EntryLine]) -> list[Line]:
    lines = ((make_line(number + one.distance, one.text.encode("utf-8", "replace")), one.host) for one in found)
    return [replace(line, host=host) if host else line for line, host in lines]


def _of_objects(records: list[InObject]) -> Iterator[Line]:
    for one in records:
        stamp = stamp_of(one.stamp) or ""
        if one.command:
            yield _typed(one.line, one.host, one.command, stamp)
        else:
            yield replace(make_line(one.line, one.text.encode("utf-8", "replace")), host=one.host, stamp=stamp)


def _typed(number: int, host: str, command: str, moment: str) -> Line:
    """A command above its output, as it stands at a prompt."""
    typed = " ".join(command.split())[:LONGEST_COMMAND]
    text = _PROMPT.format(host=host, command=typed) if host else f"$ {typed}"
    return Line(number, text, text, stamp=stamp_of(moment) or "", host=host)


def _put(number: int, lines: Iterator[str], count: int, found: Iterable[Line]) -> list[Line]:
    """What was found among the lines that it took, with those that hold nothing of it as its frame."""
    by_number: dict[int, list[Line]] = {}
    for line in found:
        by_number.setdefault(line.number, []).append(line)
    held = next(iter(by_number.values()), []) if len(by_number) == 1 else []
    # the frame of one line of a log ends no output that goes on in the next one
    stamp = held[0].stamp or held[0].text[: len(_SECOND) * has_stamp(held[0].text)] if len(held) == 1 else ""
    put: list[Line] = []
    for at, text in zip(range(number, number + count), lines, strict=False):
        fate = Fate.FRAME if text.strip() else Fate.ASIDE
        put += by_number.get(at) or [Line(at, text, text.strip(), fate=fate, stamp=stamp)]
    return put
