"""Lines of logs that a collector or a page put in a frame of its own, one line in each, as a journal prints them.

    ts=2031-04-03T04:11:20Z level=error host=curlew ident=kernel msg="GFS2: fsid=yard:grain.1: withdrawn"
    2031-04-03T04:11:20Z {host="curlew", job="syslog"} Apr  3 04:11:20 curlew kernel: GFS2: ... withdrawn
    2031-04-03T04:11:20+00:00   syslog.kern   {"host": "curlew", "ident": "kernel", "message": "GFS2: ... withdrawn"}
    Apr 3, 2031 @ 04:11:20.000   curlew   kernel   GFS2: fsid=yard:grain.1: withdrawn

    curlew | CHANGED | rc=0 | (stdout) GAB Port Memberships\\n====\\nPort a gen 51c001 membership 01
    curlew: ['GAB Port Memberships\\n', '====\\n', 'Port a gen 51c001 membership 01\\n']
    14:20:03 [root@curlew ] [NORMAL] GAB Port Memberships

A line that has a stamp of its own stands for itself; else it gets moment, host and program of its frame. With a level
it stays as it is where nobody knows messages of its program: then the level tells more than the words.
"""

from __future__ import annotations

import ast
import csv
import html
import json
import re
from typing import Final, NamedTuple

from parsers.enclosed.events import fields_of_columns, fields_of_event, fields_of_line, is_program
from parsers.enclosed.exported import (
    HOSTS,
    LEVELS,
    NUMBERS,
    PROGRAM,
    PROGRAMS,
    TEXTS,
    TIMES,
    as_logged,
    has_stamp,
    names_host,
    stamp_of,
)
from parsers.headings.transcript import match_mark
from parsers.lookup import claimed
from parsers.messages.catalogue import LEVELS as LEVEL_WORDS
from parsers.times.clock import MONTH

LONGEST: Final = 20_000
NEAR: Final = 80
"""Characters in which a frame shows itself."""
SET_IN: Final = 16
"""Blanks at the most in front of a line that somebody set in."""
GUESSED: Final = -50
"""Priority of readers that go by shape alone."""
_ISO: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_MOMENT: Final = re.compile(
    rf"{_ISO}|[\w.,]{{1,12}} {{1,3}}[\w.,]{{1,12}} {{1,3}}\d{{4}}(?: @)? {{1,3}}\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?"
)
"""A cell that holds a moment and nothing else."""
_PAIR: Final = re.compile(
    r"(?:^|[ \t]|(?<=\{))([A-Za-z@_][\w.@-]{0,60})=(\"(?:[^\"\\]|\\.){0,16000}+\"|[^\s\"]{1,400})"
)
_LABELLED: Final = re.compile(
    rf"(?:(?P<at>{_ISO})[ \t]{{1,8}})?(?P<labels>\{{(?:[A-Za-z_]\w{{0,60}}=\"[^\"]{{0,400}}\",? ?){{1,40}}\}})"
    r"[ \t](?P<text>.*\S)\s*$"
)
_OBJECT: Final = re.compile(rf"(?P<at>{_ISO})[ \t]{{1,8}}[\w.*-]{{1,120}}:?[ \t]{{1,8}}(?P<object>\{{.*\}})$")
_COMMON: Final = re.compile(r"Common labels: \{[^{}]{0,2000}\}$")


_NODE: Final = r"(?P<host>[A-Za-z0-9][\w.-]{0,126})"
_ONE_LINE: Final = re.compile(
    rf"{_NODE} \| [A-Z!]{{2,20}} \| rc=-?\d{{1,3}} \| \(stdout\) (?P<text>.*?)(?: ?\(stderr\) .*)?$"
)
_JOB: Final = re.compile(
    rf"\d\d:\d\d:\d\d \[(?:[\w.-]{{1,64}}@)?{_NODE}[^\]\n]{{0,80}}\] \[[A-Z]{{4,10}}\] ?(?P<text>.*)$"
)
_LIST: Final = re.compile(rf"(?:{_NODE}:? {{0,4}})?(?P<list>\[b?['\"].*['\"]\]|b?'.*\\n.*'|b?\".*\\n.*\")$")
LONGEST_LIST: Final = 400_000


