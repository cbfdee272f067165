"""``mmfs.log`` of Spectrum Scale: ``/var/adm/ras/mmfs.log.latest``, ``.previous``, ``mmfs.log.DATE.NODE``, and logs
merged by ``mmdsh``.

    2031-06-03_22:48:15.207+0200: [N] Connecting to 10.74.12.61 lund061 <c0n11>:[0]
    Tue Nov 11 21:17:44.318 2031: [A] Unexpected long waiter detected: Waiting 902.4160 sec since
    2031-11-11 21:02:41, on node lund07,
    SharedHashTabFetchHandlerThread 5214: on MsgRecordCondvar,
    reason 'RPC wait' for tmMsgTellAcquire1
    lund02: 2031-06-03_22:50:00.100+0200: [E] Node 10.74.12.63 (lund063) is being expelled because of an expired lease.
    lund02: [E] Lost membership in cluster lund.lab. Unmounting file systems.

Yields ``Event`` for lines that matter (``parsers/messages``), ``Waiter`` for long waiters, ``NodeAlias`` where a line
names address and node together, ``Version`` when the daemon starts. Instants are the log's own, with a zone in the
newer style. Lines of other text between two stamped ones belong to the line above when it is open. Tolerated: no
letter, cut lines, a node in front of the stamp, no stamp where there is a letter (the time is not known then). Source:
IBM Storage Scale documentation, GPFS logs, automated deadlock detection.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final, NamedTuple

from parsers.formats.scale.logs.log_kinds import (
    GROUP,
    WAITER_KINDS,
    code_of,
    is_idle,
    is_idle_alike,
    layout_and_weight,
    meaning_of,
    plain_text,
)
from parsers.formats.scale.logs.syslog import put_volume
from parsers.formats.scale.waits.line import read_waiter
from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.wrap import continues, join
from parsers.line_kinds import is_prose
from parsers.lookup import claimed
from parsers.messages.beginnings import group_of_bare, may_be_bare
from parsers.messages.catalogue import Layout, Weight
from parsers.output import Output
from parsers.patterns.digits import ALL_ALIKE
from parsers.records import Event, NodeAlias, Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Passed, Patience, Stretch
from parsers.text import Line
from parsers.times.clock import Instant, find_instant, ticking

SOURCE: Final = "mmfs.log"
TEXT_KEPT: Final = 400
PARTS_KEPT: Final = 12
ALIASES_KEPT: Final = 4_000
IDLE_KEPT: Final = 20_000
"""Shapes of idle lines that are remembered; then again."""
STATED_KEPT: Final = 20_000
"""Messages of which is remembered what they say."""
_MORE_THAN_EVENTS: Final = frozenset((*WAITER_KINDS, "expel", "disk-failed", "daemon-starting"))
"""Kinds of messages that give other records too, each time."""

_DAY: Final = (
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [A-Z]{3,5})? \d{4}"
)
_ISO: Final = r"\d{4}-\d\d-\d\d[_T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?[+-]\d\d:?\d\d"
_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}+: {1,4}"
STAMP: Final = rf"(?:{_ISO}|{_DAY}):"
_DEFINED: Final = (
    r"(?:means?|meaning|is|are|was|stands|denotes?|marks?|indicates?|for|and|or|lines?|rows?|entries|messages?)\b"
)
"""What stands behind a letter where a manual says what it stands for."""
BARE: Final = rf"\[[ADEINWX]\] {{1,4}}(?!{_DEFINED})(?=[A-Z(]|[a-z]+ )"
CLAIM: Final = rf"(?:{_NODE})?{STAMP}(?: |$)"
CODED: Final = (
    r"(?:GPFS: {1,4}6027-\d{3,4}(?: {1,4}\[[A-Z]\])? {1,4}[A-Z]"
    r"|6027-\d{3,4}(?: {1,4}\[[A-Z]\])? {1,4}[A-Z](?![^\n]{0,300}\b[a-z]{2,20}[A-Z][a-z]{2,20}\b)[^\n]{8})"
)
"""As the daemon prints it on a console and as error reports quote it: with its number and without a time. A manual has
words like ``fileSystem`` where a name belongs.
"""
BARE_CLAIM: Final = rf"(?:{CODED}|(?:(?!mm|ts){_NODE})?{BARE})"

_LINE = re.compile(
    rf"(?:([A-Za-z0-9][\w.-]{{0,252}}+): {{1,4}})?(?:({_ISO}|{_DAY}): {{0,8}}|(?=\[))(?:\[([A-Z])\] {{0,8}})?(.*)$"
)
_ALONE = re.compile(r"()()()(.*)$")
"""A line without its head, in the groups of one with it."""
_CODED = re.compile(CODED)
_STAMPED = re.compile(rf"{CLAIM}|{BARE_CLAIM}")
_OF_A_MANUAL: Final = re.compile(r"(?:Explanation|User [Rr]esponse|System [Aa]ction)\b")
_HOST = re.compile(_NODE)
_HEAD_ALONE = re.compile(rf"(?:{_NODE})?{STAMP}(?: {{1,4}}\[[A-Z]\])?$")
"""A head whose whole message was put on the next line."""
_OF_A_CRASH = re.compile(
    r"/(?:project/[\w./-]{2,200}|[\w./-]{1,200}\.(?:C|h|cc?))$|\d{1,6} of file(?: \S{1,200})?$"
    r"|(?:reason )?code -?\d{1,10}, log record tag |[^\n]{0,300}(?: \+ 0x[0-9A-Fa-f]{1,8}\b|\w::\w|->\w)"
)
"""What the daemon prints of itself as it crashes: places in its source, frames, codes. No person writes so."""
_MODULES = re.compile(
    r"(?:Module {4,60}Size {1,8}Used by"
    r"|(?:mmfs26|mmfslinux|tracedev\d?)(?: {2,60}\d{1,12} {1,8}\d{1,6}(?: [\w, -]{0,200})?| (?:not|is not) loaded))$"
    r"|(?:Loading|Unloading) module(?:s from)? [\w./-]{1,200}$|Stopping GPFS \.{2,3}$"
)
"""What the script that starts and stops the daemon prints of the kernel's modules, into the log and without a stamp."""
_LONG: Final = "Unexpected long waiter detected:"
_NUMBERED: Final = re.compile(r" (?:thread|node|code|rc|err|errno|line|port|socket|sock|took|in|after|of|than)$")
"""Words behind which a number stands."""
_ON_NODE = re.compile(r" on node ([A-Za-z0-9][\w.-]{0,252})[:,] ")
_REQUESTED_BY = re.compile(
    r" (?:because of|due to) an? (?:(?:expel )?request from|communication (?:problem|failure) with) (?:node )?"
    r"(?:\S{2,60} \()?(?P<node>[A-Za-z0-9][\w.:-]{0,252}?)\)?(?: in cluster |\.?$|[,;] )"
)
_WANTED = re.compile(
    r"Expel (?:node )?(?:\S{2,60} \()?(?P<about>[A-Za-z0-9][\w.:-]{0,252}?)\)? request from (?:node )?(?:\S{2,60} \()?"
    r"(?P<node>[A-Za-z0-9][\w.:-]{0,252}?)\)?[.,;]? {1,4}Expelling"
)
"""Who is asked to be expelled by whom; the manager of the cluster decides which of the two goes."""
_BUILD = re.compile(r"Version: ([\w.-]{1,40})")
_PLAIN: Final = rb"[ !-%'-;=-\[\]-~]{0,4000}(?:<(?=c\d)[ !-%'-;=-\[\]-~]{0,400}){0,8}"
_BULK: Final = Stretch(
    rb"((?:" + _NODE.encode() + rb")?" + STAMP.encode() + rb" {1,8})((?:\[[A-Z]\] {1,8})?)(" + _PLAIN + rb")"
)


