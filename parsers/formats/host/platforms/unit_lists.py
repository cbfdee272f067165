"""Lists of units of systemd: ``systemctl list-units``, ``systemctl --failed``, ``systemctl list-unit-files`` and
``systemctl is-active``.

      UNIT               LOAD      ACTIVE   SUB     DESCRIPTION         UNIT FILE          STATE    VENDOR PRESET
    ● brine.service      loaded    failed   failed  Brine of the cellar brine.service      enabled  disabled
      corosync.service   loaded    active   running Corosync ...        proc-sys.automount static   -
    1 loaded units listed.                                              2 unit files listed.

Yields ``ServiceState`` of the units on which a cluster rests, ``ListedState`` of others that failed;
``HealthState`` where ``--failed`` lists none. Files of units say what starts, not what runs: ``Setting`` of those on
which a cluster rests. No times.
Source: systemctl(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.host.platforms.units import add_unit, unit_standing
from parsers.ledger import Fate
from parsers.records import Setting
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_UNIT: Final = (
    r"[\w@.:\\-]{1,200}\.(?:service|mount|socket|target|timer|path|slice|scope|swap|device|automount|busname|snapshot)"
)
_LOADS: Final = r"(?:loaded|not-found|masked|error|bad-setting|merged|stub)"
_STATES: Final = r"(?:active|inactive|failed|activating|deactivating|reloading|maintenance|refreshing)"
_OF_FAILED: Final = re.compile(r"--failed\b|--state[= ]\S{0,40}failed")
_OF_FILES: Final = (
    r"(?:enabled(?:-runtime)?|disabled|static|masked(?:-runtime)?|linked(?:-runtime)?|alias|indirect|generated|transient"
    r"|bad)"
)


def _unit(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    unit, state = match["unit"], match["state"]
    if state == "failed" or unit_standing(unit, state) != "unknown":
        add_unit(section, line.number, "systemctl", unit, state, match["sub"])


def _none(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if section.command is not None and _OF_FAILED.search(section.command.text):
        section.add(
            HealthState,
            line.number,
            source="systemctl",
            component="systemd",
            state="no failed unit",
            standing="healthy",
        )


_OF_CLUSTERS: Final = re.compile(
    r"(?:chronyd|corosync|dlm|gpfs|iscsid|lvmlockd|lvmlocks|multipathd|pacemaker|sanlock|sbd|vcs|vxfen|gab|llt|mmsdrserv)"
    r"\.service$"
)


def _file(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Whether a unit on which a cluster rests starts with its node."""
    unit, start = match["unit"], match["start"]
    if _OF_CLUSTERS.match(unit) is not None and start in ("enabled", "disabled", "masked"):
        name = f"start of unit {unit.removesuffix('.service')}"
        section.add(Setting, line.number, source="systemctl list-unit-files", name=name, value=start)


_ROWS: Final = Rows(
    heading("heading", r"UNIT\s{1,200}(?:LOAD\s{1,20}ACTIVE\s{1,20}SUB|FILE\s{1,200}STATE)\b"),
    Row(
        "unit",
        rf"(?:[●○×*↻] ?)?(?P<unit>{_UNIT})\s{{1,200}}{_LOADS}\s{{1,20}}(?P<state>{_STATES})\s{{1,20}}"
        r"(?P<sub>[a-z-]{2,30})(?:\s{1,80}\S.{0,400})?$",
        _unit,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "file of a unit",
        rf"(?P<unit>{_UNIT})\s{{1,200}}(?P<start>{_OF_FILES})(?:\s{{1,40}}(?:enabled|disabled|-|n/a))?$",
        _file,
        fate=Fate.EVERYDAY,
    ),
    Row("none", r"0 loaded units listed\.", _none, fate=Fate.FRAME),
    everyday("sum", r"\d{1,6} (?:loaded units|unit files) listed\."),
    everyday(
        "words about it",
        r"(?:LOAD|ACTIVE|SUB|JOB)\s{1,8}[=\u2192] {1,4}\S",
        r"To show all installed unit files use ",
        r"Pass --all to see loaded but inactive units",
        opens=False,
    ),
    also=rf"(?:[●○×*↻] ?)?{_UNIT}\s{{1,200}}{_LOADS}\s",
)


@parser("systemctl_list", version=2, product="", rows=_ROWS, commands=("systemctl",))
def systemctl_list(section: OpenSection, out: Output) -> None:
    """Units with what they do."""
    _ROWS.read(section, out, "no unit with its state")


_NAMED_UNITS: Final = re.compile(
    r"\bsystemctl\b[^\n;|&]{0,80}?\bis-(?:active|failed) {1,4}(?P<units>[^\n;|&)`]{1,400})"
)
_TO_NODES: Final = re.compile(r"\b(?:pdsh|clush|dsh|xdsh|mmdsh|pssh|parallel-ssh) ")
_ANSWER: Final = re.compile(
    r"(?:(?P<name>[A-Za-z0-9][\w@.-]{0,126}?)(?: {0,8}[:=] {0,8}| {1,40}))?"
    r"(?P<state>active|inactive|failed|activating|deactivating|reloading|unknown)$"
)
_MOST_UNITS: Final = 64
_LOOP: Final = re.compile(r"\bfor \w{1,40} in ([\w@. -]{1,400})(?:;| do\b)")


def _answers(text: str, before: str) -> bool:
    return _ANSWER.match(text.strip()) is not None


def _units_of(typed: str) -> list[str]:
    """Units that a command names, in their order, or the words that its loop runs over."""
    match = _NAMED_UNITS.search(typed)
    words = [word.strip("'\"") for word in match["units"].split()] if match is not None else []
    units = [word for word in words if word and word[0] not in "$-<>"]
    if not units and (loop := _LOOP.search(typed)) is not None:
        units = loop[1].split()
    return units[:_MOST_UNITS]


def _whose(name: str | None, unit: str, *, is_sent: bool) -> tuple[str, str | None]:
    """The unit, and the node where that is what stands in front of the state."""
    if name and is_sent and unit:
        return unit, name
    return name or unit, None


@parser(
    "systemctl_is_active",
    version=1,
    product="",
    claims=r"(?!)",
    owns=_answers,
    places=r"\bsystemctl\b.{0,80}\bis-(?:active|failed)\b",
)
def systemctl_is_active(section: OpenSection, out: Output) -> None:
    """One word of each unit that was named, in their order, or behind its name."""
    typed = section.command.text if section.command is not None else ""
    units, is_sent = _units_of(typed), _TO_NODES.search(typed) is not None
    for line in section:
        answer = _ANSWER.match(line.text.strip())
        at = section.state["at"] = section.state.get("at", -1) + 1
        named = units[at % len(units)] if units else ""
        unit, on = _whose(answer["name"] if answer is not None else None, named, is_sent=is_sent)
        if answer is None or not unit:
            out.skip(line, "no state of a unit that is named")
            continue
        whole = unit if re.fullmatch(_UNIT, unit) else f"{unit}.service"
        if answer["state"] != "failed":  # one that failed is no matter of taste
            section.add(
                Setting,
                line.number,
                source="node answer",
                name=f"state of unit {whole.removesuffix('.service')}",
                value=answer["state"],
                node=on or section.node,
            )
        if answer["state"] == "failed" or unit_standing(whole, answer["state"]) != "unknown":
            add_unit(section, line.number, "systemctl", whole, answer["state"], "", on)
