"""What messages mean: one catalogue for all logs and products, as data. ``find`` tells what a message says,
``meanings`` what each kind is.

The rows stand in ``parsers/messages/*.toml``. A row of ``[[message]]`` names the ``kind`` of a message and how it is
known: by one of its ``codes``, or by a ``pattern`` that is searched in the text (``^`` where it must begin there),
among the messages of its ``group`` (the log or the sort of program that wrote it). A row with codes, a pattern and a
group is known by its words under any code, for codes differ between releases. Codes are tried first, then the rows in
the order of the files. Groups of the pattern: ``about`` (or ``about2``) is what the message names, ``value`` its figure
in ``unit``, ``address`` with ``boxed`` or ``named`` a node, ``on`` the node on which it is, ``peer`` and
``peer2`` other nodes, ``link`` the link over which the node is reached that it is about. ``letters = true``: only where
the line itself says that it is a warning or worse. A code of one kind is known though its pattern does not fit, without
what it names; ``words = true``: not so. ``topic = true``: the pattern tells what a message is
about and no more, so that one whose words sound like trouble is not it.

``[kind.NAME]`` says once what a kind means: ``weight`` (everyday | notice | trouble | disaster), ``title`` (a clause
with the object as its subject; ``{about}`` is what the message names), ``meaning``, ``next`` (what to do, safe by
itself), ``commands``, ``loses`` (data | quorum | file system | node) where a disaster takes that with it, ``source``
and ``basis``; ``figure`` finds the figure where no row has one, in ``figure_unit``; ``figure_words``
closes the title with the largest figure, as ``{value}``; ``ended_by`` lists the kinds that say that it is over, on its
node or, with ``ended_anywhere = true``, on any (what a cluster moves), of the same thing or, with
``ended_unnamed = true``, of all; ``meant_by`` those that, logged of the same
thing within minutes, say that it was meant, unless there is one of ``not_meant_with``; ``brings`` those that follow
from it on the same node at that time, and are told with it; ``spared_by`` those that say that another copy serves
in place of the same disk, so that nothing is lost;
``begun_by`` those that say that its service starts, which brings it for a moment; ``noted = true``: over within a
minute it is told as a note, and counts from the second time on;
``stalls = true``: somebody stands still until it is over; ``until_ended = true``: it was done on purpose or happens
every day, and is an alarm only where nothing that follows ends it; ``requested = true``: somebody asked for it, so
that it weighs one step less; ``by_hand``: the pattern of what a line says where that is so; ``minor = true``: so it
does for what it is; ``meant_anywhere = true``: what says that it was meant may speak of another thing on the
node; ``fixed = true``: the level word of a line makes it no graver; ``by_level = true``: messages that no row knows,
by their level word alone; ``doubted = true``: no alarm, but no all-clear stands over it.
These keys may also stand in the row of a message: then they are of its kind.
``[words]`` of a file gives parts of patterns, which stand as @NAME@,
``[words_of_product]`` those of all files of its product; ``[programs]`` the group of the messages of a program in a
system log.

A message of no row is looked up among the entries of the site that are in force (``use_entries``), and has the weight
of its own level word (``level_weight``) where none fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from parsers.dataclass import dataclass
from parsers.messages.site_entries import Entries, Entry
from parsers.patterns import digits, needles
from parsers.patterns.digits import alike, shape_of, tells_digits
from parsers.patterns.fits import fit_of
from parsers.patterns.kept_start import compiled, digest_of, made_from, toml
from parsers.patterns.needles import Needles, needles_of

FOLDER: Final = Path(__file__).parent
Weight = Literal["", "everyday", "notice", "trouble", "disaster"]
WEIGHTS: Final[tuple[Weight, ...]] = get_args(Weight)
Basis = Literal["stated", "derived", "inferred", "proposed", "recalled"]
OVER_LINK: Final = " over link "
ANY_PROGRAM: Final = "any"
"""The group of what any program says whose own messages nobody knows."""
LOSSES: Final = ("", "data", "quorum", "file system", "node")
_ALARMS: Final = ("trouble", "disaster")
_PADDED: Final = re.compile(r"-0+(?=\d)")
"""Numbers of codes that some releases print in two or three digits."""
_ROW_KEYS: Final = frozenset(("kind", "group", "codes", "pattern", "unit", "letters", "words", "topic"))
_SHAPES_KEPT: Final = 16_384
_FREQUENT: Final = 16
"""Messages that differ in figures only, from which on it is worked out what their patterns say of all of them."""
_SHAPE: Final = 400
_DIGITS: Final = re.compile(r"\d+")
_BASES: Final = get_args(Basis)
_LISTS: Final = ("commands", "ended_by", "begun_by", "meant_by", "not_meant_with", "brings", "spared_by")
_NAME_OF_PART: Final = re.compile(r"@[A-Z]{2,20}@")


class Found(NamedTuple):
    """What a message says. ``alias``: a name and the address that stands beside it; ``peers``: other nodes that it
    names, parted by one blank; ``on``: the node on which is what it speaks of, where it says so.
    """

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""
    weight: Weight = ""
    alias: tuple[str, str] | None = None
    peers: str = ""
    on: str | None = None


Place = tuple[int, int]
"""Of letters in a text."""


class Layout(NamedTuple):
    """What messages that differ in their digits alone say: kind and weight, and where the rest stands in each."""

    kind: str
    about: Place | None
    link: Place | None
    value: Place | None
    unit: str
    weight: Weight
    alias: tuple[Place, Place] | None
    peers: Sequence[Place]
    on: Place | None

    def of(self, text: str) -> Found:
        """The same of one of them."""
        kind, about, link, value, unit, weight, alias, peers, on = self
        return Found(
            kind,
            None if about is None else _object_over(text[about[0] : about[1]], text, link),
            None if value is None else float(text[value[0] : value[1]].replace(",", ".")),
            unit,
            weight,
            None if alias is None else (text[alias[0][0] : alias[0][1]], text[alias[1][0] : alias[1][1]]),
            " ".join([text[begin:end] for begin, end in peers]) if peers else "",
            None if on is None else text[on[0] : on[1]],
        )


def _object_over(about: str, text: str, link: Place | None) -> str:
    return about if link is None else f"{about}{OVER_LINK}{text[link[0] : link[1]]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a kind of message means. ``basis``: how sure that is."""

    kind: str
    product: str
    weight: Weight
    title: str
    meaning: str = ""
    next: str = ""
    commands: tuple[str, ...] = ()
    loses: str = ""
    source: str = ""
    basis: Basis = "recalled"
    figure: str = ""
    figure_unit: str = ""
    figure_words: str = ""
    ended_by: tuple[str, ...] = ()
    ended_anywhere: bool = False
    ended_unnamed: bool = False
    begun_by: tuple[str, ...] = ()
    noted: bool = False
    meant_by: tuple[str, ...] = ()
    not_meant_with: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    spared_by: tuple[str, ...] = ()
    fixed: bool = False
    stalls: bool = False
    until_ended: bool = False
    requested: bool = False
    by_hand: str = ""
    minor: bool = False
    meant_anywhere: bool = False
    by_level: bool = False
    doubted: bool = False
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One way in which a kind of message is known. ``pattern``: empty where a code alone is enough.

    words: a code alone does not do. topic: the pattern tells only what a message is about.
    """

    kind: str
    pattern: str
    unit: str
    letters: bool
    words: bool = False
    topic: bool = False

    def search(self, text: str) -> re.Match[str] | None:
        """Where the pattern fits. It is compiled when a text first holds its letters: most patterns of the catalogue
        are of no use to a given text, and to compile them all would take longer than to read a small one.
        """
        return _compiled(self.pattern).search(text)


def _shape(text: str) -> str:
    """The beginning of a message without its digits. It is made for each line of a log, so without a pattern."""
    head = text[:_SHAPE]
    if head.isascii():
        return head.encode("ascii").translate(None, b"0123456789").decode("ascii")
    return _DIGITS.sub("", head)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return compiled(pattern)


@dataclass(slots=True)
class Catalogue:
    """All rows, as they are looked up."""

    meanings: dict[str, Meaning] = field(default_factory=dict)
    codes: dict[str, list[Row]] = field(default_factory=dict)
    groups: dict[str, list[Row]] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    needled: dict[str, list[tuple[Row, Needles, bool]]] = field(default_factory=dict)
    shapes: dict[tuple[str, str], _Candidates] = field(default_factory=dict)
    alike: dict[tuple[str, bytes], tuple[Row, ...]] = field(default_factory=dict)
    layouts: dict[tuple[str, bytes, bool], Layout | None] = field(default_factory=dict)
    """What all messages of a shape say; whether their level weighs anything is a part of it."""

    def layout_of(self, group: str, text: str, level: str) -> Layout | None:
        """What all messages that differ from this one in their digits alone say, where that is one row of the group
        whatever the digits are, and several came.
        """
        if not text.isascii() or len(text) > _SHAPE:
            return None
        shape = shape_of(text)
        key = (group, shape, level_weight(level) != "")
        if key not in self.layouts and (rows := self.alike.get((group, shape))) is not None:
            if len(self.layouts) >= _SHAPES_KEPT:
                self.layouts.clear()
            self.layouts[key] = _layout_of(rows, text, level)
        return self.layouts.get(key)

    def candidates(self, group: str, text: str) -> tuple[Row, ...]:
        """Rows of the group that may fit a text: those whose letters it holds, and of messages that come again and
        again only those that fit all of them, or may fit some. For messages that differ in figures only they are worked
        out once.
        """
        if text.isascii() and len(text) <= _SHAPE:
            key = (group, shape_of(text))
            if (found := self.alike.get(key)) is not None:
                return found
            holding = self._holding(group, text)
            if holding.lookups <= _FREQUENT:
                return holding.rows
            if len(self.alike) >= _SHAPES_KEPT:
                self.alike.clear()
            shape = key[1].decode("ascii")
            found = self.alike[key] = tuple(
                row
                for row, tells in zip(holding.rows, holding.telling, strict=True)
                if (fit_of(row.pattern, shape) != "none" if tells else row.search(shape) is not None)
            )
            return found
        return self._holding(group, text).rows

    def _holding(self, group: str, text: str) -> _Candidates:
        """Rows of the group whose letters the text holds. No row has digits among its letters; that letters stand
        together which digits divide makes for a row too many at worst.
        """
        shape = _shape(text)
        found = self.shapes.get((group, shape))
        if found is None:
            if len(self.shapes) >= _SHAPES_KEPT:
                self.shapes.clear()
            low = shape.lower()
            held = [
                (row, tells)
                for row, needles, tells in self._needled(group)
                if not needles or any(needle in low for needle in needles)
            ]
            found = _Candidates(tuple(row for row, _ in held), tuple(tells for _, tells in held))
            self.shapes[group, shape] = found
        found.lookups += 1
        return found

    def _needled(self, group: str) -> list[tuple[Row, Needles, bool]]:
        """Rows of the group, each with letters (lower case) without which it can't fit, none where it may fit anywhere,
        and whether it tells one digit from another.
        """
        found = self.needled.get(group)
        if found is None:
            rows = self.groups.get(group, ())
            patterns = [row.pattern for row in rows]
            own = (digest_of(str(needles.__file__)), digest_of(str(digits.__file__)))
            source = b"\0".join((*own, *(pattern.encode() for pattern in patterns)))
            made = made_from(source, lambda: [[needles_of(one), tells_digits(one)] for one in patterns])
            found = [(row, tuple(letters), tells) for row, (letters, tells) in zip(rows, made, strict=True)]
            self.needled[group] = found
        return found


@dataclass(slots=True)
class _Candidates:
    """Rows whose letters messages of one shape hold, whether each tells one digit from another, and how often they
    were asked for.
    """

    rows: tuple[Row, ...]
    telling: tuple[bool, ...]
    lookups: int = 0


@dataclass(slots=True)
class _InForce:
    """What is known now: the catalogue with the entries of the site."""

    entries: Entries
    meanings: Mapping[str, Meaning]
    programs: Mapping[str, str]
    names: frozenset[str]


def use_entries(entries: Entries) -> Entries:
    """Put the entries of a site in force for this process, in place of those before, which come back."""
    before, _held[:] = entries_in_force(), [_with(entries)]
    return before


@contextmanager
def judging_with(entries: Entries) -> Iterator[None]:
    """Within it these entries speak beside the catalogue, in place of those of the site; other threads go on with
    theirs.
    """
    token = _judging.set(_with(entries))
    try:
        yield
    finally:
        _judging.reset(token)


def entries_in_force() -> Entries:
    """The entries of the site."""
    return _in_force().entries


def _in_force() -> _InForce:
    if (judging := _judging.get()) is not None:
        return judging
    if not _held:
        _held.append(_with(Entries()))
    return _held[0]


_held: Final[list[_InForce]] = []
_judging: Final[ContextVar[_InForce | None]] = ContextVar("judging", default=None)


def _with(entries: Entries) -> _InForce:
    book = catalogue()
    meant = {one.kind: _meaning_of_entry(one) for one in entries.all}
    own = {name: name for name in entries.programs if name not in book.groups}
    programs = own | book.programs
    return _InForce(entries, book.meanings | meant, programs, frozenset(programs))


def _meaning_of_entry(entry: Entry) -> Meaning:
    speaker = "the team" if entry.speaker == "team" else "this site"
    return Meaning(
        kind=entry.kind,
        product=entry.product,
        weight=entry.weight,
        title=entry.title,
        meaning=f"{entry.meaning} (Knowledge of {speaker}: {entry.name}, {entry.place}.)",
        next=entry.next,
        commands=entry.commands,
        source=entry.source,
        basis="stated",
    )


LEVELS: Final[Mapping[str, Weight]] = {
    "emerg": "disaster", "emergency": "disaster", "panic": "disaster", "alert": "disaster", "crit": "disaster",
    "critical": "disaster",
    "fatal": "disaster", "a": "disaster", "x": "disaster", "err": "trouble", "error": "trouble", "e": "trouble",
    "warn": "notice",
    "warning": "notice", "w": "notice", "notice": "", "info": "", "debug": "",
}  # fmt: skip


def level_weight(level: str) -> Weight:
    """The weight that a message's own level gives it; empty where the word is none."""
    return LEVELS.get(level.lower(), "")


