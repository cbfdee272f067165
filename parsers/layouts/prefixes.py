"""What tools and people put in front of every line of an output: stamps, nodes, line numbers, bars, JSON strings.

    Mar  5 10:15:07 Waiting 2.5 sec since ...                       ts
    2024-03-05T10:15:07+01:00 carp1 collect[4711]: Waiting ...      a journal: stamp, node and program
    10:15:07.220 | carp1:  Current GPFS build: "5.1.8.1 ".          several at once
        12  pagepool 16G                                            cat -n, less -N; also "Line 12: pagepool 16G"
    2024-03-05 10:15:07 carp1  | Waiting ...                        docker compose
    2024-03-05T10:15:07.220411+01:00 stderr F Waiting ...           the file of a container
    2024-03-05T10:15:07Z carp1/messages Mar  5 10:15:07 carp1 ...   a stream of a store of logs
    carp1.example.net Mar  5 10:15:07 carp1 kernel: ...             a log that was asked of its node
    - 1709630107 2024.03.05 carp1 Mar  5 10:15:07 carp1 sshd: ...   the same in a collection of logs
    10:15:07.220 AM  Mar  5 10:15:07 carp1 kernel: ...              a page that shows a log
    2024-03-05 10:15:07.220411 I | 05/03/2024 10:15:07 : epoch ...  an operator that prints what its program says
    [pod/carp1/gpfs] Waiting ...                                    kubectl; also [storage/carp1-core mmfs]
    carp1 kernel: INFO: task imapd:7312 blocked for ...             a system log whose stamps were cut off
    carp1 Waiting 2.5 sec since ...                                 a waiter behind words of any sort
    coll/carp1/waiters.txt:12:Waiting ...                           grep over files, also with line numbers
    [09:14] anna: Waiting 2.5 sec since ...                         a chat; also "02.03.27, 09:14 - anna: ", "<anna> "
    "Waiting 2.5 sec since ...",                                    a list of lines in JSON, as Ansible prints it

They go only where nobody claims the line with them and somebody claims it without, or where it is structure without: a
prompt, a banner. The lines below lose the same sort of prefix too, so that rows of a table follow their head. Stamp and
node are kept beside the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from parsers.enclosed.exported import names_host
from parsers.headings.node_banners import looks_like_host, shape
from parsers.headings.paths import suggested_node
from parsers.headings.transcript import match_mark, match_prompt
from parsers.layouts.bullets import without_bullet
from parsers.ledger import Fate
from parsers.lookup import Parser, claimed, known_alone, programs
from parsers.messages.catalogue import program_names
from parsers.text import Line
from parsers.times.clock import MONTH, MONTHS, Instant, find_instant, time_of_day
from parsers.times.years import Years

MOST: Final = 4
GUESSED: Final = -50
"""Priority of a reader that goes by shape alone: what it would take does not prove that a prefix was taken off."""
_OF_COPIES: Final = frozenset(("bar", "cells", "number", "file"))
"""Prefixes that a copy of the text got, and no program that printed it."""
_OF_FORWARDERS: Final = frozenset(("pod", "file"))
"""Prefixes that name who passed a log on or keeps it: a line that names its own host is of that one."""
_LOGGED_BY: Final = "logged by "
_OF_HEADINGS: Final = frozenset("=#*~")
"""What a heading that names a node begins with, whatever stands in front of it."""
_BLANKS: Final = (" ", "\t")
RULER: Final = 40
MOST_LEFT_OUT: Final = 200
LONGEST: Final = 20_400
_CLOCK: Final = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ISO: Final = rf"\d{{4}}-\d\d-\d\d[T _]{_CLOCK}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_STAMP: Final = re.compile(
    rf"[ \t]{{0,8}}[\[(<]?(?P<stamp>{_ISO}"
    rf"|[A-Z][a-z]{{2}} \d{{4}}-\d\d-\d\d {_CLOCK}(?: [A-Z]{{3,5}}| [+-]\d\d(?::?\d\d)?)?"
    rf"|\d{{4}} {MONTH} [ \d]?\d {_CLOCK}"
    rf"|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}},? \d{{1,2}}:\d\d:\d\d(?: [AP]M)?"
    rf"|(?:[A-Z][a-z]{{2}} )?{MONTH} [ \d]?\d {_CLOCK}(?: "
    rf"[A-Z]{{3,4}})?(?: \d{{4}})?|{_CLOCK}(?: [AP]M)?)[\])>]?"
    r"(?P<end>[ \t]{0,3}(?:[DINWEC] (?=\|))?[|:;-]?(?:[ \t]|$))"
)
_COLLECTED: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) ")
_DATED: Final = re.compile(
    rf"[\[(]?(?:\d{{4}}[-/]\d\d[-/]\d\d[T _]|\d\d[./]\d\d[./](?:\d\d)?\d\d,? |{MONTH} [ \d]?\d )\d\d:\d\d"
    r"[^\n]{1,200}?[A-Za-z]{2}"
)
"""A stamp of any program, and a word behind it."""
_OF_DMESG: Final = re.compile(rf"[A-Z][a-z]{{2}} {MONTH} [ \d]?\d {_CLOCK} \d{{4}}$")
_LOGGED: Final = re.compile(
    r"(?P<host>[A-Za-z0-9][\w.-]{0,126}) (?P<program>[A-Za-z_][\w./@-]{0,63})(?:\[\d{1,10}\])?: ?"
)
_PLAYED: Final = re.compile(r"p=\d{1,9} u=\S{1,64} (?:n=\S{1,64} )?(?:[A-Z]{3,10} ?)?\| ?")
"""What a playbook puts in front of a line of its own log."""
_STREAM: Final = re.compile(r"(?:std(?:out|err) [FP]|\d\d[OE]) ")
"""Of a container, or of a runner of jobs."""
_OWN_STAMP: Final = rf"(?=(?:{_ISO}|\d{{4}}/\d\d/\d\d {_CLOCK}|{MONTH} [ \d]?\d {_CLOCK})[ :])"
_OF_STORE: Final = re.compile(rf"(?P<path>[\w.:@+-]{{0,126}}/[\w./:@+-]{{1,200}})[ \t]{{1,4}}{_OWN_STAMP}")
"""The name of a stream of a store, in front of a line with its own stamp."""
LONGEST_STAMP: Final = 100
"""Characters of a stamp with the host behind it."""
_IS_STAMPED: Final = re.compile(_OWN_STAMP)
_OF_KERNEL: Final = re.compile(r"\[[ \d]{1,8}\.\d{6}\] ")
"""The time since boot, as the kernel prints it."""
_PROMPTED: Final = re.compile(
    r"(?:- )?(?:1\d{9}(?:\.\d{1,9})? )?(?:(?:19|20)\d\d[./-]\d\d[./-]\d\d )?"
    rf"(?P<host>[A-Za-z][\w.-]{{1,126}})[ \t]{{1,4}}{_OWN_STAMP}"
)
"""A node that was asked for its log, in front of a line with its own stamp; a collection of logs counts the seconds and
writes the day in front of it."""
_TAG: Final = re.compile(r"(?P<host>[A-Za-z][\w.-]{1,126})(?:: {0,2}| {8}| |$)")
_HOST: Final = re.compile(
    r"[ \t]{0,4}(?P<host>(?![0-9a-f]{16}:)[A-Za-z0-9][\w.-]{1,126})(?: (?:kernel|vmunix|unix))?: {1,2}(?=\S| )"
    r"|[ \t]{0,4}(?P<alone>[A-Za-z0-9][\w.-]{1,126}):$"
    r"|[ \t]{0,4}(?:[\w.-]{1,126}@)?(?P<piped>[A-Za-z][\w.-]{1,126})[ \t]{0,30}\|(?: |$)"
)
"""No address of memory is one."""
_PROVISIONED: Final = re.compile(
    r"(?:[\w-]{1,60}(?:\[[^\]]{1,60}\])?\.){0,6}(?P<host>[A-Za-z][\w-]{0,62})"
    r"(?:\[[^\]]{1,60}\])? \((?:remote|local)-exec\): "
)
"""A resource of a plan on which a command runs."""
_SET_OFF: Final = re.compile(
    r"(?:(?P<padded>(?![0-9a-f]{4,16}-[0-9a-f]{4,16} )[A-Za-z][\w.-]{1,126}) {1,30}: ?"
    r"|\((?P<boxed>[A-Za-z][\w.-]{1,126})\) )(?=\S| )"
)
"""A node in a column of its own, or in brackets; no range of memory is one."""
_OF_DOMAIN: Final = re.compile(r"(?P<host>[A-Za-z][\w-]{0,62}(?:\.[A-Za-z][\w-]{0,62}){2,6}) (?=\S| |$)")
"""A node with its domain, and nothing else between it and the line."""
_OF_CONSOLE: Final = re.compile(r"(?P<host>[A-Za-z][\w.-]{0,126}) {1,4}(?=\[[ \d]{1,8}\.\d{6}\] \S)")
"""A machine in front of what its kernel prints on its console."""
_OF_WAITER: Final = re.compile(
    r"(?P<words>(?:[\w.:@/+=*#-]{1,126}(?:[ \t]{0,8}[;,>|][ \t]{0,8}|[ \t]{1,8})){1,4})"
    r"(?=Waiting \d{1,9}\.\d{1,9} sec(?:onds)? since \d|0x[0-9A-Fa-f]{6,16} (?:\([ \d]{1,12}\) )?waiting \d{1,9}\.\d)"
)
"""Words of any sort in front of a waiter of Storage Scale, which nothing else looks like."""
_ADDRESS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_TAILED_POD: Final = re.compile(
    r"(?P<host>[A-Za-z0-9][\w.-]{1,126}) [A-Za-z][\w.-]{0,62} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z "
)
"""A pod, its container and a moment."""
_LEVEL: Final = r"(?i:info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|debug|trace|alert|panic|emerg|kernel)\b"
_REMARKED: Final = re.compile(
    r"[ \t]{0,4}(?:[\[(]?(?:(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{2,4}),? )?"
    r"(?P<clock>\d{1,2}[:.]\d\d(?:[:.]\d\d)?)(?: ?(?P<half>[AaPp])[Mm])?"
    rf"[\])]?(?: -|,)? (?:<(?!{_LEVEL})[^<>]{{1,40}}>"
    rf"|(?!{_LEVEL})[^\W\d_][\w.'-]{{0,30}}(?: [^\W\d_][\w.'-]{{0,30}}){{0,2}}:)"
    rf"|<(?!{_LEVEL})[A-Za-z][\w.-]{{0,30}}>)(?: |$)"
)
"""Who said something in a chat, with the time of day: minutes, where a log has seconds."""
_REMARK: Final = re.compile(r"(?:[^\W\d_][^\W\d_'\u2019-]{0,30}[,.!?;:)]{0,3}(?: |$)){1,12}")
"""Plain words of a person: what a chat holds between outputs."""
_PRIORITY: Final = re.compile(
    r"(?:kern|user|mail|daemon|auth(?:priv)?|syslog|lpr|news|uucp|cron|ftp|local[0-7])\."
    r"(?:emerg|panic|alert|crit|err(?:or)?|warn(?:ing)?|notice|info|debug)"
)
"""What a relay of system logs puts in front: who wrote the message, and its level."""
_POD: Final = re.compile(
    r"[ \t]{0,8}(?:\*\* )?\[(?:out :: |err :: )?(?:pod/(?P<pod>[A-Za-z0-9][\w.-]{1,126})"
    r"|(?:[\w.-]{1,126}/|[\w.-]{1,64}@(?=[^\]\s]{1,126} [^\]\s]{1,126}\]\[[A-Z]{4,7}\]))?"
    r"(?P<host>[A-Za-z0-9][\w.-]{1,126}))(?:[ /][\w.@=/-]{1,126})?\](?:\[[A-Z]{4,7}\])?(?:$| {1,3}(?:(?:out|err): ?)?)"
)
"""Behind a node may stand the step of a runner of jobs, and its level."""
_WORDS: Final = re.compile(r"[ \t]{0,8}\[[A-Za-z]{2,20} [a-z]{2,20}\] ")
_OF_MAIL: Final = re.compile(r"(?:subject|betreff|objet|asunto|oggetto|assunto|re|aw|fwd?|wg|tr)", re.IGNORECASE)
_SUBJECT: Final = "subject"
_RAN: Final = re.compile(r"\[[\w.@-]{1,126}\] (?:sudo|run|local): (?=\S)")
"""What a tool tells it is about to run on a node."""
_NUMBER: Final = re.compile(
    r"[ \t]{0,8}(?:(?:[Ll]ine|Zeile|[Ll]igne) (?=\d{1,7}:))?(?P<number>(?!0{1,7}[ \t])\d{1,7})"
    r"(?:(?P<mark>[:|])[ \t]{0,8}|(?P<dot>[.)])[ \t]{1,8}|[ \t]{1,8}|$)"
)
_BAR: Final = re.compile(r"[ \t]{0,8}(?:[|>\u2502][ \t]?){1,8}|\+(?![+-])")
"""Of a box, a quotation or what was added by a change."""
_RULER: Final = re.compile(
    r"[ \t]{0,8}\|[ \t]{0,8}:?-{2,200}:?[ \t]{0,8}(?:\|[ \t]{0,8}:?-{2,200}:?[ \t]{0,8}){0,60}\|?[ \t]{0,8}$"
)
"""What stands below the head of a table in Markdown."""
_LAST_BAR: Final = re.compile(r"(?<=\S)[ \t]{0,400}\|$")
_CELL_END: Final = re.compile(r"[ \t]{0,400}\|{1,2}[ \t]{0,400}")
_FILE: Final = re.compile(
    r"(?P<path>[\w./@+-]{1,250}(?:/[\w.@+-]{1,120}|\.(?:txt|out|log|dat|waiters)(?:[.-][\w-]{1,64}){0,8})"
    r"|(?:messages|syslog)[.-][\w.-]{1,64}|[A-Za-z][\w.@+-]{0,120}(?=:\d{1,8}:)):(?:\d{1,8}:)?"
)
_STRING: Final = re.compile(r"[ \t]{0,40}\"(?P<text>(?:[^\"\\]|\\.){0,20000})\",?[ \t]*$")
_ESCAPES: Final = {
    "\\t": "        ",
    "\\n": " ",
    '\\"': '"',
    "\\\\": "\\",
    "\\/": "/",
    "\\u003c": "<",
    "\\u003e": ">",
    "\\u0026": "&",
    "\\u001b": "",
}
_ESCAPE: Final = re.compile(r"\\u00[0-9a-f]{2}|\\.")
_NAMES_FILE: Final = re.compile(
    r"[\w./@+-]{0,100}\.(?:txt|out|log|dat)(?:[.-][\w.-]{1,100})?:|(?:messages|syslog)[.-][\w.-]{1,64}:"
    r"|[A-Za-z][\w.@+-]{0,120}:\d{1,8}:"
).match
CarriedPrefixes = tuple[tuple[str, ...], frozenset[str], int, int | None, int]
MOST_HOSTS: Final = 5_000
_ANY_FIRST: Final = frozenset('[(<|>+*" \t\u2502')


def _no_host(_: str) -> str | None:
    return None


class _Peeled(NamedTuple):
    """What is left of a line, and what stood in front of it; ``sorts`` names the prefixes."""

    text: str
    sorts: tuple[str, ...] = ()
    stamp: str = ""
    host: str = ""
    number: int = 0


class Prefixes:
    """Takes prefixes off the lines of one text."""

    def __init__(self) -> None:
        self._kept: tuple[str, ...] = ()
        self.named: frozenset[str] = frozenset()
        """Plain words in front of lines that are names of nodes by all of the text."""
        self.tags: frozenset[str] = frozenset()
        """Names of nodes one of which stands in front of every line of the text, without a mark."""
        self.host_of: Callable[[str], str | None] = _no_host
        """The node that a heading names, by all of the text."""
        self._hosts: frozenset[str] = frozenset()
        """Nodes in front of lines so far: the next row of a table may be of any of them."""
        self._shapes: frozenset[str] = frozenset()
        self._number = 0
        self._offset: int | None = None
        """How far the number in front of the last line with one was from its own: they count where that stays."""
        self.is_plain = False
        """Whether no figure of the last line decided that it stays as it is."""
        self.is_plain_anywhere = False
        """Whether no other line did, either."""
        self._stamp_words = 0
        """Words of the stamp in front of a prompt: then all lines of the session have such a one, and none is one of a
        system log.
        """

    def has_one_host(self) -> bool:
        """Whether one and the same node stands in front of the lines that were looked at in turn."""
        return len(self._hosts) == 1

    @property
    def state(self) -> tuple[object, ...]:
        """What decides, beside a line itself, what is taken off it: equal states, equal answers."""
        return self._kept, len(self._hosts), self._stamp_words

    @property
    def state_of_all(self) -> tuple[object, ...]:
        """The same for lines that are plain anywhere, in any text."""
        return self._kept, self.named, self.tags, self._stamp_words

    @property
    def carried(self) -> CarriedPrefixes:
        """What the lines so far had in front of them."""
        return self._kept, self._hosts, self._number, self._offset, self._stamp_words

    @carried.setter
    def carried(self, value: CarriedPrefixes) -> None:
        self._kept, self._hosts, self._number, self._offset, self._stamp_words = value
        self._shapes = frozenset(map(shape, self._hosts))

    def peel(self, line: Line) -> Line:
        """The line without what stands in front of it."""
        text, self.is_plain, self.is_plain_anywhere = line.text, False, False
        if not text or len(text) > LONGEST:
            return line
        if (same := self._like_all(line)) is not None:
            return same
        if text.lstrip()[:1] == "|" and self._kept[:1] == ("bar",) and _RULER.match(text) is not None:
            return replace(line, text="-" * RULER)  # as tools print one, and as their readers know it
        first = _without_one(_Peeled(text), self.named) if _may_begin(text) else None
        if first is None:
            self.is_plain = self.is_plain_anywhere = True
            return without_bullet(line)
        owner = self._owner(first, line)
        if owner is None and _is_collected(text, first):
            return self._within(replace(line, text=first.text))
        self.is_plain = self._depends_on_letters_only(first, owner)
        if first.number and not self._counts(first.number, line.number, is_known=owner is not None):
            return without_bullet(line)
        if owner is not None and owner.priority >= 0 and first.sorts[0] not in _OF_COPIES:
            self.is_plain_anywhere = not first.number
            return without_bullet(line)  # its own stamp: such a line is never taken apart, see _goes_before
        if _is_prompt(text, first):
            return line
        # A message without its head is whole; and _goes_before says no to whatever stands behind a stamp of no journal.
        if _is_whole(text, first, owner):
            return without_bullet(line)
        found = self._without_all(first, line, owner)
        if owner is None and self._is_remark(first):
            return replace(line, text=first.text, fate=Fate.ASIDE)
        if found is None:
            return without_bullet(line)
        self._keep(found)
        is_session = found.sorts == ("stamp",) and match_prompt(found.text, programs()) is not None
        self._stamp_words = len(found.stamp.split()) if is_session else 0
        return replace(line, text=found.text, stamp=found.stamp, host=_host_of(found))

    def _is_remark(self, first: _Peeled) -> bool:
        """Whether somebody said in a chat what names no node and is known to nobody."""
        is_in_chat = first.sorts == ("said",) and _REMARK.fullmatch(first.text) is not None
        return is_in_chat and not _is_known(first.text) and self.host_of(first.text) is None

    def _depends_on_letters_only(self, first: _Peeled, owner: Parser | None) -> bool:
        """Whether all lines of a line's shape stay as they are where it does."""
        if owner is not None and first.sorts[0] not in _OF_COPIES:
            return True
        if first.sorts == ("stamp",) and not first.text:
            return not self._kept  # a date alone, which stays one
        return first.sorts == ("number",) and self._longest(first) is None

    def _without_all(self, first: _Peeled, line: Line, owner: Parser | None) -> _Peeled | None:
        """The line without all that stands in front of it; None where it is to stay as it is."""
        found = self._longest(first)
        if found is None or (owner is not None and not (_goes_before(found, owner) or self._is_carried(found, owner))):
            return self._empty_of(first, line)
        is_new = found.number and not first.number  # behind something else
        return found if not is_new or self._counts(found.number, line.number, is_known=owner is not None) else None

    def _is_carried(self, found: _Peeled, owner: Parser) -> bool:
        """Whether a line stands behind the same program as the one above, which only carries what others print."""
        return owner.priority < 0 and found.sorts == self._kept and self._is_host(found.host) and _is_carrier(found)

    def _keep(self, found: _Peeled) -> None:
        """What the next line may well have in front of it too."""
        if found.sorts != self._kept:
            self._hosts = self._shapes = frozenset()
        if found.host not in self._hosts and len(self._hosts) < MOST_HOSTS:
            self._hosts |= {found.host}
            self._shapes |= {shape(found.host)}
        self._kept, self._number = found.sorts, found.number

    def peeled(self, line: Line) -> Line:
        """What ``peel`` would make of a line that is not read yet."""
        before = (self._kept, self._hosts, self._shapes, self._number, self._offset, self._stamp_words)
        found = self.peel(line)
        self._kept, self._hosts, self._shapes, self._number, self._offset, self._stamp_words = before
        return found

    def _like_all(self, line: Line) -> Line | None:
        """The line without what stands in front of all lines of the text; None where that is nothing."""
        if self.tags and (tag := _TAG.match(line.text)) is not None and tag["host"] in self.tags:
            return self._behind_tag(line, tag)
        if self._stamp_words and (match := _STAMP.match(line.text)):
            return self._without_stamp(line, match)
        return None

    def _behind_tag(self, line: Line, tag: re.Match[str]) -> Line:
        """The line behind the node that stands in front of all lines, without what else stands there."""
        tags, self.tags = self.tags, frozenset()
        found = self.peel(replace(line, text=line.text[tag.end() :]))
        self.tags = tags
        self.is_plain = self.is_plain_anywhere = False  # the name tells, and no shape
        return replace(found, host=found.host or tag["host"])

    def _without_stamp(self, line: Line, match: re.Match[str]) -> Line:
        """The line behind a stamp of as many words as that of the prompt: a year or a zone may be a word of
        the line.
        """
        words = match["stamp"].split()
        if len(words) <= self._stamp_words:
            return replace(line, text=line.text[match.end() :], stamp=match["stamp"])
        stamp = " ".join(words[: self._stamp_words])
        begin = line.text.find(words[self._stamp_words], match.start("stamp") + len(stamp))
        return replace(line, text=line.text[begin:], stamp=stamp)

    def _within(self, line: Line) -> Line:
        """A line that stood behind the stamp of a collector, without what stands in front of it there."""
        inner = self.peel(line)
        self.is_plain = self.is_plain_anywhere = False
        return inner

    def _owner(self, first: _Peeled, line: Line) -> Parser | None:
        """Who knows the line as it stands. Nobody, where a bare number comes next in a text whose lines above had
        theirs, whatever a row of figures may look like.
        """
        comes_next = bool(self._number) and first.number == self._number + 1
        return None if comes_next and line.number - first.number == self._offset else claimed(line.text)

    def _counts(self, number: int, line: int, *, is_known: bool) -> bool:
        """Whether a bare number in front of a line counts lines: it is the line's own, is as far from it as the one
        before, or follows the one above; else it is data. In front of what is known as it stands: only the latter.
        """
        before, self._offset = self._offset, None if is_known else line - number
        if not is_known and (number in (1, line) or line - number == before):
            return True
        return bool(self._number) and 0 <= number - self._number <= MOST_LEFT_OUT

    def _longest(self, first: _Peeled) -> _Peeled | None:
        """After each prefix that is taken off: is what is left known? Else as many as were taken off the line above."""
        found, same = first, None
        for _ in range(MOST):
            names_node = _names_node(found) or (found.sorts == ("host",) and found.host in self.named)
            if _is_known(found.text) or (names_node and match_mark(found.text) is not None):
                return found
            is_heading = set(found.sorts) <= _OF_COPIES or found.text[:1] in _OF_HEADINGS
            if is_heading and self.host_of(found.text) is not None:
                return found
            if _one_sort(found.sorts) == _one_sort(self._kept) and self._is_host(found.host):
                same = found
            longer = _without_one(found, self.named)
            if longer is None:
                break
            found = longer
        return same

    def _empty_of(self, first: _Peeled, line: Line) -> _Peeled | None:
        """An empty line of a node that no line before was of: a tool prints blanks behind its name, and a caption has
        none there.
        """
        is_like_above = first.sorts == self._kept == ("host",) and looks_like_host(first.host)
        return first if is_like_above and not first.text.strip() and line.raw.rstrip("\r\n")[-1:] in _BLANKS else None

    def _is_host(self, host: str) -> bool:
        """Whether a node stood in front of lines above, or one whose name differs in the number only."""
        return host in self._hosts or (bool(host) and shape(host) in self._shapes)


