"""Entries of a site: what messages mean, said by the people who run it, in files of TOML.

An ``[[entry]]`` of a file (``product = "..."`` above them is optional)::

    name = "lease-lost"          # small letters, digits and hyphens; one of a kind in its folder
    from = "stordctl"            # program of the system log, or "mmfs" for the log of Spectrum Scale
    match = ["lease on", { named = "disk" }, "lost after", { named = "figure", unit = "s" }, { any = true }]
    weight = "trouble"           # everyday | notice | trouble | disaster
    object = "disk"              # which of the named tokens the message is about; left out: the first
    title = "Lease on {about} lost"
    meaning = "The agent may not write to the disk until it holds the lease again."
    next = "Look at the disk's paths on this node."
    commands = ["multipath -ll"]
    source = "Support note 4711"

A match is a run of words anywhere in a message: kept words as they are (letters of either case; marks around a word and
``=`` between words do not count), ``any`` for one word, ``named`` for one word that is a node, disk, file system, lock
or figure. There are no patterns. All entries of a program are one tree of words, so that the cost of a message does
not grow with their number.

In place of ``from`` an entry may speak of something else::

    output = "clustat"           # lines of that output that no reader takes ("unknown": of outputs that nothing names)
    waits = true                 # kinds of waits that the program does not know: the match is of thread and reason
    table = "DiskPath"           # rows of listings, without a match: a column, an operator and a value
    column = "state"
    operator = "is"              # is | is not | holds | above | below
    value = "ghost"
    object = "name"              # here a column of the same table
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from parsers.dataclass import dataclass
from parsers.messages.safe_commands import changes
from parsers.records import Record
from parsers.records.kinds import RECORD_TYPES
from parsers.records.states import Statement

EntryWeight = Literal["everyday", "notice", "trouble", "disaster"]
NAMED: Final = ("node", "disk", "file system", "lock", "figure")
ANY: Final = "any"
Speaker = Literal["folder", "site", "team"]
"""Whose an entry is: of a folder of files, of the whole site by an administrator's word, of a team."""
EntryOf = Literal["log", "output", "waits", "table"]
KIND_ENDING: Final = ".site"
ENDINGS: Final[Mapping[Speaker, str]] = {"folder": KIND_ENDING, "site": ".shared", "team": ".team"}
LEARNED: Final = (ENDINGS["site"], ENDINGS["team"])
"""Endings of kinds of entries that are kept in the database: they judge texts that were read before them."""
UNKNOWN_OUTPUT: Final = "unknown"
OPERATORS: Final = ("is", "is not", "holds", "above", "below")
VALUE_MOST: Final = 100
FILE_BYTES: Final = 4 << 20
ENTRIES_MOST: Final = 5_000
TOKENS_MOST: Final = 24
TEXT_MOST: Final = 600
TITLE_MOST: Final = 100
COMMANDS_MOST: Final = 4
LETTERS_LEAST: Final = 8
"""Of all kept words together; fewer fit messages of many kinds."""
LETTERS_OF_OUTPUT: Final = 4
"""The same where the output or the sort of text is given already: there one word will do."""
TEXT_READ: Final = 400
"""Letters of a message that are compared."""
_SHAPES_KEPT: Final = 16_384
_COMMON: Final = ("name", "weight", "object", "title", "meaning", "next", "commands", "source")
_KEYS_OF: Final[Mapping[EntryOf, tuple[str, ...]]] = {
    "log": ("from", "match"),
    "output": ("output", "match"),
    "waits": ("waits", "match"),
    "table": ("table", "column", "operator", "value"),
}
_KEYS: Final = frozenset((*_COMMON, *(key for keys in _KEYS_OF.values() for key in keys)))
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{2,59}")
_PROGRAM: Final = re.compile(r"[A-Za-z_][\w./@-]{0,63}")
_TABLES: Final[Mapping[str, type[Record]]] = {
    kind.__name__: kind for kind in RECORD_TYPES if issubclass(kind, Statement)
}
"""Rows of listings: records that say how a thing stands."""
_PLACES: Final = frozenset(("line", "artifact", "last_line", "index", "of", "at", "zone_min", "node_inferred"))
_WORD: Final = re.compile(r"[^\s=,;()\[\]{}\"'<>|]+")
_DIGITS: Final = re.compile(r"\d+")
_FIGURE: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")


