"""Takes apart an output that came on one physical line: behind its prompt, or inside a JSON string.

    [root@a ~]# gabconfig -a GAB Port Memberships ==== Port a gen 51c001 membership 01 Port h gen 51c002 membership 01
    {"host": "a", "stdout": "GAB Port Memberships\n====\nPort a gen 51c001 membership 01\n"}
    {"__REALTIME_TIMESTAMP": "1930820472000000", "_HOSTNAME": "a", "SYSLOG_IDENTIFIER": "kernel", "MESSAGE": "..."}

A JSON string says where its lines end. Behind a prompt the command ends at the first blank below which a parser of that
program claims the text; the rest is cut so that the parser owns as much of it as it can. What no parser owns stays a
line of its own, and is not understood.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Final

from parsers.ledger import Fate
from parsers.registry import Parser, claimed, parsers
from parsers.text import Line, make_line
from parsers.transcript import match_prompt

MOST_TEXT: Final = 16_000
MOST_WORDS: Final = 400
LONGEST_ROW: Final = 24
"""Words of a row."""
MOST_ROWS: Final = 20_000
"""Rows that are tried over one text: what is flattened beyond that is named, and not read."""
_WORD: Final = re.compile(r"\S+")
_BOXED: Final = re.compile(r"(?<=\s)\[[A-Za-z_][\w.-]{0,32}@[\w.-]{1,126} [^\]\s]{1,120}\][#$%] (?=\S)")
_STRING: Final = re.compile(r"\"(?P<text>(?:[^\"\\]|\\.){16,16000})\"")
_NAMED: Final = re.compile(
    r"\"(?:host|hostname|node|node_name|_HOSTNAME|server)\"[ \t]{0,4}:[ \t]{0,4}\"(?P<host>[A-Za-z0-9][\w.-]{0,126})\""
)
_MESSAGE: Final = '"MESSAGE"'
_ARGUMENT: Final = re.compile(r"[-+/]\S|[\w.]+/\S*")
_SHELL: Final = re.compile(r"[|;&`$'\"]|[<>] ?[\w/]|\s-{1,2}[A-Za-z]")
_PRINTED: Final = re.compile(r"\(?(?:[A-Z][\w/()-]*[:,]?|[\w.-]+:|\d[\d.,:]*[%kKMGTs]?|[-=]{3,})[),;]?$")
"""A word of an output: a title, a name with a colon, a figure, a ruler."""
_TITLE: Final = re.compile(r"\(?[A-Z][a-z][\w/()-]*[:,]?$|[\w.-]+:$")
_SCRIPT: Final = re.compile(r"[;'`{}\\]|&&|\$\w|\$\(| (?:do|then|echo|printf) ")
"""What stands in commands that are typed on one long line."""
_OF_SHELL: Final = frozenset("|;&<>`$2")
LEAST_SHOWN: Final = 4
"""Words behind the files of ``cat`` that are none."""
LEAST_PRINTED: Final = 8
LEAST_TITLES: Final = 3
MOST_TYPED: Final = 12
"""Plain words behind a command's options and paths, where no sign of a shell stands among them."""
LAST_OF_ALL: Final = -60
"""Readers of any JSON come after what its strings hold."""
US_DIGITS: Final = 16
"""Of microseconds since 1970, from 2001 on."""
MOST_DIGITS: Final = 20
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HOST: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,126}")
_PLAIN_NAME: Final = re.compile(r"[^\w.@/-]")
_VIEWERS: Final = frozenset(("cat", "zcat", "dmesg"))
UNREAD: Final = "output on the line of its prompt, whose rows cannot be told apart"


