"""Objects of JSON that hold lines of a log or outputs of commands, wherever in the objects around them these stand.

    {"curlew": {"cmd": ["gabconfig", "-a"], "start": "2031-04-03 04:11:20", "stdout_lines": ["GAB Port ..", ..]}}
    {"curlew": "GAB Port Memberships\\n====\\nPort a gen 51c001 membership 01"}
    {"_source": {"@timestamp": "2031-04-03T04:11:20Z", "host": {"name": "curlew"}, "message": "GFS2: ... withdrawn"}}
    {"stream": {"host": "curlew"}, "values": [["1932955880000000000", "Apr  3 04:11:20 curlew kernel: ..."]]}

An object is a line of a log where it has a text and a moment; its host may be told by an object in it. Texts of several
lines, and lists of texts, are outputs where a parser or a prompt is among their lines, or where their name says so. The
node of an output is told by its object, by those around it, or by the key under which it stands.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.enclosed.exported import (
    COMMANDS,
    HOSTS,
    LEVELS,
    NUMBERS,
    OUTPUTS,
    PROGRAMS,
    TEXTS,
    TIMES,
    as_logged,
    has_stamp,
    names_host,
)
from parsers.headings.captions import is_command
from parsers.headings.node_banners import is_thing, is_word_of_tools, looks_like_host
from parsers.headings.paths import is_name_of_node
from parsers.headings.transcript import match_mark, match_prompt
from parsers.lookup import claimed, programs
from parsers.text import shown_lines

MOST_LINES: Final = 20_000
MOST_CHARS: Final = 4 << 20
"""What is looked at before an object that closes is found worth it."""
MOST_VALUES: Final = 400
MOST_DEPTH: Final = 60
MOST_FOLDED: Final = 400
"""Characters of a value that an object passes on to the one around it."""
MOST_ROWS_TRIED: Final = 80
MOST_OF_LEAD: Final = 20
MOST_LEVELS_UP: Final = 8
LONGEST_KEY: Final = 200
LONGEST_SHOWN: Final = 100_000
GUESSED: Final = -50
_DECODER: Final = json.JSONDecoder(strict=False)
_NESTED: Final = frozenset((dict, list))
_NAMES: Final = frozenset((str,))
"""Priority of readers that go by shape alone."""
_BEGINS: Final = re.compile(
    r"(?P<head>[^{}\[\]\"]{1,160}(?:\[[^\]\"]{1,130}\][^{}\[\]\"]{0,40})?=> )?"
    r"(?:(?:data|message): )?[ \t\x1e]{0,60}[\[{]"
)
_KEYED: Final = re.compile(r"(?P<key>[A-Za-z0-9][\w.:/-]{0,126})[\t ]{1,4}(?=\{\")")
"""The key of a message in front of it, as a reader of a queue prints it."""
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]{1,400}|"')
_NAMED: Final = ("name", "component", "entityname", "identifier", "eventname", "reason", "state", "status")
"""What an object has that tells of a thing, and is no line of a log."""
SHORTEST: Final = 12
"""Characters of an output of one line."""
_MESSAGES: Final = frozenset(TEXTS).difference(OUTPUTS)
_WORDS: Final = frozenset(("stringvalue", "string_value"))
_COLUMNS: Final = frozenset(("columns", "fields", "schema", "headers", "column_names"))
_STDOUT: Final = frozenset((*OUTPUTS, "stderr", "out", "return", "ret"))
_STRUCTURAL: Final = frozenset(
    """
    answer answers attachments attributes body case changed checks cmd command commands comment comments content data
    details diff entries entry err error errors event events facts failed fields file files history hits hosts
    invocation issue issues item items list log logs message messages meta module_args msg nodes note notes out output
    outputs page pages payload play plays post posts properties question raw record records replies report reports
    request response result results ret return return_value rows servers source start stats stderr stderr_lines stdin
    stdout stdout_lines stream streams summary task tasks text thread threads ticket tickets value values
    """.split()
)
_HUMPED: Final = re.compile(r"[a-z][A-Z][a-z]")
_OF_NODES: Final = frozenset(("hosts", "nodes", "servers", "minions"))
_HOST: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,126}")
_OF_RING: Final = frozenset(("pri", "fac", "time", "msg", "caller"))
_SECONDS: Final = re.compile(r"\d{1,9}(?:\.\d{1,9})?$")
_NANOSECONDS: Final = re.compile(r"1\d{18}$")
_UNREACHED: Final = "Failed to connect to the host via ssh"
"""What Ansible says of a node that gave no output, beside those of others."""
_STREAMS: Final = frozenset(("stdout", "stderr"))
_ARROW: Final = re.compile(r'("(?:[^"\\]|\\.)*+")(\s{0,40}=>\s{0,8}([^\s"{\[\]},][^\s",{}\[\]]{0,200})?)?')
"""A string, and behind it an arrow and a bare value, as Ruby shows objects."""
_SHIPPED: Final = re.compile(
    r"\[\d{1,9}\] [\w.*:-]{1,120}: \[\[?(?P<at>\d{10}(?:\.\d{1,9})?)(?:, \{[^{}]{0,200}\}\])?, \{(?P<rest>.{2,})\}\]$"
)
"""A record as a shipper of logs shows it: its number, its tag, its moment, its fields."""


class Text(NamedTuple):
    """A string with the number of its line."""

    value: str
    line: int


class HeldLine(NamedTuple):
    """A line that an object holds. command: it is what was typed above an output."""

    line: int
    text: str
    host: str = ""
    stamp: str = ""
    command: str = ""


@dataclass(slots=True)
class Opened:
    """An object or a list that is open; keys of values are in lower case."""

    key: str
    around: Opened | None
    is_list: bool
    cells: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Of columns, where rows of values stand beside them."""
    values: dict[str, str] = field(default_factory=dict)
    texts: list[tuple[str, Text]] = field(default_factory=list)


