"""Profiles: ``opreport`` of OProfile and ``perf report``: which function took which share of the samples.

    CPU: Intel Westmere, speed 2660.05 MHz (estimated)
    Counted CPU_CLK_UNHALTED events (Clock cycles when not halted) with a unit mask of 0x00 (No unit mask) count 100000
    samples  %        image name  symbol name
    81234    41.2000  dlm         find_rsb

    # Samples: 12K of event 'cycles'
    # Overhead  Command  Shared Object      Symbol
        41.20%  du       [kernel.kallsyms]  [k] find_rsb

Yields ``Measurement`` with tool ``opreport`` or ``perf``: the symbol in ``what``, per cent in ``value``; image or
module in ``scope``; the title or command of the report in ``command``. For opreport a second row with unit ``samples``,
and once for a report ``CPU speed`` (MHz) and ``events per sample``. The share is of what the report selected, not of
the machine. Tolerated: wrapped headings, two dots for a cut end, rows without a symbol. Source: opreport(1),
perf-report(1).
"""

from __future__ import annotations

import re
from typing import Any, Final

from parsers.output import Output
from parsers.records import Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_TITLE: Final = r"opreport\s{1,4}-{1,2}[a-z]"
_CPU: Final = r"CPU: \S[^,]{0,80}, speed [\d.]{1,16} ?MHz"
_COUNTED: Final = r"Counted [A-Z][\w:.]{2,60} events\b"
_HEADER: Final = r"(?:vma {1,20})?samples\s{1,12}(?:%|cum\. samples)"
_MASK: Final = r"(?:with a )?unit mask of|mask of 0x|count \d{1,12}\s{0,4}$|\(No unit mask\)"
_OWNS: Final = (
    rf"(?:{_TITLE}|{_CPU}|{_COUNTED}|{_HEADER}|\d\S{{0,20}}\s{{1,20}}\d{{1,3}}[.\s]|{_MASK}|\.\.\s{{0,4}}$"
    r"|-{20,200}$)"
)
_SPEED = re.compile(r"CPU: [^,]{1,80}, speed (\d{1,9}(?:\.\d{0,6})?) ?MHz")
_PER_SAMPLE = re.compile(r"\bcount (\d{1,12})\s{0,4}$")
_ROW = re.compile(r"(\d{1,12})\s{1,20}(\d{1,3}(?:\.\d{1,8})?(?:e-\d{1,3})?)\s{1,40}(\S.{0,2000})$")
_COLUMNS: Final = ("linenr info", "image name", "app name", "symbol name")

_PERF_HEAD: Final = (
    r"# (?:Samples: \d|Total Lost Samples:|Event count \(approx\.\):|(?:Children {1,8}Self|Overhead) {1,12}\S)"
)
_PERF_ROW_START: Final = (
    r"\d{1,3}\.\d{1,2}%\s{1,12}(?:\d{1,3}\.\d{1,2}%\s{1,12})?\S{1,200}\s{1,200}[^\s|]\S{0,300}\s{1,300}\[[.kguH]\] \S"
)
_PERF_TOP: Final = r"\d{1,3}[.,]\d{1,2}%\s{1,12}(?:\[[\w.-]{1,60}\]|[\w./+-]{2,120})\s{1,200}\[[.kguH]\] \S"
"""A row of ``perf top``, which shows no command; in a locale that writes a comma too."""
_PERF_OWNS: Final = rf"(?:{_PERF_HEAD}|{_PERF_ROW_START}|{_PERF_TOP}|#|[|`-]|\d{{1,3}}\.\d{{1,2}}%)"
_PERF_ROW = re.compile(
    r"(\d{1,3}[.,]\d{1,2})%\s{1,12}(?:(\d{1,3}[.,]\d{1,2})%\s{1,12})?(?:\d{1,12}\s{1,12})?(.{1,600}?)\[[.kguH]"
    r"\] (\S.{0,1000})$"
)


@parser("opreport", version=1, product="", claims=rf"(?:{_TITLE}|{_CPU}|{_HEADER})", owns=_OWNS, commands=("opreport",))
def opreport(section: OpenSection, out: Output) -> None:
    """``opreport``: samples and share of each symbol."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if re.match(_TITLE, text):
            state.clear()
            state["title"] = text.rstrip(":")
        elif match := _SPEED.match(text):
            _new_report(state)
            _add(section, out, line, "CPU speed", float(match[1]), "MHz")
        elif re.match(_HEADER, text):
            state["columns"] = [name for name in _COLUMNS if name in text]
        elif match := _ROW.match(text):
            _row(section, out, line, match)
        elif match := _PER_SAMPLE.search(text):
            _add(section, out, line, "events per sample", float(match[1]), "events")
        elif not re.match(rf"{_COUNTED}|{_MASK}|\.\.$|--", text):
            out.skip(line, "no row of a profile")


def _new_report(state: dict[str, Any]) -> None:
    """A CPU line begins a report; the title stands above its first one only."""
    if state.pop("begun", False):
        state.pop("title", None)
    state["begun"] = True
    state.pop("columns", None)


def _row(section: OpenSection, out: Output, line: Line, match: re.Match[str]) -> None:
    columns = section.state.get("columns")
    parts = match[3].replace("(no location information)", "(unknown)").split()
    before = [name for name in columns if name != "symbol name"] if columns else []
    if columns and "symbol name" not in columns:
        image, symbol = parts[0], ""
    elif len(parts) > len(before):
        image = parts[before.index("image name")] if "image name" in before else ""
        symbol = " ".join(parts[len(before) :])
    else:
        out.skip(line, "a row of a profile without its symbol")
        return
    _add(section, out, line, symbol or image, float(match[2]), "%", image or None)
    _add(section, out, line, symbol or image, float(match[1]), "samples", image or None)


def _add(
    section: OpenSection,
    out: Output,
    line: Line,
    what: str,
    value: float,
    unit: str,
    scope: str | None = None,
    tool: str = "opreport",
) -> None:
    command = section.state.get("title") or (
        section.command.text if section.command and section.command.program in (tool, "operf") else None
    )
    section.add(Measurement, line.number, tool=tool, what=what, value=value, unit=unit, command=command, scope=scope)


@parser(
    "perf_report",
    version=2,
    product="",
    claims=rf"(?:{_PERF_HEAD}|{_PERF_ROW_START}|{_PERF_TOP})",
    owns=_PERF_OWNS,
    commands=("perf",),
)
def perf_report(section: OpenSection, out: Output) -> None:
    """``perf report --stdio``: share of each symbol; call chains below a row are not kept."""
    for line in section:
        text = line.text.strip()
        if match := _PERF_ROW.match(text):
            module = match[3].split()
            own = (match[2] or match[1]).replace(",", ".")
            _add(section, out, line, match[4], float(own), "%", module[-1].strip("[]") if module else None, "perf")
        elif re.match(_PERF_ROW_START, text):
            out.skip(line, "no row of a profile")
        else:
            out.ignore()
