"""Tables whose cells hold lines of a log or outputs of commands, as stores of logs and scripts write them.

    "_time",host,source,"_raw"
    "2031-04-03T04:11:20.000+0000",curlew,"/var/log/messages","Apr  3 04:11:20 curlew kernel: GFS2: ... withdrawn"

    host;command;output
    curlew;gabconfig -a;"GAB Port Memberships
    ===============================================================
    Port a gen 51c001 membership 01"

A heading names the columns: one of them is the text, and beside it stands a moment, a host or a command. Cells are
parted by commas, semicolons, tabs or bars, or are those of a web page. A line of a log without a stamp of its own gets
that of its row; a row without a host is of the one above. A row of other columns stays as it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.documents.line_marks import clean
from parsers.lookup import claimed, known_alone
from parsers.messages.catalogue import LEVELS as LEVEL_WORDS
from parsers.messages.catalogue import program_names
from parsers.text import CELL
from parsers.times.clock import MONTH_NUMBERS, MONTHS, find_instant

LONGEST_HEADING: Final = 1000
MOST_COLUMNS: Final = 60
MOST_ROW_LINES: Final = 20_000
"""Lines of one row: a quotation that is not closed within them is none."""
MOST_ROW_CHARS: Final = 4 << 20
NEAR: Final = 40
"""Characters in which a logged line that has a stamp of its own begins it."""
OUTPUTS: Final = tuple(
    "output,stdout,command output,command_output,result,response,content,ausgabe,sortie,salida,sa\u00edda,uitvoer"
    ",\u0432\u044b\u0432\u043e\u0434,\u8f93\u51fa,\u51fa\u529b".split(",")
)
TEXTS: Final = (
    "_raw", "message", "@message", "log", "line", "msg", "body", "full_message", "short_message", "event.original",
    "syslogmessage", "textpayload", "log_line", "log.original",
    "payload", "log_body", *OUTPUTS,
)  # fmt: skip
_TEXTS_ELSEWHERE: Final = tuple(
    "ligne,message complet,texte,texto,testo,meldung,nachricht,mensaje,mensagem,messaggio,linea,l\u00ednea,linha,riga"
    ",\u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435,\u6d88\u606f,\u30e1\u30c3\u30bb\u30fc\u30b8".split(",")
)
_OF_TABLES: Final = (
    *(name for name in TEXTS if name != "line"),
    "text",
    "raw",
    "entry",
    "zeile",
    "line",
    *_TEXTS_ELSEWHERE,
)
COUNTS: Final = frozenset((
    "line", "line number", "line_number", "lineno", "line no", "#", "nr", "nr.", "no", "no.", "number", "num", "row",
    "zeile", "zeilennummer", "id", "seq", "index", "offset",
))  # fmt: skip
"""Columns that count the lines of a text: beside them the texts are whole lines of it."""
MOST_BESIDE_A_COUNT: Final = 4
MOST_BESIDE_A_HOST: Final = 2
"""Columns of a table that has nothing but lines and who printed them."""
TIMES: Final = (
    "__realtime_timestamp", "@timestamp", "_time", "timestamp", "time", "date", "ts", "datetime", "date/time", "start",
    "zeit", "datum", "zeitstempel", "timegenerated", "_messagetime", "receivedat", "devicereportedtime",
    "date and time", "timecreated", "timeunixnano", "observedtimeunixnano", "tsns", "eventtime", "log_time",
    "when", "wann", "quand", "horodatage", "date et heure", "cu\u00e1ndo", "fecha", "fecha y hora", "hora",
    "uhrzeit", "datum/uhrzeit", "datum und uhrzeit", "heure", "ora", "data e ora",
    "data e hora", "data/ora", "quando", "tijdstip", "tid", "czas",
    "\u0434\u0430\u0442\u0430", "\u0432\u0440\u0435\u043c\u044f", "\u65f6\u95f4", "\u65e5\u6642", "\u6642\u523b",
)  # fmt: skip
HOSTS: Final = (
    "host.name", "host", "hostname", "_hostname", "host.hostname", "node", "node_name", "nodename", "agent.hostname",
    "beat.hostname", "server", "system", "kubernetes.host", "kubernetes.node_name", "knoten", "rechner", "computer",
    "_sourcehost", "fromhost", "@logstream", "logstreamname", "resource_name", "hostip", "log_hostname", "source",
    "serveur", "servidor", "server name", "servername", "nodo", "n\u0153ud", "noeud", "h\u00f4te", "machine", "n\u00f3",
    "\u0441\u0435\u0440\u0432\u0435\u0440", "\u0443\u0437\u0435\u043b", "\u0445\u043e\u0441\u0442",
    "\u4e3b\u673a", "\u8282\u70b9", "\u30db\u30b9\u30c8", "\u30ce\u30fc\u30c9",
)  # fmt: skip
COMMANDS: Final = ("command", "cmd", "command line", "commandline", "befehl", "kommando")
PROGRAMS: Final = (
    "process.name", "program", "syslog_identifier", "application_name", "appname", "app_name", "app", "ident",
    "identifier", "_comm", "_facility", "programname", "tag", "processname", "syslogtag", "syslog.appname",
    "log_procname", "service_name", "service.name", "service", "unit", "systemd_unit", "_systemd_unit", "systemd.unit",
)  # fmt: skip
OF_UNITS: Final = ".service"
"""Behind the name of a program, where a column names the unit that started it."""
LEVELS: Final = ("level", "severity", "lvl", "loglevel", "log.level", "priority")
NAMED_EVENTS: Final = frozenset(("event", "event name", "event_name", "eventname", "alertname"))
NUMBERS: Final = ("_pid", "syslog_pid", "process.pid", "pid", "procid")
"""Names of columns and of keys in lower case, the surest first."""
_HOST = re.compile(r"[A-Za-z0-9][\w.-]{0,126}")
PROGRAM: Final = re.compile(r"[A-Za-z][\w./:-]{0,60}(?:\([\w./-]{1,60}\))?")
_TAGGED = re.compile(r"(?P<program>[A-Za-z][\w./-]{0,40})(?:\[(?P<number>\d{1,9})\])?: {1,3}")
_TAG = re.compile(r"(?P<program>[A-Za-z][\w./-]{0,60})(?:\[(?P<number>\d{1,9})\])?:?")
_NO_PROGRAMS: Final = frozenset(("dlm", "gfs2", "vxfs", "lock_dlm", "llt", "gab", "vxvm"))
"""What the kernel puts in front of its own messages."""
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)[ ]?(Z|UTC|[+-]\d\d:?\d\d)?")
_NAMED_MONTH = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}),? (\d{4})(?: @|,)? (\d\d:\d\d:\d\d(?:\.\d{1,9})?)$")
_MONTH_FIRST = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4}),? (\d{1,2})(:\d\d:\d\d(?:\.\d{1,9})?)(?: ([AP])M)?(?: ?(Z|UTC|[+-]\d{4}))?$"
)
"""Of twelve hours, as pages and tables of the United States have it; of 24 hours day and month look alike."""
_DAY_FIRST = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}),? (\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)$")
_ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")
_EPOCH = re.compile(r"(1\d{9})(?:(\d{3})|(\d{6})|(\d{9})|\.(\d{1,9}))?$")
_LOCAL = re.compile(r"(?:[A-Z][a-z]{2} [A-Z]?[a-z]{0,2} ?|<\d{1,3}>)?[A-Z]?[a-z]{0,2} ?[ \d]\d \d\d:\d\d:\d\d ")
_OF_HOST = re.compile(
    r"(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}) "
    r"[A-Za-z0-9][\w.-]{0,126} [A-Za-z_(][\w./@()-]{0,80}(?:\[\d{1,9}\])?: "
)
_HEADING = re.compile(r"[\s\"#]{0,4}@?[\w .@/-]{1,60}(?:\[UTC\])?[\",;\t][\w\s\",;\t.@/()\[\]-]{2,990}$")
_WORD_OF_TEXT = re.compile(rf"(?i)(?:^|[\",;\t ])(?:{'|'.join(map(re.escape, _OF_TABLES))})(?:$|[\",;\t ])")
_IN_UTC: Final = " [utc]"
"""Behind the name of a column of moments."""
_DELIMITERS: Final = ",;\t"
BAR: Final = "|"
"""Between the cells of a table in Markdown."""
OPEN_BAR: Final = " | "
"""Between those that a client of a database prints, without a bar at the edges."""
_ONE_BAR = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r"[ :|-]{3,2000}$")
_OPENS = re.compile(r'(?:^|[,;\t])"')
_ROW_BEGINS: Final = re.compile(r"\s{0,80}(?:<(?:table|thead|tbody)[^<>]{0,200}>\s{0,8}){0,3}<tr", re.IGNORECASE)
_ROW_ENDS: Final = re.compile(r"</tr>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of the columns in a row of ``count``; -1: there is none. mark: what parts the cells."""

    count: int
    text: int
    time: int
    host: int
    program: int
    command: int = -1
    level: int = -1
    mark: str = ","


