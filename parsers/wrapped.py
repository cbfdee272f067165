"""Puts lines together that a mail program broke at a blank, or a terminal at its edge, whatever output they belong to.

    2030-03-12 09:15:01 elm pacemaker-fenced[1921] (log_action) warning:
    fence_ipmi[40112] stderr: [ Connection timed out ]

A stretch of lines is looked at where some of them are as wide as they can be: the first word of the next would not
have fitted there. Whether they were broken is for a trial to say: what is read of them as they stand, and put together
in one way or another. Most stretches are read whole as they stand, and stay so. A line that was put together has the
number of its first one, and counts as all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from parsers.line_kinds import is_fence, is_prose
from parsers.prefixes import Prefixes
from parsers.registry import Parser, claimed, known_alone, programs
from parsers.text import Line, make_line
from parsers.transcript import match_prompt

STRETCH_BYTES: Final = 12_000
STRETCH_LINES: Final = 200
NARROWEST: Final = 50
WIDEST: Final = 140
"""Columns at which a mail program breaks a line."""
NARROWEST_TERMINAL: Final = 76
WIDEST_TERMINAL: Final = 400
PANES: Final = "|\u2502\u2503\u2551"
"""Edges of a pane: not the text is so wide."""
MOST_PIECES: Final = 6
"""Lines into which one is broken; where more in turn are as wide as they can be, they are rows of one width."""
MOST_IN_VAIN: Final = 12
"""Stretches in turn that are tried and turn out to be whole."""
RECORD: Final = 400
"""Letters that nobody reads weigh as much as one record."""
MOST_TURNED: Final = 40
"""Breaks of an output that are tried one by one; less where nothing tells that there are any."""
LEAST_TURNED: Final = 6
WIDTHS: Final = (65, 72, 76, 78, 80, 100, 120, 132)
"""Columns that mail programs, terminals and people choose."""
LEAST_OF_WIDTH: Final = 3
"""Lines that are as wide as they can be by a width that nobody chooses."""
_SHAPE: Final = re.compile(r"\d{1,400}|[A-Za-z]{1,400}")
_DATED: Final = re.compile(r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d")
_MARK: Final = re.compile(r"\{(?:code|noformat)(?::[^{}]{0,200})?\}$")
_FIRST: Final = re.compile(rb"[ \t>|]*(\S*)")
_IN_FRONT: Final = re.compile(rb"[ \t]{0,8}(\||#|;|//|\*)(?:[ \t]|$)")
"""A bar, or the mark of a comment, in front of a line."""
_FRONTS: Final = frozenset(b"|#;/* ")
COMMENTS: Final = ("#", ";")
"""What a comment between settings begins with: no setting is the rest of one."""
LEAST_MARKED: Final = 3
"""Lines in turn with one mark, which may have been put in front of lines that were broken before."""
WIDEST_GAP: Final = 8
"""Blanks between two columns, of which a break leaves none."""
NARROW_GAP: Final = 2
"""Blanks that may stand between two words of a message."""
LEAST_RESTS: Final = 2
LEAST_LOGGED: Final = 3
"""Messages with a stamp of their own: what stands between them without one is no message."""
_LOGGED: Final = re.compile(
    r"[ \t|>#;*/<+-]{0,8}(?:(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d"
    r"|\[ {0,5}\d{1,9}\.\d{2,6}\]|(?:time|ts|timestamp|t)=\"?\d)"
)
_TAGGED: Final = re.compile(r"[ \t]{0,8}[A-Za-z][\w./-]{1,60}(?:\[\d{1,10}\])?: \S")
"""A message of a program without its moment: ``mmremote: GPFS is not ready``."""
_LOW: Final = re.compile(r"[ \t]{0,8}[(]?[a-z\u00df-\u00ff]")
_HYPHEN: Final = re.compile(r"[a-z]-$")
_RULED: Final = re.compile(r"([=*#~+>-])\1{1,120} ?[^\s=*#~+>-]")
"""A heading behind a ruler: ``==== kite3 ====``."""


def _no_structure(_: str) -> bool:
    return False


class Tried(NamedTuple):
    """What a trial read: data records, how many letters of the text nobody could read, and in which lines."""

    records: int
    unread: int = 0
    lines: frozenset[int] = frozenset()

    @property
    def worth(self) -> int:
        """Grows with what is read, however many lines it takes."""
        return RECORD * self.records - self.unread


Trial = Callable[[Sequence[str]], Tried]


class Wrapped:
    """Puts the broken lines of one text together."""

    def __init__(self, trial: Trial | None = None) -> None:
        """trial: says what is read of some lines; without it all lines stay as they are."""
        self._trial = trial
        self.is_structure: Callable[[str], bool] = _no_structure
        """Whether a line is a heading of the text, such as one that names a node: no rest and no row."""
        self.english: Callable[[str], str] = str
        """Makes stamps of a line English."""
        self._vain = 0
        self._head: list[str] = []
        """Of the last stretch whose lines were broken: what tells the output that its last lines belong to."""

    @property
    def looks(self) -> bool:
        """Whether it is worth a look at all."""
        return self._trial is not None and self._vain < MOST_IN_VAIN

    def stretch(self, data: bytes, begin: int) -> list[bytes]:
        """Lines from a place in a text on that are looked at together; they end at a blank one where they can."""
        end = data.rfind(b"\n", begin, begin + STRETCH_BYTES) + 1 if len(data) > begin + STRETCH_BYTES else len(data)
        lines = data[begin:end].split(b"\n", STRETCH_LINES)
        rest = lines.pop()
        if rest and end == len(data) and len(lines) < STRETCH_LINES:
            lines.append(rest)
        if begin + sum(map(len, lines)) + len(lines) < len(data):
            blank = next((at for at in range(len(lines) - 1, len(lines) // 2, -1) if not lines[at].strip()), None)
            lines = lines[:blank]
        return lines

    def joined(self, number: int, lines: Sequence[bytes]) -> list[Line]:
        """The lines with the broken ones put together; empty where none were broken."""
        bare = _without_marks(lines)
        if self._trial is None or not _may_be_broken(bare):
            return []
        made = [make_line(at, line) for at, line in enumerate(bare, number)]
        for at, line in enumerate(made):
            line.quote += bare[at] is not lines[at]  # what stands behind a mark of a comment is no prompt's answer
        whole = self._messages(made)
        best = self._put_together(whole)
        if whole is not made and best is not None and (other := self._put_together(made)) is not None:
            best = other if self._tried(other).worth > self._tried(best).worth else best
        if best is None or len(best) == len(made):
            return []
        if bare is not lines and whole is made and not self._is_worth_more(best, lines):
            return []
        self._vain = 0
        self._head = _head_of(best)
        return best

    def _put_together(self, lines: list[Line]) -> list[Line] | None:
        """The lines with the broken ones put together; None where nothing more is read then."""
        stretch = _Stretch(lines, self._is_head)
        is_begun = any(line.lines > 1 for line in lines)
        best = self._best_of_all(stretch) if stretch.has_rests else None
        return lines if best is None and is_begun else best

    def _best_of_all(self, stretch: _Stretch) -> list[Line] | None:
        """The best way of a stretch, as a whole or of each of its outputs; None where nothing more is read then."""
        self._vain += 1
        if not (self._head or stretch.may_be_read()):
            return None
        plain = self._tried(stretch.lines)
        if not stretch.has_unread(plain.lines, len(self._head)):
            return None
        best = self._best(stretch, plain)
        if len(parts := stretch.outputs()) > 1:
            each = [line for part in parts for line in self._of_output(part)]
            if best is None or self._tried(each).worth > self._tried(best).worth:
                best = each
        return best

    def _messages(self, lines: list[Line]) -> list[Line]:
        """The lines with messages of a log whole, where each rest has no stamp and would not have fitted above."""
        for way in _rests_of_messages(lines, self.english, self._is_head):
            found = _put(lines, way)
            if self._tried(found).unread <= self._tried(lines).unread:
                return found
        return lines

    def _is_worth_more(self, lines: Sequence[Line], than: Sequence[bytes]) -> bool:
        return self._tried(lines).worth > self._tried([make_line(0, line) for line in than]).worth

    def _is_head(self, text: str) -> bool:
        return _RULED.match(text.lstrip()) is not None or self.is_structure(text)

    def _of_output(self, part: _Stretch) -> list[Line]:
        """The lines of one output, put together where more is read of them then."""
        if not part.has_rests or not part.has_unread((plain := self._tried(part.lines)).lines, len(self._head)):
            return part.lines
        return self._best(part, plain) or part.lines

    def _best(self, part: _Stretch, plain: Tried) -> list[Line] | None:
        """The way in which most is read; None where no way gives more than the lines as they stand."""
        best: _Way | None = None
        most = plain
        may = part.proved(plain.lines, len(self._head))
        for way, is_sure in part.ways(may):
            found = self._tried(part.put(way))
            completes = is_sure and part.completes(way, plain.lines, len(self._head))
            if found.worth > most.worth and (completes or found.records > most.records):
                best, most = way, found
        way, left = (best, MOST_TURNED) if best is not None else (_Way((False,) * len(part.lines)), LEAST_TURNED)
        way, most = self._turned(part, way, most, left, may)
        return part.put(way) if most.worth > plain.worth else None

    def _turned(self, part: _Stretch, way: _Way, found: Tried, left: int, may: Sequence[bool]) -> tuple[_Way, Tried]:
        """A way with single breaks undone or made, where more is read then."""
        for at in part.doubtful(way):
            if not left:
                break
            if not (way.rests[at] or may[at]):
                continue
            is_near = part.is_near(at, way, found.lines, len(self._head))
            if way.rests[at] or part.is_full[at] or is_near:
                left -= 1
                other = way.turned(at)
                better = self._tried(part.put(other))
                is_more = better.records > found.records and (way.rests[at] or is_near)
                completes = (
                    part.is_full[at] and not way.rests[at] and part.completes(other, found.lines, len(self._head))
                )
                if better.worth > found.worth and (is_more or completes):
                    way, found = other, better
        return way, found

    def _tried(self, lines: Sequence[Line]) -> Tried:
        return self._trial([*self._head, *(line.text for line in lines)]) if self._trial is not None else Tried(0)


class _Way(NamedTuple):
    """Of each line whether it is the rest of the one above, and what stands between the two."""

    rests: tuple[bool, ...]
    glue: str = " "

    def turned(self, at: int) -> _Way:
        """The same but for one line."""
        return self._replace(rests=(*self.rests[:at], not self.rests[at], *self.rests[at + 1 :]))


class _Stretch:
    """Some lines, and what is to be seen of how they were broken."""

    def __init__(self, lines: list[Line], is_head: Callable[[str], bool]) -> None:
        """is_head: whether a line is a heading of the text."""
        self.lines, self._is_head = lines, is_head
        self._usual = 0
        self._margin = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text), default=0)
        """Blanks in front of all lines."""
        widths = _widths(lines)
        widest = widths[-1] if widths else 0
        self._edge = max(len(_shown(line)) for line in lines)
        edges = sum(len(_shown(line)) == self._edge for line in lines)
        self._is_edge = NARROWEST_TERMINAL <= self._edge <= WIDEST_TERMINAL and (
            self._edge in WIDTHS or edges >= LEAST_OF_WIDTH
        )
        """Whether a terminal may have been that wide."""
        own = [width for width in widths if self._rows_broken_at(width) >= LEAST_OF_WIDTH]
        self._widths = list(dict.fromkeys((*own, *[width for width in WIDTHS if width >= widest][:2])))
        at_edge, least = self._at_edge(), min(self._widths, default=WIDEST)
        fills = [False, *(_fills(above.text, line.text, least) for above, line in pairwise(lines))]
        self.is_full = [edge or fill for edge, fill in zip(at_edge, fills, strict=True)]
        """Of each line whether its first word would not have fitted on the one above."""
        self._is_nearly = [
            False,
            *(
                "  " in above.text and _fills(above.text, line.text, least, WIDEST_GAP)
                for above, line in pairwise(lines)
            ),
        ]
        """The same, with a gap between columns of which the break left nothing."""
        self._is_long = [False, *(2 * len(above.text) >= widest >= len(above.text) for above in lines[:-1])]

    @property
    def has_rests(self) -> bool:
        """Whether some line may be the rest of the one above."""
        for at, line in enumerate(self.lines):
            if (self.is_full[at] or self._is_long[at]) and _may_be_rest(
                above := self.lines[at - 1], line, self._margin
            ):
                owner = self._owner(at)
                is_row = owner is not None and owner.owns(line.text, above.text)
                if not is_row and not (is_prose(line.text) and is_prose(above.text)):
                    return True
        return False

    @cached_property
    def _heads(self) -> frozenset[int]:
        """Numbers of the lines that are headings of the text."""
        return frozenset(line.number for line in self.lines if self._is_head(line.text))

    def _owner(self, at: int) -> Parser | None:
        """The parser that claims a line, or the nearest of those above it up to a blank one."""
        for line in reversed(self.lines[: at + 1]):
            if not line.text or (owner := claimed(line.text)) is not None:
                return owner if line.text else None
        return None

    @cached_property
    def _may_be_rest(self) -> list[bool]:
        return [False, *(_may_be_rest(above, line, self._margin) for above, line in pairwise(self.lines))]

    def _at_edge(self) -> list[bool]:
        """Of each line whether the one above ends where the terminal did."""
        edge = self._edge if self._is_edge else -1
        full = (len(shown := _shown(above)) == edge and shown[-1] not in PANES for above in self.lines[:-1])
        return [
            False,
            *(
                is_full and bool(line.text) and _is_ruler(line.text) == _is_ruler(above.text)
                for is_full, (above, line) in zip(full, pairwise(self.lines), strict=True)
            ),
        ]

    def may_be_read(self) -> bool:
        """Whether a reader knows a line as it stands or put together with those below it, or a sentence goes on below:
        of text that is nobody's, as files of settings are, no way of putting it together is worth a trial.
        """
        if any(_is_known(line.text, line.raw) for line in self.lines) or self._heads:
            return True
        edges, fulls = self._at_edge(), [self._full_at(width) for width in self._widths]
        rests = [any(ways) for ways in zip(self.is_full, self._is_long, edges, *fulls, strict=True)]
        for at in range(len(self.lines) - 1):
            for glue in (" ", "") if edges[at + 1] else (" ",):
                if any(_is_known(whole, whole) for whole in self._wholes(at, rests, glue)):
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

    def outputs(self) -> list[_Stretch]:
        """The lines cut at prompts and below blank lines."""
        parts: list[list[Line]] = [[]]
        for line in self.lines:
            if parts[-1] and (not parts[-1][-1].text or match_prompt(line.raw, programs()) is not None):
                parts.append([])
            parts[-1].append(line)
        return [_Stretch(part, self._is_head) for part in parts]

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

    def completes(self, way: _Way, unread: frozenset[int], above: int) -> bool:
        """Whether rests are put behind lines that are read without them only: two that nobody reads have to give a
        record.
        """
        if self._usual < LEAST_OF_WIDTH:
            return False
        is_read = True
        for at, is_rest in enumerate(way.rests):
            is_read = is_read if is_rest else above + at + 1 not in unread
            if is_rest and not is_read:
                return False
        return True

    def _is_text(self, at: int) -> bool:
        """Whether neither a line nor the one above is damaged, or a mark around a quoted output."""
        line, above = self.lines[at], self.lines[at - 1]
        is_damaged = "\ufffd" in above.raw or "\ufffd" in line.raw
        if line.number in self._heads or above.number in self._heads:
            return False
        return not (is_damaged or _is_mark(line.text) or _is_mark(above.text) or _DATED.match(line.text))

    def ways(self, may: Sequence[bool]) -> Iterator[tuple[_Way, bool]]:
        """Ways of putting the lines together, each once, and whether the width tells that the lines were broken so.
        may: whether a line may be a rest at all.
        """
        seen: set[_Way] = set()
        edges = self._at_edge()
        of_terminal = [(edges, ""), (self._and_may_be(edges), "")]
        fulls = [self._full_at(width) for width in self._widths]
        of_mail = [(rests, " ") for rests in (*map(self._and_may_be, fulls), *fulls)]
        loose = (self._and_may_be(self._is_long), " ")
        kinds = (*of_terminal, *of_mail, loose) if self._cuts_blanks(edges) else (*of_mail, loose, *of_terminal)
        for rests, glue in kinds:
            way = _Way(_bounded([rest and is_one for rest, is_one in zip(rests, may, strict=True)]), glue)
            if way not in seen and any(way.rests):
                seen.add(way)
                yield way, rests is not loose[0]

    def _cuts_blanks(self, edges: Sequence[bool]) -> bool:
        """Whether a line was broken at a blank that is still there, as a terminal does it and no mail."""
        pairs = enumerate(pairwise(self.lines), 1)
        return any(edges[at] and (above.raw[-1:] == " " or _shown(line)[:1] == " ") for at, (above, line) in pairs)

    def _rows_broken_at(self, width: int) -> int:
        """Lines that are as wide as they can be with one below that is not: all rows of a table may be so wide."""
        full = self._full_at(width)
        return sum(one and not below for one, below in zip(full, [*full[1:], False], strict=True))

    def _full_at(self, width: int) -> list[bool]:
        return [
            False,
            *(_fills(above.text, line.text, width) and not claimed(line.text) for above, line in pairwise(self.lines)),
        ]

    def _and_may_be(self, rests: Sequence[bool]) -> list[bool]:
        return [rest and may for rest, may in zip(rests, self._may_be_rest, strict=True)]

    def put(self, way: _Way) -> list[Line]:
        """The lines put together."""
        return _put(self.lines, way)

    def doubtful(self, way: _Way) -> Iterator[int]:
        """Lines of which it is in doubt whether they are rests: first those that were taken for one."""
        yield from (at for at, is_rest in enumerate(way.rests) if is_rest)
        for at, line in enumerate(self.lines):
            is_rest = self._is_long[at] and line.text[:1] not in ("", " ") and self._may_be_rest[at]
            if not way.rests[at] and (self.is_full[at] or is_rest):
                yield at

    def is_near(self, at: int, way: _Way, unread: frozenset[int], above: int) -> bool:
        """Whether a line, or the one above it, is among those that nobody reads."""
        place = above + at + 1 - sum(way.rests[: at + 1])
        return not unread.isdisjoint((place - 1, place))


def _put(lines: Sequence[Line], way: _Way) -> list[Line]:
    groups: list[list[Line]] = []
    for line, is_rest in zip(lines, way.rests, strict=True):
        if is_rest and groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_one(group, way.glue) for group in groups]


def _without_marks(lines: Sequence[bytes]) -> Sequence[bytes]:
    """The lines without the mark that several in turn have in front of them; the very same where none have."""
    if not any(line and line[0] in _FRONTS for line in lines):
        return lines
    marks = [_mark_of(line) for line in lines]
    found = list(lines)
    begin = 0
    for mark, run in groupby(marks):
        end = begin + len(list(run))
        if mark and end - begin >= LEAST_MARKED:
            for at in range(begin, end):
                match = _IN_FRONT.match(lines[at])
                found[at] = lines[at][match.end() :] if match is not None else lines[at]
        begin = end
    return found if found != list(lines) else lines


def _mark_of(line: bytes) -> bytes:
    """The mark in front of a line; none where it stands between bars."""
    match = _IN_FRONT.match(line)
    is_between = match is not None and line.rstrip().endswith(b"|", match.end())
    return match[1] if match is not None and not is_between else b""


def _rests_of_messages(
    lines: Sequence[Line], english: Callable[[str], str], is_head: Callable[[str], bool]
) -> Iterator[_Way]:
    """Ways in which what lies between messages of a log is the rest of them, where none of it would have fitted above:
    also what could be a line by itself, such as the frame of a stack; then without it.
    """
    is_own = [_LOGGED.match(english(line.text)) is not None for line in lines]
    if not any(is_own) or all(is_own):
        return

    @cache
    def begins(at: int) -> bool:
        """Whether it is no message and somebody's by itself, such as a row below the date of its dump."""
        return not is_own[at] and claimed(lines[at].text) is not None

    @cache
    def ends(at: int) -> bool:
        return is_head(lines[at].text)

    def ends_or_begins(at: int) -> bool:
        return ends(at) or begins(at)

    def ends_or_begins_below_none(at: int) -> bool:
        return ends(at) or (begins(at) and not is_own[at - 1])

    before: dict[int, Line] = {}
    for ending in (ends_or_begins_below_none, ends_or_begins):
        above = _between(lines, is_own, ending)
        if above and above.keys() != before.keys() and (way := _way_of(lines, is_own, above)) is not None:
            yield way
        before = above


