"""Enclosures of Spectrum Scale RAID for people: ``mmlsenclosure``.

                    needs    nodes
     serial number  service
     -------------  -------  ------
     KT21313978     yes      lund03.lab

     component type  serial number  component id  failed value  unit    properties
     --------------  -------------  ------------  ------ -----  ----    ----------
     fan             KT21313978     1_BOT_LEFT    yes           RPM     FAILED
     esm             KT21313978     ESM_A         no                    REPORTER

Yields ``HealthState``: an enclosure and each of its parts. No times. Source: IBM Spectrum Scale RAID documentation,
mmlsenclosure command; the layout is recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_SERIAL: Final = r"(?=[A-Z0-9]{0,15}\d)[A-Z0-9]{6,16}"
_PARTS: Final = (
    r"(?:canister|cpu|currentSensor|dcm|dimm|door|drawer|drive|enclosure|esm|expander|fan|microcode|powerSupply|sideplane"
    r"|tempSensor|voltageSensor)"
)


def _enclosure(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    needs = match["needs"] == "yes"
    _put(section, line, f"enclosure {match['serial']}", "needs service" if needs else "in order", is_bad=needs)


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_bad, words = match["failed"] == "yes", " ".join((match["words"] or "").split())
    part = f"{match['part']} {match['id']} of enclosure {match['serial']}"
    state = ("failed" + (f" ({words})" if words else "")) if is_bad else "in order"
    _put(section, line, part, state, is_bad=is_bad)


def _put(section: OpenSection, line: Line, component: str, state: str, *, is_bad: bool) -> None:
    section.add(
        HealthState,
        line.number,
        source="mmlsenclosure",
        component=component,
        state=state,
        standing="degraded" if is_bad else "healthy",
    )


_ROWS: Final = Rows(
    Row("heading of service", r"needs\s{1,20}nodes$", fate=Fate.FRAME),
    Row("heading of needs", r"needs$", fate=Fate.FRAME),
    Row("heading of enclosures", r"serial number\s{1,20}service(?:\s{1,20}nodes)?$", fate=Fate.FRAME),
    Row(
        "heading of parts", r"component type\s{1,20}serial number\s{1,20}component id\s{1,20}failed\b", fate=Fate.FRAME
    ),
    Row("ruler", r"-{3,40}(?:\s{1,24}-{3,40}){2,6}$", fate=Fate.FRAME, opens=False),
    Row(
        "enclosure",
        rf"(?P<serial>{_SERIAL})\s{{1,40}}(?P<needs>yes|no)(?:\s{{1,40}}\S{{1,400}})?$",
        _enclosure,
        opens=False,
    ),
    Row(
        "part",
        rf"(?P<part>{_PARTS})\s{{1,40}}(?P<serial>{_SERIAL})\s{{1,40}}(?P<id>\S{{1,60}})\s{{1,40}}(?P<failed>yes|no)"
        r"(?:\s{1,60}(?P<words>\S.{0,200}))?$",
        _part,
    ),
    Row("all in order", r"mmlsenclosure: All enclosures? .{0,60}\bok\b.{0,40}$", fate=Fate.EVERYDAY),
)


@parser("scale_enclosures", version=2, product="spectrum-scale", rows=_ROWS, commands=("mmlsenclosure",))
def scale_enclosures(section: OpenSection, out: Output) -> None:
    """``mmlsenclosure``: enclosures that need service, and which of their parts."""
    _ROWS.read(section, out, "no enclosure and no part of one")
