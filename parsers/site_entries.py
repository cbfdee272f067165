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
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

EntryWeight = Literal["everyday", "notice", "trouble", "disaster"]
NAMED: Final = ("node", "disk", "file system", "lock", "figure")
ANY: Final = "any"
KIND_ENDING: Final = ".site"
TEAM_ENDING: Final = ".team"
FILE_BYTES: Final = 4 << 20
ENTRIES_MOST: Final = 5_000
TOKENS_MOST: Final = 24
TEXT_MOST: Final = 600
TITLE_MOST: Final = 100
COMMANDS_MOST: Final = 4
LETTERS_LEAST: Final = 8
"""Of all kept words together; fewer fit messages of many kinds."""
TEXT_READ: Final = 400
"""Letters of a message that are compared."""
_SHAPES_KEPT: Final = 16_384
_KEYS: Final = frozenset(
    ("name", "from", "match", "weight", "object", "title", "meaning", "next", "commands", "source")
)
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{2,59}")
_PROGRAM: Final = re.compile(r"[A-Za-z_][\w./@-]{0,63}")
_WORD: Final = re.compile(r"[^\s=,;()\[\]{}\"'<>|]+")
_DIGITS: Final = re.compile(r"\d+")
_FIGURE: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_SHELL: Final = frozenset(";&|<>`$\\\n")
_WRITES: Final = frozenset((
    "add", "attach", "awk", "bash", "clean", "cleanup", "clear", "cp", "create", "dd", "debugfs", "delete",
    "destroy", "detach", "disable", "down", "edit", "enable", "env", "erase", "eval", "evict", "exec", "expel",
    "fence", "fence_node", "find", "flush", "format", "freeze", "fsck", "halt", "import", "install", "kill",
    "killall", "logout", "mkfs", "modify", "modprobe", "mount", "mv", "offline", "online", "perl", "poweroff",
    "purge", "python", "python3", "reboot", "recover", "refresh", "reload", "remount", "remove", "repair",
    "reset", "resize", "restart", "restore", "resume", "rm", "rmmod", "rotate", "scrub", "set", "sh",
    "shutdown", "ssh", "start", "stop", "sudo", "suspend", "switch", "tee", "terminate", "truncate", "tune2fs",
    "umount", "unfence", "unfreeze", "unmount", "up", "update", "upgrade", "vacuum", "wipefs", "write", "xargs",
))  # fmt: skip
_LOOKS: Final = frozenset((
    "blkid", "cat", "df", "du", "free", "getfacl", "glocktop", "grep", "hastatus", "head", "iostat",
    "journalctl", "last", "lltstat", "ls", "lsblk", "lscpu", "lsof", "lsscsi", "mpstat", "netstat", "nfsstat",
    "nstat", "numastat", "pidstat", "ping", "pmap", "ps", "sar", "sestatus", "stat", "tail", "uname", "uptime",
    "vmstat", "vxprint", "vxstat", "w", "who",
))  # fmt: skip
"""Tools that look only, unless an argument is a word that changes."""
_OPTIONS_THAT_LOOK: Final = {
    "dmesg": frozenset(("-T", "-H", "-x", "--ctime", "--human")),
    "gabconfig": frozenset(("-a",)),
    "iscsiadm": frozenset(("-m", "-P")),
    "multipath": frozenset(("-l", "-ll", "-v2", "-v3")),
    "smartctl": frozenset(("-a", "-x", "-H", "-i", "-A", "-l")),
    "ss": frozenset(("-s", "-t", "-i", "-n", "-p", "-ti", "-tn", "-tin", "-tinp", "-tnp")),
    "sysctl": frozenset(("-a", "-n")),
}
"""Tools that look with these options, and change things with others."""
_LOOKING: Final = frozenset((
    "check", "describe", "display", "dump", "examine", "get", "getsubpaths", "info", "inspect", "list",
    "listctlr", "ls", "print", "query", "show", "stat", "state", "stats", "status", "summary", "test", "top",
    "view",
))  # fmt: skip
_PARTS: Final = re.compile(r"[-=]+")
_SCALE_LOOKS: Final = re.compile(r"mm(?:ls|diag|health|get|df|perfmon|lsmgr)")
_CHANGES: Final = re.compile(
    r"(?:mm(?:ch|cr|del|add|start|shut|u?mount|restripe|restore|expel|fsck|rpldisk|export)\w*"
    r"|mkfs\..+|fsck\..+|fence_.+|vxedit|vxassist|vxdisksetup|vxunroot)"
)


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
    """What one sort of message means. ``told_by``: its program, ``place``: the file that holds it, or which version
    of a team's entry it is.
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
    is_of_team: bool = False

    @property
    def kind(self) -> str:
        """The kind of event that it makes of a message."""
        return self.name + (TEAM_ENDING if self.is_of_team else KIND_ENDING)

    @property
    def kept(self) -> int:
        """How many of its words are kept: of two entries that fit, the one with more of them speaks."""
        return sum(bool(token.word) for token in self.match)


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
        self.programs = frozenset(one.told_by for one in self.all)
        self.version = hashlib.sha256(repr(self.all).encode()).hexdigest()[:16] if self.all else ""
        self._trees: dict[str, _Branch] = {}
        self._shapes: dict[tuple[str, str], tuple[Entry, ...]] = {}
        for one in self.all:
            _grow(self._trees.setdefault(one.told_by, _Branch()), one)

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
        shape = _blanked(text[:TEXT_READ])
        found = self._shapes.get((program, shape))
        if found is None:
            if len(self._shapes) >= _SHAPES_KEPT:
                self._shapes.clear()
            ends = _ends(self._trees[program], words_of(shape))
            found = tuple(sorted(ends, key=lambda one: (-one.kept, not one.is_of_team, one.name)))
            self._shapes[program, shape] = found
        return found


def words_of(text: str) -> list[str]:
    """The words of a message without marks around them."""
    return [word for found in _WORD.findall(text) if (word := found.strip(".:!?"))]


def _blanked(text: str) -> str:
    return _DIGITS.sub("0", text.lower())


def _grow(branch: _Branch, entry: Entry) -> None:
    for token in entry.match:
        if token.word:
            branch = branch.words.setdefault(_blanked(token.word), _Branch())
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
        if token.named == entry.object and about is None:
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


def _rows(path: Path, refused: list[str]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    try:
        if path.stat().st_size > FILE_BYTES:
            raise EntryError("the file is larger than 4 MiB")
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        if unknown := sorted(set(found) - {"product", "entry"}):
            raise EntryError(f"unknown keys: {', '.join(unknown)}")
        rows, product = found.get("entry", []), found.get("product", "")
        if not isinstance(rows, list) or not isinstance(product, str):
            raise EntryError("entries stand below [[entry]], and product is a text")
    except OSError as error:
        refused.append(f"{path.name}: {error.strerror or 'can not be read'}")
        return
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, tables without end
        refused.append(f"{path.name}: {error}")
        return
    for number, row in enumerate(rows, 1):
        name = row.get("name") if isinstance(row, dict) else None
        yield f"{path.name}, entry {number}{f' ({name:.60})' if isinstance(name, str) else ''}", row, product


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
    return entry.told_by, tuple(token.word or "\n" for token in entry.match)


def entry_of(row: Any, product: str, place: str, *, is_of_team: bool = False) -> Entry:
    """An entry from its row. Raises EntryError with the reason where it can't be one."""
    if not isinstance(row, dict):
        raise EntryError("an entry is a table of keys and values")
    if unknown := sorted(set(row) - _KEYS):
        raise EntryError(f"unknown keys: {', '.join(unknown)}" + (PATTERN if "pattern" in unknown else ""))
    name, told_by, weight = (_text(row, key, least=1) for key in ("name", "from", "weight"))
    if _NAME.fullmatch(name) is None:
        raise EntryError("name has 3 to 60 small letters, digits and hyphens, a letter first")
    if _PROGRAM.fullmatch(told_by) is None:
        raise EntryError('from is the name of a program of the system log, or "mmfs"')
    known = next((one for one in get_args(EntryWeight) if one == weight), None)
    if known is None:
        raise EntryError(f"weight is one of {', '.join(get_args(EntryWeight))}")
    match = _match(row.get("match"))
    title = _text(row, "title", least=3, most=TITLE_MOST)
    about = _object(row, match, title)
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
        is_of_team=is_of_team,
    )


