"""The one reader of lists of names and values: ``Name : value``, ``name=value`` (also several in a line), ``name
value``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection

_SIGN: Final = r"\s{0,40}[:=]\s{0,60}"
_VALUE: Final = r"\S.{0,2000}"
_RULER: Final = r"[-=+| _]{3,400}$"


class Pair(NamedTuple):
    """A name with its value as printed, in which line, and below which section of the list (empty: none)."""

    line: int
    section: str
    name: str
    value: str


class KeyValues:
    """A list of known names. ``claims`` and ``owns`` are what the registration of its parser needs."""

    def __init__(
        self,
        *names: str,
        sign: str = _SIGN,
        titles: str = "(?!)",
        caption: str = "(?!)",
        claimed_by: tuple[str, ...] = (),
        several: bool = False,
    ) -> None:
        """names: all that the output prints, as patterns without groups. sign: what parts name and value, a pattern.

        titles: lines that begin a section of the list, by the group ``title``. caption: further lines without data,
        which may begin the output. claimed_by: the names specific enough to begin it; all where it is left out.
        several: a line may hold more than one pair.
        """
        one = "|".join(sorted(names, key=len, reverse=True))
        value = r"\S{1,400}" if several else _VALUE
        self._pair = re.compile(rf"(?P<name>{one}){sign}(?P<value>{value})?", re.IGNORECASE)
        self._title = re.compile(titles)
        self._frame = re.compile(rf"{caption}|{_RULER}")
        self._several = several
        plain_title = re.sub(r"\(\?P<\w{1,40}>", "(?:", titles)
        self.claims: Final = rf"(?:{caption}|{plain_title}|(?:{'|'.join(claimed_by or names)}){sign}\S)"
        self.owns: Final = rf"(?:{caption}|{plain_title}|(?:{one}){sign}|{_RULER})"

    def pairs(self, section: OpenSection, out: Output, reason: str) -> Iterator[Pair]:
        """Pairs of a section. A line that is no pair or gave no record is skipped for the reason; a name without a
        value is a frame.
        """
        title: str = section.state.get("title", "")
        for line in section:
            text = line.text.strip()
            if (begun := self._title.match(text)) is not None:
                title = section.state["title"] = begun["title"].strip()
                out.frame()
                continue
            found = self._found(text)
            if not found and self._frame.match(text):
                out.frame()
                continue
            before = out.rows
            shown = [match for match in found if match["value"]]
            for match in shown:
                yield Pair(line.number, title, " ".join(match["name"].split()), match["value"].strip())
            if found and not shown:
                out.frame()
            elif out.rows == before:
                out.skip(line, reason)

    def _found(self, text: str) -> list[re.Match[str]]:
        if self._several:
            return list(self._pair.finditer(text))
        match = self._pair.match(text)
        return [match] if match is not None else []