@dataclass(slots=True)
class Output:
    """A text of several lines, with the object that it stands in."""

    key: str
    rows: list[Text]
    of: Opened


class Objects:
    """Takes the lines out of the objects of one text."""

    def __init__(self) -> None:
        self._open: Opened | None = None
        self._depth = 0
        self._key = ""
        self._is_value = False
        self._is_broken = False
        self._logged: list[HeldLine] = []
        self._outputs: list[Output] = []
        self._plain_to = 0
        """Number of the last line of which it is known that it holds nothing."""

    @property
    def is_inside(self) -> bool:
        """Whether objects are open of which lines were taken."""
        return self._depth > 0

    def begins(self, number: int, text: str) -> bool:
        """Whether objects may begin on a line that is to be looked at."""
        if number <= self._plain_to:
            return False
        if text.lstrip()[:1] in ("{", "["):
            return True
        return text.rstrip()[-1:] in "{}[]" and (
            "=> " in text[:400] or text.startswith(("data: {", "message: {")) or _KEYED.match(text) is not None
        )

    def take(self, number: int, lines: Iterator[str]) -> tuple[int, str, list[HeldLine]]:
        """How many of some lines, of which the first has a number, hold what was found; a heading in front of the
        first; what they say. 0: nothing.
        """
        was_inside, head, count, size = self.is_inside, "", 0, 0
        for text in lines:
            body = text
            if not count and not was_inside:
                begun = _begun(text)
                if begun is None:
                    break
                head, body = begun
            self._feed(body, number + count)
            count, size = count + 1, size + len(text)
            if self._is_broken or not self._depth or self._logged or count >= MOST_LINES or size >= MOST_CHARS:
                break
        records = self._taken() if not self._is_broken or was_inside else []
        if self._is_broken or not (records or was_inside):
            self._plain_to = max(self._plain_to, number + count - 1)
            self._forget()
            return 0, "", []
        return count, head, records

    def _forget(self) -> None:
        self._open, self._depth, self._is_broken, self._key, self._is_value = None, 0, False, "", False
        self._logged, self._outputs = [], []

    def _taken(self) -> list[HeldLine]:
        """What the lines so far say, in their order."""
        outputs, logged = self._outputs, self._logged
        self._outputs, self._logged = [], []
        if not logged and not any(map(_is_output, outputs)):
            return []
        found = [*logged, *(one for output in outputs if _is_shown(output, outputs) for one in _held_lines(output))]
        return sorted(found, key=lambda one: one.line)

    # walking

    def _feed(self, text: str, number: int) -> None:
        text = _ARROW.sub(_as_colon, text) if '" =>' in text or '"=>' in text else text
        if not self._depth and text.strip()[-1:] in ("}", "]") and (whole := _whole(text)) is not None:
            self._one(whole, text, number)
            return
        for piece in _PIECE.findall(text):
            if piece in ("{", "["):
                self._begin(is_list=piece == "[")
            elif piece in ("}", "]"):
                self._end()
            elif piece == ":":
                self._is_value = True
            elif piece == ",":
                self._is_value = self._open is not None and self._open.is_list
            elif piece == '"' or self._open is None:
                self._is_broken = True
            elif piece[0] == '"':
                self._string(_unquoted(piece), number)
            elif self._is_value:
                self._put(self._key, piece)
            if self._is_broken:
                return

    def _one(self, whole: Any, text: str, number: int) -> None:
        """Walk what stands on one line."""
        if not isinstance(whole, dict) or not _is_flat(whole):
            self._walk(whole, number)
        elif "\\" in text or "<" in text or not _tells_nothing(whole):
            self._flat(whole, number)

    def _flat(self, whole: dict[Any, Any], number: int) -> None:
        """Walk an object of plain values, as logs have one on each line."""
        opened = self._open = Opened("", None, is_list=False)
        for key, one in whole.items():
            if isinstance(one, str):
                opened.texts.append((key, Text(one, number)))
            if one is not None and len(value := str(one)) <= MOST_FOLDED:
                opened.values[key.lower()] = value
        self._depth = 1
        self._end()

    def _walk(self, value: Any, number: int) -> None:
        if isinstance(value, dict):
            self._begin(is_list=False)
            for key, one in list(value.items())[: MOST_VALUES * MOST_VALUES]:
                self._key, self._is_value = str(key), True
                self._walk(one, number)
            self._end()
        elif isinstance(value, list):
            self._begin(is_list=True)
            for one in value:
                self._is_value = True
                self._walk(one, number)
            self._end()
        elif isinstance(value, str):
            self._is_value = True
            self._string(value, number)
        elif value is not None:
            self._put(self._key, str(value))

    def _begin(self, *, is_list: bool) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            self._is_broken = True
            return
        is_element = self._open is None or self._open.is_list
        self._open = Opened("" if is_element else self._key, self._open, is_list)
        self._is_value = is_list

    def _string(self, value: str, number: int) -> None:
        opened = self._open
        if opened is None:
            return
        if not opened.is_list and not self._is_value:
            self._key = value
            return
        key = opened.key if opened.is_list else self._key
        if len(opened.texts) < MOST_LINES:
            opened.texts.append((key, Text(value, number)))
        self._put(key, value)

    def _put(self, key: str, value: str) -> None:
        opened = self._open
        if opened is None:
            return
        if opened.is_list:
            if len(opened.cells) < MOST_VALUES and self._is_of_rows(opened):
                opened.cells.append(value)
        elif len(opened.values) < MOST_VALUES and len(value) <= MOST_FOLDED:
            opened.values[key.lower()] = value

    def _is_of_rows(self, opened: Opened) -> bool:
        """Whether a list is a row below names of columns, or those names."""
        if opened.key.lower() in _COLUMNS:
            return True
        around = opened.around
        return around is not None and around.is_list and around.around is not None and bool(around.around.names)

    def _end(self) -> None:
        self._depth -= 1
        closed = self._open
        if closed is None:
            self._is_broken = True
            return
        self._open = around = closed.around
        self._key = closed.key
        self._is_value = around is not None and around.is_list
        if closed.is_list:
            self._list(closed, around)
            return
        if around is not None and around.is_list:
            _tell_list(closed, around)
        record = _record(closed)
        if record:
            self._logged += record
            return
        for key, text in closed.texts:
            if (
                "\n" in text.value.strip()
                or "<p" in text.value
                or "<br" in text.value
                or (len(text.value) > SHORTEST and _is_stdout(key))
                or text.value.startswith(_UNREACHED)
            ):
                rows = [Text(row, text.line) for row in shown_lines(text.value)]
                self._outputs.append(Output(key, rows, closed))
        if around is not None and not around.is_list:
            _pass_on(closed, around)

    def _is_table(self, closed: Opened, around: Opened | None) -> bool:
        """Whether a list holds the names of columns, or a row below them; then it is taken."""
        if around is None:
            return False
        if closed.key.lower() in _COLUMNS and (closed.names or closed.cells):
            around.names = closed.names or closed.cells
            return True
        names = around.around.names if around.is_list and around.around is not None else []
        if names:
            self._row(closed, names)
        return bool(names)

    def _row(self, closed: Opened, names: list[str]) -> None:
        """A row of a table whose columns were named before."""
        if len(closed.cells) != len(names):
            return
        row = Opened(
            "", closed.around, is_list=False, values=dict(zip(map(str.lower, names), closed.cells, strict=True))
        )
        line = closed.texts[-1][1].line if closed.texts else 0
        row.texts = [(name, Text(cell, line)) for name, cell in zip(names, closed.cells, strict=True)]
        self._logged += _record(row)

    def _list(self, closed: Opened, around: Opened | None) -> None:
        texts = [text for _, text in closed.texts]
        if self._is_table(closed, around):
            return
        if around is None or not texts:
            return
        key = closed.key.lower()
        if around.is_list:
            if len(texts) == 2 and _NANOSECONDS.match(texts[0].value) and around.around is not None:
                self._logged += _of_stream(texts, around.around)
        elif key in COMMANDS or key == "argv":
            around.values.setdefault(COMMANDS[0], " ".join(text.value for text in texts)[:MOST_FOLDED])
        elif len(texts) == 1 and len(texts[0].value) <= MOST_FOLDED:
            around.values.setdefault(key, texts[0].value)
            around.texts.append((closed.key, texts[0]))
        else:
            rows = [Text(row, text.line) for text in texts for row in text.value.split("\n")]
            self._outputs.append(Output(closed.key, rows, around))


