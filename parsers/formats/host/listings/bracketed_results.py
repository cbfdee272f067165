"""Results of steps and checks with the state in square brackets, or a tick or a cross, at the end of the line, as
scripts of administrators and of the start of a system print them.

    Cluster heartbeat health check :             [fail]
    Starting GAB:                                [FAILED]
    All plexes enabled ......................... [  OK  ]
    [1/4] Checking the health of the nodes... ✗
    ERROR:   ❌ 9 failed NODE found.
    [CRITICAL] rootvg/hd4: jfs2 / (open/stale)

Yields ``ListedState`` for those that speak of a cluster or of its storage; other steps are everyday: what else a script
does is its own affair. No times. Source: the functions of init scripts, and health checks as recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STANDINGS: Final[dict[str, ListedStanding]] = {
    "ok": "good", "pass": "good", "passed": "good", "good": "good", "healthy": "good", "warn": "hint",
    "warning": "hint", "fail": "wrong", "failed": "wrong", "nok": "wrong", "not ok": "wrong", "ko": "wrong",
    "bad": "wrong", "error": "wrong", "critical": "wrong", "\u2713": "good", "\u2714": "good", "\u2705": "good",
    "\u2717": "wrong", "\u2718": "wrong", "\u274c": "wrong",
}  # fmt: skip
_WORDS: Final = "|".join(sorted(_STANDINGS, key=len, reverse=True))
_ABOUT: Final = re.compile(
    r"\b(?:cluster|heart ?beats?|llt|gab|vx\w{2,12}|vcs|had|cvm|cfs|plex(?:es)?|volumes?|disks?|disk ?groups?"
    r"|(?:multi)?paths?|gpfs|mmfsd?|scale|nsds?|quorum|fenc(?:e|ing)|nodes?|mounts?|file ?systems?|dlm|corosync"
    r"|gnr\w{0,20}|ess|mm[a-z]{4,16}|pacemaker|gfs2?|cman|clvmd?|rgmanager|luns?|raid|hbas?|replication|storage|pvcs?)\b",
    re.IGNORECASE,
)

_WRONG_IN_WORDS: Final = re.compile(r"\b(?:not|no|fail\w*|missing|down|unhealthy|degraded|error)\b", re.IGNORECASE)
_BY_STANDING: Final[dict[ListedStanding, str]] = {
    "good": "\u2713\u2714\u2705\U0001f7e2",
    "hint": "\u26a0\u23f3\U0001f7e1",
    "wrong": "\u2717\u2718\u274c\u26d4\U0001f534",
}
_MARKS: Final = {mark: standing for standing, marks in _BY_STANDING.items() for mark in marks}


def _marked(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A sentence behind its mark, and perhaps a level in front of it."""
    name = " ".join(found["name"].split()).rstrip(".")
    standing = _MARKS[found["mark"]]
    if standing == "hint" and (found["level"] or "") in ("ERROR", "FATAL") and _WRONG_IN_WORDS.search(name) is not None:
        standing = "wrong"
    if _ABOUT.search(name) is not None:
        states: dict[ListedStanding, str] = {"good": "in order", "hint": "open", "wrong": "error"}
        section.add(
            ListedState,
            line.number,
            source="results behind marks",
            name=name,
            state=states[standing],
            standing=standing,
            row=f"{name}: {states[standing]}",
        )


