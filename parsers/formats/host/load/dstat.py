"""``dstat``: what the processors of a host do, once an interval.

    --total-cpu-usage-- -dsk/total- -net/total- ---paging-- ---system--
    usr sys idl wai stl| read  writ| recv  send|  in   out | int   csw
      1   1  22  76   0|  44k 1200k|   0     0 |   0     0 |1200  2300
      1   1  20  78   0|  40k 1100k|  12k   14k|   0     0 |1210  2290

Yields ``Counter``: the shares of the processors under the names that ``vmstat`` has for them, of the first row as since
boot. Other groups, the moment among them, are not taken over. Source: dstat(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAMES: Final = {"usr": "us", "sys": "sy", "idl": "id", "wai": "wa", "stl": "st"}
_CPU: Final = r"usr sys idl wai(?: (?:stl|hiq|siq)){1,3}"
_HEADING: Final = rf"(?:[^\n|]{{0,40}}\|)?\s{{0,3}}{_CPU}\s?(?:\|[^\n]{{0,300}})?$"
_ROW: Final = re.compile(r"(?:[^|]{0,40}\|)?\s{0,3}\d{1,3}(?:\s{1,3}\d{1,3}){4,6}\s?(?:\||$)")
_CLAIMS: Final = rf"(?:{_HEADING}|-{{2,12}}[a-z-]{{0,40}}\s?-{{0,12}}total-cpu-usage-[^\n]{{0,300}}$)"
_OWNS: Final = (
    rf"(?:{_CLAIMS}|You did not select any stats|{_ROW.pattern}|(?:[^\n|]{{0,40}}\|)?\s{{0,3}}\d{{1,3}}\s{{1,3}}\d)"
)
_FRAME: Final = re.compile(rf"{_CLAIMS}|You did not select any stats")


@parser("dstat", version=1, product="", claims=_CLAIMS, owns=_OWNS, commands=("dstat",))
def dstat(section: OpenSection, out: Output) -> None:
    """Shares of the processors."""
    names: list[str] = []
    group, is_first = 0, True
    for line in section:
        text = line.text.strip()
        if re.match(_HEADING, text):
            cells = text.split("|")
            group = next(at for at, cell in enumerate(cells) if "usr sys" in cell)
            names = cells[group].split()
            out.frame()
        elif not names or _ROW.match(text) is None:
            out.frame() if _FRAME.match(text) else out.skip(line, "no row of shares")
        else:
            values = text.split("|")[group].split()
            if len(values) != len(names):
                out.skip(line, "a row with more or fewer cells than its heading")
                continue
            _put(section, line, dict(zip(names, values, strict=True)), is_first=is_first)
            is_first = False


def _put(section: OpenSection, line: Line, shares: dict[str, str], *, is_first: bool) -> None:
    for name in (one for one in shares if one in _NAMES):
        section.add(
            Counter,
            line.number,
            source="vmstat (since boot)" if is_first else "vmstat",
            name=_NAMES[name],
            kind="gauge",
            unit="%",
            value=float(shares[name]),
            sample=line.number,
        )