def _between(lines: Sequence[Line], is_own: Sequence[bool], ending: Callable[[int], bool]) -> dict[int, Line]:
    """The lines that lie between messages up to one that ends them -> the line above each."""
    above: dict[int, Line] = {}
    is_inside = False
    for at, line in enumerate(lines):
        is_inside = bool(line.text) and (is_own[at] or (is_inside and not ending(at)))
        if is_inside and not is_own[at]:
            above[at] = lines[at - 1]
    return above


def _way_of(lines: Sequence[Line], is_own: Sequence[bool], above: dict[int, Line]) -> _Way | None:
    """The way in which they are rests; a few messages are enough where their paragraphs are nothing else."""
    is_many = sum(is_own) >= LEAST_LOGGED and len(above) >= LEAST_RESTS
    is_all = _is_all(lines, is_own, above) and not any(
        _begin_alike(line.text, lines[at].text, 0) or _TAGGED.match(lines[at].text) for at, line in above.items()
    )
    if not (is_many or is_all):
        return None
    # A line that begins with a small letter right below a long message is the rest of it, whatever the width.
    is_low = all(_LOW.match(lines[at].text) and len(line.text) >= NARROWEST for at, line in above.items())
    widths = (*WIDTHS, _widest_of(lines)) if is_many or is_low else WIDTHS
    return _at_an_edge(lines, above) or _at_a_width(lines, above, widths)