def _result(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name, state = " ".join(found["name"].split()), found["state"].lower()
    if _ABOUT.search(name) is not None:
        section.add(
            ListedState,
            line.number,
            source="results in brackets",
            name=name,
            state=found["state"],
            standing=_STANDINGS[state],
            row=f"{name}: {found['state']}",
        )


_ROWS: Final = Rows(
    Row(
        "result",
        r"(?P<name>[A-Za-z][\w/()'-]{0,40}(?: {1,2}[\w/()'-]{1,40}){1,12})(?: {0,4}[:.][ .]{0,120}| {2,120})"
        rf"\[ {{0,8}}(?P<state>(?i:{_WORDS})) {{0,8}}\]$",
        _result,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "mark",
        r"(?:\[\d{1,3}/\d{1,3}\] {1,4})?(?P<name>[A-Za-z][\w/()'-]{0,40}(?: {1,2}[\w/()'-]{1,40}){1,12})"
        r"(?: {0,4}(?::|\.{2,80}) {0,40}| {2,120})(?P<state>[\u2713\u2714\u2705\u2717\u2718\u274c])\ufe0f?$",
        _result,
        fate=Fate.EVERYDAY,
    ),
)


@parser("bracketed_results", version=1, product="", rows=_ROWS, priority=-3)
def bracketed_results(section: OpenSection, out: Output) -> None:
    """Results of checks with their states in square brackets."""
    _ROWS.read(section, out, "no result of a check")


_STALE: Final = re.compile(r"\b(?:open|closed)/stale\b|\bstale (?:pp|partition|disk|extent|lv)", re.IGNORECASE)
_OF_VOLUMES: Final = r"(?:[a-z]{0,12}vg\w{0,20}/|lv\w{0,20}\b|hdisk\d|(?:open|closed)/(?:syncd|stale)\b)"
"""Volumes of AIX and HP-UX, which a check names by their paths."""


def _led(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A sentence behind the state that the check gives it."""
    text, state = " ".join(found["name"].split()), found["state"]
    is_about = _ABOUT.search(text) is not None or re.search(_OF_VOLUMES, text, re.IGNORECASE) is not None
    if is_about and not (state != "OK" and _counts_alone(text)):
        section.add(
            ListedState,
            line.number,
            source="results behind their states",
            name=text.partition(": ")[0] if ": " in text else text,
            state="stale" if _STALE.search(text) else state.lower(),
            standing=_STANDINGS[state.lower()],
            row=f"{state}: {text}",
        )


def _counts_alone(text: str) -> bool:
    """Whether a line only counts what the lines below it name."""
    return re.fullmatch(r"\d{1,6} \w{1,20} (?:found|checked|tested)", text, re.IGNORECASE) is not None


_LED: Final = Rows(
    Row(
        "in order",
        r"\[ {0,2}(?P<state>OK) {0,2}\] {1,4}(?P<name>[A-Za-z0-9/].{3,300})$",
        _led,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "not in order",
        r"\[ {0,2}(?P<state>CRITICAL|WARNING) {0,2}\] {1,4}"
        rf"(?P<name>(?=[^\n]{{0,200}}?{_OF_VOLUMES}|\d{{1,6}} \w{{1,20}} (?:found|checked|tested)$)"
        r"[A-Za-z0-9/].{3,300})$",
        _led,
        fate=Fate.EVERYDAY,
    ),
)


@parser("led_results", version=1, product="", rows=_LED, priority=-3)
def led_results(section: OpenSection, out: Output) -> None:
    """Results of a check, each behind its state."""
    _LED.read(section, out, "no result behind its state")


_OF_CODE: Final[dict[str, ListedStanding]] = {"0": "good", "1": "hint", "2": "wrong", "3": "hint", "P": "hint"}


def _local(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A result of a check that somebody wrote for the agent of Check_MK: its state is a number."""
    name, text = found["name"].strip('"'), " ".join(found["text"].split())
    if _ABOUT.search(name.replace("_", " ")) is None and _ABOUT.search(text.replace("_", " ")) is None:
        return
    section.add(
        ListedState,
        line.number,
        source="local checks",
        name=name,
        state=text,
        standing=_OF_CODE[found["code"]],
        row=f"{name}: {text}",
    )


_LOCAL: Final = Rows(
    Row("section of a monitor", r"<<<local(?::[\w()]{1,40}){0,3}>>>$", fate=Fate.FRAME),
    Row(
        "check with its word",
        r"(?:cached\(\d{1,12},\d{1,9}\) )?(?P<code>[0-3P]) (?P<name>\"[^\"]{1,120}\"|\S{1,120}) (?:-|\S{1,400})"
        r" (?:OK|WARN|CRIT|UNKNOWN) - (?P<text>\S.{0,400})$",
        _local,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "check",
        r"(?:cached\(\d{1,12},\d{1,9}\) )?(?P<code>[0-3P]) (?P<name>\"[^\"]{1,120}\"|\S{1,120}) (?:-|\S{1,400})"
        r"(?: (?:OK|WARN|CRIT|UNKNOWN)(?= - ))?(?: -)? (?P<text>\S.{0,400})$",
        _local,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("local_checks", version=1, product="", rows=_LOCAL)
def local_checks(section: OpenSection, out: Output) -> None:
    """Results of checks that somebody wrote for the agent of Check_MK."""
    _LOCAL.read(section, out, "no result of a check")


_SIGNS: Final = "".join(_MARKS)
_MARKED: Final = Rows(
    Row(
        "mark in front",
        rf"(?:(?P<level>INFO|ERROR|WARN(?:ING)?|FATAL|OK|DEBUG)\s{{0,4}}:?\s{{1,8}})?(?P<mark>[{_SIGNS}])\ufe0f?"
        r"\s{1,4}(?P<name>[A-Za-z0-9].{3,200})$",
        _marked,
        fate=Fate.EVERYDAY,
    ),
    Row("banner", r"\*{3,20} {1,4}[A-Z][\w &/-]{2,60} {1,4}\*{3,20}$", fate=Fate.FRAME, opens=False),
)


@parser("marked_results", version=1, product="", rows=_MARKED)
def marked_results(section: OpenSection, out: Output) -> None:
    """Results of checks behind a tick, a cross or another mark."""
    _MARKED.read(section, out, "no result behind its mark")
