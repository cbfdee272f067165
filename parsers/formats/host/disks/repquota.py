"""``repquota`` of Linux: what users, groups and projects took of their quotas.

    *** Report for user quotas on device /dev/mapper/vg-herd
    Block grace time: 7days; Inode grace time: 7days
                            Block limits                File limits
    User            used    soft    hard  grace    used  soft  hard  grace
    ----------------------------------------------------------------------
    mara      +- 10485760 8388608 10485760  6days      11     0     0

Yields ``Counter`` of the blocks of each row, and ``Room`` for blocks and for files with a limit: a soft one that is
passed is tight, one whose grace ended is spent. Blocks are KB. No times. Tolerated: rows of ``quota``-less users,
amounts with a unit (``-s``). Source: repquota(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import Room, RoomSort
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_AMOUNT: Final = r"-?\d{1,18}[KMGT]?"
_GRACE: Final = r"(?:none|-|\d{1,4}days?|\d{1,3}:\d\d)"
_UNITS: Final = {"K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3}


def _amount(text: str) -> float:
    factor = _UNITS.get(text[-1:])
    return float(text[:-1]) * factor if factor is not None else float(text)


def _report(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state.update(sort=match["sort"].lower(), fs=match["fs"])


def _row(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=":".join(filter(None, (section.state.get("fs"), match["name"]))),
        source="repquota",
        name="blocks used",
        kind="gauge",
        unit="KB",
        value=_amount(match["b_used"]),
        sample=line.number,
    )
    _limit(section, line, "quota of", match, "b")
    _limit(section, line, "inode quota of", match, "f")


def _limit(section: OpenSection, line: Line, sort: RoomSort, match: re.Match[str], of: str) -> None:
    """What is taken of a limit; grace runs, or ended, only above the soft one."""
    used, soft, hard = (_amount(match[f"{of}_{part}"]) for part in ("used", "soft", "hard"))
    limit = hard or soft
    if limit <= 0:
        return
    share, grace = 100 * used / limit, match[f"{of}_grace"]
    is_over = soft > 0 and used > soft
    standing = room_standing(share, is_limit=True)
    if is_over and grace == "none":
        standing = "spent"
    elif is_over and standing == "free":
        standing = "tight"
    section.add(
        Room,
        line.number,
        source="repquota",
        sort=sort,
        name=f"{section.state.get('sort', 'user')} {match['name']}",
        of=section.state.get("fs"),
        share=share,
        state=f"{share:.0f} % used{'; grace ended' if is_over and grace == 'none' else ''}",
        standing=standing,
    )


_ROWS: Final = Rows(
    Row(
        "report",
        r"\*\*\* Report for (?P<sort>[Uu]ser|[Gg]roup|[Pp]roject) quotas on device (?P<fs>\S{1,250})$",
        _report,
        Fate.FRAME,
    ),
    Row("grace", r"Block grace time: \S{1,20}; Inode grace time: ", fate=Fate.FRAME),
    Row("limits", r"Block limits {1,60}File limits$", fate=Fate.FRAME),
    Row(
        "heading",
        r"(?:User|Group|Project) {1,60}used {1,40}soft {1,40}hard {1,40}grace {1,40}used {1,40}soft {1,40}hard",
        fate=Fate.FRAME,
    ),
    Row("rule", r"-{20,120}$", fate=Fate.FRAME, opens=False),
    Row(
        "quota",
        rf"(?P<name>\S{{1,120}}) {{1,60}}[+-]{{2}} {{1,40}}(?P<b_used>{_AMOUNT}) {{1,40}}(?P<b_soft>{_AMOUNT}) {{1,40}}"
        rf"(?P<b_hard>{_AMOUNT})(?: {{1,40}}(?P<b_grace>{_GRACE})(?= {{1,40}}\S{{1,20}} {{1,40}}\S{{1,20}} {{1,9}}\S))?"
        rf" {{1,60}}(?P<f_used>{_AMOUNT}) {{1,40}}(?P<f_soft>{_AMOUNT}) {{1,40}}(?P<f_hard>{_AMOUNT})"
        rf"(?: {{1,40}}(?P<f_grace>{_GRACE}))?\s{{0,40}}$",
        _row,
    ),
)


@parser("repquota", version=1, product="", rows=_ROWS, commands=("repquota",))
def repquota(section: OpenSection, out: Output) -> None:
    """What is taken of quotas."""
    _ROWS.read(section, out, "no quota with its limits")
