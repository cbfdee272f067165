"""Takes apart an output that came on one physical line: behind its prompt, or inside a JSON string.

    [root@a ~]# gabconfig -a GAB Port Memberships ==== Port a gen 51c001 membership 01 Port h gen 51c002 membership 01
    {"host": "a", "stdout": "GAB Port Memberships\n====\nPort a gen 51c001 membership 01\n"}

A JSON string says where its lines end, and objects behind a prompt where they begin. Else the command ends at the
first blank below which a parser of that program claims the text; the rest is cut so that the parser owns as much of
it as it can. What no parser owns stays a line of its own, and is not understood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from parsers.headings.transcript import Prompt, match_prompt
from parsers.layouts.row_cuts import (
    LONGEST_ROW,
    by_claims,
    by_columns,
    by_elements,
    by_gaps,
    by_names,
    by_parser,
    by_stamps,
    by_width,
    claim,
    is_one_entry,
)
from parsers.ledger import Fate
from parsers.line_kinds import is_prose
from parsers.lookup import Parser, claimed, parsers, programs
from parsers.reading import ReadResult
from parsers.text import Line, make_line
from parsers.times.clock import MONTH

MOST_TEXT: Final = 16_000
SHORTEST: Final = 40
"""Characters of a line that can hold several."""
MOST_WORDS: Final = 400
LEAST_LOGGED: Final = 3
"""Stamps of one form on a line, where one parser knows what begins at each."""
ALIKE: Final = 5
"""Characters of a stamp that the next ones share."""
LEAST_LISTED: Final = 4
"""Rows whose values stand below each other."""
LEAST_ALONE: Final = 8
"""Gaps in a line that may hold several rows."""
LEAST_WITH_GAPS: Final = 130
"""Characters of a line with wide gaps, as any row of a table has them, that may hold several rows."""
MOST_VAIN: Final = 4
"""Lines of a parser in turn that turned out to be one row."""
MOST_LOOKED_AT: Final = 40
"""Words of a line that decide whether it may hold several rows."""
LONGEST_TITLE: Final = 10
"""Words in front of an output on one line."""
LEAST_FIGURES: Final = 8
"""Of a line that a parser claims and of which it reads nothing: then it is more than a heading."""
MOST_TRIALS: Final = 500
"""Readings of a text's flattened lines, cut in one way or another."""
MOST_ROWS: Final = 20_000
"""Rows that are tried over one text: what is flattened beyond that is named, and not read."""
_GAPS: Final = re.compile(rf"(?<!\b{MONTH})\s\s")
"""Such as are none in front of a day of one figure."""
_WORD: Final = re.compile(r"\S+")
_BOXED: Final = re.compile(
    r"(?<=\s)(?:\[[A-Za-z_][\w.-]{0,32}@[\w.-]{1,126} [^\]\s]{1,120}\][#$%]"
    r"|[A-Za-z_][\w.-]{0,32}@[\w.-]{1,126}:[~/][^\s#$%]{0,120}[#$%]) (?=\S)"
)
_LOGGED: Final = re.compile(
    rf"(?<![^\s:])(?:{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d))"
    r" (?:[A-Za-z0-9][\w.-]{0,126} (?:kernel|vmunix|(?:gen)?unix|mmfs|[A-Za-z][\w./-]{1,40}\[\d{1,9}\]): "
    r"|[A-Za-z0-9][\w.-]{0,126} [A-Za-z][\w./:-]{1,40}: \[ID \d{1,9} \w{2,10}\.\w{3,8}\] "
    r"|\[\d{1,9}\] [A-Za-z0-9][\w.-]{0,126} [a-z][\w-]{2,24} {1,4}(?:emerg|alert|crit|err|error|warning"
    r"|notice|info|debug)\b)"
)
_OF_DAEMON: Final = re.compile(
    rf"(?<![^\s:])(?:[A-Z][a-z]{{2}} {MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,6}})? \d{{4}}"
    r"|\d{4}-\d\d-\d\d_\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}): \[[A-Z]\] "
    r"|(?<![^\s:])\d{4}/\d\d/\d\d \d\d:\d\d:\d\d VCS [A-Z]{3,9} V-16-"
)
"""Of logs that daemons write themselves; in a system log such a stamp belongs to the message."""
_STAMPED_HEAD: Final = re.compile(rf"{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d [A-Za-z0-9][\w.-]{{0,126}} ")
"""Stamp and host of a line, which further lines of one message have again."""
LEAST_TEXT: Final = 3
"""Blanks in front of the one log line on a line that make words of a person of it."""
_STRING: Final = re.compile(r"\"(?P<text>(?:[^\"\\]|\\.){16,16000})\"")
_NAMED: Final = re.compile(
    r"\"(?:host|hostname|node|node_name|_HOSTNAME|server)\"[ \t]{0,4}:[ \t]{0,4}\"(?P<host>[A-Za-z0-9][\w.-]{0,126})\""
)
_ARGUMENT: Final = re.compile(r"[-+/]\S|[\w.]+/\S*")
_SHELL: Final = re.compile(r"[|;&`$'\"]|[<>] ?[\w/]|\s-{1,2}[A-Za-z]")
_PRINTED: Final = re.compile(r"\(?(?:[A-Z][\w/()-]*[:,]?|[\w.-]+:|\d[\d.,:]*[%kKMGTs]?|[-=]{3,})[),;]?$")
"""A word of an output: a title, a name with a colon, a figure, a ruler."""
_TITLE: Final = re.compile(r"\(?[A-Z][a-z][\w/()-]*[:,]?$|[\w.-]+:$")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z0-9_/-]{2,30}$")
_SCRIPT: Final = re.compile(r"[;'`{}\\]|&&|\$\w|\$\(| (?:do|then|echo|printf) ")
"""What stands in commands that are typed on one long line."""
_FIGURE: Final = re.compile(r"(?<!\S)[^\s\d]{0,2}\d[\d.,:%]{0,20}(?!\S)")
_HAS_DIGIT: Final = re.compile(r"\d").search
_MARKS: Final = re.compile("[#$>%] ")
"""How a prompt ends."""
_TYPED: Final = re.compile(r"[a-z][a-z0-9_-]{0,24}\s")
"""A word that belongs to a command rather than to what it prints."""
_PIPED: Final = re.compile(r"\s(?:[|;&<>]|\d?>)")
_OF_SHELL: Final = frozenset("|;&<>`$2")
LEAST_SHOWN: Final = 4
"""Words behind the files of ``cat`` that are none."""
LEAST_PRINTED: Final = 8
LEAST_TITLES: Final = 3
LEAST_CAPITALS: Final = 4
LEAST_HEADED: Final = 2
"""Words of a heading that are no option which somebody typed."""
MOST_TYPED: Final = 12
"""Plain words behind a command's options and paths, where no sign of a shell stands among them."""
MOST_TYPED_KEPT: Final = 2_000
LAST_OF_ALL: Final = -60
"""Readers of any JSON come after what its strings hold."""
_OBJECT: Final = re.compile(r"(?<=\s)\{\"[\w@./-]{1,60}\":")
_NEXT_OBJECT: Final = re.compile(r"(?<=\})\s{1,8}(?=\{\")")
_VIEWERS: Final = frozenset(("cat", "zcat", "dmesg"))
UNREAD: Final = "output on the line of its prompt, whose rows cannot be told apart"