def weighed(found: Found, level: str) -> Found:
    """The message with the weight of its own level word where that is the heavier one; what is named everyday, or has
    a fixed weight, stays that.
    """
    own = level_weight(level)
    if found.weight == "everyday" or WEIGHTS.index(own) <= WEIGHTS.index(found.weight):
        return found
    known = meanings().get(found.kind)
    return found if known is not None and known.fixed else found._replace(weight=own)


def group_of(program: str) -> str | None:
    """The group of the messages of a program; None where its messages are not looked up."""
    return _in_force().programs.get(program)


def program_names() -> frozenset[str]:
    """The programs whose messages are looked up."""
    return _in_force().names


def may_be_program(name: str) -> bool:
    """Whether the messages of a program are looked up, or of one whose name differs in its digits alone."""
    return alike(name) in _names_alike(program_names())


@cache
def _names_alike(names: frozenset[str]) -> frozenset[str]:
    return frozenset(alike(name) for name in names)


def is_of_site(group: str) -> bool:
    """Whether only entries of the site speak of a group's messages: other words of such a program say nothing."""
    return group not in catalogue().groups


def find(group: str, text: str, *, code: str = "", level: str = "", program: str = "") -> Found | None:
    """What a message of a group says; None where no row and no entry of the site fits. program: what wrote it, where
    that is not the group itself.
    """
    book = catalogue()
    coded = book.codes.get(_PADDED.sub("-", code) if "V-" in code else code, ()) if code else ()
    for row in coded:
        if (found := _fitting(row, text, level)) is not None:
            named = found if found.about or found.peers else _worded(group, text, level, found)
            return named if row.pattern else _graver(group, text, level, named)
    if (layout := book.layout_of(group, text, level)) is not None:
        return layout.of(text)
    for row in book.candidates(group, text):
        if (found := _fitting(row, text, level)) is not None:
            return found
    return _by_code(coded, text) or _of_site(program or group, text)


