"""Lines of a system log that told nothing and come again with other figures: passed over by their shape. No parser.

A line of a shape (what stands behind its host, with all digits alike) tells nothing once one like it was read and gave
nothing, where no pattern that was asked of it tells one digit from another. That holds as long as no stack and no crash
is being read, of which any line may be a part.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.formats.host.logs.kernel_log_kinds import EVERYDAY, meaning_of
from parsers.messages.catalogue import Found, catalogue, entries_in_force, sounding
from parsers.patterns.digits import ALL_ALIKE, shape_of
from parsers.patterns.fits import fit_of

LONGEST: Final = 400
MOST: Final = 20_000
MOST_MEANINGS: Final = 2_000
LEARNED_AFTER: Final = 200
"""Lines of a text that are read before any is learned: a short text gains nothing by it."""
_NEVER: Final = re.compile(r"V-\d|mesg|message repeated|\[<|INFO:", re.IGNORECASE)
"""Codes, and messages that are read in another way for their first words."""


class TakenApart(NamedTuple):
    """What a line is taken apart into, whatever its moment."""

    program: str
    text: str
    node: str | None
    head: str
    """What stands between stamp and text."""
    stamp_letters: int


@dataclass(slots=True)
class QuietLines:
    """Of one text."""

    known: set[bytes] = field(default_factory=set)
    hosts: set[bytes] = field(default_factory=set)
    own: set[bytes] = field(default_factory=set)
    """Shapes of lines that no other parser claims."""
    foreign: set[bytes] = field(default_factory=set)
    """Shapes of lines that another one does."""
    host: bytes = b""
    whole: dict[bytes, int] = field(default_factory=dict)
    """Shapes of whole lines of that host which tell nothing, with their kinds: ``known_lines``."""
    apart: dict[bytes, TakenApart] = field(default_factory=dict)
    """By the words of a line from its host on."""
    hour: tuple[str, int, int, int] = ("", 0, 0, 0)
    """Of the last stamp without a year all but minutes and seconds, its month and day, and the hour: sections may be
    as short as a line.
    """
    seen_n: int = 0
    _meanings: dict[tuple[str, str, str], Found | None] = field(default_factory=dict)

    def shape_of(self, data: bytes, begin: int, end: int) -> bytes:
        """What the rest of a line is known by; nothing where it is too long for that."""
        return data[begin:end].translate(ALL_ALIKE) if end - begin <= LONGEST else b""

    def learn(self, shape: bytes, host: bytes, program: str, group: str | None, text: str) -> None:
        """A line was read and gave nothing."""
        self.seen_n += 1
        if self.seen_n < LEARNED_AFTER or not shape or _NEVER.search(text) is not None or not text.isascii():
            return
        if group is not None and _may_tell(program, group, text):
            return
        remember(self.known, shape)
        self.hosts.add(host)

    def meaning_of(self, program: str, text: str, level: str) -> Found | None:
        """What a message says, asked once where it comes again word for word."""
        key = program, text, level
        if key not in self._meanings:
            if len(self._meanings) >= MOST_MEANINGS:
                self._meanings.clear()
            self._meanings[key] = meaning_of(program, text, level)
        return self._meanings[key]


def remember(shapes: set[bytes], shape: bytes) -> None:
    """One shape more, of so many at most."""
    if len(shapes) >= MOST:
        shapes.clear()
    shapes.add(shape)


def _may_tell(program: str, group: str, text: str) -> bool:
    """Whether a message that gave nothing could give something with other figures."""
    if entries_in_force().may_fit(program, text):
        return True
    alike, is_doubtful = shape_of(text).decode("ascii"), False
    for row in catalogue().candidates(group, text):
        fit = fit_of(row.pattern, alike)
        if fit != "none" and row.kind != EVERYDAY:
            return True
        if fit == "all" and not row.letters:
            return False
        is_doubtful = is_doubtful or fit != "none"
    return is_doubtful and sounding(text) != ""
