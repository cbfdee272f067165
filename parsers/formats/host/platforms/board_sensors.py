"""Sensors of a board: ``ipmitool sdr`` and its lists, ``ipmitool sensor``, ``ipmi-sensors``.

    Fan1             | 30h | ok  |  7.1 | 7680 RPM                of sdr elist
    Fan1             | 7680 RPM          | ok                     of sdr
    Fan1             | 7680.000   | RPM        | ok    | na       of sensor
    2   | Fan2       | Fan        | 7680.00    | RPM   | 'OK'     of ipmi-sensors

Yields ``HealthState``: failed where a figure is critical or beyond, degraded where it is near, or where the words of a
part say that it failed; sensors that are not read are everyday. Source: ipmitool(1), ipmi-sensors(8), recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_BAD: Final = re.compile(
    r"\b(?:failure detected|power supply input lost|ac lost|redundancy lost|non-redundant|drive fault"
    r"|in (?:failed|critical) array|uncorrectable ecc|bus uncorrectable error|fatal error|configuration error"
    r"|transition to (?:critical|non-recoverable)|(?:lower|upper) (?:non-)?(?:critical|recoverable))",
    re.IGNORECASE,
)
_NEAR: Final = re.compile(
    r"\b(?:predictive failure|(?:lower|upper) non-?critical|transition to non-critical)", re.IGNORECASE
)
_NAME: Final = r"(?P<name>[A-Za-z0-9][^|\n]{0,40}?)\s{0,30}\|"
_MARK: Final = r"(?P<mark>ok|nc|cr|nr|lnc|lcr|lnr|unc|ucr|unr|ns|na)"


def _standing(mark: str, words: str) -> HealthStanding:
    if mark.endswith(("cr", "nr")):
        return "failed"
    if mark.endswith("nc") or _NEAR.search(words) is not None:
        return "degraded"
    return "degraded" if _BAD.search(words) is not None else "healthy"


def _sensor(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["mark"] in ("ns", "na"):
        return
    words = " ".join(match["value"].replace("|", " ").split())
    state = words if match["mark"] == "ok" else f"{words} ({match['mark']})"
    standing = _standing(match["mark"], words)
    section.add(HealthState, line.number, source="ipmitool", component=match["name"], state=state, standing=standing)


def _event(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["value"].strip()
    section.add(
        HealthState,
        line.number,
        source="ipmitool",
        component=match["name"],
        state=state,
        standing=_standing("ok", state),
    )


_ROWS: Final = Rows(
    Row(
        "sensor with its number",
        rf"{_NAME} {{1,8}}[0-9A-Fa-f]{{2}}h {{1,4}}\| {{1,4}}{_MARK} {{1,6}}\| {{1,6}}\d{{1,3}}\.\d{{1,3}} {{1,6}}\|"
        r"(?P<value>[^|\n]{0,120})$",
        _sensor,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "sensor with its limits",
        rf"{_NAME} {{1,8}}(?P<value>(?:-?\d[\d.]{{0,12}}|0x[0-9a-f]{{1,4}}|na)\s{{0,12}}\| {{1,4}}"
        rf"[A-Za-z% ]{{1,16}}?)\s{{0,12}}\| {{1,4}}(?:{_MARK}|0x[0-9a-f]{{4}})\s{{0,8}}\|",
        lambda section, line, match: _sensor(section, line, match) if match["mark"] else None,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "sensor",
        rf"{_NAME} {{1,8}}(?P<value>(?:-?\d[\d.]{{0,12}} (?:degrees|RPM|Volts|Watts|Amps|percent|unspecified)"
        rf"|0x[0-9a-f]{{2}}|no reading|disabled|Not Readable)[A-Za-z ]{{0,16}}?)\s{{0,30}}\| {{1,4}}{_MARK}$",
        _sensor,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "sensor with its event",
        r"\d{1,5}\s{1,6}\| (?P<name>[^|\n]{1,40}?)\s{0,30}\| (?:[^|\n]{1,40}\|){3} '(?P<value>[^|\n]{1,200}?)'\s{0,8}$",
        _event,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "sensor that is not read",
        r"\d{1,5}\s{1,6}\| [^|\n]{1,40}\| (?:[^|\n]{1,40}\|){3} N/A\s{0,8}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    heading("heading of sensors", r"ID\s{1,6}\| Name\s{1,40}\| Type\s{1,40}\| "),
)


@parser("board_sensors", version=1, product="", rows=_ROWS, commands=("ipmitool", "ipmi-sensors"))
def board_sensors(section: OpenSection, out: Output) -> None:
    """A sensor a line."""
    _ROWS.read(section, out, "no sensor")
