"""Which pattern matches a line: all claims as one pattern, so that hundreds of them are not tried one by one.

The regular expression engine passes over an alternative whose first character differs, at the cost of one comparison.
An empty group behind each alternative says which one matched. An alternative that begins with almost anything
(``\\S{1,80} ...``) costs more, most of all on lines that nobody claims. So where many lines begin with the same
character, only alternatives that can begin so are tried, and those that begin with almost anything only where one of
their needles stands in the line.

Most alternatives take all digits alike. What they say of a line is kept for all lines of its shape, which differ from
it in the digits alone; the few others are asked of each line, where they may fit its shape at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Final, Generic, TypeVar

from parsers.patterns import alternatives as known_of
from parsers.patterns import digits as digits_of
from parsers.patterns.alternatives import Alternative, Needles, alternatives
from parsers.patterns.digits import shape_of
from parsers.patterns.kept_start import compiled, digest_of, made_from

Owner = TypeVar("Owner")
Match = Callable[[str], re.Match[str] | None]
Shapes = dict[bytes, tuple[int | None, tuple[tuple[int, str], ...]]]
"""By shape of a line the first alternative that matches every such line, and those that may match some of them."""
FREQUENT: Final = 50  # lines after which a pattern of their own costs less than it saves
WIDE: Final = 8  # characters that an alternative can begin with, beyond which its needles are looked for
FEW: Final = 4  # needles that are sooner looked for than the alternative tried
MOST_SHAPES: Final = 30_000
"""Shapes of lines that are remembered; then again."""
LONGEST_SHAPE: Final = 400
NOWHERE: Final = 1 << 30  # behind all alternatives
_LOOKS_AHEAD: Final = ("(?=", "(?i:(?=")  # over all of the line: dearer than any number of needles


class Dispatch(Generic[Owner]):
    """Patterns with their owners, in the order in which they are tried. Their groups must not capture."""

    def __init__(self, patterns: Iterable[tuple[str, Owner]]) -> None:
        self._pairs = list(patterns)
        together = _together(pattern for pattern, _ in self._pairs)
        if together.groups != len(self._pairs):
            owner = next(owner for pattern, owner in self._pairs if re.compile(pattern).groups)
            raise ValueError(f"a claim must not capture: {owner}")
        self._match: Match = together.match
        self._begun: dict[str, int] = {}
        self._lanes: dict[str, _Lane] = {}
        self._shapes: Shapes = {}

    def find(self, text: str) -> Owner | None:
        """The owner of the first pattern that matches at the beginning of a text."""
        if text.isascii():  # other letters can be equal to one of ASCII where case does not count
            shape = shape_of(text)
            first = "0" if text[:1].isdigit() else text[:1]
            if (lane := self._lanes.get(first)) is not None:
                at = lane.find(text, shape)
                return None if at is None else self._alternatives[at][1]
            count = self._begun[first] = self._begun.get(first, 0) + 1
            if count >= FREQUENT and first:
                self._lanes[first] = self._lane(first)
        found = self._match(text)
        return None if found is None or found.lastindex is None else self._pairs[found.lastindex - 1][1]

    def prepare(self, firsts: Iterable[str]) -> None:
        """Make now what lines that begin with these characters ask for, were each of them frequent."""
        for first in firsts:
            self._lanes[first] = self._lane(first)

    def is_nobodys(self, text: str) -> bool:
        """Whether it is known that nothing matches a text, nor any that differs from it in its digits alone."""
        return text.isascii() and self._shapes.get(shape_of(text)) == (None, ())

    def tells(self, text: str, owner: Owner) -> Callable[[str], bool] | None:
        """What tells of a text with the shape of this one whether it is the owner's too; None where that is not known,
        or none is.
        """
        if not text.isascii() or (known := self._shapes.get(shape_of(text))) is None:
            return None
        found = known[0]
        is_last = found is not None and self._alternatives[found][1] is owner
        doubtful = [(at, pattern) for at, pattern in known[1] if found is None or at < found]
        if not doubtful:
            return _always if is_last else None
        rows = [(_alone(pattern).match, self._alternatives[at][1] is owner) for at, pattern in doubtful]
        return lambda other: next((is_owners for match, is_owners in rows if match(other)), is_last)

    def are_owned(self, text: str) -> bool:
        """Whether it is known that all texts with the shape of this one have an owner."""
        known = self._shapes.get(shape_of(text)) if text.isascii() else None
        return known is not None and known[0] is not None

    @cached_property
    def _alternatives(self) -> list[tuple[Alternative, Owner]]:
        patterns = [pattern for pattern, _ in self._pairs]
        own = (digest_of(str(known_of.__file__)), digest_of(str(digits_of.__file__)))
        source = b"\0".join((*own, *(pattern.encode() for pattern in patterns)))
        made = made_from(source, lambda: [[one.values() for one in alternatives(pattern)] for pattern in patterns])
        owners = (owner for _, owner in self._pairs)
        return [(Alternative.of(*one), owner) for some, owner in zip(made, owners, strict=True) for one in some]

    def _lane(self, first: str) -> _Lane:
        firsts = frozenset("0123456789" if first == "0" else first)
        able = [(at, one) for at, (one, _) in enumerate(self._alternatives) if firsts & one.begins]
        alike = [(at, one) for at, one in able if not one.tells_digits]
        plain = [(at, one.pattern) for at, one in alike if not _is_for_needles(one)]
        return _Lane(
            _together(pattern for _, pattern in plain).match,
            tuple(at for at, _ in plain),
            tuple((at, one.needles, one.pattern) for at, one in alike if _is_for_needles(one)),
            tuple((at, tuple(map(_alike, one.needles)), one) for at, one in able if one.tells_digits),
            self._shapes,
        )


def _is_for_needles(one: Alternative) -> bool:
    is_costly = one.pattern.startswith(_LOOKS_AHEAD)
    return len(one.begins) > WIDE and bool(one.needles) and (is_costly or len(one.needles) <= FEW)


def _always(_: str) -> bool:
    return True


def _together(patterns: Iterable[str]) -> re.Pattern[str]:
    return compiled("|".join(f"(?:{pattern})()" for pattern in patterns) or "(?!)")


class _Lane:
    """Alternatives for lines that begin with one character, each by its place in the order of all.

    match, order: those that are tried together, and their places. gated: those that are tried where one of their
    needles stands in the line. telling: those that do not take all digits alike. shapes: what is known, of all lanes.
    """

    def __init__(
        self,
        match: Match,
        order: tuple[int, ...],
        gated: tuple[tuple[int, Needles, str], ...],
        telling: tuple[tuple[int, Needles, Alternative], ...],
        shapes: Shapes,
    ) -> None:
        self._match = match
        self._order = order
        self._gated = gated
        self._telling = telling
        self._known = shapes
        self._needles = _NeedleFinder([*(needles for _, needles, _ in gated), *(needles for _, needles, _ in telling)])
        loose = [(at, one.loose) for at, needles, one in telling if not needles and one.loose is not None]
        self._loose, self._loose_order = _together(pattern for _, pattern in loose), [at for at, _ in loose]
        """Those of them that stand behind no needle, as one: hardly a line fits any."""

    def find(self, text: str, shape: bytes) -> int | None:
        """The place of the first alternative that matches a text of a shape."""
        if (known := self._known.get(shape)) is None:
            alike = shape.decode("ascii")
            held = self._needles.rows(alike.lower())
            known = (self._of_all_alike(alike, held), tuple(self._of_some(alike, held)))
            if len(shape) <= LONGEST_SHAPE:
                if len(self._known) >= MOST_SHAPES:
                    self._known.clear()
                self._known[shape] = known
        found, doubtful = known
        for at, pattern in doubtful:
            if found is not None and at > found:
                break
            if _alone(pattern).match(text):
                return at
        return found

    def _of_all_alike(self, shape: str, held: frozenset[int]) -> int | None:
        """The first that matches every text of a shape. held: those of which a needle stands in it."""
        found = self._match(shape)
        last = None if found is None or found.lastindex is None else self._order[found.lastindex - 1]
        for row in sorted(held):
            if row >= len(self._gated):
                break
            at, _, pattern = self._gated[row]
            if last is not None and at > last:
                break
            if _alone(pattern).match(shape):
                return at
        return last

    def _of_some(self, shape: str, held: frozenset[int]) -> Iterator[tuple[int, str]]:
        """Those that may match some texts of a shape, and others not."""
        fits = self._loose.match(shape)
        first = NOWHERE if fits is None or fits.lastindex is None else self._loose_order[fits.lastindex - 1]
        for row, (at, needles, one) in enumerate(self._telling, len(self._gated)):
            if (row not in held) if needles else (one.loose is not None and at < first):
                continue
            if one.loose is None or _alone(one.loose).match(shape):
                yield at, one.pattern


class _NeedleFinder:
    """Finds in one pass which rows have a needle that stands in a text."""

    def __init__(self, rows: Sequence[Needles]) -> None:
        held: dict[str, set[int]] = {}
        for row, needles in enumerate(rows):
            for needle in needles:
                held.setdefault(needle, set()).add(row)
        # At each place the longest one is found: with it stand there those that it begins with.
        self._rows = {
            needle: frozenset(row for size in range(1, len(needle) + 1) for row in held.get(needle[:size], ()))
            for needle in held
        }
        self._all = compiled(f"(?=({_tree_of(held)}))").findall

    def rows(self, text: str) -> frozenset[int]:
        """Those of which a needle stands in a text."""
        return frozenset().union(*(self._rows[needle] for needle in set(self._all(text))))


def _tree_of(words: Iterable[str]) -> str:
    """A pattern for the longest of some words, which looks at each letter once."""
    rests: dict[str, list[str]] = {}
    is_end = False
    for word in words:
        is_end = is_end or not word
        if word:
            rests.setdefault(word[0], []).append(word[1:])
    if not rests:
        return "" if is_end else "(?!)"
    tree = "|".join(f"{re.escape(first)}{_tree_of(own)}" for first, own in rests.items())
    return f"(?:{tree})?" if is_end else f"(?:{tree})"


def _alike(needle: str) -> str:
    return shape_of(needle).decode("ascii") if needle.isascii() else needle


@cache
def _alone(pattern: str) -> re.Pattern[str]:
    return compiled(pattern)
