"""A row of a table by the names of its columns, whatever read it: cells as printed, and figures out of them."""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass

_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:[.,]\d{1,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?")
_NOTHING: Final = frozenset(("", "-", "--", "(undefined)"))


def figure(text: str) -> float | None:
    """A number as printed under any locale; None for ``nan`` and for words."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text.replace(",", "."))
    return value if abs(value) < 1e300 else None


def is_whole(text: str, most: int = 18) -> bool:
    """Digits that ``int`` takes, and not more of them than fit: ``isdigit`` alone holds for a raised 2 as well."""
    return 0 < len(text) <= most and text.isascii() and text.isdigit()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """``line``: where the row begins; ``fields``: cells by the name of their column, empty ones left out."""

    line: int
    fields: dict[str, str]

    def text(self, *names: str) -> str | None:
        """The first cell of that name that says something."""
        for name in names:
            if (value := self.fields.get(name, "").strip()) not in _NOTHING:
                return value
        return None

    def number(self, *names: str) -> float | None:
        """A figure, also with a decimal comma or a per cent sign; None where the cell holds none."""
        return figure((self.text(*names) or "").removesuffix("%"))

    def integer(self, *names: str) -> int | None:
        """A whole number of at most eighteen digits."""
        text = self.text(*names) or ""
        return int(text) if is_whole(text) else None