def row_of(entry: Entry) -> dict[str, Any]:
    """The row that gives the entry: what ``entry_of`` takes."""
    row: dict[str, Any] = {"name": entry.name, "from": entry.told_by, "match": list(_given(entry.match))}
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


def _match(given: Any) -> tuple[Token, ...]:
    if not isinstance(given, list) or not given:
        raise EntryError("match is missing: a list of kept words, { any = true } and { named = ... }")
    tokens = tuple(token for one in given for token in _tokens(one))
    kept = [token.word for token in tokens if token.word]
    if len(kept) < 2 or sum(sign.isalpha() for word in kept for sign in word) < LETTERS_LEAST:
        raise EntryError(
            f"match fits too much: keep two words or more, with {LETTERS_LEAST} letters or more between them"
        )
    if len(tokens) > TOKENS_MOST:
        raise EntryError(f"match has more than {TOKENS_MOST} words")
    if ANY in (tokens[0].named, tokens[-1].named):
        raise EntryError("match begins or ends with any word: leave that out, a match may stand anywhere in a message")
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


def _object(row: Mapping[str, Any], match: tuple[Token, ...], title: str) -> str:
    names = [token.named for token in match if token.named not in ("", ANY, "figure")]
    about = _text(row, "object") or (names[0] if names else "")
    if about and about not in names:
        raise EntryError(f"object is {about}, and match names none")
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


def changes(command: str) -> str | None:
    """What makes one think that a command changes something; None where it seems to look only."""
    if mark := next((sign for sign in command if sign in _SHELL or not sign.isprintable()), None):
        return f"the mark {mark!r}"
    tool, *given = command.split()
    tool = tool.rsplit("/", 1)[-1]
    words = [word.lower() for word in given if not word.startswith("-")]
    words += [part.lower() for word in given if word.startswith("-") for part in _PARTS.split(word)]
    if found := next((word for word in (tool, *words) if word in _WRITES or _CHANGES.fullmatch(word)), None):
        return f"the word {found}"
    if (options := _OPTIONS_THAT_LOOK.get(tool)) is not None:
        odd = (word for word in given if "=" in word or (word.startswith("-") and word not in options))
        return next((f"the option {word}" for word in odd), None)
    if tool in _LOOKS or _SCALE_LOOKS.match(tool) or not _LOOKING.isdisjoint(words):
        return None
    return "no word of it says that it looks only, such as list, show or status"
