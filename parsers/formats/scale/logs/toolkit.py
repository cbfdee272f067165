"""What the installation toolkit of Storage Scale says of its steps: ``spectrumscale install``, ``deploy``, ``upgrade``.

    [ INFO  ] Installing GPFS (GPFS)
    [ FATAL ] larch1.example.com failure whilst: Installing GPFS packages (SS04)
    [ WARN  ] SUGGESTED ACTION(S):
    [ FATAL ] FAILURE REASON(s) for larch1.example.com:
    [ ERROR ] The install was not successful

Yields ``ListedState``: each node on which a step failed, and each error that names none. What it suggests and what it
does in order is no fact. Source: installation toolkit of Storage Scale, as recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_KEPT: Final = 400
_SHOWN: Final = 90


def _put(section: OpenSection, line: Line, name: str, state: str) -> None:
    row = " ".join(line.text.split())[:_KEPT]
    section.add(ListedState, line.number, source="spectrumscale", name=name, state=state, standing="wrong", row=row)


def _failure(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match["host"], f"failed while {match['step']}")


def _task(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match["host"], "task failed")


def _error(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "installation toolkit", match["text"][:_SHOWN].rstrip(" .:"))


_ROWS: Final = Rows(
    Row(
        "failed step",
        r"\[ FATAL \] (?P<host>[\w.-]{1,253}) failure whilst: (?P<step>[^\n(]{3,120}[^\s(])(?: \(SS\d{1,4}\))?$",
        _failure,
    ),
    Row(
        "reasons below it",
        r"\[ FATAL \] (?:FAILURE REASON|[\w.-]{1,253} (?:----|FAILURE REASON)|-{3,60}|\s)|\[ (?:FATAL|ERROR) \]$",
        fate=Fate.FRAME,
    ),
    Row(
        "failed task",
        r"`?\[ INFO  \] (?:failed|fatal): \[(?P<host>[\w.-]{1,253})(?: -> [^\]]{1,253})?\](?::| )",
        _task,
    ),
    Row("error", r"\[ (?:FATAL|ERROR) \] (?P<text>\S.{3,2000})$", _error),
    everyday("steps", r"\[ (?:INFO |DEBUG|WARN ) \](?! .{0,40}\b(?:failed|fatal|FAILED|FATAL)\b)(?: |$)"),
)


@parser("scale_toolkit", version=1, product="spectrum-scale", rows=_ROWS, commands=("spectrumscale",))
def scale_toolkit(section: OpenSection, out: Output) -> None:
    """Steps of the toolkit that failed."""
    _ROWS.read(section, out, "no step of the toolkit")