def layout_alike(group: str, text: str, level: str) -> Layout | None:
    """What ``find`` gives of all messages of this level that differ from this one in their digits alone, where no digit
    decides on it and messages like it came often.
    """
    return catalogue().layout_of(group, text, level)


def _by_code(coded: Iterable[Row], text: str) -> Found | None:
    """What its code alone says: that it is harmless is believed only where its words don't sound like trouble."""
    kinds = {row.kind for row in coded if not (row.words or row.letters)}
    if len(kinds) != 1 or any(row.kind not in kinds for row in coded):
        return None
    [kind] = kinds
    weight = catalogue().meanings[kind].weight
    return Found(kind, weight=weight) if weight in _ALARMS or not sounding(text) else None


def _of_site(program: str, text: str) -> Found | None:
    """What an entry of the site says of a message."""
    hit = _in_force().entries.find(program, text)
    if hit is None:
        return None
    return Found(hit.entry.kind, hit.about, hit.value, hit.unit, hit.entry.weight)


def _worded(group: str, text: str, level: str, found: Found) -> Found:
    """What a message known by its code names, where a row of its kind fits its words too."""
    for row in catalogue().candidates(group, text):
        if row.kind == found.kind and (worded := _fitting(row, text, level)) is not None:
            return worded
    return found


