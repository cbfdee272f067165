"""``time`` in front of a command: how long it took, and how much of that was processor time.

    real    1m49.765s                                        bash, ksh
    real 109.76                                              POSIX -p
    real     1:49.76                                         timex of Solaris, HP-UX, AIX
    2.29user 13.43system 1:49.76elapsed 14%CPU (0avg...)     GNU time
          109.76 real         2.29 user        13.43 sys     BSD, macOS
    2.298u 13.438s 1:49.76 14.3% 0+0k 0+0io 0pf+0w           csh

Yields ``Measurement`` with tool ``time``, what ``real``, ``user`` or ``sys``, in seconds, and the command at the
prompt. A comma may stand for the decimal point. No time of day. Tolerated: a remark behind the figure, rows missing,
seconds without minutes. Source: bash(1), time(1p), GNU time 1.9, tcsh(1), timex(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_DECIMAL: Final = r"\d{1,9}[.,]\d{1,9}"
_LONG: Final = rf"(?:\d{{1,6}}h)?\d{{1,9}}m{_DECIMAL}s\b"
_CLOCK: Final = rf"(?:\d{{1,6}}:){{1,2}}{_DECIMAL}(?=\s*$)"
_PLAIN: Final = rf"{_DECIMAL}(?:s\b|(?=\s*$|\s{{2,80}}\S|\s{{0,4}}[(\[#]))"
_GNU: Final = rf"{_DECIMAL}user {_DECIMAL}system (?:\d{{1,6}}:){{1,2}}{_DECIMAL}elapsed"
_BSD: Final = rf"{_DECIMAL} real\s{{1,20}}{_DECIMAL} user\s{{1,20}}{_DECIMAL} sys"
_CSH: Final = rf"{_DECIMAL}u {_DECIMAL}s (?:\d{{1,6}}:){{1,2}}\d{{1,2}}[.,]\d{{1,9}}\s{{1,4}}\d"
_CLAIMS: Final = rf"(?:real\s{{1,20}}(?:{_LONG}|{_CLOCK}|{_PLAIN})|{_GNU}|{_BSD}|{_CSH})"
_OWNS: Final = (
    rf"(?:(?:real|user|sys)\s{{1,20}}\d|{_GNU}|{_BSD}|{_CSH}|\(\d{{1,12}}(?:major|avgtext)|\d{{1,12}}inputs\+\d)"
)
_ROW = re.compile(rf"(real|user|sys)\s{{1,20}}(?:(?:(\d{{1,6}})h)?(\d{{1,9}})m)?({_DECIMAL})(?:s\b|(?=\s|$))")
_CLOCK_ROW = re.compile(rf"(real|user|sys)\s{{1,20}}({_CLOCK})")
_ONE_LINE: Final = (
    (re.compile(rf"(?P<user>{_DECIMAL})user (?P<sys>{_DECIMAL})system (?P<real>[\d:.,]{{1,40}})elapsed"), "GNU"),
    (
        re.compile(rf"(?P<real>{_DECIMAL}) real\s{{1,20}}(?P<user>{_DECIMAL}) user\s{{1,20}}(?P<sys>{_DECIMAL}) sys"),
        "BSD",
    ),
    (re.compile(rf"(?P<user>{_DECIMAL})u (?P<sys>{_DECIMAL})s (?P<real>[\d:.,]{{1,40}})"), "csh"),
)


@parser("time_command", version=2, product="", claims=_CLAIMS, owns=_OWNS, commands=("time", "timex"))
def time_command(section: OpenSection, out: Output) -> None:
    """``time``: how long a command took, in the layouts of bash, sh, csh, macOS and GNU time."""
    for line in section:
        text = line.text.strip()
        if match := _ROW.match(text):
            seconds = (int(match[2] or 0) * 60 + int(match[3] or 0)) * 60 + float(match[4].replace(",", "."))
            _measured(section, out, line, match[1], seconds)
        elif match := _CLOCK_ROW.match(text):
            _measured(section, out, line, match[1], _seconds(match[2]))
        elif not _one_line(section, out, line, text):
            _other(out, line, text)


def _one_line(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    for pattern, _ in _ONE_LINE:
        if match := pattern.match(text):
            for what in ("real", "user", "sys"):
                _measured(section, out, line, what, _seconds(match[what]))
            return True
    return False


def _other(out: Output, line: Line, text: str) -> None:
    """The memory and page-fault figures of GNU time are understood and not kept; a cut row is not understood."""
    if not text.startswith("(") and "inputs+" not in text:
        out.skip(line, "a row of time that is cut")


def _seconds(text: str) -> float:
    """``[h:]m:s`` with a decimal point or comma."""
    total = 0.0
    for part in text.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return total


def _measured(section: OpenSection, out: Output, line: Line, what: str, seconds: float) -> None:
    command = section.command.text if section.command else None
    section.add(Measurement, line.number, tool="time", what=what, value=round(seconds, 6), unit="s", command=command)