def _begun(text: str) -> tuple[str, str] | None:
    """The heading in front of an object and the object itself; None where none begins on a line."""
    if (shipped := _SHIPPED.match(text)) is not None:
        return "", f'{{"ts": {shipped["at"]}, {shipped["rest"]}}}'
    keyed = _KEYED.match(text)
    match = _BEGINS.match(text, keyed.end() if keyed is not None else 0)
    return None if match is None else (match["head"] or "", text[match.end() - 1 :])


def _pass_on(closed: Opened, around: Opened) -> None:
    """What an object tells the one around it: its values, and the text of a message whose moment stands there."""
    for key, value in closed.values.items():
        if len(around.values) < MOST_VALUES:
            around.values.setdefault(f"{closed.key.lower()}.{key}", value)
    for key, text in closed.texts:
        name = key.lower()
        if (name in _MESSAGES or name in _WORDS) and "\n" not in text.value.strip():
            around.texts.append((closed.key if name in _WORDS else name, text))


def _tell_list(closed: Opened, around: Opened) -> None:
    """What an object tells in a list: the name of a column, or one attribute of what stands around the list."""
    if (name := closed.values.get("name")) and around.key.lower() in _COLUMNS:
        around.names.append(name)
    of = around.around
    if of is None or not (name := closed.values.get("key")) or len(of.values) >= MOST_VALUES:
        return
    value = next((one for key, one in closed.values.items() if key.startswith("value.")), None)
    if value is not None:
        of.values.setdefault(f"{around.key.lower()}.{name.lower()}", value)


