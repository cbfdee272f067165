"""Headings that tell a moment, most of them with the node, as people's own loops print them.

    === carp1 Wed Jan 28 11:20:07 CET 2031 ===     --- 2031-01-28 11:20:07 on carp1 ---     ## node: carp1 @ 11:20:07 ##
    carp1: Wed Jan 28 11:20:07 CET 2031            2031-01-28 11:20:07 carp1                >>> carp1 1927794007 <<<

Between marks a moment is a heading whatever the word beside it; without marks only a name beside the date makes one,
and who asks has to look whether an output stands below.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.headings.node_banners import is_thing, is_word_of_tools, looks_like_host
from parsers.times.clock import Instant, find_instant, time_of_day

LONGEST: Final = 120
MOST_WORDS: Final = 6
MOST_WORDS_PLAIN: Final = 4
RULES: Final = frozenset("=*#+<>~_-")
"""With these a ruled heading begins."""
_MARK: Final = r"[=*#+<>~_-]{2,80}"
_RULED = re.compile(rf"{_MARK}[ \t\[(]|\S.*[ \t\])]{_MARK}$")
_EDGES: Final = "=*#+<>~-[](){},;|:@"
_NAME: Final = r"[A-Za-z][\w.-]{0,126}"
_IS_NAME = re.compile(rf"{_NAME}(?<![.-])$")
_BEFORE: Final = r"(?:^|[\s(\[,;|])"
_BEHIND: Final = r"(?=$|[\s)\],;|:])"
_LABEL: Final = r"(?:(?:host(?:name)?|node|server|machine)[ \t]{0,3}[:=]?|@)[ \t]{0,3}"
_LABELLED = re.compile(rf"{_BEFORE}{_LABEL}(?P<name>{_NAME}){_BEHIND}", re.IGNORECASE)
_PLACED = re.compile(rf"{_BEFORE}(?:on|from|at)[ \t]{{1,3}}(?P<name>{_NAME}){_BEHIND}", re.IGNORECASE)
_SMALL: Final = frozenset(
    """
    at begin captured clock collected date end from host hostname machine node now of on sample server start started
    taken time timestamp utc
    """.split()
)
_CLOCK = re.compile(r"(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?![\w:])")
_TO_THE_MINUTE = re.compile(r"(?<=\d[ T_,])(?:(?<=,) )?\d{1,2}:\d\d(?!\d|[:.]\d)")
"""A time of day behind a date, without seconds."""
_SHORTEST = re.compile(r"[a-oqrsuw-z]\d{1,4}$")
"""A letter and a number, as small clusters name their nodes; ``p3`` and ``t2`` are parts and times."""
_EPOCH = re.compile(r"(?<![\w:.])1\d{9}(?![\w:.])")


class Heading(NamedTuple):
    """The moment of a heading and the node beside it, where that is told."""

    instant: Instant
    node: str | None


def ruled_moment(text: str) -> Heading | None:
    """What a heading between marks tells: a moment, and a node where one word can only be that."""
    if len(text) > LONGEST or _RULED.match(text) is None or (found := _moment(text)) is None:
        return None
    instant, around = found
    words = _words(around)
    if len(words) > MOST_WORDS:
        return None
    for pattern in (_LABELLED, _PLACED):
        names = {match["name"] for match in pattern.finditer(around) if _can_be_host(match["name"])}
        if len(names) == 1:
            return Heading(instant, names.pop())
    if len(words) == 1:
        hosts = [word for word in words if may_be_host(word) or _SHORTEST.match(word)]
    else:
        hosts = [word for word in words if _IS_NAME.match(word) and looks_like_host(word)]
    return Heading(instant, hosts[0] if len(hosts) == 1 else None)


def plain_moment(text: str) -> Heading | None:
    """What a line of a date and a name tells, and of nothing else but words such as ``Time:`` and ``Node:``."""
    if len(text) > LONGEST or (found := find_instant(text)) is None:
        return None
    instant, start, end = found
    around = f"{text[:start]} {text[end:]}"
    words = _words(around)
    if 1 < len(words) <= MOST_WORDS_PLAIN and (placed := _PLACED.search(around)) is not None:
        return Heading(instant, placed["name"]) if may_be_host(placed["name"]) else None
    if len(words) != 1:
        return None
    labelled = _LABELLED.search(around)
    is_labelled = labelled is not None and labelled["name"] == words[0] and _can_be_host(words[0])
    return Heading(instant, words[0]) if is_labelled or may_be_host(words[0]) else None


def may_be_host(word: str) -> bool:
    """Whether a word beside a date is a name with a number, and of no thing that is numbered."""
    if _IS_NAME.match(word) is None or is_word_of_tools(word):
        return False
    label = word.split(".", 1)[0]
    is_numbered = any(sign.isdigit() for sign in label) and sum(sign.isalpha() for sign in label) > 1
    return looks_like_host(word) or (is_numbered and not is_thing(word))


def _can_be_host(word: str) -> bool:
    """The same for a word behind one for a place: any name but one of tools, things or times."""
    return (
        _IS_NAME.match(word) is not None
        and not is_word_of_tools(word)
        and not is_thing(word)
        and word.lower() not in _SMALL
        and looks_like_host(f"{word.split('.', 1)[0]}.host.name")
    )


def _words(around: str) -> list[str]:
    return [word for raw in around.split() if (word := raw.strip(_EDGES)) and word.lower() not in _SMALL]


_SHORT_YEAR = re.compile(r"(?<![\w.])(?P<day>[0-3]?\d\.[01]?\d\.)(?P<year>\d\d)(?=,?[ \t]{1,3}\d{1,2}:\d\d(?!\d))")


def _moment(text: str) -> tuple[Instant, str] | None:
    """The moment in a heading between marks and the text around it: a date, a time of day, or seconds since 1970."""
    text = _SHORT_YEAR.sub(r"\g<day>20\g<year>", text)
    if (found := find_instant(text)) is not None:
        instant, start, end = found
    elif (clock := _CLOCK.search(text)) is not None and (us := time_of_day(clock[0])) is not None:
        instant, start, end = Instant(us), clock.start(), clock.end()
    elif (minute := _TO_THE_MINUTE.search(text)) and (
        found := find_instant(f"{text[: minute.end()]}:00{text[minute.end() :]}")
    ) is not None:
        instant, start, end = found[0], found[1], found[2] - len(":00")
    elif (epoch := _EPOCH.search(text)) is not None:
        instant, start, end = Instant(int(epoch[0]) * 1_000_000, 0), epoch.start(), epoch.end()
    else:
        return None
    return instant, f"{text[:start]} {text[end:]}"
