"""Figures in a sentence of a person: a number or a range of two, with its unit as understood.

    about 5000 locks/second      20-28 hours      1.8-2.5 million files      two and a half times faster      2Mio files

A number without a unit is none of these: dates, versions, telephone and article numbers stay out. Figures stay as they
are stated ("5 Minutes" gives 5 min); sizes keep the letters of the text (``1Tb``, ``120kb/s``), whose meaning is the
writer's secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Figure(NamedTuple):
    """``value`` to ``high`` (None for a single figure); where it stands in the sentence."""

    value: float
    high: float | None
    unit: str
    start: int
    end: int


_WORDS: Final = {
    "half": 0.5, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100,
}  # fmt: skip
_SCALES: Final = {
    "thousand": 1e3,
    "million": 1e6,
    "millions": 1e6,
    "mio": 1e6,
    "mio.": 1e6,
    "mill.": 1e6,
    "billion": 1e9,
    "k": 1e3,
}
_TIMES: Final = {
    "second": "s", "sec": "s", "s": "s", "minute": "min", "min": "min", "mins": "min", "hour": "h", "hr": "h",
    "h": "h", "day": "d",
    "week": "weeks", "month": "months", "ms": "ms", "msec": "ms", "millisecond": "ms", "us": "us", "usec": "us",
    "microsecond": "us",
    "sekunde": "s", "sekunden": "s", "minuten": "min", "stunde": "h", "stunden": "h",
}  # fmt: skip
_SIZES: Final = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T"}
_THINGS: Final = (
    "files?|inodes?|nodes?|locks?|directories|directory|folders?|users?|file "
    "?systems?|disks?|luns?|servers?|clients?|cards?|cpus?|cores?|process(?:es)?|threads?|mail(?:boxe)?s|"
    "rows?|switch(?:es)?|packets?|pkts|blocks?|messages?|msgs?|requests?|operations?|ops|iops|i/os|ios|"
    "transactions?|lookups?|grants?|revokes?|pulls?|glocks?|entries|records?|clusters?|connections?|"
    "retransmits?|waiters?|extents?|snapshots?|filesets?|jobs?|mounts?|times"
)
_NUMBER: Final = (
    r"\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,6})?|\d{1,3}(?:[ "
    r"\u202f]\d{3}){1,3}(?![.\d])|\d{1,15}(?:\.\d{1,9})?(?![.\d])|\d{1,9},\d{1,3}(?!\d)"
)
_WORD_NUMBER: Final = "|".join(_WORDS)
_TO: Final = r" ?(?:-|\u2013|\u2014) ?| (?:to|bis|or) "
_PER: Final = (
    r"(?:ps\b| ?/ ?s(?:ec(?:ond)?s?)?\b| (?:per|a|pro) (?:second|sec\b|s\b|sekunde)| ?/ "
    r"?(?:min(?:ute)?|h(?:our)?)\b| per (?:minute|hour))"
)
_SPOKEN: Final = r"(?:kilo|mega|giga|tera)(?:bytes?|bits?)|bytes?|bits?"
_UNIT: Final = (
    (
        r"(?P<percent> ?%| ?per ?cent\b| ?percent\b| ?pct\b| ?prozent\b)|(?P<times> ?x\b| times\b| ?fold\b| "
        r"?-fold\b)(?= ?(?:(?:as )?(?:fast|slow|long|much|many|more|less|quick|better|worse|high|low|larg"
        r"|small)|$|[.,;)]| the\b| as\b))|[ "
        r"-]?(?P<time>(?:milli|micro)?seconds?|m?secs?|usecs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?"
        r"|months?|ms|us|s|sekunden?|minuten?|stunden?)\b|[ -]?(?P<size>(?:[KkMmGgTt]i?)?[Bb]|"
    )
    + _SPOKEN
    + r")(?P<rate>"
    + _PER
    + r")?(?![A-Za-z])"
    r"|(?P<bare>[KkMmGgTt])(?= (?:chunks?|blocks?|pieces?|reads?|writes?|files?)\b)"
    r"|(?P<packets> ?pps\b)|(?P<io> ?iops\b)"
    r"|(?: (?!(?:in|of|on|at|by|to|is|are|and|or|the|for|per|with|from|than|when|where)\b)[A-Za-z][\w-]{0,20}){0,2}"
    r" (?P<thing>" + _THINGS + r")(?P<often>" + _PER + r")?(?![\w])"
)
_FIGURE: Final = re.compile(
    r"(?<![\w.,/:+*-])(?P<about>[~<>=(\"'\u2248]{0,3})"
    r"(?:(?P<low>"
    + _NUMBER
    + r")(?P<first> ?(?:million|mio|thousand|k)\b)?(?:(?:"
    + _TO
    + r")(?P<high>"
    + _NUMBER
    + r"))?"
    r"|(?P<word>" + _WORD_NUMBER + r")(?P<half> and a half)?)"
    r"(?P<scale> ?(?:million|mio\.?|mill\.|billion|thousand)\b\.?)?"
    r"(?P<sized> ?\d{1,4}[KMGT]i?b)?"
    r"(?:" + _UNIT + r")",
    re.IGNORECASE,
)
_FACTOR: Final = re.compile(
    r"\bfactor (?:of )?(?:about |~)?(?P<low>\d{1,6}(?:\.\d{1,4})?|" + _WORD_NUMBER + r")\b(?![./])", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\b(?P<how>single|double) digits?\b", re.IGNORECASE)


def figures(sentence: str) -> list[Figure]:
    """All figures of a sentence in their order; overlapping readings count once."""
    found = [*_measured(sentence), *_factors(sentence)]
    found.sort(key=lambda figure: figure.start)
    return [*found, *_digits(sentence, found)]


def number(text: str) -> float:
    """``10,000`` is ten thousand, ``2,5`` two and a half."""
    text = text.replace(" ", "").replace("\u202f", "")
    whole, comma, rest = text.partition(",")
    if comma and not (len(rest.split(".")[0].split(",")[0]) == 3 and len(whole) <= 3):
        return float(f"{whole}.{rest}")
    return float(text.replace(",", ""))


def _measured(sentence: str) -> Iterator[Figure]:
    end = 0
    for match in _FIGURE.finditer(sentence):
        if match.start() < end:
            continue
        if (figure := _figure(match)) is not None:
            yield figure
            yield from _sized(match)
            end = figure.end


def _figure(match: re.Match[str]) -> Figure | None:
    unit = _unit(match)
    if match["word"] is not None:
        value = _WORDS[match["word"].lower()] + (0.5 if match["half"] else 0)
        if value <= 1 and match["thing"] is not None:
            return None  # "one of the nodes" counts nothing
        return Figure(value * _scale(match["scale"]), None, unit, match.start(), match.end())
    scale = _scale(match["scale"])
    low = number(match["low"]) * (_scale(match["first"]) if match["first"] else scale)
    high = number(match["high"]) * scale if match["high"] else None
    if high is not None and high < low:
        return None  # no range: "2011-02"
    return Figure(low, high, unit, match.start() + len(match["about"]), match.end())


def _sized(match: re.Match[str]) -> Iterator[Figure]:
    """``90 1Tb filesystems`` states the size of each too."""
    if match["sized"]:
        text = match["sized"].strip()
        digits = re.match(r"\d{1,4}", text)
        if digits:
            yield Figure(float(digits[0]), None, text[digits.end() :], match.start("sized"), match.end("sized"))


def _scale(text: str | None) -> float:
    return _SCALES.get(text.strip().lower(), 1.0) if text else 1.0


def _unit(match: re.Match[str]) -> str:
    if match["percent"]:
        return "%"
    if match["times"]:
        return "times"
    if match["time"]:
        word = match["time"].lower()
        return _TIMES.get(word) or _TIMES[word.removesuffix("s")]
    if match["packets"] or match["io"]:
        return "packets/s" if match["packets"] else "operations/s"
    if match["bare"]:
        return match["bare"]
    if match["size"]:
        return _size(match["size"]) + _per(match["rate"])
    return _plural(match["thing"].lower()) + _per(match["often"])


def _size(text: str) -> str:
    word = text.lower()
    for spoken, letter in _SIZES.items():
        if word.startswith(spoken):
            return letter + ("bit" if "bit" in word else "B")
    return "B" if word.startswith("byte") else "bit" if word.startswith("bit") else text


def _plural(thing: str) -> str:
    plain = {"file system": "filesystems", "file systems": "filesystems", "filesystem": "filesystems",
    "directory": "directories",
             "process": "processes", "switch": "switches", "pkts": "packets", "msg": "messages", "msgs": "messages",
             "ops": "operations",
             "iops": "operations", "i/os": "operations", "ios": "operations"}  # fmt: skip
    return plain.get(thing) or (thing if thing.endswith("s") else f"{thing}s")


def _per(text: str | None) -> str:
    if not text:
        return ""
    word = text.strip().lower().lstrip("/ ")
    return "/min" if "min" in word else "/h" if "hour" in word or word == "h" else "/s"


def _factors(sentence: str) -> Iterator[Figure]:
    for match in _FACTOR.finditer(sentence):
        text = match["low"].lower()
        yield Figure(_WORDS.get(text) or float(text), None, "times", match.start(), match.end())


def _digits(sentence: str, found: list[Figure]) -> Iterator[Figure]:
    """``falling off to single digits``: of what was counted before."""
    for match in _DIGITS.finditer(sentence):
        before = [figure for figure in found if figure.end <= match.start() and "/" in figure.unit]
        low, high = (1.0, 9.0) if match["how"].lower() == "single" else (10.0, 99.0)
        if before:
            yield Figure(low, high, before[-1].unit, match.start(), match.end())