class EntryError(ValueError):
    """Why an entry is refused, in words for its author."""


class Token(NamedTuple):
    """One word of a match: a kept ``word`` in small letters, or a ``named`` one (``any`` for no matter what)."""

    word: str = ""
    named: str = ""
    unit: str = ""

    def fits(self, word: str) -> bool:
        """Whether a word of a message is this token."""
        if self.word:
            return word.lower() == self.word
        return self.named != "figure" or _FIGURE.match(word) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one sort of message, of line, of wait or of row means. ``told_by``: the program, tool or table that shows
    it, ``place``: the file that holds it, or which version of a team's entry it is.
    """

    name: str
    told_by: str
    match: tuple[Token, ...]
    weight: EntryWeight
    title: str
    meaning: str
    object: str
    next: str
    commands: tuple[str, ...]
    source: str
    product: str
    place: str
    speaker: Speaker = "folder"
    of: EntryOf = "log"
    column: str = ""
    operator: str = ""
    value: str = ""

    @property
    def kind(self) -> str:
        """The kind of event that it makes of a message."""
        return self.name + ENDINGS[self.speaker]

    @property
    def key(self) -> str:
        """Under which it is looked up: its program, or what else it speaks of."""
        return key_of(self.of, self.told_by)

    @property
    def kept(self) -> int:
        """How many of its words are kept: of two entries that fit, the one with more of them speaks."""
        return sum(bool(token.word) for token in self.match)


def key_of(of: EntryOf, told_by: str) -> str:
    """No program has a blank in its name."""
    return told_by if of == "log" else f"{of} {told_by}"


class Hit(NamedTuple):
    """An entry that fits a message, with what the message names."""

    entry: Entry
    about: str | None
    value: float | None
    unit: str


@dataclass(slots=True)
class _Branch:
    """A place in the tree of words: where each kept word leads, where any word leads, and the entries that end here."""

    words: dict[str, _Branch] = field(default_factory=dict)
    open: _Branch | None = None
    ends: list[Entry] = field(default_factory=list)


class Entries:
    """Entries by program. ``version``: a hash of all that they say; empty where there are none."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.all = tuple(sorted(entries, key=lambda one: one.kind))
        self.programs = frozenset(one.told_by for one in self.all if one.of == "log")
        self.outputs = frozenset(one.told_by for one in self.all if one.of == "output")
        self.rows = tuple(one for one in self.all if one.of == "table")
        self.version = hashlib.sha256(repr(self.all).encode()).hexdigest()[:16] if self.all else ""
        self._trees: dict[str, _Branch] = {}
        self._shapes: dict[tuple[str, str], tuple[Entry, ...]] = {}
        for one in self.all:
            if one.match:
                _grow(self._trees.setdefault(one.key, _Branch()), one)

    def find(self, program: str, text: str) -> Hit | None:
        """The entry that fits a message of a program."""
        if program not in self._trees:
            return None
        for entry in self._candidates(program, text):
            if (hit := _hit(entry, words_of(text[:TEXT_READ]))) is not None:
                return hit
        return None

    def may_fit(self, program: str, text: str) -> bool:
        """Whether an entry could fit."""
        return program in self._trees and bool(self._candidates(program, text))

    def _candidates(self, program: str, text: str) -> tuple[Entry, ...]:
        """Entries that fit but for figures, most kept words first: worked out once for messages that differ in
        figures.
        """
        shape = blanked(text[:TEXT_READ])
        found = self._shapes.get((program, shape))
        if found is None:
            if len(self._shapes) >= _SHAPES_KEPT:
                self._shapes.clear()
            ends = _ends(self._trees[program], words_of(shape))
            found = tuple(sorted(ends, key=lambda one: (-one.kept, _NEARNESS[one.speaker], one.name)))
            self._shapes[program, shape] = found
        return found


