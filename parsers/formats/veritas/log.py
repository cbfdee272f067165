"""Messages of LLT, GAB, VCS, I/O fencing and CVM in system logs, on consoles and in ``engine_A.log``.

    Mar  9 14:21:07 carp1 kernel: LLT INFO V-14-1-10205 link 1 (igb3) node 2 in trouble
    Mar  9 14:21:09 carp1 llt: [ID 525299 kern.notice] LLT:10019: delayed hb 1650 ticks from 2 link 1 (qfe:1)
    2027-03-09T14:21:12.301+01:00 carp1 kernel: [8812.3] GAB INFO V-15-1-20037 Port a gen 4c21f   jeopardy ;1
    2027/03/09 14:21:30 VCS CRITICAL V-16-1-51100 VCS heartbeat to GAB delayed
    TAG_E 2004/09/23 17:41:36 VCS:10485:Excessive delay between successive calls to GAB heartbeat (11 seconds)
    03/09 14:21:31:  VxVM vxconfigd ERROR V-5-1-7830 cannot find disk 1180613450.92.carp1
    Mar  9 14:21:40 carp1 kernel: vxfsd: page allocation failure. order:4, mode:0xd0

Yields ``Event``: of the system on which stands what the engine speaks of, else of the host of the line; kind by number
or words, ``about`` the link and peer or the port, ``value`` the seconds or ticks. Everyday lines of the engine and the
volume manager are understood and not kept. A syslog line has no year: it comes from a date line above or the date in
the name of the file; else it is left open (``parsers.times.years``). Other lines of the kernel are read by
``kernel_log``. The clock is the host's, without a zone unless printed. Tolerated: several messages on one line (a dump
of kernel memory), lines without prefix, cut ends. Source: VCS 6 and 7 administration guides, unique message identifiers
of Veritas.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from parsers.formats.host.logs.log_heads import FACILITY
from parsers.formats.veritas.command_objects import object_spoken_of
from parsers.formats.veritas.log_kinds import is_everyday, meaning
from parsers.messages.catalogue import find
from parsers.output import Output
from parsers.records import Event, NodeAlias
from parsers.registry import parser
from parsers.sections.message_events import name_nodes, put_names
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import read_table
from parsers.times.clock import MONTH, MONTHS, Instant, find_instant

_ROWS: Final = 20_000
_IDS: Final = 1000
_PARTS: Final = 12  # lines of one message
_TEXT: Final = 1000  # letters of a message that are kept
_ISO: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| [A-Z]{3,5}(?= ))?"
_DAY: Final = r"(?:[A-Z][a-z]{2} (?=\d{4}-))?"
"""What ``journalctl -o short-full`` puts in front of a date."""
_TAG: Final = r"[\w./:-]{1,48}(?:\[\d{1,10}\])?: {1,4}"
_LEAD: Final = r"(?:\[ID \d{1,10} [\w.]{1,24}\] )?(?:\[ {0,8}\d{1,9}\.\d{1,6}\] )?"
_STAMPED: Final = (
    rf"(?:{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,6}})?|{_DAY}{_ISO}) [\w.:-]{{1,128}} {FACILITY}"
)
_SYSLOG: Final = rf"{_STAMPED}{_TAG}{_LEAD}"
_LEVEL: Final = r"(?:INFO|NOTICE|NOTE|WARNING|ERROR|CRITICAL|PANIC)"
_DATED: Final = (  # as date(1) prints it: hamsg, logs of fencing
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:{MONTH} {{1,2}}\d{{1,2}}|\d{{1,2}} {MONTH} \d{{4}}) \d\d:\d\d:\d\d "
    r"(?:[AP]M )?(?:[A-Z]{2,5} )?(?:\d{4} )?(?=\S)"
)
_DAEMON: Final = r"\d\d/\d\d \d\d:\d\d:\d\d:? {1,4}(?=VxVM )"  # vxconfigd in its own log
_WHO: Final = r"(?:LLT|GAB|VCS|CPS|CPI|VXFEN|vxfen|CVM|VxVM|vxvm)"
_BEHIND_LEVEL: Final = "|".join(
    rf"(?<=\b{level}{mark})" for level in ("INFO", "WARNING", "ERROR", "CRITICAL", "PANIC") for mark in (" ", ": ")
)
_OTHER_CODE: Final = rf"(?:{_BEHIND_LEVEL})V-(?!2-)\d{{1,4}}(?:-\d{{1,6}}){{1,4}}"
"""Of a product that is not listed: only a level in front of it shows that it is a code."""
_CODE: Final = rf"(?:V-(?:3|5|9|11|14|15|16|35|41|97)-\d{{1,6}}(?:-\d{{1,6}}){{0,3}}|{_OTHER_CODE})"
_SPEAKER: Final = (
    r"(?:vxfenconfig|vxfenadm|vxdmp|vxio|vxspec|vxconfigd|vxesd|hashadow|had|CVMCluster|CVMVolDg|CFSMount"
    r"|DiskGroup|Mount)"
)
_HEAD: Final = (
    rf"(?:(?:\S{{1,48}} ){{0,6}}?(?:{_WHO}|{_LEVEL}|{_SPEAKER})[: ]{{1,3}}(?:[\w:-]{{1,24}} {{1,2}}"
    rf"){{0,3}}{_CODE}|V-(?:3|5|9|11|14|15|16|35|41|97)-\d"
    r"|(?:ORA-\d{4,5}: {0,2})?(?:ODM err: ?)?ODM [A-Z]{4,8} V-41-)"
)
_QUOTED: Final = rf"[{{\[\"'][^\n]{{0,200}}['\"](?:LLT|GAB|VCS|VXFEN|VxVM) (?:[\w:-]{{1,24}} ){{0,2}}{_LEVEL} {_CODE}"
"""In what a program prints of its values: no sentence begins so."""
_OLD: Final = r"(?:LLT|GAB|VCS):\d{4,6}:"
_MODULE: Final = r"vxvm: ?vx[a-z]{2,12}: {0,3}"
_OLD_VXVM: Final = (
    rf"(?:{_MODULE}(?:\[ID \d{{1,10}} [\w.]{{1,24}}\] )?(?:FATAL )?{_LEVEL}: {{0,3}}|{_LEVEL}: {{1,3}}{_MODULE})(?=\S)"
)
"""The level stands behind the name of the module or in front of it."""
_FENCING: Final = r"VXFEN vxfen\w{2,12} (?:INFO|NOTICE|WARNING|ERROR) (?!V-)"
_STEP: Final = (
    r"(?:[Ii]nvoked vxfen|starting (?:vxfen|in vxfen|retry loop|/sbin/vxfen)|stopping vxfen|calling (?:start_fun"
    r"|stop_fun|regular vxfenconfig|mod_\w{2,12}|/sbin/vxfen)|found vxfenmode|case -\w|executing \w{2,40}\.sh"
    r"|return value from above operation|output was |done with script|exiting normally|count is \d"
    r"|vxfenconfig -\w returned \d|/sbin/vxfen-\w{2,20} returned |cluster fencing\. will retry)"
)
"""What the scripts that start and stop fencing write of their steps."""
_BELOW_STEP: Final = (
    r"(?:Log Buffer: 0x[0-9a-f]{1,16}|(?:security|single_cp)=\d|\[[\w.:-]{1,64}\]:\d{1,5} \{[0-9a-f-]{36}\})\s{0,40}$"
)
_WINDOWS: Final = (
    r"(?:(?:Error |Warning |Info )?V-(?:40|76|77|106)-\d{5}-\d{1,5}: (?=[A-Z])"
    r"|vxboot: (?=Failed to )|vxio: (?=<?Harddisk\d{1,4}>? |Cluster software ))"
)
"""Numbers of Storage Foundation for Windows, and its drivers in the log of events."""
_UNCODED: Final = (
    rf"(?:{_OLD_VXVM}|{_FENCING}|GAB: (?:[Pp]ort [a-z] halting |Module \d{{1,4}}, Line \d)|VXFEN: ?vxfen_\w{{2,40}}: "
    rf"|(?:vxdg|vxdisk|vxvol|vxplex|vxrecover|vxassist|vxmend): ?(?:{_LEVEL}: |[Dd]isk ?group \S{{1,64}}: )|{_WINDOWS})"
)
"""Panics, and messages of releases that numbered none."""
_KERNEL: Final = r"\S{1,32}: page allocation failure"
_ENGINE: Final = r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:\([\w.-]{1,128}\) )?VCS "
_LEGACY: Final = r"TAG_[A-E] {1,4}\d{4}/\d\d/\d\d \d\d:\d\d:\d\d {1,4}(?:\([\w.-]{1,128}\) )?VCS:\d"
_UNTAGGED: Final = r"\s{0,8}(?:Uncorrectable|Correctable) (?:read|write) error on "  # the second line of one message
_BARE_SYSLOG: Final = rf"{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d [\w.:-]{{1,128}} "
_CLAIMS: Final = (
    rf"(?:(?:{_SYSLOG}|{_DAEMON}|{_LEAD})(?:{_HEAD}|{_OLD})|{_LEAD}{_UNCODED}|{_STAMPED}(?:{_TAG})?{_LEAD}{_OLD_VXVM}|{_SYSLOG}(?:{_KERNEL})"
    rf"|{_ENGINE}(?:{_LEVEL} )?{_CODE}|{_LEGACY}|{_BARE_SYSLOG}{_UNTAGGED}|{_DATED}(?:{_HEAD}|{_STEP})"
    rf"|{_QUOTED})"
)

_PREFIX = re.compile(
    rf"(?:(?P<month>{MONTH}) {{1,2}}(?P<day>\d{{1,2}}) (?P<clock>\d\d:\d\d:\d\d(?:\.\d{{1,6}})?) "
    rf"(?P<host>[\w.:-]{{1,128}}) {FACILITY}(?:(?!{_OLD_VXVM}){_TAG})?"
    rf"|{_DAY}(?P<iso>{_ISO}) (?P<host2>[\w.:-]{{1,128}}) {FACILITY}(?:(?!{_OLD_VXVM}){_TAG})?"
    r"|(?:TAG_(?P<level>[A-E]) {1,4})?(?P<engine>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) "
    r" {0,3}(?:\((?P<host3>[\w.-]{1,128})\) )?|(?P<number>\d\d)/(?P<date>\d\d) "
    rf"(?P<time>\d\d:\d\d:\d\d):? {{1,4}}(?=VxVM ))?{_LEAD}"
)
_DATE = re.compile(_DATED)
_BELOW = re.compile(_BELOW_STEP)
_OF_SCRIPT = re.compile(_STEP)
_UNTAGGED_LINE = re.compile(rf"({MONTH}) {{1,2}}(\d{{1,2}}) (\d\d:\d\d:\d\d) ([\w.:-]{{1,128}}) (?={_UNTAGGED})")
_BLOCK_ERROR = re.compile(_UNTAGGED)
_SPLIT = re.compile(rf"(?<=\s)(?=(?:LLT|GAB|VCS|VXFEN|CVM|VxVM) (?:[\w:-]{{1,16}} ){{0,2}}{_LEVEL} V-\d)")
_CODED = re.compile(rf"(?P<code>{_CODE})\b:? ?(?:\[(?P<level>\w{{3,8}})\] ?)?(?P<text>.*)$")
_SPOKEN_LEVEL = re.compile(rf"\b(?:{_LEVEL}\b|(?:Error|Warning)(?=:))")
_UNLISTED: Final = "unlisted-message"
_SHORT_LEVELS: Final = {"Info": "INFO", "Warn": "WARNING", "Error": "ERROR", "Notice": "NOTICE", "Crit": "CRITICAL"}
_BEFORE_CODE: Final = 240
_SENTENCE: Final = re.compile(rf"(?!(?:{_LEVEL}|{_SPEAKER})\b)[A-Z][a-z]{{2,20}} [A-Za-z]")
_SAYS: Final = re.compile(rf"(?<!\w)(?!(?:{_WHO}|{_LEVEL})\b)[^\W\d_][\w'-]{{0,40}}\s{{1,8}}[\w('\"/]")
"""Two words that are no head of another message: what a message has at least."""
_REASON: Final = 200
_OLD_MESSAGE = re.compile(r"(?P<who>LLT|GAB|VCS):(?P<number>\d{1,6}): ?(?P<text>.*)$")
_SYSTEM = re.compile(r"\(([A-Za-z][\w.-]{0,127})\) ")  # the system that a message of the engine is about
_ON_SYSTEM = re.compile(
    r"\b(?:on (?:[Ss]ystem|node|sys)|is (?:online|offline) on) "
    r"(?!(?:all|and|any|each|every|has|if|is|more|no|node|or|sys|system|than|that|the|this|two|was|which|with)\b)"
    r"([A-Za-z][\w.-]{0,126})(?<!\.)"
)
"""Where the engine says on which system a group or a resource stands: ``is faulted on system carp1``."""
_HEAD_ALONE: Final = re.compile(
    r"(?:(?=[^\n]{0,120}\d:\d\d)[^\n]{0,120}\s)?"
    rf"(?:{_WHO} (?:[\w:-]{{1,24}} ){{0,2}}|UX:\w{{1,24}} (?:\w{{1,24}}: )?)?"
    rf"{_LEVEL}:? {_CODE}:?\s{{0,8}}$"
)
"""A message of which only level and number stand on the line, behind its moment at most: its words were torn off it,
if it is none of a list.
"""
_CLOCK: Final = re.compile(r"\d:\d\d")
"""A title without one explains a message, and what stands apart below it is no part of that."""
_NO_WORDS: Final = re.compile(
    r"(?:Causes?|Description|Explanation|Meaning|Recommend\w*|Severity|Solution|Symptom|Problem|Resolution|Notes?|See"
    r"|Error|Action|User [Rr]esponse|Workaround)\b"
    rf"|[#$%>|]|{_ISO}|{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d|\d{{4}}/\d\d/\d\d "
)
"""What no message goes on with: a prompt, a line with a stamp of its own, or a title of a manual."""
_LOOKED: Final = 2_000
"""Everyday messages of a section that are asked for their system; those behind seldom name a new one."""
_NUMBERED = re.compile(r"System ([A-Za-z0-9][\w.-]{0,126}) \(Node '?(\d{1,3})'?\) ")
_UNCODED_MESSAGE = re.compile(_UNCODED)
_KERNEL_MESSAGE = re.compile(_KERNEL)
_LEVELS: Final = {"A": "CRITICAL", "B": "ERROR", "C": "WARNING", "D": "NOTICE", "E": "INFO"}
_SOURCES: Final = {
    "LLT": "llt", "GAB": "gab", "VCS": "vcs", "V-14": "llt", "V-15": "gab", "V-16": "vcs", "V-35": "vcs",
    "V-11": "vxfen", "V-97": "vxfen", "V-5": "vxvm",
    "V-3": "vxfs", "V-41": "vxfs", "V-9": "installer",
}  # fmt: skip
# Nearly all lines of a big log: told apart by one pattern each, and the rest by the grammar above.
_PLAIN = re.compile(
    rf"([A-Z][a-z]{{2}}) {{1,2}}(\d{{1,2}}) (\d\d:\d\d:\d\d) ([\w.-]{{1,128}}) kernel: {_LEAD}"
    rf"((LLT|GAB) ({_LEVEL}) (V-1[45]-1-\d{{1,6}}) (.{{0,900}}))$"
)
_ENGINE_LINE = re.compile(
    rf"(\d{{4}}/\d\d/\d\d \d\d):(\d\d):(\d\d) "
    rf"(VCS ({_LEVEL}) (V-16-\d{{1,6}}-\d{{1,6}}) ([A-Za-z(].{{1,900}}(?<![:\s])))$"
)
_EVERYDAY = re.compile(r"(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) VCS (?:INFO|NOTICE) (V-16-\d{1,2}-\d{1,6}) ")


_AGENT_ENDS = re.compile(
    r" V-16-\d{1,6}-\d{1,6} (?:\([\w.-]{1,128}\) )?\w{2,32}:(?:[^\s:]{1,120}:(?:\w{3,16}:)?)?\s{0,8}$"
)
_ENTRY_ENDS = re.compile(r"[^\s:]{1,120}:(?:monitor|online|offline|clean|open|close|info|attr_changed|action):$")
"""A message of an agent whose words were folded behind its name, behind the resource or the entry point."""


class _When(NamedTuple):
    """Time and host of a line."""

    at: int | None
    zone_min: int | None
    host: str | None
    level: str | None
    end: int


PLACEHOLDER: Final = re.compile(
    r"\b(?:(?:object|system|resource|group|volume|disk|device|node|host|plex|snapshot|boot)_"
    r"(?:name|type|group|volume|path)"
    r"|service_group|mount_point|groupname|groupid|systemname"
    r"|hostname|diskname|volname|plexname|mediaid|Port port|process process)\b"
)
"""What a manual writes where a message names something: nobody logged such a message."""


def _is_mention(text: str, *, is_sentence: bool) -> bool:
    """Whether a line names the number of a message, which nobody says there: in a heading, or in a list of numbers."""
    return _SAYS.search(text) is None if is_sentence else not any(letter.isalnum() for letter in text)


def _of_system(text: str, when: _When) -> _When:
    """Time and host of what stands behind a message of the engine on its line."""
    message = _CODED.search(text[:_TEXT]) if text and when.host is None else None
    of = _SYSTEM.match(message["text"]) if message is not None and message["code"].startswith("V-16-") else None
    return when if of is None else when._replace(host=of[1])


def _parts(text: str, level: str) -> tuple[str, str, str, str] | None:
    """Source, code, severity and text of a message; None where a line is none."""
    if (message := _CODED.search(text[:_TEXT])) is not None and message.start() <= _BEFORE_CODE:
        source = _SOURCES.get("-".join(message["code"].split("-")[:2]), "infoscale")
        return source, message["code"], _level(text, message) or level, message["text"]
    if old := _OLD_MESSAGE.match(text):
        return _SOURCES[old["who"]], f"{old['who']}:{old['number']}", level, old["text"]
    if plain := _UNCODED_MESSAGE.match(text):
        return _uncoded(text, plain)
    if _OF_SCRIPT.match(text):
        return "vxfen", "", "", text
    if _KERNEL_MESSAGE.match(text):
        return "kernel", "", "", text
    return ("vxvm", "", "WARNING", text) if _BLOCK_ERROR.match(text) else None


class _Log:
    """The events of one section, written in columns."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._years = section.years
        self._rows: list[tuple[object, ...]] = []
        self._first: tuple[int, int | None] | None = None
        self._last: tuple[int, int | None] | None = None
        self._last_text = ""
        self._looked_n = 0
        self._last_us: int | None = None
        self._host: str | None = None
        self._is_of_several = False
        self._open: tuple[int, str, _When] | None = None
        self._heads = 0  # lines one behind another that held a number without words
        self._above: tuple[int, str, int] | None = None  # the last message: line, text, rows before it
        self._parts = 1
        self._ids: set[tuple[str | None, ...]] = section.state.setdefault("ids", set())

    def feed(self, number: int, text: str) -> bool:
        """One line; False where it is no message."""
        before = len(self._rows)
        plain = None if text[:1].isdigit() else _PLAIN.match(text)
        if plain is not None and self._feed_plain(number, plain):
            self._begin(number, text, before)
            return True
        text = text.lstrip()
        if self._open is not None and _CODED.search(text) is None and _NO_WORDS.match(text) is None:
            number, above, when = self._open
            self._open, self._heads = None, 0
            return self._message(number, f"{above} {text}", when)
        if self._open is not None:
            self._keep_open()
        if self._heads and _HEAD_ALONE.match(text) is None:
            self._heads = 0
        everyday = _EVERYDAY.match(text)
        if everyday is not None and is_everyday(everyday[2], text):
            if self._first is None:
                self._seen(*_full_time(everyday[1]), None)
            self._last_text = everyday[1]
            if self._looked_n < _LOOKED:
                self._name_system(number, text)
        elif not self._feed_engine(number, text) and not self._feed_any(number, text):
            return False
        self._begin(number, text, before)
        return True

    def _begin(self, number: int, text: str, before: int) -> None:
        """A message that the next lines may go on with. ``before``: rows above it, which may have been put out."""
        rows = len(self._rows)
        self._above = (number, text, min(rows, before))
        self._parts = 1

    def go_on(self, _: int, text: str) -> bool:
        """A line that goes on with the message above: what that said is read again with it; False where none is."""
        if self._above is None or self._parts >= _PARTS or self._heads > 1 or _CLAIMED.match(text.lstrip()) is not None:
            return False
        number, above, before = self._above
        parts, joined = self._parts + 1, f"{above} {text.strip()}"[: _TEXT + _BEFORE_CODE]
        self._open = None
        del self._rows[before:]
        self.feed(number, joined)
        self._above, self._parts = (number, joined, before), parts
        return True

    def _feed_plain(self, number: int, match: re.Match[str]) -> bool:
        """A line of LLT or GAB in a system log; False where several messages stand on it."""
        month, day, clock, host, text, who, level, code, message = match.groups()
        if " V-" in message:
            return False
        at, source = self._years.stamp(month, day, clock), _SOURCES[who]
        found = meaning(source, code, level, message)
        if found is not None:
            self._rows.append((number, host, at, None, source, *found[:5], text))
        if host != self._host or self._first is None or len(self._rows) >= _ROWS:
            self._seen(at, None, host)
        self._last_us = at
        return True

    def _feed_engine(self, number: int, text: str) -> bool:
        """A whole message of the engine in its own log; False where it is not the only one of its line."""
        match = _ENGINE_LINE.match(text)
        hour = _hour(match[1]) if match is not None and " V-" not in match[7] else None
        if match is None or hour is None or match[2] > "59" or match[3] > "59":
            return False
        at = hour + (int(match[2]) * 60 + int(match[3])) * 1_000_000
        self._tell_engine(number, at, *match.group(4, 5, 6, 7))
        self._seen(at, None, None)
        return True

    def _feed_any(self, number: int, text: str) -> bool:
        if _BELOW.match(text) is not None:
            return True
        when = self._untagged(text) or self._dated(text) or self._when(text)
        understood = False
        of, above = when, ""
        is_sentence = when.end == 0 and _SENTENCE.match(text) is not None
        for part in _SPLIT.split(text[when.end :]):
            of, above = _of_system(above, of), part  # what an agent passes on speaks of the system of the agent
            named = _CODED.search(part) if when.end == 0 and _HEAD_ALONE.match(text) is None else None
            if named is not None and _is_mention(named["text"], is_sentence=is_sentence):
                understood, above = True, ""
                continue
            understood = self._message(number, part.strip(), of) or understood
        if understood:
            self._seen(when.at, when.zone_min, when.host)
        return understood

    def _seen(self, at: int | None, zone_min: int | None, host: str | None) -> None:
        if at is not None:
            self._last, self._last_text, self._last_us = (at, zone_min), "", None
            self._first = self._first or self._last
        if host is not None and self._host not in (None, host):
            self._is_of_several = True
        self._host = self._host or host
        if len(self._rows) >= _ROWS:
            self.flush()

    def _when(self, text: str) -> _When:
        match = _PREFIX.match(text)
        if match is None:  # all its parts may be missing
            return _When(None, None, None, None, 0)
        month, day, clock, host, iso, host2, level, engine, host3, number, date, time = match.groups()
        if number is not None:
            named = MONTHS[int(number) - 1] if 1 <= int(number) <= 12 else ""
            return _When(self._years.stamp(named, date, time), None, None, None, match.end())
        if month is not None:
            return _When(self._years.stamp(month, day, clock), None, host, None, match.end())
        if iso is not None or engine is not None:
            at, zone = _full_time(iso or engine)
            return _When(at, zone, host2 or host3, _LEVELS.get(level or ""), match.end())
        return _When(None, None, None, None, match.end())

    def _untagged(self, text: str) -> _When | None:
        """A line of a system log without a program: it goes on with the message above."""
        match = _UNTAGGED_LINE.match(text)
        if match is None:
            return None
        month, day, clock, host = match.groups()
        return _When(self._years.stamp(month, day, clock), None, host, None, match.end())

    def _dated(self, text: str) -> _When | None:
        """A line behind a date with its weekday."""
        match = _DATE.match(text)
        return None if match is None else _When(*_full_time(match[0]), None, None, match.end())

    def _message(self, number: int, text: str, when: _When, *, is_cut: bool = False) -> bool:
        """is_cut: nothing came that goes on with it."""
        parts = _parts(text, when.level or "")
        if parts is None:
            return False
        source, _, severity, words = parts
        if when.at is None and (self._section.is_example or PLACEHOLDER.search(words) is not None):
            return False
        if not words.strip(" :") and _HEAD_ALONE.match(text) and self._is_torn(number, text, when, is_cut=is_cut):
            if is_cut or self._heads > 1:
                self._put_wordless(number, source, severity, text)
            return True
        if text.endswith(":") and (when.at is None or _AGENT_ENDS.search(text) is not None):
            self._open = (number, text, when)  # the reason comes on the next line
            return True
        self._tell(number, when, parts, text)
        return True

    def _tell(self, number: int, when: _When, parts: tuple[str, str, str, str], text: str) -> None:
        """The event of a whole message."""
        source, ident, severity, words = parts
        found = meaning(source, ident, severity, words.strip())
        if found is not None:
            if when.at is None and when.host is None:  # the answer of a command
                found = found._replace(about=object_spoken_of(found.about, self._section.command))
            of = _spoken_of(words) if source == "vcs" else None
            node = (of[1] if of else None) or found.on or when.host or self._section.node
            self._name_id(number, words)
            put_names(self._section, number, found, node)
            self._rows.append((number, node, when.at, when.zone_min, source, *found[:5], text[:_TEXT].rstrip()))

    def _tell_engine(self, number: int, at: int, text: str, level: str, ident: str, words: str) -> None:
        """The event of a whole message in the engine's own log."""
        found = meaning("vcs", ident, level, words)
        if found is None:
            return
        of = _spoken_of(words)
        node = (of[1] if of else None) or found.on or self._section.node
        if words.startswith("System "):
            self._name_id(number, words)
        if found.peers or found.on:
            put_names(self._section, number, found, node)
        self._rows.append((number, node, at, None, "vcs", *found[:5], text))

    def _put_wordless(self, number: int, source: str, severity: str, text: str) -> None:
        """One of a list, or the last line of a cut text: nobody can say what it told."""
        if severity in ("ERROR", "CRITICAL"):
            row = (_UNLISTED, None, None, "", "notice")
            self._rows.append((number, self._section.node, None, None, source, *row, text[:_TEXT].rstrip()))

    def _is_torn(self, number: int, text: str, when: _When, *, is_cut: bool) -> bool:
        """Whether a number without words says nothing yet: its words stand on the next line, or it is one of a list."""
        self._heads += not is_cut
        if not is_cut and self._heads == 1:
            self._open = (number, text, when)
            return True
        return when.at is None

    def _keep_open(self) -> None:
        """A message whose reason did not come is put out without it."""
        if self._open is not None:
            number, above, when = self._open
            self._open = None
            self._message(number, f"{above} ", when, is_cut=True)

    def _name_id(self, number: int, text: str) -> None:
        """VCS prints the LLT id beside the name of a system."""
        named = _NUMBERED.match(text)
        if named is not None and named.groups() not in self._ids and len(self._ids) < _IDS:
            self._ids.add(named.groups())
            self._out.add(NodeAlias(line=number, node=named[1], alias=named[2], kind="id"))

    def _name_system(self, number: int, text: str) -> None:
        """The system of an everyday message of the engine: it is there, whatever nobody said of it."""
        self._looked_n += 1
        of = _ON_SYSTEM.search(text)
        if of is not None:
            name_nodes(self._section, number, (of[1],), self._section.node)

    def flush(self) -> None:
        """Hand the events over, and say what the section speaks about."""
        section = self._section
        self._keep_open()
        if self._rows:
            self._out.extend(Event, **dict(zip(_COLUMNS, zip(*self._rows, strict=True), strict=True)))
            self._rows.clear()
        if self._host is not None and not self._is_of_several:
            section.is_on(self._host, "line prefix", stays=False)
        if self._last_us is not None:
            self._last = (self._last_us, None)
        if self._last_text:
            self._seen(*_full_time(self._last_text), None)
        for known in (self._first, self._last):
            if known is not None:
                section.stamp(Instant(*known))