class Row(NamedTuple):
    """A row: what its columns say, and the lines of its text, each with its distance from the first one of the row."""

    host: str
    command: str
    moment: str
    program: str
    level: str
    texts: Sequence[tuple[int, str]]


def columns(text: str) -> Columns | None:
    """The columns that a line names, where it is the heading of a table of log lines or outputs."""
    text = text.strip("\ufeff\r\n")
    if len(text) > LONGEST_HEADING:
        return None
    if CELL in text and _is_row(text):
        return _named([clean(cell)[0] for cell in text.split(CELL)], CELL)
    if text[:1] == BAR and text.rstrip()[-1:] == BAR:
        return _named([name.strip("*` ") for name in _between_bars(text)], BAR)
    if OPEN_BAR in text and _WORD_OF_TEXT.search(text) is not None:
        return _named(text.split(BAR), OPEN_BAR)
    if _HEADING.match(text) is None or _WORD_OF_TEXT.search(text) is None:
        return None
    mark = max(_DELIMITERS, key=text.count)
    return _named(_cells(text, mark), mark) if mark in text else None


def _is_row(text: str) -> bool:
    """Whether a row of a table of a web page begins on a line."""
    return _ROW_BEGINS.match(text) is not None


def _named(cells: list[str], mark: str) -> Columns | None:
    names = [name.strip().lower().removesuffix(_IN_UTC) for name in cells]
    if not 1 < len(names) <= MOST_COLUMNS or len(set(names)) < len(names):
        return None
    text, time, host, program, command, level = (
        next((names.index(one) for one in some if one in names), -1)
        for some in (_OF_TABLES, TIMES, HOSTS, PROGRAMS, COMMANDS, LEVELS)
    )
    if level >= 0 and not NAMED_EVENTS.isdisjoint(names):
        return None  # a table of events, which their names tell (``formats/shared/event_fields``)
    is_output = text >= 0 and names[text] in (*OUTPUTS, "_raw") and max(host, command) >= 0
    is_counted = len(names) <= MOST_BESIDE_A_COUNT and not COUNTS.isdisjoint({*names} - {names[text]})
    is_of_host = host >= 0 and len(names) <= MOST_BESIDE_A_HOST
    if not is_output and (text < 0 or not (time >= 0 or is_counted or is_of_host)):
        return None
    return Columns(len(names), text, time, host, program, command, level, mark)