_NEARNESS: Final[Mapping[Speaker, int]] = {"team": 0, "site": 1, "folder": 2}
"""Of entries that fit equally well the nearest one speaks."""


def words_of(text: str) -> list[str]:
    """The words of a message without marks around them."""
    return [word for found in _WORD.findall(text) if (word := found.strip(".:!?"))]


def _grow(branch: _Branch, entry: Entry) -> None:
    for token in entry.match:
        if token.word:
            branch = branch.words.setdefault(blanked(token.word), _Branch())
        else:
            branch.open = branch.open or _Branch()
            branch = branch.open
    branch.ends.append(entry)


def _ends(tree: _Branch, words: list[str]) -> set[Entry]:
    """Entries of the tree that fit a run of these words."""
    found: set[Entry] = set()
    alive: list[_Branch] = []
    for word in words:
        stepped = []
        for branch in (*alive, tree):
            stepped += [after for after in (branch.words.get(word), branch.open) if after is not None]
        for branch in stepped:
            found.update(branch.ends)
        alive = stepped
    return found


def tree_of(entries: Iterable[Entry]) -> _Branch:
    """One tree of the words of entries, whatever they speak of: for ``fits_any``."""
    tree = _Branch()
    for one in entries:
        if one.match:
            _grow(tree, one)
    return tree


def fits_any(tree: _Branch, text: str) -> bool:
    """Whether a run of words of the text is the match of an entry, but for figures."""
    return bool(_ends(tree, words_of(blanked(text))))


def _hit(entry: Entry, words: list[str]) -> Hit | None:
    size = len(entry.match)
    for first in range(len(words) - size + 1):
        run = words[first : first + size]
        if all(token.fits(word) for token, word in zip(entry.match, run, strict=True)):
            return _filled(entry, run)
    return None


def _filled(entry: Entry, run: list[str]) -> Hit:
    about, value, unit = None, None, ""
    for token, word in zip(entry.match, run, strict=True):
        if entry.object and token.named == entry.object and about is None:
            about = word
        if token.named == "figure" and value is None and (figure := _FIGURE.match(word)) is not None:
            value, unit = float(figure[0]), token.unit
    return Hit(entry, about, value, unit)


def read_folder(folder: Path) -> tuple[Entries, tuple[str, ...]]:
    """The entries of the ``*.toml`` files of a folder, and a sentence for each one that is refused."""
    entries: dict[str, Entry] = {}
    matches: dict[tuple[str, tuple[str, ...]], str] = {}
    refused: list[str] = []
    files = sorted(folder.glob("*.toml"))
    if not files:
        return Entries(), (f"{folder.name}: no file of it ends with .toml",)
    for path in files:
        for where, row, product in _rows(path, refused):
            try:
                entry = entry_of(row, product, path.name)
                _once(entry, entries, matches)
            except EntryError as error:
                refused.append(f"{where}: {error}")
            else:
                entries[entry.name] = entry
    return Entries(entries.values()), tuple(refused)


Rows = list[tuple[str, Mapping[str, Any], str]]
"""Where an entry stands, its row and the product of its file."""


def _rows(path: Path, refused: list[str]) -> Rows:
    try:
        if path.stat().st_size > FILE_BYTES:
            raise EntryError(f"{path.name}: the file is larger than 4 MiB")
        return read_pack(path.read_bytes(), path.name)
    except OSError as error:
        refused.append(f"{path.name}: {error.strerror or 'can not be read'}")
    except EntryError as error:
        refused.append(str(error))
    return []


