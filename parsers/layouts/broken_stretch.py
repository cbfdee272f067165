"""A stretch of lines, and what is to be seen of how they were broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from parsers.headings.transcript import match_prompt
from parsers.layouts.broken_lines import (
    LEAST_OF_WIDTH,
    MOST_PIECES,
    WIDEST,
    WIDEST_GAP,
    WIDTHS,
    Way,
    bounded,
    fills,
    is_ruler,
    may_be_edge,
    may_be_rest,
    put_together,
    shown,
    widths_of,
)
from parsers.layouts.prefixes import Prefixes
from parsers.line_kinds import is_fence, is_prose
from parsers.lookup import Parser, claimed, known_alone, programs
from parsers.text import Line

PANES: Final = "|\u2502\u2503\u2551"
"""Edges of a pane: not the text is so wide."""
COMMENTS: Final = ("#", ";")
"""What a comment between settings begins with: no setting is the rest of one."""
_DATED: Final = re.compile(r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d")
_MARK: Final = re.compile(r"\{(?:code|noformat)(?::[^{}]{0,200})?\}$")


class Stretch:
    """Some lines, and what is to be seen of how they were broken."""

    def __init__(self, lines: list[Line], is_head: Callable[[str], bool]) -> None:
        """is_head: whether a line is a heading of the text."""
        self.lines, self._is_head = lines, is_head
        self._usual = 0
        self._margin = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text), default=0)
        """Blanks in front of all lines."""
        widths = widths_of(lines)
        widest = widths[-1] if widths else 0
        self._edge = max(len(shown(line)) for line in lines)
        edges = sum(len(shown(line)) == self._edge for line in lines)
        self._is_edge = may_be_edge(self._edge, edges)
        """Whether a terminal may have been that wide."""
        own = [width for width in widths if self._rows_broken_at(width) >= LEAST_OF_WIDTH]
        self._widths = list(dict.fromkeys((*own, *[width for width in WIDTHS if width >= widest][:2])))
        at_edge, least = self._at_edge(), min(self._widths, default=WIDEST)
        full = [False, *(fills(above.text, line.text, least) for above, line in pairwise(lines))]
        self.is_full = [edge or fill for edge, fill in zip(at_edge, full, strict=True)]
        """Of each line whether its first word would not have fitted on the one above."""
        self._is_nearly = [
            False,
            *(
                "  " in above.text and fills(above.text, line.text, least, WIDEST_GAP)
                for above, line in pairwise(lines)
            ),
        ]
        """The same, with a gap between columns of which the break left nothing."""
        self._is_long = [False, *(2 * len(above.text) >= widest >= len(above.text) for above in lines[:-1])]

    @property
    def has_rests(self) -> bool:
        """Whether some line may be the rest of the one above. A heading of the text is none: where nothing else may be
        one, each output is looked at by its own widths.
        """
        is_heading = False
        for at in range(len(self.lines)):
            if (self.is_full[at] or self._is_long[at]) and may_be_put_behind(self.lines, at, self._margin):
                if self._is_text(at):
                    return True
                is_heading = True
        return is_heading and len(parts := self.outputs()) > 1 and any(part.has_rests for part in parts)

    @cached_property
    def _heads(self) -> frozenset[int]:
        """Numbers of the lines that are headings of the text."""
        return frozenset(line.number for line in self.lines if self._is_head(line.text))

    @cached_property
    def _may_be_rest(self) -> list[bool]:
        return [False, *(may_be_rest(above, line, self._margin) for above, line in pairwise(self.lines))]

    def _at_edge(self) -> list[bool]:
        """Of each line whether the one above ends where the terminal did."""
        edge = self._edge if self._is_edge else -1
        full = (len(text := shown(above)) == edge and text[-1] not in PANES for above in self.lines[:-1])
        return [
            False,
            *(
                is_full and bool(line.text) and is_ruler(line.text) == is_ruler(above.text)
                for is_full, (above, line) in zip(full, pairwise(self.lines), strict=True)
            ),
        ]

    def may_be_read(self) -> bool:
        """Whether a reader knows a line as it stands or put together with those below it, or a sentence goes on below:
        of text that is nobody's, as files of settings are, no way of putting it together is worth a trial.
        """
        if any(is_known(line.text, line.raw) for line in self.lines) or self._heads:
            return True
        edges, fulls = self._at_edge(), [self._full_at(width) for width in self._widths]
        rests = [
            any(ways) and self._is_text(at)
            for at, ways in enumerate(zip(self.is_full, self._is_long, edges, *fulls, strict=True))
        ]
        for at in range(len(self.lines) - 1):
            for glue in (" ", "") if edges[at + 1] else (" ",):
                if any(is_known(whole, whole) for whole in self._wholes(at, rests, glue)):
                    return True
        return self._has_sentence() and sum(self.is_full) >= LEAST_OF_WIDTH

    def _wholes(self, at: int, rests: Sequence[bool], glue: str) -> Iterator[str]:
        """A line with one, two and more of those below it that may be its rest."""
        whole = self.lines[at].text
        for below in range(at + 1, min(at + MOST_PIECES, len(rests))):
            if not rests[below]:
                return
            whole += f"{glue}{self.lines[below].text.strip()}"
            yield whole

    def _has_sentence(self) -> bool:
        """Whether a sentence, and no comment between settings, ends below in what is none by itself."""
        return any(
            self.is_full[at] and above.text[:1] not in COMMENTS and is_prose(above.text) and not is_prose(line.text)
            for at, (above, line) in enumerate(pairwise(self.lines), 1)
        )

    def outputs(self) -> list[Stretch]:
        """The lines cut at prompts and below blank lines."""
        parts: list[list[Line]] = [[]]
        for line in self.lines:
            if parts[-1] and (not parts[-1][-1].text or match_prompt(line.raw, programs()) is not None):
                parts.append([])
            parts[-1].append(line)
        return [Stretch(part, self._is_head) for part in parts]

    def has_unread(self, unread: frozenset[int], above: int) -> bool:
        """Whether one of the lines that a trial left is no heading: those are known from the whole text only."""
        heads = {at for at, line in enumerate(self.lines, above + 1) if line.number in self._heads}
        return not unread <= heads

    def proved(self, unread: frozenset[int], above: int) -> list[bool]:
        """Of each line whether it may be a rest: nobody reads it, or the line above it, as it stands."""
        places = range(1, len(self.lines))
        is_unread = [above + at + 1 in unread for at in range(len(self.lines))]
        self._usual = sum(self.is_full[at] and is_unread[at] for at in places)
        return [
            False,
            *(
                self._is_text(at)
                and (
                    (is_unread[at] and (is_unread[at - 1] or self._usual > 1 or self._is_wide_above(at)))
                    or (self.is_full[at] and (is_unread[at - 1] or is_prose(self.lines[at].text)))
                )
                for at in places
            ),
        ]

    def _is_wide_above(self, at: int) -> bool:
        return self.is_full[at] or self._is_nearly[at]

    def completes(self, way: Way, unread: frozenset[int], above: int) -> bool:
        """Whether rests are put behind lines that are read without them only: two that nobody reads have to give a
        record. What passes for a sentence is not read: behind it any line does.
        """
        if self._usual < LEAST_OF_WIDTH:
            return False
        is_read = True
        for at, is_rest in enumerate(way.rests):
            is_read = is_read if is_rest else above + at + 1 not in unread and not self._is_sentence(at)
            if is_rest and not is_read:
                return False
        return True

    def _is_sentence(self, at: int) -> bool:
        text = self.lines[at].text
        return is_prose(text) and claimed(text) is None

    def _is_text(self, at: int) -> bool:
        """Whether neither a line nor the one above is damaged, or a mark around a quoted output."""
        line, above = self.lines[at], self.lines[at - 1]
        is_damaged = "\ufffd" in above.raw or "\ufffd" in line.raw
        if line.number in self._heads or above.number in self._heads:
            return False
        return not (is_damaged or is_dated_or_mark(line.text, above.text))

    def ways(self, may: Sequence[bool]) -> Iterator[tuple[Way, bool]]:
        """Ways of putting the lines together, each once, and whether the width tells that the lines were broken so.
        may: whether a line may be a rest at all.
        """
        seen: set[Way] = set()
        edges = self._at_edge()
        of_terminal = [(edges, ""), (self._and_may_be(edges), "")]
        fulls = [self._full_at(width) for width in self._widths]
        of_mail = [(rests, " ") for rests in (*map(self._and_may_be, fulls), *fulls)]
        loose = (self._and_may_be(self._is_long), " ")
        kinds = (*of_terminal, *of_mail, loose) if self._cuts_blanks(edges) else (*of_mail, loose, *of_terminal)
        for rests, glue in kinds:
            way = Way(bounded([rest and is_one for rest, is_one in zip(rests, may, strict=True)]), glue)
            if way not in seen and any(way.rests):
                seen.add(way)
                yield way, rests is not loose[0]

    def _cuts_blanks(self, edges: Sequence[bool]) -> bool:
        """Whether a line was broken at a blank that is still there, as a terminal does it and no mail."""
        pairs = enumerate(pairwise(self.lines), 1)
        return any(edges[at] and (above.raw[-1:] == " " or shown(line)[:1] == " ") for at, (above, line) in pairs)

    def _rows_broken_at(self, width: int) -> int:
        """Lines that are as wide as they can be with one below that is not: all rows of a table may be so wide."""
        full = self._full_at(width)
        return sum(one and not below for one, below in zip(full, [*full[1:], False], strict=True))

    def _full_at(self, width: int) -> list[bool]:
        return [
            False,
            *(fills(above.text, line.text, width) and not claimed(line.text) for above, line in pairwise(self.lines)),
        ]

    def _and_may_be(self, rests: Sequence[bool]) -> list[bool]:
        return [rest and may for rest, may in zip(rests, self._may_be_rest, strict=True)]

    def put(self, way: Way) -> list[Line]:
        """The lines put together."""
        return put_together(self.lines, way)

    def doubtful(self, way: Way) -> Iterator[int]:
        """Lines of which it is in doubt whether they are rests: first those that were taken for one."""
        yield from (at for at, is_rest in enumerate(way.rests) if is_rest)
        for at, line in enumerate(self.lines):
            is_rest = self._is_long[at] and line.text[:1] not in ("", " ") and self._may_be_rest[at]
            if not way.rests[at] and (self.is_full[at] or is_rest):
                yield at

    def is_near(self, at: int, way: Way, unread: frozenset[int], above: int) -> bool:
        """Whether a line, or the one above it, is among those that nobody reads."""
        place = above + at + 1 - sum(way.rests[: at + 1])
        return not unread.isdisjoint((place - 1, place))


def may_be_put_behind(lines: Sequence[Line], at: int, margin: int) -> bool:
    """Whether a line may be the rest of the one above, whatever their widths: no row of its output, and no sentence
    below another one.
    """
    above, line = lines[at - 1], lines[at]
    if not may_be_rest(above, line, margin):
        return False
    owner = owner_of(lines, at)
    is_row = owner is not None and owner.owns(line.text, above.text)
    return not is_row and not (is_prose(line.text) and is_prose(above.text))


def owner_of(lines: Sequence[Line], at: int) -> Parser | None:
    """The parser that claims a line, or the nearest of those above it up to a blank one."""
    for place in range(at, -1, -1):
        text = lines[place].text
        if not text or (owner := claimed(text)) is not None:
            return owner if text else None
    return None


def is_known(text: str, raw: str) -> bool:
    """Whether somebody knows a line, also behind what a tool put in front of it."""
    if not text:
        return False
    if claimed(text) is not None or known_alone(text) is not None or match_prompt(raw, programs()) is not None:
        return True
    return Prefixes().peel(Line(0, raw, text)).text != text


def is_dated_or_mark(text: str, above: str) -> bool:
    """Whether a line begins with a moment, or it or the one above is a mark around a quoted output."""
    return _is_mark(text) or _is_mark(above) or _DATED.match(text) is not None


def _is_mark(text: str) -> bool:
    return is_fence(text) or _MARK.match(text.strip()) is not None
