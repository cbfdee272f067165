"""``/proc/PID/limits``: what a process may take, which runs.

    Limit                     Soft Limit           Hard Limit           Units
    Max open files            1024                 4096                 files

Yields ``Setting`` for both limits of open files, locked memory and processes under the names that ``limits.conf`` has
for them; all others are everyday. Source: proc(5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAMES: Final = {"open files": "nofile", "locked memory": "memlock", "processes": "nproc"}
_LIMIT: Final = r"(?:unlimited|\d{1,20})"


def _limit(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    for sort in ("soft", "hard"):
        name = f"{sort} {_NAMES[match['name']]}"
        section.add(Setting, line.number, source="/proc/PID/limits", name=name, value=match[sort])


_ROWS: Final = Rows(
    Row("heading", r"Limit\s{2,40}Soft Limit\s{1,40}Hard Limit\s{1,40}Units\s{0,40}$", fate=Fate.FRAME),
    Row(
        "limit",
        rf"Max (?P<name>{'|'.join(_NAMES)})\s{{2,40}}(?P<soft>{_LIMIT})\s{{1,40}}(?P<hard>{_LIMIT})(?:\s|$)",
        _limit,
        fate=Fate.EVERYDAY,
    ),
    everyday("other limit", rf"Max [a-z][a-z -]{{3,30}}\s{{2,40}}{_LIMIT}\s{{1,40}}{_LIMIT}(?:\s|$)"),
)


@parser("process_limits", version=1, product="", rows=_ROWS, places=r"/proc/(?:\S{1,40}/)?limits\b")
def process_limits(section: OpenSection, out: Output) -> None:
    """Limits of a process that runs."""
    _ROWS.read(section, out, "no limit of a process")
