"""Messages as lists of their fields, one below the other, as clients of databases and viewers of events print them.

    *************************** 1. row ***************************      Log Name:      Application
    ReceivedAt: 2031-04-03 04:11:20                                      Source:        Forwarder
      FromHost: curlew                                                   Date:          4/3/2031 4:11:20 AM
       Message: GFS2: fsid=yard:grain.1: withdrawn                       Description:

    -[ RECORD 1 ]------------------------                                LogRecord #0
    host    | curlew                                                     Timestamp: 2031-04-03 04:11:20.113 +0000 UTC
    message | GFS2: fsid=yard:grain.1: withdrawn                         Body: Str(GFS2: fsid=yard:grain.1: withdrawn)

What an event of Windows describes stands below its last field, and is read as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from parsers.enclosed.exported import HOSTS, TEXTS, TIMES, as_logged
from parsers.enclosed.framed_lines import Framed, in_elements, logged
from parsers.lookup import claimed

MOST_FIELDS: Final = 200
MOST_OF_STATE: Final = 40
_BEGINS: Final = re.compile(
    r"\*{8,60} ?\d{1,9}\. row ?\*{8,60}$|-\[ RECORD \d{1,9} \][-+]{0,400}$|LogRecord #\d{1,9}$"
    r"|Log Name: {1,10}\S.{0,100}$|\s{0,16}<result offset=['\"]\d{1,9}['\"]>$"
)
_STATE: Final = f"{' ' * 10}ID: "
_FIRST: Final = frozenset("*-Ll< \t")
_FIELD: Final = re.compile(
    r"[ \t]{0,40}(?:-> )?(?P<name>[\w@.][\w@. -]{0,60}?)[ \t]{0,40}(?::|\|)(?: {1,12}|$)(?P<value>.*)$"
)
_WORDS: Final = re.compile(r"(?:Str|Int|Double|Bool|Map)\((?P<value>.*)\)$")
_DESCRIBED: Final = "description"
_IN_UTC: Final = re.compile(r" \+0000 UTC$")


def begins(text: str) -> bool:
    """Whether the fields of a message begin below a line or on it."""
    return text[:1] in _FIRST and (_BEGINS.match(text.rstrip()) is not None or text.startswith(_STATE))


def entry(lines: Iterator[str]) -> tuple[int, list[tuple[int, Framed]]]:
    """How many of some lines a message takes; what it says, and how far from the first line that stands."""
    first = next(lines, "").rstrip()
    if first.startswith(_STATE):
        return _of_state(lines)
    if first.lstrip()[:1] == "<":
        return _of_elements(lines)
    if first.startswith("Log Name:"):
        return _of_windows(lines), []
    fields, places, count = dict[str, str](), dict[str, int](), 1
    for text in lines:
        field = _FIELD.match(text.rstrip())
        if field is None or _BEGINS.match(text.rstrip()) is not None or count >= MOST_FIELDS:
            break
        name, value = field["name"].strip().lower(), field["value"].strip()
        worded = _WORDS.match(value)
        if name not in fields:
            fields[name], places[name] = worded["value"] if worded is not None else value, count
        count += 1
    if "timestamp" in fields:
        fields["timestamp"] = _IN_UTC.sub(" UTC", fields["timestamp"])
    row = logged(fields) or _of_nobody(fields)
    place = next((places[name] for name in TEXTS if name in places), 0)
    if row is not None and place:
        return count, [(place, row)]
    return (count, cells) if (cells := _of_table(fields)) else (0, [])


def _of_table(fields: dict[str, str]) -> list[tuple[int, Framed]]:
    """A row of a table that was printed with a line for each of its cells, below its heading; nothing where nobody
    reads such a table.
    """
    heading = _in_bars(fields)
    return [(0, Framed(heading)), (1, Framed(_in_bars(fields.values())))] if claimed(heading) is not None else []


def _in_bars(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _of_windows(lines: Iterator[str]) -> int:
    """How many lines tell of an event of Windows, above what it describes."""
    for count, text in enumerate(islice(lines, MOST_OF_STATE), 2):
        field = _FIELD.match(text.rstrip())
        if field is None or field["name"].lower() == _DESCRIBED:
            return count if field is not None else 0
    return 0


def _of_state(lines: Iterator[str]) -> tuple[int, list[tuple[int, Framed]]]:
    """A state of Salt that ran a command, down to what the command printed."""
    found: list[tuple[int, Framed]] = []
    for count, text in enumerate(islice(lines, MOST_OF_STATE), 1):
        body = text.strip()
        if body.startswith("Name: "):
            found = [(count, Framed(f"$ {body[len('Name: ') :]}"))]
        elif body == "stdout:":
            return count + 1, found
    return 0, []


def _of_nobody(fields: dict[str, str]) -> Framed | None:
    """A message of which no field names the program."""
    text, host, moment = (
        next((fields[name] for name in names if fields.get(name)), "") for names in (TEXTS, HOSTS, TIMES)
    )
    line = as_logged(text, host, moment)
    return Framed(line) if line != text else None


def _of_elements(lines: Iterator[str]) -> tuple[int, list[tuple[int, Framed]]]:
    found: list[tuple[int, Framed]] = []
    count = 1
    for text in lines:
        if (row := in_elements(text)) is not None:
            found.append((count, row))
        count += 1
        if text.strip() == "</result>" or count >= MOST_FIELDS:
            break
    return (count, found) if found else (0, [])