def _is_all(lines: Sequence[Line], is_own: Sequence[bool], above: dict[int, Line]) -> bool:
    """Whether paragraphs with a message hold nothing but messages and what may be the rest of one."""
    begin = 0
    for is_filled, paragraph in groupby(lines, key=lambda line: bool(line.text)):
        end = begin + len(list(paragraph))
        places = range(begin, end)
        if is_filled and any(is_own[at] for at in places) and not all(is_own[at] or at in above for at in places):
            return False
        begin = end
    return True


def _at_an_edge(lines: Sequence[Line], above: dict[int, Line]) -> _Way | None:
    """Most rests lie below lines that end where the terminal did. above: the line above each of them."""
    edge = max(len(_shown(line)) for line in lines)
    at_edge = {at for at, line in above.items() if len(_shown(line)) == edge}
    if edge < NARROWEST_TERMINAL or len(at_edge) < LEAST_RESTS or 2 * len(at_edge) <= len(above):
        return None
    return _Way(_bounded([at in at_edge for at in range(len(lines))]), "")


def _at_a_width(lines: Sequence[Line], above: dict[int, Line], widths: Sequence[int]) -> _Way | None:
    """By one of the widths, no rest would have fitted on the line above it."""
    widest = _widest_of(lines)
    gaps = {at: WIDEST_GAP if "  " in line.text else NARROW_GAP for at, line in above.items()}
    rows = [at for at in above if gaps[at] == WIDEST_GAP]
    column = max((len(above[at].text) for at in rows), default=0)  # where the cell behind the longest row begins
    gaps |= {at: max(WIDEST_GAP, column + NARROW_GAP - len(above[at].text)) for at in rows}
    for width in widths:
        is_cut = (_is_cut_at(line, lines[at].text, width, gaps[at]) for at, line in above.items())
        if widest <= width and all(is_cut):
            return _Way(_bounded([at in above for at in range(len(lines))]))
    return None