def _host_of(found: _Peeled) -> str:
    """The host in front of a line, which is not that of who passed it on where the line names its own."""
    is_copied = not _OF_FORWARDERS.isdisjoint(found.sorts) and names_host(found.text)
    return "" if is_copied else found.host


def _one_sort(sorts: tuple[str, ...]) -> tuple[str, ...]:
    """Rows of one table stand between bars, however many cells they have."""
    return sorts[:-1] if sorts[-1:] == ("cells",) else sorts


def stamped(stamp: str, years: Years) -> Instant | None:
    """The moment that a stamp tells: whole, without a year, or only the time of day."""
    if (found := find_instant(stamp)) is not None:
        return found[0]
    words = stamp.split()
    month = next((at for at, word in enumerate(words) if word in MONTHS), None)
    if month == 1 and words[0].isdigit() and len(words) > month + 2:  # the year in front
        found = find_instant(f"{words[2]} {words[1]} {words[0]} {words[3]}")
        return found[0] if found is not None else None
    if month is not None and len(words) > month + 2:
        us = years.stamp(*words[month : month + 3])
    else:
        us = time_of_day(next((word for word in words if ":" in word), ""))
    return None if us is None else Instant(us)


def _may_begin(text: str) -> bool:
    """Whether a line can begin with a prefix at all: this is asked of every line."""
    first = text[0]
    if first == "W" or (first == "0" and text[1:2] == "x"):
        return False  # a waiter: they are many
    return (
        first.isdigit()
        or first in _ANY_FIRST
        or first in "/."
        or ":" in text[:250].partition("/")[2]
        or ": " in text[:130]
        or "| " in text[:130]
        or text[3:4] == " "
        or text[-1] in ":|"
        or ("." in text[:80].partition(" ")[0] and _OF_DOMAIN.match(text) is not None)
        or ("Z " in text[:200] and _TAILED_POD.match(text) is not None)
        or (" [" in text[:130] and _OF_CONSOLE.match(text) is not None)
        or ("aiting " in text[:160] and _OF_WAITER.match(text) is not None)
        or (":" in text[:130] and _NAMES_FILE(text, 0, 200) is not None)
    )


