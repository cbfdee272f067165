"""A message of a system log among the fields of an event on one line, as collectors and templates write it.

    Apr  3 04:11:20 curlew CEF:0|Linux|kernel|6.1|7|Kernel error|7|rt=1932955880000 msg=gfs2: fsid\\=yard:grain.1: ..
    <11>Apr  3 04:11:20 curlew LEEF:2.0|Linux|kernel|6.1|7|^|devTime=2031-04-03 04:11:20^msg=Buffer I/O error on dev ..
    3 0 2031-04-03 04:11:20 curlew kernel[0] GFS2: fsid=yard:grain.1: withdrawn
    1932955880123;curlew;kernel;GFS2: fsid=yard:grain.1: withdrawn        9104000000 kern.err curlew kernel: GFS2: ..

The fields get the names that others have (``parsers.enclosed.exported``). Columns are those of a log where a program
that is known stands behind the host; a moment that counts from no known beginning is none.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.messages.catalogue import program_names
from parsers.times.clock import MONTH, MONTH_NUMBERS

LEAST_OF_MILLIONTHS: Final = 8
"""Figures of a number of millionths."""
KERNELS: Final = frozenset(("kernel", "mmfs"))
_HOST: Final = r"(?P<host>[A-Za-z0-9][\w.-]{0,126})"
_HEADING: Final = re.compile(
    rf"(?:<\d{{1,3}}>(?:1 )?)?(?:(?P<at>{MONTH} [ \d]\d \d\d:\d\d:\d\d|\d{{4}}-\d\d-\d\dT[\d:.]{{8,18}}"
    rf"(?:Z|[+-]\d\d:?\d\d)?) {_HOST} )?(?:[^\s|]{{1,60}} ){{0,3}}(?P<kind>CEF|LEEF): ?(?P<version>\d)(?:\.\d)?\|"
)
_BAR: Final = re.compile(r"(?<!\\)\|")
_NAME: Final = re.compile(r"(?:^|(?<= ))([A-Za-z][\w.]{0,60})(?<!\\)=")
_ESCAPED: Final = re.compile(r"\\([\\=|])")
_COLUMNS_OF: Final = {"CEF": 6, "LEEF": 4}
_NAMES: Final = {
    old: new
    for new, names in {
        "time": "rt devtime start end",
        "host": "dvchost shost dhost identhostname devname",
        "program": "deviceprocessname sproc dproc process",
        "pid": "deviceprocessid spid",
        "message": "msg reason",
    }.items()
    for old in names.split()
}
_MARK: Final = r"[ \t]{0,3}[ \t,;|][ \t]{0,3}"
_LEVEL: Final = r"(?:[a-z]{3,8}|local\d)\.(?:emerg|alert|crit|err|error|warning|warn|notice|info|debug)"
_COLUMNS: Final = re.compile(
    rf"(?:[\w.]{{1,12}}{_MARK}){{0,4}}?"
    rf"(?:(?P<at>\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    rf"|1\d{{9}}(?:\.\d{{1,9}}|\d{{3}}|\d{{6}}|\d{{9}})?)|(?P<since>\d{{1,18}}(?:\.\d{{1,9}})?(?={_MARK}{_LEVEL}\b)))"
    rf"{_MARK}(?:{_LEVEL}{_MARK})?\"?{_HOST}\"?{_MARK}\"?(?P<program>[A-Za-z][\w./-]{{0,40}})"
    rf"(?:\[(?P<pid>\d{{1,9}})\])?:?\"?{_MARK}(?P<quote>\"?)[ \t]{{0,4}}(?P<message>\S.*)$"
)


def fields_of_event(text: str) -> dict[str, str] | None:
    """The fields of an event with a heading in bars; None for any other line."""
    heading = _HEADING.match(text)
    if heading is None:
        return None
    count = _COLUMNS_OF[heading["kind"]] + (heading["kind"] == "LEEF" and heading["version"] == "2")
    *columns, rest = _BAR.split(text[heading.end() :], count)
    if len(columns) != count:
        return None
    found = _of_cef(rest) if heading["kind"] == "CEF" else _of_leef(rest, columns)
    fields = {"time": heading["at"] or "", "host": heading["host"] or ""}
    fields |= {name: value for name, value in found.items() if value and not fields.get(name)}
    fields.setdefault("program", next((one for one in columns[::-1] if is_program(one)), ""))
    return fields


def fields_of_columns(text: str) -> dict[str, str] | None:
    """Those of a line of a log in columns that begins with a number or with a moment in figures alone."""
    row = _COLUMNS.match(text)
    if row is None or not is_program(row["program"]):
        return None
    message = row["message"].rstrip().removesuffix(row["quote"])
    named = {name: row[name] or "" for name in ("host", "program", "pid")}
    if row["since"] and row["program"].lower() == "kernel":
        message = f"[{_seconds(row['since']):12.6f}] {message}"
    return {**named, "time": row["at"] or "", "message": message}


def _seconds(since: str) -> float:
    """Since the start of a host: a long number without a point counts millionths."""
    return float(since) if "." in since or len(since) < LEAST_OF_MILLIONTHS else int(since) / 1e6


def is_program(name: str) -> bool:
    """Whether messages of a program are known."""
    return name.lower() in KERNELS or name.lower() in program_names()


def _of_cef(text: str) -> dict[str, str]:
    names = [*_NAME.finditer(text)]
    ends = [name.start() for name in names[1:]] + [len(text)]
    return _named([(name[1], text[name.end() : end]) for name, end in zip(names, ends, strict=True)])


def _of_leef(text: str, columns: list[str]) -> dict[str, str]:
    mark = columns[-1] if len(columns) > _COLUMNS_OF["LEEF"] else ""
    mark = chr(int(mark.lstrip("0x"), 16)) if re.fullmatch(r"0?x[0-9A-Fa-f]{2,4}", mark) else mark
    return _named([(name, value) for name, _, value in (one.partition("=") for one in text.split(mark or "\t"))])


def _named(pairs: list[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(_NAMES.get(name.lower(), name.lower()), _ESCAPED.sub(r"\1", value.strip()))
    return found


_DAY: Final = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK: Final = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE: Final = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)| [A-Z]{3,4})?"
_HALF: Final = r"(?: (?P<half>[AaPp])\.? ?[Mm]\.?)?"
_YEAR_FIRST: Final = r"(?P<y>\d{4})[-/. ]?(?P<m>\d\d|[A-Z][a-z]{2})[-/. ]{0,2}(?P<d>\d\d|(?<= )\d)"
_DAY_FIRST: Final = r"(?P<d>\d{1,2})[-/. ](?P<m>[A-Z][a-z]{2})[-/. ](?P<y>\d{4})"
_AMERICAN: Final = r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4}|\d\d)"
_EUROPEAN: Final = r"(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4}|\d\d)"
_NO_YEAR: Final = rf"\*?(?P<m>{MONTH}) {{1,2}}(?P<d>\d{{1,2}})"
_AT: Final = rf"(?P<clock>{_CLOCK})"
_PACKED: Final = r"(?P<clock>(?<=T)\d{6})"
_GAP: Final = r"[\]\"]?[ \t]{0,3}[ \t|,;:\"\[][ \t|,;\"\[]{0,4}"
_WHO: Final = (
    rf"(?:(?:{_LEVEL.replace('.', '[./]', 1)}){_GAP})?{_HOST}{_GAP}"
    rf"(?:{_LEVEL}{_GAP}|[a-z]{{3,8}}/[a-z]{{3,8}}{_GAP}|(?:EMERG|ALERT|CRIT|ERR|WARNING|NOTICE|INFO|DEBUG){_GAP})?"
)
_END: Final = r"[\]\"]?:?[ \t]{0,3}(?:[|,;][ \t]{0,3})?\"?[ \t]{0,4}(?<=[ \t|,;\"])"
_SAYS: Final = (
    rf"(?P<program>[A-Za-z][\w./-]{{0,40}})(?:\[(?P<pid>\d{{1,9}})\])?{_END}(?:- ){{0,3}}[ \t]{{0,4}}"
    r"(?:[\[\"]?(?P<level>(?i:emerg|alert|crit(?:ical)?|err(?:or)?|warn(?:ing)?|notice|info|debug))"
    rf"{_END})?(?P<message>\S.*?)\"?$"
)
_FRONT: Final = rf"(?:<\d{{1,3}}>)?[\[\"]?(?:{_DAY},? )?"
_LINES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_FRONT}{_YEAR_FIRST}[T _-]{_AT}{_ZONE}{_GAP}{_WHO}{_SAYS}",
        rf"{_FRONT}{_YEAR_FIRST}T{_PACKED}{_ZONE}{_GAP}{_WHO}{_SAYS}",
        rf"{_FRONT}{_DAY_FIRST}[ :]{_AT}{_ZONE}{_GAP}{_WHO}{_SAYS}",
        rf"{_FRONT}{_AMERICAN},? {_AT} (?P<half>[AP])M{_ZONE}{_GAP}{_WHO}{_SAYS}",
        rf"{_FRONT}{_EUROPEAN},? {_AT}{_HALF}{_ZONE}{_GAP}{_WHO}{_SAYS}",
        rf"{_NO_YEAR} {_AT}{_GAP}{_WHO}{_SAYS}",
        rf"{_HOST} {_NO_YEAR} {_AT} {_SAYS}",
    )
)
_STAMPED: Final = re.compile(r"[^\n]{0,40}?(?:\d:\d\d:\d\d|\d{8}T\d{6})")


def fields_of_line(text: str) -> dict[str, str] | None:
    """Those of a line of a log with moment, host and program in any usual form; a moment whose year nobody tells is
    one of this line's own log. None for any other line.
    """
    if _STAMPED.match(text) is None:
        return None
    row = next(filter(None, (form.match(text) for form in _LINES)), None)
    if row is None or not is_program(row["program"]) or not (row["pid"] or row["level"] or _is_parted(row)):
        return None
    fields = {name: row[name] or "" for name in ("host", "program", "pid", "message")}
    return {**fields, "time": _moment(row.groupdict())}


def _is_parted(row: re.Match[str]) -> bool:
    """Whether more than a blank stands behind the program: in ``Current LLT flow control values`` it is none."""
    behind = row.string[row.end("program") :]
    return behind[:1] == "\t" or behind.lstrip(" ]")[:1] in tuple(':"|,;-')


def _moment(parts: dict[str, str | None]) -> str:
    month, clock = parts["m"] or "", parts["clock"] or ""
    number, day = MONTH_NUMBERS.get(month, 0) if month.isalpha() else int(month), int(parts["d"] or 0)
    if number > len(MONTH_NUMBERS) >= day:
        number, day = day, number
    if ":" not in clock:
        clock = f"{clock[:2]}:{clock[2:4]}:{clock[4:]}"
    hours, _, rest = clock.replace(",", ".").partition(":")
    hour = int(hours)
    if half := parts.get("half"):
        hour = hour % 12 + 12 * (half in "Pp")
    year, zone = parts.get("y"), parts.get("zone") or ""
    if year is None:
        return f"{month} {day:>2} {hour:02}:{rest.partition('.')[0]}"
    zone = "Z" if zone in ("UTC", "GMT") else zone
    return f"{year if len(year) > 2 else f'20{year}'}-{number:02}-{day:02}T{hour:02}:{rest}{zone}"
