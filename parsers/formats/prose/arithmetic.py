"""A sum that a person worked out on a line of its own.

    37.5 * 12 = 450
    2.75 \\* 16 = 44 ms
    4096 + 512 = 4608

Yields ``Claim`` with the result as value and the sum as ``what``; whether it is right is for the engine. The star may
be escaped or a cross. Remarks behind it stay in the text. Source: transcripts and articles as people write them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Claim
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,12})?"
_SIGN: Final = r"(?:\\?[*x×/]|[+-])"
_CLAIMS: Final = rf"{_NUMBER} {{0,2}}{_SIGN} {{0,2}}{_NUMBER} {{0,2}}= {{0,2}}{_NUMBER}(?:\s|$)"
_ONE = re.compile(rf"({_NUMBER}) {{0,2}}({_SIGN}) {{0,2}}({_NUMBER}) {{0,2}}= {{0,2}}({_NUMBER})")


@parser("arithmetic", version=2, product="", claims=_CLAIMS)
def arithmetic(section: OpenSection, out: Output) -> None:
    """Sums on lines of their own."""
    for line, match in lines_of(section, out, _ONE, "no sum"):
        what = f"{match[1]} {match[2][-1]} {match[3]}"
        out.add(
            Claim(line=line.number, speaker="author", what=what, value=float(match[4]), text=line.text.strip()[:400])
        )