def read_pack(content: bytes, name: str) -> Rows:
    """The rows of a file of entries. Raises EntryError where it is none."""
    import tomllib  # late: most sites have no entries

    try:
        if len(content) > FILE_BYTES:
            raise EntryError("the file is larger than 4 MiB")
        found = tomllib.loads(content.decode())
        if unknown := sorted(set(found) - {"product", "entry"}):
            raise EntryError(f"unknown keys: {', '.join(unknown)}")
        rows, product = found.get("entry", []), found.get("product", "")
        if not isinstance(rows, list) or not isinstance(product, str):
            raise EntryError("entries stand below [[entry]], and product is a text")
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, tables without end
        raise EntryError(f"{name}: {error}") from None
    return [(_where(name, number, row), row, product) for number, row in enumerate(rows, 1)]


def _where(file: str, number: int, row: Any) -> str:
    name = row.get("name") if isinstance(row, dict) else None
    return f"{file}, entry {number}{f' ({name:.60})' if isinstance(name, str) else ''}"


def _once(entry: Entry, entries: Mapping[str, Entry], matches: dict[tuple[str, tuple[str, ...]], str]) -> None:
    """Refuse an entry whose name or match another one has."""
    if entry.name in entries:
        raise EntryError(f"the name stands in {entries[entry.name].place} already")
    if len(entries) >= ENTRIES_MOST:
        raise EntryError(f"there are {ENTRIES_MOST} entries already")
    if (twin := matches.setdefault(words_matched(entry), entry.name)) != entry.name:
        raise EntryError(f"it matches what {twin} matches")


def words_matched(entry: Entry) -> tuple[str, tuple[str, ...]]:
    """The program and the kept words in their places: two entries with the same ones fit the same messages."""
    if entry.of == "table":
        return entry.key, (entry.column, entry.operator, entry.value.casefold())
    return entry.key, tuple(token.word or "\n" for token in entry.match)


def entry_of(row: Any, product: str, place: str, *, speaker: Speaker = "folder") -> Entry:
    """An entry from its row. Raises EntryError with the reason where it can't be one."""
    if not isinstance(row, dict):
        raise EntryError("an entry is a table of keys and values")
    if unknown := sorted(set(row) - _KEYS):
        raise EntryError(f"unknown keys: {', '.join(unknown)}" + (PATTERN if "pattern" in unknown else ""))
    name, weight = (_text(row, key, least=1) for key in ("name", "weight"))
    if _NAME.fullmatch(name) is None:
        raise EntryError("name has 3 to 60 small letters, digits and hyphens, a letter first")
    of, told_by = _source(row)
    known = next((one for one in get_args(EntryWeight) if one == weight), None)
    if known is None:
        raise EntryError(f"weight is one of {', '.join(get_args(EntryWeight))}")
    match = () if of == "table" else _match(row.get("match"), of)
    column, operator, value = _condition(row, _TABLES[told_by]) if of == "table" else ("", "", "")
    title = _text(row, "title", least=3, most=TITLE_MOST)
    names = columns_of(told_by) if of == "table" else _names(match)
    about = _object(row, names, title, is_chosen=of == "table")
    step, commands = _step(row)
    if known in ("trouble", "disaster") and not step:
        raise EntryError("what is trouble needs a next step")
    return Entry(
        name=name,
        told_by=told_by,
        match=match,
        weight=known,
        title=title,
        meaning=_text(row, "meaning", least=3),
        object=about,
        next=step,
        commands=commands,
        source=_text(row, "source", least=3),
        product=product,
        place=place,
        speaker=speaker,
        of=of,
        column=column,
        operator=operator,
        value=value,
    )


def _source(row: Mapping[str, Any]) -> tuple[EntryOf, str]:
    """What an entry speaks of: exactly one of its keys says so."""
    keys: dict[str, EntryOf] = {"from": "log", "output": "output", "waits": "waits", "table": "table"}
    given = [key for key in keys if key in row]
    if len(given) != 1:
        raise EntryError("an entry has one of from, output, waits and table")
    of = keys[given[0]]
    if odd := sorted(set(row) - {*_COMMON, *_KEYS_OF[of]}):
        raise EntryError(f"an entry with {given[0]} has no {', '.join(odd)}")
    if of == "waits":
        if row["waits"] is not True:
            raise EntryError("waits is true, or left out")
        return of, ""
    told_by = _text(row, given[0], least=1)
    if of == "table":
        if not columns_of(told_by):
            raise EntryError(f"there is no table {told_by:.40}")
    elif _PROGRAM.fullmatch(told_by) is None:
        what = 'a program of the system log, or "mmfs"' if of == "log" else "the tool that prints the output"
        raise EntryError(f"{given[0]} is the name of {what}")
    return of, told_by