Trial = Callable[[str], ReadResult]


class Look(NamedTuple):
    """What looking at a line came to, where that holds for a line like it in any text. owner: the parser to whose lines
    in vain it was counted, None where none was asked. is_past: there had been so many that no closer look was taken.
    """

    owner: str | None = None
    is_past: bool = False


class Flattened:
    """Takes apart the flattened lines of one text."""

    def __init__(self, trial: Trial | None = None) -> None:
        """trial: reads a text and says what came of it; without it the grammar of a parser alone decides."""
        self._trial = trial
        self._trials = 0
        self._vain: dict[str, int] = {}
        """Lines of a parser since the last one that held several rows."""
        self._typed: set[tuple[bool, str]] = set()
        """What was typed at prompts, and whether one without a host, where nothing stood behind it: loops type the same
        again and again.
        """
        self._tries = 0
        self.look: Look | None = None
        """What looking at the last line came to."""

    def parts(self, line: Line) -> list[Line]:
        """The lines that stand on one; empty where it is an ordinary one."""
        self.look = None
        if len(line.text) > MOST_TEXT:
            return []
        if len(line.text) < SHORTEST:
            self.look = Look()
            return []
        if "\\n" in line.text:
            return _in_string(line)
        if _MARKS.search(line.text) is None:
            self.look = Look()
        elif behind := self._behind_prompts(line):
            return behind
        return _of_a_log(line) or self._alone(line)

    def takes_over(self, look: Look) -> bool:
        """Whether a line like one of another text, where a look came to this, needs no other: it counts as one here."""
        if look.owner is None:
            return True
        vain = self._vain.get(look.owner, 0)
        if look.is_past and vain < (MOST_VAIN if look.owner else MOST_LOOKED_AT):
            return False
        self._vain[look.owner] = vain + 1
        return True

    def counts(self, look: Look) -> None:
        """A line was passed over, like one where a look came to this."""
        if look.owner is not None:
            self._vain[look.owner] = self._vain.get(look.owner, 0) + 1

    def _alone(self, line: Line) -> list[Line]:
        """The rows of an output that stands on one line without a prompt."""
        text = line.text.strip()
        if self._trial is None or text.count(" ") < LEAST_ALONE or _is_object(text):
            return []
        if text.count(text[:ALIKE]) >= LEAST_LOGGED and (logged := _logged(text)):
            return [_part(line, row) for row in logged]
        if len(text) < LEAST_WITH_GAPS and "  " in text and _GAPS.search(text) is not None:
            return []
        begin, owner = self._begin(text)
        if owner is None or (not begin and is_one_entry(text)):
            return []
        is_listed = len(by_columns(text)) >= LEAST_LISTED
        return self._rows_of(line, text, begin, owner) if is_listed or _begins_again(text[begin:], owner) else []

    def _rows_of(self, line: Line, text: str, begin: int, owner: Parser) -> list[Line]:
        """The rows of a parser that begin on a line at a place."""
        self.look = None
        head, rest = text[:begin].rstrip(), text[begin:]
        plain = self._worth("", [text])
        best: list[str] = []
        # Of a line that is read as it stands no part is lost either: that speaks for no cut.
        most = plain + (3 if plain > 0 else 2) * READ - 1
        for rows in self._ways(rest, owner):
            if sum(_HAS_DIGIT(row) is not None for row in rows) < LEAST_WHOLE:
                continue
            worth = self._worth(head, rows)
            if worth > most or (worth == most and _is_more_alike(rows, best)):
                best, most = rows, worth
        if best:
            self._vain[owner.name] = 0
            return [_part(line, row) for row in ([head, *best] if head else best)]
        is_continued = line.text[:1] in " \t"  # set in, it goes on with the entry above it
        is_short = text.count(" ") < 2 * LONGEST_ROW or len(_FIGURE.findall(text)) < LEAST_FIGURES
        is_row = plain > 0 or is_continued or is_short
        return [] if is_row else [_part(line, text, Fate.UNREAD)]

    def _begin(self, text: str) -> tuple[int, Parser | None]:
        """Where on a line the first row of a parser begins: behind a heading or a few words, and only where no sentence
        stands.
        """
        if (owner := claimed(text)) is not None:
            return 0, owner if self._is_worth_a_look(owner.name, MOST_VAIN) else None
        if not self._is_worth_a_look("", MOST_LOOKED_AT) or is_prose(text):
            return 0, None
        if (owner := _of_first_row(text)) is not None:
            return 0, owner
        for match in islice(_WORD.finditer(text), 1, LONGEST_TITLE):
            if (owner := claimed(text[match.start() :])) is not None and owner.priority >= 0:
                return match.start(), owner
        return 0, None

    def _is_worth_a_look(self, name: str, most: int) -> bool:
        looked_at = self._vain[name] = self._vain.get(name, 0) + 1
        self.look = self.look and Look(name, is_past=looked_at > most)
        return looked_at <= most

    def _behind_prompts(self, line: Line) -> list[Line]:
        cuts = [0, *(match.start() for match in _BOXED.finditer(line.text)), len(line.text)]
        found: list[Line] = []
        for begin, end in pairwise(cuts):
            text = line.text[begin:end].strip()
            found += self._behind_prompt(line, text) or [_part(line, text)]
        return found if len(found) > 1 else []

    def _behind_prompt(self, line: Line, text: str) -> list[Line]:
        prompt = match_prompt(text[:4000], programs())
        if prompt is None or len(text) < 40:
            return []
        typed = text.find(prompt.command.program)
        key = (prompt.host is None, text[typed:])
        if key in self._typed:
            return []
        found = self._behind_command(line, text, typed, prompt)
        if not found and len(self._typed) < MOST_TYPED_KEPT:
            self._typed.add(key)
        return found

    def _behind_command(self, line: Line, text: str, typed: int, prompt: Prompt) -> list[Line]:
        """The lines that stand on the line of a prompt behind its command."""
        program = prompt.command.program
        object_at = _OBJECT.search(text, typed + len(program))
        if object_at is not None and text.endswith("}"):
            head, rows = text[: object_at.start()].rstrip(), _NEXT_OBJECT.split(text[object_at.start() :])
            return [_part(line, head), *(_part(line, row) for row in rows)]
        owners = _of_program(program)
        words = [match.start() for match in _WORD.finditer(text, typed + len(program))][:MOST_WORDS]
        claimed_at = _first_claimed(text, words, program)
        if (best := self._best(text, words, claimed_at, owners)) is not None:
            head, rows = best
            return [_part(line, head), *(_part(line, row) for row in rows)]
        if claimed_at is not None:
            begin = words[claimed_at[0]]
            return [_part(line, text[:begin].rstrip()), _part(line, text[begin:], Fate.UNREAD)]
        if prompt.host is None:
            return []
        if program == "cat" and (found := _with_content(line, text, words)):
            return found
        return (_with_unread(line, text, words) if owners else []) or _with_printed(line, text, words)

    def _best(
        self, text: str, words: list[int], claimed_at: tuple[int, Parser] | None, owners: tuple[Parser, ...]
    ) -> tuple[str, list[str]] | None:
        """The command and the rows of its output; None where no way of cutting them apart reads anything."""
        if self._trial is None:
            if claimed_at is None:
                return None
            begin = words[claimed_at[0]]
            ways = self._ways(text[begin:], claimed_at[1])
            return (text[:begin].rstrip(), ways[0]) if ways else None
        best: tuple[str, list[str]] | None = None
        most = (0, False)
        for at, parser in _places(text, words, claimed_at, owners).items():
            head, rest = text[: words[at]].rstrip(), text[words[at] :]
            is_claimed = claimed_at is not None and at == claimed_at[0]
            ways = self._ways(rest, parser)
            if is_claimed and len(words) - at <= LONGEST_ROW:
                ways.insert(0, [rest])
            least = (0 if is_claimed else 2 * READ - 1, True)
            is_printed = _TYPED.match(rest) is None
            for rows in ways:
                worth = (self._worth(head, rows), is_printed)
                if worth > max(most, least) or (best is not None and worth == most and _is_more_alike(rows, best[1])):
                    best, most = (head, rows), worth
        return best

    def _ways(self, text: str, parser: Parser | None) -> list[list[str]]:
        """Ways of cutting an output into rows, each once: to see what one is worth takes a reading."""
        words = len(_WORD.findall(text, 0, MOST_TEXT))
        if words >= MOST_WORDS or self._trials >= MOST_TRIALS:
            return []
        self._tries += LONGEST_ROW * words
        ways = []
        if parser is not None and self._tries <= MOST_ROWS * LONGEST_ROW:
            ways = [by_claims(text, parser), by_parser(text, parser), by_parser(text, parser, one_sign=True)]
            if "  " in text:
                ways = by_gaps(text, parser, ways)
        ways += [by_stamps(text), by_columns(text), by_names(text), by_elements(text), *by_width(text, parser)]
        return [list(way) for way in dict.fromkeys(map(tuple, ways)) if len(way) > 1]

    def _worth(self, head: str, rows: list[str]) -> int:
        """How much is read of some rows, less what is not."""
        self._trials += 1
        result = self._trial("\n".join([head, *rows]) + "\n") if self._trial is not None else None
        if result is None:
            return 0
        is_whole = result.records > 0 and result.not_understood == 0 and len(rows) >= LEAST_WHOLE
        return READ * (result.records + is_whole) - LOST * result.not_understood