def _widest_of(lines: Sequence[Line]) -> int:
    """Of the lines of several words."""
    return max((len(text) for line in lines if " " in (text := line.text.strip())), default=0)


def _is_cut_at(above: Line, text: str, width: int, gap: int = 1) -> bool:
    """Whether a text would not have fitted above behind a gap, with the mark of a quotation or without it."""
    return _fills(above.text, text, width, gap) or _fills(above.raw, text, width, gap)


def _widths(lines: Sequence[Line]) -> list[int]:
    """The widest line that a mail program may have left: of several words, and of any; a ruler is none."""
    words = [line for line in lines if any(map(str.isalnum, line.text)) and _length(line) <= WIDEST]
    widest = max(map(_length, words), default=0)
    of_several = max((_length(line) for line in words if " " in line.text.strip()), default=0)
    return [width for width in dict.fromkeys((of_several, widest)) if 4 * width >= 3 * widest > 0]


def _shown(line: Line) -> str:
    """A line as it stands, without the marks of a quotation."""
    return line.raw[line.raw.find(line.text) :] if line.quote and line.text in line.raw else line.raw


def _length(line: Line) -> int:
    """Letters of a line, a tab as one, without the marks of a quotation."""
    return min(len(line.raw), len(line.text))


def _fills(above: str, text: str, width: int, gap: int = 1) -> bool:
    """Whether a line is as wide as it can be, for the first word of the next would not have fitted behind a gap."""
    words = text.split(None, 1)
    return bool(words) and 4 * len(above) >= width >= len(above) and len(above) + gap + len(words[0]) > width


