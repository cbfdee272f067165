"""Dates as ``date`` prints them in other languages than English, written out, with dots, or run together.

Di 9. Mär 14:20:03 CET 2027        mar. 09 mars 2027 14:20:03 CET        martes, 9 de marzo de 2027, 14:20:03 CET
ti 9.3.2027 14.20.03 EET           2027. márc.  9., kedd, 14:20:03 CET    2027年3月9日 14時20分03秒
09.03.2027 14:20:03                2027年  3月  9日 火曜日 14:20:03 JST    Tuesday, March 9, 2027 02:20:03 PM CET
20270309-142003                    2027. 03. 09. (화) 14:20:03 KST         mardi 9 mars 2027, 14:20:03 (UTC+0100)
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

_MONTHS: Final = (
    "jan january januar janv janvier ene enero gen gennaio janeiro januari sty stycznia янв января"
    " led leden ledna ian ianuarie oca ocak tammi tammikuu tammikuuta jaan jaanuar ιαν ιανουαρίου яну січ січня",
    "feb february februar févr fevr février fev fevereiro febrero febbraio februari lut lutego фев февраля"
    " úno únor února şub şubat helmi helmikuu helmikuuta veebr veebruar februarie φεβ φεβρουαρίου лют лютого",
    "mar march mär märz maerz mrz mars marzo março mrt maart marca мар марта"
    " bře březen března martie märts márc március maalis maaliskuu maaliskuuta μαρ μαρτίου бер березня",
    "apr april avr avril abr abril aprile kwi kwietnia апр апреля"
    " dub duben dubna aprilie nis nisan huhti huhtikuu huhtikuuta ápr április aprill απρ απριλίου кві квітня",
    "may mai mayo mag maggio maio mei maj maja май мая"
    " kvě květen května mayıs touko toukokuu toukokuuta máj május maig μαΐ μαΐου тра травня",
    "jun june juni juin junio giu giugno junho cze czerwca июн июня"
    " čvn červen června iunie haz haziran kesä kesäkuu kesäkuuta jún június juuni juny ιουν ιουνίου юни чер червня",
    "jul july juli juil juillet julio lug luglio julho lip lipca июл июля"
    " čvc červenec července iulie tem temmuz heinä heinäkuu heinäkuuta júl július juuli ιουλ ιουλίου юли лип липня",
    "aug august août aout ago agosto augustus sie sierpnia авг августа"
    " srp srpen srpna ağu ağustos elo elokuu elokuuta augusztus αυγ αυγούστου сер серпня",
    "sep sept september septembre septiembre set settembre setembro wrz września сен сентября"
    " zář září eyl eylül syys syyskuu syyskuuta szept szeptember σεπ σεπτεμβρίου вер вересня",
    "oct october okt oktober octobre octubre ott ottobre out outubro paź października окт октября"
    " říj říjen října eki ekim loka lokakuu lokakuuta október οκτ οκτωβρίου жов жовтня",
    "nov november novembre noviembre novembro lis listopada ноя ноября"
    " noiembrie kas kasım marras marraskuu marraskuuta νοε νοεμβρίου ное",
    "dec december dez dezember déc décembre dic diciembre dicembre dezembro gru grudnia дек декабря"
    " pro prosinec prosince ara aralık joulu joulukuu joulukuuta dets detsember des desember δεκ δεκεμβρίου гру грудня",
)
_MONTH: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_HAS_CLOCK: Final = re.compile(r"\d(?::\d\d:|\.\d\d\.|時\d\d分)\d\d(?!\.\d)")
_OTHER_CLOCK: Final = re.compile(r"\d[.時]\d\d[.分]\d\d(?![.\d])")
"""Of hosts whose clocks have no colons."""
_TO_COLONS: Final = str.maketrans(".時分", ":::")
_BEFORE_CLOCK: Final = 48
_WORDS: Final = re.compile(r"[^\W\d_]{3,12}")
_LETTER: Final = r"[^\W\d_]"
_DAY_NAME: Final = rf"(?:{_LETTER}{{2,12}}\.?,? {{1,3}})?"
_CLOCK: Final = (
    r"(?:klo )?(?P<clock>\d{1,2}(?::\d\d:|\.\d\d\.|時\d\d分)\d\d)秒?"
    r"(?:[.,](?P<fraction>\d{1,9}))?(?: (?P<half>[AP]M))?(?:,? "
    r"(?:(?P<zone>[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)|\(UTC(?P<boxed>[+-]\d\d:?\d\d)\)))?(?: (?P<after>\d{4}))?(?![\w:])"
)
_DAY: Final = (
    rf"(?:(?P<day>\d{{1,2}})\.? {{1,3}}(?:de )?(?P<month>{_LETTER}{{3,12}})|(?P<month2>{_LETTER}{{3,12}})\.? "
    r"{1,3}(?P<day2>\d{1,2}))"
)
_WRITTEN: Final = re.compile(rf"(?<!\w){_DAY_NAME}{_DAY}\.?(?:,?(?: de)? (?P<year>\d{{4}}))?,? {{1,3}}{_CLOCK}")
_YEAR_FIRST: Final = re.compile(
    rf"(?<!\w)(?P<year>\d{{4}})\. {{1,3}}(?P<month>{_LETTER}{{3,12}})\.? {{1,3}}(?P<day>\d{{1,2}})\.,? {{1,3}}"
    rf"(?:{_LETTER}{{3,12}},? {{1,3}})?{_CLOCK}"
)
_DOTTED: Final = re.compile(
    rf"(?<![\w.])(?:{_LETTER}{{2}},? {{1,3}})?"
    rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}),? {{1,3}}{_CLOCK}"
)
_SIGNS: Final = re.compile(
    r"(?P<year>\d{4})[年년.] {0,3}(?P<month>\d{1,2})[月월.] {0,3}(?P<day>\d{1,2})[日일.] {0,3}"
    rf"(?:\(?{_LETTER}{{1,4}}\)? {{0,3}})?{_CLOCK}"
)
_SIGN_DAY: Final = re.compile(rf"(?P<month>\d{{1,2}})\s?[月월] {{1,3}}(?P<day>\d{{1,2}})[日일]? {{1,3}}{_CLOCK}")
_JOINED: Final = re.compile(
    r"(?<![\w.])(20\d\d)([01]\d)([0-3]\d)[-_T]([0-2]\d)([0-5]\d)([0-6]\d)(?P<zone>Z|[+-]\d{4})?(?![\w.])"
)


class LocalDate(NamedTuple):
    """The parts of a date as printed. ``clock``: HH:MM:SS; ``half``: AM or PM."""

    year: int
    month: int
    day: int
    clock: str
    fraction: str | None
    half: str | None
    zone: str | None
    start: int
    end: int


def month_number(name: str) -> int | None:
    """The month of a name, whole or short, in the languages above; of ``3月`` its figure."""
    word = name.lower().rstrip(".")
    if word[-1:] in ("月", "월") and word[:-1].isdigit():
        return int(word[:-1])
    return _MONTH.get(word)


def is_joined(text: str) -> bool:
    """Whether a date stands in a text as digits only."""
    return _JOINED.search(text) is not None


def has_other_clock(text: str) -> bool:
    """Whether a clock without colons stands in a text."""
    return _OTHER_CLOCK.search(text) is not None


def find_local(text: str) -> LocalDate | None:
    """The first such date in a text; None also where its year is not told."""
    if match := _JOINED.search(text):
        year, month, day, *time = match.groups()[:6]
        return LocalDate(
            int(year), int(month), int(day), ":".join(time), None, None, match["zone"], match.start(), match.end()
        )
    clock = _HAS_CLOCK.search(text)
    if clock is None:
        return None
    begin = max(0, clock.start() - _BEFORE_CLOCK)
    match = _DOTTED.search(text, begin) or _SIGNS.search(text, begin) or _SIGN_DAY.search(text, begin)
    if match is None and any(word in _MONTH for word in _WORDS.findall(text[begin : clock.start()].lower())):
        match = _YEAR_FIRST.search(text, begin) or _WRITTEN.search(text, begin)
    if match is None:
        return None
    found: dict[str, Any] = {"year": None, "month2": None, "day2": None} | match.groupdict()
    month, day = found["month"] or found["month2"], found["day"] or found["day2"]
    number = int(month) if month.isdigit() else _MONTH.get(month.lower(), 0)
    year = found["year"] or found["after"]
    if not number or not year:
        return None
    return LocalDate(
        int(year),
        number,
        int(day),
        found["clock"].translate(_TO_COLONS),
        found["fraction"],
        found["half"],
        found["zone"] or found["boxed"],
        match.start(),
        match.end(),
    )