def _whole(text: str) -> Any:
    """An object that stands on one line, of JSON or as Python shows it; None where it is neither."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        pass
    if "': " not in text[:LONGEST_KEY] or len(text) > LONGEST_SHOWN:
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _tells_nothing(whole: dict[str, Any]) -> bool:
    """Whether a flat object of texts of one line each is no line of a log and no output."""
    names = _names_of(tuple(whole))
    return names is not None and not any(has_stamp(text) for one in names if isinstance(text := whole[one], str))


@lru_cache(maxsize=4096)
def _names_of(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of the names of values: those of texts that may be a line of a log. None where they name a host or an output."""
    for key in keys:
        if "." in key or "/" in key or key.lower() in HOSTS or key == "stream" or _is_stdout(key):
            return None
    return tuple(key for key in keys if key.lower() in TEXTS)


def _is_flat(whole: dict[Any, Any]) -> bool:
    """Whether an object holds no other ones, and few values."""
    return (
        len(whole) < MOST_VALUES
        and _NESTED.isdisjoint(map(type, whole.values()))
        and _NAMES.issuperset(map(type, whole))
    )


def _as_colon(match: re.Match[str]) -> str:
    """An arrow as the colon that it stands for, and a bare value behind it as a string."""
    if match[2] is None:
        return match[1]
    value = match[3] or ""
    return f"{match[1]}: {json.dumps(value) if value else ''}"