def _may_be_rest(above: Line, line: Line, margin: int) -> bool:
    """Whether a line can be the rest of the one above: it is no beginning by itself, and does not begin like it."""
    text = line.text
    if not text or not above.text or line.quote not in (above.quote, 0):
        return False
    if _is_ruler(text) or _is_ruler(above.text):
        return _is_ruler(text) and _is_ruler(above.text)
    if _begin_alike(above.text, text, margin):
        return False
    return claimed(text) is None and match_prompt(line.raw, programs()) is None


def _is_known(text: str, raw: str) -> bool:
    """Whether somebody knows a line, also behind what a tool put in front of it."""
    if not text:
        return False
    if claimed(text) is not None or known_alone(text) is not None or match_prompt(raw, programs()) is not None:
        return True
    return Prefixes().peel(Line(0, raw, text)).text != text


def _is_mark(text: str) -> bool:
    return is_fence(text) or _MARK.match(text.strip()) is not None


def _is_ruler(text: str) -> bool:
    return not any(map(str.isalnum, text)) and len(text.strip()) > 2


def _begin_alike(one: str, other: str, margin: int) -> bool:
    """Whether two lines begin as rows of one table, or messages of one log, do. margin: blanks in front of all."""
    indents = len(one) - len(one.lstrip()), len(other) - len(other.lstrip())
    if indents[1] > margin:
        return indents[0] == indents[1]
    first, second = one.split(None, 1)[0], other.split(None, 1)[0]
    if first.isalpha():
        return len(first) == len(second) and first[0] == second[0]
    if first.isdigit() and 2 * len(other.split()) < len(one.split()):
        return False  # what is left of a row, and begins with a figure as the row does
    return _shape(first) == _shape(second)


