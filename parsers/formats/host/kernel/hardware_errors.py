"""Errors that the hardware told the kernel, as ``ras-mc-ctl`` lists them: ``--errors``, ``--summary`` and
``--error-count``; and ``edac-util -v``.

    1 2031-03-09 10:11:12 +0100 1 Corrected error(s): memory read error at DIMM_A1 location: 0:1:0:-1, addr 728, ...
    2 2031-03-09 10:12:40 +0100 error: Corrected error, no action required., CPU 2, bank Unified Memory Controller ...
    Uncorrected on DIMM Label(s): 'DIMM_A1' location: 0:1:0:-1 errors: 2
    mc#0csrow#3channel#0	4	0                              Label CE UE
    mc0: csrow2: CPU_SrcID#0_MC#0_Chan#2_DIMM#0: 847 Corrected Errors                edac-util -v

Yields ``Event``: what was corrected, and what could not be. That none of a kind came is everyday. Errors of disks are
left unread: requests that a program had refused count there too. Time: of the row. Source: ras-mc-ctl(8) and its
outputs as people send them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.message_events import TEXT_KEPT
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line
from parsers.times.clock import find_instant

_PLACES: Final = (
    re.compile(r"memory_channel=\d{1,4}, ?csrow=\d{1,4}"),
    re.compile(r"bank=?[ \w]{0,40}\(bank=\d{1,4}\)|CPU \d{1,5}"),
)
"""What tells the module, and where none does, who read it."""
_MOMENT: Final = r"\d{1,9} (?:(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [+-]\d{4})?)|\.\.) "
_SORT: Final = r"(?P<sort>Corrected|Uncorrected|Fatal|Deferred)"
_NOTHING: Final = "0"
_MANY: Final = 100
"""Corrected errors of one module from which on it is about to fail (no published figure)."""


def _put(
    section: OpenSection, line: Line, *, corrected: bool, about: str | None, at: str | None = None, count: int = 1
) -> None:
    found = find_instant(at) if at else None
    section.add(
        Event,
        line.number,
        source="ras-mc-ctl",
        kind="memory-uncorrected"
        if not corrected
        else "memory-corrected-often"
        if count >= _MANY
        else "memory-corrected",
        about=about or None,
        weight="trouble" if corrected else "disaster",
        text=line.text.strip()[:TEXT_KEPT],
        at=found[0].us if found else section.at,
        zone_min=found[0].zone_min if found else section.zone_min,
    )


def _of_memory(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, corrected=match["sort"] == "Corrected", about=match["label"].strip(" '"), at=match["at"])


def _of_cpu(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    place = next((found for one in _PLACES if (found := one.search(match["rest"]))), None)
    _put(section, line, corrected=match["sort"] == "Corrected", about=place[0] if place else None, at=match["at"])


def _summed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, corrected=match["sort"] == "Corrected", about=match["label"])


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    for column in ("ce", "ue"):
        if match[column] != _NOTHING:
            _put(section, line, corrected=column == "ce", about=match["label"], count=int(match[column]))


def _of_module(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(
        section,
        line,
        corrected=match["sort"] == "Corrected",
        about=match["label"].rpartition(": ")[2],
        count=int(match["count"]),
    )


_ROWS: Final = Rows(
    Row(
        "error of memory",
        rf"{_MOMENT}\d{{1,9}} {_SORT} error\(s\): .{{0,200}}? at (?P<label>.{{1,80}}?) location:",
        _of_memory,
    ),
    Row(
        "error of a CPU",
        rf"{_MOMENT}error: (?P<sort>\w{{1,30}})\b(?P<rest>.{{0,400}}?\b(?:bank|mcgstatus)\b.{{0,1000}})",
        _of_cpu,
    ),
    Row(
        "sum of a module",
        rf"{_SORT} on DIMM Label\(s\): '(?P<label>[^']{{0,80}})' location: \S{{1,40}} errors: \d",
        _summed,
    ),
    Row("counts of a module without one", r"mc#\d{1,3}\S{1,60}\s{1,40}0\s{1,10}0$", fate=Fate.EVERYDAY),
    Row(
        "counts of a module", r"(?P<label>mc#\d{1,3}\S{1,60})\s{1,40}(?P<ce>\d{1,9})\s{1,10}(?P<ue>\d{1,9})$", _counted
    ),
    Row(
        "count of edac-util",
        rf"(?P<label>mc\d{{1,3}}(?:: csrow\d{{1,3}})?(?:: [\w#.-]{{1,60}})?): (?P<count>[1-9]\d{{0,9}}) {_SORT} Errors"
        r"(?: with no DIMM info)?$",
        _of_module,
    ),
    everyday(
        "none came",
        r"mc\d{1,3}(?:: csrow\d{1,3})?(?:: [\w#.-]{1,60})?: 0 (?:Corrected|Uncorrected) Errors(?: with no DIMM info)?$",
        r"edac-util: (?:EDAC drivers (?:are|not) loaded\..{0,40}|No errors to report\.)$",
        r"No (?:Memory|PCIe AER|ARM processor|Extlog|devlink|disk|MCE|Memory failure|CXL [\w ]{1,40}|"
        r"Signal|Non-standard) (?:failure )?(?:errors|events)\.$",
        r"ras-mc-ctl: drivers (?:are|not) loaded\.$",
    ),
    heading(
        "heading", r"(?:Memory controller|PCIe AER|MCE|ARM processor|Extlog|devlink) (?:events|records)(?: summary)?:$"
    ),
    heading("heading of counts", r"Label\s{1,40}CE\s{1,10}UE$"),
)


@parser("ras_mc_ctl", version=2, product="", rows=_ROWS, commands=("ras-mc-ctl", "edac-util"))
def ras_mc_ctl(section: OpenSection, out: Output) -> None:
    """``ras-mc-ctl``: errors that the hardware corrected, and those that it could not."""
    _ROWS.read(section, out, "no error of a known form")