def _graver(group: str, text: str, level: str, found: Found) -> Found:
    """A message known by its code alone, unless a row of another kind fits its words that weighs more: codes are used
    for several messages, and change their meaning between releases.
    """
    least = max(WEIGHTS.index(found.weight), WEIGHTS.index("notice"))
    for row in catalogue().candidates(group, text):
        worded = _fitting(row, text, level) if row.kind != found.kind else None
        if worded is not None and WEIGHTS.index(worded.weight) > least:
            return worded
    return found


# Words by which a message of no row sounds like trouble, or makes one doubt that all is well.
_ALARMING: Final = re.compile(
    r"(?i)\b(?:i/o error|input/output error|corrupt(?:ed|ion)?|fatal|medium error|hardware "
    r"error|uncorrect\w+|unrecover\w+|data loss|panic|(?:re)?mount\w* .{0,30}read-only|shutting down file "
    r"?system|controller is (?:down|dead)|timeout, abort\w+|lost "
    r".{0,20}write|(?:read|write) error|(?:device|disk|drive|array|pool|volume|node|member)\b.{0,40}\b(?:failed|is "
    r"dead|offlined|went offline|has failed))\b"
)
_DOUBTFUL: Final = re.compile(
    r"(?i)\b(?:errors?|fail(?:ed|ure|ures|ing)?|unable|cannot|can't|could(?:n't| not)|refused|abort(?:ed|ing)?|reset"
    r"|offline|(?<!shut )(?<!shutting )(?<!rounding )(?<!rounded )(?<!scaled )down|degraded|lost|time(?:d "
    r")?out|hung|stuck|stalled|evict(?:ed|ing|ion)?|kill(?:ed|ing)|conflicts?|unreachable|inactive|dropped"
    r"|unhealthy|corrupt(?:ed|ion)?|overflow(?:ed|s)?|exhausted|deadlock(?:ed)?|unresponsive|no response|(?:not|never) "
    r"respond(?:ing|ed)?|mismatch(?:ed|es)?|faulted|suspect(?:ed)?"
    r"|inconsisten(?:t|cy|cies)|overrun|starv(?:ed|ing|ation)|out of (?:memory|space|sync)|overdue|missing|halted"
    r"|exceeded|insufficient|incompatible|broken|damaged|stale|blocked|not (?:available|ready|present|registered)"
    r"|(?:no|zero) (?:quorum|paths?|keys?))\b"
)


