"""Figures and stamps of messages as programs print them in other languages, made English before a parser sees them;
clocks and means of rows of ``sar``;
and hosts as relays of system logs chain them.

    46,5    1.234,5    1,234,567    1'234            Mär  9 14:20:03    mars 09 14:20:03    [四 2月 13 06:41:07 2025]
    Mar  9 14:20:03 src@cod3/relay1 sshd[81]:        Mar  9 14:20:03 cod3/cod3 sshd[81]:          the host is cod3

A stamp is known by a name of a month in front of a day and a clock. Whether a comma divides a figure or a list (``nodes
1,2``) no line tells: the text is read with it and without it around its first such lines, and what reads better stands
for all of it. Columns keep their places. The customer's own line stays as it is for those who look it up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Final, Literal, NamedTuple

from parsers.layouts.broken_stretch import is_known
from parsers.layouts.comments import FIRST
from parsers.reading import ReadResult
from parsers.text import make_line
from parsers.times.local_dates import month_number

Figures = Literal["plain", "decimal comma", "thousands"]

ENGLISH: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOST_STRETCHES: Final = 4
"""Places of a text at which its figures are tried."""
MOST_STAMPS: Final = 2_000
"""Stamps of a text that are looked at for the name of a month."""
ABOVE: Final = 24
"""Lines above a figure that may hold the heading of its table."""
BELOW: Final = 40
_DAYS: Final = {
    day: english
    for english, days in {
        "Mon": "mo lun seg ma pon пн 一 月 월",
        "Tue": "di mar ter wt вт 二 火 화",
        "Wed": "mi mer mié qua wo śr ср 三 水 수",
        "Thu": "do jeu jue qui gio czw чт 四 木 목",
        "Fri": "fr ven vie sex vr pt пт 五 金 금",
        "Sat": "sa sam sáb sab za sob сб 六 土 토",
        "Sun": "so dim dom zo nie ndz вс 日 일",
    }.items()
    for day in days.split()
}
_STAMP: Final = re.compile(
    r"(?<!\w)(?:(?P<weekday>[^\W\d_]{1,4})\.?,? {1,3})?(?P<month>[^\W\d_]{2,12}\.?|\d{1,2}[月월]) {1,3}"
    r"(?P<day>\d{1,2})[日일]?,?(?P<blanks> {1,3})(?=\d{1,2}:\d\d)"
)
_CLOCK: Final = re.compile(r":(?:(?<= \d:)|(?<= \d\d:))\d\d")
"""What every clock behind a blank holds; a letter that is always there is found soonest."""
_DAY_BEFORE: Final = re.compile(r"\d[日일]?,? {1,3}\Z")
"""The end of a stamp, in front of a clock."""
_LONGEST_DAY_END: Final = 6
SHORTEST_CLOCK: Final = len("14:20")
MOST_OF_STAMP: Final = 40
"""Letters in front of the last digit of a day."""
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,62}"
_SOURCE: Final = r"(?:s_\w{1,16}|[a-z]{0,8}_?(?:src|source|local|net|udp|tcp|sys|log|kern|internal))"
"""Names that people give to where the log of a host comes from; ``root@cod3`` is an account."""
_CHAIN: Final = re.compile(
    r"(?:(?<=\d\d:\d\d:\d\d )|(?<=:\d\dZ )|(?<=[+-]\d\d:\d\d )|(?<=:\d\d\.\d{3} )|(?<=:\d\d\.\d{6} )|(?<=\d{3}Z ))"
    rf"(?:{_SOURCE}@(?P<first>{_NAME})(?:/{_NAME}){{0,6}}"
    rf"|(?:[\w.-]{{1,64}}@)?(?P<host>{_NAME})(?:/{_NAME}){{1,6}})(?= {{1,3}}[A-Za-z(/])"
)
"""Where a message came from, and through whom: ``chain_hostnames`` of syslog-ng."""
_BEFORE_CHAIN: Final = (
    re.compile(r":\d\d(?:\.\d{3}(?:\d{3})?)?Z? (?=[\w.-]{1,64}[@/])"),
    re.compile(r"Z (?<=\d{3}Z )(?=[\w.-]{1,64}[@/])"),
)
"""What is in front of each, found sooner."""
_BEGIN: Final = r"(?<![^\s=(|~<>+\[-])"
_END: Final = r"(?=[%A-Za-z]{0,4}[\])|;,]?(?:\s|$))"
_DECIMAL: Final = re.compile(rf"{_BEGIN}(?P<whole>\d{{1,15}}|\d{{1,3}}(?:\.\d{{3}}){{1,4}}),(?P<part>\d{{1,9}}){_END}")
_THOUSANDS: Final = re.compile(rf"{_BEGIN}\d{{1,3}}(?:[,'’]\d{{3}}){{1,5}}(?:\.\d{{1,9}})?{_END}")
_DOTTED: Final = re.compile(rf"{_BEGIN}\d{{1,15}}\.\d{{1,9}}{_END}")
_MAY_BE_FIGURE: Final = re.compile(rf"[,'’](?<=\d.)\d{{1,9}}(?:\.\d{{1,9}})?{_END}")
"""With what every figure of another language ends, found sooner."""
_FORMS: Final[dict[Figures, re.Pattern[str]]] = {"decimal comma": _DECIMAL, "thousands": _THOUSANDS}
_SIGNS: Final[dict[Figures, str]] = {"decimal comma": ",", "thousands": ",'’"}
Trial = Callable[[str], ReadResult]


_SIGNS_OF_CLOCK: Final = re.compile(
    r"^(?:(?P<half>上午|下午|午前|午後|오전|오후) ?)?"
    r"(?P<hour>\d{1,2})[时時시] ?(?P<minute>\d{1,2})[分분] ?(?P<second>\d{1,2})[秒초](?=\s)",
    re.MULTILINE,
)
"""In front of a row of ``sar``."""
_SECOND_HALF: Final = frozenset(("下午", "午後", "오후"))
_DAY_OF_TABLE: Final = re.compile(
    r"(?<=\))[ \t]{1,16}(?P<year>\d{4})[年년] ?(?P<month>\d{1,2})[月월] ?(?P<day>\d{1,2})[日일](?=\s)"
)
_MEANS: Final = re.compile(
    r"^(?:Durchschn(?:itt)?\.?|Moyenne|Media|Média|Среднее|Średnia|平均(?:时间|時間|値|值)?|평균(?:값)?"
    r"|Gemiddeld|Genomsnitt|Průměr) ?:(?=\s)",
    re.MULTILINE,
)
"""What ``sar`` calls the mean of its rows."""
_OF_SAR: Final = re.compile(rf"{_SIGNS_OF_CLOCK.pattern}|{_MEANS.pattern}", re.MULTILINE)


class LocalForms(NamedTuple):
    """How a text prints what differs between languages."""

    figures: Figures = "plain"
    has_stamps: bool = False
    has_chains: bool = False
    has_rows: bool = False

    def english(self, text: str) -> str:
        """A line with figures and stamps as English programs print them."""
        if self.has_stamps and ":" in text:
            text = _STAMP.sub(_stamp, text)
        if self.has_chains and ("/" in text or "@" in text):
            text = _CHAIN.sub(_first_of, text, 1)
        if self.has_rows:
            text = _MEANS.sub("Average:", _SIGNS_OF_CLOCK.sub(_clock, _DAY_OF_TABLE.sub(_day, text)))
        if self.figures != "plain" and any(sign in text for sign in _SIGNS[self.figures]):
            text = _FORMS[self.figures].sub(_figure, text)
        return text


ALL_ENGLISH: Final = LocalForms()


def forms_of(opening: str, trial: Trial | None) -> LocalForms:
    """By the beginning of a text. trial: reads some lines and says what came of it; without it no comma is a sign of
    decimals.
    """
    stamps = {stamp[0]: stamp for stamp in islice(_stamps(opening), MOST_STAMPS)}
    has_stamps = any(_stamp(stamp) != text for text, stamp in stamps.items())
    places = (before.end() for pattern in _BEFORE_CHAIN for before in pattern.finditer(opening))
    has_chains = any(_CHAIN.match(opening, place) for place in places)
    has_rows = "Linux " in opening and _OF_SAR.search(opening) is not None
    return LocalForms(_figures(opening, trial) if trial is not None else "plain", has_stamps, has_chains, has_rows)


def _clock(match: re.Match[str]) -> str:
    """Of a day of 24 hours."""
    hour = int(match["hour"]) % 12 + 12 * (match["half"] in _SECOND_HALF) if match["half"] else int(match["hour"])
    return f"{hour:02}:{int(match['minute']):02}:{int(match['second']):02}"


def _day(match: re.Match[str]) -> str:
    return f" {match['year']}-{int(match['month']):02}-{int(match['day']):02}"


def _first_of(chain: re.Match[str]) -> str:
    return chain["first"] or chain["host"]


def _stamps(text: str) -> Iterator[re.Match[str]]:
    """What stands in front of the clocks of a text: they are found sooner than the words in front of them, and many
    lines begin with the same ones.
    """
    above = 0
    known: dict[str, re.Match[str] | None] = {}
    for day, clock in _days(text):
        begin, end = max(above, day - MOST_OF_STAMP), clock + SHORTEST_CLOCK
        line = text.rfind("\n", begin, day) + 1
        if line and (front := text[line:end]) not in known:
            known[front] = _STAMP.match(front)
        if line and (found := known[front]) is not None:
            above = line + found.end()
            yield found
        elif (found := _STAMP.search(text, begin, end)) is not None:
            above = found.end()
            yield found


def _days(text: str) -> Iterator[tuple[int, int]]:
    """Where the last figure of a day stands behind a name or a sign of a month, and where the clock behind it."""
    for colon in _CLOCK.finditer(text):
        clock = colon.start() - 1 if text[colon.start() - 2] == " " else colon.start() - 2
        front = text[max(0, clock - _LONGEST_DAY_END) : clock]
        if (found := _DAY_BEFORE.search(front)) is None:
            continue
        day = clock - len(front) + found.start()
        at = day - 1 if text[day - 1 : day].isdigit() else day
        if text[at - 1 : at] == " ":
            yield day, clock


def _figures(opening: str, trial: Trial) -> Figures:
    better: Figures = "plain"
    won: dict[Figures, int] = {}
    for stretch in _stretches(opening):
        plain: ReadResult | None = None
        for form in _worth_a_trial(stretch):
            changed = LocalForms(form).english(stretch)
            if changed != stretch and _has_reader(stretch, changed):
                plain = plain or trial(stretch)
                won[form] = won.get(form, 0) + _gain(trial(changed), plain)
    best = max(won, key=lambda form: won[form], default=better)
    return best if won.get(best, 0) > 0 else better


def _has_reader(stretch: str, changed: str) -> bool:
    """Whether anybody may read a line of a stretch, with its figures changed or as they stand: of a list that nobody
    reads, such as one of open files with the numbers of their devices, nothing is won.
    """
    lines = stretch.split("\n")
    others = (other for line, other in zip(lines, changed.split("\n"), strict=False) if other != line)
    return any(map(_may_be_read, chain(lines, others)))


def _may_be_read(text: str) -> bool:
    line = make_line(0, text.encode("utf-8", "replace"))
    return line.text[:1] in FIRST or is_known(line.text, line.raw)


def _worth_a_trial(stretch: str) -> Iterator[Figures]:
    """Where points divide most figures, a comma does not."""
    commas, points = len(_DECIMAL.findall(stretch)), len(_DOTTED.findall(stretch))
    yield from (form for form in _FORMS if form != "decimal comma" or commas > points)


def _gain(changed: ReadResult, plain: ReadResult) -> int:
    """Records won, or lines lost: what reads fewer lines is no better for more records."""
    lines = plain.not_understood - changed.not_understood
    return min(lines, changed.records - plain.records) if lines < 0 else lines + changed.records - plain.records


def _stretches(opening: str) -> Iterator[str]:
    """Lines around the first figures that may be local ones."""
    lines = opening.split("\n")
    at = number = 0
    while at < len(lines) and number < MOST_STRETCHES:
        line = lines[at]
        may_be = ("," in line or "'" in line or "’" in line) and _MAY_BE_FIGURE.search(line) is not None
        if may_be and (_DECIMAL.search(line) or _THOUSANDS.search(line)):
            yield "\n".join(lines[max(0, at - ABOVE) : at + BELOW]) + "\n"
            at, number = at + BELOW, number + 1
        else:
            at += 1


def _figure(match: re.Match[str]) -> str:
    """The same width: columns keep their places."""
    text = match[0]
    plain = f"{match['whole'].replace('.', '')}.{match['part']}" if "part" in match.re.groupindex else _joined(text)
    return plain.rjust(len(text))


def _joined(text: str) -> str:
    return text.replace(",", "").replace("'", "").replace("’", "")


def _stamp(match: re.Match[str]) -> str:
    number = month_number(match["month"])
    if number is None:
        return match[0]
    weekday = match["weekday"] or ""
    if match["month"] in ENGLISH and weekday.lower() not in _DAYS:
        return match[0]
    day = _DAYS.get(weekday.lower(), weekday)
    return f"{day + ' ' if day else ''}{ENGLISH[number - 1]} {match['day']:>2}{match['blanks']}"