_COLUMNS: Final = ("line", "node", "at", "zone_min", "source", "kind", "about", "value", "unit", "weight", "text")


def _level(text: str, message: re.Match[str]) -> str:
    """The level that stands in front of the number of a message, or behind it in brackets."""
    spoken = _SPOKEN_LEVEL.search(text, 0, message.start())
    return spoken[0].upper() if spoken else _SHORT_LEVELS.get(message["level"] or "", "")


def _spoken_of(text: str) -> re.Match[str] | None:
    """The system on which stands what a message of the engine is about. Of a system itself every other one speaks:
    such a line stays the one of its log, whose clock it tells.
    """
    return _SYSTEM.match(text) or _ON_SYSTEM.search(text)


def _uncoded(text: str, head: re.Match[str]) -> tuple[str, str, str, str]:
    """Source, no number, level and text of a message that has no number."""
    spoken = _SPOKEN_LEVEL.search(head[0])
    source = "vxfen" if text.startswith("VXFEN") else _SOURCES.get(text[:3], "vxvm")
    if spoken is not None:
        return source, "", spoken[0], text[head.end() :]
    return source, "", "", text.partition(":")[2] if source == "vxvm" else text


@lru_cache(maxsize=65536)
def _full_time(text: str) -> tuple[int | None, int | None]:
    found = find_instant(text)
    return (found[0].us, found[0].zone_min) if found else (None, None)