def _is_prompt(text: str, first: _Peeled) -> bool:
    """Whether a command was typed on a line, and is not one that a tool logged."""
    return match_prompt(text, programs()) is not None and not _is_typed(first)


def _is_collected(text: str, first: _Peeled) -> bool:
    """Whether a collector of logs stamped a line that has a stamp of its own, in the words of a program."""
    return first.sorts == ("stamp",) and _COLLECTED.match(text) is not None and _DATED.match(first.text) is not None


def _is_whole(text: str, first: _Peeled, owner: Parser | None) -> bool:
    """Whether a line is known without a head, and none stands in it; of a line that is known: behind a stamp."""
    if owner is not None:
        return first.sorts == ("stamp",)
    return known_alone(text) is not None and _IS_STAMPED.match(first.text) is None


def _goes_before(found: _Peeled, owner: Parser) -> bool:
    """Whether what is left of a line goes before what its parser makes of the whole.

    That is so for bars, and for a system log that holds a line of a dump: one of a tool, no message of the kernel.
    """
    inner = claimed(found.text)
    if inner is not None and (inner is owner or inner.priority > owner.priority) and set(found.sorts) <= _OF_COPIES:
        return True
    if inner is owner:
        is_carried = _is_carrier(found)
        is_passed_on = found.sorts in (("host",), ("stamp", "stream")) or is_carried
        stamp = _IS_STAMPED.match(found.text) or (_OF_KERNEL.match(found.text) if is_carried else None)
        return is_passed_on and stamp is not None
    if owner.priority >= 0 or _program_of(found) is None:
        return False
    if _is_carrier(found):
        return match_mark(found.text) is not None or _is_known(found.text)
    return match_mark(found.text) is not None if inner is None else inner.priority >= 0 and bool(inner.commands)