def _shape(word: str) -> str:
    return _SHAPE.sub(lambda match: "0" if match[0].isdigit() else "a", word)


def _bounded(rests: Sequence[bool]) -> tuple[bool, ...]:
    """No line is put together of more than so many."""
    run, found = 0, []
    for is_rest in rests:
        run = run + 1 if is_rest and run + 1 < MOST_PIECES else 0
        found.append(run > 0)
    return tuple(found)


def _one(group: Sequence[Line], glue: str) -> Line:
    first = group[0]
    if len(group) == 1:
        return first
    if glue:
        text = first.text
        for line in group[1:]:
            # Some break a word at its hyphen.
            is_word = _HYPHEN.search(text) is not None and line.text.lstrip()[:1].islower()
            text += f"{'' if is_word else glue}{line.text.strip()}"
        whole = make_line(first.number, text.encode("utf-8", "replace"))
        whole.raw, whole.quote = glue.join(line.raw for line in group), whole.quote + first.quote
    else:
        whole = make_line(first.number, "".join(map(_shown, group)).encode("utf-8", "replace"))
        whole.quote += first.quote
    whole.lines = len(group)
    return whole


def _head_of(way: Sequence[Line]) -> list[str]:
    """The last lines that tell which output those below them belong to: a prompt, or a heading."""
    for at in range(len(way) - 1, -1, -1):
        if match_prompt(way[at].raw, programs()) is not None:
            return [line.text for line in way[at : at + 2]]
        if claimed(way[at].text) is not None and at < len(way) - 1 and claimed(way[at + 1].text) is None:
            return [way[at].text]
    return []