def columns_of(table: str) -> tuple[str, ...]:
    """The columns of a table that an entry may look at; none where there is no such table."""
    kind = _TABLES.get(table)
    return tuple(name for name in kind.columns() if name not in _PLACES) if kind is not None else ()


def tables() -> tuple[str, ...]:
    """Names of the tables that entries may speak of."""
    return tuple(_TABLES)


def blanked(text: str) -> str:
    """What is equal in messages that differ in figures only."""
    return _DIGITS.sub("0", text.lower())


def is_figure(table: str, column: str) -> bool:
    """Whether a column holds figures."""
    return str(_TABLES[table].__dataclass_fields__[column].type).startswith(("int", "float"))


def _condition(row: Mapping[str, Any], kind: type[Record]) -> tuple[str, str, str]:
    column, operator = _text(row, "column", least=1), _text(row, "operator", least=1)
    value = _text(row, "value", least=1, most=VALUE_MOST)
    if column not in columns_of(kind.__name__):
        raise EntryError(f"the table has no column {column:.40}; it has {', '.join(columns_of(kind.__name__))}")
    if operator not in OPERATORS:
        raise EntryError(f"operator is one of {', '.join(OPERATORS)}")
    has_figures = is_figure(kind.__name__, column)
    if operator in ("above", "below") and not has_figures:
        raise EntryError(f"{column} holds words: they are no more and no less than a figure")
    if operator == "holds" and (has_figures or len(value) < 3):
        raise EntryError("holds needs a column of words and three letters or more, else it fits too much")
    if has_figures and _NUMBER.fullmatch(value) is None:
        raise EntryError(f"{column} holds figures, and the value is none")
    return column, operator, value


_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")


def row_of(entry: Entry) -> dict[str, Any]:
    """The row that gives the entry: what ``entry_of`` takes."""
    row: dict[str, Any] = {"name": entry.name}
    if entry.of == "table":
        row |= {"table": entry.told_by, "column": entry.column, "operator": entry.operator, "value": entry.value}
    else:
        source = {"log": ("from", entry.told_by), "output": ("output", entry.told_by), "waits": ("waits", True)}
        row |= dict([source[entry.of]]) | {"match": list(_given(entry.match))}
    row["weight"] = entry.weight
    if entry.object:
        row["object"] = entry.object
    row |= {"title": entry.title, "meaning": entry.meaning}
    if entry.next:
        row["next"] = entry.next
    if entry.commands:
        row["commands"] = list(entry.commands)
    return row | {"source": entry.source}


def _given(match: Iterable[Token]) -> Iterator[Any]:
    """Kept words that follow each other are one text."""
    kept: list[str] = []
    for token in match:
        if token.word:
            kept.append(token.word)
            continue
        if kept:
            yield " ".join(kept)
            kept = []
        if token.named == ANY:
            yield {"any": True}
        else:
            yield {"named": token.named} | ({"unit": token.unit} if token.unit else {})
    if kept:
        yield " ".join(kept)


def toml_of(entries: Iterable[Entry]) -> str:
    """A file of these entries, as ``read_folder`` takes it. ``product`` is left out where they have several."""
    rows = sorted(entries, key=lambda one: one.name)
    products = {one.product for one in rows}
    head = [f"product = {_toml(products.pop())}\n"] if len(products) == 1 and products != {""} else []
    parts = (
        "\n".join(["[[entry]]", *(f"{key} = {_toml(value)}" for key, value in row_of(one).items()), ""]) for one in rows
    )
    return "\n".join([*head, *parts])