_LOUD: Final = re.compile(r"\b(?:CRITICAL|CRIT|EMERG(?:ENCY)?|ALERT|FAULT)\b")
"""Levels of programs that nobody knows."""
_DENIED: Final = re.compile(
    r"(?i)\b(?:no|not|without|zero|0|none|never|if|when|whether) (?:[\w-]{1,20} ){0,2}"
    r"(?:errors?|fail\w{0,4}|faults?|lost|losses|down|offline|degraded|problems?|timeouts?|conflicts?|mismatch\w{0,2})\b"
    r"|\b(?:errors?|fail(?:ed|ures?)|lost|dropped|drops|overruns?|overflows?|conflicts?|resets?|time ?outs?|aborts?)"
    r"[\w ]{0,20}[ \t:=(\"'|,]{1,20}(?:0|none|no|nil)(?![\w.]*[1-9])\b"
)
"""What says that there is none of it."""


def sounding(text: str) -> Weight:
    """What a message of no row weighs by its words: trouble, notice (nobody can say) or nothing."""
    return _sounding(_DIGITS.sub("0", text[:_SHAPE]))


def is_alarming(text: str) -> bool:
    """Whether the words of a line that nobody reads sound like trouble: of one that is no message, say a row of a
    table, so that what counts none and what denies it is left out.
    """
    shown = text[:_SHAPE]
    return (sounding(shown) != "" or _LOUD.search(shown) is not None) and _DENIED.search(shown) is None