class Framed(NamedTuple):
    """A line of a log. host, stamp: of its frame, where the line has none itself."""

    text: str
    host: str = ""
    stamp: str = ""


def framed(text: str) -> Framed | None:
    """The line of a log in a frame; None for any other line. This is asked of every line."""
    first = text[:1]
    if len(text) > LONGEST:
        return None
    if first in '"*':
        return _stamped(text)
    if first.isdigit():
        return _of_container(text) or _after_a_figure(text) or _stamped(text)
    if first == "{":
        return _labelled(text) if '="' in text[:NEAR] else None
    if first in "<CL" and "EF:" in text[:NEAR]:
        return _event(text)
    if first == "<" or (first in " \t" and text.lstrip()[:1] == "<"):
        return in_elements(text) if text.rstrip()[-1:] == ">" else _stamped(text)
    if first == "[" or (first in " \t" and text[:SET_IN].lstrip()[:1] == "["):
        return _since_start(text.lstrip()) or _stamped(text)
    if not first.isalpha():
        return None
    return _after_a_word(text)


_OF_CONTAINER: Final = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) std(?:out|err) [FP] (?P<text>.*)$",
    re.DOTALL,
)
"""What a runtime of containers puts in front of each line that one printed."""


def _of_container(text: str) -> Framed | None:
    match = _OF_CONTAINER.match(text) if " std" in text[:48] else None
    return None if match is None else Framed(match["text"], stamp=match["at"])


def _after_a_figure(text: str) -> Framed | None:
    if text[4:5] == "-" and "{" in text[:NEAR]:
        return _labelled(text) or _object(text)
    if "<" in text[:8] and (counted := _COUNTED.match(text)) is not None:
        return Framed(text[counted.end() :])
    if ',"' in text[:NEAR] and text.rstrip()[-1:] == '"':
        return _quoted_row(text) or _in_columns(text)
    return (_pasted(text) if "\t" in text[:NEAR] else _relayed(text)) or _in_columns(text)


def _event(text: str) -> Framed | None:
    """An event with a heading in bars."""
    fields = fields_of_event(text)
    if fields is None or not (message := fields.get("message", "").rstrip()):
        return None
    host, moment = fields["host"], fields["time"]
    if _LOCAL.match(moment) is not None:
        return Framed(f"{moment} {host} {fields['program'] or 'kernel'}: {message}")
    line = as_logged(message, host, moment, fields["program"], fields.get("pid", ""))
    return Framed(line) if line != message else Framed(message, host, moment)


_LOCAL: Final = re.compile(rf"{MONTH} [ \d]\d \d\d:")


def _in_columns(text: str) -> Framed | None:
    """Columns of a log that begin with a number, or with a moment in figures alone."""
    if text[4:5] == "-" or (fields := fields_of_columns(text)) is None or claimed(text) is not None:
        return None
    if fields["time"]:
        return logged(fields)
    return Framed(fields["message"], fields["host"]) if claimed(fields["message"]) is not None else None


def _after_a_word(text: str) -> Framed | None:
    near = text[:NEAR]
    if "EF:" in near and "|" in text:
        return _event(text)
    if "=" in near and ("msg=" in text or "message=" in text):
        return _of_point(text) if "," in near and _POINT.match(text) is not None else _of_pairs(text)
    if "\t" in near and " @ " in near:
        return _of_document(text) if ":" in text and "message:" in text else _pasted(text)
    if text[:12].upper() == "INSERT INTO ":
        return _inserted(text)
    if _DATED.match(text) is not None:
        return _stamped(text)
    return _worded(text) if text.startswith(_WORDED) else _relayed(text)


_DATED: Final = re.compile(
    rf"[A-Z][a-z]{{2}},? \d|[A-Za-z][\w.-]{{0,126}} {MONTH} [ \d]\d |{MONTH} [ \d]\d \S{{8}} \S{{1,99}} \w{{3,8}}/"
)
"""A weekday or a host in front of a date, or a facility and a level behind the host."""


_OF_SYSTEM: Final = re.compile(
    rf"(?:{MONTH} [ \d]\d \d\d:\d\d:\d\d|\d{{4}}-\d\d-\d\dT\S{{8,32}}) "
    r"[A-Za-z0-9][\w.-]{0,127} [\w./@-]{1,64}(?:\[\d{1,9}\])?: "
)
"""A line of the system's own log."""