@lru_cache(maxsize=4096)
def _hour(text: str) -> int | None:
    """Of a date with its hour; the engine prints no zone."""
    return _full_time(f"{text}:00:00")[0]


_CLAIMED = re.compile(_CLAIMS)


_OF_A_TOOL: Final = re.compile(r"(?:VxVM|VCS|VxFS|UX:\w{2,8}) [^\n]{44,90}(?<![.!?:;])$")
_REASONS = re.compile(r"(?:[Rr]eason|REASON|[Ee]rrno|ERROR|Error)\b ?[:=]? ?\S")


def _goes_on(text: str, before: str) -> bool:
    """Whether a line without a head tells the reason of the message above."""
    if _HEAD_ALONE.match(before.strip()) is not None and (before[-1:] != "\n" or _CLOCK.search(before) is not None):
        plain = text.lstrip()
        return len(plain) <= _TEXT and _CLAIMED.match(plain) is None and _NO_WORDS.match(plain) is None
    if before.endswith("\n") or len(text) > _REASON:
        return False
    if _AGENT_ENDS.search(before) is not None or _ENTRY_ENDS.match(before.strip()) is not None:
        return True
    if _REASONS.match(text.lstrip()) is not None and _CLAIMED.match(before.strip()) is not None:
        return True
    return _is_wrapped(text.strip(), before.strip())