def _unquoted(piece: str) -> str:
    try:
        return str(_DECODER.decode(piece))
    except ValueError:
        return piece.strip('"')


# lines of a log


def _record(opened: Opened) -> list[HeldLine]:
    """The lines of a log that an object is; none where it is something else."""
    by_key = {key.lower(): text for key, text in reversed(opened.texts)}
    text = next((by_key[one] for one in TEXTS if one in by_key), None)
    if text is None:
        return []
    moment, message = _value(opened.values, TIMES), text.value.strip("\n")
    first, *more = message.split("\n")
    if has_stamp(first):
        host = "" if names_host(first) else _host(opened.values)
        is_one = bool(moment) and _is_known(first)
        return [HeldLine(text.line, row, host) for row in (first, *more) if is_one]
    if moment and _is_of_container(opened.values):
        return [HeldLine(text.line, row, "", moment if row.strip() else "") for row in (first, *more)]
    return _message(opened, Text(message, text.line), moment) if message.strip() else []


def _message(opened: Opened, text: Text, moment: str) -> list[HeldLine]:
    """The lines of a message without a stamp of its own."""
    first, *more = text.value.split("\n")
    if (ring := _of_ring(opened.values, first)) is not None:
        return [HeldLine(text.line, ring)]
    host, program = _host(opened.values) or _host_around(opened), _value(opened.values, PROGRAMS)
    if not moment or not host or not (program or _is_message(opened.values)):
        return []
    line = as_logged(first, host, moment, program, _value(opened.values, NUMBERS))
    if line != first:
        host, moment = "", ""
    return [HeldLine(text.line, row, host, moment) for row in (line, *more)]


def _is_of_container(values: dict[str, str]) -> bool:
    """Whether an object is a line that a container printed, on nobody's node."""
    return values.get("stream") in _STREAMS and not _host(values)


def _is_known(text: str) -> bool:
    """Whether a reader of more than shapes knows a line."""
    return (owner := claimed(text)) is not None and owner.priority > GUESSED


def _of_ring(values: dict[str, str], message: str) -> str | None:
    """A message of the kernel as ``dmesg --json`` has it: its priority, the seconds since the start, its words."""
    since = _SECONDS.match(values.get("time", ""))
    is_one = since is not None and values.keys() <= _OF_RING and "msg" in values and "pri" in values
    return f"[{float(since[0]):12.6f}] {message}" if since is not None and is_one else None


def _is_message(values: dict[str, str]) -> bool:
    """Whether values tell of a line that somebody wrote, where nobody says which program: not of the state of a thing,
    and of no level without the journal's own moment.
    """
    if any(one in values for one in _NAMED):
        return False
    return "__realtime_timestamp" in values or "textpayload" in values or not any(one in values for one in LEVELS)


def _of_stream(texts: list[Text], of: Opened) -> list[HeldLine]:
    """A line with its moment in a list of a stream, whose labels tell the host."""
    moment, text = texts
    host, program = _host(of.values), _value(of.values, PROGRAMS)
    return [HeldLine(text.line, as_logged(text.value.rstrip("\n"), host, moment.value, program))]