def _program_of(found: _Peeled) -> str | None:
    """The program that logged a line."""
    return next((sort.removeprefix(_LOGGED_BY) for sort in found.sorts if sort.startswith(_LOGGED_BY)), None)


def _is_carrier(found: _Peeled) -> bool:
    """Whether a line was logged by a program whose own messages nobody knows: a tool that logs what others print."""
    return (program := _program_of(found)) is not None and program not in program_names()


def _is_typed(found: _Peeled) -> bool:
    """Whether a prompt of a node was logged by such a tool."""
    if not _is_carrier(found):
        return False
    typed = match_prompt(found.text, programs())
    return typed is not None and typed.host is not None


def _is_known(text: str) -> bool:
    if not text.strip():
        return False
    owner = claimed(text)
    if owner is not None and text.startswith('{"') and text.endswith(("}", "},")):
        return True  # a whole object of JSON is no guess
    if (owner is not None and owner.priority > GUESSED) or match_prompt(text, programs()) is not None:
        return True
    mark = match_mark(text)
    if mark is not None and (mark.command is not None or mark.node is not None):
        return True
    return owner is None and known_alone(text) is not None


def _without_one(found: _Peeled, named: frozenset[str]) -> _Peeled | None:
    """One prefix less. ``named``: words that are known to be names of nodes."""
    text, sorts = found.text, found.sorts
    if text[:1] in '" \t' and (match := _STRING.match(text)) and "string" not in sorts:
        return found._replace(text=_ESCAPE.sub(_unescaped, match["text"]), sorts=(*sorts, "string"))
    if "stamp" not in sorts and (match := _STAMP.match(text)):
        return _behind_stamp(found._replace(stamp=match["stamp"], sorts=(*sorts, "stamp"), text=text[match.end() :]))
    if not sorts and (match := _REMARKED.match(text)):
        return found._replace(sorts=("said",), text=text[match.end() :], stamp=_moment_of(match))
    if text[:1] == "[" and (ran := _RAN.match(text)) is not None:
        return found._replace(host=text[1 : text.index("]")], sorts=(*sorts, "pod"), text=f"$ {text[ran.end() :]}")
    if text[:1] in "[ \t*" and (match := _POD.match(text)) and not _is_word_of(found, match["host"]):
        return _behind(found, match, "pod", match["pod"] or ("" if _is_tag(found, match) else match["host"]))
    is_cell = sorts[-1:] == ("bar",) and "|" in text
    if "number" not in sorts and not is_cell and (match := _NUMBER.match(text)):
        counted = 0 if match["mark"] or match["dot"] else int(match["number"])
        return found._replace(sorts=(*sorts, "number"), number=counted, text=text[match.end() :])
    if (match := _BAR.match(text)) or is_cell:
        return _without_bars(found, match, named)
    return _behind_a_name(found, named)


