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
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from parsers.headings.transcript import match_prompt
from parsers.layouts.broken_lines import MOST_PIECES, NARROWEST, WIDEST, WIDTHS, Way, may_be_edge, put_together
from parsers.layouts.broken_messages import is_logged, rests_of_messages
from parsers.layouts.broken_stretch import Stretch
from parsers.layouts.unbroken import Texts, Unbroken
from parsers.lookup import claimed, programs
from parsers.text import Line, make_line

STRETCH_BYTES: Final = 12_000
STRETCH_LINES: Final = 200
MOST_IN_VAIN: Final = 12
"""Stretches in turn that are tried and turn out to be whole."""
RECORD: Final = 400
"""Letters that nobody reads weigh as much as one record."""
MOST_TURNED: Final = 40
"""Breaks of an output that are tried one by one; less where nothing tells that there are any."""
LEAST_TURNED: Final = 6
_FIRST: Final = re.compile(rb"[ \t>|]*(\S*)")
_IN_FRONT: Final = re.compile(rb"[ \t]{0,8}(\||#|;|//|\*)(?:[ \t]|$)")
"""A bar, or the mark of a comment, in front of a line."""
_FRONTS: Final = frozenset(b"|#;/* ")
LEAST_MARKED: Final = 3
"""Lines in turn with one mark, which may have been put in front of lines that were broken before."""
_PROMPTED: Final = re.compile(
    r"(?:[a-z_][\w-]{0,31}@)?[A-Za-z][\w.-]{0,60}\w(?:[: ]?[~/][^\s#$%]{0,100})?[#$]"
    r" (?:[./~][\w./~-]{0,200}|[a-z][\w.-]{0,60})(?:\s|$)"
)
"""A prompt and a command, whether or not anybody knows that."""
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
        self._unbroken = Unbroken()
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
        if bare is lines and self._unbroken.has(lines, self.english, self._is_head):
            return []
        are_logged = self._unbroken.are_logged if bare is lines else []
        if are_logged and next(self._ways(list(Texts(lines)), are_logged), None) is None:
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
        stretch = Stretch(lines, self._is_head)
        is_begun = any(line.lines > 1 for line in lines)
        best = self._best_of_all(stretch) if stretch.has_rests else None
        return lines if best is None and is_begun else best

    def _best_of_all(self, stretch: Stretch) -> list[Line] | None:
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
        for way in self._ways(lines, [is_logged(self.english(line.text)) for line in lines]):
            found = put_together(lines, way)
            if self._tried(found).unread <= self._tried(lines).unread:
                return found
        return lines

    def _ways(self, lines: Sequence[Line], are_logged: Sequence[bool]) -> Iterator[Way]:
        return rests_of_messages(lines, are_logged, self._is_head)

    def _is_worth_more(self, lines: Sequence[Line], than: Sequence[bytes]) -> bool:
        return self._tried(lines).worth > self._tried([make_line(0, line) for line in than]).worth

    def _is_head(self, text: str) -> bool:
        bare = text.lstrip()
        return _RULED.match(bare) is not None or _PROMPTED.match(bare) is not None or self.is_structure(text)

    def _of_output(self, part: Stretch) -> list[Line]:
        """The lines of one output, put together where more is read of them then."""
        if not part.has_rests or not part.has_unread((plain := self._tried(part.lines)).lines, len(self._head)):
            return part.lines
        return self._best(part, plain) or part.lines

    def _best(self, part: Stretch, plain: Tried) -> list[Line] | None:
        """The way in which most is read; None where no way gives more than the lines as they stand."""
        best: Way | None = None
        most = plain
        may = part.proved(plain.lines, len(self._head))
        for way, is_sure in part.ways(may):
            found = self._tried(part.put(way))
            completes = is_sure and part.completes(way, plain.lines, len(self._head))
            if found.worth > most.worth and (completes or found.records > most.records):
                best, most = way, found
        way, left = (best, MOST_TURNED) if best is not None else (Way((False,) * len(part.lines)), LEAST_TURNED)
        way, most = self._turned(part, way, most, left, may)
        return part.put(way) if most.worth > plain.worth else None

    def _turned(self, part: Stretch, way: Way, found: Tried, left: int, may: Sequence[bool]) -> tuple[Way, Tried]:
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


def _head_of(way: Sequence[Line]) -> list[str]:
    """The last lines that tell which output those below them belong to: a prompt, or a heading."""
    for at in range(len(way) - 1, -1, -1):
        if match_prompt(way[at].raw, programs()) is not None:
            return [line.text for line in way[at : at + 2]]
        if claimed(way[at].text) is not None and at < len(way) - 1 and claimed(way[at + 1].text) is None:
            return [way[at].text]
    return []


def _may_be_broken(lines: Sequence[bytes]) -> bool:
    """Whether some lines are as wide as they can be, and not all of them: asked of every stretch of every text."""
    lengths = [len(line) for line in lines]
    widest, edge = max((length for length in lengths if length <= WIDEST), default=0), max(lengths, default=0)
    if widest < NARROWEST:
        return False
    width = next((one for one in WIDTHS if one >= widest), WIDEST)
    edge = edge if may_be_edge(edge, lengths.count(edge)) else -1
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