READ: Final = 4
LOST: Final = 5
"""What a record and a line that nobody reads count for, where two ways of cutting are weighed."""


LEAST_WHOLE: Final = 2
"""Rows none of which is lost, that are right though one record came of them."""


def _is_object(text: str) -> bool:
    """Whether the text is JSON, or one element of XML however many attributes it has: they stand on a line of their
    own.
    """
    if text[0] == "<":
        return text[-1] == ">" and text.count("<") == 1
    return text[0] in "[{" and text[-1] in "]}" and '": ' in text


def _places(
    text: str, words: list[int], claimed_at: tuple[int, Parser] | None, owners: tuple[Parser, ...]
) -> dict[int, Parser | None]:
    """Words where the output of a command may begin, with the parser that may read it."""
    places: dict[int, Parser | None] = {claimed_at[0]: claimed_at[1]} if claimed_at is not None else {}
    if len(words) <= LEAST_SHOWN or _PIPED.search(text, words[0], words[min(MOST_TYPED, len(words) - 1)]):
        return places
    if _SCRIPT.search(text, words[0]):
        return places
    typed = next((at for at, begin in enumerate(words) if not _ARGUMENT.match(text, begin)), len(words))
    only = owners[0] if len(owners) == 1 else None
    near = {at: claimed(text[words[at] :]) for at in range(typed, min(typed + 3, len(words) - 3))}
    known = {at: parser for at, parser in near.items() if parser is not None}
    return {**places, **known, **{at: only for at in near if at not in known}, **places}