def _may_be_edge(width: int, lines: int) -> bool:
    """Whether a terminal may have been so wide, for so many lines are."""
    return NARROWEST_TERMINAL <= width <= WIDEST_TERMINAL and (width in WIDTHS or lines >= LEAST_OF_WIDTH)


def _may_be_broken(lines: Sequence[bytes]) -> bool:
    """Whether some lines are as wide as they can be, and not all of them: asked of every stretch of every text."""
    lengths = [len(line) for line in lines]
    widest, edge = max((length for length in lengths if length <= WIDEST), default=0), max(lengths, default=0)
    if widest < NARROWEST:
        return False
    width = next((one for one in WIDTHS if one >= widest), WIDEST)
    edge = edge if _may_be_edge(edge, lengths.count(edge)) else -1
    run = 0
    for at, (length, below) in enumerate(pairwise(lengths), 1):
        if below and (
            length == edge
            or (4 * length >= width and length <= widest and length + 1 + _first_word(lines[at]) > width)
            or (2 * length >= widest >= length > 3 * below)
        ):
            run += 1
        elif 0 < run < MOST_PIECES:
            return True
        else:
            run = 0
    return 0 < run < MOST_PIECES


def _first_word(line: bytes) -> int:
    match = _FIRST.match(line)
    return len(match[1]) if match is not None else 0