_OF_COMMANDS: Final = re.compile(r"mm[a-z]{2,24}: [\w\[]")
"""What a command says of itself is the rest of nothing."""


def _owns(text: str, before: str) -> bool:
    body = text.lstrip()
    if _STAMPED.match(body) is not None or (before.strip() and _MODULES.match(body) is not None):
        return True
    above = before.strip()
    host = _HOST.match(above)
    return _goes_on(above, body.removeprefix(host[0]) if host is not None else body)


def _goes_on(above: str, body: str) -> bool:
    """Whether a line without a stamp is the rest of an event that was wrapped."""
    if not above or not body or len(body) > TEXT_KEPT or above[-1] in ".!" or _OF_COMMANDS.match(body) is not None:
        return False
    if above.endswith(_LONG) and body.startswith("Waiting "):
        return True
    owner = claimed(body)
    if owner is not None and owner.priority >= 0 and not owner.messages:
        return False  # an output of its own
    return (_HEAD_ALONE.match(above) is not None or continues(above, body) or _OF_A_CRASH.match(body) is not None) or (
        len(above) >= 40
        and above[-1].isalnum()
        and ((body[0].islower() and not is_prose(body)) or (body[0].isdigit() and _NUMBERED.search(above) is not None))
    )


@parser(
    "scale_log",
    messages=True,
    version=9,
    product="spectrum-scale",
    claims=CLAIM,
    owns=_owns,
    commands=("mmfsenv", "mmgetlog"),
    priority=3,
)
def scale_log(section: OpenSection, out: Output) -> None:
    """Events of the log, joined where they were wrapped."""
    reader, patience = _Reader(section, out), Patience()
    for line in section:
        reader.take(line)
        for first, (passed,) in patience.stretches(section, reader.pass_over):
            reader.stretch(first, passed)
    reader.finish()