def _moment_of(remark: re.Match[str]) -> str:
    """When somebody said something in a chat; empty without a date, or where day and month look alike."""
    if not remark["date"]:
        return ""
    first, second, third = re.split(r"[./-]", remark["date"])
    if len(first) == _YEAR:
        year, month, day = first, second, third
    elif "." in remark["date"] or int(first) > len(MONTHS) >= int(second):
        day, month, year = first, second, third
    elif remark["half"] or int(second) > len(MONTHS) >= int(first):
        month, day, year = first, second, third
    else:
        return ""
    hour, minute, *more = map(int, re.split("[:.]", remark["clock"]))
    if remark["half"]:
        hour = hour % 12 + 12 * (remark["half"] in "Pp")
    year = year if len(year) == _YEAR else f"20{year}"
    return f"{year}-{int(month):02}-{int(day):02}T{hour:02}:{minute:02}:{[*more, 0][0]:02}"


_YEAR: Final = 4
"""Figures of a whole year."""


def _behind_a_name(found: _Peeled, named: frozenset[str]) -> _Peeled | None:
    """A line behind the name of a file or of a node."""
    text, sorts, is_open = found.text, found.sorts, "host" not in found.sorts
    if "pod" not in sorts and text[:1].isalnum() and "Z " in text[:200] and (match := _TAILED_POD.match(text)):
        return _behind(found, match, "pod", match["host"])
    if is_open and (behind := _behind_a_marked_host(found)) is not None:
        return behind
    if "file" not in sorts and (match := _FILE.match(text)):
        return _behind(found, match, "file", suggested_node(match["path"]) or "")
    return _behind_a_host(found, named) if is_open else None