@lru_cache(maxsize=_SHAPES_KEPT)
def _sounding(shape: str) -> Weight:
    return "trouble" if _ALARMING.search(shape) else "notice" if _DOUBTFUL.search(shape) else ""


def may_matter(group: str, text: str) -> bool:
    """Whether any row of the group could fit: for lines by the million."""
    return bool(catalogue().candidates(group, text)) or _in_force().entries.may_fit(group, text)


def meanings() -> Mapping[str, Meaning]:
    """Every kind of message by its name, with those of the site's entries."""
    return _in_force().meanings


def _fitting(row: Row, text: str, level: str) -> Found | None:
    if row.letters and level_weight(level) == "":
        return None
    match = row.search(text) if row.pattern else None
    if (row.pattern and match is None) or (row.topic and sounding(text)):
        return None
    groups = {name: value for name, value in match.groupdict().items() if value} if match is not None else {}
    name, address = groups.get("boxed") or groups.get("named"), groups.get("address")
    value = float(groups["value"].replace(",", ".")) if "value" in groups else None
    unit, meaning = row.unit if value is not None else "", catalogue().meanings[row.kind]
    if value is None and meaning.figure and (figure := re.search(meaning.figure, text)) is not None:
        value, unit = float(figure[1]), meaning.figure_unit
    alias = (name.rstrip(".:,"), address) if name and address else None
    peers = " ".join(filter(None, (groups.get("peer"), groups.get("peer2"))))
    return Found(row.kind, _object_of(groups), value, unit, meaning.weight, alias, peers, groups.get("on"))


_NAMES_OBJECT: Final = ("boxed", "named", "address", "about", "about2")


def _object_of(groups: Mapping[str, str]) -> str | None:
    """What a message is about: a node, and over which link where it says so."""
    about = ""
    for name in _NAMES_OBJECT:
        if name in groups:
            about = groups[name].strip().rstrip(".:,")
            break
    return (f"{about}{OVER_LINK}{groups['link']}" if "link" in groups else about) if about else None


def _layout_of(rows: Iterable[Row], text: str, level: str) -> Layout | None:
    """What all messages of the shape of one say by these rows; None where a digit decides, or no row fits."""
    for row in rows:
        if _tells_digits(row.pattern):
            return None
        if (found := _fitting(row, text, level)) is None:
            continue
        match = row.search(text)
        if match is None or (found.value is not None and "value" not in match.groupdict()):
            return None  # a figure that its kind finds by a pattern of its own
        named = {name: match.span(name) for name, value in match.groupdict().items() if value}
        layout = Layout(
            row.kind,
            _place_of_object(text, named),
            named.get("link"),
            named.get("value"),
            found.unit,
            found.weight,
            _place_of_alias(text, named),
            [named[name] for name in ("peer", "peer2") if name in named],
            named.get("on"),
        )
        has_figure = catalogue().meanings[row.kind].figure and found.value is None
        return layout if not has_figure and layout.of(text) == found else None
    return None


@cache
def _tells_digits(pattern: str) -> bool:
    return tells_digits(pattern)