def _stamped(text: str) -> Framed | None:
    """A line of a log with a moment in a form that no program's own log has."""
    if (fields := fields_of_line(text)) is None:
        return None
    owner = claimed(text)
    if owner is not None and (
        owner.priority >= 0 or _OF_SYSTEM.match(text) is not None or claimed(fields["message"]) is not owner
    ):
        return None  # its own log; what is known of the message alone gets the host of its frame
    if _LOCAL.match(fields["time"]) is not None:
        number = f"[{fields['pid']}]" if fields["pid"] else ""
        return Framed(f"{fields['time']} {fields['host']} {fields['program']}{number}: {fields['message']}")
    return logged(fields)


_WORDED: Final = "Body: Str("


def _worded(text: str) -> Framed | None:
    """The text of a record, as a collector shows it."""
    message = text.rstrip()[len(_WORDED) : -1]
    is_line = text.rstrip()[-1:] == ")" and has_stamp(message) and claimed(message) is not None
    return Framed(message) if is_line else None


def _inserted(text: str) -> Framed | None:
    """A row of a table in a dump of a database."""
    row = _INSERTED.match(text.rstrip())
    if row is None:
        return None
    cells = next(csv.reader([row["cells"]], quotechar="'", skipinitialspace=True), [])
    return _row_without_heading([cell.strip() for cell in cells]) if 3 < len(cells) <= MOST_CELLS else None


_INSERTED: Final = re.compile(
    r"(?i:insert into) \S{1,100}(?: \([^()]{1,400}\))? (?i:values) ?\((?P<cells>.{10,16000})\);?$"
)
"""A row as a dump of a database writes it."""
_COUNTED: Final = re.compile(r"\d{2,5} (?=<\d{1,3}>)")
"""The length of a message, as it goes over a connection."""
_DRAINED: Final = re.compile(
    rf"{_ISO} [A-Za-z][\w.-]{{0,60}}\[[\w.-]{{1,126}}\]: (?=[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d |{_ISO} )"
)
"""Who passed a line on, and when, in front of a line with its own stamp."""


def _relayed(text: str) -> Framed | None:
    if "]: " in text[:NEAR] and (drained := _DRAINED.match(text)) is not None and names_host(text[drained.end() :]):
        return Framed(text[drained.end() :])
    return None


_SINCE_START: Final = re.compile(
    r"\[ {0,8}\d{1,9}\.\d{6}\] (?P<host>[A-Za-z][\w.-]{0,126}) (?P<program>[A-Za-z_(][\w./@()-]{0,80})"
    r"(?:\[\d{1,9}\])?: (?P<text>.*)$"
)


def _since_start(text: str) -> Framed | None:
    """A line of a journal with the seconds since the start of the system for its moment."""
    match = _SINCE_START.match(text) if "." in text[:16] else None
    if match is None or match["host"] in ("kernel", "systemd") or match["host"].endswith(":"):
        return None
    message = match["text"]
    if match["program"] == "kernel":
        return Framed(f"{text[: match.start('host')]}{message}", match["host"])
    if not is_program(match["program"]) and text[match.end("program")] != "[":
        return None  # two words of the kernel's own message: "NMI watchdog: "
    return Framed(message, match["host"]) if claimed(message) is not None else None


_SEGMENT: Final = re.compile(r">([^<>]{20,16000})<")
_OF_NUMBER: Final = re.compile(r"&#(?:13|10|xA|xD);")


def in_elements(text: str) -> Framed | None:
    """A line of a log that stands with its stamp in an element of XML."""
    for found in _SEGMENT.findall(text.replace("<![CDATA[", "").replace("]]>", "") if "<![CDATA[" in text else text):
        message = html.unescape(_OF_NUMBER.sub("", found)).strip()
        if has_stamp(message) and (owner := claimed(message)) is not None and owner.priority > GUESSED:
            return Framed(message)
    return None