def _is_word_of(found: _Peeled, name: str | None) -> bool:
    """Whether a word in brackets is one of the program that logged the line, which has its node: ``[system]``."""
    return bool(found.host) and name is not None and _program_of(found) is not None and not looks_like_host(name)


def _is_tag(found: _Peeled, match: re.Match[str]) -> bool:
    """Whether words in brackets say what a mail is, or to which list it went: ``Subject: [hill-users] ...``,
    ``[bug report] ...``; a number is the seconds since a start.
    """
    if match["host"].replace(".", "", 1).isdigit():
        return True
    is_headed = _SUBJECT in found.sorts or _WORDS.match(match[0]) is not None
    return is_headed and not looks_like_host(match["host"])


def _behind(found: _Peeled, match: re.Match[str], sort: str, host: str) -> _Peeled:
    return found._replace(host=host, sorts=(*found.sorts, sort), text=found.text[match.end() :])


def _behind_a_marked_host(found: _Peeled) -> _Peeled | None:
    """A line behind a name that its form alone makes one of a node."""
    text = found.text
    if "." in text[:80].partition(" ")[0] and (match := _OF_DOMAIN.match(text)):
        return _behind(found, match, "host", match["host"])
    if (match := _SET_OFF.match(text)) and looks_like_host(host := match["padded"] or match["boxed"]):
        return _behind(found, match, "host", host)
    if " [" in text[:130] and (match := _OF_CONSOLE.match(text)):
        return _behind(found, match, "host", match["host"] if looks_like_host(match["host"]) else "")
    if "-exec): " in text[:200] and (match := _PROVISIONED.match(text)):
        return _behind(found, match, "host", match["host"])
    if "aiting " in text[:160] and (match := _OF_WAITER.match(text)):
        words = re.split(r"[\s;,>|=]+", match["words"])
        names = [one for one in words if looks_like_host(one) or _ADDRESS.fullmatch(one)]
        return _behind(found, match, "host", names[-1] if names else "")
    return None