def _is_wrapped(text: str, above: str) -> bool:
    """Whether a message of a tool was broken at a blank: put together it says what it does not say as it stands."""
    if _OF_A_TOOL.match(above) is None or not text[:1].isalpha() or _CLAIMED.match(text) or _NO_WORDS.match(text):
        return False
    coded = _CODED.search(above)
    source = "" if coded is None else _SOURCES.get("-".join(coded["code"].split("-")[:2]), "")
    if coded is None or not source:
        return False
    whole, part = (find(source, words, code=coded["code"]) for words in (f"{coded['text']} {text}", coded["text"]))
    return whole is not None and (part is None or part.kind != whole.kind)


def _owns(text: str, before: str) -> bool:
    """A further message, the reason below one of a tool that ends in a colon."""
    if _CLAIMED.match(text.lstrip()) or _BELOW.match(text.strip()):
        return True
    above = before.lstrip()
    if above.endswith(":") and len(text) <= _REASON and above.startswith(("VxVM ", "VCS ", "UX:", "VxFS ")):
        return True
    return _goes_on(text, before)


@parser("veritas_log", messages=True, version=19, product="veritas", claims=_CLAIMS, owns=_owns, priority=-1)
def veritas_log(section: OpenSection, out: Output) -> None:
    """Messages of LLT, GAB, VCS, I/O fencing and CVM."""
    log = _Log(section, out)
    read_table(section, out, log.feed, "a message without its number", log.go_on)
    log.flush()