_POINT: Final = re.compile(r"[\w.-]{1,60}(?:,[\w.@-]{1,60}=(?:[^ ,=\\]|\\.){1,200}){1,30} ")
_FIELD: Final = re.compile(r"(?:^|,)([\w.@-]{1,60})=(\"(?:[^\"\\]|\\.){0,16000}+\"|[^\s\",]{1,200})")


def _of_point(text: str) -> Framed | None:
    """A point of a time series: its tags, its fields and its moment."""
    match = _POINT.match(text)
    if match is None:
        return None
    tags, _, rest = text[: match.end() - 1].partition(",")
    found = _FIELD.findall(rest) + _FIELD.findall(text[match.end() :])
    fields = {name.lower(): _unquoted(value) for name, value in reversed(found)}
    *_, last = text.split()
    values = {name: value for name, value in fields.items() if name not in LEVELS}  # the program tells it better
    return logged({**values, "time": last}) if tags else None


_DOCUMENT_FIELD: Final = re.compile(r"(?:^|\s)(@?[a-z_][\w.@]{0,60}):(?=\S)")


def _of_document(text: str) -> Framed | None:
    """A document of a store as a page shows it: its moment, then all of its fields one after the other."""
    moment, _, rest = text.partition("\t")
    begin = rest.find("message:")
    if begin < 0:
        return None
    message = rest[begin + len("message:") :]
    end = re.search(r" _(?:id|index|score|type):", message)
    message = message[: end.start()] if end is not None else message
    parts = _DOCUMENT_FIELD.split(rest[:begin])
    fields = {name.lower(): value.strip() for name, value in zip(parts[1::2], parts[2::2], strict=False)}
    return logged({**fields, "@timestamp": moment.strip(), "message": message.strip()})


def output_of(text: str) -> tuple[str, list[str]] | None:
    """The node and the lines of an output that stands on one line, as a tool or a script prints it; None for any other
    line.
    """
    last = text.rstrip()[-1:]
    if " | rc=" in text[:200] and (one := _ONE_LINE.match(text)) is not None:
        return one["host"], one["text"].replace("\\\\", "\\").split("\\n")
    if text[8:10] == " [" and text[2:3] == ":" and (job := _JOB.match(text)) is not None:
        return job["host"], [job["text"]]
    if not last or last not in "]'\"" or len(text) >= LONGEST_LIST:
        return None
    return _listed(text) if last == "]" or "\\n" in text else None


def _listed(text: str) -> tuple[str, list[str]] | None:
    """The lines of a list of strings, or of one string, as Python shows it."""
    match = _LIST.match(text.rstrip())
    if match is None:
        return None
    try:
        found = ast.literal_eval(match["list"])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    lines = [
        line
        for one in (found if isinstance(found, list) else [found])
        for line in (one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one)).splitlines()
    ]
    is_known = any(
        ((owner := claimed(line)) is not None and owner.priority > GUESSED) or match_mark(line) is not None
        for line in lines[:MOST_TRIED]
    )
    return (match["host"] or "", lines) if is_known else None


MOST_TRIED: Final = 40


def is_frame(text: str) -> bool:
    """Whether a line tells of the frames below it only."""
    return text.startswith("Common labels: {") and _COMMON.match(text.rstrip()) is not None


def _of_pairs(text: str) -> Framed | None:
    """``ts=... host=... msg="..."``"""
    if _PAIR.match(text) is None:
        return None
    fields = {name.lower(): _unquoted(value) for name, value in reversed(_PAIR.findall(text))}
    return logged(fields)


def _labelled(text: str) -> Framed | None:
    match = _LABELLED.match(text)
    if match is None:
        return None
    fields = {name.lower(): _unquoted(value) for name, value in _PAIR.findall(match["labels"].replace(",", " "))}
    message, moment = match["text"], match["at"] or ""
    message = bare if has_stamp(bare := message.lstrip()) else message
    line = as_logged(message, _value(fields, HOSTS), moment, _value(fields, PROGRAMS))
    return (
        Framed(line)
        if line != message
        else Framed(message, _value(fields, HOSTS), "" if has_stamp(message) else moment)
    )


def _object(text: str) -> Framed | None:
    """A moment, a tag and an object of JSON that holds the rest."""
    match = _OBJECT.match(text)
    if match is None:
        return None
    try:
        found = json.loads(match["object"], strict=False)
    except (ValueError, RecursionError):
        return None
    fields = {name.lower(): str(value) for name, value in found.items() if not isinstance(value, dict | list)}
    return logged({"time": match["at"], **fields})