def _of_first_row(text: str) -> Parser | None:
    """The parser of a line whose first rows it knows by their ends only."""
    return next(filter(None, map(claimed, (by_stamps(text) or by_columns(text))[:LEAST_LISTED])), None)


def _logged(text: str) -> list[str]:
    """Lines of a log that one parser knows, each with its stamp."""
    rows = by_stamps(text)
    is_log = len(rows) >= LEAST_LOGGED and is_one_entry(rows[0])
    return rows if is_log and len({claimed(row) for row in rows} - {None}) == 1 else []


def _is_more_alike(rows: list[str], others: list[str]) -> bool:
    """Whether as many rows of a table, of which as much is read, differ less in length: they are right then."""
    is_table = len(rows) == len(others) and not any(": " in row for row in rows)
    return is_table and _longest(rows) < _longest(others)


def _longest(rows: list[str]) -> int:
    """Words of the longest row below the first."""
    return max((len(row.split()) for row in rows[1:]), default=0)


def _begins_again(text: str, owner: Parser) -> bool:
    """Whether a row of a parser may begin behind the first few words of a line."""
    if owner.owns("qq zz 7 xyx", ""):
        return len(by_stamps(text)) > 1
    # Below a heading come rows that it owns; where the line is itself a row, the next is not what a wrap left of it.
    above = "" if owner.owns(text, "") else text
    begins = [match.start() for match in _WORD.finditer(text)][2:MOST_LOOKED_AT]
    return any(claim(owner).match(text, begin) or owner.owns(text[begin:], above) for begin in begins)