def _behind_a_host(found: _Peeled, named: frozenset[str]) -> _Peeled | None:
    text = found.text
    if (prompt := _PROMPTED.match(text)) and _is_its_log(prompt["host"], text[prompt.end() :]):
        return _behind(found, prompt, "host", prompt["host"])
    if match := _HOST.match(text):
        name = match["host"] or match["alone"] or match["piped"]
        is_name = name in named or any(not char.isalpha() for char in name)
        host = name if is_name and not _PRIORITY.fullmatch(name) else ""  # "Output: ..." names no node
        behind = _behind(found, match, "host", host)
        is_subject = not host and _OF_MAIL.fullmatch(name) is not None
        return behind._replace(sorts=(*behind.sorts, _SUBJECT)) if is_subject else behind
    return None


def _is_its_log(name: str, logged: str) -> bool:
    """Whether a word in front of a line with its own stamp is a node: it looks like one, or the line names it too."""
    if looks_like_host(name):
        return True
    short, begun = name.partition(".")[0], logged[:LONGEST_STAMP]
    return any(f"{mark}{short}{end}" in begun for mark in " @" for end in " /")


def _is_read(text: str) -> bool:
    """Whether a reader of more than shapes knows a line."""
    owner = claimed(text)
    return owner is not None and owner.priority >= 0


