"""What every start would make again, kept from the last one: compiled patterns, and tables of knowledge. A thousand
patterns and seventy files of TOML take a third of the processor time of a small text; from this file they take a tenth
of that.

Of a pattern the words of the regular expression engine are kept, found by the pattern itself and the flags; of a file
of TOML its content as JSON, found by the digest of the file: another release simply does not find what is new in it.
Nothing of the file is executed, and the engine checks the words itself. A file that is damaged, of another Python, or
that others may write is not used. Nothing of a text that is read gets there: what modules compile is kept while they
are imported, and later only what parsers put together from their own patterns.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, AnyStr, Final, NamedTuple

from parsers.dataclass import dataclass

FORM: Final = 1
MOST_BYTES: Final = 32 << 20
ENGINE: Final[Any] = import_module("re._compiler")
"""The part of the library that turns a pattern into words for its engine."""
Key = tuple[str, bool, int]
"""Pattern, whether it is one of bytes, flags."""


class Words(NamedTuple):
    """What the engine makes of a pattern."""

    flags: int
    groups: int
    names: dict[str, int]
    code: memoryview


@dataclass(slots=True)
class Kept:
    """Words by pattern; tables, as JSON, by the digest of their file."""

    words: dict[Key, Words] = field(default_factory=dict)
    tables: dict[str, bytes] = field(default_factory=dict)


class KeptStart:
    """What was found, and what was needed; ``missed`` counts what was not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found = Kept()
        self._used = Kept()
        self.missed = 0

    def load(self) -> None:
        """What the last start left; nothing where it cannot be trusted."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            self._found = _read(self._path)

    def value(self, source: bytes, make: Callable[[], Any]) -> Any:
        """What is made from a source, as JSON has it."""
        digest = hashlib.sha256(source).hexdigest()
        held = self._found.tables.get(digest) or self._used.tables.get(digest)
        if held is None:
            made = make()
            with suppress(TypeError):  # a date is not kept
                held = json.dumps(made).encode()
            if held is None:
                return made
            self.missed += 1
            self._used.tables[digest] = held
        return json.loads(held)

    def compile(self, pattern: Any, flags: int, otherwise: Callable[..., Any]) -> Any:
        """As the library does it."""
        if type(pattern) not in (str, bytes) or flags & re.DEBUG:
            return otherwise(pattern, flags)
        text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        key = (text, isinstance(pattern, bytes), int(flags))
        words = self._found.words.get(key) or self._used.words.get(key)
        if words is None:
            self.missed += 1
            words = self._used.words[key] = _made(pattern, flags)
        return _pattern(pattern, words)

    def save(self) -> None:
        """For the next start, with what this one needed and what others left meanwhile; nothing where there is no place
        for it. What is of earlier releases goes when it has become much.
        """
        self.load()
        if self._path.exists() and self._path.stat().st_size > MOST_BYTES // 2:
            self._found = Kept()
        both = Kept(self._found.words | self._used.words, self._found.tables | self._used.tables)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = self._path.with_suffix(f".{os.getpid()}")
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(_written(both))
            part.replace(self._path)


def place() -> Path:
    """Below the folder for caches of whoever starts the program."""
    base = os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser() / ".cache"
    return Path(base) / "lockscope" / f"start-{_engine()}"


def start_of_workers() -> Path:
    """Beside that of a command that reads one text: a pool prepares for all texts, and its file is far larger."""
    return place().with_name(f"workers-{_engine()}")


def _engine() -> str:
    """Words of another engine mean something else."""
    return f"{FORM}-{sys.implementation.cache_tag}-{ENGINE.MAGIC}-{ENGINE._sre.CODESIZE}"


_now: list[KeptStart] = []
"""The one in use, where there is one: of a command that reads one text. A worker forgets it before it reads."""


def toml(path: Path) -> dict[str, Any]:
    """The content of a file of knowledge. Raises ValueError where it is no TOML."""
    data = path.read_bytes()
    found: dict[str, Any] = made_from(data, lambda: _read_toml(data))
    return found


def _read_toml(data: bytes) -> dict[str, Any]:
    import tomllib  # late: a start that finds all tables kept has no use for it

    return tomllib.loads(data.decode())


def made_from(source: bytes, make: Callable[[], Any]) -> Any:
    """What is made from a source of the program itself, as JSON has it: from the last start where that kept it."""
    return _now[-1].value(source, make) if _now else make()


@cache
def digest_of(module: str) -> bytes:
    """Of the file of a module: what it makes is made again when it changes."""
    return hashlib.sha256(Path(module).read_bytes()).digest()


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of the program itself that is made late: where a text first needs it, or by parsers while they read."""
    if not _now:
        return re.compile(pattern, flags)
    found: re.Pattern[AnyStr] = _now[-1].compile(pattern, flags, re.compile)
    return found