def _first_claimed(text: str, words: list[int], program: str) -> tuple[int, Parser] | None:
    """The first word behind a command below which a parser of its program claims the text."""
    owners = _of_program(program)
    for at in range(len(words)):
        is_viewed = program in _VIEWERS and at > 0 and (_ARGUMENT.match(text, words[at - 1]) is not None)
        owner = _owner(text, words[at:], owners, is_viewed=is_viewed)
        if owner is not None:
            return at, owner
    return None


def _with_unread(line: Line, text: str, words: list[int]) -> list[Line]:
    """A prompt with more plain words behind the command's options and paths than anybody types: output that nobody
    can take apart.
    """
    first = next((at for at, begin in enumerate(words) if not _ARGUMENT.match(text, begin)), len(words))
    if len(words) - first < MOST_TYPED or _SHELL.search(text[words[first] :]):
        return []
    return [_part(line, text[: words[first]].rstrip()), _part(line, text[words[first] :], Fate.UNREAD)]


def _with_content(line: Line, text: str, words: list[int]) -> list[Line]:
    """A prompt with ``cat``, files, and words that are no files: what stands in them."""
    if len(words) < LEAST_SHOWN + 1 or not _ARGUMENT.match(text, words[0]):
        return []
    at = next((at for at, begin in enumerate(words) if not _ARGUMENT.match(text, begin)), len(words))
    shown = words[at : at + LEAST_SHOWN]
    if len(shown) < LEAST_SHOWN or any(_ARGUMENT.match(text, begin) or text[begin] in _OF_SHELL for begin in shown):
        return []
    return [_part(line, text[: words[at]].rstrip()), _part(line, text[words[at] :], Fate.UNREAD)]


