"""A sum that a person worked out on a line of its own.

    16.25 * 8 = 130.0
    4.013 \\* 25 = 100.3 ms

Yields ``Claim`` with the product as value and both factors as ``what``, parted by a star; whether it is right is the engine's question. The
star may be escaped or a cross. Remarks behind it stay in the text. Source: transcripts and articles as people write them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Claim
from parsers.registry import parser
from parsers.sections import OpenSection

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,12})?"
_CLAIMS: Final = rf"{_NUMBER} {{0,2}}\\?[*x×] {{0,2}}{_NUMBER} {{0,2}}= {{0,2}}{_NUMBER}(?:\s|$)"
_PRODUCT = re.compile(rf"({_NUMBER}) {{0,2}}\\?[*x×] {{0,2}}({_NUMBER}) {{0,2}}= {{0,2}}({_NUMBER})")


@parser("arithmetic", version=1, product="", claims=_CLAIMS)
def arithmetic(section: OpenSection, out: Output) -> None:
    """Products on lines of their own."""
    for line in section:
        match = _PRODUCT.match(line.text.strip())
        if match is None:
            out.skip(line, "no product")
        else:
            out.add(
                Claim(
                    line=line.number, speaker="author", what=f"{match[1]} * {match[2]}", value=float(match[3]), text=line.text.strip()[:400]
                )
            )
