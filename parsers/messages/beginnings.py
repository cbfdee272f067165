r"""Messages that stand without the head of their log: which message of the catalogue a bare line is.

People quote a log without its stamps, an old kernel prints none, a console shows none. Such a line is a message only
where it begins with letters that the catalogue knows, its whole pattern fits, and it does not read like a sentence that
a person wrote. So patterns that begin with anything do not count here.

``literal_starts(r"^(?:Lost|lost) membership in (?P<about>\S{1,80})")`` gives ``Lost membership in `` and ``lost
membership in ``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import Any, Final

from parsers.line_kinds import is_prose
from parsers.messages.catalogue import Row, catalogue
from parsers.patterns.alternatives import parsed
from parsers.patterns.digits import shape_of
from parsers.patterns.fits import fit_of
from parsers.patterns.kept_start import digest_of, made_from

LEAST: Final = 4
"""So many letters at least begin a message that is told by them."""
_MOST_STARTS: Final = 64
_LONGEST: Final = 24
_SHORTEST: Final = 16
"""A word or two may stand in any output."""
_READ: Final = 4_000
_IN_SENTENCES: Final = "volumes"
"""A group whose programs speak in whole sentences."""
_NO_SENTENCE: Final = re.compile(r"[\d/<>\[\]\"'_=()]|\w[.:]\w|: ")
"""What a message holds that sounds like a sentence, and a sentence of a person seldom: figures, names, paths."""


def literal_starts(pattern: str) -> tuple[str, ...]:
    """The letters that matches of a pattern can begin with, as far as they are sure; without those alternatives that
    begin with anything.
    """
    if not pattern.startswith("^"):
        return ()
    found = (start for start, _ in _starts(list(parsed(pattern)), ""))
    return tuple(dict.fromkeys(start for start in found if len(start) >= LEAST))


def _starts(sequence: list[Any], above: str) -> list[tuple[str, bool]]:
    """Beginnings of a sequence behind those above it; whether each goes on to its end in letters alone."""
    found = [(above, True)]
    for code, value in sequence:
        ongoing = [start for start, goes_on in found if goes_on and len(start) < _LONGEST]
        ended = [(start, False) for start, goes_on in found if not goes_on or len(start) >= _LONGEST]
        if not ongoing or len(found) > _MOST_STARTS:
            break
        found = ended + [one for start in ongoing for one in _further(str(code), value, start)]
    return found


def _further(code: str, value: Any, start: str) -> list[tuple[str, bool]]:
    if code == "LITERAL":
        return [(start + chr(value), True)]
    if code == "SUBPATTERN":
        return _starts(list(value[3]), start)
    if code == "BRANCH":
        return [one for branch in value[1] for one in _starts(list(branch), start)]
    if code == "IN" and len(value) <= LEAST and all(str(kind) == "LITERAL" for kind, _ in value):
        return [(start + chr(letter), True) for _, letter in value]
    if code in ("MAX_REPEAT", "MIN_REPEAT") and value[:2] == (0, 1):
        return [(start, True), *_starts(list(value[2]), start)]
    return [(start, True)] if code in ("AT", "ASSERT", "ASSERT_NOT") else [(start, False)]


@cache
def _index(group: str) -> dict[str, tuple[tuple[str, Row], ...]]:
    """Rows of a group by the first letters of what they begin with."""
    rows = catalogue().groups.get(group, ())
    patterns = [row.pattern for row in rows]
    source = b"\0".join((digest_of(__file__), *(pattern.encode() for pattern in patterns)))
    found = defaultdict[str, list[tuple[str, Row]]](list)
    for row, starts in zip(rows, made_from(source, lambda: list(map(literal_starts, patterns))), strict=True):
        for start in starts:
            found[start[:LEAST]].append((start, row))
    return {letters: tuple(own) for letters, own in found.items()}


@cache
def first_letters(groups: tuple[str, ...]) -> frozenset[str]:
    """What messages of the groups begin with: for lines by the million."""
    return frozenset(letters for group in groups for letters in _index(group))


def group_of_bare(text: str, groups: tuple[str, ...]) -> str | None:
    """The group, of those given, that a line without a head is a message of."""
    if len(text) < _SHORTEST or text[:LEAST] not in first_letters(groups):
        return None
    return _group_of_bare(text, groups)


def may_be_bare(text: str, groups: tuple[str, ...]) -> bool:
    """Whether a line without a head may be such a message, or one that differs from it in its digits alone."""
    alike = shape_of(text).decode("ascii")
    return any(
        alike.startswith(start) and fit_of(row.pattern, alike[:_READ]) != "none"
        for start, row in _alike_index(groups).get(alike[:LEAST], ())
    )


@cache
def _alike_index(groups: tuple[str, ...]) -> dict[str, tuple[tuple[str, Row], ...]]:
    """Rows of groups by the first letters of what they begin with, all digits alike."""
    found = defaultdict[str, list[tuple[str, Row]]](list)
    for letters, rows in ((letters, rows) for group in groups for letters, rows in _index(group).items()):
        found[shape_of(letters).decode("ascii")] += [(shape_of(start).decode("ascii"), row) for start, row in rows]
    return {letters: tuple(own) for letters, own in found.items()}


@lru_cache(maxsize=8)
def _group_of_bare(text: str, groups: tuple[str, ...]) -> str | None:
    is_sentence = is_prose(text) and _NO_SENTENCE.search(text) is None
    for group in groups:
        if is_sentence and group != _IN_SENTENCES:
            continue
        for start, row in _index(group).get(text[:LEAST], ()):
            if text.startswith(start) and row.search(text[:_READ]) is not None:
                return group
    return None