def _with_printed(line: Line, text: str, words: list[int]) -> list[Line]:
    """A prompt below which titles, words in capitals, names with a colon and figures stand, as tools print them and
    nobody types them.
    """
    if _SCRIPT.search(text, words[0] if words else 0):
        return []
    rest = [_WORD.match(text, begin) for begin in words]
    printed = [at for at, match in enumerate(rest) if match and _PRINTED.match(match[0])]
    if not printed or len(rest) - printed[0] < LEAST_PRINTED or 5 * len(printed) < 2 * (len(rest) - printed[0]):
        return []
    shown = [match[0] for match in rest if match]
    if len([*filter(_TITLE.match, shown)]) < LEAST_TITLES and len([*filter(_CAPITALS.match, shown)]) < LEAST_CAPITALS:
        return []
    begin = words[printed[0]]
    return [_part(line, text[:begin].rstrip()), _part(line, text[begin:], Fate.UNREAD)]


def _of_a_log(line: Line) -> list[Line]:
    """Lines of a system log that lost their line ends: each stamp with a host and a program behind it begins one. Words
    in front of the first stay a line of their own.
    """
    text = line.text.strip()
    begins = [match.start() for match in _LOGGED.finditer(text)] or _of_daemon(text)
    if begins and (head := _STAMPED_HEAD.match(text, begins[0])) is not None:
        begins = sorted({*begins, *_again(text, head[0])})
    if not begins or (len(begins) == 1 and text.count(" ", 0, begins[0]) < LEAST_TEXT):
        return []
    cuts = [0, *begins, len(text)] if begins[0] else [*begins, len(text)]
    return [_part(line, text[begin:end].rstrip()) for begin, end in pairwise(cuts)]


def _again(text: str, head: str) -> Iterator[int]:
    """Where a stamp and host stand in a text behind a blank."""
    at = text.find(head)
    while at >= 0:
        is_apart = at > 0 and text[at - 1].isspace()
        if is_apart:
            yield at
        at = text.find(head, at + (len(head) if is_apart else 1))


def _of_daemon(text: str) -> list[int]:
    """Where the entries of a log begin that a daemon writes itself. In a line that a parser claims otherwise such a
    stamp is a part of its message.
    """
    if ": [" not in text and " VCS " not in text:
        return []
    begins = [match.start() for match in _OF_DAEMON.finditer(text)]
    return begins if begins[:1] == [0] or (begins and claimed(text) is None) else []


def _in_string(line: Line) -> list[Line]:
    """The lines of the longest string of a JSON text, with what stands around it as its frame.

    The string is taken as it came: marks of a mail or a ticket are looked for in its lines, for what looks like one
    in the string is a part of its escapes.
    """
    if (owner := claimed(line.text)) is not None and owner.priority > LAST_OF_ALL:
        return []
    source = line.raw if len(line.raw) <= MOST_TEXT and '"' in line.raw else line.text
    match = max(_STRING.finditer(source), key=lambda one: one["text"].count("\\n"), default=None)
    if match is None or match["text"].count("\\n") < 1:
        return []
    try:
        text = json.loads(f'"{match["text"]}"', strict=False)
    except ValueError:
        return []
    named = _NAMED.search(source)
    rows = [_row(line, row, named["host"] if named else "") for row in text.splitlines() if row.strip()]
    if len(rows) < 2:
        return []
    around = (source[: match.start()], source[match.end() :])
    before, after = ([_part(line, one, Fate.FRAME)] if one.strip() else [] for one in around)
    return [*before, *rows, *after]


def _row(line: Line, text: str, host: str) -> Line:
    """A line of a string, freed of quotes and marks as any other line."""
    return replace(make_line(line.number, text.encode("utf-8", "replace")), host=host)


def _part(line: Line, text: str, fate: Fate | None = None) -> Line:
    return replace(line, raw=text, text=text.expandtabs(), fate=fate)


def _ends_of(pattern: str, ends: list[int]) -> list[int]:
    """Where a first row may end: a pattern of several of which only some end with their line may mean one word that
    was typed.
    """
    return ends if pattern.endswith("$") else ends[LEAST_HEADED:] if "$" in pattern else []


def _owner(text: str, words: list[int], owners: tuple[Parser, ...], *, is_viewed: bool) -> Parser | None:
    """The parser of the program that claims what begins at the first of some words."""
    rest = text[words[0] :]
    if is_viewed:
        return None if rest[0] in "/.-" else claimed(rest)
    ends = [*words[1:LONGEST_ROW], len(text)]
    return next(
        (
            one
            for one in owners
            if claim(one).match(rest)
            or any(claim(one).match(text[words[0] : e].rstrip()) for e in _ends_of(claim(one).pattern, ends))
        ),
        None,
    )


@cache
def _of_program(program: str) -> tuple[Parser, ...]:
    return tuple(one for one in parsers().values() if program in one.commands)