class Flattened:
    """Takes apart the flattened lines of one text."""

    def __init__(self) -> None:
        self._tries = 0

    def parts(self, line: Line) -> list[Line]:
        """The lines that stand on one; empty where it is an ordinary one."""
        if len(line.text) > MOST_TEXT or len(line.text) < 40:
            return []
        if _MESSAGE in line.text and (messages := _of_journal(line)):
            return messages
        if "\\n" in line.text:
            return _in_string(line)
        return self._behind_prompts(line)

    def _behind_prompts(self, line: Line) -> list[Line]:
        cuts = [0, *(match.start() for match in _BOXED.finditer(line.text)), len(line.text)]
        found: list[Line] = []
        for begin, end in pairwise(cuts):
            text = line.text[begin:end].strip()
            found += self._behind_prompt(line, text) or [_part(line, text)]
        return found if len(found) > 1 else []

    def _behind_prompt(self, line: Line, text: str) -> list[Line]:
        prompt = match_prompt(text[:4000], _programs())
        if prompt is None or len(text) < 40:
            return []
        program, typed = prompt.command.program, text.find(prompt.command.program)
        owners = _of_program(program)
        words = [match.start() for match in _WORD.finditer(text, typed + len(program))][:MOST_WORDS]
        for at, begin in enumerate(words):
            is_viewed = program in _VIEWERS and at > 0 and (_ARGUMENT.match(text, words[at - 1]) is not None)
            owner = _owner(text, words[at:], owners, is_viewed=is_viewed)
            if owner is not None:
                below = self._rows(text, words[at:], owner)
                rest = [_part(line, row) for row in below] or [_part(line, text[begin:], Fate.UNREAD)]
                return [_part(line, text[:begin].rstrip()), *rest]
        if prompt.host is None:
            return []
        if program == "cat" and (found := _with_content(line, text, words)):
            return found
        return (_with_unread(line, text, words) if owners else []) or _with_printed(line, text, words)

    def _rows(self, text: str, words: list[int], parser: Parser) -> list[str]:
        """The text cut into as many rows as the parser owns, with as few words as possible outside of them; empty where
        it owns anything.
        """
        self._tries += LONGEST_ROW * len(words)
        if self._tries > MOST_ROWS * LONGEST_ROW or parser.owns("qq zz 7 xyx", "") or len(words) == MOST_WORDS:
            return []
        claims, ends = _claim(parser), [*words, len(text)]
        best: list[tuple[int, int, int]] = [(0, 0, 0)] + [(-1 << 30, 0, 0)] * len(words)
        for begin in range(len(words)):
            lost, count, before = best[begin]
            above = text[ends[before] : ends[begin]].rstrip()
            best[begin + 1] = max(best[begin + 1], (lost - 1, count, begin))
            for end in range(begin + 1, min(begin + LONGEST_ROW, len(words)) + 1):
                row = text[ends[begin] : ends[end]].rstrip()
                if parser.owns(row, above) or claims.match(row):
                    best[end] = max(best[end], (lost, count + 1, begin))
        rows, at = [], len(words)
        while at:
            begin = best[at][2]
            rows.append(text[ends[begin] : ends[at]].rstrip())
            at = begin
        return rows[::-1]


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
    """A prompt below which titles, names with a colon and figures stand, as tools print them and nobody types them."""
    if _SCRIPT.search(text, words[0] if words else 0):
        return []
    rest = [_WORD.match(text, begin) for begin in words]
    printed = [at for at, match in enumerate(rest) if match and _PRINTED.match(match[0])]
    if not printed or len(rest) - printed[0] < LEAST_PRINTED or 5 * len(printed) < 2 * (len(rest) - printed[0]):
        return []
    titles = sum(match is not None and _TITLE.match(match[0]) is not None for match in rest)
    if titles < LEAST_TITLES:
        return []
    begin = words[printed[0]]
    return [_part(line, text[:begin].rstrip()), _part(line, text[begin:], Fate.UNREAD)]


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


def _of_journal(line: Line) -> list[Line]:
    """An entry of ``journalctl -o json`` as the journal prints it with full stamps."""
    begin, end = line.text.find("{"), line.text.rfind("}")
    try:
        entry = json.loads(line.text[begin : end + 1])
    except (ValueError, RecursionError):
        return []
    if not isinstance(entry, dict) or not isinstance(message := entry.get("MESSAGE"), str):
        return []
    stamp, host = str(entry.get("__REALTIME_TIMESTAMP", "")), str(entry.get("_HOSTNAME", ""))[:127]
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) == US_DIGITS and _HOST.fullmatch(host)):
        return []
    at = EPOCH + timedelta(microseconds=int(stamp))
    unit = _PLAIN_NAME.sub("", str(entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "journal"))[:60] or "journal"
    process = str(entry.get("_PID") or entry.get("SYSLOG_PID") or "")
    number = f"[{process}]" if process.isascii() and process.isdigit() and len(process) < MOST_DIGITS else ""
    head = f"{at.isoformat(timespec='microseconds')} {host} {unit}{number}: "
    return [_row(line, head + text, "") for text in message.splitlines()[:MOST_WORDS] if text.strip()]


def _row(line: Line, text: str, host: str) -> Line:
    """A line of a string, freed of quotes and marks as any other line."""
    return replace(make_line(line.number, text.encode("utf-8", "replace")), host=host)


def _part(line: Line, text: str, fate: Fate | None = None) -> Line:
    return replace(line, raw=text, text=text.expandtabs(), fate=fate)


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
            if _claim(one).match(rest)
            or (_claim(one).pattern.endswith("$") and any(_claim(one).match(text[words[0] : e].rstrip()) for e in ends))
        ),
        None,
    )


@cache
def _programs() -> frozenset[str]:
    return frozenset(name for parser in parsers().values() for name in parser.commands)


@cache
def _of_program(program: str) -> tuple[Parser, ...]:
    return tuple(one for one in parsers().values() if program in one.commands)


@cache
def _claim(parser: Parser) -> re.Pattern[str]:
    return re.compile(parser.claims)