def _pasted(text: str) -> Framed | None:
    """Cells of a page that shows a log: moment, host and text, with the program or without."""
    cells = [cell.strip() for cell in text.split("\t")]
    if len(cells) > MOST_OF_PASTED and len(cells) <= MOST_CELLS:
        return _row_without_heading(cells)
    if (
        not LEAST_OF_PASTED <= len(cells) <= MOST_OF_PASTED
        or _MOMENT.fullmatch(cells[0]) is None
        or stamp_of(cells[0]) is None
        or cells[1].lower() in LEVEL_WORDS  # of a program that parts its columns by tabs, without its host
    ):
        return None
    program = next((cell for cell in cells[2:-1] if PROGRAM.fullmatch(cell) and cell.lower() not in LEVEL_WORDS), "")
    line = logged({"time": cells[0], "host": cells[1], "program": program, "message": cells[-1]})
    if line is not None or len(cells) != LEAST_OF_PASTED or _NAME_OF_HOST.fullmatch(cells[1]) is None:
        return line
    if text.partition("\t")[0][-1:] == " " or cells[2][:1] in ("=", ":"):
        return None  # a setting that is set in by a tab, behind the stamp of a collector
    return Framed(text.split("\t", 2)[2].rstrip(), cells[1], cells[0])  # of an output


def _quoted_row(text: str) -> Framed | None:
    """A row of an export without a heading, whose text stands in quotes: moment, host and text parted by commas."""
    cells = next(csv.reader([text.rstrip()]), [])
    if len(cells) != LEAST_OF_PASTED:
        return None
    at, host, shown = cells
    if _MOMENT.fullmatch(at) is None or stamp_of(at) is None or _NAME_OF_HOST.fullmatch(host) is None:
        return None
    return logged({"time": at, "host": host, "message": shown}) or Framed(shown.rstrip(), host, at)


LEAST_OF_PASTED: Final = 3
MOST_OF_PASTED: Final = 5
MOST_CELLS: Final = 14
_NAME_OF_HOST: Final = re.compile(r"(?=.{0,126}[A-Za-z])[A-Za-z0-9][\w.-]{0,126}")
_TAG: Final = re.compile(rf"(?P<program>{PROGRAM.pattern})(?:\[(?P<number>\d{{1,9}})\])?:?")


_LETTERS_OF_LEVELS: Final = frozenset("DINWEC")


def _row_without_heading(cells: list[str]) -> Framed | None:
    """Cells of an export without a heading: numbers, moments, a host and more, and at their end program and text."""
    *front, program, message = cells
    at = next((place for place, cell in enumerate(front[:4]) if _MOMENT.fullmatch(cell) and stamp_of(cell)), None)
    tag = _TAG.fullmatch(program)
    if at is None or tag is None:
        return None
    host = next((cell for cell in front[at + 1 :] if _NAME_OF_HOST.fullmatch(cell) and stamp_of(cell) is None), "")
    fields = {
        "time": front[at],
        "host": host,
        "program": tag["program"],
        "pid": tag["number"] or "",
        "message": message,
    }
    return logged(fields)


def logged(fields: dict[str, str]) -> Framed | None:
    """The line that fields of one message make."""
    message, host = _value(fields, TEXTS).rstrip(), _value(fields, HOSTS)
    moment, program = _value(fields, TIMES), _value(fields, PROGRAMS)
    if not message.strip() or "\n" in message or host in _LETTERS_OF_LEVELS:
        return None
    if has_stamp(message):
        owner = claimed(message)
        host = "" if names_host(message) else host
        return Framed(message, host) if owner is not None and owner.priority > GUESSED else None
    if not moment or not program or (not is_program(program) and any(fields.get(name) for name in LEVELS)):
        return None
    line = as_logged(message, host, moment, program, _value(fields, NUMBERS))
    return Framed(line) if line != message else None


def _value(fields: dict[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def _unquoted(value: str) -> str:
    if value[:1] != '"':
        return value
    try:
        return str(json.loads(value, strict=False))
    except ValueError:
        return value.strip('"')