def rows(lines: Iterator[str], of: Columns) -> tuple[int, Row | None]:
    """The row that begins with the first of some lines, and how many of them it takes; None where it has other
    columns, or where none of so many lines ends it.
    """
    first = next(lines, None)
    if first is None:
        return 0, None
    if of.mark == CELL:
        return _row_of_page(first, lines, of) if _is_row(first) else (1, None)
    if of.mark == BAR:
        return _row_in_bars(first.rstrip(), lines, of)
    if of.mark == OPEN_BAR:
        return 1, _row([cell.strip() for cell in first.split(BAR, of.count - 1)], of)
    return _row_of_cells(first, lines, of)


def _row_of_page(first: str, lines: Iterator[str], of: Columns) -> tuple[int, Row | None]:
    text, count = (first, 1) if _ends_row(first) else _up_to(first, lines, _ends_row)
    return count, _row(text.split(CELL, of.count - 1), of)


def _row_in_bars(first: str, lines: Iterator[str], of: Columns) -> tuple[int, Row | None]:
    text, count = first, 1
    if text[:1] == BAR and text[-1:] != BAR:  # breaks stand in its last cell
        text, count = _up_to(first, lines, lambda line: line.rstrip()[-1:] == BAR)
    cells = _cells_in_bars(text.rstrip(), of)
    return count, _row(cells, of) if cells else None