def _is_alone(text: str) -> bool:
    """Whether a line without stamp and letter is a message of this log."""
    return group_of_bare(text, (GROUP,)) is not None


def _is_alone_alike(text: str) -> bool:
    return not may_be_bare(text, (GROUP,))


def _owns_bare(text: str, before: str) -> bool:
    return _owns(text, before) or _is_alone(text.strip())


@parser(
    "scale_log_bare",
    messages=True,
    version=4,
    product="spectrum-scale",
    claims=BARE_CLAIM,
    owns=_owns_bare,
    priority=-2,
    alone=_is_alone,
    alone_alike=_is_alone_alike,
)
def scale_log_bare(section: OpenSection, out: Output) -> None:
    """Lines of the log that lost their stamps: with their letters, as ``grep`` and ``cut`` leave them, or without, as
    people quote them.
    """
    reader = _Reader(section, out)
    for line in section:
        if line.text.lstrip().startswith("6027-") and _is_explained(section):
            out.ignore()
        else:
            reader.take(line)
    reader.finish()


def _is_explained(section: OpenSection) -> bool:
    """Whether a manual goes on below the number of a message: nobody logged it."""
    below = section.source.peek(past_blank=True)
    return below is not None and _OF_A_MANUAL.match(below.text.lstrip()) is not None


def message_in(line: str) -> tuple[str, str] | None:
    """The message of one line without its letter and code, and the code; None where it is no line of this log."""
    body = line.strip()
    match = _LINE.match(body) if _STAMPED.match(body) is not None else None
    return (plain_text(match[4]), code_of(match[4])) if match is not None else None


_Row = tuple[Any, ...]
"""What a message gives, as the columns of an event."""
_KIND, _ABOUT, _TEXT = map(Event.columns().index, ("kind", "about", "text"))
_BEHIND_MOMENT: Final = Event.columns().index("source")


class _Words(NamedTuple):
    """Of a message."""

    letter: str
    text: str


class _Form(NamedTuple):
    """Of messages that differ in their digits alone and tell an event."""

    layout: Layout
    weight: Weight
    text_begins: int
    """Behind the letter."""


def _text_of(line: str | bytes) -> str:
    return line if isinstance(line, str) else line.decode("ascii")