def _without_bars(found: _Peeled, bar: re.Match[str] | None, named: frozenset[str]) -> _Peeled | None:
    """A line without the bars in front of it, and without the one behind it where it stands in a box; then without
    those between its cells, unless they hold a node and a line of it.
    """
    if bar is None:
        behind = _behind_a_name(found, named)
        if behind is not None and behind.sorts[-1] == "host" and "|" not in behind.text and _is_read(behind.text):
            return behind
        return found._replace(sorts=(*found.sorts, "cells"), text=_CELL_END.sub("  ", found.text))
    if not bar[0].strip():
        return None
    text = found.text[bar.end() :]
    if text[-1:] == "|" and bar[0].strip() == "|" and (end := _LAST_BAR.search(text)):
        text = text[: end.start()]
    return found._replace(sorts=(*found.sorts, "bar"), text=text)


def _behind_stamp(found: _Peeled) -> _Peeled:
    """A journal prints node and program behind its stamp, and a log of containers from which stream a line came."""
    if (stream := _STREAM.match(found.text)) is not None:
        return found._replace(sorts=(*found.sorts, "stream"), text=found.text[stream.end() :])
    if found.text[:2] == "p=" and (played := _PLAYED.match(found.text)) is not None:
        return found._replace(sorts=(*found.sorts, "stream"), text=found.text[played.end() :])
    if (stored := _OF_STORE.match(found.text)) is not None:
        host = suggested_node(stored["path"]) or ""
        return found._replace(host=host, sorts=(*found.sorts, "stream"), text=found.text[stored.end() :])
    match = _LOGGED.match(found.text)
    if match is None or match["program"] in ("kernel", "mmfs"):
        return found
    if _OF_DMESG.match(found.stamp) is not None and "]" not in match[0]:
        return found  # a driver and its device: "nvme nvme3: "
    sort = f"{_LOGGED_BY}{match['program'].lower()}"
    return found._replace(host=match["host"], sorts=(*found.sorts, sort), text=found.text[match.end() :])


def _names_node(found: _Peeled) -> bool:
    """Whether nothing but the name of a node was taken off."""
    return found.sorts == ("pod",) or (found.sorts == ("host",) and looks_like_host(found.host))


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0], match[0][1:])