def _row_of_cells(first: str, lines: Iterator[str], of: Columns) -> tuple[int, Row | None]:
    text, count = first, 1
    if not _is_closed(first) and _OPENS.search(first) is not None:
        text, count = _up_to(first, lines, lambda line: not _is_closed(line))
        if not _is_closed(text) and len(_cells(text, of.mark)) != of.count:
            text, count = first, 1
    cells = _cells(text, of.mark)
    if of.mark == "\t" and len(cells) > of.count and of.text == of.count - 1:
        cells = text.split(of.mark, of.count - 1)
    return count, _row(cells, of)


def _ends_row(line: str) -> bool:
    return _ROW_ENDS.search(line) is not None


def _between_bars(text: str) -> list[str]:
    return [cell.replace("\\|", BAR) for cell in _ONE_BAR.split(text.strip()[1:-1])]


def _cells_in_bars(text: str, of: Columns) -> list[str]:
    """Cells of a row of Markdown, each without the blank at its edges; bars in the last one are its own."""
    if text[:1] != BAR or text[-1:] != BAR or _DASHES.match(text) is not None:
        return []
    cells = _between_bars(text)
    if len(cells) > of.count and of.text == of.count - 1:
        cells = [*cells[: of.count - 1], BAR.join(cells[of.count - 1 :])]
    return [cell.removeprefix(" ").removesuffix(" ") for cell in cells]


def _is_closed(text: str) -> bool:
    return text.count('"') % 2 == 0


def _up_to(first: str, lines: Iterator[str], is_end: Callable[[str], bool]) -> tuple[str, int]:
    """The lines of a row that goes on below its first one, up to the one that ends it, and how many they are."""
    pieces, size = [first], len(first)
    while len(pieces) < MOST_ROW_LINES and size < MOST_ROW_CHARS and (below := next(lines, None)) is not None:
        pieces.append(below)
        size += 1 + len(below)
        if is_end(below):
            break
    return "\n".join(pieces), len(pieces)


def _row(cells: list[str], of: Columns) -> Row | None:
    if len(cells) != of.count:
        return None
    before = sum(cell.count("\n") for cell in cells[: of.text])
    lines = [(before + at, one) for at, one in enumerate(cells[of.text].split("\n"))]
    host, command, moment, program, level = (
        clean(cells[at])[0].strip() if at >= 0 else "" for at in (of.host, of.command, of.time, of.program, of.level)
    )
    return Row(host if _HOST.fullmatch(host) else "", command, moment, program, level, lines)


