"""Rows of ``df`` for volumes of Veritas Volume Manager: which share of the file system is free.

    /dev/vx/dsk/rollsdg/rolls 104857600  98566144   6094848  95% /srv/rolls                df of Linux, Solaris, AIX;
    bdf of HP-UX
    /dev/vx/dsk/rollsdg/rolls vxfs  2.0T  1.2T  750G  62% /srv/rolls                       df -hT

Yields ``Counter`` gauges in per cent with the mount as scope: ``available share``, computed from the figures of the
row, whose unit does not matter for it, and ``used share`` as printed. The title and rows of other file systems are left
to the reader of ``df``. Rows of inodes look alike: under ``df -i`` nothing is kept. Tolerated: cut rows. Source: df(1),
df(1M), bdf(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.vxfsstat_header import normal_mount
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections import OpenSection

_SIZE: Final = r"\d{1,20}(?:[.,]\d{1,3})?[KMGTPk]?"
_CLAIMS: Final = rf"/dev/vx/dsk/\S{{1,500}}(?:\s{{1,80}}vxfs)?(?:\s{{1,80}}{_SIZE}){{3}}\s{{1,80}}\d{{1,3}}%"
_OWNS: Final = r"/dev/vx/dsk/\S{1,500}\s{1,80}(?:vxfs\s|\d)"
_ROW = re.compile(
    rf"/dev/vx/dsk/\S{{1,500}}(?:\s{{1,80}}vxfs)?\s{{1,80}}({_SIZE})\s{{1,80}}({_SIZE})\s{{1,80}}({_SIZE})"
    r"\s{1,80}(\d{1,3})%\s{1,40}(/\S{0,1023})$"
)
_FACTORS: Final = {"k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


@parser("vxfs_space", version=1, product="veritas", claims=_CLAIMS, owns=_OWNS)
def vxfs_space(section: OpenSection, out: Output) -> None:
    """``df``: how much of a VxFS file system is free."""
    counts_inodes = section.command is not None and "-i" in section.command.args
    for line in section:
        match = _ROW.match(line.text.strip())
        if match is None:
            out.skip(line, "no size, used and available")
            continue
        size, available = _number(match[1]), _number(match[3])
        if counts_inodes or not size:
            out.ignore()
            continue
        for name, value in (("available share", round(100 * available / size, 3)), ("used share", float(match[4]))):
            section.add(
                Counter,
                line.number,
                scope=normal_mount(match[5]),
                source="df",
                name=name,
                unit="%",
                value=value,
                sample=line.number,
            )


def _number(text: str) -> float:
    factor = _FACTORS.get(text[-1], 1)
    return float(text.rstrip("KMGTPk").replace(",", ".")) * factor