def _toml(value: Any) -> str:
    """Texts, truths, lists and tables of them. A text of an entry is printable and stands in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return "[" + ", ".join(_toml(inner) for inner in value) + "]"


PATTERN: Final = "; an entry has words to match, no regular expression"


def _text(row: Mapping[str, Any], key: str, *, least: int = 0, most: int = TEXT_MOST) -> str:
    value = row.get(key, "")
    if not isinstance(value, str) or not value.isprintable():
        raise EntryError(f"{key} is not a text in one line")
    if "<" in value or ">" in value:
        raise EntryError(f"{key} holds < or >")
    if not least <= len(value.strip()) <= most:
        raise EntryError(f"{key} is missing" if not value.strip() else f"{key} has not {least} to {most} letters")
    return value.strip()


def _match(given: Any, of: EntryOf) -> tuple[Token, ...]:
    if not isinstance(given, list) or not given:
        raise EntryError("match is missing: a list of kept words, { any = true } and { named = ... }")
    tokens = tuple(token for one in given for token in _tokens(one))
    kept = [token.word for token in tokens if token.word]
    letters = sum(sign.isalpha() for word in kept for sign in word)
    words, least = (2, LETTERS_LEAST) if of == "log" else (1, LETTERS_OF_OUTPUT)
    if not kept:
        raise EntryError("match fits too much: it keeps no word, so that any line fits it that is no blank one")
    if len(kept) < words or letters < least:
        some = "two words or more" if words > 1 else "a word"
        raise EntryError(f"match fits too much: keep {some}, with {least} letters or more between them")
    if len(tokens) > TOKENS_MOST:
        raise EntryError(f"match has more than {TOKENS_MOST} words")
    if ANY in (tokens[0].named, tokens[-1].named):
        raise EntryError("match begins or ends with any word: leave that out, a match may stand anywhere in a message")
    if of == "output" and any(_DIGITS.search(word) for word in kept):
        raise EntryError("digits of lines that nobody reads are not kept: choose any word for a word with digits")
    return tokens


def _tokens(given: Any) -> Iterator[Token]:
    if isinstance(given, str):
        words = words_of(given)
        if not words:
            raise EntryError("match holds a text without a word")
        yield from (Token(word=word.lower()) for word in words)
    elif given == {"any": True}:
        yield Token(named=ANY)
    elif isinstance(given, dict) and given.get("named") in NAMED and set(given) <= {"named", "unit"}:
        unit = given.get("unit", "")
        if unit and (given["named"] != "figure" or not isinstance(unit, str) or not 0 < len(unit) <= 12):
            raise EntryError("unit is a short text, of a figure only")
        yield Token(named=given["named"], unit=unit)
    else:
        raise EntryError(f"match holds what is no word, any or named: {given!s:.60}{PATTERN}")


def _names(match: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(token.named for token in match if token.named not in ("", ANY, "figure"))


def _object(row: Mapping[str, Any], names: tuple[str, ...], title: str, *, is_chosen: bool) -> str:
    """What the title is about. is_chosen: only what the row says; else the first of the names stands for it."""
    about = _text(row, "object") or ("" if is_chosen or not names else names[0])
    if about and about not in names:
        raise EntryError(
            f"object is {about}, and the table has no such column"
            if is_chosen
            else f"object is {about}, and match names none"
        )
    rest = title.replace("{about}", "", 1)
    if "{" in rest or "}" in rest or (rest != title and not about):
        raise EntryError("title holds a mark other than {about}, or nothing that match names can stand for it")
    return about


def _step(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    commands = row.get("commands", [])
    if not isinstance(commands, list) or len(commands) > COMMANDS_MOST:
        raise EntryError(f"commands is a list of {COMMANDS_MOST} at most")
    for command in commands:
        if not isinstance(command, str) or not command.strip() or len(command) > TEXT_MOST:
            raise EntryError("a command is a text")
        if (reason := changes(command)) is not None:
            raise EntryError(f"the command \u201c{command:.80}\u201d may change something: {reason}")
    step = _text(row, "next")
    if commands and not step:
        raise EntryError("commands need a next step that says what they are for")
    return step, tuple(commands)
