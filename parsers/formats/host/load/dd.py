"""``dd``: how fast a sequential copy was.

    1000+0 records in
    1000+0 records out
    4194304000 bytes (4.2 GB) copied, 30.0617 s, 140 MB/s                  GNU coreutils 5 to 8.24
    59703296 bytes (60 MB, 57 MiB) copied, 0.0427974 s, 1.4 GB/s           8.25 and later; progress lines parted by CR
    4194304000 Bytes (4,2 GB, 3,9 GiB) kopiert, 131,072 s, 32,0 MB/s       other languages; the order is the same in all
    1048576 bytes transferred in 0.004 secs (262144000 bytes/sec)          BSD, Solaris 11.4, macOS

Yields ``Measurement`` with tool ``dd``: the rate computed from bytes and seconds in MB/s (10^6 bytes), with target and
flags in ``what``, and beside it ``bytes``, ``seconds`` and the rate as printed. A result that is not the first one
below its prompt has no command line: ``unknown dd``. Of progress lines only the last is kept. Sizes of 0 or times of 0
give no rate. Records that were cut short are counted. Source: dd(1) of GNU coreutils, FreeBSD and macOS.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import figure
from parsers.headings.transcript import Command
from parsers.output import Output
from parsers.records import Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_LOCAL: Final = (
    r"\d{1,20} ?[^\d\s(（]{1,24} ?[(（]\d[\d.,]{0,8} [^()（）]{1,60}[)）] ?[^\d,，]{1,40}[,，] ?[\d.,e+-]{1,24}"
    r" ?[^\W\d_]{1,8}[,，] ?[\d.,]{1,24} ?[kMGTP]?B/[^\W\d_]"
)
_RESULT_START: Final = (
    rf"\d{{1,20}} bytes?(?: \([^()]{{1,80}}\))? (?:copied|transferred)(?:,| in) [\d.,e+-]{{1,24}} ?s|{_LOCAL}"
)
_WORDS: Final = (
    r"records? (?:in|out)|Datens(?:ä|ae)tze (?:ein|aus)|enregistrements (?:lus|écrits)"
    r"|registros (?:leídos|escritos)|registros de \w{5,7}"
    r"|записей (?:получено|отправлено)|записів \w{4,12}|przeczytan\w{1,4} rekord\w{0,3}|zapisan\w{1,4} rekord\w{0,3}"
    r"|record (?:dentro|fuori)|poster (?:in|ut)"
    r"|レコード\S{0,20}|的(?:读入|写出)|個?(?:記錄|块记录)\S{0,10}"
)
_RECORDS_START: Final = rf"(?:记录了|輸入|輸出|读入了|写出了)?\d{{1,18}}\+\d{{1,18}} ?(?:{_WORDS})"
_CLAIMS: Final = rf"(?:{_RESULT_START}|{_RECORDS_START})"
_OWNS: Final = rf"(?:{_CLAIMS}|\d{{1,18}} truncated records?\b|\d{{1,18}} bytes?\b|dd: )"
_RESULT = re.compile(
    r"(\d{1,20}) bytes?(?: \([^()]{1,80}\))? (?:copied|transferred)(?:,| in) ([\d.,e+-]{1,24}) "
    r"?(?:seconds|secs|sec|s)\b,? ?(?:\(?([\d.,]{1,24}|Infinity) ?(B|kB|MB|GB|TB|PB|bytes)/s(?:ec)?\b)?"
)
_LOCAL_RESULT = re.compile(
    r"(\d{1,20}) ?[^\d\s(（]{1,24} ?[(（][^()（）]{1,80}[)）] ?[^\d,，]{1,40}[,，] ?([\d.,e+-]{1,24}) ?[^\W\d_]{1,8}"
    r"[,，] ?([\d.,]{1,24}) ?([kMGTP]?B)/[^\W\d_]"
)
_RECORDS = re.compile(rf"\D{{0,8}}(\d{{1,18}})\+(\d{{1,18}}) ?({_WORDS})")
_INPUT = re.compile(r"in$|ein|lus|leídos|de entrada|получено|przeczyt|dentro|入力|读入|記錄入")
_UNITS: Final = {"B": 1e-6, "bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3, "TB": 1e6, "PB": 1e9}
_FLAGS: Final = ("bs", "ibs", "obs", "count", "oflag", "iflag", "conv")
_PRIMARY: Final = "dd"
_BESIDE: Final = (
    "mkfs",
    "mke2fs",
    *(f"mkfs.{kind}" for kind in ("ext2", "ext3", "ext4", "xfs", "gfs2", "vxfs")),
)  # they tell what was copied to


@dataclass(slots=True)
class _Result:
    """A result line that may still be one of a progress."""

    line: int
    copied: int
    seconds: float
    printed: float | None


@dataclass(slots=True)
class _Run:
    """The run that is being read."""

    result: _Result | None = None
    partial: int | None = None


@parser("dd", version=2, product="", claims=_CLAIMS, owns=_OWNS, commands=(_PRIMARY, *_BESIDE))
def dd(section: OpenSection, out: Output) -> None:
    """``dd``: bytes, seconds and rate of a copy."""
    run = _Run()
    for line in section:
        text = line.text.strip()
        if match := _RESULT.match(text) or _LOCAL_RESULT.match(text):
            _result(section, out, run, line, match)
        elif match := _RECORDS.match(text):
            _settle(section, out, run, at_records=_INPUT.search(match[3]) is not None)
            run.partial = max(run.partial or 0, int(match[2]))
        elif not text.startswith("dd: ") and "truncated" not in text:
            out.skip(line, "a result of dd that is cut")
    _settle(section, out, run)


def _result(section: OpenSection, out: Output, run: _Run, line: Line, match: re.Match[str]) -> None:
    seconds = figure(match[2])
    if seconds is None:
        out.skip(line, "a result of dd without its seconds")
        return
    held, found = run.result, _Result(line.number, int(match[1]), seconds, _printed(match[3], match[4]))
    if held is not None and not (run.partial is None and held.copied <= found.copied and held.seconds < found.seconds):
        _settle(section, out, run)
    run.result = found  # of lines that grow, the later one is the progress of the same run
    if run.partial is not None:
        _settle(section, out, run)


def _printed(rate: str | None, unit: str | None) -> float | None:
    value = figure(rate) if rate else None
    return value * _UNITS[unit] if value is not None and unit else None


def _settle(section: OpenSection, out: Output, run: _Run, *, at_records: bool = False) -> None:
    """Put out the run. ``at_records``: lines of records begin, which end a progress but not its run."""
    result = run.result
    if at_records and result is not None and run.partial is None and _first_of_prompt(section, out, peek=True):
        run.result = None  # the final result follows
        return
    if result is None:
        return
    command = section.command if _first_of_prompt(section, out) else None
    command = command if command is not None and command.program == _PRIMARY else None
    for what, value, unit in _figures(result, run.partial, command):
        section.add(
            Measurement,
            result.line,
            tool="dd",
            what=what,
            value=value,
            unit=unit,
            command=command.text if command else None,
            scope=_value(command, "of"),
        )
    run.result, run.partial = None, None


def _first_of_prompt(section: OpenSection, out: Output, *, peek: bool = False) -> bool:
    """Whether this is the first result below its prompt: a second one was printed by a command that is not shown."""
    if not section.prompt_line:
        return False
    used = out.interned.get("dd") == section.prompt_line
    if not peek:
        out.interned["dd"] = section.prompt_line
    return not used


def _figures(result: _Result, partial: int | None, command: Command | None) -> list[tuple[str, float, str]]:
    figures: list[tuple[str, float, str]] = []
    if result.seconds > 0 and result.copied > 0:
        figures.append((_what(command), round(result.copied / result.seconds / 1e6, 4), "MB/s"))
    figures += [("bytes", float(result.copied), "B"), ("seconds", result.seconds, "s")]
    if result.printed is not None:
        figures.append(("rate as printed", round(result.printed, 6), "printed MB/s"))
    if partial is not None:
        figures.append(("partial records", float(partial), "records"))
    return figures


def _what(command: Command | None) -> str:
    """Target and flags, as they decide what was measured."""
    if command is None:
        return "unknown dd: no command line"
    kept = [word for word in command.args if word.partition("=")[0] in ("if", "of", *_FLAGS)]
    return " ".join(kept)[:400] or "no operands"


def _value(command: Command | None, name: str) -> str | None:
    words = command.args if command is not None else ()
    return next((word.partition("=")[2] for word in words if word.startswith(f"{name}=")), None)