def _place_of_object(text: str, named: Mapping[str, Place]) -> Place | None:
    """Where that stands which a message is about, without what is left out around it."""
    begin, end = next((named[name] for name in _NAMES_OBJECT if name in named), (0, 0))
    shown = text[begin:end]
    begin += len(shown) - len(shown.lstrip())
    end = begin + len(shown.strip().rstrip(".:,"))
    return (begin, end) if begin < end else None


def _place_of_alias(text: str, named: Mapping[str, Place]) -> tuple[Place, Place] | None:
    name, address = named.get("boxed") or named.get("named"), named.get("address")
    if name is None or address is None:
        return None
    return (name[0], name[0] + len(text[slice(*name)].rstrip(".:,"))), address


@cache
def catalogue() -> Catalogue:
    """The catalogue that the program brings along. Raises ValueError where a row can't be understood."""
    return read_catalogue(sorted(FOLDER.glob("*.toml")))


def read_catalogue(files: Iterable[Path]) -> Catalogue:
    """Catalogue of some files."""
    book = Catalogue()
    rows: list[tuple[str, dict[str, Any]]] = []
    read = [(path, toml(path)) for path in files]
    of_product: dict[str, dict[str, str]] = {}
    for _, found in read:
        of_product.setdefault(found.get("product", ""), {}).update(found.get("words_of_product", {}))
    for path, found in read:
        product = found.get("product", "")
        words = of_product[product] | found.get("words", {})
        book.programs |= found.get("programs", {})
        for kind, row in found.get("kind", {}).items():
            _define(book, kind, row, product, path.name)
        for row in found.get("message", ()):
            meaning = {key: value for key, value in row.items() if key not in _ROW_KEYS}
            if meaning:
                _define(book, row["kind"], meaning, product, path.name)
            rows.append((path.name, row | {"pattern": _expanded(row.get("pattern", ""), words)}))
    coded: dict[str, list[str]] = {}
    for name, row in rows:
        _add(book, row, name)
        if codes := row.get("codes"):
            coded.setdefault(row["kind"], []).extend(codes)
    for kind, codes in coded.items():
        book.meanings[kind] = replace(book.meanings[kind], codes=(*book.meanings[kind].codes, *codes))
    return book


def _define(book: Catalogue, kind: str, row: dict[str, Any], product: str, where: str) -> None:
    if kind in book.meanings:
        raise ValueError(f"{where}: {kind} is defined twice")
    if (
        row.get("weight") not in WEIGHTS[1:]
        or row.get("loses", "") not in LOSSES
        or row.get("basis", "recalled") not in _BASES
    ):
        raise ValueError(f"{where}: {kind} has no weight, loss or basis that is known")
    try:
        book.meanings[kind] = Meaning(
            kind=kind,
            product=product,
            **row | {key: tuple(row[key]) for key in _LISTS if key in row},
        )
    except TypeError as error:
        raise ValueError(f"{where}: {kind}: {error}") from None


def _add(book: Catalogue, row: dict[str, Any], where: str) -> None:
    kind = row["kind"]
    if kind not in book.meanings:
        raise ValueError(f"{where}: nothing says what {kind} means")
    if not row.get("codes") and not (row["pattern"] and row.get("group")):
        raise ValueError(f"{where}: {kind} has neither a code nor a pattern in a group")
    if (unknown := _NAME_OF_PART.search(row["pattern"])) is not None:
        raise ValueError(f"{where}: {kind}: no [words] of this file or its product have {unknown[0]}")
    needs_words = bool(row.get("words") or (row.get("codes") and row.get("group")))
    kept = Row(
        kind, row["pattern"], row.get("unit", ""), row.get("letters", False), needs_words, row.get("topic", False)
    )
    for code in row.get("codes", ()):
        book.codes.setdefault(code, []).append(kept)
    if row["pattern"] and row.get("group"):
        book.groups.setdefault(row["group"], []).append(kept)


def _expanded(pattern: str, words: Mapping[str, str]) -> str:
    if "@" in pattern:
        for name, part in words.items():
            pattern = pattern.replace(f"@{name}@", part)
    return pattern