def _value(values: dict[str, str], names: tuple[str, ...]) -> str:
    """The value of the first of some names, also in an object within."""
    for name in names:
        if (value := values.get(name)) is not None:
            return value
    within: dict[str, str] = {}
    for key, value in values.items():
        if "." not in key and "/" not in key:
            continue
        rest = key
        for _ in range(MOST_LEVELS_UP):
            rest = rest.partition(".")[2] or rest.partition("/")[2]
            if not rest:
                break
            within.setdefault(rest, value)
    return next((within[name] for name in names if name in within), "")


def _host(values: dict[str, str]) -> str:
    host = _value(values, HOSTS)
    return host if _HOST.fullmatch(host) else ""


def _host_around(opened: Opened) -> str:
    """The host that objects around one tell of all that stands in them, by the surest of names."""
    around, host = opened.around, ""
    for _ in range(MOST_LEVELS_UP):
        if around is None or host:
            break
        host = _value(around.values, ("host.name", "hostname", "resource.attributes.host.name"))
        around = around.around
    return host if _HOST.fullmatch(host) else ""


# outputs


def _is_output(output: Output) -> bool:
    return is_output([row.value for row in output.rows])


def is_output(rows: list[str]) -> bool:
    """Whether somebody knows a line of a text."""
    tried = [row for row in rows if row.strip()][:MOST_ROWS_TRIED]
    return any(
        ((owner := claimed(row)) is not None and owner.priority > GUESSED)
        or match_prompt(row, programs()) is not None
        or ((mark := match_mark(row)) is not None and mark.command is not None)
        for row in tried
    )


def _is_shown(output: Output, outputs: list[Output]) -> bool:
    """Whether its lines are those of an output, and are not told a second time one by one."""
    key = output.key.lower()
    twin = f"{key}_lines"
    if any(one.of is output.of and one.key.lower() == twin for one in outputs):
        return False
    return (_is_stdout(key) and len(output.rows) > 1) or _is_output(output)


@lru_cache(maxsize=4096)
def _is_stdout(key: str) -> bool:
    """Whether a key says that an output stands under it: by its own word, or as the name of a node."""
    return key.lower().rpartition(".")[2].removesuffix("_lines") in _STDOUT or looks_like_host(key)


def _held_lines(output: Output) -> Iterator[HeldLine]:
    host, command, stamp = "", "", ""
    of: Opened | None = output.of
    key = output.key
    while True:
        host = host or _named(key, of)
        command = command or (key if is_command(key, programs()) else "")
        if of is None:
            break
        if not of.is_list:
            host = host or _host(of.values) or _target(of.values)
            command = command or _value(of.values, COMMANDS)
            stamp = stamp or _value(of.values, TIMES)
        key, of = "" if of.is_list else of.key, of.around  # what a list is called names none of its elements
    first = output.rows[0]
    if any(
        (typed := match_prompt(row.value, programs())) is not None and typed.host for row in output.rows[:MOST_OF_LEAD]
    ):
        host = ""  # the session in it tells where it ran
    if command:
        yield HeldLine(first.line, "", host, stamp, command.strip())
    for row in output.rows:
        yield HeldLine(row.line, row.value, host, "" if command else stamp)


def _target(values: dict[str, str]) -> str:
    """The node that a tool of many nodes says it asked."""
    host = next((values[name] for name in _TARGETS if name in values), "")
    return host if _HOST.fullmatch(host) and is_name_of_node(host) else ""


_TARGETS: Final = ("target", "minion", "minion_id", "certname", "inventory_hostname")


def _named(key: str, of: Opened | None) -> str:
    """The node that a key names."""
    if not _STRUCTURAL.isdisjoint(key.lower().split(".")) or not _HOST.fullmatch(key) or is_command(key, programs()):
        return ""
    if _HUMPED.search(key) is not None:
        return ""  # a word of a programming interface
    is_listed = of is not None and of.key.lower() in _OF_NODES
    is_name = is_name_of_node(key) and not is_thing(key) and not is_word_of_tools(key)
    is_alone = of is None or (of.around is None and all("\n" in value for value in of.values.values()))
    return key if is_listed or looks_like_host(key) or (is_name and is_alone) else ""