def has_stamp(message: str) -> bool:
    """Whether a line of a log begins with a moment of its own."""
    own = find_instant(message[:NEAR])
    return _LOCAL.match(message) is not None or (own is not None and own[1] < NEAR // 2)


def names_host(message: str) -> bool:
    """Whether a line of a log tells itself which host wrote it."""
    return _OF_HOST.match(message) is not None


def as_logged(message: str, host: str, moment: str, program: str = "", number: str = "") -> str:
    """A line of a log as a journal prints it, out of what is known of it; as it is where it has a stamp of its own."""
    if has_stamp(message) or not host or (stamp := stamp_of(moment)) is None:
        return message
    if (tag := _TAGGED.match(message)) is not None and (tag["number"] or _is_program(tag["program"])):
        program, number, message = tag["program"], tag["number"] or number, message[tag.end() :]
    program = program.removesuffix(OF_UNITS)
    if (tag := _TAG.fullmatch(program)) is not None:
        program, number = tag["program"], tag["number"] or number
    if not PROGRAM.fullmatch(program):
        program = "kernel" if _is_of_kernel(message, f"{stamp} {host} kernel: ") else "journal"
        if program == "journal" and known_alone(message) is not None:
            return message
    is_number = number.isascii() and number.isdigit() and len(number) < NEAR // 2
    if not is_number and program != "kernel" and not _ZONE.search(stamp):
        number, is_number = "0", True  # without either nothing tells a stamp of a journal from one of a tool
    return f"{stamp} {host} {program}{f'[{number}]' if is_number else ''}: {message}"


def as_levelled(message: str, moment: str, program: str, level: str) -> str:
    """A message of a program that nobody listens to, as its own log has it: with its level. As it is where it has no
    level, or is known without.
    """
    stamp, name = stamp_of(moment), _TAG.fullmatch(program)
    if (
        stamp is None
        or level.lower() not in LEVEL_WORDS
        or has_stamp(message)
        or _is_program(name["program"] if name else "")
    ):
        return message
    if (tag := _TAGGED.match(message)) is not None and (tag["number"] or _is_program(tag["program"])):
        return message
    if claimed(message) is not None or known_alone(message) is not None:
        return message
    return " ".join(filter(None, (stamp, name["program"] if name else "", level.upper(), message)))


def _is_program(name: str) -> bool:
    lower = name.lower()
    return lower not in _NO_PROGRAMS and (lower in program_names() or lower in ("kernel", "mmfs"))


def stamp_of(moment: str) -> str | None:
    """A moment as a journal prints it: of a date and a time, or of seconds or parts of them since 1970."""
    moment = moment.strip()
    if (at := _ISO.match(moment)) is not None:
        return f"{at[1]}T{at[2].replace(',', '.')}{'Z' if at[3] == 'UTC' else at[3] or ''}"
    if (at := _EPOCH.match(moment)) is not None:
        part = f"{at[2] or at[3] or at[4] or at[5] or '0':<06}"[:6]
        return f"{datetime.fromtimestamp(int(at[1]), UTC):%Y-%m-%dT%H:%M:%S}.{part}+00:00"
    if (at := _NAMED_MONTH.match(moment)) is not None and at[1] in MONTH_NUMBERS:
        return f"{at[3]}-{MONTH_NUMBERS[at[1]]:02}-{int(at[2]):02}T{at[4]}"
    if (at := _MONTH_FIRST.match(moment)) is not None and (at[6] or int(at[2]) > len(MONTHS)):
        hour = int(at[4]) % 12 + (12 if at[6] == "P" else 0) if at[6] else int(at[4])
        zone = "Z" if at[7] == "UTC" else at[7] or ""
        return f"{at[3]}-{int(at[1]):02}-{int(at[2]):02}T{hour:02}{at[5]}{zone}"
    if (at := _DAY_FIRST.match(moment)) is not None:
        return f"{at[3]}-{at[2]}-{at[1]}T{at[4].replace(',', '.')}"
    return None


def _is_of_kernel(message: str, head: str) -> bool:
    """Whether one parser knows a text both bare and as a line of the kernel."""
    return (owner := claimed(message)) is not None and claimed(head + message) is owner


def _cells(text: str, mark: str) -> list[str]:
    try:
        return next(csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=True), [])
    except csv.Error:
        return text.split(mark) if mark == "\t" and "\n" not in text else []