@contextmanager
def kept_start(path: Path | None = None) -> Iterator[None]:
    """Within it every pattern is made by the file. It stays at hand for what is asked for here later on; ``keep``
    writes it again.
    """
    if sys.version_info[:2] != (3, 11) or sys.implementation.name != "cpython":
        yield  # others may put their words together in another way
        return
    kept = KeptStart(path or place())
    kept.load()
    real = ENGINE.compile

    def found(pattern: Any, flags: int = 0) -> Any:
        return kept.compile(pattern, flags, real)

    ENGINE.compile = found
    _now[:] = [kept]
    try:
        yield
    finally:
        ENGINE.compile = real


def keep() -> None:
    """Write what was made again, for the next start."""
    for kept in _now:
        if kept.missed:
            kept.save()


def forget() -> None:
    """Of a process that goes on: it holds what was made, and needs no second copy."""
    _now.clear()


def _made(pattern: str | bytes, flags: int) -> Words:
    """The two steps of the library's own function, whose result does not tell its words."""
    parsed = ENGINE._parser.parse(pattern, flags)
    code = memoryview(array("I", ENGINE._code(parsed, flags)).tobytes())
    state = parsed.state
    return Words(int(flags) | state.flags, state.groups - 1, dict(state.groupdict), code)


def _pattern(pattern: str | bytes, words: Words) -> Any:
    by_number: list[str | None] = [None] * (words.groups + 1)
    for name, number in words.names.items():
        by_number[number] = name
    code = words.code.cast("I").tolist()
    return ENGINE._sre.compile(pattern, words.flags, code, words.groups, words.names, tuple(by_number))


def _written(used: Kept) -> bytes:
    """A digest, a table of what follows, and all words and tables one behind the other."""
    words = [[*key, one.flags, one.groups, one.names, len(one.code)] for key, one in used.words.items()]
    tables = [[digest, len(table)] for digest, table in used.tables.items()]
    head = json.dumps([words, tables], ensure_ascii=True).encode()
    pieces: list[memoryview | bytes] = [*(one.code for one in used.words.values()), *used.tables.values()]
    body = len(head).to_bytes(8, "big") + head + b"".join(pieces)
    return hashlib.sha256(body).digest() + body


def _read(path: Path) -> Kept:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        about = os.fstat(file.fileno())
        is_ours = about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not is_ours or about.st_size > MOST_BYTES:
            return Kept()
        data = file.read()
    if hashlib.sha256(memoryview(data)[32:]).digest() != data[:32]:
        return Kept()
    at = 40 + int.from_bytes(data[32:40], "big")
    words, tables = json.loads(data[40:at])
    found, pieces = Kept(), memoryview(data)  # most are never looked at, so none is copied
    for text, is_bytes, flags, all_flags, groups, names, size in words:
        found.words[text, is_bytes, flags] = Words(all_flags, groups, names, pieces[at : at + size])
        at += size
    for digest, size in tables:
        found.tables[digest] = data[at : at + size]
        at += size
    return found