class _Reader:
    """One line of the log after the other."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._rows = Rows(section, out)
        self._lines: list[Line] = []
        self._idle: set[bytes] = set()
        """Shapes of messages that say nothing."""
        self._passed: set[bytes] = set()
        """Of whole lines with them."""
        self._ends: dict[bytes, tuple[int, int]] = {}
        """Shapes of other whole lines -> where head and letter end."""
        self._forms: dict[bytes, _Form | None] = {}
        """Shapes of messages that come often."""
        self._stated: dict[bytes, tuple[Any, ...]] = {}
        """Letter and text of messages that come again word for word -> what their event has behind its moment."""
        self._aliases: set[tuple[str, str]] = out.interned.setdefault("scale_log_aliases", set())

    def take(self, line: Line) -> None:
        """The next line of the section."""
        if _STAMPED.match(line.text.lstrip()) or _is_alone(line.text.strip()):
            self._flush()
            self._lines = [line]
        elif _MODULES.match(line.text.strip()):
            self._flush()
            self._out.frame()
        elif self._lines and len(self._lines) < PARTS_KEPT:
            self._lines.append(line)
        else:
            self._out.skip(line, "goes on with no line of the log")

    def pass_over(self, section: OpenSection) -> tuple[int, list[Passed]]:
        """Many plain lines."""
        return _BULK.pass_over(section, self._passed, self._ends)

    def stretch(self, first: int, passed: Passed) -> None:
        """Of many plain lines those that may matter are read like any other; the last one may go on below."""
        self._flush()
        known, stated = self._idle, self._stated
        node, add_row = self._section.node, self._out.add_row
        new = passed.new[:-1] if passed.is_last_new else passed.new
        idle = passed.lines - 1 - len(new)
        for above, line, (head, letter, text) in new:
            message = letter + text
            moment = ticking(head)
            if moment is not None and (event := stated.get(message)) is not None:
                add_row(Event, (first + above, node, *moment, *event))
            elif (form := self._forms.get(shape := message.translate(ALL_ALIKE))) is not None and moment is not None:
                self._put_alike(first + above, message, form, moment)
            elif shape in known:
                idle += 1
                _remember(self._passed, line)
            elif is_idle(letter[1:2], text):
                idle += 1
                self._learn(shape)
            elif moment is None or text[:1] == b"[":
                self._read(first + above, (head + message).decode("ascii"))
            else:
                words = _Words(letter[1:2].decode("ascii"), text.decode("ascii").strip())
                row = self._put_words(first + above, words, None, moment, head + message)
                self._keep(message, row)
                self._learn_form(shape, message, words, row)
        self._out.ignore(idle)
        last = passed.last.decode()
        self._lines = [Line(first + passed.lines - 1, last, last)]
        for at in (passed.first.decode(), last):
            self._stamp(at)
        self._section.previous = last

    def _learn(self, shape: bytes) -> None:
        """A line of this shape said nothing."""
        if len(shape) <= TEXT_KEPT and is_idle_alike(shape):
            _remember(self._idle, shape)

    def _keep(self, message: bytes, row: _Row | None) -> None:
        """A message says nothing but this event, whenever it comes again."""
        if row is None or row[_KIND] in _MORE_THAN_EVENTS or len(message) > TEXT_KEPT:
            return
        if len(self._stated) >= STATED_KEPT:
            self._stated.clear()
        self._stated[message] = row[_BEHIND_MOMENT:]

    def _learn_form(self, shape: bytes, message: bytes, words: _Words, row: _Row | None) -> None:
        """A message of this shape told an event: what all of them tell is asked once, when it is known."""
        if row is None or row[_KIND] in WAITER_KINDS or row[_KIND] == "daemon-starting" or len(message) > TEXT_KEPT:
            return
        layout = layout_and_weight(*words) if row[_TEXT].encode() == message else None
        if layout is not None:
            if len(self._forms) >= STATED_KEPT:
                self._forms.clear()
            self._forms[shape] = _Form(*layout, len(message) - len(words.text))

    def _put_alike(self, number: int, message: bytes, form: _Form, moment: tuple[int | None, int | None]) -> None:
        """What a message of a known form tells."""
        layout, weight, text_begins = form
        shown = message.decode("ascii")
        text = shown[text_begins:]
        found = layout.of(text)
        row = (
            *(number, self._section.node, *moment, SOURCE),
            *(found.kind, found.about, found.value, found.unit, weight, shown),
        )
        self._out.add_row(Event, row)
        if found.kind in _MORE_THAN_EVENTS:
            self._put_beside(row, text)
        if found.alias is not None:
            self._alias(number, *found.alias)
        self._keep(message, row)

    def _put_beside(self, row: _Row, text: str) -> None:
        """What a message tells besides its event."""
        put_volume(self._out, row[0], row[_KIND], row[_ABOUT], text)
        if row[_KIND] == "expel":
            self._put_requester(row, text)

    def finish(self) -> None:
        """The section ends."""
        self._flush()
        self._rows.settle()
        self._rows.flush()

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        text = lines[0].text.strip()
        host = _HOST.match(text)
        for above, line in pairwise(lines):
            rest = (
                line.text.removeprefix(host[0]) if host is not None else line.text
            )  # pdsh names the node in front of each part
            text = join(text, rest, width=len(above.raw), blank=above.raw[-1:].isspace())
        self._stamp(text)
        self._read(lines[0].number, text, parts=len(lines))

    def _stamp(self, text: str) -> None:
        if (match := _LINE.match(text)) and match[2] and (instant := _instant(match[2])):
            self._section.stamp(instant)

    def _read(self, number: int, text: str, parts: int = 1) -> None:
        """What a message tells, if it matters."""
        match = _ALONE.match(text) if _CODED.match(text) or _is_alone(text) else _LINE.match(text)
        if match is None:
            self._out.ignore(parts)
            return
        instant = _instant(match[2] or "")
        moment = (None, None) if instant is None else (instant.us, instant.zone_min)
        self._put_words(number, _Words(match[3] or "", match[4].strip()), match[1], moment, text, parts)

    def _put_words(
        self,
        number: int,
        words: _Words,
        node: str | None,
        moment: tuple[int | None, int | None],
        line: str | bytes,
        parts: int = 1,
    ) -> _Row | None:
        """The same of its letter and words: the row of its event. line: as it stands. None where it does not matter."""
        letter, text = words
        found = meaning_of(letter, text[:4000])
        if found is None:
            self._out.ignore(parts)
            return None
        kind, about, value = found.kind, found.about, found.value
        if kind in WAITER_KINDS and (waiter := read_waiter(_text_of(line))) is not None:
            self._rows.add(number, waiter)
            node, value = waiter.on_node or node, waiter.seconds
            about = f"thread {waiter.thread_id}" if waiter.thread_id is not None else waiter.thread
        elif kind == "deadlock-detected" and (place := _ON_NODE.search(text)) is not None:
            node = place[1]
        shown = f"[{letter}] {text}" if letter else text
        of = (number, node or self._section.node, *moment)
        row = (*of, SOURCE, kind, about, value, found.unit, found.weight, shown[:TEXT_KEPT])
        self._out.add_row(Event, row)
        self._put_beside(row, text)
        if found.alias is not None:
            self._alias(number, *found.alias)
        if kind == "daemon-starting" and (build := _BUILD.search(text)):
            self._out.add_row(Version, (*of, "spectrum-scale", build[1]))
        return row

    def _put_requester(self, expel: _Row, message: str) -> None:
        """Who wanted a node to be expelled."""
        requester = _REQUESTED_BY.search(message) or _WANTED.match(message)
        if requester is not None:
            number, _, at, zone_min, source, _, about, *_, text = expel
            about = requester.groupdict().get("about") or about
            row = (number, requester["node"], at, zone_min, source, "expel-asked", about, None, "", "trouble", text)
            self._out.add_row(Event, row)

    def _alias(self, number: int, name: str, address: str) -> None:
        if (name, address) not in self._aliases and len(self._aliases) < ALIASES_KEPT:
            self._aliases.add((name, address))
            self._out.add(NodeAlias(line=number, node=name, alias=address, kind="address"))


def _remember(shapes: set[bytes], shape: bytes) -> None:
    if len(shapes) >= IDLE_KEPT:
        shapes.clear()
    shapes.add(shape)


def _instant(text: str) -> Instant | None:
    found = find_instant(text.replace("_", " "))
    return found[0] if found else None
